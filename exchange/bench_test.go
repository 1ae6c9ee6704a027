package exchange

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"remap/mapping"
)

// Gains a second from a random mapping, by objective and network.
func BenchmarkGain(b *testing.B) {
	for _, c := range []struct{ network, pattern string }{
		{"tapered", "stencil2d:64x72"},
		{"tapered", "stencil3d27:16x16x18"},
		{"torus:8x8x8", "stencil3d7:8x8x8"},
	} {
		p := patternProblem(b, c.network, c.pattern)
		for _, objective := range []mapping.Objective{mapping.PathLength, mapping.LinkLoad} {
			p.Objective = objective
			b.Run(fmt.Sprintf("topology=%s/pattern=%s/objective=%s", c.network, c.pattern, objective),
				func(b *testing.B) {
					s := NewState(p, shuffled(p, 1))
					chance := rand.New(rand.NewPCG(1, 2))
					slots := int32(len(s.rankAt))
					for b.Loop() {
						s.Gain(chance.Int32N(slots), chance.Int32N(slots))
					}
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "gains/s")
				})
		}
	}
}
