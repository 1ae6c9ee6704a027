package strategy

import (
	"cmp"
	"slices"
)

// sets groups the places of a level, each into one set at most: a place drawn
// at random takes those siblings along that its set talks to most.
func (r *renewal) sets(level, size int) [][]int32 {
	bounds := r.places.Levels[level].Bounds
	count := len(bounds) - 1
	parent := make([]int32, count) // place of the next level
	if level+1 < len(r.places.Levels) {
		above := r.places.Levels[level+1].Bounds
		for b := range parent {
			at, found := slices.BinarySearch(above, bounds[b])
			if !found {
				at--
			}
			parent[b] = int32(at)
		}
	}
	talk := r.talk(bounds)
	used := make([]bool, count)
	var sets [][]int32
	for _, first := range r.chance.Perm(count) {
		if used[first] {
			continue
		}
		set := []int32{int32(first)}
		used[first] = true
		toward := make(map[int32]int64)
		for len(set) < size {
			for _, t := range talk[set[len(set)-1]] {
				toward[t.place] += t.weight
			}
			next, most := int32(-1), int64(0)
			for place, weight := range toward {
				if !used[place] && parent[place] == parent[first] && (weight > most || weight == most && place < next) {
					next, most = place, weight
				}
			}
			if next < 0 {
				break
			}
			used[next] = true
			set = append(set, next)
		}
		sets = append(sets, set)
	}
	return sets
}

// weighted is a place that another talks to.
type weighted struct {
	place  int32
	weight int64
}

// talk lists for every place those it talks to, in ascending order.
func (r *renewal) talk(bounds []int32) [][]weighted {
	count := len(bounds) - 1
	ofSlot := make([]int32, len(r.places.Slots))
	for b := range count {
		for _, s := range r.places.Slots[bounds[b]:bounds[b+1]] {
			ofSlot[s] = int32(b)
		}
	}
	sums := make([]map[int32]int64, count)
	for b := range sums {
		sums[b] = map[int32]int64{}
	}
	for v := range int32(r.Ranks()) {
		a := ofSlot[r.best[v]]
		first, end := r.Graph.Row(v)
		for e := first; e < end; e++ {
			if b := ofSlot[r.best[r.Graph.Neighbors[e]]]; b != a {
				sums[a][b] += r.Graph.Weights[e]
			}
		}
	}
	lists := make([][]weighted, count)
	for b, sum := range sums {
		for place, weight := range sum {
			lists[b] = append(lists[b], weighted{place, weight})
		}
		slices.SortFunc(lists[b], func(x, y weighted) int { return cmp.Compare(x.place, y.place) })
	}
	return lists
}
