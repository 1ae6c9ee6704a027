package stencil

import (
	"cmp"
	"slices"

	"remap/commgraph"
)

// Reach is the longest step along one dimension that Measure tells apart.
const Reach = 3

// mostMeasured is the most dimensions that Measure tells steps in.
const mostMeasured = 6

// Step is one direction of a stencil: the edges from a cell to the cell Offset
// away. Every edge counts once, in the direction whose first step that is not
// 0 is positive.
type Step struct {
	// Offset: length dimensions, each from -Reach to Reach.
	Offset []int
	// Pairs: pairs of cells this far apart that have an edge.
	Pairs int64
	// Room: pairs of cells this far apart.
	Room int64
	// Weight: weight of these edges.
	Weight int64
	// Least: weight of the lightest of them, 0 when any of the pairs has no edge.
	Least int64
}

// Complete tells whether all pairs of cells this far apart have an edge.
func (s *Step) Complete() bool { return s.Pairs == s.Room }

// Steps is what Measure finds.
type Steps struct {
	// List: by offset, the last dimension first.
	List []Step
	// Other: edges that are longer than Reach along some dimension.
	Other int64
}

// Exact tells whether the graph's edges are all pairs of cells of some offsets
// and nothing else.
func (s *Steps) Exact() bool {
	for i := range s.List {
		if !s.List[i].Complete() {
			return false
		}
	}
	return s.Other == 0
}

// Measure sorts the edges of a graph by their steps on a grid. Along periodic
// dimensions a step goes the shorter way round. O(edges x dimensions).
func Measure(g *commgraph.Graph, grid *Grid) *Steps { return measure(all(g), g.Weights, grid) }

// measure is Measure of a graph whose edges weigh nothing when weights is nil.
func measure(g *skeleton, weights []int64, grid *Grid) *Steps {
	dims := len(grid.Extents)
	const base = 2*Reach + 1
	if dims > mostMeasured {
		return &Steps{Other: int64(len(g.neighbors)) / 2} // the table would be too large
	}
	codes := 1
	for range dims {
		codes *= base
	}
	sums := make([]Step, codes)
	at := positions(grid)
	var other int64
	for u := range int32(g.vertices()) {
		for i, v := range g.row(u) {
			if v < u {
				continue
			}
			code, ok := grid.code(at[int(u)*dims:int(u+1)*dims], at[int(v)*dims:int(v+1)*dims])
			if !ok {
				other++
				continue
			}
			s := &sums[code]
			if weights != nil {
				w := weights[g.offsets[u]+int32(i)]
				if s.Pairs == 0 || w < s.Least {
					s.Least = w
				}
				s.Weight += w
			}
			s.Pairs++
		}
	}
	return grid.fold(sums, other)
}

// positions lists the coordinates of every vertex; length vertices x dimensions.
func positions(grid *Grid) []int32 {
	dims := len(grid.Extents)
	n := grid.Vertices()
	at := make([]int32, n*dims)
	for v := range n {
		cell := int(grid.Cell(int32(v)))
		for d, extent := range grid.Extents {
			at[v*dims+d] = int32(cell % extent)
			cell /= extent
		}
	}
	return at
}

// code numbers the step from one position to another, in the direction whose
// first step is positive; false when it is too long.
func (g *Grid) code(from, to []int32) (int, bool) {
	const base = 2*Reach + 1
	code, sign := 0, int32(0)
	for d := len(from) - 1; d >= 0; d-- {
		step := to[d] - from[d]
		if extent := int32(g.Extents[d]); g.Wraps(d) {
			switch {
			case 2*step > extent:
				step -= extent
			case 2*step < -extent:
				step += extent
			case 2*step == -extent:
				step = -step // both ways round are equally long
			}
		}
		if step > Reach || step < -Reach {
			return 0, false
		}
		if sign == 0 && step != 0 {
			sign = 1
			if step < 0 {
				sign = -1
			}
		}
		code = code*base + int(step*sign) + Reach
	}
	return code, true
}

// fold makes steps of the sums by code. Steps of half a period lie in both
// directions of a dimension at once, so codes that name the same pairs are one.
func (g *Grid) fold(sums []Step, other int64) *Steps {
	const base = 2*Reach + 1
	result := &Steps{Other: other}
	for code := range sums {
		s := sums[code]
		if s.Pairs == 0 {
			continue
		}
		s.Offset = make([]int, len(g.Extents))
		for d := len(g.Extents) - 1; d >= 0; d-- {
			// The first digit is the last dimension's.
			power := 1
			for range d {
				power *= base
			}
			s.Offset[d] = code/power%base - Reach
		}
		s.Room = g.Room(s.Offset)
		if !s.Complete() {
			s.Least = 0
		}
		result.List = append(result.List, s)
	}
	slices.SortFunc(result.List, func(x, y Step) int {
		for d := len(x.Offset) - 1; d >= 0; d-- {
			if c := cmp.Compare(x.Offset[d], y.Offset[d]); c != 0 {
				return c
			}
		}
		return 0
	})
	return result
}

// Room is the number of pairs of different cells that are offset apart, each
// counted once.
func (g *Grid) Room(offset []int) int64 {
	room := int64(1)
	twice, moves := true, false
	for d, step := range offset {
		extent := g.Extents[d]
		step = max(step, -step)
		moves = moves || step > 0
		if g.Wraps(d) {
			twice = twice && (step == 0 || 2*step == extent)
			room *= int64(extent)
			continue
		}
		twice = twice && step == 0
		room *= int64(max(0, extent-step))
	}
	if !moves {
		return 0
	}
	if twice {
		room /= 2 // the way there and the way back are the same offset
	}
	return room
}
