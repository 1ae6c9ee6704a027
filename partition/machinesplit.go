package partition

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"remap/mapping"
	"remap/placement"
)

// splitPolicy is how a torus is split, and what edges between halves cost. No policy
// suits all graphs, so the variants of a machine take turns (splitPolicies).
type splitPolicy struct {
	// thirds cuts a ring into three arcs and not two. Halves are easier for the graph.
	// But a ring of four quarters is the same network as two rings of two, so nothing
	// tells which of a graph's dimensions the second cut of a ring belongs to, and a
	// shuffled periodic grid may be folded.
	thirds bool

	// lines takes the distances of the mesh that is left when rings are cut open, for the
	// same reason with grids that are not periodic.
	lines bool

	// mean prices an edge between halves at the mean distance (machineMapper.apart).
	mean bool
}

// blockSplitter splits sets of a layout's blocks by the shape of the network:
//   - torus and mesh: across the longest side of the box they span, of a ring
//     the arc without its widest gap (recursive bisection of the processor grid;
//     Pellegrini 1994 for meshes);
//   - HyperX: one dimension after the other, since all that differ in one
//     dimension only are one link apart;
//   - networks with places, such as groups and routers of a dragonfly: between
//     places of the coarsest level they lie in several places of;
//   - others: by distance from two sets of blocks far apart (Hoefler and Snir
//     2011 split the machine recursively too, with a graph partitioner).
type blockSplitter struct {
	layout      *placement.Layout
	dimensions  int     // of a grid or HyperX, else 0
	coordinates []int16 // length blocks x dimensions
	ring        []int16 // length dimensions: the extent if it is a ring, else 0
	hyperX      bool
	places      [][]int32 // length levels, coarsest first: place of every block
	distances   bool      // split by distance where there are no dimensions
	favour      []int     // length dimensions: the order of equal sides
	draws       bool      // by chance where splits are equally good, in all variants but the first
	chance      *rand.Rand
	policy      splitPolicy
	parts       int64   // of the blocks at hand, the first half shall have one part
	key         []int64 // length blocks: what the blocks at hand are sorted by

	// turn is where a whole ring is cut first, the same everywhere, so that boxes stay
	// beside each other; length dimensions.
	turn []int16
}

func newBlockSplitter(p *mapping.Problem, l *placement.Layout, variant uint64) blockSplitter {
	s := blockSplitter{layout: l, policy: splitPolicies[variant%uint64(len(splitPolicies))]}
	s.chance, s.draws, s.key = variantChance(variant), variant > 0, make([]int64, l.Blocks())
	for i := len(l.Places.Levels) - 1; i >= 0; i-- {
		s.places = append(s.places, placement.PlacesAt(l.Places.Levels[i].Bounds, l.First))
	}
	if r := p.Machine.Routes; r != nil {
		switch {
		case r.Grid != nil:
			s.dimensions = int(r.Grid.Dimensions)
			s.ring = make([]int16, s.dimensions)
			for k, wraps := range r.Grid.Wrap {
				if wraps {
					s.ring[k] = r.Grid.Extents[k]
				}
			}
			s.locate(p, r.Grid.Coordinates)
		case r.HyperX != nil:
			s.dimensions, s.hyperX = int(r.HyperX.Dimensions), true
			s.ring = make([]int16, s.dimensions)
			s.locate(p, r.HyperX.Coordinates)
		case r.Table != nil:
			s.distances = !l.Nested()
		}
	}
	s.favour, s.turn = make([]int, s.dimensions), make([]int16, s.dimensions)
	for k := range s.favour {
		s.favour[k] = k
		if s.draws && s.ring[k] > 0 {
			s.turn[k] = int16(s.chance.IntN(int(s.ring[k])))
		}
	}
	if s.draws {
		s.chance.Shuffle(s.dimensions, func(i, j int) { s.favour[i], s.favour[j] = s.favour[j], s.favour[i] })
	}
	return s
}

// locate notes the coordinates of every block, from those of every switch.
func (s *blockSplitter) locate(p *mapping.Problem, ofSwitch []int16) {
	hosts := p.Allocation.HostOfSlot()
	for b := range s.layout.Blocks() {
		sw := int(p.Machine.LeafSwitch(hosts[s.layout.Slots[s.layout.First[b]]]))
		s.coordinates = append(s.coordinates, ofSwitch[sw*s.dimensions:(sw+1)*s.dimensions]...)
	}
}

// split sorts the blocks, two at least, so that the first ones, whose number it
// gives, are one half and the others the other.
func (s *blockSplitter) split(blocks []int32) int {
	s.parts = 2
	switch {
	case s.dimensions > 0 && s.byDimension(blocks):
	case s.distances && s.byDistance(blocks):
		return s.halve(blocks, true)
	default:
		s.byPlaces(blocks)
	}
	return s.halve(blocks, false)
}

func (s *blockSplitter) coordinate(b int32, k int) int16 {
	return s.coordinates[int(b)*s.dimensions+k]
}

// byDimension sets the keys to the coordinates along one side, and the share of
// the first part; false when all blocks are at one switch.
//
// A whole ring is halved, or becomes three arcs: first a third is cut off, then
// the rest is halved before anything else (see splitPolicy).
func (s *blockSplitter) byDimension(blocks []int32) bool {
	best, widest, from := -1, 0, int16(0)
	for _, k := range s.favour {
		begin, extent := s.span(blocks, k)
		long := extent
		if ring := int(s.ring[k]); s.thirds(s.ring[k]) && 2*extent > ring && extent < ring {
			long += math.MaxInt16 // two thirds of a ring
		}
		if extent > 1 && (best < 0 || long > widest && !s.hyperX) {
			best, widest, from = k, long, begin
		}
	}
	if best < 0 {
		return false
	}
	turn := from
	if ring := s.ring[best]; ring >= shortRing && widest == int(ring) {
		if s.thirds(ring) {
			s.parts = 3
		}
		turn = s.turn[best]
	}
	for _, b := range blocks {
		x := s.coordinate(b, best) - turn
		if x < 0 {
			x += s.ring[best]
		}
		s.key[b] = int64(x)
	}
	return true
}

func (s *blockSplitter) thirds(ring int16) bool {
	return s.policy.thirds && ring >= shortRing && ring < longRing
}

// span is the shortest run of coordinates in dimension k that holds the blocks:
// where it begins and how many places it has. On a ring it may pass the end.
func (s *blockSplitter) span(blocks []int32, k int) (begin int16, extent int) {
	low, high := s.coordinate(blocks[0], k), s.coordinate(blocks[0], k)
	for _, b := range blocks {
		low, high = min(low, s.coordinate(b, k)), max(high, s.coordinate(b, k))
	}
	begin, extent = low, int(high-low)+1
	if s.ring[k] == 0 || extent <= 2 {
		return begin, extent
	}
	taken := make([]bool, s.ring[k])
	for _, b := range blocks {
		taken[s.coordinate(b, k)] = true
	}
	last := low // the place before the gap at hand
	for x := low + 1; x <= high; x++ {
		if !taken[x] {
			continue
		}
		if run := int(s.ring[k]) - int(x-last) + 1; run < extent {
			begin, extent = x, run
		}
		last = x
	}
	return begin, extent
}

// byPlaces sets the keys to the places of the coarsest level that tells any of
// the blocks apart, or to the blocks themselves.
func (s *blockSplitter) byPlaces(blocks []int32) {
	for _, place := range s.places {
		if !slices.ContainsFunc(blocks, func(b int32) bool { return place[b] != place[blocks[0]] }) {
			continue
		}
		for _, b := range blocks {
			s.key[b] = int64(place[b])
		}
		return
	}
	for _, b := range blocks {
		s.key[b] = int64(b)
	}
}

// byDistance sets the keys to how much farther a block is from one half than
// from the other. The halves begin as two blocks far apart and are then taken
// from the last keys, some times over (a balanced two-means clustering).
// false when all are equally far.
func (s *blockSplitter) byDistance(blocks []int32) bool {
	metric := s.layout.Metric
	slices.Sort(blocks)
	farthest := func(from int32) int32 {
		best := from
		for _, b := range blocks {
			if metric.Between(from, b) > metric.Between(from, best) {
				best = b
			}
		}
		return best
	}
	start := blocks[0]
	if s.draws {
		start = blocks[s.chance.IntN(len(blocks))]
	}
	a := farthest(start)
	sides := [2][]int32{{a}, {farthest(a)}}
	for round := range meansRounds {
		differ := false
		for _, b := range blocks {
			s.key[b] = s.mean(b, sides[0]) - s.mean(b, sides[1])
			differ = differ || s.key[b] != s.key[blocks[0]]
		}
		if !differ {
			return false
		}
		if round == meansRounds-1 {
			break
		}
		half := s.halve(blocks, true)
		sides[0], sides[1] = spread(blocks[:half], meansSamples), spread(blocks[half:], meansSamples)
	}
	return true
}

// mean is 256 times the mean path length from a block to some others.
func (s *blockSplitter) mean(b int32, others []int32) int64 {
	var sum int64
	for _, o := range others {
		sum += s.layout.Metric.Between(b, o)
	}
	return 256 * sum / int64(len(others))
}

// spread lists at most so many of the blocks, evenly.
func spread(blocks []int32, most int) []int32 {
	n := min(most, len(blocks))
	some := make([]int32, n)
	for i := range some {
		some[i] = blocks[(2*i+1)*len(blocks)/(2*n)]
	}
	return some
}

// halve sorts the blocks by their keys and gives where to cut them: between
// two keys, as near to the right share of the slots as can be. With jump it is the largest
// difference between two keys near the half, so that blocks that belong
// together are not parted for balance.
func (s *blockSplitter) halve(blocks []int32, jump bool) int {
	slices.SortFunc(blocks, func(x, y int32) int {
		return cmp.Or(cmp.Compare(s.key[x], s.key[y]), cmp.Compare(x, y))
	})
	first := s.layout.First
	var total int64
	for _, b := range blocks {
		total += int64(first[b+1] - first[b])
	}
	best, bestStep, bestAway := len(blocks)/2, int64(0), int64(0)
	var sum int64
	for i, b := range blocks[:len(blocks)-1] {
		sum += int64(first[b+1] - first[b])
		step := s.key[blocks[i+1]] - s.key[b]
		away := max(s.parts*sum-total, total-s.parts*sum)
		if step == 0 {
			continue
		}
		if !jump {
			step = 1
		} else if 3*away > total {
			step = 1 // less than a third of the slots on one side: only if nothing else is
		}
		if step > bestStep || step == bestStep && away < bestAway {
			best, bestStep, bestAway = i+1, step, away
		}
	}
	return best
}
