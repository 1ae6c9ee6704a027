package commgraph

import (
	"bytes"
	"strings"
	"testing"

	"remap/input"
	"remap/internal/linescan"
)

const mm = "%%MatrixMarket matrix "

// TestMatrixMarketForms: every kind of file, written by hand.
func TestMatrixMarketForms(t *testing.T) {
	want := &Traffic{Offsets: []int32{0, 1, 3, 4}, Destinations: []int32{2, 0, 1, 1},
		Bytes: []int64{7, 5, 9, 1200000}}
	both := &Traffic{Offsets: []int32{0, 2, 4, 5}, Destinations: []int32{0, 1, 0, 2, 1},
		Bytes: []int64{3, 5, 5, 8, 8}}
	skew := &Traffic{Offsets: []int32{0, 1, 3, 4}, Destinations: []int32{1, 0, 2, 1}, Bytes: []int64{5, 5, 8, 8}}
	ones := &Traffic{Offsets: []int32{0, 1, 3, 4}, Destinations: []int32{2, 0, 1, 1}, Bytes: []int64{1, 1, 1, 1}}
	for _, test := range []struct {
		name, format, text string
		want               *Traffic
	}{
		{"general", "", mm + "coordinate integer general\n3 3 4\n1 3 7\n2 1 5\n2 2 9\n3 2 1200000\n", want},
		{"any order, real, comments, blanks", "", "\xef\xbb\xbf%%matrixmarket MATRIX Coordinate Real GENERAL " +
			"\r\n%\n\n%c\n 3\t3 4\r\n\n2 2 9.0\n%c\n3 2 1.2e6\n\v2 1 5.\r\n 1 3 7", want},
		{"sums and zeros", "", mm + "coordinate double general\n3 3 7\n1 3 7\n2 1 2\n2 2 9\n3 2 1e6\n3 2 " +
			"200000\n2 1 3\n3 3 0\n", want},
		{"array", "", mm + "array integer general\n3 3\n0\n5\n0\n0\n9\n1200000\n7\n0\n0\n", want},
		{"array on one line", "", mm + "array real general\n3 3\n0 5 0 0 9 1.2e6 7 0 0", want},
		{"symmetric", "", mm + "coordinate integer symmetric\n3 3 3\n1 1 3\n2 1 5\n3 2 8\n", both},
		{"symmetric array", "", mm + "array integer symmetric\n3 3\n3\n5\n0\n0\n8\n0\n", both},
		{"skew", "", mm + "coordinate integer skew-symmetric\n3 3 2\n2 1 -5\n3 2 8\n", skew},
		{"skew array", "", mm + "array real skew-symmetric\n3 3\n5\n0\n-8\n", skew},
		{"pattern", "", mm + "coordinate pattern general\n3 3 4\n1 3\n2 1\n2 2\n3 2\n", ones},
		{"structure", FormatMatrixMarketPattern, mm + "coordinate real general\n3 3 4\n1 3 -0.5\n2 1 0\n2 2 " +
			"1e999\n3 2 NaN\n", ones},
		{"complex structure", FormatMatrixMarketPattern, mm + "coordinate complex general\n3 3 4\n1 3 1 2\n2 1 " +
			"0 0\n2 2 3 4\n3 2 5 6\n", ones},
		{"array structure", FormatMatrixMarketPattern, mm + "array complex general\n3 3\n0 0\n0 1\n0 0\n0 " +
			"0\n-1 0\n.5 0\n1 1\n0 0\n-0 0\n", ones},
		{"nobody", "", mm + "coordinate integer general\n0 0 0\n", &Traffic{Offsets: []int32{0}}},
		{"nobody in an array", "", mm + "array integer skew-symmetric\n0 0\n", &Traffic{Offsets: []int32{0}}},
		{"silence", "", mm + "coordinate integer general\n3 3 0\n", &Traffic{Offsets: make([]int32, 4)}},
	} {
		t.Run(test.name, func(t *testing.T) { checkRead(t, test.text, test.format, test.want) })
	}
}

func checkRead(t *testing.T, text, format string, want *Traffic) {
	t.Helper()
	got, err := Read("f", strings.NewReader(text), format)
	if err != nil {
		t.Fatal(err)
	}
	mustCheck(t, got)
	same(t, "read", got, want)
}

// TestScotchForms: every flag, any base, labels, and lines broken anywhere. gtst
// of Scotch 7.0.3 accepts all of these files.
func TestScotchForms(t *testing.T) {
	plain := &Graph{Offsets: []int32{0, 2, 3, 4}, Neighbors: []int32{1, 2, 0, 0}, Weights: []int64{1, 1, 1, 1}}
	heavy := *plain
	heavy.Weights = []int64{4, 9, 4, 9}
	loaded := heavy
	loaded.VertexWeights = []int64{7, 0, 5}
	for _, test := range []struct {
		name, text string
		want       *Graph
	}{
		{"plain", "0\n3 4\n0 000\n2 1 2\n1 0\n1 0\n", plain},
		{"base 1", "0\n3 4\n1 0\n2 3 2\n1 1\n1 1\n", plain},
		{"base 5", "0\n3 4\n5 000\n2 6 7\n1 5\n1 5\n", plain},
		{"arc loads", "0\n3 4\n0 010\n2 9 2 4 1\n1 4 0\n1 9 0\n", &heavy},
		{"digits other than 1", "0\n3 4\n0 020\n2 9 2 4 1\n1 4 0\n1 9 0\n", &heavy},
		{"vertex loads", "0\n3 4\n0 011\n7 2 4 1 9 2\n0 1 4 0\n5 1 9 0\n", &loaded},
		{"labels", "0\n3 4\n0 111\n30 5 1 9 10\n10 7 2 9 30 4 20\n20 0 1 4 10\n", &loaded},
		{"labels below the base", "0\n3 4\n9 110\n2 1 9 0\n0 2 4 1 9 2\n1 1 4 0\n", &heavy},
		{"load 0", "0\n3 6\n0 010\n2 4 1 9 2\n2 4 0 0 2\n2 0 1 9 0\n", &heavy},
		{"one line", "0 3 4 0 010 2 9 2 4 1 1 4 0 1 9 0", &heavy},
		{"broken lines", "0 3\n\n4 0\r\n010\n2 9 \n2 4\n\n1 1 4 0 1\n9 0\n \n", &heavy},
		{"empty", "0\n0 0\n0 000\n", &Graph{Offsets: []int32{0}}},
		{"empty with loads", "0\n0 0\n0 101\n", &Graph{Offsets: []int32{0}, VertexWeights: []int64{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ReadScotch("f", strings.NewReader(test.text))
			if err != nil {
				t.Fatal(err)
			}
			mustCheck(t, got)
			same(t, "read", got, test.want)
			checkRead(t, test.text, FormatScotch, test.want.Traffic())
		})
	}
	checkRead(t, "0\n3 4\n0 000\n2 1 2\n1 0\n1 0\n", "", plain.Traffic())
}

// TestParCommForms: numbers mixed, hops missing, and what is recognised.
func TestParCommForms(t *testing.T) {
	want := &Traffic{Offsets: []int32{0, 2, 3, 3}, Destinations: []int32{0, 1, 2}, Bytes: []int64{5, 1200000, 7}}
	for _, test := range []struct {
		name, format, text string
		hops               []int32
	}{
		{"recorded", "", "0 0 5.000e+00 0\n0 1 1.2e+06 2\n1 2 7 1\n", []int32{0, 2, 1}},
		{"numbers alone", "", "0 0 5 0\n0 1 1200000 2\n1 2 7 1\n", []int32{0, 2, 1}},
		{"order, tabs, sums, comments", FormatParComm, "# c\n1\t2 3 1\r\n0 1 1.2e+06 2\n\n#\n1 2 4 1\n0 0 5 " +
			"0\n2 2 0 8\n", []int32{0, 2, 1}},
		{"some hops", "", "0 0 5\n0 1 1.2e+06 2\n1 2 7.\n", []int32{-1, 2, -1}},
		{"some hops of one pair", "", "0 0 5\n0 1 1.2e+06\n1 2 3\n1 2 4. 6\n", []int32{-1, -1, 6}},
		{"no hops", "", "0 0 5\n0 1 1.2e+06\n1 2 3\n1 2 4\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkRead(t, test.text, test.format, want)
			got, hops, err := ReadParComm("f", strings.NewReader(test.text))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "read", got, want)
			if (hops == nil) != (test.hops == nil) {
				t.Fatalf("hops %v, want %v", hops, test.hops)
			}
			for i, h := range hops {
				if h != test.hops[i] {
					t.Errorf("hops %v, want %v", hops, test.hops)
				}
			}
		})
	}
}

// sparseErrors is what may be wrong with Matrix Market, Scotch and
// par-comm-data files.
var sparseErrors = []wrongFile{
	{FormatMatrixMarket, "", 0, 0, "empty"},
	{FormatMatrixMarket, "\n \n", 0, 0, "empty"},
	{FormatMatrixMarket, "\n" + mm + "coordinate integer general\n0 0 0\n", 2, 0, "the first line is not"},
	{FormatMatrixMarket, "3 3 4\n", 1, 1, `first word "3" is not known`},
	{"", "%%MatrixMarket\n", 1, 0, "ends before the object"},
	{"", "%%MatrixMarket vector coordinate real general\n", 1, 16, `object "vector"`},
	{"", mm + "elemental real general\n", 1, 23, `format "elemental"`},
	{"", mm + "coordinate quad general\n", 1, 34, `field "quad"`},
	{"", mm + "coordinate real odd\n", 1, 39, `symmetry "odd"`},
	{"", mm + "coordinate real general x\n", 1, 47, `"x" after the first line`},
	{"", mm + "array pattern general\n", 1, 0, "has no values"},
	{"", mm + "coordinate pattern skew-symmetric\n", 1, 0, "cannot be skew"},
	{"", mm + "coordinate real hermitian\n", 1, 0, "only complex"},
	{"", mm + "coordinate complex general\n", 1, 0, "complex numbers are no volumes"},
	{"", mm + "coordinate real general\n%\n", 2, 0, "ends before the size line"},
	{"", mm + "coordinate real general\n2 3 1\n1 1 1\n", 2, 3, "not square"},
	{"", mm + "coordinate real general\n2 2\n1 1 1\n", 2, 0, "ends before the number of entries"},
	{"", mm + "coordinate real general\n2 2 1 5\n1 1 1\n", 2, 7, `"5" after the sizes`},
	{"", mm + "array real general\n2 2 4\n1\n1\n1\n1\n", 2, 5, `"4" after the sizes`},
	{"", mm + "coordinate real general\n2 -2 1\n1 1 1\n", 2, 3, "number of columns"},
	{"", mm + "coordinate real general\n2 2 2\n1 1 1\n\n", 4, 0, "ends before entry 2 of 2"},
	{"", mm + "coordinate real general\n2 2 1\n1 1 1\n1 2 1\n", 4, 1, "after the last of 1 entries"},
	{"", mm + "coordinate real general\n2 2 1\n0 1 1\n", 3, 1, `row is "0"`},
	{"", mm + "coordinate real general\n2 2 1\n1 3 1\n", 3, 3, `column is "3"`},
	{"", mm + "coordinate real general\n2 2 1\n1\n", 3, 0, "ends before the column"},
	{"", mm + "coordinate real general\n2 2 1\n1 2\n", 3, 0, "ends before the value"},
	{"", mm + "coordinate real general\n2 2 1\n1 2 x\n", 3, 5, "not a finite"},
	{"", mm + "coordinate real general\n2 2 1\n1 2 -4\n", 3, 5, "negative"},
	{"", mm + "coordinate real general\n2 2 1\n1 2 0.5\n", 3, 5, "not a whole number"},
	{"", mm + "coordinate real general\n2 2 1\n1 2 5 6\n", 3, 7, `"6" after the entry`},
	{"", mm + "coordinate pattern general\n2 2 1\n1 2 5\n", 3, 5, `"5" after the entry`},
	{"", mm + "coordinate real general\n2 2 1\n1 2 99999999999999999999\n", 3, 5, "above the limit"},
	{"", mm + "coordinate real general\n2 2 2\n1 2 4503599627370496\n2 1 1\n", 4, 5, "total volume above"},
	{"", mm + "coordinate real symmetric\n2 2 1\n1 2 5\n", 3, 3, "above the diagonal"},
	{"", mm + "coordinate real symmetric\n2 2 1\n2 1 4503599627370496\n", 3, 5, "total volume above"},
	{"", mm + "coordinate real skew-symmetric\n2 2 1\n2 2 5\n", 3, 3, "on the diagonal"},
	{"", mm + "coordinate real skew-symmetric\n2 2 1\n2 1 --5\n", 3, 6, "negative"},
	{"", mm + "array real general\n2 2\n1\n2\n3\n", 5, 0, "ends before entry 2,2"},
	{"", mm + "array real symmetric\n2 2\n1\n2\n3\n4\n", 6, 1, "after the last of 3 entries"},
	{"", mm + "coordinate real general\n1073741824 1073741824 1\n1 " +
		"2 5\n", 2, 0, "1073741824 rows for 1 entries"},
	{FormatMatrixMarketPattern, mm + "coordinate real general\n2 2 1\n1 2 x\n", 3, 5, `"x" is not a number`},
	{FormatMatrixMarketPattern, mm + "coordinate complex general\n2 2 1\n1 " +
		"2 5\n", 3, 0, "ends before the value"},

	{FormatScotch, "", 0, 0, "empty"},
	{FormatScotch, " \n\n", 0, 0, "empty"},
	{FormatScotch, "1\n3 4\n0 000\n", 1, 1, `version is "1"`},
	{FormatScotch, "0\n3 4\n", 2, 0, "ends before the base"},
	{FormatScotch, "# c\n0\n", 1, 1, `version is "#"`},
	{FormatScotch, "0\n3 4\n0 1000\n", 3, 3, `flag is "1000"`},
	{FormatScotch, "0\n3 4\n-1 000\n", 3, 1, `base is "-1"`},
	{"", "0\n2 2\n0 000\n1 1\n", 4, 0, "ends before vertex 2 of 2"},
	{"", "0\n2 2\n0 000\n1 1\n1", 5, 0, "ends before the neighbour (vertex 2 of 2)"},
	{"", "0\n2 2\n0 000\n1 1\n2 0 0\n", 5, 1, `degree is "2"`},
	{"", "0\n2 4\n0 000\n1 1\n1 0\n", 2, 0, "4 arcs, the vertices have 2"},
	{"", "0\n2 2\n0 000\n1 1\n1 0\n 7", 6, 2, `"7" after the last of 2 vertices`},
	{"", "0\n2 2\n0 000\n1 2\n1 0\n", 4, 3, `neighbour is "2"`},
	{"", "0\n2 2\n1 000\n1 2\n1 0\n", 5, 3, `neighbour is "0"`},
	{"", "0\n2 2\n0 000\n1 x\n1 0\n", 4, 3, `neighbour is "x"`},
	{"", "0\n2 2\n0 000\n1 0\n1 0\n", 4, 3, "its own neighbour"},
	{"", "0\n2 2\n0 010\n1 4 1\n1 5 0\n", 4, 0, "weight 4 here, 5 at the other end"},
	{"", "0\n3 2\n0 000\n1 1\n1 2\n0\n", 4, 0, "names 1, which does not name it back"},
	{"", "0\n2 4\n5 000\n2 6 6\n2 5 5\n", 4, 0, "vertex 5 names its neighbour 6 twice"},
	{"", "0\n2 2\n0 001\n-1 1 1\n5 1 0\n", 4, 1, `vertex load is "-1"`},
	{"", "0\n2 2\n0 001\n4503599627370496 1 1\n5 1 0\n", 5, 1, "total vertex load"},
	{"", "0\n3 4\n0 010\n2 4503599627370496 1 4503599627370496 2\n1 4503599627370496 0\n1 " +
		"4503599627370496 0\n", 5, 20, "total load above"},
	{"", "0\n2 2\n0 100\n5 1 6\n5 1 6\n", 5, 0, "label 5 stands at two vertices"},
	{"", "0\n2 2\n0 100\n6 1 7\n5 1 6\n", 4, 0, "vertex 6 names 7, which is the label of no vertex"},
	{"", "0\n2 2\n0 100\n6 1 6\n5 1 5\n", 5, 0, "vertex 5 is its own neighbour"},
	{"", "0\n3 2\n0 100\n9 1 8\n\n8 0\n7 1 9\n", 7, 0, "vertex 7 names 9, which does not name it back"},

	{FormatParComm, "", 0, 0, "empty"},
	{FormatParComm, "# c\n", 0, 0, "empty"},
	{FormatParComm, "0 1 5.0\n0 -1 5.0\n", 2, 3, `destination is "-1"`},
	{FormatParComm, "0 1\n", 1, 0, "ends before the bytes"},
	{FormatParComm, "0 1.0 5\n", 1, 3, `destination is "1.0"`},
	{FormatParComm, "0 1 5e-1\n", 1, 5, "not a whole number"},
	{FormatParComm, "0 1 -5\n", 1, 5, "negative"},
	{FormatParComm, "0 1 5 1.0\n", 1, 7, `hops is "1.0"`},
	{FormatParComm, "0 1 5 1 1\n", 1, 9, `"1" after the hops`},
	{FormatParComm, "0 1 5 1\n0 1 5 2\n", 2, 0, "2 hops from 0 to 1, and 1 on a line before"},
	{FormatParComm, "0 1 4503599627370496 1\n0 1 1 1\n", 2, 5, "total volume above"},
	{FormatParComm, "0 1 5 1\n7 1073741823 5 1\n0 1 5 1\n", 2, 0, "1073741824 ranks for 3 pairs"},
	{FormatParComm, "0 1073741824 5 1\n", 1, 3, `destination is "1073741824"`},
}

// TestRecognise: what looks alike and is not.
func TestRecognise(t *testing.T) {
	for text, want := range map[string]string{
		"0\n":                           FormatDense,
		"0\n1\n":                        FormatDense,
		"0\n3 4\n":                      FormatDense,
		"0\n3 4\n0 000\n":               FormatScotch,
		"\n 0 \n\n3 4\n0 0\n1 2\n":      FormatScotch,
		"0\n3 4\n0 0 0\n":               FormatDense,
		"0 0\n":                         FormatMETIS,
		"0 0 011 2\n":                   FormatMETIS,
		"3 2 001\n2 4\n1 4\n\n":         FormatMETIS,
		"4 3 011 1\n1 2 5\n1 1 5\n1\n1": FormatMETIS,
		"0 1 2\n1 0 2\n1 2 0\n":         FormatMETIS, // a matrix without commas: the error says so
		"0 1 2\n1 0 2\n":                FormatParComm,
		"1 2 3.0\n":                     FormatParComm,
		"1 2 3\n4 5 6e0 1\n":            FormatParComm,
		"1 2 3 0\n4 5 6 1\n":            FormatMETIS,
		"1 2 3\n4 5\n6 7 8.0\n":         FormatMETIS,
		"0 1 5\n0 2 5\n0 3 x\n":         FormatMETIS,
		"% c\n3 2\n":                    FormatMETIS,
		"%%matrixMARKET\n":              FormatMatrixMarket,
		"# c\n0 1 5 6\n":                FormatEdges,
	} {
		got, err := recognise("f", head{[]byte(text), true})
		if err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestFormatsDoc: every format has a name and says what it is.
func TestFormatsDoc(t *testing.T) {
	doc := FormatsDoc()
	for i, f := range formats {
		if f.name == "" || f.doc == "" || !strings.Contains(doc, f.doc) || Formats()[i] != f.name {
			t.Errorf("%+v in %q", f.name, doc)
		}
	}
	_, err := Read("f", strings.NewReader("x y\n"), "")
	if !strings.Contains(input.Hint(err), doc) {
		t.Errorf("hint %q", input.Hint(err))
	}
}

// TestHub: the line of a vertex with many neighbours may be as long as it likes.
func TestHub(t *testing.T) {
	if testing.Short() {
		t.Skip("10 MB")
	}
	const n = 700_000
	g := &Graph{Offsets: make([]int32, 0, n+1)}
	g.Offsets = append(g.Offsets, 0)
	for v := int32(1); v < n; v++ {
		g.Neighbors = append(g.Neighbors, v)
	}
	g.Offsets = append(g.Offsets, n-1)
	for range n - 1 {
		g.Neighbors = append(g.Neighbors, 0)
		g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
	}
	g.Weights = make([]int64, len(g.Neighbors))
	for i := range g.Weights {
		g.Weights[i] = 3
	}
	mustCheck(t, g)
	file := write(t, func(w *bytes.Buffer) error { return WriteMETIS(w, g) })
	if file.Len() < linescan.MaxLine*2 {
		t.Fatalf("only %d bytes", file.Len())
	}
	got, err := ReadMETIS("hub.graph", file)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "hub", got, g)
}
