package commgraph

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func write(t rapid.TB, fill func(w *bytes.Buffer) error) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		t.Fatal(err)
	}
	return &b
}

// TestRoundTrip: what is written is read back the same, by format and by content.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counted := rapid.Bool().Draw(t, "counted")
		traffic := drawTraffic(t, counted)
		roundTripEdges(t, traffic)
		if traffic.Ranks() > 0 {
			roundTripDense(t, traffic)
		}
		roundTripMETIS(t, drawGraph(t))
	})
}

func roundTripEdges(t *rapid.T, traffic *Traffic) {
	file := write(t, func(w *bytes.Buffer) error { return WriteEdgeList(w, traffic) })
	for _, format := range []string{"", FormatEdges} {
		got, err := Read("edges.csv", bytes.NewReader(file.Bytes()), format)
		if err != nil {
			t.Fatalf("%v in\n%s", err, file)
		}
		same(t, "edge list", got, traffic)
	}
}

func roundTripDense(t *rapid.T, traffic *Traffic) {
	file := write(t, func(w *bytes.Buffer) error { return WriteDense(w, traffic) })
	for _, format := range []string{"", FormatDense} {
		got, err := Read("sizes.csv", bytes.NewReader(file.Bytes()), format)
		if err != nil {
			t.Fatalf("%v in\n%s", err, file)
		}
		if traffic.Messages != nil {
			counts := write(t, func(w *bytes.Buffer) error { return WriteDenseCounts(w, traffic) })
			if err := ReadDenseCounts(got, "counts.csv", counts); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "dense matrix", got, traffic)
	}
}

func roundTripMETIS(t *rapid.T, g *Graph) {
	file := write(t, func(w *bytes.Buffer) error { return WriteMETIS(w, g) })
	got, err := ReadMETIS("g.graph", bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	mustCheck(t, got)
	same(t, "METIS graph", got, g)
	traffic, err := Read("g.graph", file, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "METIS graph as traffic", traffic, g.Traffic())
}

// TestGraphchk lets the validator that comes with METIS judge our files.
func TestGraphchk(t *testing.T) {
	program, err := exec.LookPath("graphchk")
	if err != nil {
		t.Skip("graphchk (Debian package metis) is not installed")
	}
	plain := cube27(5)
	weighted := cube27(4)
	weighted.VertexWeights = make([]int64, weighted.Vertices())
	for v := range weighted.VertexWeights {
		weighted.VertexWeights[v] = int64(v % 7)
	}
	lonely := &Graph{Offsets: []int32{0, 1, 1, 2}, Neighbors: []int32{2, 0}, Weights: []int64{9, 9}}
	for name, g := range map[string]*Graph{"plain": plain, "vertex weights": weighted, "no neighbours": lonely} {
		file := write(t, func(w *bytes.Buffer) error { return WriteMETIS(w, g) })
		path := filepath.Join(t.TempDir(), "g.graph")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "is correct") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

type brokenWriter struct{ room int }

var errFull = errors.New("disk full")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestWriteErrors: an error of the disk reaches the caller, early or late.
func TestWriteErrors(t *testing.T) {
	g := cube27(10)
	traffic := g.Traffic()
	for _, room := range []int{0, 100000} {
		for name, err := range map[string]error{
			"dense": WriteDense(&brokenWriter{room}, traffic),
			"edges": WriteEdgeList(&brokenWriter{room}, traffic),
			"metis": WriteMETIS(&brokenWriter{room}, g),
		} {
			if !errors.Is(err, errFull) {
				t.Errorf("%s, room for %d bytes: error %v", name, room, err)
			}
		}
	}
	if WriteDenseCounts(&bytes.Buffer{}, traffic) == nil {
		t.Error("counts that are not known were written")
	}
	if WriteDense(&bytes.Buffer{}, &Traffic{Offsets: make([]int32, maxDense+2)}) == nil {
		t.Error("a matrix of a billion cells was written")
	}
}
