package benchmarks

import (
	"runtime/debug"
	"testing"

	"remap/internal/testkit/tier"
)

// BenchmarkSimulate reports packet-hops a user second and user nanoseconds a
// packet-hop (links crossed, injection and ejection included) of simulations on
// networks of several sizes and shapes.
func BenchmarkSimulate(b *testing.B) {
	for _, c := range append(bothMappings(sizeCases...), largeCases...) {
		b.Run(c.name(), func(b *testing.B) {
			s := c.simulation(b, 1)
			play(b, s)
			b.ReportAllocs()
			var hops int64
			begin := userSeconds(b)
			for b.Loop() {
				hops += play(b, s).PacketHops
			}
			used := userSeconds(b) - begin
			b.ReportMetric(float64(hops)/used, "packet-hops/user-s")
			b.ReportMetric(used/float64(hops)*1e9, "user-ns/packet-hop")
		})
	}
}

// Once everything has its size, a simulation takes memory for its result and
// nothing else: as much for eight rounds of messages as for one.
func TestNoAllocationInSteadyState(t *testing.T) {
	// Without collections, no simulator that is kept for the next run is dropped.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, c := range bothMappings(sizeCases[:tier.Cases(1, 2, 2)]...) {
		t.Run(c.name(), func(t *testing.T) {
			var times [2]float64
			var packets [2]int64
			for i, rounds := range []int{1, 8} {
				s := c.simulation(t, rounds)
				packets[i] = play(t, s).Packets
				times[i] = testing.AllocsPerRun(3, func() { play(t, s) })
			}
			t.Logf("%d packets: %g allocations a run; %d packets: %g", packets[0], times[0], packets[1], times[1])
			if packets[1] != 8*packets[0] {
				t.Errorf("eight rounds have %d packets, one %d", packets[1], packets[0])
			}
			if times[1] != times[0] {
				t.Errorf("%g allocations with %d packets, but %g with %d", times[0], packets[0], times[1], packets[1])
			}
		})
	}
}
