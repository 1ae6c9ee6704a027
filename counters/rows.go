package counters

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"remap/input"
	"remap/internal/linescan"
	"remap/topology"
)

// table is one in hand.
type table struct {
	*builder
	index   *index
	options Options
	name    string
	limited *io.LimitedReader // of rows
	rows    *csv.Reader
	layout  *layout
	record  []string
	ticks   ticks
	seen    map[int32]int     // line of every link's row
	series  map[int32]*series // of every link's port
	strange []string
	several []string // places that may mean several links
}

func newTable(machine *topology.Topology, name string, r io.Reader, o Options) *table {
	limited := &io.LimitedReader{R: linescan.SkipMark(r), N: maxFileBytes + 1}
	rows := csv.NewReader(limited)
	rows.FieldsPerRecord, rows.ReuseRecord, rows.TrimLeadingSpace = -1, true, true
	return &table{builder: newBuilder(machine), index: newIndex(machine), options: o, name: name,
		limited: limited, rows: rows, seen: map[int32]int{}, series: map[int32]*series{},
		ticks: ticks{machine: machine, said: o.Tick, guessed: map[string]int{}}}
}

// each takes in all rows below the header.
func (t *table) each(row func(record []string) error) error {
	for {
		record, err := t.rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return t.broken(err)
		}
		if err := row(record); err != nil {
			return err
		}
	}
	if t.limited.N == 0 {
		return &input.Error{File: t.name, Reason: "file longer than 1 GiB", Hint: "cut it to the time of the run"}
	}
	return nil
}

func (t *table) broken(err error) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return &input.Error{File: t.name, Line: wrong.Line, Column: wrong.Column,
			Reason: "not CSV: " + wrong.Err.Error(), Hint: "names with commas or quotes stand in quotes", Err: err}
	}
	return &input.Error{File: t.name, Reason: err.Error(), Hint: "can the file be read to its end?", Err: err}
}

// fail is an error at a column of the row in hand; -1 = the whole line.
func (t *table) fail(column int, hint, format string, args ...any) error {
	e := &input.Error{File: t.name, Hint: hint, Reason: fmt.Sprintf(format, args...)}
	if column >= 0 && column < len(t.record) {
		e.Line, e.Column = t.rows.FieldPos(column)
	} else {
		e.Line, _ = t.rows.FieldPos(0)
	}
	return e
}

// firstRow reads the line that names the columns.
func (t *table) firstRow(hint string) ([]string, error) {
	record, err := t.rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, &input.Error{File: t.name, Reason: "the file is empty", Hint: hint}
	}
	if err != nil {
		return nil, t.broken(err)
	}
	t.record = record
	return record, nil
}

// place reads whose port a row is of, and takes the row in hand.
func (t *table) place(record []string) (from place, err error) {
	t.record = record
	if len(record) != t.layout.columns {
		return from, t.fail(-1, "is the line cut short?", "%d fields under a header of %d",
			len(record), t.layout.columns)
	}
	from = place{from: strings.TrimSpace(record[t.layout.at["from"]]), number: -1}
	if c, has := t.layout.at["to"]; has {
		from.to = strings.TrimSpace(record[c])
	}
	if c, has := t.layout.at["device"]; has {
		from.device = strings.TrimSpace(record[c])
	}
	if c, has := t.layout.at["port"]; has && strings.TrimSpace(record[c]) != "" {
		number, err := strconv.ParseInt(strings.TrimSpace(record[c]), 10, 31)
		if err != nil || number < 0 {
			return from, t.fail(c, "ports have numbers", "port %q is not a number from 0", clip(record[c]))
		}
		from.number = int32(number)
	}
	return from, nil
}

// linkOf is the link that a place means; false where there is none, or may be several, which is
// noted.
func (t *table) linkOf(from place) (link int32, known bool) {
	links := t.index.links(from)
	line, _ := t.rows.FieldPos(0)
	where := fmt.Sprintf("%s (line %d)", from.String(), line)
	switch len(links) {
	case 0:
		t.strange = append(t.strange, where)
		return -1, false
	case 1:
		return links[0], true
	}
	t.several = append(t.several, where)
	return -1, false
}

// once notes the line of a link's row; an error where it has one already.
func (t *table) once(from place, link int32) error {
	line, _ := t.rows.FieldPos(0)
	if first, twice := t.seen[link]; twice {
		return t.fail(-1, "one row for each link: a links file of slices, phases or tags has several; "+
			"write it without",
			"%s stands on line %d already", from.String(), first)
	}
	t.seen[link] = line
	return nil
}

// noRows is the error of a table without a row of the network.
func (t *table) noRows(hint string) error {
	if len(t.strange)+len(t.several) == 0 {
		return &input.Error{File: t.name, Reason: "the table has no rows", Hint: hint}
	}
	first := append(t.strange, t.several...)[0]
	return &input.Error{File: t.name,
		Reason: "no row is of a port of the network " + t.machine.Name + ": first " + first,
		Hint: "names are those of hosts and switches in the network: are the table and --topology of one " +
			"machine?"}
}

// warnOfRows tells of rows that were passed over.
func (t *table) warnOfRows() {
	t.warnNamed(t.strange, "rows of ports that the network does not have (%d)", len(t.strange))
	t.warnNamed(t.several, "rows that may mean several links, passed over (%d)", len(t.several))
}
