package strategy

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"remap/internal/testkit"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/partition"
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

// best is as good as each of its members that apply, and as without large neighbourhood search.
func TestBestIsBest(t *testing.T) {
	tier.Long(t, "best on many problems: 2 s")
	for name, p := range someProblems(t) {
		got, err := mapWith(t, "best", p)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range []string{"identity", "rcm", "multisection", "multisection+kl", "kl", "swap",
			"tiling", "rcb", "best:trials=1,rounds=0"} {
			if m, err := mapWith(t, spec, p); err == nil && pathBytes(p, m) < pathBytes(p, got) {
				t.Errorf("%s: %s costs %d, best %d", name, spec, pathBytes(p, m), pathBytes(p, got))
			}
		}
	}
}

func TestBestWhenAllRefuse(t *testing.T) {
	first, second := errors.New("no"), errors.New("nor I")
	refuse := func(err error) []adapter {
		return []adapter{{Strategy: mapping.Strategy{Name: "x",
			Map: func(context.Context, *mapping.Problem) (mapping.Mapping, error) { return nil, err }}}}
	}
	s := &portfolio{Problem: &mapping.Problem{Graph: graphOf(t, 0)}, outer: context.Background(),
		limited: context.Background()}
	if err := s.offer([]member{{chain: refuse(first)}, {chain: refuse(second)}}); err != nil ||
		s.winner != nil || !errors.Is(s.refusal, first) {
		t.Errorf("got %v, %v and the refusal %v", s.winner, err, s.refusal)
	}
}

// A refiner that ends with something worse, as best does when time is short or
// the graph so large that it looks at tiling alone, gives the start.
func TestRefinersGiveTheStartBack(t *testing.T) {
	worse := adapter{keepsFixed: true, keepsLimit: true,
		Strategy: mapping.Strategy{Name: "worse", Refine: true, Map: mapping.CyclicStrategy().Map}}
	traffic, _ := mustTraffic(t, "ring:24")
	for _, objective := range []mapping.Objective{mapping.PathLength, mapping.LinkLoad, mapping.Mixed,
		mapping.Capacity} {
		slots := []int32{4, 4, 4, 4, 4, 4}
		p := &mapping.Problem{Graph: traffic.Graph(), Traffic: traffic, Machine: mustNetwork(t, "torus:6"),
			Objective:  objective,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(6), Slots: slots}}
		m, err := worse.adapted().Map(context.Background(), p)
		if err != nil || !slices.Equal(m, p.StartMapping()) {
			t.Errorf("%s: %v, %v; the start is better", objective, m, err)
		}
	}
}

func TestOptionsOfBest(t *testing.T) {
	for spec, want := range map[string]string{
		"best:trials=0": "trials=0 is not a whole number from 1", "best:rounds=-1": "rounds=-1 is not a whole " +
			"number from 0",
		"best:seconds=x,rounds=x,trials=x": "trials=x is not", // the first in the order they are listed in
		"best:seconds=x":                   "seconds=x is not",
		"best:tries=3":                     `unknown option of strategy best "tries"`,
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
}

// A time limit ends the search with the best so far, not with an error.
func TestTimeLimitOfBest(t *testing.T) {
	traffic, _ := mustTraffic(t, "uniform:4608")
	p := &mapping.Problem{Graph: traffic.Graph(), Machine: mustNetwork(t, "tapered"),
		Allocation: &mapping.Allocation{Hosts: mapping.Identity(4608)}}
	for _, limit := range []time.Duration{1, time.Millisecond, 100 * time.Millisecond} {
		begin := testkit.UserTime()
		m, err := best(effort{trials: 100, rounds: 100, limit: limit}).Map(context.Background(), p)
		if err != nil || m.Check(4608) != nil || len(m) != 4608 {
			t.Fatalf("%v, %v", m.Check(4608), err)
		}
		if spent := testkit.UserTime() - begin; spent > 5*time.Second {
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

// A round of large neighbourhood search leaves a mapping that is never worse, and on
// some problem a better one.
func TestImprove(t *testing.T) {
	gained := 0
	for name, p := range problems(t) {
		start := shuffled(p)
		m, err := partition.Improve(context.Background(), p, start, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() ||
			p.Cost(m) > p.Cost(start) {
			t.Errorf("%s: %v; from %g to %g", name, err, p.Cost(start), p.Cost(m))
		}
		if p.Cost(m) < p.Cost(start) {
			gained++
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if m, _ := partition.Improve(ended, p, start, 1); m.Check(p.Allocation.SlotCount()) != nil ||
			p.Cost(m) > p.Cost(start) {
			t.Errorf("%s: %v when its context has ended", name, m)
		}
	}
	if gained == 0 {
		t.Error("no problem gains")
	}
}
