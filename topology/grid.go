package topology

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of a torus or mesh. Coordinates and twice a ring's length are int16.
const (
	maxDimensions = 8
	maxExtent     = 16383
)

// grid is a torus or a mesh of switches with hosts on each; switch numbers
// count the first dimension fastest. A dimension of length 2 is a line (one
// link each way, or two when doubled), one of length 1 has no links.
type grid struct {
	name           string
	extents        []int
	switches       int
	hosts          int // on each switch
	torus          bool
	doubled        bool // dimensions of length 2 have both links of a ring
	bytesPerSecond float64
	latency        time.Duration
	route          *GridRoute
}

func (s *spec) grid() (*grid, error) {
	p := &grid{name: s.text, torus: s.kind == "torus", switches: 1}
	p.hosts = s.int("hosts", 1, 1)
	if p.torus {
		p.doubled = s.bool("double")
	}
	p.bytesPerSecond, p.latency = s.wires()
	p.extents = s.extents()
	switches, cables := 1.0, 0.0
	for _, n := range p.extents {
		switches *= float64(n)
		cables += min(float64(n-1), 1)
	}
	links := 2 * switches * (cables + float64(p.hosts))
	// Every switch has a group of next hops by dimension, direction and channel, and
	// one for ties.
	entries := 5 * switches * float64(len(p.extents))
	if most := max(links, entries); most > MaxLinks {
		s.complain("%.3g hosts, %.3g links and %.3g routing entries are too many: at most %d of each",
			switches*float64(p.hosts), links, entries, MaxLinks)
	}
	if err := s.done(); err != nil {
		return p, err
	}
	p.switches = int(switches)
	return p, nil
}

// extents reads the lengths of the dimensions, the bare first field.
func (s *spec) extents() []int {
	if s.bare == "" {
		s.complain("dimensions must be given first, such as %s:4x4x4", s.kind)
	}
	parts := strings.SplitN(s.bare, "x", maxDimensions+1)
	if len(parts) > maxDimensions {
		s.complain("at most %d dimensions", maxDimensions)
		return nil
	}
	var extents []int
	for _, part := range parts {
		n := s.whole("every dimension", part, 1)
		if n > maxExtent {
			s.complain("every dimension must be at most %d", maxExtent)
		}
		extents = append(extents, n)
	}
	return extents
}

// ring tells whether a dimension has a link between its ends that is not
// there in a line.
func (p *grid) ring(k int) bool { return p.torus && p.extents[k] > 2 }

func (p *grid) build() (*Topology, error) {
	p.locate()
	t := &Topology{Name: p.name, HostNames: numbered("n", p.switches*p.hosts), SwitchNames: p.switchNames()}
	if err := t.wire(p.wiring()); err != nil {
		return nil, err
	}
	t.distance = p.route
	t.Routes = p.routes(t)
	p.levels(t)
	return t, t.Check()
}

// locate sets the coordinates of every switch.
func (p *grid) locate() {
	d := len(p.extents)
	g := &GridRoute{Dimensions: int32(d), Coordinates: make([]int16, p.switches*d)}
	for k, n := range p.extents {
		g.Extents = append(g.Extents, int16(n))
		g.Wrap = append(g.Wrap, p.ring(k))
	}
	for s := range p.switches {
		rest := s
		for k, n := range p.extents {
			g.Coordinates[s*d+k] = int16(rest % n)
			rest /= n
		}
	}
	p.route = g
}

func (p *grid) switchNames() []string {
	names := make([]string, p.switches)
	d := len(p.extents)
	var text []byte
	for s := range names {
		text = append(text[:0], 's')
		for k := range d {
			if k > 0 {
				text = append(text, '-')
			}
			text = strconv.AppendInt(text, int64(p.route.Coordinates[s*d+k]), 10)
		}
		names[s] = string(text)
	}
	return names
}

// wiring lists the cables: those of the hosts, then one (or two) from every
// switch to its upper neighbour in every dimension.
func (p *grid) wiring() []cable {
	hosts := p.switches * p.hosts
	cables := make([]cable, 0, hosts+p.switches*len(p.extents))
	add := func(a, b int) {
		cables = append(cables, cable{int32(a), int32(b), -1, -1, p.bytesPerSecond, p.latency})
	}
	for h := range hosts {
		add(h, hosts+h/p.hosts)
	}
	for s := range p.switches {
		stride := 1
		for k, n := range p.extents {
			x := int(p.route.Coordinates[s*len(p.extents)+k])
			next, copies := s+stride, 1
			if x == n-1 {
				next, copies = s-x*stride, 0
				if p.ring(k) {
					copies = 1
				}
			} else if n == 2 && p.doubled {
				copies = 2
			}
			for range copies {
				add(hosts+s, hosts+next)
			}
			stride *= n
		}
	}
	return cables
}

// routes fills the groups of links by (switch, dimension, direction, dateline
// channel), and the ties. A mesh has one virtual channel, a torus two.
func (p *grid) routes(t *Topology) *Routes {
	d := len(p.extents)
	channels := 1
	if slices.Contains(p.route.Wrap, true) {
		channels = 2
	}
	r := &Routes{VirtualChannels: int32(channels), Switches: p.switches, Offsets: []int32{0}, Grid: p.route}
	r.Grid.Groups, r.Grid.Ties = make([]int32, p.switches*d*4), make([]int32, p.switches*d)
	for s := range int32(p.switches) {
		first, end := t.Out(t.NodeOf(s))
		for way := range int32(2 * d) {
			for channel := range int32(2) {
				at := (s*int32(d)*2+way)*2 + channel
				if channel == 1 && channels == 1 {
					r.Grid.Groups[at] = r.Grid.Groups[at-1]
					continue
				}
				for l := first; l < end; l++ {
					if to := t.Links[l].To; !t.IsHost(to) && r.Grid.way(s, t.SwitchOf(to)) == way {
						r.Channels = append(r.Channels, l*int32(channels)+channel)
					}
				}
				r.Grid.Groups[at] = r.endGroup()
			}
		}
		for k := range int32(d) {
			r.Grid.Ties[s*int32(d)+k] = -1
			if n := r.Grid.Extents[k]; r.Grid.Wrap[k] && n%2 == 0 {
				upper := r.Grid.Coordinates[s*int32(d)+k] >= n/2 // the way up crosses the dateline, else the way down
				for _, up := range []bool{false, true} {
					g := r.Grid.Groups[r.Grid.entry(s, k, up, up == upper)]
					r.Channels = append(r.Channels, r.Channels[r.Offsets[g]:r.Offsets[g+1]]...)
				}
				r.Grid.Ties[s*int32(d)+k] = r.endGroup()
			}
		}
	}
	return r
}

// endGroup makes the channels since the last group the next group; -1 = there are
// none.
func (r *Routes) endGroup() int32 {
	if int(r.Offsets[len(r.Offsets)-1]) == len(r.Channels) {
		return -1
	}
	r.Offsets = append(r.Offsets, int32(len(r.Channels)))
	return int32(len(r.Offsets) - 2)
}

// way is 2 x dimension + (0 down, 1 up) of the step between two neighbours.
func (g *GridRoute) way(from, to int32) int32 {
	d := g.Dimensions
	for k := range d {
		a, b := g.Coordinates[from*d+k], g.Coordinates[to*d+k]
		if a == b {
			continue
		}
		if b == a+1 || g.Wrap[k] && a == g.Extents[k]-1 && b == 0 {
			return 2*k + 1
		}
		return 2 * k
	}
	return -1
}

// links is the Manhattan distance, the shorter way round a ring.
func (g *GridRoute) links(from, to int32) int32 {
	d, sum := g.Dimensions, int32(0)
	a, b := g.Coordinates[from*d:(from+1)*d], g.Coordinates[to*d:(to+1)*d]
	for k := range a {
		step := int32(a[k]) - int32(b[k])
		if step < 0 {
			step = -step
		}
		if g.Wrap[k] {
			step = min(step, int32(g.Extents[k])-step)
		}
		sum += step
	}
	return sum
}

// levels splits the box of switches, always the longest side (the last of
// equal ones) by its smallest prime factor, until a box is one switch.
func (p *grid) levels(t *Topology) {
	box := slices.Clone(p.extents)
	var levels []Level
	for {
		longest := 0
		for k, n := range box {
			if n >= box[longest] {
				longest = k
			}
		}
		if box[longest] == 1 {
			break
		}
		box[longest] /= smallestFactor(box[longest])
		levels = append(levels, Level{boxName(box), p.boxes(box)})
	}
	slices.Reverse(levels)
	for i, level := range levels {
		if i == 0 {
			level.Name = "leaf"
		}
		t.addLevel(level)
	}
}

// boxes numbers the boxes of the hosts, the first dimension fastest: that is
// the order of the boxes' first hosts.
func (p *grid) boxes(box []int) []int32 {
	group := make([]int32, p.switches*p.hosts)
	d := len(p.extents)
	for s := range p.switches {
		number, stride := 0, 1
		for k, n := range p.extents {
			number += int(p.route.Coordinates[s*d+k]) / box[k] * stride
			stride *= n / box[k]
		}
		for h := range p.hosts {
			group[s*p.hosts+h] = int32(number)
		}
	}
	return group
}

func boxName(box []int) string {
	text := make([]string, len(box))
	for k, n := range box {
		text[k] = strconv.Itoa(n)
	}
	return "box" + strings.Join(text, "x")
}

func smallestFactor(n int) int {
	for f := 2; f*f <= n; f++ {
		if n%f == 0 {
			return f
		}
	}
	return n
}
