package kernighanlin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"remap/commgraph"
)

// benchmarkPair is a grid whose vertices lie on random sides, edges of a few
// different weights, or of any.
func benchmarkPair(b *testing.B, side int, weight func(random *rand.Rand) int64) *Pair {
	random := rand.New(rand.NewPCG(1, 2))
	var flows []commgraph.Flow
	for v := range int32(side * side) {
		if int(v)%side+1 < side {
			flows = append(flows, commgraph.Flow{From: v, To: v + 1, Bytes: weight(random)})
		}
		if int(v)+side < side*side {
			flows = append(flows, commgraph.Flow{From: v, To: v + int32(side), Bytes: weight(random)})
		}
	}
	traffic, err := commgraph.NewTraffic(side*side, flows, false)
	if err != nil {
		b.Fatal(err)
	}
	g := traffic.Graph()
	p := &Pair{Offsets: g.Offsets, Neighbors: g.Neighbors, Weights: g.Weights, Side: make([]uint8, side*side)}
	for i, v := range random.Perm(side * side) {
		p.Side[v] = uint8(i % 2)
	}
	return p
}

// BenchmarkPass is one pass over a pair with everything on the boundary.
func BenchmarkPass(b *testing.B) {
	for _, weights := range []struct {
		name string
		of   func(random *rand.Rand) int64
	}{
		{"few", func(random *rand.Rand) int64 { return 1024 * (1 + random.Int64N(4)) }},
		{"any", func(random *rand.Rand) int64 { return 1 + random.Int64N(1<<20) }},
	} {
		for _, side := range []int{8, 16, 64, 400} {
			p := benchmarkPair(b, side, weights.of)
			start := append([]uint8(nil), p.Side...)
			n := int64(len(start))
			b.Run(fmt.Sprintf("vertices=%d/weights=%s", n, weights.name), func(b *testing.B) {
				var s Passes
				for b.Loop() {
					copy(p.Side, start)
					s.Improve(p, Limits{Target: n / 2, Slack: 1, Passes: 1, Fruitless: 50})
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/vertex")
			})
		}
	}
}
