package tiling

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/mapping"
)

// drawLattice draws a grid of at most some hundred cells with some diagonals.
func drawLattice(t *rapid.T) *Lattice {
	dims := rapid.IntRange(1, 3).Draw(t, "dimensions")
	l := Plain(rapid.SliceOfN(rapid.IntRange(1, []int{60, 12, 6}[dims-1]), dims, dims).Draw(t, "extents"))
	for range rapid.IntRange(0, 3).Draw(t, "diagonals") {
		offset := rapid.SliceOfN(rapid.IntRange(-1, 1), dims, dims).Draw(t, "offset")
		if slices.ContainsFunc(offset, func(x int) bool { return x != 0 }) {
			l.Directions = append(l.Directions, Direction{offset, float64(rapid.IntRange(1, 9).Draw(t, "weight"))})
		}
	}
	for d := range dims {
		l.Periodic = append(l.Periodic, l.Extents[d] > 2 && rapid.Bool().Draw(t, "periodic"))
	}
	return l
}

// drawPlaces draws nested places of any sizes for so many slots.
func drawPlaces(t *rapid.T, slots int) *mapping.Places {
	places := &mapping.Places{Slots: mapping.Identity(slots)}
	bounds := places.Slots
	for range rapid.IntRange(0, 3).Draw(t, "levels") {
		level := mapping.PlaceLevel{Name: "x", Bounds: []int32{0}}
		for _, b := range bounds[1:] {
			if rapid.IntRange(0, 3).Draw(t, "border") == 0 {
				level.Bounds = append(level.Bounds, b)
			}
		}
		if level.Bounds[len(level.Bounds)-1] != int32(slots) {
			level.Bounds = append(level.Bounds, int32(slots))
		}
		places.Levels = append(places.Levels, level)
		bounds = level.Bounds
	}
	return places
}

// Whatever the places, every sweep lists every cell once, and twice the same.
func TestSweepsListEveryCellOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLattice(t)
		places := drawPlaces(t, l.Cells())
		for _, top := range newSweeper(l, places).tops(5) {
			cells, err := newSweeper(l, places).order(context.Background(), top, 3)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := newSweeper(l, places).order(context.Background(), top, 3); !slices.Equal(cells, again) {
				t.Fatal("two runs differ")
			}
			slices.Sort(cells)
			if !slices.Equal(cells, mapping.Identity(l.Cells())) {
				t.Fatalf("not a permutation: %v", cells)
			}
		}
	})
}

// What a choice counts as cut is what walking all pairs of cells counts.
func TestSweepCutAgainstPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLattice(t)
		n := l.Cells()
		s := newSweeper(l, &mapping.Places{})
		var cells []int32
		for c := range n {
			s.owner[c] = int32(rapid.IntRange(0, 2).Draw(t, "owner"))
			if rapid.IntRange(0, 3).Draw(t, "inside") > 0 {
				s.region[c] = 7
				cells = append(cells, int32(c))
			}
		}
		if len(cells) == 0 {
			return
		}
		want := 0.0
		for _, c := range cells {
			for _, o := range l.Directions {
				at := position(l.Extents, int(c))
				inside := true
				for d := range at {
					at[d] += o.Offset[d]
					if l.Periodic[d] {
						at[d] = (at[d] + l.Extents[d]) % l.Extents[d]
					}
					inside = inside && at[d] >= 0 && at[d] < l.Extents[d]
				}
				if !inside {
					continue
				}
				to := 0
				for d := len(at) - 1; d >= 0; d-- {
					to = to*l.Extents[d] + at[d]
				}
				if s.region[to] == 7 && s.owner[to] != s.owner[c] {
					want += o.Weight
				}
			}
		}
		if got := s.cut(cells); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("cut %v, want %v", got, want)
		}
	})
}

// A sweep of bars whose numbers divide holds boxes: its cut is the closed form.
func TestDividingSweepsAreBoxes(t *testing.T) {
	l := Plain([]int{12, 8, 6})
	l.Directions = append(l.Directions, Direction{[]int{1, 1, 0}, 0.5}, Direction{[]int{1, -1, 1}, 0.25})
	bounds := []int32{}
	for b := int32(0); b <= 576; b += 24 { // boxes of 3x4x2
		bounds = append(bounds, b)
	}
	s := newSweeper(l, &mapping.Places{Slots: mapping.Identity(576),
		Levels: []mapping.PlaceLevel{{Name: "leaf", Bounds: bounds}}})
	cells := mapping.Identity(576)
	s.sort(cells, &sweep{axis: 0, bars: []int{1, 2, 3}}, []int32{0, 0, 0}, []int32{12, 8, 6})
	for i, c := range cells {
		s.owner[c], s.region[c] = int32(i/24), 1
	}
	if got, want := s.cut(cells), l.Cut([]int{3, 4, 2}); got != want {
		t.Errorf("cuts %v, boxes %v", got, want)
	}
}
