package workload

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	geometricStream = 0x67656f6d65747279 // keeps the numbers of this pattern apart from other users of a seed
	heavyFactor     = 10                 // how many times more a heavy rank sends
)

// buildGeometric is the traffic of an unstructured mesh: a random geometric graph
// (Gilbert 1961). Every rank is a point drawn at random in the unit square, or
// with dimensions=3 the unit cube, and exchanges messages with all points
// within a radius. The radius is the one that gives ranks x degree / 2 pairs (degree= is
// 8, the mean number of neighbours; those near the border have fewer), and not
// a given one, so that the volume is known beforehand. Ranks are numbered along
// the first coordinate, as a partitioner by slabs would.
//
// In a round a rank sends to its neighbours in ascending order from its own
// number on, cyclically; heavy= ranks (0), drawn at random, send ten times the
// bytes. With wait=true a round ends when the neighbours' messages have come.
func buildGeometric(s *spec, maxOps int64) (*Program, error) {
	ranks, bytes, rounds, compute := s.ranks(), s.messageBytes(), s.rounds(maxOps), s.computeNanoseconds()
	dimensions := int(s.int64("dimensions", 2, 2, 3))
	degree := min(s.int64("degree", 8, 0, maxRanks), int64(ranks-1))
	heavy := int(s.int64("heavy", 0, 0, int64(ranks)))
	wait := s.choice("wait", "false", "true") == "true"
	seed := s.seed()
	l := load{ranks: ranks, rounds: rounds, messages: degree, bytes: min(bytes,
		maxTotal/heavyFactor) * heavyFactor, compute: compute}
	if heavy == 0 {
		l.bytes = bytes
	}
	if wait {
		l.others = degree + 1
	}
	s.room(maxOps, l)
	if err := s.finish(); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(uint64(seed), geometricStream))
	offsets, neighbors := drawPoints(random, ranks, dimensions).neighbors(ranks * int(degree) / 2)
	volume := slices.Repeat([]int64{bytes}, ranks)
	for _, r := range random.Perm(ranks)[:heavy] {
		volume[r] *= heavyFactor
	}
	p := newProgram(ranks, int(rounds)*ranks*int(l.operations()), nil)
	for r := range ranks {
		around := neighbors[offsets[r]:offsets[r+1]]
		for range rounds {
			p.compute(compute)
			p.around(r, around, volume, wait)
		}
		p.endRank()
	}
	return p, nil
}

// around appends the messages of the rank being filled, number self, to its
// neighbours, ascending.
func (p *Program) around(self int, neighbors []int32, volume []int64, wait bool) {
	if wait {
		for _, peer := range neighbors {
			p.Ops = append(p.Ops, Op{Kind: Ireceive, Peer: peer, Bytes: volume[peer]})
		}
	}
	first, _ := slices.BinarySearch(neighbors, int32(self))
	for i := range neighbors {
		p.send(int(neighbors[(first+i)%len(neighbors)]), volume[self])
	}
	if wait {
		p.Ops = append(p.Ops, Op{Kind: WaitAll})
	}
}

// points in the unit cube, ascending along the first coordinate; the third is 0
// in two dimensions.
type points struct {
	at         [][3]float64
	dimensions int
}

func drawPoints(random *rand.Rand, count, dimensions int) points {
	p := points{at: make([][3]float64, count), dimensions: dimensions}
	for i := range p.at {
		for k := range dimensions {
			p.at[i][k] = random.Float64()
		}
	}
	slices.SortFunc(p.at, func(a, b [3]float64) int { return slices.Compare(a[:], b[:]) })
	return p
}

// near is a pair of points.
type near struct {
	square float64 // of the distance
	a, b   int32   // a < b
}

// neighbors are those of every point in the graph of the `pairs` shortest
// pairs, of equal ones the first by number: point i has neighbors[offsets[i]:offsets[i+1]],
// ascending. pairs is at most all there are. O((points + pairs) log pairs)
// expected: candidates come from boxes as wide as a radius that likely has
// enough, and is doubled until it has.
func (p points) neighbors(pairs int) (offsets, neighbors []int32) {
	n := len(p.at)
	var found []near
	for radius := p.radius(pairs); pairs > 0; radius *= 2 {
		if found = p.within(found[:0], radius); len(found) >= pairs {
			break
		}
	}
	slices.SortFunc(found, func(x, y near) int {
		return cmp.Or(cmp.Compare(x.square, y.square), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	found = found[:pairs]
	offsets = make([]int32, n+1)
	for _, f := range found {
		offsets[f.a+1]++
		offsets[f.b+1]++
	}
	for i := range n {
		offsets[i+1] += offsets[i]
	}
	next := slices.Clone(offsets)
	neighbors = make([]int32, 2*pairs)
	for _, f := range found {
		neighbors[next[f.a]], neighbors[next[f.b]] = f.b, f.a
		next[f.a]++
		next[f.b]++
	}
	for i := range n {
		slices.Sort(neighbors[offsets[i]:offsets[i+1]])
	}
	return offsets, neighbors
}

// radius is within which so many pairs lie if there were no border, and a
// quarter more.
func (p points) radius(pairs int) float64 {
	n := float64(len(p.at))
	share := 2 * float64(pairs) / max(1, n*(n-1)) // of the unit volume, around a point
	if p.dimensions == 2 {
		return 1.25 * math.Sqrt(share/math.Pi)
	}
	return 1.25 * math.Cbrt(share*3/(4*math.Pi))
}

// within appends all pairs no further apart than the radius. Points are
// ascending along the first coordinate; the boxes divide the others.
func (p points) within(found []near, radius float64) []near {
	side := min(max(1, int(1/radius)), 1+int(math.Sqrt(float64(len(p.at)))))
	boxes := make([][]int32, side*side) // points seen so far, ascending
	box := func(x float64) int { return min(side-1, int(x*float64(side))) }
	for i := range p.at {
		y, z := box(p.at[i][1]), box(p.at[i][2])
		for v := max(0, z-1); v <= min(side-1, z+1); v++ {
			for u := max(0, y-1); u <= min(side-1, y+1); u++ {
				found = p.behind(found, int32(i), boxes[v*side+u], radius)
			}
		}
		boxes[z*side+y] = append(boxes[z*side+y], int32(i))
	}
	return found
}

// behind appends the pairs of point i with those of a box, newest first, up to
// where the first coordinate alone is too far away.
func (p points) behind(found []near, i int32, box []int32, radius float64) []near {
	for k := len(box) - 1; k >= 0; k-- {
		square := 0.0
		for axis := range 3 {
			d := p.at[i][axis] - p.at[box[k]][axis]
			square += d * d
		}
		if p.at[i][0]-p.at[box[k]][0] > radius {
			break
		}
		if square <= radius*radius {
			found = append(found, near{square: square, a: box[k], b: i})
		}
	}
	return found
}
