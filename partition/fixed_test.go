package partition

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/mapping"
	"remap/placement"
)

// fixSome fixes some ranks to slots drawn at random.
func fixSome(p *mapping.Problem, chance *rand.Rand) {
	p.Fixed = make([]int32, p.Ranks())
	slots := chance.Perm(p.Allocation.SlotCount())
	for r := range p.Fixed {
		p.Fixed[r] = -1
		if chance.IntN(3) == 0 {
			p.Fixed[r] = int32(slots[r])
		}
	}
}

// Fixed ranks are exactly on their slots, all others on slots of their own,
// whatever the machine, and slots as chosen hold all fixed ones.
func TestFixedRanksStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := someProblem(t)
		fixSome(p, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "fixed"), 2)))
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		chosen := slotsFor(p)
		if len(chosen) != p.Ranks() || !slices.IsSorted(chosen) {
			t.Fatalf("%d slots chosen for %d ranks", len(chosen), p.Ranks())
		}
		for r, slot := range p.Fixed {
			if _, found := slices.BinarySearch(chosen, slot); slot >= 0 && !found {
				t.Fatalf("rank %d's slot %d is not chosen", r, slot)
			}
		}
		for _, s := range []mapping.Strategy{Bisection(), Multisection()} {
			m, err := s.Map(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() {
				t.Fatalf("%s: %v", s.Name, err)
			}
			for r, slot := range p.Fixed {
				if slot >= 0 && m[r] != slot {
					t.Fatalf("%s: rank %d is on slot %d, fixed to %d", s.Name, r, m[r], slot)
				}
			}
		}
	})
}

// The splits themselves, before any swap, keep fixed ranks in their blocks and
// fill every block exactly.
func TestSplitsFillBlocksExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := someProblem(t)
		fixSome(p, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "fixed"), 2)))
		l := placement.NewLayout(p, slotsFor(p))
		fixed := l.FixedBlocks()
		members, err := onMachine(context.Background(), p, l, fixed, rapid.Uint64Range(0, 2).Draw(t, "variant"),
			p.Seed)
		if err != nil {
			t.Fatal(err)
		}
		a := placement.NewAssignment(l.First, members)
		if err := a.Check(); err != nil {
			t.Fatal(err)
		}
		for r, b := range fixed {
			if b >= 0 && a.Block[r] != b {
				t.Fatalf("rank %d is in block %d, fixed to %d", r, a.Block[r], b)
			}
		}
	})
}

// All ranks but one fixed where a good mapping has them: the last one has but
// one place. All ranks fixed: nothing is left to do.
func TestAllFixed(t *testing.T) {
	for _, spec := range nets {
		machine := machineOf(t, spec)
		n := machine.Hosts()
		p := &mapping.Problem{Graph: grid(t, n, 1), Machine: machine, Allocation: everyHost(machine)}
		p.Fixed = name32(rand.New(rand.NewPCG(1, uint64(n))).Perm(n))
		want := slices.Clone(p.Fixed)
		for range 2 {
			m, err := Multisection().Map(context.Background(), p)
			if err != nil || !slices.Equal(m, want) {
				t.Fatalf("%s: %v, want %v: %v", spec, m, want, err)
			}
			p.Fixed[n/2] = -1
		}
	}
}

// Neighbours draw ranks to where they are fixed: two halves of a graph with
// their centres fixed at the far ends of a line go to these ends.
func TestFixedRanksDraw(t *testing.T) {
	machine := machineOf(t, "mesh:16")
	p := &mapping.Problem{Graph: grid(t, 16, 1), Machine: machine, Allocation: everyHost(machine),
		Fixed: make([]int32, 16)}
	for r := range p.Fixed {
		p.Fixed[r] = -1
	}
	p.Fixed[0], p.Fixed[15] = 15, 0 // the path the other way round
	m, err := Multisection().Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if length, _ := averages(p, m); length != 2 {
		t.Errorf("mapping %v: average path length %.4f, 2 is possible", m, length)
	}
}

// A fixed rank draws the others to its leaf switch when there is room elsewhere.
func TestSlotsBesideFixedOnes(t *testing.T) {
	machine := machineOf(t, "fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=3,aggs-per-pod=2,cores=2")
	p := &mapping.Problem{Graph: grid(t, 4, 1), Machine: machine, Allocation: everyHost(machine),
		Fixed: []int32{-1, 30, -1, -1}}
	if got := slotsFor(p); !slices.Equal(got, []int32{28, 29, 30, 31}) {
		t.Errorf("slots %v, want the leaf switch of slot 30", got)
	}
}
