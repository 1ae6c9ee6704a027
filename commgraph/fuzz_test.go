package commgraph

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"remap/input"
)

// checkError: an error says why, and where if it is known.
func checkError(t *testing.T, err error) {
	var e *input.Error
	if !errors.As(err, &e) || e.Reason == "" || e.File != "f" || e.Line < 0 || e.Column < 0 {
		t.Fatalf("error %#v", err)
	}
}

func FuzzReadDense(f *testing.F) {
	for _, s := range []string{"0,1\n2,0\n", " 1.2e+06 " +
		",0\r\n0,7.\n\n", "0,1\n1\n", "0,-1\n1,0\n", "0,NaN\n,\n", "0,1e99\n0,0", "5", ",", "\xef\xbb\xbf3\n"} {
		f.Add(s, "0,1\n1,0\n")
	}
	f.Fuzz(func(t *testing.T, sizes, counts string) {
		traffic, err := ReadDense("f", strings.NewReader(sizes))
		if err != nil {
			checkError(t, err)
			return
		}
		mustCheck(t, traffic)
		mustCheck(t, traffic.Graph())
		var file bytes.Buffer
		if err := WriteDense(&file, traffic); err != nil {
			t.Fatal(err)
		}
		again, err := ReadDense("f", &file)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "again", again, traffic)
		if err := ReadDenseCounts(traffic, "f", strings.NewReader(counts)); err != nil {
			checkError(t, err)
		}
		mustCheck(t, traffic)
	})
}

func FuzzReadEdgeList(f *testing.F) {
	for _, s := range []string{"src,dst,bytes\n0,1,5\n", "0,1,5,2\n1,0," +
		"1e3,1\n", "# ranks 9\nbytes,SRC,x,dst\n1,2,3,4\n",
		"src,dst,bytes\n1073741823,0,1\n", "# ranks 1073741824\n", "src,dst,bytes,messages\n0,1,0,0\n\n#\n0," +
			"0,1,0", "\"src\",\"dst\",\"bytes\"\n", ",,\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		traffic, err := ReadEdgeList("f", strings.NewReader(text))
		if err != nil {
			checkError(t, err)
			return
		}
		mustCheck(t, traffic)
		var file bytes.Buffer
		if err := WriteEdgeList(&file, traffic); err != nil {
			t.Fatal(err)
		}
		again, err := Read("f", &file, "")
		if err != nil && traffic.Ranks() <= 1<<20 {
			t.Fatal(err)
		}
		if err == nil {
			same(t, "again", again, traffic)
		}
	})
}

func FuzzReadMETIS(f *testing.F) {
	for _, s := range []string{"3 2\n2\n1 3\n2\n", "% c\n3 2 001\n2 4\n% d\n1 4 3 " +
		"9\n2 9\n", "2 1 111 2\n8 7 6 2 5\n8 7 6 1 5\n",
		"1073741824 1\n", "2 1\n2\n2\n", "3 1\n2 2\n\n", "0 0\n", "2 1 1\n2 5\n1 6\n", "3 1 10\n1\n2 3\n3 2\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := readAgain(t, text, ReadMETIS, WriteMETIS)
		if g == nil {
			return
		}
		if folded := g.Traffic().Graph(); !slices.Equal(folded.Weights, g.Weights) {
			t.Fatalf("folded weights %v, want %v", folded.Weights, g.Weights)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"0,1\n2,0\n", "src,dst,bytes\n0," +
		"1,5\n", "# c\n0,1,2\n", "2 1\n2\n1\n", "%%MatrixMarket\n", "7\n", "0\n2 2\n0 000\n1 " +
		"1\n1 0\n", "0 1 5.0\n0 2 1e3 4\n", mm + "coordinate pattern general\n2 2 " +
		"1\n1 2\n", "x y\n", "\n\n", "\xef\xbb\xbf", "E\t0\t1\t5 bytes\t1 msgs sent\n"} {
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, text, format string) {
		traffic, err := Read("f", strings.NewReader(text), format)
		if err == nil {
			mustCheck(t, traffic)
		} else if format == "" {
			checkError(t, err)
		}
	})
}

// readAgain reads a text that may be a graph, checks what comes out, and that it
// stands the way through our own file; nil when the text is refused, in order.
func readAgain(t *testing.T, text string, read func(string, io.Reader) (*Graph, error),
	write func(io.Writer, *Graph) error) *Graph {
	t.Helper()
	g, err := read("f", strings.NewReader(text))
	if err != nil {
		checkError(t, err)
		return nil
	}
	mustCheck(t, g)
	var file bytes.Buffer
	if err := write(&file, g); err != nil {
		t.Fatal(err)
	}
	again, err := read("f", &file)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "again", again, g)
	return g
}
