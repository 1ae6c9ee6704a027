package feedback

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"remap/exchange"
	"remap/mapping"
)

// seeded is a search over a problem with one feedback state of others.
func seeded(t rapid.TB, ranks int) (*search, *feedbackState) {
	p := leaves(t, ranks)
	refine := exchange.Strategy()
	s := newSearch(Settings{Problem: p, Traffic: p.Traffic, Refine: &refine,
		Strategies: []mapping.Strategy{mapping.RandomStrategy(), mapping.CyclicStrategy()}})
	k := initialState(p, 1<<40)
	k.seconds = s.hostSeconds(mapping.Identity(ranks))
	return s, k
}

// Without others a job whose time is that of hosts' links has no slowdown. What others want on a
// link that the job uses never makes it faster, and on another link it changes nothing.
func TestSlowdown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, k := seeded(t, 8)
		m := mapping.Identity(8)
		power := rapid.SampledFrom([]float64{surrogatePower, 8}).Draw(t, "power")
		before := s.slowdown(k, m, power)
		if before > 1 {
			t.Fatalf("slowed down %g times by nobody", before)
		}
		l := rapid.IntRange(0, len(k.demand)-1).Draw(t, "link")
		k.demand[l] = rapid.Float64Range(0, 1).Draw(t, "demand")
		after := s.slowdown(k, m, power)
		used := mapping.LinkLoads(s.Problem.Machine, s.Problem.Allocation, s.Traffic, m)[l] > 0
		if after < before-1e-12 || !used && math.Abs(after-before) > 1e-12 {
			t.Fatalf("from %g to %g with others on a link (used: %v)", before, after, used)
		}
	})
}

// The higher the level, the more of every link is free. The more others want, the less is free.
func TestLevelsOfCapacities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, k := seeded(t, 8)
		for l := range k.demand {
			k.demand[l] = rapid.Float64Range(0, 1).Draw(t, "demand")
		}
		low := rapid.Float64Range(1, 2).Draw(t, "level")
		p, q := *s.Problem, *s.Problem
		k.applyCapacitiesAt(&p, low)
		k.applyCapacitiesAt(&q, low+rapid.Float64Range(0, 1).Draw(t, "more"))
		for l := range p.LinkFree {
			if p.LinkFree[l] > q.LinkFree[l] {
				t.Fatalf("link %d: %g free at the lower level, %g at the higher", l, p.LinkFree[l],
					q.LinkFree[l])
			}
			if l > 0 && (k.demand[l] < k.demand[0]) != (p.LinkFree[l] > p.LinkFree[0]) &&
				p.LinkFree[l] != p.LinkFree[0] {
				t.Fatalf("others want %g and %g, free are %g and %g", k.demand[0], k.demand[l], p.LinkFree[0],
					p.LinkFree[l])
			}
		}
	})
}

// At most as many mappings are made at a time as there are workers.
func TestPortfolioWorkers(t *testing.T) {
	for _, workers := range []int{1, 2} {
		s, k := seeded(t, 6)
		var active, most atomic.Int32
		plain := *s.Refine
		s.Workers, s.Refine = workers, &mapping.Strategy{Name: plain.Name, Refine: true,
			Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
				now := active.Add(1)
				defer active.Add(-1)
				for range 1000 { // lets the others run
					runtime.Gosched()
					most.Store(max(most.Load(), now, active.Load()))
				}
				return plain.Map(ctx, p)
			}}
		problem := *s.Problem
		k.applyCapacities(&problem)
		problem.Start = mapping.Identity(6)
		f := &portfolio{search: s, form: Models()[0], learned: k, restart: true}
		if _, err := f.pick("ranks", ofRanks).makes(context.Background(), &problem); err != nil {
			t.Fatal(err)
		}
		if got := int(most.Load()); got < 1 || got > workers {
			t.Errorf("%d mappings made at a time by %d workers", got, workers)
		}
	}
}

// What is picked was not seen before, is the best of its kind, and is the same every time, whatever
// the number of workers.
func TestPortfolio(t *testing.T) {
	s, k := seeded(t, 6)
	for _, l := range ups(s.Problem, 1) {
		k.demand[l] = 0.9
	}
	problem := *s.Problem
	k.applyCapacities(&problem)
	problem.Start = mapping.Identity(6)
	for _, kind := range []string{ofRanks, ofRestarts} {
		var last mapping.Mapping
		for range 2 {
			f := &portfolio{search: s, form: Models()[0], learned: k, restart: true}
			m, err := f.pick(kind, kind).makes(context.Background(), &problem)
			if err != nil || m.Check(8) != nil {
				t.Fatalf("%s: %v, %v", kind, err, m.Check(8))
			}
			for _, other := range f.kinds[kind] {
				if s.surrogateCost(k, other) < s.surrogateCost(k, m) {
					t.Errorf("%s: a better one was passed over", kind)
				}
			}
			if last != nil && !slices.Equal(last, m) {
				t.Errorf("%s: %v, then %v", kind, last, m)
			}
			last = m
		}
		f := &portfolio{search: s, form: Models()[0], learned: k, restart: true}
		s.seen[key(last)] = true
		if m, err := f.pick(kind, kind).makes(context.Background(), &problem); err == nil &&
			slices.Equal(m, last) {
			t.Errorf("%s: picked again", kind)
		}
	}
}
