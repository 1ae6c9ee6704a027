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

// best is as good as each of its members that apply, and more trials and rounds
// never make it worse.
func TestBestIsBest(t *testing.T) {
	for name, p := range problems(t) {
		got, err := mapWith(t, "best", p)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range []string{"identity", "rcm", "multisection", "multisection+kl", "kl", "tiling", "best:trials=1,rounds=0"} {
			if m, err := mapWith(t, spec, p); err == nil && pathBytes(p, m) < pathBytes(p, got) {
				t.Errorf("%s: %s costs %d, best %d", name, spec, pathBytes(p, m), pathBytes(p, got))
			}
		}
	}
}

func TestBestWhenAllRefuse(t *testing.T) {
	first, second := errors.New("no"), errors.New("nor I")
	refuse := func(err error) []mapping.Strategy {
		return []mapping.Strategy{{Name: "x", Map: func(context.Context, *mapping.Problem) (mapping.Mapping, error) { return nil, err }}}
	}
	s := &search{Problem: &mapping.Problem{}, outer: context.Background(), limited: context.Background()}
	if err := s.offer([]member{{chain: refuse(first)}, {chain: refuse(second)}}); err != nil || s.winner != nil || !errors.Is(s.refusal, first) {
		t.Errorf("got %v, %v and the refusal %v", s.winner, err, s.refusal)
	}
}

func TestOptionsOfBest(t *testing.T) {
	for spec, want := range map[string]string{
		"best:trials=0": "trials=0 is not a whole number from 1", "best:rounds=-1": "rounds=-1 is not a whole number from 0",
		"best:seconds=x": "seconds=x is not", "best:tries=3": `unknown option of strategy best "tries"`,
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
	begin := time.Now()
	m, err := best(effort{trials: 100, rounds: 100, limit: time.Millisecond}).Map(context.Background(), p)
	if err != nil || m.Check(4608) != nil || len(m) != 4608 {
		t.Fatalf("%v, %v", m.Check(4608), err)
	}
	if spent := time.Since(begin); spent > 5*time.Second {
		t.Errorf("took %v", spent)
	}
}

// What the parts gain the whole gains, on trees exactly; every rank is in one
// part, and the parts' slots are those their ranks sat on.
func TestRenewal(t *testing.T) {
	set := problems(t)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		p := set[name]
		start := mapping.Identity(p.Allocation.SlotCount())
		rand.New(rand.NewPCG(7, 8)).Shuffle(len(start), func(i, j int) { start[i], start[j] = start[j], start[i] })
		start = start[:p.Ranks()]
		r := newRenewal(p, start, pathBytes(p, start))
		for level := range r.places.Levels {
			before, cost := slices.Clone(r.best), r.least
			better, err := r.round(context.Background(), level, 2)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := r.best.Check(p.Allocation.SlotCount()); err != nil || pathBytes(p, r.best) != r.least {
				t.Errorf("%s: %v; costs %d, noted %d", name, err, pathBytes(p, r.best), r.least)
			}
			if better != (r.least < cost) || !better && !slices.Equal(before, r.best) {
				t.Errorf("%s: from %d to %d, better: %v", name, cost, r.least, better)
			}
		}
	}
}
