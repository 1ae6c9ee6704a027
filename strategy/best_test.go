package strategy

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"remap/mapping"
)

func mapWith(t testing.TB, spec string, p *mapping.Problem) (mapping.Mapping, error) {
	t.Helper()
	s, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s.Map(context.Background(), p)
}

func pathBytes(p *mapping.Problem, m mapping.Mapping) int64 {
	return mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m)
}

// best is as good as each of its members that apply, and as without renewal.
func TestBestIsBest(t *testing.T) {
	for name, p := range someProblems(t) {
		got, err := mapWith(t, "best", p)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range []string{"identity", "rcm", "multisection", "multisection+kl", "kl", "swap", "tiling", "rcb", "best:trials=1,rounds=0"} {
			if m, err := mapWith(t, spec, p); err == nil && pathBytes(p, m) < pathBytes(p, got) {
				t.Errorf("%s: %s costs %d, best %d", name, spec, pathBytes(p, m), pathBytes(p, got))
			}
		}
	}
}

func TestBestWhenAllRefuse(t *testing.T) {
	first, second := errors.New("no"), errors.New("nor I")
	refuse := func(err error) []keeper {
		return []keeper{{Strategy: mapping.Strategy{Name: "x", Map: func(context.Context, *mapping.Problem) (mapping.Mapping, error) { return nil, err }}}}
	}
	s := &search{Problem: &mapping.Problem{Graph: graphOf(t, 0)}, outer: context.Background(), limited: context.Background()}
	if err := s.offer([]member{{chain: refuse(first)}, {chain: refuse(second)}}); err != nil || s.winner != nil || !errors.Is(s.refusal, first) {
		t.Errorf("got %v, %v and the refusal %v", s.winner, err, s.refusal)
	}
}

// A refiner that ends with something worse, as best does when time is short or
// the graph so large that it looks at tiling alone, gives the start.
func TestRefinersGiveTheStartBack(t *testing.T) {
	worse := keeper{fixed: true, limit: true, Strategy: mapping.Strategy{Name: "worse", Refine: true, Map: mapping.CyclicStrategy().Map}}
	traffic, _ := mustTraffic(t, "ring:24")
	for _, objective := range []mapping.Objective{mapping.PathLength, mapping.LinkLoad, mapping.Mixed, mapping.Capacity} {
		slots := []int32{4, 4, 4, 4, 4, 4}
		p := &mapping.Problem{Graph: traffic.Graph(), Traffic: traffic, Machine: mustNetwork(t, "torus:6"), Objective: objective,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(6), Slots: slots}}
		m, err := worse.kept().Map(context.Background(), p)
		if err != nil || !slices.Equal(m, p.StartMapping()) {
			t.Errorf("%s: %v, %v; the start is better", objective, m, err)
		}
	}
}

func TestOptionsOfBest(t *testing.T) {
	for spec, want := range map[string]string{
		"best:trials=0": "trials=0 is not a whole number from 1", "best:rounds=-1": "rounds=-1 is not a whole number from 0",
		"best:seconds=x,rounds=x,trials=x": "trials=x is not", // the first in the order they are listed in
		"best:seconds=x":                   "seconds=x is not", "best:tries=3": `unknown option of strategy best "tries"`,
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
}

// A time limit ends the search with the best so far, not with an error.
func TestTimeLimitOfBest(t *testing.T) {
	traffic, _ := mustTraffic(t, "uniform:4608")
	p := &mapping.Problem{Graph: traffic.Graph(), Machine: mustNetwork(t, "tapered"), Allocation: &mapping.Allocation{Hosts: mapping.Identity(4608)}}
	for _, limit := range []time.Duration{1, time.Millisecond, 100 * time.Millisecond} {
		begin := time.Now()
		m, err := best(effort{trials: 100, rounds: 100, limit: limit}).Map(context.Background(), p)
		if err != nil || m.Check(4608) != nil || len(m) != 4608 {
			t.Fatalf("%v, %v", m.Check(4608), err)
		}
		if spent := time.Since(begin); spent > 5*time.Second {
			t.Errorf("took %v", spent)
		}
	}
}

// shuffled puts the ranks on slots at random.
func shuffled(p *mapping.Problem) mapping.Mapping {
	m := mapping.Identity(p.Allocation.SlotCount())
	rand.New(rand.NewPCG(7, 8)).Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
	return m[:p.Ranks()]
}

// A round of renewal leaves a mapping, and never a worse one.
func TestRenewal(t *testing.T) {
	set := problems(t)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		p := set[name]
		start := shuffled(p)
		r := newRenewal(p, start, p.Cost(start))
		for level := range r.places.Levels {
			before, cost := slices.Clone(r.best), r.least
			better, err := r.round(context.Background(), level, 2)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := r.best.Check(p.Allocation.SlotCount()); err != nil || p.Cost(r.best) != r.least {
				t.Errorf("%s: %v; costs %g, noted %g", name, err, p.Cost(r.best), r.least)
			}
			if better != (r.least < cost) || !better && !slices.Equal(before, r.best) {
				t.Errorf("%s: from %g to %g, better: %v", name, cost, r.least, better)
			}
		}
	}
}

// On a tree the whole gains exactly what its parts gain, every rank is in one
// part, and its parts begin as the whole is.
func TestPartsAreIndependentOnTrees(t *testing.T) {
	gained := false
	for name, p := range problems(t) {
		if strings.Contains(name, "torus") {
			continue
		}
		start := shuffled(p)
		r := newRenewal(p, start, p.Cost(start))
		for level := range r.places.Levels {
			for size := range 2 {
				parts := r.parts(level, size+1)
				if !slices.Equal(r.with(parts), start) {
					t.Fatalf("%s: the parts do not begin as the whole is", name)
				}
				ranks, gain := 0, int64(0)
				for i := range parts {
					ranks += len(parts[i].ranks)
					gain += pathBytes(&parts[i].Problem, parts[i].Start)
					if err := parts[i].improve(context.Background(), r.solve); err != nil {
						t.Fatal(err)
					}
					gain -= pathBytes(&parts[i].Problem, parts[i].Start)
				}
				if got := pathBytes(p, start) - pathBytes(p, r.with(parts)); ranks != p.Ranks() || got != gain {
					t.Errorf("%s, sets of %d at level %d: the parts hold %d of %d ranks and gain %d, the whole %d", name, size+1, level, ranks, p.Ranks(), gain, got)
				}
				gained = gained || gain > 0
			}
		}
	}
	if !gained {
		t.Error("no part of any problem gains")
	}
}
