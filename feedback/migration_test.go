package feedback_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/evalsim"
	"remap/feedback"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

const treeOf32 = "fattree:nodes-per-leaf=8,leaves-per-pod=4,pods=1,aggs-per-pod=4,cores=0"

// migrationOn is the time in ns of a migration on a tree, every host with so many slots.
func migrationOn(t fataler, slots int32, bytes int64, from, to mapping.Mapping,
	background ...evalsim.Job) float64 {
	machine, err := topology.Parse(treeOf32)
	if err != nil {
		t.Fatal(err)
	}
	a := &mapping.Allocation{}
	for h := range int32(16) {
		a.Hosts, a.Slots = append(a.Hosts, h), append(a.Slots, slots)
	}
	ns, err := feedback.Migration(machine, a, bytes, evalsim.DefaultOptions(),
		background...)(context.Background(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	return ns
}

type fataler interface{ Fatal(args ...any) }

// Computed by hand at 12.5 bytes a ns. One rank takes its bytes over its rate. Two ranks that
// change places take no longer, two ranks out of one host twice as long. A rank that stays on its
// host takes no time, and so does a migration without ranks.
func TestMigrationClosedForms(t *testing.T) {
	const bytes = 100_000_000
	alone := bytes / 12.5
	for name, c := range map[string]struct {
		slots    int32
		from, to mapping.Mapping
		want     float64
	}{
		"nobody":        {1, mapping.Mapping{0, 1}, mapping.Mapping{0, 1}, 0},
		"same host":     {2, mapping.Mapping{0}, mapping.Mapping{1}, 0},
		"one":           {1, mapping.Mapping{0, 1}, mapping.Mapping{9, 1}, alone},
		"same leaf":     {1, mapping.Mapping{0, 1}, mapping.Mapping{7, 1}, alone},
		"exchange":      {1, mapping.Mapping{0, 9}, mapping.Mapping{9, 0}, alone},
		"two from one":  {2, mapping.Mapping{0, 1}, mapping.Mapping{20, 22}, 2 * alone},
		"two into one":  {2, mapping.Mapping{0, 2}, mapping.Mapping{20, 21}, 2 * alone},
		"far from here": {1, mapping.Mapping{0, 1}, mapping.Mapping{12, 13}, alone},
	} {
		got := migrationOn(t, c.slots, bytes, c.from, c.to)
		if math.Abs(got-c.want) > 0.02*c.want {
			t.Errorf("%s: %g ns, want %g", name, got, c.want)
		}
	}
}

// No migration is faster than its busiest link. Twice the state takes twice as long once it is
// long. Others in the network do not make it faster.
func TestMigrationBounds(t *testing.T) {
	others, err := workload.ParsePattern("ring:8")
	if err != nil {
		t.Fatal(err)
	}
	busy := evalsim.Job{Program: others, Hosts: []int32{16, 8, 17, 9, 18, 10, 19, 11}, Endless: true}
	machine, err := topology.Parse(treeOf32)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		const slots, bytes = 2, 10_000_000
		from := mapping.Mapping(rapid.Permutation(mapping.Identity(16*slots)).Draw(rt, "from"))[:20]
		to := mapping.Mapping(rapid.Permutation(mapping.Identity(16*slots)).Draw(rt, "to"))[:20]
		all := &mapping.Allocation{}
		for h := range int32(16) {
			all.Hosts, all.Slots = append(all.Hosts, h), append(all.Slots, 2*slots)
		}
		var flows []commgraph.Flow // from old seats, of even numbers, to new ones
		seats := make(mapping.Mapping, 40)
		taken := make([]int32, 16)
		for i, slot := range append(append(mapping.Mapping{}, from...), to...) {
			h := slot / slots
			seats[i] = h*2*slots + taken[h]
			taken[h]++
		}
		for r := range int32(20) {
			flows = append(flows, commgraph.Flow{From: r, To: 20 + r, Bytes: bytes})
		}
		traffic, err := commgraph.NewTraffic(40, flows, false)
		if err != nil {
			rt.Fatal(err)
		}
		least := 0.0
		for _, seconds := range mapping.LinkLoads(machine, all, traffic, seats) {
			least = max(least, seconds*1e9)
		}
		once, twice := migrationOn(rt, slots, bytes, from, to), migrationOn(rt, slots, 2*bytes, from, to)
		if once < least*0.999 || math.Abs(twice-2*once) > 1e-6*twice {
			rt.Fatalf("%g ns, the busiest link takes %g; twice as much takes %g", once, least, twice)
		}
		if crowded := migrationOn(rt, slots, bytes, from, to, busy); crowded < least*0.999 {
			rt.Fatalf("%g ns among others, the busiest link takes %g", crowded, least)
		}
	})
}

// State of no bytes is refused.
func TestMigrationOfNothing(t *testing.T) {
	machine, err := topology.Parse(treeOf32)
	if err != nil {
		t.Fatal(err)
	}
	a := &mapping.Allocation{Hosts: []int32{0, 1}}
	if _, err := feedback.Migration(machine, a, 0, evalsim.DefaultOptions())(context.Background(),
		mapping.Mapping{0}, mapping.Mapping{1}); err == nil {
		t.Error("0 bytes are accepted")
	}
}
