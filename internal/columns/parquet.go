package columns

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// rowGroup is how many rows are held in memory before they are written.
const rowGroup = 1 << 17

// parquetSink writes rows in batches.
type parquetSink struct {
	writer  *parquet.GenericWriter[any]
	columns []Column
	batch   []parquet.Row
	used    int
}

// group is a parquet.Group whose fields keep their order: the library's sorts
// them by name.
type group struct {
	parquet.Group
	names []string
}

// Fields are the columns in their order.
func (g group) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	ordered := make([]parquet.Field, len(g.names))
	for i, name := range g.names {
		ordered[i] = byName[name]
	}
	return ordered
}

func newParquet(w io.Writer, columns []Column) *parquetSink {
	g := group{Group: parquet.Group{}}
	for _, c := range columns {
		g.names = append(g.names, c.Name)
		g.Group[c.Name] = node(c)
	}
	s := &parquetSink{columns: columns, batch: make([]parquet.Row, 256)}
	s.writer = parquet.NewGenericWriter[any](w, parquet.NewSchema("table", g),
		parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(rowGroup), parquet.CreatedBy("remap", "1", "0"))
	return s
}

func node(c Column) parquet.Node {
	var n parquet.Node
	switch c.Kind {
	case Integer:
		n = parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
	case Number:
		n = parquet.Leaf(parquet.DoubleType)
	default:
		n = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
	if c.Optional {
		return parquet.Optional(n)
	}
	return n
}

func (s *parquetSink) row(values []Value) error {
	row := s.batch[s.used][:0]
	for i := range values {
		v, definition := parquet.NullValue(), 0
		if values[i].set {
			switch s.columns[i].Kind {
			case Integer:
				v = parquet.Int64Value(values[i].integer)
			case Number:
				v = parquet.DoubleValue(values[i].number)
			default:
				v = parquet.ByteArrayValue([]byte(values[i].text))
			}
			if s.columns[i].Optional {
				definition = 1
			}
		}
		row = append(row, v.Level(0, definition, i))
	}
	s.batch[s.used] = row
	if s.used++; s.used == len(s.batch) {
		return s.flush()
	}
	return nil
}

func (s *parquetSink) flush() error {
	_, err := s.writer.WriteRows(s.batch[:s.used])
	s.used = 0
	return err
}

func (s *parquetSink) close() error {
	if err := s.flush(); err != nil {
		return err
	}
	return s.writer.Close()
}
