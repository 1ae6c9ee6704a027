// Package kernighanlin improves an assignment of vertices to blocks of fixed
// sizes by exchanging vertices between two blocks at a time: the passes of
// Kernighan and Lin, and the incremental strategy built on them.
package kernighanlin

import (
	"context"
	"errors"
	"slices"

	"remap/mapping"
)

// Strategy is "kl": incremental improvement of Problem.Start by swaps of ranks
// between the places that talk to each other most. Slots without a rank take
// part like ranks that send nothing, so ranks may also move to spare slots
// beside their partners. The result is never worse than Start in bytes times
// path length. MaxMoves is kept.
func Strategy() mapping.Strategy {
	return mapping.Strategy{
		Refine: true,
		Name:   "kl",
		Doc:    "incremental Kernighan-Lin swaps from the start mapping (block placement unless chained)",
		Map:    improve,
	}
}

func improve(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
	if p.Fixed != nil {
		return nil, errors.New("fixed ranks are not supported by kl yet")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start := p.StartMapping()
	layout := NewLayout(p, nil)
	assign := layout.Assign(start)
	home := slices.Clone(assign.Block)
	r := NewRefiner(p.Graph, layout.Metric, assign)
	if p.MaxMoves > 0 {
		r.Home, r.Budget = home, p.MaxMoves
	}
	if _, err := r.Incremental(ctx, DefaultOptions); err != nil {
		return nil, err
	}
	m := layout.Mapping(assign, int32(p.Ranks()), start, home)
	// Within irregular networks the metric is that of a block's first host.
	if mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m) > mapping.PathBytes(p.Machine, p.Allocation, p.Graph, start) {
		return start, nil
	}
	return m, nil
}

// Assign puts every rank into the block of its slot and idle vertices, numbered
// from the ranks upward, into the empty slots. The layout must be of all slots.
func (l *Layout) Assign(m mapping.Mapping) *Assignment {
	holder := make([]int32, len(l.Slots)) // rank of every slot, -1 = empty
	for s := range holder {
		holder[s] = -1
	}
	for r, s := range m {
		holder[s] = int32(r)
	}
	members := make([]int32, len(l.Slots))
	idle := int32(len(m))
	for i, s := range l.Slots {
		members[i] = holder[s]
		if members[i] < 0 {
			members[i] = idle
			idle++
		}
	}
	return NewAssignment(l.First, members)
}

// Mapping places the ranks of every block on its slots: those that were in the
// block before on the slot they had, the others in order on what is left.
// home is the block of every rank under start; both nil: nobody was anywhere.
func (l *Layout) Mapping(a *Assignment, ranks int32, start mapping.Mapping, home []int32) mapping.Mapping {
	if ranks == 0 {
		return mapping.Mapping{}
	}
	taken := make([]bool, slices.Max(l.Slots)+1)
	m := make(mapping.Mapping, ranks)
	for r := range ranks {
		m[r] = -1
		if start != nil && a.Block[r] == home[r] {
			m[r] = start[r]
			taken[start[r]] = true
		}
	}
	for b := range int32(a.Blocks()) {
		next := l.First[b]
		for _, v := range a.Of(b) {
			if v >= ranks || m[v] >= 0 {
				continue
			}
			for taken[l.Slots[next]] {
				next++
			}
			m[v] = l.Slots[next]
			next++
		}
	}
	return m
}
