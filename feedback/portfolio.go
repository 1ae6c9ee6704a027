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

// depths say at which levels of slowdown by others capacities are posed
// (poseLinks): between none and what the base is expected to suffer. What can be
// reached no one knows before the mapping is made. Exchanges of hosts are cheap,
// and of ranks dear.
var (
	hostDepths  = []float64{0.1, 0.3, 0.6, 1}
	rankDepths  = []float64{0.3, 0.7, 1}
	afreshDepth = 0.5
)

// portfolio makes many mappings of what one base has learned and keeps apart
// what kind they are of: simulations are dear and the objective is cheap, but
// what it does not see, such as who waits for whom, it does not rank. So that the
// best of each kind is simulated (expected), if it has not been before.
type portfolio struct {
	*search
	form   Form
	knows  *knowledge
	afresh bool                         // of this base the strategies begin afresh too
	base   *mapping.Problem             // as posed, from the base
	kinds  map[string][]mapping.Mapping // nil before it was made
}

// The kinds of a portfolio.
const (
	ofHosts  = "hosts"  // the base, exchanges of whole hosts
	ofRanks  = "ranks"  // the base, refined
	ofAfresh = "afresh" // strategies on the slots that rules of sparing keep, refined
)

// pick is the proposal of the best mapping of a kind by a yardstick that was not
// seen.
func (f *portfolio) pick(name, kind string, by yardstick) proposal {
	return proposal{name: name, refines: true, makes: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
		if f.kinds == nil {
			f.base = p
			if err := f.make(ctx); err != nil {
				f.kinds = nil
				return nil, err
			}
		}
		for _, m := range f.ordered(by, f.kinds[kind]) {
			if !f.seen[key(m)] {
				return m, nil
			}
		}
		return nil, errNothingNew
	}}
}

// ordered are mappings by a yardstick, the best first.
func (f *portfolio) ordered(by yardstick, mappings []mapping.Mapping) []mapping.Mapping {
	order := make([]int, len(mappings))
	cost := make([]float64, len(mappings))
	for i, m := range mappings {
		order[i], cost[i] = i, f.expected(by, f.knows, m)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(cost[x], cost[y]) })
	sorted := make([]mapping.Mapping, len(mappings))
	for i, at := range order {
		sorted[i] = mappings[at]
	}
	return sorted
}

var errNothingNew = errors.New("no mapping that was not seen before")

// job is one mapping to be made: a start, posed at a depth, refined.
type job struct {
	kind  string
	start mapping.Mapping
	depth float64
	hosts bool // by exchanges of whole hosts, else of ranks
}

// make fills the portfolio: exchanges of hosts first, and of ranks from the base
// and the best that was made afresh.
func (f *portfolio) make(ctx context.Context) error {
	f.kinds = map[string][]mapping.Mapping{}
	base := f.base.StartMapping()
	starts := []mapping.Mapping(nil)
	if f.afresh {
		var err error
		if starts, err = f.starts(ctx); err != nil {
			return err
		}
	}
	var jobs []job
	for _, depth := range hostDepths {
		jobs = append(jobs, job{ofHosts, base, depth, true})
		for _, m := range starts {
			jobs = append(jobs, job{ofAfresh, m, depth, true})
		}
	}
	if err := f.all(ctx, jobs); err != nil {
		return err
	}
	starts = f.ordered(hard, append(f.kinds[ofAfresh], starts...))
	f.kinds[ofAfresh] = slices.Clone(starts) // as they are: a tile may be hurt by refinement
	jobs = jobs[:0]
	for _, depth := range rankDepths {
		jobs = append(jobs, job{ofRanks, base, depth, false})
	}
	for _, m := range starts[:min(len(starts), mostStarts)] {
		jobs = append(jobs, job{ofAfresh, m, afreshDepth, false})
	}
	return f.all(ctx, jobs)
}

// all makes what jobs ask for, side by side, and ranks it.
func (f *portfolio) all(ctx context.Context, jobs []job) error {
	worst := f.slowdown(f.knows, f.base.StartMapping(), hard.links)
	found := make([]mapping.Mapping, len(jobs))
	var group errgroup.Group
	group.SetLimit(cmp.Or(f.Workers, runtime.GOMAXPROCS(0)))
	for i, j := range jobs {
		group.Go(func() error {
			p := *f.base
			f.form.levels(f.knows, &p, 1+j.depth*max(0, worst-1))
			p.Start = j.start
			var err error
			if j.hosts {
				found[i], err = byHosts(ctx, *f.Refine, &p)
			} else {
				found[i], err = f.Refine.Map(ctx, &p)
			}
			if err != nil {
				found[i] = nil // a refiner that refuses
			}
			return nil
		})
	}
	_ = group.Wait() // none gives an error
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, m := range found {
		if m != nil {
			f.kinds[jobs[i].kind] = append(f.kinds[jobs[i].kind], m)
		}
	}
	return nil
}

// mostStarts is how many of the mappings made afresh are worth refining.
const mostStarts = 2

// starts are what strategies make of the slots that each rule of sparing keeps,
// the most promising.
func (f *portfolio) starts(ctx context.Context) ([]mapping.Mapping, error) {
	var all []mapping.Mapping
	leaves := f.leafSwitches(f.knows, f.base.StartMapping())
	for _, rule := range sparings() {
		part, slots := colder(f.base, leaves, rule)
		for _, strategy := range f.Strategies {
			if strategy.Name == f.Refine.Name {
				continue
			}
			m, err := fresh(ctx, strategy, f.base, part, slots)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil { // one that refuses the problem has been told of in round 0
				all = append(all, m)
			}
		}
		if part == nil {
			break // nothing to spare
		}
	}
	all = f.ordered(hard, all)
	return all[:min(len(all), mostStarts)], nil
}

// fresh is a strategy's mapping of the part of a problem, or of the whole where
// there is no part.
func fresh(ctx context.Context, strategy mapping.Strategy, p, part *mapping.Problem, slots []int32) (mapping.Mapping, error) {
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
