package topology

import (
	"fmt"
	"time"
)

// fatTree is a network of two or three levels of switches. Each leaf has
// leafLinks links to every aggregation switch of its pod; the cores form one
// group for each aggregation switch of a pod, and aggregation switch j of
// every pod has up/(cores/aggs) parallel links to each core of group j:
//
//	        core group 0     core group 1
//	         c0  c1           c2  c3
//	           \  |\          /|  /
//	pod 0:     a0  a1       a0  a1   :pod 1
//	           | \/ |       | \/ |
//	           | /\ |       | /\ |
//	           l0   l1      l2   l3
//
// Switch numbers: leaves, then aggregation switches pod by pod, then cores.
type fatTree struct {
	name                                 string
	hosts, leaves, pods, aggs            int // per leaf, per pod, in all, per pod
	cores, up, leafLinks                 int // in all, per aggregation switch, per pair
	bytesPerSecond                       float64
	latency                              time.Duration
	parallel                             int // links between an aggregation switch and each core of its group
	allHosts, allLeaves, allAggs, cables int
}

// fatTree reads the fields; the two networks of the 2018 thesis (Taffet,
// table 3.1) have names of their own.
func (s *spec) fatTree() (*fatTree, error) {
	p := &fatTree{name: s.text, leafLinks: 1}
	switch s.kind {
	case "tapered":
		p.hosts, p.leaves, p.pods, p.aggs, p.cores = 32, 24, 6, 16, 48
		p.up = p.leaves
	case "full":
		p.hosts, p.leaves, p.pods, p.aggs, p.cores = 18, 18, 11, 18, 108
		p.up = p.leaves
	default:
		p.hosts = s.int("nodes-per-leaf", -1, 1)
		p.leaves = s.int("leaves-per-pod", -1, 1)
		p.pods = s.int("pods", -1, 1)
		p.aggs = s.int("aggs-per-pod", -1, 0)
		p.cores = s.int("cores", -1, 0)
		p.leafLinks = s.int("leaf-links", 1, 1)
		absent := 0
		if p.cores > 0 {
			absent = p.leaves
		}
		p.up = s.int("up", absent, 0)
	}
	p.bytesPerSecond, p.latency = s.wires()
	if s.bare != "" {
		s.complain("field %q is not KEY=VALUE", clip(s.bare))
	}
	if len(s.missing) == 0 {
		p.checkShape(s)
	}
	return p, s.done()
}

// checkShape tests the constraints between fields and the total size.
func (p *fatTree) checkShape(s *spec) {
	switch {
	case p.aggs == 0 && (p.leaves > 1 || p.pods > 1):
		s.complain("aggs-per-pod must be at least 1 when there is more than one leaf switch")
	case p.cores == 0 && p.pods > 1:
		s.complain("cores must be at least 1 when pods is %d (two levels: pods=1,cores=0)", p.pods)
	case p.cores == 0 && p.up > 0:
		s.complain("up must be 0 when cores is 0")
	case p.cores == 0:
	case p.aggs == 0 || p.cores%p.aggs != 0:
		s.complain("cores must be a multiple of aggs-per-pod: %d mod %d is not 0", p.cores, p.aggs)
	case p.up == 0 || p.up%(p.cores/p.aggs) != 0:
		s.complain("up must be a multiple of cores/aggs-per-pod, at least once: %d links do not divide over %d cores", p.up, p.cores/p.aggs)
	default:
		p.parallel = p.up / (p.cores / p.aggs)
	}
	hosts := float64(p.hosts) * float64(p.leaves) * float64(p.pods)
	links := 2 * (hosts + float64(p.leaves)*float64(p.pods)*float64(p.aggs)*float64(p.leafLinks) + float64(p.pods)*float64(p.aggs)*float64(p.up))
	switches := float64(p.pods)*(float64(p.leaves)+float64(p.aggs)) + float64(p.cores)
	if most := max(links, switches); most > MaxLinks {
		s.complain("%.3g hosts, %.3g links and %.3g switches are too many: at most %d of each", hosts, links, switches, MaxLinks)
	}
	p.allLeaves = p.leaves * p.pods
	p.allHosts = p.hosts * p.allLeaves
	p.allAggs = p.aggs * p.pods
	p.cables = int(links) / 2
}

func (p *fatTree) agg(pod, j int) int32 { return int32(p.allLeaves + pod*p.aggs + j) }
func (p *fatTree) core(group, i int) int32 {
	return int32(p.allLeaves + p.allAggs + group*(p.cores/p.aggs) + i)
}

func (p *fatTree) build() (*Topology, error) {
	t := &Topology{Name: p.name, HostNames: numbered("n", p.allHosts)}
	t.SwitchNames = numbered("leaf", p.allLeaves)
	for pod := range p.pods {
		t.SwitchNames = append(t.SwitchNames, numbered(fmt.Sprintf("pod%d-agg", pod), p.aggs)...)
	}
	t.SwitchNames = append(t.SwitchNames, numbered("core", p.cores)...)
	if err := t.wire(p.wiring()); err != nil {
		return nil, err
	}
	t.distance = p
	t.addLevel(Level{"leaf", blocks(p.allHosts, p.hosts)})
	t.addLevel(Level{"pod", blocks(p.allHosts, p.hosts*p.leaves)})
	t.Routes = p.routes(t)
	return t, t.Check()
}

// wiring lists the cables so that at every switch the links down come first,
// in order of the switches below, then the links up.
func (p *fatTree) wiring() []cable {
	cables := make([]cable, 0, p.cables)
	add := func(a, b int32) {
		cables = append(cables, cable{a, b, -1, -1, p.bytesPerSecond, p.latency})
	}
	node := func(sw int32) int32 { return int32(p.allHosts) + sw }
	for h := range p.allHosts {
		add(int32(h), node(int32(h/p.hosts)))
	}
	for leaf := range p.allLeaves {
		for j := range p.aggs {
			for range p.leafLinks {
				add(node(int32(leaf)), node(p.agg(leaf/p.leaves, j)))
			}
		}
	}
	for pod := range p.pods {
		for j := range p.aggs {
			for k := range p.up {
				add(node(p.agg(pod, j)), node(p.core(j, k/p.parallel)))
			}
		}
	}
	return cables
}

// links: up to the lowest level that has both, and down again. Only paths
// that end at a leaf switch (or start at one) are legal.
func (p *fatTree) links(from, to int32) int32 {
	leaves := int32(p.allLeaves)
	if to >= leaves {
		if from >= leaves {
			if from == to {
				return 0
			}
			return -1
		}
		from, to = to, from
	}
	pod := to / int32(p.leaves)
	switch {
	case from < leaves && from == to:
		return 0
	case from < leaves && from/int32(p.leaves) == pod:
		return 2
	case from < leaves:
		return 4
	case from >= leaves+int32(p.allAggs):
		return 2
	case (from-leaves)/int32(p.aggs) == pod:
		return 1
	case p.cores > 0:
		return 3
	}
	return -1
}

// routes sends packets up by any link and down by the only way: never up
// after down, so channels have no cycle and one virtual channel is enough.
// The group of one neighbour is its parallel links.
func (p *fatTree) routes(t *Topology) *Routes {
	r := &Routes{VirtualChannels: 1, Switches: t.Switches(), Offsets: []int32{0}}
	r.Intervals = make([]Interval, t.Switches())
	r.StaticDivisor = make([]int32, t.Switches())
	r.Channels = make([]int32, 0, 2*(p.cables-p.allHosts))
	// group takes the next count links of a switch.
	group := func(first int32, count int) int32 {
		for k := range int32(count) {
			r.Channels = append(r.Channels, first+k)
		}
		r.Offsets = append(r.Offsets, int32(len(r.Channels)))
		return int32(len(r.Offsets) - 2)
	}
	leafUp := p.aggs * p.leafLinks
	for s := range int32(t.Switches()) {
		first, end := t.Out(t.NodeOf(s))
		iv := &r.Intervals[s]
		*iv = Interval{Divide: 1, Up: -1, Base: int32(len(r.Offsets) - 1)}
		r.StaticDivisor[s] = int32(max(leafUp, 1))
		switch {
		case int(s) < p.allLeaves:
			r.StaticDivisor[s] = 1
			iv.Up = group(first+int32(p.hosts), leafUp)
		case int(s) < p.allLeaves+p.allAggs:
			pod := (s - int32(p.allLeaves)) / int32(p.aggs)
			iv.Low, iv.High = pod*int32(p.leaves), (pod+1)*int32(p.leaves)
			for ; first < end-int32(p.up); first += int32(p.leafLinks) {
				group(first, p.leafLinks)
			}
			if p.up > 0 {
				iv.Up = group(first, p.up)
			}
		default:
			iv.High, iv.Divide = int32(p.allLeaves), int32(p.leaves)
			for ; first < end; first += int32(p.parallel) {
				group(first, p.parallel)
			}
		}
	}
	return r
}
