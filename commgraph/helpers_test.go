package commgraph

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// drawTraffic is random traffic: self traffic, one-way pairs, pairs of 0 bytes
// with messages, silent ranks.
func drawTraffic(t *rapid.T, counted bool) *Traffic {
	ranks := rapid.IntRange(0, 14).Draw(t, "ranks")
	flow := rapid.Custom(func(t *rapid.T) Flow {
		f := Flow{
			From:     int32(rapid.IntRange(0, ranks-1).Draw(t, "from")),
			To:       int32(rapid.IntRange(0, ranks-1).Draw(t, "to")),
			Bytes:    rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, 1<<46)).Draw(t, "bytes"),
			Messages: rapid.Int64Range(1, 99).Draw(t, "messages"),
		}
		if counted && rapid.IntRange(0, 4).Draw(t, "empty") == 0 {
			f.Bytes = 0
		}
		return f
	})
	var flows []Flow
	if ranks > 0 {
		flows = rapid.SliceOfN(flow, 0, 60).Draw(t, "flows")
	}
	traffic, err := NewTraffic(ranks, flows, counted)
	if err != nil {
		t.Fatal(err)
	}
	mustCheck(t, traffic)
	return traffic
}

// drawGraph is a random graph, sometimes with vertex weights.
func drawGraph(t *rapid.T) *Graph {
	g := drawTraffic(t, false).Graph()
	if rapid.Bool().Draw(t, "weighted") {
		g.VertexWeights = rapid.SliceOfN(rapid.Int64Range(0, 100), g.Vertices(), g.Vertices()).Draw(t, "weights")
	}
	return g
}

func mustCheck(t rapid.TB, v interface{ Check() error }) {
	t.Helper()
	if err := v.Check(); err != nil {
		t.Fatal(err)
	}
}

// same compares values whose empty slices may be nil or not.
func same(t rapid.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(normal(got), normal(want)) {
		t.Fatalf("%s: %+v, want %+v", what, got, want)
	}
}

// normal makes empty slices of ids and bytes nil; a nil list of counts or
// vertex weights means something and stays.
func normal(v any) any {
	switch v := v.(type) {
	case *Traffic:
		c := *v
		c.Destinations, c.Bytes = emptyToNil(c.Destinations), emptyToNil(c.Bytes)
		return c
	case *Graph:
		c := *v
		c.Neighbors, c.Weights = emptyToNil(c.Neighbors), emptyToNil(c.Weights)
		return c
	}
	return v
}

func emptyToNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

// shared opens a file of the collection beside the project, or skips.
func shared(t *testing.T, path ...string) *os.File {
	t.Helper()
	name := filepath.Join(append([]string{"../../shared/data"}, path...)...)
	f, err := os.Open(name)
	if err != nil {
		t.Skipf("no collection of real graphs beside the project: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
