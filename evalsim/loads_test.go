package evalsim

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// The four-pass comparison of lanes finds what a plain loop finds.
func TestLeastIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLoads(200, 1, 4096)
		top := rapid.SampledFrom([]int32{0, 2, 300, 1<<15 - 1}).Draw(t, "top")
		for i := range int32(200) {
			l.set(i, 64*rapid.Int32Range(0, top).Draw(t, "load"))
		}
		first := rapid.Int32Range(0, 136).Draw(t, "first")
		n := rapid.Uint32Range(1, 64).Draw(t, "n")
		least, want := byte(255), uint64(0)
		for i := range n {
			least = min(least, l.levels[first+int32(i)])
		}
		for i := range n {
			if l.levels[first+int32(i)] == least {
				want |= 1 << i
			}
		}
		if got := l.least(first, n); got != want {
			t.Fatalf("%b, want %b", got, want)
		}
	})
}

func TestSelected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.Uint64Range(1, 1<<64-1).Draw(t, "set")
		k := rapid.IntRange(0, bits.OnesCount64(set)-1).Draw(t, "k")
		at := selected(set, bitSums(set), uint32(k))
		if set>>at&1 == 0 || bits.OnesCount64(set&(1<<at-1)) != k {
			t.Fatalf("bit %d of %b is number %d", at, set, k)
		}
	})
}

// Levels never fall as loads grow, tell loads of up to sixteen packets apart by
// half packets, and larger ones by a sixteenth of themselves.
func TestLevels(t *testing.T) {
	l := newLoads(1, 1, 4096)
	level := func(halves int32) int {
		l.set(0, 2048*halves)
		return int(l.levels[0])
	}
	before := -1
	for halves := range int32(4000) {
		at := level(halves)
		if at < before || at > 127 || halves <= exactLevels && at != int(halves) {
			t.Fatalf("%d half packets are level %d, one less %d", halves, at, before)
		}
		if more := halves + halves/16 + 1; more < 1900 && level(more) == at {
			t.Fatalf("%d and %d half packets are level %d", halves, more, at)
		}
		before = at
	}
	if l.set(0, 1); l.levels[0] != 1 {
		t.Error("a byte is no load")
	}
}
