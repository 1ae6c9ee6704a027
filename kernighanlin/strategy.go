// Package kernighanlin improves an assignment of vertices to blocks of fixed
// sizes by exchanging vertices between two blocks at a time: the passes of
// Kernighan and Lin, and the incremental strategy built on them.
package kernighanlin

import (
	"context"
	"fmt"
	"slices"

	"remap/mapping"
)

// Strategy is "kl": incremental improvement of Problem.Start by swaps of ranks
// between the places that talk to each other most. Slots without a rank take
// part like ranks that send nothing, so ranks may also move to spare slots
// beside their partners. The result is never worse than Start in bytes times
// path length. MaxMoves is kept. Fixed ranks that Start has elsewhere are first
// put on their slots (SettleFixed); the result is then never worse than that.
func Strategy() mapping.Strategy { return StrategyWith(DefaultOptions) }

// StrategyWith is "kl" with options; ExpensiveFirst is "kl:order=expense".
func StrategyWith(options Options) mapping.Strategy {
	name := "kl"
	if options.ExpensiveFirst {
		name = "kl:order=expense"
	}
	return mapping.Strategy{
		Refine: true,
		Name:   name,
		Doc:    "incremental Kernighan-Lin swaps from the start mapping (block placement unless chained)",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			return improve(ctx, p, options)
		},
	}
}

func improve(ctx context.Context, p *mapping.Problem, options Options) (mapping.Mapping, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start, err := SettleFixed(p)
	if err != nil {
		return nil, err
	}
	layout := NewLayout(p, nil)
	assign := layout.Assign(start)
	home := slices.Clone(assign.Block)
	r := NewRefiner(p.Graph, layout.Metric, assign)
	r.Fixed = layout.FixedVertices()
	if p.MaxMoves > 0 {
		r.Home, r.Budget = unmoved(p, start, home)
	}
	if _, err := r.Incremental(ctx, options); err != nil {
		return nil, err
	}
	m := layout.Mapping(assign, int32(p.Ranks()), start, home)
	// Within irregular networks the metric is that of a block's first host.
	if p.PathCost(m) > p.PathCost(start) {
		return start, nil
	}
	return m, nil
}

// Assign puts every rank into the block of its slot and idle vertices, numbered
// from the ranks upward, into the empty slots. The layout must be of all slots.
func (l *Layout) Assign(m mapping.Mapping) *Assignment {
	holders := m.Holders(len(l.Slots))
	members := make([]int32, len(l.Slots))
	idle := int32(len(m))
	for i, s := range l.Slots {
		members[i] = holders[s]
		if members[i] < 0 {
			members[i] = idle
			idle++
		}
	}
	return NewAssignment(l.First, members)
}

// unmoved is the home block of every rank still on the host it has in
// Problem.Start, -1 for those whom fixed ranks drove off, who count as moved
// wherever they go, and how many more ranks may move.
func unmoved(p *mapping.Problem, start mapping.Mapping, block []int32) (home []int32, budget int) {
	home, budget = slices.Clone(block), p.MaxMoves
	if p.Fixed == nil {
		return home, budget
	}
	now, before := start.Hosts(p.Allocation), p.StartMapping().Hosts(p.Allocation)
	for r, h := range now {
		if h != before[r] {
			home[r] = -1
			budget--
		}
	}
	return home, budget
}

// FixedVertices marks the fixed ranks of the problem for Refiner.Fixed: length
// positions, nil if there are none.
func (l *Layout) FixedVertices() []bool {
	if l.fixed == nil {
		return nil
	}
	fixed := make([]bool, len(l.Slots))
	for r, slot := range l.fixed {
		fixed[r] = slot >= 0
	}
	return fixed
}

// Mapping places the ranks of every block on its slots: fixed ranks on the
// slots they must have, which must be of the block they are in, those that were
// in the block before on the slot they had, the others in order on what is left.
// home is the block of every rank under start, and start has every fixed rank
// on its slot; both nil: nobody was anywhere.
func (l *Layout) Mapping(a *Assignment, ranks int32, start mapping.Mapping, home []int32) mapping.Mapping {
	if ranks == 0 {
		return mapping.Mapping{}
	}
	taken := make([]bool, slices.Max(l.Slots)+1)
	m := make(mapping.Mapping, ranks)
	for r := range ranks {
		m[r] = -1
		switch {
		case l.fixed != nil && l.fixed[r] >= 0:
			m[r] = l.fixed[r]
		case start != nil && a.Block[r] == home[r]:
			m[r] = start[r]
		default:
			continue
		}
		if taken[m[r]] {
			panic(fmt.Sprintf("kernighanlin: slot %d of fixed rank %d is taken", m[r], r))
		}
		taken[m[r]] = true
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
