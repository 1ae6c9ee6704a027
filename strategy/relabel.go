package strategy

import (
	"cmp"
	"slices"

	"remap/mapping"
)

// relabel gives a mapping that costs no more than m and puts as many ranks as it can
// where the target mapping has them (length ranks; -1 = anywhere). It is a symmetry-aware
// relabelling: it exchanges the contents of whole places of the same shape. In a tree it
// makes no difference which of two equal pods holds a part of the job, nor which leaf
// switch of the pod:
//
//	m        [a b][c d] | [e f][g h]        pods  e f g h -> first: most in common
//	target   [g h][e x] | [y b][a d]        leaf switches inside them, hosts, slots
//	result   [g h][e f] | [c d][a b]
//
// At every level, from the top, places are paired in order of falling overlap
// (greedy matching). Places with ranks that m has where they are fixed stay
// themselves. Where places are not symmetric, as boxes of a torus, the cost
// tells: then the exchange begins a level lower. O(levels x ranks log ranks),
// and the cost of as many evaluations.
func relabel(p *mapping.Problem, m mapping.Mapping, target []int32) mapping.Mapping {
	if len(m) == 0 {
		return m
	}
	n := newRelabelling(p, m, target)
	cost := p.Cost(m)
	for top := len(n.places.Levels); top >= 0; top-- {
		for place := range int32(n.count(top)) {
			n.match(top, place, place)
		}
		found := make(mapping.Mapping, len(m))
		for r, s := range m {
			found[r] = n.places.Slots[n.label[n.position[s]]]
		}
		if slices.Equal(found, m) || p.Cost(found) <= cost {
			return found
		}
	}
	return m
}

// relabelling is one search for new labels of places. Positions are indexes into Places.Slots;
// level 0 of places are the positions themselves, the last is everything.
type relabelling struct {
	places   *mapping.Places
	position []int32   // length slots
	wanted   []int32   // length positions: where target has the rank that is here; -1 = anywhere
	stays    [][]bool  // levels x places: holds a rank that is fixed there
	shape    [][]int32 // levels x places: equal numbers have equal parts
	of       [][]int32 // levels x positions: place
	label    []int32   // length positions: the new position of what is here
}

func newRelabelling(p *mapping.Problem, m mapping.Mapping, target []int32) *relabelling {
	n := &relabelling{places: mapping.NewPlaces(p.Machine, p.Allocation, nil)}
	slots := len(n.places.Slots)
	n.position, n.wanted, n.label = make([]int32, slots), make([]int32, slots), make([]int32, slots)
	for at, s := range n.places.Slots {
		n.position[s] = int32(at)
		n.wanted[at] = -1
	}
	own := make([]bool, slots)
	for r, s := range m {
		if target[r] >= 0 {
			n.wanted[n.position[s]] = n.position[target[r]]
		}
		own[n.position[s]] = p.Fixed != nil && p.Fixed[r] == s
	}
	n.of, n.stays = [][]int32{mapping.Identity(slots)}, [][]bool{own}
	n.shape = [][]int32{make([]int32, slots)}
	for level := 1; level <= len(n.places.Levels)+1; level++ {
		n.addLevel(level)
	}
	return n
}

// bounds are the positions where the places of a level begin and end.
func (n *relabelling) bounds(level int) []int32 {
	if level > len(n.places.Levels) {
		return []int32{0, int32(len(n.position))}
	}
	return n.places.Levels[level-1].Bounds
}

// count is the number of places at a level of the topology's, as relabel has
// them: the one that follows the last is everything.
func (n *relabelling) count(level int) int { return len(n.bounds(level+1)) - 1 }

// addLevel fills in what is known of a level from the one below.
func (n *relabelling) addLevel(level int) {
	bounds, below := n.bounds(level), level-1
	places := len(bounds) - 1
	of, stays, shapes := make([]int32, len(n.position)), make([]bool, places), make([][]int32, places)
	for place := range places {
		for at := bounds[place]; at < bounds[place+1]; at++ {
			of[at] = int32(place)
			stays[place] = stays[place] || n.stays[0][at]
		}
		first, end := n.parts(below, bounds[place], bounds[place+1])
		shapes[place] = slices.Sorted(slices.Values(n.shape[below][first:end]))
	}
	n.of, n.stays = append(n.of, of), append(n.stays, stays)
	order := mapping.Identity(places)
	slices.SortFunc(order, func(a, b int32) int { return slices.Compare(shapes[a], shapes[b]) })
	shape := make([]int32, places)
	for i, place := range order {
		if i > 0 {
			shape[place] = shape[order[i-1]]
			if !slices.Equal(shapes[place], shapes[order[i-1]]) {
				shape[place]++
			}
		}
	}
	n.shape = append(n.shape, shape)
}

// parts are the places of a level between two positions.
func (n *relabelling) parts(level int, first, end int32) (from, to int32) {
	return n.of[level][first], n.of[level][end-1] + 1
}

// match labels what is in place a of a level as what is in place b, which
// has the same shape: the parts of a are paired with those of b, and so on.
// The level counts as in count.
func (n *relabelling) match(level int, a, b int32) {
	bounds := n.bounds(level + 1)
	fromA, toA := n.parts(level, bounds[a], bounds[a+1])
	fromB, toB := n.parts(level, bounds[b], bounds[b+1])
	partner := make([]int32, toA-fromA) // of the parts of a, -1 = none yet
	taken := make([]bool, toB-fromB)
	for i := range partner {
		if partner[i] = -1; a == b && n.stays[level][fromA+int32(i)] {
			partner[i], taken[i] = fromA+int32(i), true
		}
	}
	join := func(x, y int32) {
		if partner[x-fromA] < 0 && !taken[y-fromB] && n.shape[level][x] == n.shape[level][y] {
			partner[x-fromA], taken[y-fromB] = y, true
		}
	}
	for _, o := range n.overlaps(level, bounds[a], bounds[a+1], bounds[b], bounds[b+1]) {
		join(o.x, o.y)
	}
	n.joinRest(level, fromA, fromB, partner, taken)
	for i, y := range partner {
		x := fromA + int32(i)
		if level == 0 {
			n.label[x] = y
			continue
		}
		n.match(level-1, x, y)
	}
}

// joinRest pairs what is left: a part with itself where that is possible, then
// in order, shape by shape.
func (n *relabelling) joinRest(level int, fromA, fromB int32, partner []int32, taken []bool) {
	shape := n.shape[level]
	if fromA == fromB {
		for i := range partner {
			if partner[i] < 0 && !taken[i] {
				partner[i], taken[i] = fromA+int32(i), true
			}
		}
	}
	var left, right []int32
	for i := range partner {
		if partner[i] < 0 {
			left = append(left, fromA+int32(i))
		}
		if !taken[i] {
			right = append(right, fromB+int32(i))
		}
	}
	byShape := func(x, y int32) int { return cmp.Compare(shape[x], shape[y]) }
	slices.SortStableFunc(left, byShape)
	slices.SortStableFunc(right, byShape)
	for i, x := range left {
		partner[x-fromA] = right[i]
	}
}

// overlap is how many ranks of part x are wanted in part y.
type overlap struct{ x, y, ranks int32 }

// overlaps lists the pairs of parts with any, the largest first.
func (n *relabelling) overlaps(level int, firstA, endA, firstB, endB int32) []overlap {
	var all []overlap
	for at := firstA; at < endA; at++ {
		if want := n.wanted[at]; want >= firstB && want < endB {
			all = append(all, overlap{n.of[level][at], n.of[level][want], 1})
		}
	}
	byPair := func(v, w overlap) int { return cmp.Or(cmp.Compare(v.x, w.x), cmp.Compare(v.y, w.y)) }
	slices.SortFunc(all, byPair)
	sums := all[:0]
	for _, o := range all {
		if last := len(sums) - 1; last >= 0 && byPair(sums[last], o) == 0 {
			sums[last].ranks++
			continue
		}
		sums = append(sums, o)
	}
	byRanks := func(v, w overlap) int { return cmp.Or(cmp.Compare(w.ranks, v.ranks), byPair(v, w)) }
	slices.SortFunc(sums, byRanks)
	return sums
}
