package evalsim_test

import (
	"testing"

	"remap/evalsim"
	"remap/topology"
)

// railed is a fabric of hosts with eight rails of 200 Gb/s, each on a plane of its own.
func railed(t testing.TB, hosts int) *topology.Topology {
	top := planes(t, hosts, 8, 1)
	for l := range top.Links {
		top.Links[l].BytesPerSecond = 25e9
	}
	return top
}

// Without a rate of its own a host's memory copies as fast as all its rails send, and at
// least at 20 GB/s.
func TestMemoryIsAsFastAsTheRails(t *testing.T) {
	const bytes = 1 << 20
	for _, c := range []struct {
		top  *topology.Topology
		set  float64
		rate float64 // bytes a second
	}{
		{network(t, star), 0, 20e9},
		{railed(t, 2), 0, 200e9},
		{railed(t, 2), 20e9, 20e9},
		{network(t, star), 1e9, 1e9},
	} {
		o := options(func(o *evalsim.Options) { o.MemoryBytesPerSecond = c.set })
		r, err := evalsim.Run(t.Context(), c.top, []evalsim.Job{{Program: program(2, [3]int{0, 1, bytes}),
			Hosts: []int32{1, 1}}}, o)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "copy", r.Makespan, bytes/c.rate*1e9, 0.01)
		if got := o.MemoryRate(c.top, 1); got != c.rate {
			t.Errorf("rate %g, want %g", got, c.rate)
		}
	}
}

// Hosts with rails faster than 20 GB/s together: a mapping that keeps more messages
// within hosts is not slower for it, as it is with that memory.
func TestMemoryDoesNotTurnTheVerdict(t *testing.T) {
	top, p := railed(t, 8), parsed(t, "stencil2d:8x8")
	rows, tiles := make([]int32, 64), make([]int32, 64)
	for r := range rows {
		x, y := r%8, r/8
		rows[r], tiles[r] = int32(y), int32(y/2*2+x/4) // 14 and 20 messages within a host
	}
	times := func(rate float64) (row, tile float64) {
		o := options(func(o *evalsim.Options) { o.MemoryBytesPerSecond = rate })
		for hosts, into := range map[*[]int32]*float64{&rows: &row, &tiles: &tile} {
			r, err := evalsim.Run(t.Context(), top, []evalsim.Job{{Program: p, Hosts: *hosts}}, o)
			if err != nil {
				t.Fatal(err)
			}
			*into = r.Makespan
		}
		return row, tile
	}
	row, tile := times(evalsim.DefaultOptions().MemoryBytesPerSecond)
	slowRow, slowTile := times(20e9)
	t.Logf("rows %.1f us, tiles %.1f; at 160 Gb/s %.1f and "+
		"%.1f", row/1000, tile/1000, slowRow/1000, slowTile/1000)
	if tile > row {
		t.Errorf("tiles take %.1f us, rows %.1f", tile/1000, row/1000)
	}
	if slowTile < 1.2*slowRow {
		t.Errorf("at 160 Gb/s tiles take %.1f us, rows %.1f: the case shows nothing", slowTile/1000, slowRow/1000)
	}
}
