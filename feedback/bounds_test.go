package feedback

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// problem is a search on a program of ranks on all hosts of a machine, with its
// start evaluated by the simulator.
func problem(t rapid.TB, spec, pattern string, m mapping.Mapping,
	change func(*topology.Topology, *mapping.Allocation, *evalsim.Options)) *search {
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	program, err := workload.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	traffic, err := program.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	a := &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}
	o := evalsim.DefaultOptions()
	if change != nil {
		change(machine, a, &o)
	}
	s := DefaultSettings()
	s.Problem = &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Allocation: a, Seed: 1, Start: m}
	s.Traffic, s.Evaluate, s.Repeats = traffic, Simulator(machine, a, program, o, 1), 2
	s.Problem.Routing = mapping.RoutingNamed(o.Routing.String())
	s.Alone, s.Memory = true, func(host int32) float64 { return o.MemoryRate(machine, host) }
	s.Strategies = []mapping.Strategy{mapping.RandomStrategy()}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	search := newSearch(s)
	if err := search.evaluateStart(context.Background()); err != nil {
		t.Fatal(err)
	}
	return search
}

// TestBoundHolds: no simulated time is below the bound, for any mapping, slots,
// rails and routing, except the estimate of what others leave.
func TestBoundHolds(t *testing.T) {
	machines := []string{
		"fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0",
		"fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=3,aggs-per-pod=2,cores=2",
		"torus:4x4", "torus:4x4,gbps=400", "torus:3x5", "torus:2x3x3", "hyperx:3x4,hosts=2",
		"dragonfly:groups=4,routers=3,hosts=2,global=1",
		"xgft:down=2x3x2,up=2x2x1", "dragonfly:groups=3,routers=2,hosts=2,global=3",
	}
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom(machines).Draw(t, "machine")
		machine, err := topology.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		slots := rapid.IntRange(1, 2).Draw(t, "slots")
		ranks := rapid.IntRange(2, slots*machine.Hosts()).Draw(t, "ranks")
		pattern := rapid.SampledFrom([]string{"uniform:%d,rounds=3", "ring:%d,bytes=100000",
			"hotspot:%d,servers=1,traffic=writes"}).Draw(t, "pattern")
		m := mapping.Mapping(rapid.Permutation([]int32(mapping.Identity(slots*machine.Hosts()))).Draw(t,
			"mapping")[:ranks])
		routing := rapid.SampledFrom([]evalsim.Routing{evalsim.Adaptive, evalsim.RandomPacket,
			evalsim.FlowHash, evalsim.Static, evalsim.Valiant, evalsim.UGAL}).Draw(t, "routing")
		if routing >= evalsim.Valiant && machine.Routes.Intermediate == nil {
			t.Skip("no longer paths")
		}
		s := problem(t, spec, fmt.Sprintf(pattern, ranks), m,
			func(_ *topology.Topology, a *mapping.Allocation, o *evalsim.Options) {
				for range a.Hosts {
					a.Slots = append(a.Slots, int32(slots))
				}
				o.Routing = routing
			})
		for _, b := range append(s.bounds(s.best), s.paths(m)) {
			if b.Name == "foreign load" {
				t.Fatal("a job alone is slowed by others")
			}
			for _, time := range s.best.Evaluation.Times() {
				if time < b.NS*(1-1e-9) {
					t.Fatalf("%.1f ns, below the %s bound of %.1f ns", time, b.Name, b.NS)
				}
			}
		}
	})
}

// TestBoundsByHand: closed forms on a tree of two leaf switches of four hosts, one
// link up from each: 8 ranks, and times of 1000 bytes at the links' rate.
func TestBoundsByHand(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		m             mapping.Mapping // nil = identity
		slots         int32           // on each host, 1 or 2
		foreign       float64
		want          string
		times         float64 // of 1000 bytes
	}{
		{"ring within leaves but for two messages", "ring:8,bytes=1000", nil, 1, 0, "injection", 1},
		{"ring that always crosses", "ring:8,bytes=1000", mapping.Mapping{0, 4, 1, 5, 2, 6, 3, 7}, 1, 0,
			"taper", 4},
		{"two ranks a host, between hosts alone", "ring:8,bytes=1000",
			mapping.Mapping{0, 2, 4, 6, 1, 3, 5, 7}, 2, 0, "injection", 2},
		{"two ranks a host, half within", "ring:8,bytes=1000", nil, 2, 0, "injection", 1},
		{"two ranks a host, all within", "stencil2d:2x1,bytes=1000,edges=skip", nil, 2, 0, "memory",
			2 * 12.5 / 20},
		{"all to one", "hotspot:8,servers=1,traffic=writes,bytes=1000", nil, 1, 0, "heavy rank", 7},
		{"others have half", "ring:8,bytes=1000", nil, 1, 0.5, "foreign load", 2},
		{"others have little", "ring:8,bytes=1000", nil, 1, 0.02, "injection", 1},
	} {
		s := problem(t, "fattree:nodes-per-leaf=4,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0", c.pattern,
			c.m,
			func(_ *topology.Topology, a *mapping.Allocation, _ *evalsim.Options) {
				for range a.Hosts {
					a.Slots = append(a.Slots, c.slots)
				}
			})
		s.Alone = false
		for l := range s.best.observed.links.foreign {
			s.best.observed.links.foreign[l] = c.foreign
		}
		b, unit := s.bound(s.best), 1000/s.Problem.Machine.Links[0].BytesPerSecond*1e9
		if b.Name != c.want || math.Abs(b.NS/unit-c.times) > 1e-9 {
			t.Errorf("%s: %s bound of %g times 1000 bytes, want %s of %g", c.name, b.Name, b.NS/unit, c.want,
				c.times)
		}
		if any := c.slots == 1 && (c.want == "injection" || c.want == "heavy rank"); b.Any != any {
			t.Errorf("%s: holds for any mapping: %v", c.name, b.Any)
		}
	}
}

// On a torus the links out of a switch give the bound. On a torus whose hosts' links differ in
// rate, no bound holds for every mapping.
func TestBoundsElsewhere(t *testing.T) {
	s := problem(t, "torus:4", "ring:4,bytes=1000", nil, nil)
	if b := s.bound(s.best); b.Name != "injection" || !b.Any {
		t.Errorf("bound %+v on a ring of switches", b)
	}
	slow := problem(t, "torus:4", "ring:4,bytes=1000", nil, func(machine *topology.Topology,
		_ *mapping.Allocation, _ *evalsim.Options) {
		first, _ := machine.Out(2)
		machine.Links[first].BytesPerSecond /= 4
		for _, l := range machine.Ejection(2) {
			machine.Links[l].BytesPerSecond /= 4
		}
	})
	unit := 1000 / slow.Problem.Machine.Links[0].BytesPerSecond * 1e9
	if b := slow.bound(slow.best); b.Any || math.Abs(b.NS/unit-4) > 1e-9 {
		t.Errorf("bound %+v with one slow host", b)
	}
}

// TestBoundOfPods: what crosses pods needs the links to the core, fewer than those below.
func TestBoundOfPods(t *testing.T) {
	for _, c := range []struct {
		m    mapping.Mapping
		want float64
	}{
		// of 8 messages 4 leave each pod, over 4 links to the core of a quarter
		{mapping.Mapping{0, 4, 1, 5, 2, 6, 3, 7}, 4},
		{mapping.Mapping{0, 1, 4, 5, 2, 3, 6, 7}, 2}, // 2 leave each
	} {
		s := problem(t, "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2",
			"ring:8,bytes=1000", c.m, nil)
		machine := s.Problem.Machine
		unit := 1000 / machine.Links[0].BytesPerSecond * 1e9
		for i := range machine.Links {
			link := &machine.Links[i]
			if strings.Contains(machine.NodeName(link.From)+machine.NodeName(link.To), "core") {
				link.BytesPerSecond /= 4
			}
		}
		if b := s.bound(s.best); b.Name != "taper" || math.Abs(b.NS/unit-c.want) > 1e-9 {
			t.Errorf("%v: %s bound of %g times 1000 bytes, want taper of %g", c.m, b.Name, b.NS/unit, c.want)
		}
	}
}

// A job that is alone has no bound by foreign load: what it loses on links, it loses to itself.
func TestAloneHasNoForeignLoad(t *testing.T) {
	s := problem(t, "torus:4", "ring:4,bytes=1000", nil, nil)
	for l := range s.best.observed.links.foreign {
		s.best.observed.links.foreign[l] = 0.9
	}
	if b := s.bound(s.best); b.Name != "injection" {
		t.Errorf("bound %+v of a job alone", b)
	}
	s.Alone = false
	if b := s.bound(s.best); b.Name != "foreign load" {
		t.Errorf("bound %+v of a job among others", b)
	}
}

// The search ends within 5 % of what hosts' links need, and not sooner; it also ends where no
// message takes time. It does not end because of a mapping's own links between switches. It does
// not end where a time is below the bound, which is then of another volume.
func TestNothingToGain(t *testing.T) {
	for _, c := range []struct {
		bound   Bound
		elapsed float64
		ends    bool
	}{
		{Bound{"injection", 1000, false}, 1050, true}, {Bound{"injection", 1000, false}, 1051, false},
		{Bound{"ejection", 1000, true}, 1000, true}, {Bound{"heavy rank", 1000, true}, 1049, true},
		{Bound{"taper", 1000, false}, 1000, false}, {Bound{"foreign load", 1000, false}, 1000, false},
		{Bound{"injection", 1000, true}, 900, false}, {Bound{}, 0, true}, {Bound{}, 1000, false},
	} {
		if got := nothingToGain(c.bound, c.elapsed) != ""; got != c.ends {
			t.Errorf("%+v, elapsed %g: ends %v", c.bound, c.elapsed, got)
		}
	}
}

// Computed by hand: of 4 groups of 6 hosts with one link between any two groups, two groups are
// full of ranks, and all send to all. Under adaptive and static routing 6 x 6 messages cross that
// one link. The 3 links that leave a group would take them in 12, a host's link its own in 11. By
// longer paths they may use all 3 links.
func TestBoundOfDragonfly(t *testing.T) {
	const bytes = 10000
	for _, c := range []struct {
		routing evalsim.Routing
		name    string
		want    float64 // messages
	}{
		{evalsim.Adaptive, "minimal paths", 36},
		{evalsim.FlowHash, "minimal paths", 36}, {evalsim.Static, "static routes", 36},
		{evalsim.Valiant, "network", 12}, {evalsim.UGAL, "network", 12},
	} {
		pattern := fmt.Sprintf("alltoall:12,bytes=%d", bytes)
		s := problem(t, "dragonfly:groups=4,routers=3,hosts=2,global=1", pattern, mapping.Identity(12),
			func(_ *topology.Topology, _ *mapping.Allocation, o *evalsim.Options) { o.Routing = c.routing })
		unit := bytes / s.Problem.Machine.Links[0].BytesPerSecond * 1e9
		b, times := s.boundOf(s.best), float64(s.best.Summary.ElapsedNS)/unit
		t.Logf("%v: %s bound of %g messages, simulated %.3f", c.routing, b.Name, b.NS/unit, times)
		if b.Name != c.name || math.Abs(b.NS/unit-c.want) > 1e-9 {
			t.Errorf("%v: by hand it is the %s bound of %g", c.routing, c.name, c.want)
		}
		if p := s.paths(s.best.Mapping).NS / unit; p > times {
			t.Errorf("%v: paths need %g messages, simulated are %g", c.routing, p, times)
		}
	}
}

// Where the measured time is below a bound by more than the nanosecond of rounding, the result
// names the next bound.
func TestContradictedBoundIsNotNamed(t *testing.T) {
	s := problem(t, "torus:4", "ring:4,bytes=1000", nil, nil)
	s.Alone = false
	for l := range s.best.observed.links.foreign {
		s.best.observed.links.foreign[l] = 0.9
	}
	all := s.bounds(s.best)
	foreign, injection := all[len(all)-1], all[0]
	for _, c := range []struct {
		elapsed float64
		want    string
	}{
		{foreign.NS, foreign.Name}, {foreign.NS - 1, foreign.Name}, {foreign.NS - 2, injection.Name},
		{injection.NS, injection.Name}, {injection.NS - 2, "network"}, {1, ""},
	} {
		s.best.Summary.ElapsedNS = int64(math.Ceil(c.elapsed))
		if b := s.boundOf(s.best); b.Name != c.want {
			t.Errorf("elapsed %g ns: %s bound of %g ns is told, want %q", c.elapsed, b.Name, b.NS, c.want)
		}
	}
}
