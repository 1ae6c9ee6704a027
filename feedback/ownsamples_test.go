package feedback

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/counters"
	"remap/evalsim"
	"remap/internal/testkit"
	"remap/mapping"
	"remap/workload"
)

// What others do follows from what the job's packets met and what they meet alone, whatever the
// network, and however packets are spread over links that are used alike.
func TestFromSamplesFindsOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom([]string{leafTree, "torus:4x4",
			"dragonfly:groups=3,routers=2,hosts=3,global=1"}).
			Draw(t, "network")
		machine := parsed(t, spec)
		k := mapping.NewLinkClasses(machine)
		n := len(machine.Links)
		s := &counters.Samples{Packets: make([]float64, n), Congested: make([]float64, n),
			Known: make([]bool, n)}
		alone := newLinkView(n)
		own, others := make([]float64, n), make([]float64, n) // by class
		used := make([]bool, n)
		for c := range k.Sizes {
			own[c], others[c] = rapid.Float64Range(0, 0.9).Draw(t, "own"),
				rapid.Float64Range(0, 1).Draw(t, "others")
			used[c] = rapid.Bool().Draw(t, "used")
		}
		crossed := make([]bool, n) // by class
		for l, c := range k.Of {
			if machine.IsHost(machine.Links[l].From) || !used[c] {
				continue
			}
			s.Packets[l] = float64(rapid.IntRange(0, 1000).Draw(t, "packets"))
			s.Congested[l] = s.Packets[l] * (1 - (1-own[c])*(1-others[c]))
			s.Known[l] = s.Packets[l] > 0
			crossed[c] = crossed[c] || s.Known[l]
			alone.Packets[l] = 1 + float64(rapid.IntRange(0, 1000).Draw(t, "alone"))
			alone.Congested[l] = alone.Packets[l] * own[c]
		}
		m := fromSamples(machine, s, alone)
		lowest, highest := 1.0, 0.0 // of links between switches that packets told of
		for l, c := range k.Of {
			link := &machine.Links[l]
			if !machine.IsHost(link.From) && !machine.IsHost(link.To) && crossed[c] {
				lowest, highest = min(lowest, others[c]), max(highest, others[c])
			}
		}
		alike, idle := 0, 0
		for l, c := range k.Of {
			link := &machine.Links[l]
			port, told := !machine.IsHost(link.From), !machine.IsHost(link.From) && crossed[c]
			if m.Known[l] != told {
				t.Fatalf("link %d told: %v", l, m.Known[l])
			}
			free := m.Foreign[l] == 0 && m.Congested[l] == 0
			met := 1 - (1-own[c])*(1-others[c])
			switch {
			case told && (math.Abs(m.Foreign[l]-others[c]) > 1e-9 || math.Abs(m.Congested[l]-met) > 1e-9):
				t.Fatalf("link %d: others %g, congested %g, want %g and %g", l, m.Foreign[l], m.Congested[l],
					others[c], met)
			case told && !s.Known[l]:
				alike++
			case told:
			case !port || machine.IsHost(link.To):
				if !free {
					t.Fatalf("link %d of a host: others %g, congested %g", l, m.Foreign[l], m.Congested[l])
				}
				if port {
					idle++
				}
			case m.Foreign[l] == 0: // no link of its kind was told of, or nothing of these
				idle++
			case m.Foreign[l] < lowest-1e-9 || m.Foreign[l] > highest+1e-9:
				t.Fatalf("link %d: others %g, beyond %g to %g of those told", l, m.Foreign[l], lowest,
					highest)
			default:
				alike++
			}
		}
		if m.Alike+m.Idle != alike+idle || m.Alike < alike {
			t.Fatalf("%d alike, %d idle, want %d and %d", m.Alike, m.Idle, alike, idle)
		}
	})
}

// A link that no packet crossed is as the known links between the same levels, and a link to a host
// is free.
func TestFromSamplesUnseenLinks(t *testing.T) {
	p := leaves(t, 8)
	machine := p.Machine
	n := len(machine.Links)
	s := &counters.Samples{Packets: make([]float64, n), Congested: make([]float64, n), Known: make([]bool, n)}
	tell := func(links []int32, share float64) {
		for _, l := range links {
			s.Packets[l], s.Congested[l], s.Known[l] = 100, 100*share, true
		}
	}
	tell(ups(p, 0), 0.2)
	tell(ups(p, 1), 0.6)
	m := fromSamples(machine, s, newLinkView(n))
	for l := range machine.Links {
		link := &machine.Links[l]
		want := 0.0
		switch leaf := machine.NodeOf(0); {
		case machine.IsHost(link.From) || machine.IsHost(link.To): // free
		case slices.Contains(ups(p, 0), int32(l)):
			want = 0.2
		case slices.Contains(ups(p, 1), int32(l)):
			want = 0.6
		case link.From >= leaf && link.From < machine.NodeOf(4): // up from other leaf switches
			want = 0.4
		}
		if math.Abs(m.Foreign[l]-want) > 1e-12 {
			t.Errorf("%s to %s: others %g, want %g", machine.NodeName(link.From), machine.NodeName(link.To),
				m.Foreign[l], want)
		}
	}
	if m.Alike != 4 || m.Idle != 8+8 {
		t.Errorf("%d alike, %d idle; want 4 and 16", m.Alike, m.Idle)
	}
}

// sampledTree has room for its hosts at every level, so that a job alone seldom waits.
const sampledTree = "fattree:nodes-per-leaf=4,leaves-per-pod=6,pods=1,aggs-per-pod=4,cores=0"

// sampledRun is a job on every second host of sampledTree, and what its packets tell of a run.
func sampledRun(t *testing.T, o evalsim.Options, others ...evalsim.Job) (*MeasuredRun, *counters.Samples) {
	t.Helper()
	machine := parsed(t, sampledTree)
	_, even := everySecond(machine)
	program, err := workload.ParsePattern("uniform:12,rounds=128")
	if err != nil {
		t.Fatal(err)
	}
	r := &MeasuredRun{Machine: machine, Allocation: &mapping.Allocation{Hosts: even}, Program: program,
		Previous: mapping.Identity(12), Options: o, Routing: mapping.MinimalRouting, Workers: 1}
	jobs := append([]evalsim.Job{{Program: program, Hosts: even}}, others...)
	o.Seed += 1000
	file := testkit.LinksFile(t, machine, jobs, o, 2)
	s, err := counters.ReadSamples(machine, "run.csv", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

// A job alone finds no others but for noise. A job beside others finds those that it meets, by
// either definition of congested.
func TestFromSamplesOfRuns(t *testing.T) {
	o := evalsim.DefaultOptions()
	for _, c := range []evalsim.Congestion{{}, SampledCongestion(o.PacketBytes)} {
		o.Congestion = c
		r, s := sampledRun(t, o)
		alone, err := FromSamples(context.Background(), r, s)
		if err != nil {
			t.Fatal(err)
		}
		up := func(l int) (leaf string, is bool) {
			link := &r.Machine.Links[l]
			leaf = r.Machine.NodeName(link.From)
			return leaf, strings.HasPrefix(leaf, "leaf") && !r.Machine.IsHost(link.To)
		}
		sum, count := 0.0, 0
		for l := range r.Machine.Links {
			link := &r.Machine.Links[l]
			if !r.Machine.IsHost(link.From) && !r.Machine.IsHost(link.To) {
				sum += alone.Foreign[l]
				count++
			}
			if _, is := up(l); is && !(alone.Foreign[l] < 0.1) {
				t.Errorf("%v: link %d: others %.3f where there are none", c, l, alone.Foreign[l])
			}
		}
		if mean := sum / float64(count); !(mean < 0.05) {
			t.Errorf("%v: links between switches: others %.3f on average where there are none", c, mean)
		}
		// A ring sends from one leaf switch to the next, over the links up from leaf switches 0 to 3.
		odd, _ := everySecond(r.Machine)
		program, err := workload.ParsePattern("ring:8,bytes=65536")
		if err != nil {
			t.Fatal(err)
		}
		r, s = sampledRun(t, o, evalsim.Job{Program: program, Hosts: odd[:8], Endless: true})
		beside, err := FromSamples(context.Background(), r, s)
		if err != nil {
			t.Fatal(err)
		}
		for l := range r.Machine.Links {
			leaf, is := up(l)
			crowded := slices.Contains([]string{"leaf0", "leaf1", "leaf2", "leaf3"}, leaf)
			if is && crowded != (beside.Foreign[l] > 0.15) {
				t.Errorf("%v: link %d up from %s: others %.3f", c, l, leaf, beside.Foreign[l])
			}
		}
	}
}
