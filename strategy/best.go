package strategy

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"remap/exchange"
	"remap/mapping"
	"remap/partition"
	"remap/tiling"
)

// effort is how hard best tries.
type effort struct {
	trials int // multisections from different seeds, >= 1
	rounds int // of large neighbourhood search at the winner, >= 0

	// limit ends the search; 0 = none. With a limit the clock decides what is found.
	limit time.Duration
}

// best is a portfolio: it tries several strategies (members.go) and keeps the
// mapping of the least cost by the problem's objective, the earlier one of
// equals. Grids come first, and end the search when they reach the lower bound. The
// winner is then improved by large neighbourhood search and annealing. Every member
// keeps fixed ranks and the limit of moves.
// Strategies that refuse the problem, such as tiling without a grid, are passed
// over; only when all refuse is the first refusal the error.
func best(e effort) mapping.Strategy {
	return mapping.Strategy{
		Refine: true,
		Name:   "best",
		Doc: "a portfolio: the best of tiling, rcm, kl, swap, coordinates and multisection from several " +
			"seeds, refined, the winner improved by large neighbourhood search",
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			limited, cancel := ctx, context.CancelFunc(func() {})
			if e.limit > 0 {
				limited, cancel = context.WithTimeout(ctx, e.limit)
			}
			defer cancel()
			s := &portfolio{Problem: p, outer: ctx, limited: limited}
			return s.run(e)
		},
	}
}

// bestWith reads the options of best.
func bestWith(values map[string]string) (mapping.Strategy, error) {
	e := usualEffort
	for _, o := range []struct {
		name  string
		least int
		set   func(n int)
	}{
		{"trials", 1, func(n int) { e.trials = n }},
		{"rounds", 0, func(n int) { e.rounds = n }},
		{"seconds", 1, func(n int) { e.limit = time.Duration(n) * time.Second }},
	} {
		if _, given := values[o.name]; !given {
			continue
		}
		n, err := whole(values, o.name, o.least, 100000)
		if err != nil {
			return mapping.Strategy{}, err
		}
		o.set(n)
	}
	return best(e), nil
}

// portfolio is one run of best. Of the mappings offered it keeps the best.
type portfolio struct {
	*mapping.Problem
	outer, limited context.Context // limited ends with the time limit, or with outer
	winner         mapping.Mapping
	least          lexicographicCost // of the winner
	refusal        error             // the first
}

func (s *portfolio) run(e effort) (mapping.Mapping, error) {
	if err := s.offer(s.gridMembers()); err != nil {
		return nil, err
	}
	if s.proved() || s.winner != nil && s.free() && work(s.Graph) > trialWork {
		return s.winner, nil
	}
	members := s.members(e.trials)
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
	if err := s.improve(e.rounds); err != nil {
		return nil, err
	}
	if err := s.anneal(); err != nil {
		return nil, err
	}
	return s.winner, nil
}

// anneal runs swap with annealing from the winner, as far as there is time: on small
// problems side by side from several seeds, longer, and from higher temperatures.
func (s *portfolio) anneal() error {
	if s.proved() || work(s.Graph) > trialWork {
		return nil
	}
	tries := annealings(s.Problem)
	found, errs := make([]mapping.Mapping, len(tries)), make([]error, len(tries))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range tries {
		group.Go(func() error {
			step := *s.Problem
			step.Seed += uint64(i)
			found[i], errs[i] = exchange.Refine(s.limited, &step, s.winner, tries[i])
			return nil
		})
	}
	_ = group.Wait() // no try gives an error there
	for i, m := range found {
		if m == nil {
			if s.limited.Err() == nil {
				return errs[i]
			}
			continue
		}
		if c := costOf(s.Problem, m); c.less(s.least) {
			s.winner, s.least = m, c
		}
	}
	return s.outer.Err()
}

// annealings are one as swap has it, and on small problems some longer ones.
func annealings(p *mapping.Problem) []exchange.Options {
	tries := []exchange.Options{exchange.DefaultOptions}
	if p.Ranks() > annealRanks || p.Ranks() == 0 {
		return tries
	}
	for _, heat := range annealHeats {
		o := exchange.DefaultOptions
		o.Heat, o.Proposals = heat, max(o.Proposals, min(annealWork/work(p.Graph), annealPerRank*p.Ranks()))
		tries = append(tries, o)
	}
	return tries
}

// free tells whether only paths count and every rank may sit anywhere.
func (s *portfolio) free() bool {
	return s.Objective == mapping.PathLength && s.Fixed == nil && s.MaxMoves <= 0
}

// proved tells whether no mapping is better than the winner.
func (s *portfolio) proved() bool {
	if s.winner == nil || s.Objective != mapping.PathLength || s.LinkCost != nil {
		return false
	}
	const rounding = 1e-9
	bound, err := tiling.LowerBound(s.Problem)
	return err == nil && s.least.cost <= bound.PathBytes*(1+rounding)
}

// improve runs large neighbourhood search from the winner, in rounds, until one gains
// nothing. It is for bytes times path length alone, and not for tori and meshes, where
// the inside of a place matters to the ranks beyond.
func (s *portfolio) improve(rounds int) error {
	if !s.free() || s.onGrid() || work(s.Graph) > neighbourhoodWork {
		return nil
	}
	for round := range rounds {
		before := s.least
		m, err := partition.Improve(s.limited, s.Problem, s.winner, s.Seed+uint64(round))
		if err != nil && s.outer.Err() != nil {
			return err
		}
		s.winner, s.least = m, costOf(s.Problem, m)
		if err := s.offer([]member{{seed: s.Seed, start: s.winner, chain: s.refiners()}}); err != nil {
			return err
		}
		if s.limited.Err() != nil || s.least == before {
			return s.outer.Err()
		}
	}
	return nil
}
