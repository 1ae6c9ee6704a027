package mapping

import (
	"sync"
	"sync/atomic"

	"remap/topology"
)

// maxRowBytes bounds the rows that Distances keeps.
const maxRowBytes = 256 << 20

// rows are the prices from every leaf switch toward one leaf switch each.
type rows struct {
	leaves []int32                     // switches with hosts, ascending
	column []int32                     // length switches: index in leaves, -1 = no hosts
	kept   []atomic.Pointer[[]float64] // length leaves

	mutex sync.Mutex // of what follows, and of writing to kept
	ring  []int32    // columns of the rows kept, oldest at next once it is full
	next  int
	most  int // rows
	work  rowScratch
}

// rowScratch is memory for one row under way.
type rowScratch struct {
	price   []float64 // length switches: toward the leaf switch in hand
	ordered []int32   // switches by distance to it
	start   []int32
	links   []int32
}

func (r *rows) init(machine *topology.Topology) {
	r.leaves = leafSwitches(machine)
	r.column = make([]int32, machine.Switches())
	for s := range r.column {
		r.column[s] = -1
	}
	for i, s := range r.leaves {
		r.column[s] = int32(i)
	}
	r.kept = make([]atomic.Pointer[[]float64], len(r.leaves))
	r.most = max(2, maxRowBytes/(8*max(1, len(r.leaves))))
}

// leafSwitches lists the switches with hosts in ascending order.
func leafSwitches(machine *topology.Topology) []int32 {
	var leaves []int32
	for s := range int32(machine.Switches()) {
		first, end := machine.Out(machine.NodeOf(s))
		for l := first; l < end; l++ {
			if machine.IsHost(machine.Links[l].To) {
				leaves = append(leaves, s)
				break
			}
		}
	}
	return leaves
}

// row is the price from every leaf switch (by column) to switch `to`, which has
// hosts: links between switches only. Where no route leads it means nothing.
func (d *Distances) row(to int32) []float64 {
	r := &d.rows
	column := r.column[to]
	if row := r.kept[column].Load(); row != nil {
		return *row
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if row := r.kept[column].Load(); row != nil {
		return *row // another goroutine was first
	}
	row := d.newRow(to)
	if len(r.ring) < r.most {
		r.ring = append(r.ring, column)
	} else {
		r.kept[r.ring[r.next]].Store(nil)
		r.ring[r.next] = column
		r.next = (r.next + 1) % r.most
	}
	r.kept[column].Store(&row)
	return row
}

// newRow computes a row: the price from a switch is the mean, over the minimal
// next links, of the link's price and the price from the switch behind it,
// which is one link nearer and so known.
func (d *Distances) newRow(to int32) []float64 {
	s := &d.rows.work
	s.order(d.machine, to)
	for _, sw := range s.ordered {
		s.links = d.machine.MinimalNext(s.links[:0], d.machine.NodeOf(sw), to)
		sum := 0.0
		for _, l := range s.links {
			sum += d.prices[l] + s.price[d.machine.SwitchOf(d.machine.Links[l].To)]
		}
		s.price[sw] = sum / float64(max(1, len(s.links)))
	}
	row := make([]float64, len(d.rows.leaves))
	for i, leaf := range d.rows.leaves {
		row[i] = s.price[leaf]
	}
	return row
}

// order lists the switches from which there is a route by their distance, the
// destination first: a counting sort.
func (s *rowScratch) order(machine *topology.Topology, to int32) {
	switches := machine.Switches()
	s.price = append(s.price[:0], make([]float64, switches)...)
	s.start = s.start[:0]
	for sw := range int32(switches) {
		distance := int(machine.SwitchDistance(sw, to))
		for len(s.start) <= distance+1 {
			s.start = append(s.start, 0)
		}
		if distance >= 0 {
			s.start[distance+1]++
		}
	}
	for i := 1; i < len(s.start); i++ {
		s.start[i] += s.start[i-1]
	}
	s.ordered = append(s.ordered[:0], make([]int32, s.start[len(s.start)-1])...)
	for sw := range int32(switches) {
		if distance := machine.SwitchDistance(sw, to); distance >= 0 {
			s.ordered[s.start[distance]] = sw
			s.start[distance]++
		}
	}
}
