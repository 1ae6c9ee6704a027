package feedback

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/exchange"
	"remap/mapping"
	"remap/topology"
)

// sharedHosts is a random problem of ranks that share hosts, some slots spare, on
// links of which others use a random part.
func sharedHosts(t *rapid.T) (*mapping.Problem, mapping.Mapping) {
	machine, err := topology.Parse(rapid.SampledFrom([]string{
		"fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2", "torus:3x4",
		"dragonfly:groups=3,routers=2,hosts=2,global=1",
	}).Draw(t, "network"))
	if err != nil {
		t.Fatal(err)
	}
	hosts := machine.Hosts()
	slots := rapid.Int32Range(2, 4).Draw(t, "slots")
	a := &mapping.Allocation{Hosts: mapping.Identity(hosts), Slots: slices.Repeat([]int32{slots}, hosts)}
	ranks := rapid.IntRange(1, a.SlotCount()).Draw(t, "ranks")
	chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	var flows []commgraph.Flow
	for range 4 * ranks {
		flows = append(flows, commgraph.Flow{From: chance.Int32N(int32(ranks)),
			To: chance.Int32N(int32(ranks)), Bytes: chance.Int64N(1000)})
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	p := &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a, Seed: 5,
		Objective: mapping.Capacity,
		LinkFree:  make([]float64, len(machine.Links))}
	for l := range p.LinkFree {
		p.LinkFree[l] = 0.3 + 0.7*chance.Float64()
	}
	if rapid.Bool().Draw(t, "directed") {
		p.Traffic = traffic
	}
	m := mapping.Mapping{}
	for _, slot := range chance.Perm(a.SlotCount())[:ranks] {
		m = append(m, int32(slot))
	}
	return p, m
}

// A mapping of whole hosts has the same cost as its projection, under every objective, whichever
// hosts change places. Ranks of one host stay on one host, on the same slots within it.
func TestContractionKeepsCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, m := sharedHosts(t)
		p.Objective = rapid.SampledFrom([]mapping.Objective{mapping.PathLength, mapping.LinkLoad,
			mapping.Capacity}).Draw(t, "objective")
		h := contract(p, m)
		if !slices.Equal(h.project(h.problem.Start), m) {
			t.Fatal("the start does not come back")
		}
		if err := h.problem.Check(); err != nil {
			t.Fatal(err)
		}
		places := rapid.Permutation(mapping.Identity(len(p.Allocation.Hosts))).Draw(t, "places")
		coarse := mapping.Mapping(places[:h.problem.Ranks()])
		fine := h.project(coarse)
		if err := fine.Check(p.Allocation.SlotCount()); err != nil {
			t.Fatal(err)
		}
		if got, want := h.problem.Cost(coarse), p.Cost(fine); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("costs %g, projected %g", got, want)
		}
		slots := p.Allocation.Slots[0]
		for r := range m {
			for q := range m {
				if (m[r]/slots == m[q]/slots) != (fine[r]/slots == fine[q]/slots) {
					t.Fatalf("ranks %d and %d were on one host or two, and are not now", r, q)
				}
			}
			if m[r]%slots != fine[r]%slots {
				t.Fatalf("rank %d has another slot within its host", r)
			}
		}
	})
}

// The result is never worse than the start and is the same when repeated. Fixed ranks stay.
func TestByHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, m := sharedHosts(t)
		p.Start = m
		if rapid.Bool().Draw(t, "fixed") {
			p.Fixed = slices.Repeat([]int32{-1}, len(m))
			r := rapid.IntRange(0, len(m)-1).Draw(t, "rank")
			p.Fixed[r] = m[r]
		}
		refine := exchange.Strategy()
		got, err := byHosts(context.Background(), refine, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Check(p.Allocation.SlotCount()); err != nil || p.Cost(got) > p.Cost(m)*(1+1e-12) {
			t.Fatalf("%v; costs %g, the start %g", err, p.Cost(got), p.Cost(m))
		}
		for r, slot := range p.Fixed {
			if slot >= 0 && got[r] != slot {
				t.Fatalf("rank %d is fixed to slot %d and sits on %d", r, slot, got[r])
			}
		}
		again, _ := byHosts(context.Background(), refine, p)
		if !slices.Equal(got, again) {
			t.Fatal("another mapping the second time")
		}
	})
}

// Where hosts cannot change places nothing is contracted.
func TestNothingToContract(t *testing.T) {
	p := leaves(t, 8)
	for name, change := range map[string]func(p *mapping.Problem){
		"one slot a host": func(p *mapping.Problem) {},
		"different hosts": func(p *mapping.Problem) {
			p.Allocation.Slots = []int32{2, 1, 2, 2, 2, 2, 2,
				2}
		},
		"moves are counted": func(p *mapping.Problem) {
			p.Allocation.Slots,
				p.MaxMoves = slices.Repeat([]int32{2}, 8), 3
		},
	} {
		q, a := *p, *p.Allocation
		q.Allocation = &a
		change(&q)
		if contract(&q, mapping.Identity(8)) != nil {
			t.Errorf("%s: contracted", name)
		}
	}
}

// As many slots are left as there are ranks. No leaf switch loses a host while another one has a
// higher score.
func TestSelectHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := leaves(t, rapid.IntRange(1, 8).Draw(t, "ranks"))
		known := make([]leafSwitch, p.Machine.Switches())
		for i := range known {
			known[i] = leafSwitch{demand: rapid.Float64Range(0, 1).Draw(t, "demand"),
				each: rapid.Float64Range(0, 0.5).Draw(t, "each")}
		}
		for _, rule := range selectionRules() {
			part, slots := selectHosts(p, known, rule)
			if p.Ranks() == 8 {
				if part != nil {
					t.Fatal("slots were left out though none is to spare")
				}
				continue
			}
			if err := part.Check(); err != nil || len(slots) != p.Ranks() ||
				part.Allocation.SlotCount() != p.Ranks() {
				t.Fatalf("%d slots for %d ranks: %v", len(slots), p.Ranks(), err)
			}
			used := make([]int, len(known))
			for _, s := range slots {
				used[p.Machine.LeafSwitch(s)]++
			}
			press := func(at int32, hosts int) float64 {
				leaf := known[at]
				leaf.hosts = hosts
				return rule.score(&leaf)
			}
			for _, h := range p.Allocation.Hosts {
				for _, other := range p.Allocation.Hosts {
					a, b := p.Machine.LeafSwitch(h), p.Machine.LeafSwitch(other)
					if used[a] < 2 && used[b] > 0 && press(a, used[a]+1) < press(b, used[b]) {
						t.Fatalf("%s: leaf %d gave a host at score %g, leaf %d keeps %d at %g", rule.name, a,
							press(a, used[a]+1), b, used[b], press(b, used[b]))
					}
				}
			}
		}
	})
}
