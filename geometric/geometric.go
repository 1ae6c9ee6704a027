// Package geometric maps ranks whose places in space are known: recursive
// coordinate bisection and the order of a Hilbert curve; and ranks by their
// numbers along curves through the machine. All look at places alone, bytes
// between ranks only choose between a few ways to cut, so that they are quick:
// O(ranks log ranks).
package geometric

import (
	"context"
	"errors"
	"slices"

	"remap/input"
	"remap/mapping"
)

// ErrNoCoordinates is the refusal of problems that name neither coordinates nor
// a process grid, and of coordinates without a single place; test with errors.Is.
var ErrNoCoordinates error = &input.Error{Reason: "the places of the ranks in space are not known",
	Hint: "name their coordinates (--coordinates FILE) or their process grid (--grid 64x72)"}

// ErrFixed is the refusal of fixed ranks; test with errors.Is.
var ErrFixed = errors.New("fixed ranks are not supported by geometric strategies")

// solver maps p's ranks, at least one, whose places are known, onto the slots
// in use.
type solver func(ctx context.Context, p *mapping.Problem, ranks *cloud,
	slots *mapping.Places) (mapping.Mapping, error)

// strategy wraps a solver in what all strategies must keep; locate says where
// the ranks lie.
func strategy(name, doc string, locate func(p *mapping.Problem) (*cloud, error),
	solve solver) mapping.Strategy {
	return mapping.Strategy{Name: name, Doc: doc,
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if slices.ContainsFunc(p.Fixed, func(slot int32) bool { return slot >= 0 }) {
				return nil, ErrFixed
			}
			if p.Ranks() == 0 {
				return mapping.Mapping{}, nil
			}
			ranks, err := locate(p)
			if err != nil {
				return nil, err
			}
			slots := mapping.NewPlaces(p.Machine, p.Allocation, nil)
			if p.Ranks() < len(slots.Slots) {
				slots = mapping.NewPlaces(p.Machine, p.Allocation, slots.Compact(p.Ranks()))
			}
			m, err := solve(ctx, p, ranks, slots)
			if err != nil {
				return nil, err
			}
			return m, p.CheckMoves(m)
		}}
}

// place puts the ranks in the order given on the slots in theirs.
func place(slots, order []int32) mapping.Mapping {
	m := make(mapping.Mapping, len(order))
	for i, rank := range order {
		m[rank] = slots[i]
	}
	return m
}
