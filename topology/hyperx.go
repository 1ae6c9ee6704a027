package topology

// hyperX is the network of Ahn, Binkert, Davis, McLaren and Schreiber (2009):
// switches on a grid, each with a link to all that differ from it in exactly
// one coordinate, and with hosts. One dimension is a full mesh, extents of 2
// are a hypercube. Switch numbers count the first dimension fastest.
//
// Ports of a switch: hosts, then dimension by dimension the other coordinates,
// ascending.
type hyperX struct{ grid }

func (s *spec) hyperX() (*hyperX, error) {
	p := &hyperX{grid{name: s.text, switches: 1}}
	p.hosts = s.int("hosts", 1, 1)
	p.bytesPerSecond, p.latency = s.wires()
	p.extents = s.extents()
	switches, degree := 1.0, 0.0
	for _, n := range p.extents {
		switches *= float64(n)
		degree += float64(n - 1)
	}
	// More switches than that have more links than coordinates.
	if links := switches * (degree + 2*float64(p.hosts)); links > MaxLinks {
		s.complain("%.3g hosts and %.3g links are too many: at most %d of each", switches*float64(p.hosts), links,
			MaxLinks)
	}
	if err := s.done(); err != nil {
		return p, err
	}
	p.switches = int(switches)
	return p, nil
}

func (p *hyperX) build() (*Topology, error) {
	p.locate()
	t := &Topology{Name: p.name, HostNames: numbered("n", p.switches*p.hosts), SwitchNames: p.switchNames()}
	if err := t.wire(p.wiring()); err != nil {
		return nil, err
	}
	t.Routes = p.routes()
	t.distance = t.Routes.HyperX
	p.levels(t)
	return t, t.Check()
}

// wiring lists the cables of hosts, then of every dimension in turn, so that
// the links of every switch stand in the order that HyperXRoute counts on.
func (p *hyperX) wiring() []cable {
	hosts := p.switches * p.hosts
	degree := 0
	for _, n := range p.extents {
		degree += n - 1
	}
	cables := make([]cable, 0, hosts+p.switches*degree/2)
	add := func(a, b int) {
		cables = append(cables, cable{int32(a), int32(b), -1, -1, p.bytesPerSecond, p.latency})
	}
	for h := range hosts {
		add(h, hosts+h/p.hosts)
	}
	stride := 1
	for k, n := range p.extents {
		for s := range p.switches {
			for step := 1; step < n-int(p.route.Coordinates[s*len(p.extents)+k]); step++ {
				add(hosts+s, hosts+s+step*stride)
			}
		}
		stride *= n
	}
	return cables
}

func (p *hyperX) routes() *Routes {
	route := &HyperXRoute{Dimensions: int32(len(p.extents)), Coordinates: p.route.Coordinates}
	degree, long := 0, 0
	for _, n := range p.extents {
		route.Start = append(route.Start, int32(degree))
		degree += n - 1
		long += min(n-1, 1)
	}
	channels := hopChannels(long)
	for k := range route.Start {
		route.Start[k] = (int32(p.switches*p.hosts+p.hosts) + route.Start[k]) * channels
	}
	route.Stride, route.Channels = int32(p.hosts+degree)*channels, channels
	return &Routes{VirtualChannels: channels, Switches: p.switches, Offsets: []int32{0}, HyperX: route,
		PerHop: true, Intermediate: ascending(p.switches)}
}

// levels are the lines of switches in the first dimension, all one link apart,
// the planes of the first two dimensions, two links apart at most, and so on.
// Boxes, as a torus has them, would put farther switches together.
func (p *hyperX) levels(t *Topology) {
	t.addLevel(Level{"leaf", blocks(t.Hosts(), p.hosts)})
	size, box := p.hosts, make([]int, len(p.extents))
	for k := range box {
		box[k] = 1
	}
	for k, n := range p.extents {
		size *= n
		box[k] = n
		t.addLevel(Level{boxName(box), blocks(t.Hosts(), size)})
	}
}

// HyperXRoute routes minimally in a HyperX: any coordinate that differs may be
// corrected next, each by its one link. All are candidates, so that traffic
// spreads over the orders of dimensions.
//
// The sets of candidates are a product over the dimensions. Stored as shared
// lists they would be as many as pairs of switches: 191 million for 24x24x24,
// against the bytes of the coordinates here. So they are computed, in O(dimensions).
type HyperXRoute struct {
	Dimensions int32
	// Coordinates: length switches x dimensions.
	Coordinates []int16
	// Start (length dimensions): channel 0 of the first link of switch 0 in that dimension.
	Start []int32
	// Stride: channels of all links of a switch, those to hosts included.
	Stride int32
	// Channels: virtual channels of a link.
	Channels int32
	// Kept (length links before some failed, or nil): number of a link now, -1 = failed.
	Kept []int32
}

// without is the same after links have failed; kept is the new number of every
// link, channels the new number of virtual channels.
func (h *HyperXRoute) without(kept []int32, channels int32) *HyperXRoute {
	left := &HyperXRoute{Dimensions: h.Dimensions, Coordinates: h.Coordinates,
		Stride: h.Stride / h.Channels * channels, Channels: channels, Kept: kept}
	for _, first := range h.Start {
		left.Start = append(left.Start, first/h.Channels*channels)
	}
	if h.Kept != nil {
		left.Kept = make([]int32, len(h.Kept))
		for l, k := range h.Kept {
			if left.Kept[l] = k; k >= 0 {
				left.Kept[l] = kept[k]
			}
		}
	}
	return left
}

// candidates appends the links that correct one coordinate, as channels for
// virtual channel 0, in order of dimensions.
func (h *HyperXRoute) candidates(buffer []int32, at, to int32) []int32 {
	d := h.Dimensions
	a, b := h.Coordinates[at*d:(at+1)*d], h.Coordinates[to*d:(to+1)*d]
	base := at * h.Stride
	for k, x := range a {
		if x == b[k] {
			continue
		}
		place := int32(b[k])
		if b[k] > x {
			place-- // a switch has no link to itself
		}
		c := base + h.Start[k] + place*h.Channels
		if h.Kept != nil {
			if c = h.Kept[c/h.Channels] * h.Channels; c < 0 {
				continue
			}
		}
		buffer = append(buffer, c)
	}
	return buffer
}

// links is the number of coordinates that differ.
func (h *HyperXRoute) links(from, to int32) int32 {
	d, differ := h.Dimensions, int32(0)
	a, b := h.Coordinates[from*d:(from+1)*d], h.Coordinates[to*d:(to+1)*d]
	for k := range a {
		if a[k] != b[k] {
			differ++
		}
	}
	return differ
}
