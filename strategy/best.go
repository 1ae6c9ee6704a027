package strategy

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"remap/commgraph"
	"remap/kernighanlin"
	"remap/mapping"
	"remap/partition"
	"remap/rcm"
	"remap/tiling"
)

// effort is how hard best tries.
type effort struct {
	trials int           // multisections from different seeds, >= 1
	rounds int           // renewals of the winner, >= 0
	limit  time.Duration // no more work after it; 0 = none. With a limit the clock decides what is found
}

// usualEffort is that of best without options.
var usualEffort = effort{trials: 3, rounds: 1}

// Graphs of more vertices and half-edges than these get fewer trials, down to
// one, or none if they are grids, which partitioning seldom does better than
// tiling; and no renewal. A trial of a graph this size takes some seconds.
const (
	trialWork   = 1 << 21
	renewalWork = 1 << 20
)

// best tries several strategies and keeps the mapping with the fewest bytes
// times switches on the path, the earlier one of equals: tiling and, on a torus
// or mesh of the ranks' shape, the ranks laid onto it, which end the search when
// they reach the bound below which no mapping lies; identity, rcm, and
// multisections from several seeds; kl after these and from the problem's own
// start. The winner is then renewed part by part.
// Strategies that refuse the problem, such as tiling without a grid, are passed
// over; only when all refuse is the first refusal the error.
func best(e effort) mapping.Strategy {
	return mapping.Strategy{
		Refine: true,
		Name:   "best",
		Doc:    "the shortest average path of tiling, identity, rcm, kl and multisection+kl from several seeds, the winner renewed part by part",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			limited, cancel := ctx, context.CancelFunc(func() {})
			if e.limit > 0 {
				limited, cancel = context.WithTimeout(ctx, e.limit)
			}
			defer cancel()
			s := &search{Problem: p, outer: ctx, limited: limited}
			return s.run(e)
		},
	}
}

// bestWith reads the options of best.
func bestWith(values map[string]string) (mapping.Strategy, error) {
	e := usualEffort
	for option, set := range map[string]func(n int){
		"trials":  func(n int) { e.trials = n },
		"rounds":  func(n int) { e.rounds = n },
		"seconds": func(n int) { e.limit = time.Duration(n) * time.Second },
	} {
		if _, given := values[option]; !given {
			continue
		}
		least := 1
		if option == "rounds" {
			least = 0
		}
		n, err := whole(values, option, least, 100000)
		if err != nil {
			return mapping.Strategy{}, err
		}
		set(n)
	}
	return best(e), nil
}

// search is one run of best. Of the mappings offered it keeps the best.
type search struct {
	*mapping.Problem
	outer, limited context.Context // limited ends with the time limit, or with outer
	winner         mapping.Mapping
	least          int64 // bytes times switches of the winner
	refusal        error // the first
}

// member is a way to a mapping: strategies one after the other, every one's
// result offered.
type member struct {
	seed  uint64
	chain []mapping.Strategy
}

func (s *search) run(e effort) (mapping.Mapping, error) {
	kl := kernighanlin.Strategy()
	grids := []member{{s.Seed, []mapping.Strategy{tiling.Strategy(tiling.AllLevels), kl}}, {s.Seed, []mapping.Strategy{congruent(), kl}}}
	if err := s.offer(grids); err != nil {
		return nil, err
	}
	if s.proved() || s.winner != nil && work(s.Graph) > trialWork {
		return s.winner, nil
	}
	members := []member{{s.Seed, []mapping.Strategy{mapping.IdentityStrategy()}}, {s.Seed, []mapping.Strategy{rcm.Strategy()}}, {s.Seed, []mapping.Strategy{kl}}}
	seeds := rand.New(rand.NewPCG(s.Seed, 0x62657374)) // "best": a stream of its own
	seed := s.Seed
	for range trialsFor(s.Graph, e.trials) {
		members = append(members, member{seed, []mapping.Strategy{partition.Multisection(), kl}})
		seed = seeds.Uint64()
	}
	if err := s.offer(members); err != nil {
		return nil, err
	}
	if s.winner == nil && s.limited.Err() != nil { // no time for any
		s.limited = s.outer
		if err := s.offer(members[:1]); err != nil || s.winner == nil {
			return nil, cmp.Or(err, s.refusal)
		}
		return s.winner, nil
	}
	if s.winner == nil {
		return nil, s.refusal
	}
	if err := s.renew(e.rounds); err != nil {
		return nil, err
	}
	return s.winner, nil
}

// trialsFor is how many of the trials a graph gets.
func trialsFor(g *commgraph.Graph, trials int) int {
	return max(1, min(trials, trialWork/work(g)))
}

// work is the size of a graph: vertices and half-edges.
func work(g *commgraph.Graph) int { return g.Vertices() + len(g.Neighbors) + 1 }

// proved tells whether no mapping is better than the winner.
func (s *search) proved() bool {
	if s.winner == nil {
		return false
	}
	const rounding = 1e-9
	bound, err := tiling.LowerBound(s.Problem)
	return err == nil && float64(s.least) <= bound.PathBytes*(1+rounding)
}

// offer runs the members, side by side, and keeps the best of their results
// and of the winner before; of equals the earliest.
func (s *search) offer(members []member) error {
	results := make([]offers, len(members))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range members {
		group.Go(func() error {
			results[i] = s.follow(m)
			return nil
		})
	}
	_ = group.Wait() // no member gives an error
	if err := s.outer.Err(); err != nil {
		return err
	}
	for _, r := range results {
		if s.refusal == nil {
			s.refusal = r.refusal
		}
		if r.found != nil && (s.winner == nil || r.cost < s.least) {
			s.winner, s.least = r.found, r.cost
		}
	}
	return nil
}

// offers is what comes of a member: the best of its mappings, nil = none, and
// why it went no further.
type offers struct {
	found   mapping.Mapping
	cost    int64
	refusal error
}

// follow runs one member until one of its strategies refuses.
func (s *search) follow(m member) (o offers) {
	step := *s.Problem
	step.Seed = m.seed
	for _, strategy := range m.chain {
		found, err := strategy.Map(s.limited, &step)
		if err == nil {
			err = s.CheckMoves(found)
		}
		if err != nil {
			o.refusal = err
			return o
		}
		if cost := mapping.PathBytes(s.Machine, s.Allocation, s.Graph, found); o.found == nil || cost < o.cost {
			o.found, o.cost = found, cost
		}
		step.Start = found
	}
	return o
}

// renew improves the winner in rounds, until one gains nothing.
func (s *search) renew(rounds int) error {
	if s.Fixed != nil || s.MaxMoves > 0 || work(s.Graph) > renewalWork {
		return nil
	}
	r := newRenewal(s.Problem, s.winner, s.least)
	for range rounds {
		before := s.least
		if err := r.all(s.limited); err != nil && s.outer.Err() != nil {
			return err
		}
		s.winner, s.least = r.best, r.least
		step := *s.Problem
		step.Start = s.winner
		if m, err := kernighanlin.Strategy().Map(s.limited, &step); err == nil {
			if cost := mapping.PathBytes(s.Machine, s.Allocation, s.Graph, m); cost < s.least {
				s.winner, s.least, r.best, r.least = m, cost, m, cost
			}
		}
		if s.outer.Err() != nil || s.limited.Err() != nil || s.least == before {
			return s.outer.Err()
		}
	}
	return nil
}
