package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The graph is that of the shortest pairs, found by looking at all.
func TestGeometricNeighbors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dimensions := rapid.IntRange(1, 60).Draw(t, "points"), rapid.IntRange(2, 3).Draw(t, "dimensions")
		pairs := rapid.IntRange(0, n*(n-1)/2).Draw(t, "pairs")
		p := drawPoints(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), n, dimensions)
		var squares []float64
		square := func(a, b int) (sum float64) {
			for axis := range 3 {
				d := p.at[a][axis] - p.at[b][axis]
				sum += d * d
			}
			return sum
		}
		for a := range n {
			for b := range a {
				squares = append(squares, square(a, b))
			}
		}
		slices.Sort(squares)
		offsets, neighbors := p.neighbors(pairs)
		if len(neighbors) != 2*pairs {
			t.Fatalf("%d neighbours of %d pairs", len(neighbors), pairs)
		}
		for a := range n {
			row := neighbors[offsets[a]:offsets[a+1]]
			if a > 0 && p.at[a-1][0] > p.at[a][0] {
				t.Fatal("not numbered along the first coordinate")
			}
			for i, b := range row {
				if i > 0 && row[i-1] >= b || int(b) == a {
					t.Fatalf("neighbours of %d: %v", a, row)
				}
				if square(a, int(b)) > squares[pairs-1] {
					t.Fatalf("%d and %d are no shortest pair", a, b)
				}
				if back := neighbors[offsets[b]:offsets[b+1]]; !slices.Contains(back, int32(a)) {
					t.Fatalf("%d has neighbour %d and not the other way", a, b)
				}
			}
		}
	})
}

// Volumes have closed forms, whatever the seed: pairs x 2 messages, heavy ranks
// ten times the bytes; another seed draws another graph.
func TestGeometricVolume(t *testing.T) {
	for _, dimensions := range []int{2, 3} {
		spec := fmt.Sprintf("geometric:200,degree=9,dimensions=%d,bytes=100,rounds=2", dimensions)
		even, heavy, other := mustParse(t, spec), mustParse(t, spec+",heavy=7"), mustParse(t, spec+",seed=2")
		if got := len(even.Ops); got != 200*9*2 || len(heavy.Ops) != got || len(other.Ops) != got {
			t.Errorf("%s: %d, %d and %d operations, want %d", spec, got, len(heavy.Ops), len(other.Ops), 200*9*2)
		}
		if slices.Equal(even.Ops, other.Ops) {
			t.Errorf("%s: the seed does not matter", spec)
		}
		tens := 0
		for r := range int32(200) {
			ops, plain := heavy.RankOps(r), even.RankOps(r)
			if len(ops) == 0 {
				continue
			}
			factor := ops[0].Bytes / plain[0].Bytes
			if factor == 10 {
				tens++
			}
			for i, op := range ops {
				if op.Bytes != factor*100 || op.Peer != plain[i].Peer {
					t.Fatalf("%s: rank %d sends %+v, was %+v", spec, r, op, plain[i])
				}
			}
		}
		if tens < 6 || tens > 7 { // one may have no neighbours
			t.Errorf("%s: %d heavy ranks", spec, tens)
		}
		traffic := mustFold(t, even)
		if s := traffic.Stats(); s.Symmetry != 1 || traffic.Graph().Edges() != 900 {
			t.Errorf("%s: %d pairs, symmetry %g", spec, traffic.Graph().Edges(), s.Symmetry)
		}
	}
	waiting := mustParse(t, "geometric:100,wait=true,heavy=3,rounds=2")
	mustEnd(t, "geometric", traced{waiting, make([]payload, len(waiting.Ops))}, 1, nil)
}

// All messages are between a server and a client, in the direction asked for.
func TestHotSpot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 40).Draw(t, "ranks")
		servers, rounds := rapid.IntRange(1, ranks).Draw(t, "servers"), rapid.IntRange(1, 4).Draw(t, "rounds")
		for traffic, want := range map[string]int{"writes": ranks - servers, "reads": servers, "both": ranks} {
			p := mustParse(t, fmt.Sprintf("hotspot:%d,servers=%d,traffic=%s,rounds=%d,"+
				"bytes=5", ranks, servers, traffic, rounds))
			if servers == ranks {
				want = 0
			}
			if len(p.Ops) != want*rounds {
				t.Fatalf("%s: %d messages, want %d", traffic, len(p.Ops), want*rounds)
			}
			for r := range int32(ranks) {
				for _, op := range p.RankOps(r) {
					if (int(r) < servers) == (int(op.Peer) < servers) || traffic == "writes" && int(r) < servers ||
						traffic == "reads" && int(r) >= servers {
						t.Fatalf("%s: %d to %d", traffic, r, op.Peer)
					}
				}
			}
		}
	})
}
