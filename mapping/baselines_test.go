package mapping

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
)

func baselines() []Strategy {
	return []Strategy{IdentityStrategy(), CyclicStrategy(), RandomStrategy()}
}

func mustMap(t fataler, s Strategy, p *Problem) Mapping {
	t.Helper()
	m, err := s.Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// drawProblem draws a problem without traffic, some ranks fixed.
func drawProblem(t *rapid.T) *Problem {
	machine := drawNetwork(t)
	a := drawAllocation(t, machine)
	slots := a.SlotCount()
	ranks := rapid.IntRange(0, slots).Draw(t, "ranks")
	p := &Problem{Graph: &commgraph.Graph{Offsets: make([]int32, ranks+1)}, Machine: machine, Allocation: a,
		Seed: rapid.Uint64().Draw(t, "seed")}
	if rapid.Bool().Draw(t, "some fixed") {
		p.Fixed = drawMapping(t, ranks, slots)
		for r := range p.Fixed {
			if rapid.Bool().Draw(t, "free") {
				p.Fixed[r] = -1
			}
		}
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBaselinesKeepFixedRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		for _, s := range baselines() {
			m := mustMap(t, s, p)
			if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() {
				t.Fatalf("%s: %v: %v", s.Name, m, err)
			}
			for r, slot := range p.Fixed {
				if slot >= 0 && m[r] != slot {
					t.Fatalf("%s: rank %d is fixed to slot %d but sits on %d", s.Name, r, slot, m[r])
				}
			}
			if !slices.Equal(m, mustMap(t, s, p)) {
				t.Fatalf("%s: two runs differ", s.Name)
			}
		}
	})
}

// Dealing: no host holds two ranks more than another that still has room, and
// a host's ranks fill its slots in order.
func TestCyclicDeals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		p.Fixed = nil
		m := mustMap(t, CyclicStrategy(), p)
		held := make(map[int32]int32)
		within := p.Allocation.SlotWithinHost()
		ofSlot := p.Allocation.HostOfSlot()
		for r, s := range m {
			if host := ofSlot[s]; within[s] != held[host] {
				t.Fatalf("rank %d takes slot %d of a host with %d ranks", r, within[s], held[host])
			}
			held[ofSlot[s]]++
		}
		for i, h := range p.Allocation.Hosts {
			for j, other := range p.Allocation.Hosts {
				if held[h] > held[other]+1 && held[other] < p.Allocation.slots(j) {
					t.Fatalf("host %d of the list has %d ranks, host %d only %d and room", i, held[h], j, held[other])
				}
			}
		}
	})
}

func TestCyclicOrder(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	p := &Problem{Graph: &commgraph.Graph{Offsets: make([]int32, 7)}, Machine: machine,
		Allocation: &Allocation{Hosts: []int32{2, 0, 3}, Slots: []int32{2, 1, 3}}}
	// Slots: host 2 has 0 and 1, host 0 has 2, host 3 has 3, 4 and 5.
	if m := mustMap(t, CyclicStrategy(), p); !slices.Equal(m, Mapping{0, 2, 3, 1, 4, 5}) {
		t.Errorf("dealt %v", m)
	}
}

func TestIdentityIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		p.Fixed = nil
		if m := mustMap(t, IdentityStrategy(), p); !slices.Equal(m, Identity(p.Ranks())) {
			t.Fatalf("%v is not the identity", m)
		}
	})
}

// Over many seeds every rank comes to every slot about equally often: a
// chi-squared test with a threshold that chance exceeds once in a million.
func TestRandomIsUniform(t *testing.T) {
	machine := mustNetwork(t, "torus:6")
	p := &Problem{Graph: &commgraph.Graph{Offsets: make([]int32, 5)}, Machine: machine,
		Allocation: allHosts(machine)}
	var count [4][6]float64
	const seeds = 6000
	for p.Seed = range uint64(seeds) {
		for r, s := range mustMap(t, RandomStrategy(), p) {
			count[r][s]++
		}
	}
	for r := range count {
		var chi float64
		for _, c := range count[r] {
			chi += (c - seeds/6) * (c - seeds/6) / (seeds / 6)
		}
		if chi > 36 { // 5 degrees of freedom
			t.Errorf("rank %d on its slots %v times: chi-squared %.1f", r, count[r], chi)
		}
	}
}

func TestBaselinesHonourContext(t *testing.T) {
	machine := mustNetwork(t, "torus:4")
	p := &Problem{Graph: &commgraph.Graph{Offsets: make([]int32, 5)}, Machine: machine,
		Allocation: allHosts(machine)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range baselines() {
		if _, err := s.Map(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}
