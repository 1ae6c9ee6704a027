package strategy

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap/mapping"
	"remap/partition"
)

// renewal improves a mapping by mapping sets of places again. In a tree the
// path from a rank to one outside its pod is as long wherever in the pod it
// sits. So the ranks of some pods, or of some leaf switches of one pod, can be
// mapped again on the slots of these as a problem of its own, and what such a
// problem gains the whole gains. Where seeds differ in luck from pod to pod,
// the best of every pod is better than the best of all (a large neighbourhood
// search, Shaw 1998). On networks that are no trees the whole is looked at
// after every round.
type renewal struct {
	*mapping.Problem
	places *mapping.Places
	solve  mapping.Strategy // of the parts
	chance *rand.Rand
	best   mapping.Mapping
	least  float64 // cost of best
}

func newRenewal(p *mapping.Problem, m mapping.Mapping, cost float64) *renewal {
	return &renewal{Problem: p, places: mapping.NewPlaces(p.Machine, p.Allocation, nil), solve: partition.Fast(),
		chance: rand.New(rand.NewPCG(p.Seed, 0x72656e6577)), best: m, least: cost} // "renew": a stream of its own
}

// all maps the inside of every place of every level again that has places
// inside, the coarsest first, and then sets of some leaf switches.
func (r *renewal) all(ctx context.Context) error {
	const leaves = 4
	levels := r.places.Levels
	for level := len(levels) - 1; level > 0; level-- {
		if _, err := r.round(ctx, level, 1); err != nil {
			return err
		}
	}
	for level := range levels {
		if levels[level].Name != mapping.HostLevel {
			_, err := r.round(ctx, level, leaves)
			return err
		}
	}
	return nil
}

// round maps disjoint sets of up to size places of a level again and tells
// whether that made the whole better.
func (r *renewal) round(ctx context.Context, level, size int) (bool, error) {
	parts := r.parts(level, size)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range parts {
		group.Go(func() error { return parts[i].improve(ctx, r.solve) })
	}
	if err := group.Wait(); err != nil {
		return false, err
	}
	m := r.with(parts)
	cost := r.Cost(m)
	if cost >= r.least {
		return false, nil
	}
	r.best, r.least = m, cost
	return true, nil
}

// parts cuts the best mapping into the problems of disjoint sets of places.
func (r *renewal) parts(level, size int) []part {
	index := make([]int32, r.Ranks())
	rankAt := r.best.Holders(r.Allocation.SlotCount())
	sets := r.sets(level, size)
	parts := make([]part, len(sets))
	for i, set := range sets {
		parts[i] = r.part(level, set, rankAt, index)
	}
	return parts
}

// with is the best mapping with the ranks of the parts where these put them.
func (r *renewal) with(parts []part) mapping.Mapping {
	m := slices.Clone(r.best)
	for i := range parts {
		for v, rank := range parts[i].ranks {
			m[rank] = parts[i].slots[parts[i].Start[v]]
		}
	}
	return m
}
