package feedback

import (
	"context"
	"slices"

	"remap/commgraph"
	"remap/mapping"
)

// hostwise is a mapping seen from afar: all that sits on one host is one vertex,
// and every host one slot. What exchanges of single ranks cannot do, since each
// leaves its partners behind, exchanges of whole hosts can: move a group of
// hosts that talk to each other to where there is room. Contraction and
// projection are the first half of a multilevel method (Hendrickson and Leland
// 1995); here levels are given by the machine, not by matchings.
type hostwise struct {
	problem mapping.Problem // of the hosts that hold ranks; Start is where they are
	fine    mapping.Mapping
	slots   int32   // of every host
	home    []int32 // length vertices: index into Allocation.Hosts of where its ranks are
	vertex  []int32 // length hosts: what is there, -1 = nothing
}

// contract takes a mapping that passes Check; nil where hosts cannot change
// places: they have one slot, or not all the same number, or moves of ranks are
// counted. Under the problem's objective coarse and fine mappings differ by what
// no exchange of hosts changes: nothing, for bytes within hosts cost nothing. Of
// several phases each is weighed by its busiest host instead of its busiest rank.
// O(ranks + edges).
func contract(p *mapping.Problem, m mapping.Mapping) *hostwise {
	a := p.Allocation
	if p.MaxMoves > 0 || a.Slots == nil || slices.Max(a.Slots) < 2 || slices.Min(a.Slots) != slices.Max(a.Slots) {
		return nil
	}
	h := &hostwise{problem: *p, fine: m, slots: a.Slots[0], vertex: make([]int32, len(a.Hosts))}
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

// joined adds up compressed sparse rows over vertices of one group, what stays
// within a group left out. O(rows + entries log entries of a group).
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

// project is the fine mapping in which every vertex's ranks sit where the coarse
// one has it, on the same slots within the host.
func (h *hostwise) project(coarse mapping.Mapping) mapping.Mapping {
	m := make(mapping.Mapping, len(h.fine))
	for r, slot := range h.fine {
		m[r] = coarse[h.vertex[slot/h.slots]]*h.slots + slot%h.slots
	}
	return m
}

// byHosts refines the start of a problem by exchanges of whole hosts, never to
// something worse; nil, and no error, where there is nothing to exchange.
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
