package columns

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

var kinds = []Column{
	{Name: "z", Kind: Integer}, {Name: "a", Kind: Integer, Optional: true},
	{Name: "m", Kind: Number}, {Name: "b", Kind: Number, Optional: true},
	{Name: "y", Kind: Text}, {Name: "c", Kind: Text, Optional: true},
}

func drawRow(t *rapid.T) []Value {
	row := make([]Value, len(kinds))
	for i, c := range kinds {
		if c.Optional && rapid.Bool().Draw(t, "missing") {
			continue
		}
		switch c.Kind {
		case Integer:
			row[i] = Whole(rapid.Int64().Draw(t, "integer"))
		case Number:
			row[i] = Real(rapid.Float64Range(-1e300, 1e300).Draw(t, "number"))
			if special := rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t,
				"special"); c.Optional && special != 0 {
				row[i] = Real(special)
			}
		case Text:
			row[i] = String(rapid.StringMatching(`[ -~äλ"\n]{1,12}`).Draw(t, "text"))
		}
	}
	return row
}

func render(t *rapid.T, f Format, rows [][]Value) []byte {
	var out bytes.Buffer
	w, err := NewWriter(&out, f, kinds)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cell is a value as CSV shows it.
func cell(v Value, k Kind) string {
	switch {
	case !v.set:
		return ""
	case k == Integer:
		return strconv.FormatInt(v.integer, 10)
	case k == Number:
		return strconv.FormatFloat(v.number, 'g', -1, 64)
	}
	return v.text
}

// Whatever the rows, the three formats read back as the same values.
func TestFormatsHoldTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := make([][]Value, rapid.IntRange(0, 700).Draw(t, "rows"))
		some := [][]Value{drawRow(t), drawRow(t), drawRow(t)}
		for i := range rows {
			rows[i] = some[i%len(some)]
		}
		read, err := csv.NewReader(bytes.NewReader(render(t, CSV, rows))).ReadAll()
		if err != nil || len(read) != len(rows)+1 {
			t.Fatalf("%d lines for %d rows: %v", len(read), len(rows), err)
		}
		var objects []map[string]any
		decoder := json.NewDecoder(bytes.NewReader(render(t, JSON, rows)))
		decoder.UseNumber()
		if err := decoder.Decode(&objects); err != nil || len(objects) != len(rows) {
			t.Fatalf("%d objects for %d rows: %v", len(objects), len(rows), err)
		}
		stored := readParquet(t, render(t, Parquet, rows))
		if len(stored) != len(rows) {
			t.Fatalf("%d rows in Parquet, %d written", len(stored), len(rows))
		}
		for i, row := range rows {
			for k, c := range kinds {
				want := cell(row[k], c.Kind)
				if read[0][k] != c.Name || read[i+1][k] != want {
					t.Fatalf("CSV row %d column %s: %q, want %q", i, read[0][k], read[i+1][k], want)
				}
				if got := object(t, objects[i][c.Name], c.Kind); got != want ||
					(objects[i][c.Name] == nil) == row[k].set {
					t.Fatalf("JSON row %d column %s: %q, want %q", i, c.Name, got, want)
				}
				if stored[i][k] != row[k] {
					t.Fatalf("Parquet row %d column %s: %+v, want %+v", i, c.Name, stored[i][k], row[k])
				}
			}
		}
	})
}

func object(t *rapid.T, v any, k Kind) string {
	switch v := v.(type) {
	case json.Number:
		if k == Integer {
			return v.String()
		}
		f, err := v.Float64()
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(f, 'g', -1, 64)
	case string:
		return v
	}
	return ""
}

// readParquet reads with the library, and holds the schema against the columns.
func readParquet(t *rapid.T, content []byte) [][]Value {
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	types := map[Kind]parquet.Kind{Integer: parquet.Int64, Number: parquet.Double, Text: parquet.ByteArray}
	for i, f := range file.Schema().Fields() {
		if f.Name() != kinds[i].Name || f.Type().Kind() != types[kinds[i].Kind] ||
			f.Optional() != kinds[i].Optional {
			t.Fatalf("column %d is %v, want %+v", i, f, kinds[i])
		}
	}
	var rows [][]Value
	buffer := make([]parquet.Row, 64)
	for _, group := range file.RowGroups() {
		reader := group.Rows()
		defer reader.Close()
		for err = nil; err == nil; {
			var n int
			n, err = reader.ReadRows(buffer)
			for _, r := range buffer[:n] {
				rows = append(rows, fromParquet(r))
			}
		}
		if err != io.EOF {
			t.Fatal(err)
		}
	}
	return rows
}

func fromParquet(r parquet.Row) []Value {
	row := make([]Value, len(kinds))
	for i, v := range r {
		switch {
		case v.IsNull():
		case kinds[i].Kind == Integer:
			row[i] = Whole(v.Int64())
		case kinds[i].Kind == Number:
			row[i] = Real(v.Double())
		default:
			row[i] = String(string(v.ByteArray()))
		}
	}
	return row
}

// Rounding keeps 8 digits, and what has been rounded stays.
func TestRealKeepsEightDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e200, 1e200).Draw(t, "value")
		r := Real(v)
		if math.Abs(r.number-v) > 0.5e-7*math.Abs(v)+5e-324 || Real(r.number) != r {
			t.Fatalf("%g is rounded to %g, and that to %g", v, r.number, Real(r.number).number)
		}
	})
}

func TestRefusedRows(t *testing.T) {
	var out bytes.Buffer
	for _, f := range []Format{CSV, JSON, Parquet} {
		w, err := NewWriter(&out, f, kinds[:2])
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write([]Value{Whole(1)}); err == nil {
			t.Errorf("%v: one value for two columns passes", f)
		}
		if err := w.Write([]Value{{}, Whole(1)}); err == nil {
			t.Errorf("%v: a missing value passes where none may be", f)
		}
	}
	for _, f := range []Format{CSV, JSON, Parquet} {
		for i, c := range kinds {
			w, err := NewWriter(&out, f, kinds[i:i+1])
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range []Value{Integer: Whole(1), Number: Real(1), Text: String("1")} {
				if err := w.Write([]Value{v}); (err == nil) != (Kind(k) == c.Kind) {
					t.Errorf("%v: a value of kind %d in a column of kind %d: %v", f, k, c.Kind, err)
				}
			}
		}
	}
	if _, err := NewWriter(&out, Parquet+1, nil); err == nil {
		t.Error("an unknown format passes")
	}
}
