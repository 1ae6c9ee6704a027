package feedback

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap/mapping"
)

// portfolio makes many mappings from what one base has learned, of several kinds. Simulations take
// much time and the surrogate cost little, so of each kind the best new mapping by surrogate cost
// is simulated. Kinds are kept apart because the surrogate cost does not see everything, such as
// which rank waits for which.
type portfolio struct {
	*search
	form    Model
	learned *feedbackState
	// restart: the strategies also make mappings from scratch, by what this base has learned.
	restart bool
	// base is the problem with the feedback model applied, from the base.
	base *mapping.Problem
	// kinds are the mappings of each kind; nil before they are made.
	kinds map[string][]mapping.Mapping
}

// The kinds of a portfolio.
const (
	// ofHosts: the base, with whole hosts exchanged.
	ofHosts = "hosts"
	// ofRanks: the base, refined.
	ofRanks = "ranks"
	// ofRestarts: mappings that strategies make from scratch on the selected hosts, refined.
	ofRestarts = "restart"
)

// pick is the proposal of the best mapping of a kind by the surrogate cost that was not seen before.
func (f *portfolio) pick(name, kind string) proposal {
	makes := func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		if f.kinds == nil {
			f.base = p
			if err := f.make(ctx); err != nil {
				f.kinds = nil
				return nil, err
			}
		}
		for _, m := range f.ordered(f.kinds[kind]) {
			if !f.seen[key(m)] {
				return m, nil
			}
		}
		return nil, errNothingNew
	}
	return proposal{name: name, refines: true, makes: makes}
}

// ordered are the mappings in the order of the surrogate cost, the best first.
func (f *portfolio) ordered(mappings []mapping.Mapping) []mapping.Mapping {
	order := make([]int, len(mappings))
	cost := make([]float64, len(mappings))
	for i, m := range mappings {
		order[i], cost[i] = i, f.surrogateCost(f.learned, m)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(cost[x], cost[y]) })
	sorted := make([]mapping.Mapping, len(mappings))
	for i, at := range order {
		sorted[i] = mappings[at]
	}
	return sorted
}

var errNothingNew = errors.New("no mapping that was not seen before")

// refinement is one mapping to be made: from a start, with capacities at a depth, by exchanges.
type refinement struct {
	kind  string
	start mapping.Mapping
	depth float64
	// hosts: by exchanges of whole hosts, else of ranks.
	hosts bool
}

// make fills the portfolio: first by exchanges of hosts, then by exchanges of ranks from the base
// and from the best restart.
func (f *portfolio) make(ctx context.Context) error {
	f.kinds = map[string][]mapping.Mapping{}
	base := f.base.StartMapping()
	tasks := []refinement{{ofHosts, base, hostDepth, true}}
	var starts []mapping.Mapping
	if f.restart {
		all, err := f.starts(ctx)
		if err != nil {
			return err
		}
		starts = all[:min(len(all), 1)]
		for _, m := range starts {
			tasks = append(tasks, refinement{ofRestarts, m, hostDepth, true})
		}
	}
	if err := f.all(ctx, tasks); err != nil {
		return err
	}
	// The unrefined start stays in the list: refinement may slow a tiling.
	restarts := f.ordered(append(f.kinds[ofRestarts], starts...))
	f.kinds[ofRestarts] = restarts
	tasks = []refinement{{ofRanks, base, rankDepth, false}}
	if len(restarts) > 0 {
		tasks = append(tasks, refinement{ofRestarts, restarts[0], restartDepth, false})
	}
	return f.all(ctx, tasks)
}

// all makes the mappings of the refinements, side by side.
func (f *portfolio) all(ctx context.Context, tasks []refinement) error {
	worst := f.slowdown(f.learned, f.base.StartMapping(), surrogatePower)
	found := make([]mapping.Mapping, len(tasks))
	var group errgroup.Group
	group.SetLimit(cmp.Or(f.Workers, runtime.GOMAXPROCS(0)))
	for i, task := range tasks {
		group.Go(func() error {
			p := *f.base
			f.form.applyAt(f.learned, &p, 1+task.depth*max(0, worst-1))
			p.Start = task.start
			var err error
			if task.hosts {
				found[i], err = byHosts(ctx, *f.Refine, &p)
			} else {
				found[i], err = f.Refine.Map(ctx, &p)
			}
			if err != nil {
				found[i] = nil // the refiner cannot solve this problem
			}
			return nil
		})
	}
	_ = group.Wait() // no task returns an error
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, m := range found {
		if m != nil {
			f.kinds[tasks[i].kind] = append(f.kinds[tasks[i].kind], m)
		}
	}
	return nil
}

// starts are what strategies make on the slots that each selection rule leaves, the best by
// surrogate cost first.
func (f *portfolio) starts(ctx context.Context) ([]mapping.Mapping, error) {
	var all []mapping.Mapping
	leaves := f.leafSwitches(f.learned, f.base.StartMapping())
	for _, rule := range selectionRules() {
		part, slots := selectHosts(f.base, leaves, rule)
		for _, strategy := range f.Strategies {
			if strategy.Name == f.Refine.Name {
				continue
			}
			m, err := mapOnPart(ctx, strategy, f.base, part, slots)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil { // round 0 has reported a strategy that cannot map the job
				all = append(all, m)
			}
		}
		if part == nil {
			break // there are no slots to spare
		}
	}
	return f.ordered(all), nil
}

// mapOnPart is a strategy's mapping of a part of a problem; of the whole where there is no part.
func mapOnPart(ctx context.Context, strategy mapping.Strategy, p, part *mapping.Problem,
	slots []int32) (mapping.Mapping, error) {
	if part == nil || strategy.Refine {
		return strategy.Map(ctx, p)
	}
	m, err := strategy.Map(ctx, part)
	if err != nil {
		return nil, err
	}
	for r, slot := range m {
		m[r] = slots[slot]
	}
	return m, nil
}
