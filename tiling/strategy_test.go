package tiling

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"remap/mapping"
)

const small = "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=4,aggs-per-pod=2,cores=2" // 64 hosts

func mustMap(t *testing.T, p *mapping.Problem, levels int) mapping.Mapping {
	t.Helper()
	m, err := Strategy(levels).Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() {
		t.Fatalf("%d ranks of %d: %v", len(m), p.Ranks(), err)
	}
	return m
}

// The costs depend on which hosts share a switch, not on the order in which
// the hosts are listed, as long as places come in the same order.
func TestShuffledHostsWithinPodsCostTheSame(t *testing.T) {
	p, traffic := job(t, small, "stencil2d:8x8")
	want := evaluate(t, p, traffic, mustMap(t, p, AllLevels))
	chance := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		chance.Shuffle(len(p.Allocation.Hosts), func(i, j int) {
			h := p.Allocation.Hosts
			h[i], h[j] = h[j], h[i]
		})
		got := evaluate(t, p, traffic, mustMap(t, p, AllLevels))
		if got.HopBytes != want.HopBytes || got.CutFraction != want.CutFraction {
			t.Fatalf("hosts %v: %+v, want the costs %+v", p.Allocation.Hosts, got, want)
		}
	}
}

// A third dimension and hosts of several slots nest like any other level.
func TestHostsOfSeveralSlots(t *testing.T) {
	p, traffic := job(t, small, "stencil3d7:8x8x8")
	p.Allocation.Slots = slices.Repeat([]int32{8}, 64)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	costs := evaluate(t, p, traffic, mustMap(t, p, AllLevels))
	// Leaving a host costs one switch, leaving a leaf or a pod two more each.
	host, leaf, pod := Faces(p.Grid, []int{2, 2, 2}), Faces(p.Grid, []int{4, 4, 2}), Faces(p.Grid, []int{8, 4, 4})
	pairs := 3 * 7 * 8 * 8
	if want := float64(host+2*leaf+2*pod) / float64(pairs); !near(costs.AvgPathLength, want, 1e-9) {
		t.Errorf("average path length %v, want %v", costs.AvgPathLength, want)
	}
}

// With slots to spare, whole pods stay empty.
func TestSpareSlotsStayWholePlaces(t *testing.T) {
	p, _ := job(t, small, "stencil2d:8x4")
	m := mustMap(t, p, AllLevels)
	pods := map[int32]int{}
	for _, h := range m.Hosts(p.Allocation) {
		pods[p.Machine.Levels[1].Group[h]]++
	}
	if len(pods) != 2 {
		t.Errorf("32 ranks on pods of 16 use %d pods: %v", len(pods), pods)
	}
}

// Unequal places are tiled by their greatest common divisor.
func TestUnequalPlaces(t *testing.T) {
	p, _ := job(t, small, "stencil2d:4x4")
	p.Allocation.Hosts = []int32{0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21} // leaves of 4, 2, 4, 4, 2
	m := mustMap(t, p, AllLevels)
	hosts := m.Hosts(p.Allocation)
	for r := 0; r < 16; r += 2 {
		if p.Machine.LeafSwitch(hosts[r]) != p.Machine.LeafSwitch(hosts[r+1]) {
			t.Errorf("ranks %d and %d are one tile of 2x1 but on different leaves", r, r+1)
		}
	}
}

func TestRefusals(t *testing.T) {
	refuse := func(change func(p *mapping.Problem), is error, text string) {
		t.Helper()
		p, _ := job(t, small, "stencil2d:8x8")
		change(p)
		_, err := Strategy(AllLevels).Map(context.Background(), p)
		if err == nil || is != nil && !errors.Is(err, is) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want an error with %q", err, text)
		}
	}
	refuse(func(p *mapping.Problem) { p.Grid = nil }, ErrNoGrid, "process grid")
	refuse(func(p *mapping.Problem) { p.Grid = []int{64}; p.Fixed = slices.Repeat([]int32{5}, 64) }, ErrFixed, "fixed")
	refuse(func(p *mapping.Problem) {
		p.Allocation.Hosts = []int32{0, 1, 4, 5, 8}
		p.Allocation.Slots = []int32{12, 13, 13, 13, 13}
	}, nil, "common divisor")
	p, _ := job(t, small, "stencil2d:8x8")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Strategy(AllLevels).Map(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkTiling(b *testing.B) {
	p, traffic := job(b, "tapered", "stencil2d:64x72")
	var m mapping.Mapping
	for b.Loop() {
		var err error
		if m, err = Strategy(AllLevels).Map(context.Background(), p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(evaluate(b, p, traffic, m).AvgPathLength, "path-length")
}
