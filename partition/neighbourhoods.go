package partition

import (
	"math/rand/v2"
	"slices"

	"remap/placement"
)

// neighbourhoods groups the places of a level (the split policy): a place drawn at
// random takes those siblings along, up to size places, that the group has most
// weight to. Each place is in one group at most; groups of a single block are left out.
func (s *neighbourhoodSearch) neighbourhoods(level, size int, chance *rand.Rand) [][]int32 {
	a := s.adjacency(level)
	count := len(s.levels[level]) - 1
	used := make([]bool, count)
	weightTo := make([]int64, count) // weight from the group under way
	var around []int32               // places with weight
	var groups [][]int32
	for _, p := range chance.Perm(count) {
		if used[p] {
			continue
		}
		group := []int32{int32(p)}
		used[p] = true
		for len(group) < size {
			a.visit(group[len(group)-1], func(other int32, weight int64) {
				if used[other] || a.parent[other] != a.parent[p] {
					return
				}
				if weightTo[other] == 0 {
					around = append(around, other)
				}
				weightTo[other] += weight
			})
			next := int32(-1)
			for _, other := range around {
				switch {
				case used[other]:
				case next < 0 || weightTo[other] > weightTo[next]:
					next = other
				case weightTo[other] == weightTo[next]:
					next = min(next, other)
				}
			}
			if next < 0 {
				break
			}
			used[next] = true
			group = append(group, next)
		}
		for _, other := range around {
			weightTo[other] = 0
		}
		around = around[:0]
		if len(group) > 1 || a.blocksOf(int32(p)) > 1 {
			groups = append(groups, group)
		}
	}
	return groups
}

// adjacency is the places of one level, and where the vertices are among them.
type adjacency struct {
	*neighbourhoodSearch
	bounds  []int32 // of the level
	parent  []int32 // length places: place of the next coarser level; all the same on the coarsest
	ofBlock []int32 // length blocks: place
}

func (s *neighbourhoodSearch) adjacency(level int) *adjacency {
	a := &adjacency{neighbourhoodSearch: s, bounds: s.levels[level]}
	a.ofBlock = placement.PlacesAt(a.bounds, s.levels[len(s.levels)-1])
	a.parent = make([]int32, len(a.bounds)-1)
	if level > 0 {
		a.parent = placement.PlacesAt(s.levels[level-1], a.bounds)
	}
	return a
}

// visit tells the weight of every edge from a place to another one.
func (a *adjacency) visit(place int32, edge func(other int32, weight int64)) {
	for _, v := range a.assign.Members[a.bounds[place]:a.bounds[place+1]] {
		if int(v) >= a.graph.Vertices() {
			continue
		}
		first, end := a.graph.Row(v)
		for k := first; k < end; k++ {
			if other := a.ofBlock[a.assign.Block[a.graph.Neighbors[k]]]; other != place {
				edge(other, a.graph.Weights[k])
			}
		}
	}
}

// blocksOf is the number of blocks of a place.
func (a *adjacency) blocksOf(place int32) int {
	finest := a.levels[len(a.levels)-1]
	from, _ := slices.BinarySearch(finest, a.bounds[place])
	to, _ := slices.BinarySearch(finest, a.bounds[place+1])
	return to - from
}
