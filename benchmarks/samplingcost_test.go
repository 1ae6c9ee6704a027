package benchmarks

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"remap/internal/testkit/tier"
)

// variants are what packets can carry, from nothing on.
var variants = []string{"off", "full", "one-reservoir," +
	"hash=whole", "one-bit", "one-reservoir", "n=4", "bloom:64"}

// BenchmarkSampling reports user nanoseconds a packet-hop of the thesis's network
// under every variant.
func BenchmarkSampling(b *testing.B) {
	for _, c := range bothMappings(mainCase) {
		for _, c.sampling = range variants {
			b.Run(fmt.Sprintf("mapping=%s/sampling=%s", c.mapping(), c.sampling), func(b *testing.B) {
				s := c.simulation(b, 1)
				play(b, s)
				var hops int64
				begin := userSeconds(b)
				for b.Loop() {
					hops += play(b, s).PacketHops
				}
				b.ReportMetric((userSeconds(b)-begin)/float64(hops)*1e9, "user-ns/packet-hop")
			})
		}
	}
}

// TestSamplingCost tells what sampling costs of a simulation's processor time,
// decoding included: the least of several runs of each variant, taken in turn,
// against that without sampling.
func TestSamplingCost(t *testing.T) {
	tier.Experiment(t, "measures for fifteen seconds")
	measured := variants[:5]
	rounds := 6
	if tier.IsTable() {
		measured, rounds = variants, 12
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| mapping | sampling | user ns a packet-hop | more than off |\n|---|---|---|---|\n")
	for _, c := range bothMappings(mainCase) {
		least := leastNanoseconds(t, c, measured, rounds)
		for i, name := range measured {
			more := least[i]/least[0] - 1
			fmt.Fprintf(&table, "| %s | %s | %.1f | %.0f %% |\n", c.mapping(), name, least[i], 100*more)
			if name == "full" && more > 0.25 {
				t.Errorf("%s: two reservoirs cost %.0f %% of the simulation", c.mapping(), 100*more)
			}
		}
	}
	t.Logf("what sampling costs:\n%s", table.String())
}

// leastNanoseconds are the least user nanoseconds a packet-hop of every variant.
func leastNanoseconds(t *testing.T, c speedCase, measured []string, rounds int) []float64 {
	least := make([]float64, len(measured))
	plays := make([]func() int64, len(measured))
	for i := range measured {
		least[i] = math.Inf(1)
		c.sampling = measured[i]
		s := c.simulation(t, 1)
		plays[i] = func() int64 { return play(t, s).PacketHops }
		plays[i]()
	}
	for range rounds {
		for i := range plays {
			begin := userSeconds(t)
			hops := plays[i]()
			least[i] = min(least[i], (userSeconds(t)-begin)/float64(hops)*1e9)
		}
	}
	return least
}
