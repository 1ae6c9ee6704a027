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
