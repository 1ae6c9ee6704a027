package feedback

import (
	"context"
	"slices"

	"remap/commgraph"
	"remap/mapping"
)

// contraction is a mapping in which all ranks of a host are one vertex, and every host is one slot.
// Exchanges of whole hosts can move a group of hosts that talk to each other to where there is
// room. Exchanges of single ranks cannot, since each rank leaves its partners behind.
//
// Contraction and projection are the first half of a multilevel method (Hendrickson and Leland
// 1995); here levels are given by the machine, not by matchings.
type contraction struct {
	// problem is that of the hosts that hold ranks. Its Start is where they are.
	problem mapping.Problem
	fine    mapping.Mapping
	// slots is the number of slots of every host.
	slots int32
	// home (length vertices) is the index into Allocation.Hosts of the host where its ranks are.
	home []int32
	// vertex (length hosts) is the vertex on each host, -1 = none.
	vertex []int32
}

// contract takes a mapping that passes Check. It returns nil where hosts cannot change places: they
// have one slot, or not all the same number, or moves of ranks are limited.
//
// Under the problem's objective, coarse and fine mapping have the same cost, since bytes within
// hosts cost nothing. Only the weights of several phases differ: each is that of its busiest host
// instead of its busiest rank. O(ranks + edges).
func contract(p *mapping.Problem, m mapping.Mapping) *contraction {
	a := p.Allocation
	if p.MaxMoves > 0 || a.Slots == nil || slices.Max(a.Slots) < 2 ||
		slices.Min(a.Slots) != slices.Max(a.Slots) {
		return nil
	}
	h := &contraction{problem: *p, fine: m, slots: a.Slots[0], vertex: make([]int32, len(a.Hosts))}
	for i := range h.vertex {
		h.vertex[i] = -1
	}
	of := make([]int32, len(m)) // length ranks: vertex
	for r, slot := range m {
		host := slot / h.slots
		if h.vertex[host] < 0 {
			h.vertex[host] = int32(len(h.home))
			h.home = append(h.home, host)
		}
		of[r] = h.vertex[host]
	}
	q := &h.problem
	q.Allocation, q.Start = &mapping.Allocation{Hosts: a.Hosts}, slices.Clone(h.home)
	q.Grid, q.Coordinates, q.Fixed = nil, nil, nil
	q.LinkSeconds = p.CapacitySeconds() // of the ranks, not of the hosts
	if p.Fixed != nil {
		q.Fixed = make([]int32, len(h.home))
		for v := range q.Fixed {
			q.Fixed[v] = -1
		}
		for r, slot := range p.Fixed {
			if slot >= 0 {
				q.Fixed[of[r]] = h.home[of[r]]
			}
		}
	}
	g := p.Graph
	graph := joined(of, len(h.home), g.Offsets, g.Neighbors, g.Weights)
	q.Graph = &commgraph.Graph{Offsets: graph.Offsets, Neighbors: graph.Destinations, Weights: graph.Bytes}
	if t := p.Traffic; t != nil {
		q.Traffic = joined(of, len(h.home), t.Offsets, t.Destinations, t.Bytes)
	}
	q.Phases = nil
	for _, t := range p.Phases {
		q.Phases = append(q.Phases, joined(of, len(h.home), t.Offsets, t.Destinations, t.Bytes))
	}
	return h
}

// joined sums compressed sparse rows over the vertices of each group. Entries within a group are
// left out. O(rows + entries log entries of a group).
func joined(of []int32, groups int, offsets, columns []int32, values []int64) *commgraph.Traffic {
	members := make([][]int32, groups)
	for r, g := range of {
		members[g] = append(members[g], int32(r))
	}
	t := &commgraph.Traffic{Offsets: make([]int32, 1, groups+1)}
	sum := make([]int64, groups)
	for g, rows := range members {
		var reached []int32
		for _, r := range rows {
			for i := offsets[r]; i < offsets[r+1]; i++ {
				to := of[columns[i]]
				if int(to) == g || values[i] == 0 {
					continue
				}
				if sum[to] == 0 {
					reached = append(reached, to)
				}
				sum[to] += values[i]
			}
		}
		slices.Sort(reached)
		for _, to := range reached {
			t.Destinations, t.Bytes = append(t.Destinations, to), append(t.Bytes, sum[to])
			sum[to] = 0
		}
		t.Offsets = append(t.Offsets, int32(len(t.Destinations)))
	}
	return t
}

// project is the fine mapping of a coarse one: every vertex's ranks sit on the host that the coarse
// mapping gives it, on the same slots within the host.
func (h *contraction) project(coarse mapping.Mapping) mapping.Mapping {
	m := make(mapping.Mapping, len(h.fine))
	for r, slot := range h.fine {
		m[r] = coarse[h.vertex[slot/h.slots]]*h.slots + slot%h.slots
	}
	return m
}

// byHosts refines the start of a problem by exchanges of whole hosts. The result is never worse. It
// is nil, without an error, where there is nothing to exchange.
func byHosts(ctx context.Context, refine mapping.Strategy, p *mapping.Problem) (mapping.Mapping, error) {
	h := contract(p, p.StartMapping())
	if h == nil {
		return nil, nil
	}
	if err := h.problem.ShareDistances(); err != nil {
		return nil, err
	}
	coarse, err := refine.Map(ctx, &h.problem)
	if err != nil {
		return nil, err
	}
	m := h.project(coarse)
	if p.Cost(m) > p.Cost(h.fine) {
		return h.fine, nil
	}
	return m, nil
}
