package topology

// Spreader divides amounts, such as bytes, over all shortest paths toward one
// destination switch at a time: at every switch equal parts take each of the
// minimal next links (MinimalNext). Switches are given by number, and have hosts: there
// need not be a shortest path between others.
//
// Its scratch memory is reused from call to call: one Spreader must not be used
// by two goroutines at a time.
type Spreader struct {
	machine *Topology
	// held (length switches) is what has arrived at a switch and not left; 0 between calls.
	held []float64
	// listed (length switches) tells whether a switch stands in layers; false between calls.
	listed []bool
	// layers are the switches that hold something, by distance to the destination.
	layers [][]int32
	next   []int32
}

// NewSpreader takes O(switches).
func NewSpreader(machine *Topology) *Spreader {
	n := machine.Switches()
	return &Spreader{machine: machine, held: make([]float64, n), listed: make([]bool, n)}
}

// Add puts an amount on the switch `from`, to be carried by the next Spread, whose
// destination must be `to`. An amount that starts at its destination needs no link
// and must not be added.
func (s *Spreader) Add(from, to int32, amount float64) {
	s.hold(from, s.machine.SwitchDistance(from, to), amount)
}

// Spread carries everything that was added to the destination, in order of falling
// distance, and calls visit for every link on the way with what the link carries.
// A link is visited once.
func (s *Spreader) Spread(to int32, visit func(link int32, amount float64)) {
	for distance := len(s.layers) - 1; distance > 0; distance-- {
		for _, sw := range s.layers[distance] {
			s.next = s.machine.MinimalNext(s.next[:0], s.machine.NodeOf(sw), to)
			share := s.held[sw] / float64(len(s.next))
			for _, l := range s.next {
				visit(l, share)
				if after := s.machine.SwitchOf(s.machine.Links[l].To); after != to {
					s.hold(after, int32(distance-1), share)
				}
			}
			s.held[sw], s.listed[sw] = 0, false
		}
		s.layers[distance] = s.layers[distance][:0]
	}
}

// hold gives an amount to a switch at a distance from the destination.
func (s *Spreader) hold(sw, distance int32, amount float64) {
	for int(distance) >= len(s.layers) {
		s.layers = append(s.layers, nil)
	}
	if !s.listed[sw] {
		s.listed[sw] = true
		s.layers[distance] = append(s.layers[distance], sw)
	}
	s.held[sw] += amount
}
