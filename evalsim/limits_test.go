package evalsim_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/workload"
)

// What would count beyond the bits there are is refused before the run, or ends it.
func TestLimitsAreErrors(t *testing.T) {
	small := options(func(o *evalsim.Options) { o.PacketBytes, o.BufferBytes = 64, 128 })
	slow := options(func(o *evalsim.Options) { o.MemoryBytesPerSecond = 1e6 })
	slow.PacketBytes, slow.BufferBytes = 65536, 131072
	for name, c := range map[string]struct {
		p       *workload.Program
		o       evalsim.Options
		latency time.Duration
		want    string
	}{
		"idle for 3 years": {ops([]workload.Op{idle(1e18), idle(2e17)}, nil), options(nil), 0, "rank 0 " +
			"computes, idles or copies for up to 1111 days"},
		"copy for 5 years": {ops(nil, []workload.Op{send(1, 14e13)}), slow, 0, "rank 1 computes, " +
			"idles or copies for up to 1620 days"},
		"more than 2^31 packets": {ops([]workload.Op{send(1, 1<<37)}, nil), small, 0, "rank 0, " +
			"operation 0: a message of 137438953472 bytes in packets of 64"},
		"latency of more than a second": {ops(nil), options(nil), time.Second, "latency 1.0000001s, more than 1s"},
		"53 days of the network": {ops([]workload.Op{send(1, 5_000_000*64)}, nil), small,
			time.Second - 100, "more than the 53 days"},
	} {
		if c.latency > 0 && c.latency < time.Second && !tier.IsLong() {
			continue // a packet a second for 5 million seconds
		}
		top := network(t, "mesh:2")
		for l := range top.Links {
			top.Links[l].Latency += c.latency
		}
		_, err := evalsim.Run(context.Background(), top,
			[]evalsim.Job{{Program: c.p, Hosts: identity(c.p.Ranks())}}, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := evalsim.Run(context.Background(), network(t, "mesh:2"),
		[]evalsim.Job{{Program: ops([]workload.Op{idle(1e15)}), Hosts: identity(1)}}, options(nil)); err != nil {
		t.Errorf("idle for 22 hours: %v", err)
	}
}
