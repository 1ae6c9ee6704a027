package placement

import (
	"remap/mapping"
)

// Nested tells whether the finest place that two blocks share decides how far apart
// they are, as in a fat tree: there the levels of the places are how the network splits.
func (l *Layout) Nested() bool {
	_, ok := treeLengths(coarserPlaces(l.First, l.Places.Levels), l.Blocks(), l.Metric.Between)
	return ok
}

// PlacesAt is the place, of those between the bounds, that each finer one lies in.
func PlacesAt(bounds, finer []int32) []int32 {
	of := make([]int32, len(finer)-1)
	at := int32(0)
	for i := range of {
		for bounds[at+1] <= finer[i] {
			at++
		}
		of[i] = at
	}
	return of
}

// coarserPlaces is the place of every block, for every level coarser than the blocks.
func coarserPlaces(first []int32, levels []mapping.PlaceLevel) [][]int32 {
	var place [][]int32
	for i := range levels {
		if levels[i].Places() < len(first)-1 {
			place = append(place, PlacesAt(levels[i].Bounds, first))
		}
	}
	return place
}

// finestShared is the index of the finest level at which two blocks lie in one place,
// the number of levels when there is none.
func finestShared(place [][]int32, a, b int32) int {
	for l, of := range place {
		if of[a] == of[b] {
			return l
		}
	}
	return len(place)
}

// treeLengths gives the path length of two blocks by the level of their finest shared
// place, -1 where no pair was met; the last is of those that share none. ok is false
// when two pairs of one level differ in length. It looks at all pairs of few blocks,
// at some of many: at all distances, a few for every block.
func treeLengths(place [][]int32, blocks int, between func(a, b int32) int64) (length []int64, ok bool) {
	length = make([]int64, len(place)+1)
	for i := range length {
		length[i] = -1
	}
	for a := range int32(blocks) {
		for step := int32(1); a+step < int32(blocks); step++ {
			level, d := finestShared(place, a, a+step), between(a, a+step)
			if length[level] >= 0 && length[level] != d {
				return length, false
			}
			length[level] = d
			if blocks > fewBlocks {
				step += step / 2
			}
		}
	}
	return length, true
}
