package geometric

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// cube is all cells of a cube of 2^depth a side.
func cube(dims, depth int) *cloud {
	c := &cloud{dims: dims, minor: dims}
	for i := range 1 << (dims * depth) {
		for k := range dims {
			c.values = append(c.values, int32(i>>(k*depth)&(1<<depth-1)))
		}
	}
	return c
}

// Codes of a cube's cells are all numbers from 0 on, each once, and successive
// cells are neighbours along one dimension.
func TestCurveVisitsNeighbours(t *testing.T) {
	for dims := 1; dims <= 6; dims++ {
		for depth := 1; dims*depth <= 12; depth++ {
			c := cube(dims, depth)
			order := hilbertOrder(c)
			for i, point := range order {
				cell := make([]uint32, dims)
				for k := range cell {
					cell[k] = uint32(c.values[int(point)*dims+k])
				}
				code := make([]uint64, 1)
				hilbertCode(cell, depth, code)
				if got := code[0] >> (64 - dims*depth); got != uint64(i) {
					t.Fatalf("%d dimensions of 2^%d: code %d at place %d", dims, depth, got, i)
				}
				if i == 0 {
					continue
				}
				steps := int32(0)
				for k := range dims {
					d := c.values[int(point)*dims+k] - c.values[int(order[i-1])*dims+k]
					steps += max(d, -d)
				}
				if steps != 1 {
					t.Fatalf("%d dimensions of 2^%d: cells %d and %d of the curve are %d apart", dims, depth, i-1, i, steps)
				}
			}
		}
	}
}

// A curve leaves a box of a power of two a side only when all its points are
// visited, however long the codes are.
func TestCurveFinishesBoxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 8).Draw(t, "dimensions")
		high := int32(1)<<rapid.IntRange(1, 30).Draw(t, "bits") - 1
		points := rapid.IntRange(2, 30).Draw(t, "points")
		c := &cloud{dims: dims, minor: dims, values: rapid.SliceOfN(rapid.Int32Range(0, high), dims*points,
			dims*points).Draw(t, "values")}
		for k := range dims {
			c.values[k], c.values[dims+k] = 0, high // so that the cube is known
		}
		shift := rapid.IntRange(0, 30).Draw(t, "shift")
		box := func(point int32) []int32 {
			at := slices.Clone(c.values[int(point)*dims : int(point+1)*dims])
			for k := range at {
				at[k] >>= shift
			}
			return at
		}
		order := hilbertOrder(c)
		if sorted := slices.Sorted(slices.Values(order)); len(sorted) != points || sorted[0] != 0 ||
			len(slices.Compact(sorted)) != points {
			t.Fatalf("order %v of %d points", order, points)
		}
		var left [][]int32
		for i := 1; i < len(order); i++ {
			before, now := box(order[i-1]), box(order[i])
			if slices.Equal(before, now) {
				continue
			}
			left = append(left, before)
			if slices.ContainsFunc(left, func(b []int32) bool { return slices.Equal(b, now) }) {
				t.Fatalf("the curve comes back to box %v: %v", now, order)
			}
		}
	})
}

// A chain on a torus of powers of two follows the curve: one link a step.
func TestChainAlongTheCurve(t *testing.T) {
	for _, machine := range []string{"mesh:8x8", "torus:4x4x4", "mesh:2x2x2x2", "torus:16x16"} {
		hosts := mustMachine(t, machine).Hosts()
		p := job(t, machine, "ring:4")
		p.Graph, p.Grid = gridGraph(t, []int{hosts}), []int{hosts}
		if length := average(p, mustMap(t, Hilbert(), p)); length != 2 {
			t.Errorf("%s: path length %v, want 2", machine, length)
		}
	}
}
