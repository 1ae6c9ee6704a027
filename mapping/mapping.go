// Package mapping says where ranks sit: the allocation of hosts and slots, the
// mapping of ranks to slots, its checks and static costs, and the contract
// between a problem and the strategies that solve it.
package mapping

import (
	"context"
	"fmt"
	"math"

	"remap/commgraph"
	"remap/topology"
)

// Allocation is the hosts a job was given, in order, and the slots on each.
// Slots are numbered host by host: the first host's slots come first.
type Allocation struct {
	// Hosts: host numbers of the topology, none twice.
	Hosts []int32
	// Slots: length hosts, > 0; nil = 1 each.
	Slots []int32
}

// SlotCount is the number of slots.
func (a *Allocation) SlotCount() int {
	if a.Slots == nil {
		return len(a.Hosts)
	}
	sum := 0
	for _, s := range a.Slots {
		sum += int(s)
	}
	return sum
}

// HostOfSlot lists the topology host of every slot; length SlotCount.
func (a *Allocation) HostOfSlot() []int32 {
	hosts := make([]int32, 0, a.SlotCount())
	for i, h := range a.Hosts {
		for range a.slots(i) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// SlotWithinHost numbers every slot from 0 within its host; length SlotCount.
func (a *Allocation) SlotWithinHost() []int32 {
	within := make([]int32, 0, a.SlotCount())
	for i := range a.Hosts {
		for s := range a.slots(i) {
			within = append(within, s)
		}
	}
	return within
}

func (a *Allocation) slots(i int) int32 {
	if a.Slots == nil {
		return 1
	}
	return a.Slots[i]
}

// Named lists the hosts by name, with their slots, in order.
func (a *Allocation) Named(machine *topology.Topology) []topology.HostSlots {
	hosts := make([]topology.HostSlots, len(a.Hosts))
	for i, h := range a.Hosts {
		hosts[i] = topology.HostSlots{Name: machine.HostNames[h], Slots: a.slots(i)}
	}
	return hosts
}

// Check tests that hosts exist, none stands twice, and slots are positive.
func (a *Allocation) Check(machine *topology.Topology) error {
	if a.Slots != nil && len(a.Slots) != len(a.Hosts) {
		return fmt.Errorf("%d hosts with %d slot counts", len(a.Hosts), len(a.Slots))
	}
	seen := make(map[int32]bool, len(a.Hosts))
	for i, h := range a.Hosts {
		switch {
		case h < 0 || int(h) >= machine.Hosts():
			return fmt.Errorf("host number %d of %d", h, machine.Hosts())
		case seen[h]:
			return fmt.Errorf("host %s is named twice", machine.HostNames[h])
		case a.slots(i) <= 0:
			return fmt.Errorf("host %s has %d slots", machine.HostNames[h], a.slots(i))
		}
		seen[h] = true
	}
	return nil
}

// Mapping places rank r on slot m[r].
type Mapping []int32

// Check tests that every rank has a slot of the allocation and no slot is taken twice.
func (m Mapping) Check(slots int) error {
	taken := make([]bool, slots)
	for r, s := range m {
		if s < 0 || int(s) >= slots {
			return fmt.Errorf("rank %d sits on slot %d of %d", r, s, slots)
		}
		if taken[s] {
			return fmt.Errorf("slot %d holds rank %d and another", s, r)
		}
		taken[s] = true
	}
	return nil
}

// Hosts lists the topology host of every rank.
func (m Mapping) Hosts(a *Allocation) []int32 {
	ofSlot := a.HostOfSlot()
	hosts := make([]int32, len(m))
	for r, s := range m {
		hosts[r] = ofSlot[s]
	}
	return hosts
}

// Holders lists the rank on every slot, -1 = none. The mapping must pass Check.
func (m Mapping) Holders(slots int) []int32 {
	holders := filled(slots, -1)
	for r, s := range m {
		holders[s] = int32(r)
	}
	return holders
}

// Problem is one mapping task. Strategies read it and never write to it.
// What they are to make small is Problem.Cost; one that can only make paths
// short says so in its Doc.
type Problem struct {
	// Graph: bytes (or reweighted costs) between ranks.
	Graph *commgraph.Graph
	// Traffic: directed bytes behind Graph, which only link loads need; nil = half of every edge's
	// weight each way.
	Traffic *commgraph.Traffic
	// Phases are traffics that do not overlap in time (workload.PhaseTraffic). Their
	// sum is Traffic, entry by entry, and objectives with link loads weigh them
	// apart; less than two = all of Traffic may be under way at once.
	Phases []*commgraph.Traffic
	// Grid: extents of the ranks' process grid, first fastest; nil = unknown.
	Grid []int
	// Coordinates are where ranks lie in space, one place a rank, a nearer place
	// meaning more talk; nil = unknown.
	Coordinates *commgraph.Coordinates
	// Machine: the network.
	Machine *topology.Topology
	// Allocation: at least as many slots as ranks.
	Allocation *Allocation
	// LinkCost: price of each directed link, length links; nil = 1 each.
	LinkCost []float64
	// LinkFree: share of each link's rate that others leave, length links; nil = 1 each.
	LinkFree []float64
	// LinkSeconds: what links' bytes are to take at most under Capacity; 0 = what those of the busiest
	// rank take on a host's link.
	LinkSeconds float64
	// Start: where a refiner begins; nil = identity.
	Start Mapping
	// Fixed (length ranks): slot a rank must keep, -1 = free; nil = all free.
	Fixed []int32
	// MaxMoves: most ranks that may leave their Start host; 0 = no limit.
	MaxMoves  int
	Objective Objective
	// Routing is how packets go. Under StaticRouting objectives with link loads count those of
	// the one route of every pair of hosts; under any other, equal shares of shortest paths.
	Routing RoutingModel
	Seed    uint64

	distances *Distances // of LinkCost, see ShareDistances
}

// Ranks is the number of ranks to place.
func (p *Problem) Ranks() int { return p.Graph.Vertices() }

// StartMapping is a copy of Start, or the identity.
func (p *Problem) StartMapping() Mapping {
	if p.Start != nil {
		return append(Mapping(nil), p.Start...)
	}
	return Identity(p.Ranks())
}

// Identity puts rank r on slot r: it fills a host's slots before the next host's.
func Identity(ranks int) Mapping {
	m := make(Mapping, ranks)
	for r := range m {
		m[r] = int32(r)
	}
	return m
}

// Check tests that the parts fit together; strategies may rely on it.
func (p *Problem) Check() error {
	if err := p.Allocation.Check(p.Machine); err != nil {
		return err
	}
	slots := p.Allocation.SlotCount()
	if p.Ranks() > slots {
		return &TooFewSlots{Ranks: p.Ranks(), Slots: slots, Hosts: len(p.Allocation.Hosts)}
	}
	if p.Start != nil {
		if len(p.Start) != p.Ranks() {
			return fmt.Errorf("the start mapping has %d ranks, the graph %d", len(p.Start), p.Ranks())
		}
		if err := p.Start.Check(slots); err != nil {
			return err
		}
	}
	if err := p.checkPhases(); err != nil {
		return err
	}
	if !(p.LinkSeconds >= 0) || math.IsInf(p.LinkSeconds, 0) {
		return fmt.Errorf("links are to take %g s", p.LinkSeconds)
	}
	if err := p.checkFixed(slots); err != nil {
		return err
	}
	if err := p.checkFree(); err != nil {
		return err
	}
	if p.LinkCost != nil {
		if _, err := p.Distances(); err != nil {
			return err
		}
	}
	cells := 1
	for _, extent := range p.Grid {
		if extent < 1 {
			return fmt.Errorf("the grid %v has an extent below 1", p.Grid)
		}
		if cells *= extent; cells > commgraph.MaxRanks {
			return fmt.Errorf("the grid %v has more than %d cells", p.Grid, commgraph.MaxRanks)
		}
	}
	if p.Grid != nil && cells != p.Ranks() {
		return fmt.Errorf("the grid %v has %d cells for %d ranks", p.Grid, cells, p.Ranks())
	}
	return nil
}

// CheckMoves tests a result against MaxMoves: how many of its ranks left the
// host they have in Start.
func (p *Problem) CheckMoves(m Mapping) error {
	if p.MaxMoves <= 0 {
		return nil
	}
	if count := p.Moves(m); count > p.MaxMoves {
		return &TooManyMoves{Moves: count, Limit: p.MaxMoves}
	}
	return nil
}

// Moves counts the ranks of a mapping that left the host they have in Start.
func (p *Problem) Moves(m Mapping) int {
	return moved(m.Hosts(p.Allocation), p.StartMapping().Hosts(p.Allocation))
}

// checkFixed tests that fixed ranks have slots of the allocation, none twice.
func (p *Problem) checkFixed(slots int) error {
	if p.Fixed == nil {
		return nil
	}
	if len(p.Fixed) != p.Ranks() {
		return fmt.Errorf("%d entries of fixed slots for %d ranks", len(p.Fixed), p.Ranks())
	}
	taken := make([]bool, slots)
	for r, s := range p.Fixed {
		switch {
		case s < 0:
			continue
		case int(s) >= slots:
			return fmt.Errorf("rank %d is fixed to slot %d of %d", r, s, slots)
		case taken[s]:
			return fmt.Errorf("slot %d is fixed for rank %d and another", s, r)
		}
		taken[s] = true
	}
	return nil
}

// checkFree tests that every link has a share of its rate left, or none.
func (p *Problem) checkFree() error {
	if p.LinkFree != nil && len(p.LinkFree) != len(p.Machine.Links) {
		return fmt.Errorf("%d shares of rates for %d links", len(p.LinkFree), len(p.Machine.Links))
	}
	for l, free := range p.LinkFree {
		if !(free >= 0) || math.IsInf(free, 0) {
			return fmt.Errorf("others leave %g of link %d's rate", free, l)
		}
	}
	return nil
}

// TooFewSlots is the error of a job that does not fit its allocation.
type TooFewSlots struct{ Ranks, Slots, Hosts int }

func (e *TooFewSlots) Error() string {
	return fmt.Sprintf("%d ranks do not fit %d slots on %d hosts", e.Ranks, e.Slots, e.Hosts)
}

// TooManyMoves is the error of a strategy that cannot keep to MaxMoves.
type TooManyMoves struct{ Moves, Limit int }

func (e *TooManyMoves) Error() string {
	return fmt.Sprintf("%d ranks would move to another host, and at most %d may", e.Moves, e.Limit)
}

// Strategy is a named way to solve a Problem. A refiner is a strategy that
// reads Start. Map must be deterministic for a given Problem, return a mapping
// that passes Check, keep fixed ranks and MaxMoves or refuse, and end early with
// ctx's error when ctx ends.
type Strategy struct {
	// Name: as the user writes it, options included.
	Name string
	// Doc: one line.
	Doc string
	// Refine: reads Start: it improves a mapping instead of making one.
	Refine bool
	Map    func(ctx context.Context, p *Problem) (Mapping, error)
}
