package benchmarks

import (
	"slices"
	"testing"

	"remap/internal/testkit/tier"
)

// referenceWork is a loop of the simulator's kind: chains of dependent loads
// over 4 MB with integer work between them, four chains at once as a batch of
// events overlaps.
type referenceWork struct {
	next       []uint32 // one cycle through all places
	a, b, c, d uint32   // where the chains are
	sum        uint64
}

const (
	referencePlaces = 1 << 20
	referenceMixer  = 6364136223846793005
)

func newReferenceWork() *referenceWork {
	w := &referenceWork{next: make([]uint32, referencePlaces), b: 1, c: 2, d: 3}
	for i := range w.next {
		w.next[i] = uint32(i)
	}
	// Sattolo's shuffle makes a single cycle.
	state := uint64(1)
	for i := len(w.next) - 1; i > 0; i-- {
		state = state*referenceMixer + 1
		j := int((state >> 33) % uint64(i))
		w.next[i], w.next[j] = w.next[j], w.next[i]
	}
	return w
}

// run takes so many steps of all chains.
func (w *referenceWork) run(steps int) {
	const mask = referencePlaces - 1
	a, b, c, d := w.a, w.b, w.c, w.d
	for range steps {
		a, b, c, d = w.next[a&mask], w.next[b&mask], w.next[c&mask], w.next[d&mask]
		x, y, z, u := uint64(a), uint64(b), uint64(c), uint64(d)
		for range 8 {
			x = (x ^ x>>29) * referenceMixer
			y = (y ^ y>>29) * referenceMixer
			z = (z ^ z>>29) * referenceMixer
			u = (u ^ u>>29) * referenceMixer
		}
		w.sum += x ^ y ^ z ^ u
	}
	w.a, w.b, w.c, w.d = a, b, c, d
}

// speedBounds say how many steps of the reference work a packet-hop took when
// they were set: medians of 20 processes, which ranged from 1.29 to 1.39 and from
// 2.00 to 2.25 on a shared two-core Xeon. On a processor of another make the
// parent commit tells what to compare with.
var speedBounds = []struct {
	random bool
	steps  float64
	turns  int
}{
	{false, 1.35, 15},
	{true, 2.11, 7},
}

// The simulator must not become slower. Its time is counted in steps of a fixed
// loop that runs just before and after it, so that neither the machine's speed
// nor other work on it matters much; of several such ratios the median counts.
func TestSpeedHasNotFallen(t *testing.T) {
	tier.Long(t, "measures for some seconds")
	const steps = 1_000_000
	reference := newReferenceWork()
	referenceTime := func() float64 {
		begin := userSeconds(t)
		reference.run(steps)
		return (userSeconds(t) - begin) / steps
	}
	for _, bound := range speedBounds {
		c := mainCase
		c.random = bound.random
		s := c.simulation(t, 1)
		play(t, s)
		ratios, before := make([]float64, bound.turns), referenceTime()
		var hop, step []float64
		for i := range ratios {
			begin := userSeconds(t)
			hops := play(t, s).PacketHops
			used := (userSeconds(t) - begin) / float64(hops)
			after := referenceTime()
			ratios[i] = used / ((before + after) / 2)
			before = after
			hop = append(hop, used)
			step = append(step, after)
		}
		slices.Sort(ratios)
		ratio := ratios[len(ratios)/2]
		t.Logf("%s: a packet-hop is %.2f steps of the reference work (%.2f to %.2f), %.1f ns at best and "+
			"%.1f", c.name(), ratio, ratios[0], ratios[len(ratios)-1], slices.Min(hop)*1e9, slices.Min(step)*1e9)
		if ratio > 1.3*bound.steps {
			t.Errorf("%s: a packet-hop takes as long as %.2f steps of the reference work, 30 %% more than the "+
				"%.2f it took", c.name(), ratio, bound.steps)
		}
	}
}
