package feedback

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
)

// fataler is a test, of whatever kind; nil where nothing can fail.
type fataler interface{ Fatal(...any) }

// leaves is a problem of ranks on a tree of four leaf switches of two hosts,
// with two links up from each.
func leaves(t fataler, ranks int) *mapping.Problem {
	machine, err := topology.Parse("fattree:nodes-per-leaf=2,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0")
	if err != nil {
		t.Fatal(err)
	}
	var flows []commgraph.Flow
	for r := range int32(ranks) {
		flows = append(flows, commgraph.Flow{From: r, To: (r + 1) % int32(ranks), Bytes: 1000})
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return &mapping.Problem{Graph: traffic.Graph(), Traffic: traffic, Machine: machine,
		Allocation: &mapping.Allocation{Hosts: mapping.Identity(8)}, Seed: 1}
}

// ups lists the links up from a leaf switch.
func ups(p *mapping.Problem, leaf int32) []int32 {
	var links []int32
	first, end := p.Machine.Out(p.Machine.NodeOf(leaf))
	for l := first; l < end; l++ {
		if !p.Machine.IsHost(p.Machine.Links[l].To) {
			links = append(links, l)
		}
	}
	return links
}

// The view has what the job and others have on a link, and how much of the job's the link found
// congested, as shares. All links of a class have what is known of each.
func TestExactView(t *testing.T) {
	p := leaves(t, 8)
	up := ups(p, 1)
	n := len(p.Machine.Links)
	r := &evalsim.Result{Makespan: 1000, Own: make([]evalsim.OwnLink, n), Links: make([]evalsim.LinkStats, n)}
	rate := p.Machine.Links[up[0]].BytesPerSecond * 1e-6 // bytes in the makespan
	r.Own[up[0]] = evalsim.OwnLink{Bytes: int64(rate / 4), Packets: 30, Congested: 15}
	r.Own[up[1]] = evalsim.OwnLink{Packets: 10, Congested: 5}
	r.Links[up[0]].Bytes = int64(rate/4) + int64(rate/2)
	e := &Evaluation{Results: []*evalsim.Result{r, {Makespan: 1000, Own: make([]evalsim.OwnLink, n),
		Links: make([]evalsim.LinkStats, n)}}}
	s := ExactView(p.Machine, e).over(mapping.NewLinkClasses(p.Machine), nil)
	for _, l := range up {
		// Half the time nothing was sent, and half of the class's links are unused.
		if math.Abs(s.own[l]-1./16) > 1e-3 || math.Abs(s.foreign[l]-1./8) > 1e-3 || s.congested[l] != 0.5 {
			t.Errorf("link %d: own %g, others %g, congested %g; want 1/16, 1/8, 1/2", l, s.own[l],
				s.foreign[l], s.congested[l])
		}
	}
	if l := ups(p, 2)[0]; s.own[l] != 0 || s.foreign[l] != 0 || s.congested[l] != 0 {
		t.Error("a link without packets tells something")
	}
}

// What is learned stays within its limits and comes nearer to a measurement that is repeated. With
// a gain of 0 nothing is learned of congestion. An older feedback state never changes.
func TestFeedbackState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := leaves(t, 8)
		n := len(p.Machine.Links)
		share := rapid.SliceOfN(rapid.Float64Range(0, 1), n, n)
		s := &linkState{congested: share.Draw(t, "congested"), own: share.Draw(t, "own"),
			foreign: share.Draw(t, "foreign")}
		k := initialState(p, 1<<40)
		weights := &Weights{factor: k.factors}
		gain := rapid.SampledFrom([]float64{0, 1, 4}).Draw(t, "gain")
		for range 30 {
			before := slices.Clone(k.prices)
			next := k.learn(s, weights, 1, gain)
			if !slices.Equal(before, k.prices) {
				t.Fatal("what was known has changed")
			}
			for l := range next.prices {
				want := 1 + gain*s.congested[l]
				if math.Abs(next.prices[l]-want) > math.Abs(k.prices[l]-want)+1e-12 {
					t.Fatalf("link %d: price from %g to %g, away from %g", l, k.prices[l], next.prices[l],
						want)
				}
				if d := next.demand[l]; d < k.demand[l] || d < s.foreign[l] || d > 1 || gain == 0 &&
					d > max(k.demand[l], s.foreign[l]) {
					t.Fatalf("link %d: others want %g, and use %g", l, d, s.foreign[l])
				}
				if c := next.correction[l]; c < leastCapacity || c > mostCapacity || gain == 0 && c != 1 {
					t.Fatalf("link %d: correction %g", l, c)
				}
			}
			k = next
		}
		for _, f := range Models() {
			problem := *p
			f.apply(k, &problem)
			if err := problem.Check(); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			for _, free := range problem.LinkFree {
				if free < leastLeft {
					t.Fatalf("%s: %g of a link is free", f.Name, free)
				}
			}
		}
	})
}

func TestParseForms(t *testing.T) {
	for _, f := range Models() {
		if found, err := ParseModels(f.Name); err != nil || len(found) != 1 || found[0].Name != f.Name {
			t.Errorf("%s: %v, %v", f.Name, found, err)
		}
	}
	if _, err := ParseModels("prices,capacity"); err == nil {
		t.Error("an unknown form passes")
	}
}

// Where phases are known, the model "phases" applies them and no other does. They cost what the
// whole does where they differ by a factor alone. Pairs made heavier are so in
// every phase.
func TestPhasesAreApplied(t *testing.T) {
	p := leaves(t, 8)
	half := func(t *commgraph.Traffic) *commgraph.Traffic {
		h := *t
		h.Bytes = make([]int64, len(t.Bytes))
		for i, b := range t.Bytes {
			h.Bytes[i] = b / 2
		}
		return &h
	}
	k := initialState(p, 1e9)
	k.phases = []*commgraph.Traffic{half(p.Traffic), half(p.Traffic)}
	k.seconds = 1e-6
	together, apart := *p, *p
	k.applyCapacities(&together)
	k.applyPhases(&apart)
	if together.Phases != nil || len(apart.Phases) != 2 {
		t.Fatalf("%d and %d phases", len(together.Phases), len(apart.Phases))
	}
	m := mapping.Mapping{7, 2, 5, 0, 1, 3, 6, 4}
	if a, b := together.Cost(m), apart.Cost(m); math.Abs(a-b) > 1e-9*a {
		t.Errorf("together %g, in two like halves %g", a, b)
	}
	heavy := apart
	for i := range k.factors {
		k.factors[i] = 2
	}
	k.applyPairs(&heavy)
	for i, b := range heavy.Traffic.Bytes {
		if got := heavy.Phases[0].Bytes[i] + heavy.Phases[1].Bytes[i]; got != b ||
			heavy.Phases[0].Bytes[i] == apart.Phases[0].Bytes[i] {
			t.Errorf("entry %d: phases have %d bytes, all %d", i, got, b)
		}
	}
}

// The own congestion of a job that is alone is no demand of others.
func TestAloneNoDemand(t *testing.T) {
	p := leaves(t, 8)
	n := len(p.Machine.Links)
	s := &linkState{congested: ones(n), own: ones(n), foreign: make([]float64, n)}
	for _, alone := range []bool{false, true} {
		k := initialState(p, 1e9)
		k.alone = alone
		next := k.learn(s, NewWeights(p.Graph, p.Traffic), 1e-6, 4)
		next = next.learn(s, NewWeights(p.Graph, p.Traffic), 1e-6, 4)
		for l, demand := range next.demand {
			if want := map[bool]float64{true: 0, false: 1}[alone]; demand != want {
				t.Fatalf("alone %v: others want %g of link %d, not %g", alone, demand, l, want)
			}
		}
	}
}
