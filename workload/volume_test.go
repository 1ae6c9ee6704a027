package workload

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestRepetitions: rounds that are alike are told from those that are not.
func TestRepetitions(t *testing.T) {
	for _, c := range []struct {
		spec string
		want int64
	}{
		{"stencil2d:4x5,rounds=6", 6},
		{"stencil2d:4x5,rounds=7,wait=true,sends=nonblocking,compute-ns=10", 7},
		{"stencil3d27:3x3x3,rounds=4,edges=skip", 4},
		{"ring:5,rounds=9", 9},
		{"alltoall:6,rounds=3", 3},
		{"uniform:16,rounds=8", 1},
		{"alltoall:6", 1},
		{"geometric:32,rounds=5", 5},
		{"allreduce:8,rounds=4", 4},
	} {
		p := mustParse(t, c.spec)
		got := p.repetitions()
		if got != c.want {
			t.Errorf("%s: %d repetitions, want %d", c.spec, got, c.want)
		}
		if got < 2 {
			continue
		}
		q := p.repeated(2, got)
		if err := q.Check(); err != nil {
			t.Errorf("%s: two repetitions: %v", c.spec, err)
		}
		if q.Packets(4096)*got != 2*p.Packets(4096) {
			t.Errorf("%s: two of %d repetitions have %d of %d packets", c.spec, got, q.Packets(4096), p.Packets(4096))
		}
		if slices.ContainsFunc(q.Ops, func(op Op) bool { return op.Kind.IsReceive() }) {
			mustEnd(t, c.spec, traced{q, make([]payload, len(q.Ops))}, 1, nil)
		}
	}
}

// TestScaleCutsRepetitions: whole rounds go first, and messages stay as they
// are; the smaller volume is half of that.
func TestScaleCutsRepetitions(t *testing.T) {
	p := mustParse(t, "stencil2d:4x4,rounds=10") // 48 messages of 32 packets a round
	for _, c := range []struct {
		rounds         float64 // that the cap allows
		scale, smaller float64
		size           float64
	}{{10, 1, 0, 1}, {9.9, .9, .4, 1}, {2, .2, .1, 1}, {1.5, .1, .05, 1}, {.5, .05, .025, .5}} {
		q, warning := Scale(p, 4096, int64(48*32*c.rounds))
		near := math.Abs(q.VolumeScale-c.scale) <= 1e-3*c.scale && math.Abs(q.sizeScale()-c.size) <= 1e-3
		if warning != "" || !near {
			t.Errorf("%g rounds: scale %g, sizes %g, %q", c.rounds, q.VolumeScale, q.sizeScale(), warning)
		}
		switch {
		case (q.Smaller == nil) != (c.smaller == 0),
			q.Smaller != nil && math.Abs(q.Smaller.VolumeScale-c.smaller) > 1e-3*c.smaller:
			t.Errorf("%g rounds: smaller volume %+v", c.rounds, q.Smaller)
		}
	}
}

// TestScaleTo: another job has the same share of its volume, whatever its rounds.
func TestScaleTo(t *testing.T) {
	own, _ := Scale(mustParse(t, "stencil2d:8x8,rounds=100"), 4096, 30*224*32)
	for _, rounds := range []int{1, 3, 7, 40} {
		p := mustParse(t, fmt.Sprintf("ring:16,rounds=%d", rounds))
		q := ScaleTo(p, own)
		got, want := [2]float64{q.VolumeScale, q.Smaller.VolumeScale},
			[2]float64{own.VolumeScale, own.Smaller.VolumeScale}
		if math.Abs(got[0]-want[0]) > 1e-9 || math.Abs(got[1]-want[1]) > 1e-9 {
			t.Errorf("%d rounds: %g, want %g", rounds, got, want)
		}
		for _, x := range []*Program{q, q.Smaller} {
			if got := float64(x.Packets(1)) / float64(p.Packets(1)); math.Abs(got-x.VolumeScale) > 1e-3 {
				t.Errorf("%d rounds: %g of the bytes at scale %g", rounds, got, x.VolumeScale)
			}
		}
	}
	if p := mustParse(t, "ring:4"); ScaleTo(p, p) != p {
		t.Error("nothing was scaled, and yet the other job is")
	}
}

// TestLimit: the cap is a rank's, and what costs less whole than in two parts is whole.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		packets int64
		ranks   int
		cap     int64
		want    int64
	}{{0, 4, 10, 40}, {40, 4, 10, 40}, {60, 4, 10, 60}, {61, 4, 10, 40}, {5, 0, 10, 1},
		{math.MaxInt64 / 4, 1 << 24, MaxPackets, 1 << 51}} {
		if got := Limit(c.packets, c.ranks, c.cap); got != c.want {
			t.Errorf("%d packets of %d ranks at %d: %d, want %d", c.packets, c.ranks, c.cap, got, c.want)
		}
	}
}
