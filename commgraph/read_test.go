package commgraph

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"remap/input"
	"remap/internal/linescan"
)

// TestReadForms: the ways in which the same traffic may be written.
func TestReadForms(t *testing.T) {
	want := &Traffic{Offsets: []int32{0, 2, 3, 3}, Destinations: []int32{0, 1, 2}, Bytes: []int64{5, 1200000, 7}}
	counted := *want
	counted.Messages = []int64{1, 3, 2}
	for _, test := range []struct {
		name, format, text string
		want               *Traffic
	}{
		{"dense", "", "5,1200000,0\n0,0,7\n0,0,0\n", want},
		{"blanks, decimals, carriage returns", "", "5 ,\t1.2e+06, 0.0\r\n0,0,7.\r\n0,+0,-0\r\n\n \n", want},
		{"mark", "", "\xef\xbb\xbf5,1200000,0\n0,0,7\n0,0,0", want},
		{"edges", "", "src,dst,bytes\n0,0,5\n0,1,1200000\n1,2,7\n", want},
		{"order of lines", "", "src,dst,bytes\n1,2,7\n0,1,1200000\n0,0,5\n", want},
		{"order and case of columns, others", "", "Bytes , note,DST,\"Src\"\n5,x,0,0\n1.2e6,,1,0\n7,y " +
			"z,2,1\n", want},
		{"sums", "", "src,dst,bytes\n1,2,3\n0,1,1200000\n0,0,5\n1,2,4", want},
		{"comments", "", "# made by hand\n\nsrc,dst,bytes\n1,2,7\n# half\n0,1,1200000\n\n0,0,5\n", want},
		{"no header", FormatEdges, "0,0,5\n0,1,1200000\n1,2,7\n", want},
		{"messages", "", "src,dst,messages,bytes\n0,0,0,5\n0,1,3,1200000\n1,2,1,3\n1,2,1,4\n", &counted},
		{"messages, no header", FormatEdges, "0,0,5,1\n0,1,1200000,3\n1,2,7,2\n", &counted},
		{"one rank", "", "8\n", &Traffic{Offsets: []int32{0, 1}, Destinations: []int32{0}, Bytes: []int64{8}}},
		{"ranks from the comment", "", "# ranks: 4\nsrc,dst,bytes\n1,0,2\n",
			&Traffic{Offsets: []int32{0, 0, 1, 1, 1}, Destinations: []int32{0}, Bytes: []int64{2}}},
		{"nothing sent", "", "src,dst,bytes\n0,2,0\n", &Traffic{Offsets: []int32{0, 0, 0, 0}}},
		{"metis", "", "% path\n3 2\n2\n% middle\n1 3\n2\n",
			&Traffic{Offsets: []int32{0, 1, 3, 4}, Destinations: []int32{1, 0, 2, 1}, Bytes: []int64{1, 0, 1, 0}}},
		{"metis weights", "", "3 1 001\n3 10\n\n1 10\n\n\n",
			&Traffic{Offsets: []int32{0, 1, 1, 2}, Destinations: []int32{2, 0}, Bytes: []int64{5, 5}}},
	} {
		got, err := Read(test.name, strings.NewReader(test.text), test.format)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		mustCheck(t, got)
		t.Run(test.name, func(t *testing.T) { same(t, "read", got, test.want) })
	}
}

// TestMETISForms: every kind of fmt, and neighbours in any order.
func TestMETISForms(t *testing.T) {
	want := &Graph{Offsets: []int32{0, 2, 3, 4}, Neighbors: []int32{1, 2, 0, 0}, Weights: []int64{4, 9, 4, 9}}
	weighted := *want
	weighted.VertexWeights = []int64{7, 0, 5}
	for _, test := range []struct {
		name, text string
		want       *Graph
	}{
		{"edge weights", "3 2 1\n2 4 3 9\n1 4\n1 9\n", want},
		{"any order", "3 2 001\n3 9 2 4\n1 4\n1 9\n", want},
		{"blanks", "%c\n 3\t2  1 \r\n  2\t4 3 9 \r\n1 4\r\n 1 9", want},
		{"vertex weights", "3 2 11\n7 2 4 3 9\n0 1 4\n5 1 9\n", &weighted},
		{"two constraints", "3 2 011 2\n7 1 2 4 3 9\n0 1 1 4\n5 1 1 9\n", &weighted},
		{"sizes", "3 2 101\n8 2 4 3 9\n8 1 4\n8 1 9\n", want},
		{"sizes and weights", "3 2 111 1\n8 7 2 4 3 9\n8 0 1 4\n8 5 1 9\n", &weighted},
		{"empty", "0 0\n", &Graph{Offsets: []int32{0}}},
	} {
		got, err := ReadMETIS(test.name, strings.NewReader(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		mustCheck(t, got)
		t.Run(test.name, func(t *testing.T) { same(t, "read", got, test.want) })
	}
}

func TestDenseCounts(t *testing.T) {
	const sizes = "0,10,0\n0,0,20\n3,0,0\n"
	read := func() *Traffic {
		traffic, err := ReadDense("sizes.csv", strings.NewReader(sizes))
		if err != nil {
			t.Fatal(err)
		}
		return traffic
	}
	traffic := read()
	// No count for 0 -> 1; a count without bytes for 1 -> 0 and 2 -> 2.
	if err := ReadDenseCounts(traffic, "counts.csv", strings.NewReader("0,0,0\n4,0,2\n1,0,6\n")); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, traffic)
	same(t, "with counts", traffic, &Traffic{Offsets: []int32{0, 1, 3, 5}, Destinations: []int32{1, 0, 2, 0, 2},
		Bytes: []int64{10, 0, 20, 3, 0}, Messages: []int64{1, 4, 2, 1, 6}})
	for _, counts := range []string{"0,0\n0,0\n", "0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0," +
		"0,0\n", "0,0,0\n0,x,0\n0,0,0\n", ""} {
		traffic := read()
		var e *input.Error
		if err := ReadDenseCounts(traffic, "counts.csv", strings.NewReader(counts)); !errors.As(err, &e) ||
			e.File != "counts.csv" {
			t.Errorf("%q: error %v", counts, err)
		}
		same(t, "after an error", traffic, read())
	}
}

// wrongFile is a file, and where and how it is wrong.
type wrongFile struct {
	format, text string
	line, column int
	reason       string
}

// readErrors is what may be wrong with matrices, edge lists and METIS graphs.
var readErrors = []wrongFile{
	{"", "", 0, 0, "empty"},
	{"", "\n \n", 0, 0, "empty"},
	{"", "hello world\n", 1, 0, "no known graph format"},
	{"chaco", "0 1\n", 0, 0, `unknown graph format "chaco"`},

	{FormatDense, "", 0, 0, "empty"},
	{"", "0,1\n1,0,\n", 2, 5, "empty"},
	{"", "0,1,\n1,0,\n", 1, 5, "empty"},
	{"", "0,1\n1\n", 2, 1, "row of 1 cells, the first one has 2"},
	{"", "0,1\n1,0,5\n", 2, 5, "row of 3 cells, the first one has 2"},
	{"", "0,1\n1,0\n0,0\n", 3, 0, "not square"},
	{"", "0,1,2\n1,0,2\n", 2, 0, "not square: 2 rows x 3 columns"},
	{"", "0,1\n\n1,0\n", 2, 0, "blank line"},
	{"", "0,1\n-1,0\n", 2, 1, "negative"},
	{"", "0,1\n 1, NaN\n", 2, 5, "not a finite"},
	{"", "0,Inf\n1,0\n", 1, 3, "not a finite"},
	{"", "0,0x10\n1,0\n", 1, 3, "not a finite"},
	{"", "0,1e\n1,0\n", 1, 3, "not a number"},
	{"", "0,1.5\n1,0\n", 1, 3, "not a whole number"},
	{"", "0,1e400\n1,0\n", 1, 3, "above the limit"},
	{"", "0,99999999999999999999\n1,0\n", 1, 3, "above the limit"},
	{"", "0,4503599627370496\n1,0\n", 2, 1, "total volume above"},
	{"", "a,b\n1,0\n", 1, 1, "not a finite"},

	{FormatEdges, "", 0, 0, "empty"},
	{FormatEdges, "# nothing\n", 0, 0, "empty"},
	{FormatEdges, "0,1\n", 1, 0, "2 columns and no header"},
	{"", "src,bytes\n0,1\n", 1, 0, "does not name dst"},
	{"", "src,dst,bytes,src\n0,1,2,3\n", 1, 15, "src stands twice"},
	{"", "src,dst,bytes\n0,1\n", 2, 4, "2 columns, the first line has 3"},
	{"", "src,dst,bytes\n0,1,2,3\n", 2, 6, "more than the 3 columns"},
	{"", "src,dst,bytes\n0,1, -2\n", 2, 6, "bytes: "},
	{"", "src,dst,bytes\n0,x,2\n", 2, 3, "dst: "},
	{"", "src,dst,bytes\n0,,2\n", 2, 3, "empty"},
	{"", "src,dst,bytes\n0,1073741824,2\n", 2, 3, "rank 1073741824 is above"},
	{"", "src,dst,bytes\n0,1,5\n0,1073741823,2\n", 3, 0, "1073741824 ranks for 2 pairs"},
	{"", "# ranks 1000000000\nsrc,dst,bytes\n0,1,5\n", 1, 0, "1000000000 ranks for 1 pairs"},
	{"", "# ranks -1\nsrc,dst,bytes\n0,1,5\n", 1, 0, "number of ranks"},
	{"", "src,dst,bytes\n0,1,4503599627370496\n1,0,1\n", 0, 0, "total volume"},

	{FormatMETIS, "", 0, 0, "empty"},
	{FormatMETIS, "% only a comment\n", 0, 0, "empty"},
	{FormatMETIS, "3\n", 1, 0, "header of 1 words"},
	{"", "2 1 1 1 1\n2\n1\n", 1, 0, "header of 5 words"},
	{"", "2147483648 1\n2\n1\n", 1, 1, "number of vertices"},
	{"", "2 2147483648\n2\n1\n", 1, 3, "number of edges"},
	{"", "2 1 12\n2\n1\n", 1, 0, "fmt"},
	{"", "2 -1\n2\n1\n", 1, 3, "number of edges"},
	{"", "1073741824 1\n2\n1\n", 3, 0, "after 2 of 1073741824 vertices"},
	{"", "3 2\n2\n1 3\n", 3, 0, "after 2 of 3 vertices"},
	{"", "2 1\n2\n1\n\n1\n", 5, 0, "more lines than the 2 vertices"},
	{"", "2 1\n2\n3\n", 3, 1, `neighbour of vertex 2 is "3"`},
	{"", "2 1\n2\n0\n", 3, 1, `neighbour of vertex 2 is "0"`},
	{"", "2 1\n2\n 1x\n", 3, 2, `neighbour of vertex 2 is "1x"`},
	{"", "2 1\n2\n1.0\n", 3, 1, `neighbour of vertex 2 is "1.0"`},
	{"", "2 1\n2\n2\n", 3, 1, "its own neighbour"},
	{"", "2 1 1\n2 5\n1 0\n", 3, 3, "edge weight of vertex 2"},
	{"", "2 1 1\n2 5\n1 -5\n", 3, 3, "edge weight of vertex 2"},
	{"", "2 1 1\n2 5\n1\n", 3, 2, "has no weight"},
	{"", "2 1 1\n2 99999999999999999999\n1 5\n", 2, 3, "edge weight of vertex 1"},
	{"", "2 1 10\n1 2\n\n", 3, 0, "vertex 2 has 0 of 1"},
	{"", "2 1 1\n2 5\n1 6\n", 2, 0, "weight 5 here, 6 at the other end"},
	{"", "3 1\n2\n\n2\n", 2, 0, "names 2, which does not name it back"},
	{"", "3 1\n2\n% c\n3\n\n", 2, 0, "names 2, which does not name it back"},
	{"", "3 1\n\n% c\n3\n1\n", 5, 0, "names 1, which does not name it back"},
	{"", "2 2\n2 2\n1 1\n", 2, 0, "names its neighbour 2 twice"},
	{"", "3 2\n2\n1 1\n2\n", 3, 0, "names its neighbour 1 twice"},
	{"", "2 5\n2\n1\n", 1, 0, "the header says 5 edges"},
	{"", "3 1\n2 3\n1\n1\n", 3, 1, "more neighbours than twice the 1 edges"},
}

// TestReadErrors: each error tells where and why.
func TestReadErrors(t *testing.T) {
	for _, test := range slices.Concat(readErrors, sparseErrors) {
		_, err := Read("f", strings.NewReader(test.text), test.format)
		checkPlace(t, test.text, err, test.line, test.column, test.reason)
	}
}

// checkPlace: an error tells where and why, and what to do.
func checkPlace(t *testing.T, text string, err error, line, column int, reason string) {
	t.Helper()
	var e *input.Error
	if input.Hint(err) == "" {
		t.Errorf("%q: %v has no hint", text, err)
	}
	if !errors.As(err, &e) || e.Line != line || e.Column != column || !strings.Contains(e.Reason, reason) {
		t.Errorf("%q: %v; want line %d, column %d, %s", text, err, line, column, reason)
	}
}

// A matrix without commas is taken for METIS, and the error says so; errors of
// real METIS files keep their own hints.
func TestMatrixWithoutCommas(t *testing.T) {
	const hint = "separate the columns with commas"
	for text, want := range map[string]bool{
		"0 1\n1 0\n":                      true,
		"0\t1\t2\n1\t0\t2\n1\t2\t0\n":     true,
		"\xef\xbb\xbf0 1 2\n1 0 2\n1 2 0": true,
		"0 5 5 5 5\n5 0 5 5 5\n5 5 0 5 5\n5 5 5 0 5\n5 5 5 5 0\n": true,
		strings.Repeat(strings.Repeat("7 ", 9999)+"7\n", 5):       true,
		"3 2\n2\n1 3\n": false,
		"2 5\n2\n1\n":   false,
	} {
		_, err := Read("f", strings.NewReader(text), "")
		if err == nil || strings.Contains(input.Hint(err), hint) != want {
			t.Errorf("%.20q: %v, hint %q", text, err, input.Hint(err))
		}
	}
}

// Nor can par-comm-data without decimals be told from METIS.
func TestParCommWithoutDecimals(t *testing.T) {
	_, err := Read("f", strings.NewReader("1 0 4 1\n0 1 5 1\n2 1 4 1\n"), "")
	if want := "--graph-format par-comm"; err == nil || !strings.Contains(input.Hint(err), want) {
		t.Errorf("%v, hint %q, want %s", err, input.Hint(err), want)
	}
}

func TestOpenErrors(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.csv")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{
		folder:                         "is a folder",
		filepath.Join(folder, "other"): "no such file",
		empty:                          "empty",
	} {
		_, err := Open(path, "")
		var e *input.Error
		if !errors.As(err, &e) || e.File != path || !strings.Contains(e.Reason, reason) || e.Hint == "" {
			t.Errorf("%s: %v, hint %q; want %s", path, err, input.Hint(err), reason)
		}
	}
}

// TestLongLine: a line without end is refused, not kept.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("0,", linescan.MaxLine/2+10)
	for _, format := range []string{"", FormatDense, FormatEdges} {
		_, err := Read("f", strings.NewReader(long), format)
		var e *input.Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, "longer than") {
			t.Errorf("%q: %v", format, err)
		}
	}
}

// TestLyingHeaders: what a small file claims costs no memory.
func TestLyingHeaders(t *testing.T) {
	for _, text := range []string{
		"1073741824 1073741823 111 1000\n1\n",
		"1073741824 0\n",
		"# ranks 1073741824\nsrc,dst,bytes\n",
		"src,dst,bytes\n1073741823,0,1\n",
		"0\n1073741824 2147483647\n0 111\n1 1 2147483647 5 7",
		"%%MatrixMarket matrix coordinate integer general\n1073741824 1073741824 2147483647\n1 1 5\n",
		"%%MatrixMarket matrix coordinate integer symmetric\n1073741824 1073741824 1\n2 1 5\n",
		"%%MatrixMarket matrix array integer symmetric\n1073741824 1073741824\n5\n",
		"0 1073741823 1.0e+00 1\n0 1 1.0e+00 0\n",
		"E\t0\t1073741823\t5 bytes\t1 msgs sent\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read("f", strings.NewReader(text), "")
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%q: no error", text)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
			t.Errorf("%q: %d bytes allocated", text, allocated)
		}
	}
}
