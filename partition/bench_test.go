package partition

import (
	"context"
	"fmt"
	"testing"

	"remap/mapping"
)

// BenchmarkStrategies reports the average path length on a three-level fat tree
// with 32 hosts a leaf and 24 leaves a pod beside the time.
func BenchmarkStrategies(b *testing.B) {
	for _, g := range []namedGraph{
		{"stencil2d", grid(b, 64, 72)}, {"geometric", geometric(b, 4608)}, {"powerlaw", powerLaw(b, 4608)},
		{"stencil2d", grid(b, 128, 192)},
	} {
		pods := g.graph.Vertices() / 768
		machine := machineOf(b, fmt.Sprintf("fattree:nodes-per-leaf=32,leaves-per-pod=24,pods=%d,"+
			"aggs-per-pod=1,cores=24", pods))
		for _, s := range []mapping.Strategy{Bisection(), Multisection()} {
			b.Run(fmt.Sprintf("strategy=%s/size=%d/graph=%s", s.Name, g.graph.Vertices(), g.name), func(b *testing.B) {
				p := &mapping.Problem{Graph: g.graph, Machine: machine, Allocation: everyHost(machine), Seed: 1}
				var m mapping.Mapping
				for b.Loop() {
					var err error
					if m, err = s.Map(context.Background(), p); err != nil {
						b.Fatal(err)
					}
				}
				length, share := averages(p, m)
				b.ReportMetric(length, "path-length")
				b.ReportMetric(share, "cut")
			})
		}
	}
}
