package strategy

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/topology"
)

// machines of every kind, small.
func machines(t testing.TB) []*topology.Topology {
	var list []*topology.Topology
	for _, spec := range []string{"fattree:nodes-per-leaf=2,leaves-per-pod=3,pods=2,aggs-per-pod=1," +
		"cores=3", "torus:4x3", "mesh:3x2x2",
		"dragonfly:groups=3,routers=2,hosts=2,global=1", "xgft:down=3x2,up=1x2"} {
		list = append(list, mustNetwork(t, spec))
	}
	return append(list, irregular(t))
}

// irregular is a dragonfly as a fabric file has it: routed by table, some paths
// longer than the way back.
func irregular(t testing.TB) *topology.Topology {
	var file bytes.Buffer
	if err := topology.WriteIBNetDiscover(&file, mustNetwork(t, "dragonfly:routers=4,hosts=2,global=2,"+
		"groups=5")); err != nil {
		t.Fatal(err)
	}
	machine, err := topology.ReadIBNetDiscover("irregular", &file)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

// drawProblem draws everything at once: graph, machine, uneven slots, spare
// slots, a start, fixed ranks, a limit of moves, and an objective.
func drawProblem(t *rapid.T, list []*topology.Topology) *mapping.Problem {
	p := &mapping.Problem{Machine: rapid.SampledFrom(list).Draw(t, "machine"),
		Seed: rapid.Uint64Range(0, 3).Draw(t, "seed")}
	hosts := rapid.Permutation(mapping.Identity(p.Machine.Hosts())).Draw(t, "hosts")
	a := &mapping.Allocation{Hosts: hosts[:rapid.IntRange(1, len(hosts)).Draw(t, "host count")]}
	most := rapid.SampledFrom([]int32{1, 1, 3}).Draw(t, "most slots")
	for range a.Hosts {
		a.Slots = append(a.Slots, rapid.Int32Range(1, most).Draw(t, "slots"))
	}
	p.Allocation = a
	slots := a.SlotCount()
	ranks := rapid.IntRange(0, slots).Draw(t, "ranks")
	var flows []commgraph.Flow
	for range rapid.IntRange(0, 4*ranks).Draw(t, "flows") {
		flows = append(flows, commgraph.Flow{From: rapid.Int32Range(0, int32(ranks)-1).Draw(t, "from"),
			To: rapid.Int32Range(0, int32(ranks)-1).Draw(t, "to"), Bytes: rapid.Int64Range(1, 1000).Draw(t, "bytes")})
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	p.Traffic, p.Graph = traffic, traffic.Graph()
	if rapid.Bool().Draw(t, "grid") {
		p.Grid = []int{max(1, ranks)}
		if ranks == 0 {
			p.Grid = nil
		}
	}
	if rapid.Bool().Draw(t, "started") {
		p.Start = mapping.Mapping(rapid.Permutation(mapping.Identity(slots)).Draw(t, "start"))[:ranks]
	}
	if rapid.Bool().Draw(t, "fixing") {
		p.Fixed = drawFixed(t, p, slots)
	}
	if rapid.Bool().Draw(t, "limited") {
		p.MaxMoves = rapid.IntRange(1, ranks+1).Draw(t, "most moves")
	}
	p.Objective = mapping.Objective(rapid.IntRange(0, len(mapping.Objectives())-1).Draw(t, "objective"))
	if rapid.IntRange(0, 3).Draw(t, "what links tell") == 0 { // as the feedback loop has it
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "links"), 1))
		p.LinkCost, p.LinkFree = make([]float64, len(p.Machine.Links)), make([]float64, len(p.Machine.Links))
		for l := range p.LinkCost {
			p.LinkCost[l], p.LinkFree[l] = 1+4*chance.Float64(), 0.35+chance.Float64()
		}
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

// drawFixed fixes some ranks, where they start or anywhere.
func drawFixed(t *rapid.T, p *mapping.Problem, slots int) []int32 {
	fixed := make([]int32, p.Ranks())
	places := p.StartMapping()
	if rapid.Bool().Draw(t, "elsewhere") {
		places = rapid.Permutation(mapping.Identity(slots)).Draw(t, "fixed slots")
	}
	for r := range fixed {
		if fixed[r] = -1; rapid.IntRange(0, 3).Draw(t, "is fixed") == 0 {
			fixed[r] = places[r]
		}
	}
	return fixed
}

func init() { tier.Checks(6, 100, 200) }

// All constraints at once, for every row of the table and some chains: exact
// capacities, fixed ranks on their slots, moved ranks within the limit, the
// same result again, the problem untouched. A refiner's result, and any under a
// limit, costs no more than the start; a start that fixed ranks force is
// compared instead of one that lacks them.
func TestConstraints(t *testing.T) {
	list := machines(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, list)
		before := print(p)
		for _, spec := range quickSpecs() {
			s, err := Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.Map(context.Background(), p)
			settled, _, wrong := p.WithSettledStart()
			var many *mapping.TooManyMoves
			if mayRefuse(err) || wrong != nil && errors.As(err, &many) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
			if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() {
				t.Fatalf("%s: %v for %d ranks: %v", spec, m, p.Ranks(), err)
			}
			for r, slot := range p.Fixed {
				if slot >= 0 && m[r] != slot {
					t.Fatalf("%s: rank %d is fixed to slot %d but sits on %d", spec, r, slot, m[r])
				}
			}
			if err := p.CheckMoves(m); err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
			if start := settled.StartMapping(); (s.Refine || p.MaxMoves > 0) && p.Cost(m) > p.Cost(start) {
				t.Fatalf("%s: from %g to %g", spec, p.Cost(start), p.Cost(m))
			}
			if again, err := s.Map(context.Background(), p); err != nil || !slices.Equal(m, again) {
				t.Fatalf("%s: %v, then %v, %v", spec, m, again, err)
			}
			if !bytes.Equal(before, print(p)) {
				t.Fatalf("%s: the problem was changed", spec)
			}
		}
	})
}

// A start that must change for the fixed ranks changes as little as can be:
// counted host by host, those that come to be there and those driven out.
func TestSettleMovesFew(t *testing.T) {
	list := machines(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, list)
		p.MaxMoves = 0
		settled, moves, err := p.WithSettledStart()
		if err != nil || !moves {
			t.Fatal(moves, err)
		}
		m, hosts := settled.StartMapping(), p.Allocation.HostOfSlot()
		room, stay, least := map[int32]int{}, map[int32]int{}, 0
		for _, h := range hosts {
			room[h]++
		}
		start := p.StartMapping()
		for r := range m {
			switch {
			case p.Fixed == nil || p.Fixed[r] < 0:
				stay[hosts[start[r]]]++
				continue
			case m[r] != p.Fixed[r]:
				t.Fatalf("rank %d is on slot %d, fixed to %d", r, m[r], p.Fixed[r])
			case hosts[p.Fixed[r]] != hosts[start[r]]:
				least++
			}
			room[hosts[p.Fixed[r]]]--
		}
		for h, count := range stay {
			least += max(0, count-room[h])
		}
		if got := p.Moves(m); got != least {
			t.Fatalf("%d ranks move, %d are enough", got, least)
		}
	})
}
