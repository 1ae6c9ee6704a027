package topology

import "time"

// tree is a fat tree of any number of levels of switches: the extended
// generalized fat tree XGFT(h; m1..mh; w1..wh) of Öhring, Ibel, Das and Kumar
// (1995) with parallel links between neighbours, as in the parallel ports
// generalized fat tree of Zahavi (2010). A node of level k-1 has w_k nodes of
// level k above it and p_k links to each; a node of level k has m_k nodes of
// level k-1 below it. Level 0 are the hosts; index 0 of the slices below is
// what joins them to the leaf switches.
//
//	down=2x2x2,up=1x2x2
//	top:       t0  t1           t2  t3
//	            |\  /|\         /|\  /|        one group of 4
//	level 2:   a0  a1           a2  a3
//	            | \/ |           | \/ |        two groups of 2
//	            | /\ |           | /\ |
//	leaf:      l0   l1          l2   l3        four groups of 1
//
// The switches of a level that reach the same leaf switches are a group. With
// w1 > 1 every host hangs on as many leaf switches, one a plane: the planes
// have no link between them. Switch numbers: leaves, then level by level; in a
// level plane by plane, in a plane group by group; in a group the parents that
// one switch below has in common are neighbours.
type tree struct {
	name           string
	down           []int // length levels: children of a node of the level
	up             []int // length levels: parents of a node of the level below
	parallel       []int // length levels: links between a child and a parent
	sideBySide     bool  // a child has its links to one parent side by side, not one to every parent in turn
	divisors       []int // length levels: of the destination-modulo routing
	switchNames    []string
	bytesPerSecond float64
	latency        time.Duration

	// Set by derive.
	hosts, cables int
	first         []int32 // length levels+1: first switch of the level
	inPlane       []int32 // length levels: switches of the level in one plane
	width         []int32 // length levels: switches in a group
	below         []int32 // length levels: leaf switches that a switch of the level reaches down
}

// sizes counts hosts, cables and the most switches of all levels in floating
// point, so that nothing overflows before a bound is checked.
func (p *tree) sizes() (hosts, cables, switches float64) {
	groups, nodes := 1.0, 1.0 // of the level below
	for _, m := range p.down {
		groups *= float64(m)
	}
	hosts = groups
	nodes = groups
	width := 1.0
	for k := range p.down {
		cables += nodes * float64(p.up[k]) * float64(p.parallel[k])
		groups /= float64(p.down[k])
		width *= float64(p.up[k])
		nodes = groups * width
		switches += nodes
	}
	return hosts, cables, switches
}

// derive counts what sizes has found small enough.
func (p *tree) derive() {
	hosts, cables, _ := p.sizes()
	p.hosts, p.cables = int(hosts), int(cables)
	p.first = []int32{0}
	groups, width, below := int32(p.hosts), int32(1), int32(1)
	for k := range p.down {
		groups /= int32(p.down[k])
		if k > 0 {
			width *= int32(p.up[k])
			below *= int32(p.down[k])
		}
		p.inPlane = append(p.inPlane, groups*width)
		p.width = append(p.width, width)
		p.below = append(p.below, below)
		p.first = append(p.first, p.first[k]+int32(p.up[0])*groups*width)
	}
}

func (p *tree) build() (*Topology, error) {
	t := &Topology{Name: p.name, HostNames: numbered("n", p.hosts), SwitchNames: p.switchNames}
	if err := t.wire(p.wiring()); err != nil {
		return nil, err
	}
	t.distance = p
	size := 1
	for _, m := range p.down {
		size *= m
		t.addLevel(Level{t.nextLevel(), blocks(p.hosts, size)})
	}
	t.Routes = p.routes(t)
	return t, t.Check()
}

// wiring lists the cables level by level from the hosts, so that at every
// switch the links down come first, in order of the switches below, then the
// links up.
func (p *tree) wiring() []cable {
	cables := make([]cable, 0, p.cables)
	node := func(sw int32) int32 { return int32(p.hosts) + sw }
	// fan adds the links of one node to its parents, from parent on.
	fan := func(k int, child, parent, stride int32) {
		parents, copies := int32(p.up[k]), int32(p.parallel[k])
		for i := range parents * copies {
			to := i % parents
			if p.sideBySide {
				to = i / copies
			}
			cables = append(cables, cable{child, node(parent + to*stride), -1, -1, p.bytesPerSecond, p.latency})
		}
	}
	for h := range int32(p.hosts) {
		fan(0, h, h/int32(p.down[0]), p.inPlane[0])
	}
	for k := 1; k < len(p.down); k++ {
		for s := p.first[k-1]; s < p.first[k]; s++ {
			number := s - p.first[k-1]
			plane, rest := number/p.inPlane[k-1], number%p.inPlane[k-1]
			group, place := rest/p.width[k-1]/int32(p.down[k]), rest%p.width[k-1]
			fan(k, node(s), p.first[k]+plane*p.inPlane[k]+group*p.width[k]+place*int32(p.up[k]), 1)
		}
	}
	return cables
}

// links: up to the lowest level that has both below it, and down again. Only
// paths that end at a leaf switch (or start at one) are legal. O(levels).
func (p *tree) links(from, to int32) int32 {
	leaves := p.first[1]
	if to >= leaves {
		if from >= leaves {
			if from == to {
				return 0
			}
			return -1
		}
		from, to = to, from
	}
	k := 0
	for from >= p.first[k+1] {
		k++
	}
	from -= p.first[k]
	if p.up[0] > 1 {
		if from/p.inPlane[k] != to/p.inPlane[0] {
			return -1
		}
		from, to = from%p.inPlane[k], to%p.inPlane[0]
	}
	from /= p.width[k]
	steps := int32(k)
	for to /= p.below[k]; from != to; steps += 2 {
		k++
		from, to = from/int32(p.down[k]), to/int32(p.down[k])
	}
	return steps
}

// routes sends packets up by any link and down by the only way: never up
// after down, so channels have no cycle and one virtual channel is enough.
// The group of one neighbour is its parallel links.
func (p *tree) routes(t *Topology) *Routes {
	r := &Routes{VirtualChannels: 1, Switches: t.Switches(), Offsets: []int32{0}}
	r.Intervals = make([]Interval, t.Switches())
	r.StaticDivisor = make([]int32, t.Switches())
	r.Channels = make([]int32, 0, 2*(p.cables-p.hosts*p.up[0]*p.parallel[0]))
	// group takes the next count links of a switch.
	group := func(first int32, count int) int32 {
		for l := range int32(count) {
			r.Channels = append(r.Channels, first+l)
		}
		r.Offsets = append(r.Offsets, int32(len(r.Channels)))
		return int32(len(r.Offsets) - 2)
	}
	for k := range p.down {
		upward := 0
		if k+1 < len(p.down) {
			upward = p.up[k+1] * p.parallel[k+1]
		}
		for s := p.first[k]; s < p.first[k+1]; s++ {
			first, end := t.Out(t.NodeOf(s))
			iv := &r.Intervals[s]
			*iv = Interval{Divide: 1, Up: -1, Base: int32(len(r.Offsets) - 1)}
			r.StaticDivisor[s] = int32(p.divisors[k])
			if k == 0 {
				iv.Up = group(end-int32(upward), upward)
				continue
			}
			number := s - p.first[k]
			iv.Low = number/p.inPlane[k]*p.inPlane[0] + number%p.inPlane[k]/p.width[k]*p.below[k]
			iv.High, iv.Divide = iv.Low+p.below[k], p.below[k-1]
			for ; first < end-int32(upward); first += int32(p.parallel[k]) {
				group(first, p.parallel[k])
			}
			if upward > 0 {
				iv.Up = group(first, upward)
			}
		}
	}
	return r
}
