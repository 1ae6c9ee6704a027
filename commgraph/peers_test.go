package commgraph

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// realProgram finds a program of METIS or Scotch, or skips: these tests run
// with REMAP_REAL=1 alone.
func realProgram(t *testing.T, name, source string) string {
	t.Helper()
	if os.Getenv("REMAP_REAL") == "" {
		t.Skip("the programs of METIS and Scotch run with REMAP_REAL=1")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s (Debian package %s) is not installed", name, source)
	}
	return path
}

// fileOf writes text to a file of its own.
func fileOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// output runs a program; Scotch reports errors on standard error and exits 0.
func output(t *testing.T, program string, arguments ...string) (text string, accepted bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput()
	return string(out), err == nil && !bytes.Contains(out, []byte("ERROR"))
}

// someGraphs are graphs with and without weights of vertices, with vertices
// that nobody talks to.
func someGraphs() map[string]*Graph {
	weighted := cube27(4)
	weighted.VertexWeights = make([]int64, weighted.Vertices())
	for v := range weighted.VertexWeights {
		weighted.VertexWeights[v] = int64(1 + v%7) // gord never ends where there are weights of 0
	}
	lonely := &Graph{Offsets: []int32{0, 1, 1, 2}, Neighbors: []int32{2, 0}, Weights: []int64{9, 9}}
	return map[string]*Graph{"plain": cube27(5), "vertex weights": weighted, "no neighbours": lonely}
}

// TestRealScotch: gtst accepts what we write and counts what we count; gord
// orders it, labels and all.
func TestRealScotch(t *testing.T) {
	gtst, gord := realProgram(t, "gtst", "scotch"), realProgram(t, "gord", "scotch")
	random := rand.New(rand.NewPCG(5, 6))
	for name, g := range someGraphs() {
		written := write(t, func(w *bytes.Buffer) error { return WriteScotch(w, g) }).String()
		for kind, text := range map[string]string{"written": written, "labelled": scotchText(g, random, true),
			"shuffled": scotchText(g, random, false)} {
			path := fileOf(t, text)
			out, ok := output(t, gtst, path)
			for _, want := range []string{fmt.Sprintf("Vertex\tnbr=%d\n", g.Vertices()),
				fmt.Sprintf("Edge\tnbr=%d\n", g.Edges())} {
				if !ok || !strings.Contains(out, want) {
					t.Errorf("%s, %s: want %q in\n%s", name, kind, want, out)
				}
			}
			if !strings.Contains(out, fmt.Sprintf("sum=%d\t", 2*g.TotalWeight())) &&
				!strings.Contains(out, fmt.Sprintf("sum=%d\t", g.TotalWeight())) {
				t.Errorf("%s, %s: total load is not %d in\n%s", name, kind, g.TotalWeight(), out)
			}
			if out, ok := output(t, gord, path, filepath.Join(t.TempDir(), "order")); !ok {
				t.Errorf("%s, %s: gord: %s", name, kind, out)
			}
		}
	}
}

// TestRealScotchVerdicts: what gtst refuses we refuse, and what it accepts we
// accept; strict says where we refuse more: a graph file with something after
// its end, a negative base.
func TestRealScotchVerdicts(t *testing.T) {
	gtst := realProgram(t, "gtst", "scotch")
	for _, test := range []struct {
		text   string
		strict bool
	}{
		{"0\n3 4\n0 000\n1 1\n2 0 2\n1 1\n", false}, {"0\n3 4\n5 000\n1 6\n2 5 7\n1 6\n", false},
		{"0 3 4 0 000 1 1 2\n0\n2 1 1", false}, {"0\n3 4\n0 020\n1 7 1\n2 7 0 9 2\n1 9 1\n", false},
		{"0\n3 4\n0 10\n1 0 1\n2 0 0 9 2\n1 9 1\n", false}, {"0\n3 4\n0 10\n1 6 1\n2 7 0 9 2\n1 9 1\n", false},
		{"0\n3 4\n0 111\n10 5 1 7 20\n20 0 2 7 10 9 30\n30 1 1 9 20\n", false},
		{"0\n3 4\n1 100\n30 1 20\n0 1 20\n20 2 0 30\n", false}, {"0\n3 4\n0 100\n20 1 20\n20 2 20 30\n30 1 " +
			"20\n", false},
		{"0\n3 4\n0 1000\n1 1\n2 0 2\n1 1\n", false}, {"1\n3 4\n0 000\n1 1\n2 0 2\n1 1\n", false},
		{"0\n3 6\n0 000\n2 0 1\n2 0 2\n2 1 2\n", false}, {"0\n2 4\n0 000\n2 1 1\n2 0 0\n", false},
		{"0\n3 3\n0 000\n1 1\n1 2\n1 1\n", false}, {"0\n3 3\n0 000\n1 1\n2 0 2\n1 1\n", false},
		{"0\n3 6\n0 000\n1 1\n2 0 2\n1 1\n", false}, {"0\n0 0\n0 000\n", false}, {"# c\n0\n0 0\n0 000\n", false},
		{"0\n3 4\n0 001\n-5 1 1\n0 2 0 2\n1 1 1\n", false}, {"0\n3 4\n0 100\n-10 1 20\n20 2 -10 30\n30 1 " +
			"20\n", false},
		{"0\n3 4\n0 000\n1 1\n2 0 2\n1 1\n 7", true}, {"0\n3 4\n-1 000\n1 0\n2 -1 1\n1 0\n", true},
	} {
		_, err := ReadScotch("f", strings.NewReader(test.text))
		out, accepted := output(t, gtst, fileOf(t, test.text))
		if (err == nil) != (accepted && !test.strict) {
			t.Errorf("%q: we say %v, gtst\n%s", test.text, err, out)
		}
	}
}

// TestRealConversion: Scotch's converter makes the same graph of our Matrix
// Market files and of our METIS files as we do, its Matrix Market files are
// read as its Scotch ones are, and METIS's too.
func TestRealConversion(t *testing.T) {
	gcv := realProgram(t, "gcv", "scotch")
	convert := func(from, to, path string) *Traffic {
		t.Helper()
		result := filepath.Join(t.TempDir(), "converted")
		if out, ok := output(t, gcv, "-i"+from, "-o"+to, path, result); !ok {
			t.Fatalf("gcv from %s to %s: %s", from, to, out)
		}
		traffic, err := Open(result, map[string]string{"c": FormatMETIS, "m": FormatMatrixMarket,
			"s": FormatScotch}[to])
		if err != nil {
			t.Fatal(err)
		}
		return traffic
	}
	for name, g := range someGraphs() {
		bare := &Graph{Offsets: g.Offsets, Neighbors: g.Neighbors, Weights: g.Weights}
		metis := fileOf(t, write(t, func(w *bytes.Buffer) error { return WriteMETIS(w, g) }).String())
		same(t, name+" from METIS", convert("c", "s", metis).Graph(), bare)
		scotch := fileOf(t, write(t, func(w *bytes.Buffer) error { return WriteScotch(w, g) }).String())
		same(t, name+" to METIS", convert("s", "c", scotch).Graph(), bare)
		matrix := fileOf(t, write(t, func(w *bytes.Buffer) error {
			return WriteMatrixMarket(w,
				bare.Traffic())
		}).String())
		same(t, name+" structure from a matrix", structure(convert("m", "s", matrix).Graph()), structure(bare))
		same(t, name+" structure to a matrix", structure(convert("s", "m", scotch).Graph()), structure(bare))
	}
}

// structure is a graph without its weights.
func structure(g *Graph) *Graph {
	s := &Graph{Offsets: g.Offsets, Neighbors: g.Neighbors}
	for range g.Neighbors {
		s.Weights = append(s.Weights, 1)
	}
	return s
}

// TestRealMetisCut: the cut of gpmetis's partition, counted in the file as we
// read it, is the one that gpmetis reports.
func TestRealMetisCut(t *testing.T) {
	gpmetis := realProgram(t, "gpmetis", "metis")
	random := rand.New(rand.NewPCG(7, 8))
	for name, g := range someGraphs() {
		if g.Vertices() < 10 {
			continue
		}
		path := fileOf(t, metisText(g, random))
		out, ok := output(t, gpmetis, "-seed=1", path, "4")
		_, rest, found := strings.Cut(out, "Edgecut: ")
		var reported, cut int64
		if n, err := fmt.Sscan(rest, &reported); !ok || !found || n != 1 || err != nil {
			t.Fatalf("%s: no edge cut in\n%s", name, out)
		}
		parts, err := os.ReadFile(path + ".part.4")
		if err != nil {
			t.Fatal(err)
		}
		block := strings.Fields(string(parts))
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		read, err := ReadMETIS(path, f)
		if err != nil {
			t.Fatal(err)
		}
		for u := range int32(read.Vertices()) {
			for i, end := read.Row(u); i < end; i++ {
				if v := read.Neighbors[i]; u < v && block[u] != block[v] {
					cut += read.Weights[i]
				}
			}
		}
		if cut != reported {
			t.Errorf("%s: cut %d, gpmetis says %d", name, cut, reported)
		}
	}
}
