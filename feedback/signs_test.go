package feedback

import (
	"context"
	"math"
	"testing"

	"remap/evalsim"
	"remap/fixtures"
	"remap/mapping"
	"remap/sampling"
)

// Without counts of others, congestion counts as theirs that the job does not meet with the network
// to itself. Congestion that it does meet then is its own.
func TestOthersToldByCongestion(t *testing.T) {
	p := leaves(t, 8)
	classes := mapping.NewLinkClasses(p.Machine)
	v, alone := newLinkView(len(p.Machine.Links)), newLinkView(len(p.Machine.Links))
	busy, both, own, markSeen := ups(p, 0), ups(p, 1), ups(p, 2), ups(p, 3)
	for i := range busy {
		v.Packets[busy[i]], v.Congested[busy[i]], v.Own[busy[i]] = 1000, 900, 0.2
		v.Packets[both[i]], v.Congested[both[i]] = 1000, 800
		v.Packets[own[i]], v.Congested[own[i]], v.Own[own[i]] = 1000, 600, 0.6
		alone.Packets[both[i]], alone.Congested[both[i]] = 500, 250
		alone.Packets[own[i]], alone.Congested[own[i]] = 500, 300
	}
	s := v.over(classes, alone)
	for _, c := range []struct {
		name    string
		link    int32
		foreign float64
	}{{"busy", busy[0], 0.72}, {"both", both[0], 0.6}, {"own", own[0], 0}, {"markSeen", markSeen[0], 0}} {
		if math.Abs(s.foreign[c.link]-c.foreign) > 1e-12 {
			t.Errorf("%s: others use %g, want %g", c.name, s.foreign[c.link], c.foreign)
		}
	}
	demand := s.signs.demand() // what others want is theirs without the job
	for link, want := range map[int32]float64{busy[0]: 0.9, both[0]: 0.6, own[0]: 0} {
		if math.Abs(demand[link]-want) > 1e-12 {
			t.Errorf("link %d: others want %g, not %g", link, demand[link], want)
		}
	}
	if d := demand[markSeen[0]]; d != 0 {
		t.Errorf("others want %g of a link that was not seen", d)
	}
	// Another mapping's packets tell of that link, and more of those that were seen.
	other := newLinkView(len(p.Machine.Links))
	for _, l := range markSeen {
		other.Packets[l], other.Congested[l] = 1000, 100
	}
	for _, l := range busy {
		other.Packets[l], other.Congested[l] = 3000, 2300
	}
	s.signs.add(other.over(classes, nil).signs)
	demand = s.signs.demand()
	if math.Abs(demand[markSeen[0]]-0.1) > 1e-12 || math.Abs(demand[busy[0]]-0.8) > 1e-12 {
		t.Errorf("others want %g and %g of links that another mapping has seen, not 0.1 and 0.8",
			demand[markSeen[0]], demand[busy[0]])
	}
}

// TestSignsCountWhatPasses: packets that pass under one mapping count against congestion under
// another, and a mapping whose packets nearly all wait for each other tells little.
func TestSignsCountWhatPasses(t *testing.T) {
	a, b := newSigns(2), newSigns(2)
	a.note(0, 100, 0.5, 0.7) // fewer wait than with the network to itself
	b.note(0, 100, 0.8, 0.2)
	a.note(1, 1000, 1, 0.99)
	b.note(1, 90, 0.1, 0)
	a.add(b)
	for link, want := range []float64{40. / 110, 19. / 100} {
		if got := a.demand()[link]; math.Abs(got-want) > 1e-12 {
			t.Errorf("link %d: others want %g, not %g", link, got, want)
		}
	}
	alone := newSigns(1)
	alone.note(0, 100, 0.5, 0.7)
	if d := alone.demand()[0]; d != 0 {
		t.Errorf("others want %g of a link where fewer packets wait than without them", d)
	}
}

// A search that reads samples simulates each mapping once with the network to itself and counts
// that simulation. It takes no closer look where it has the finer definition already.
func TestApartAndFine(t *testing.T) {
	u := opened(t, "io-gateway-small", 1)
	o := u.Options
	o.SteadySteps, o.Sampling, o.Congestion = 3, sampling.Reservoirs, SampledCongestion(o.PacketBytes)
	apart := 0
	alone := Simulator(u.Problem.Machine, u.Problem.Allocation, u.Program, o, 1)
	s := DefaultSettings()
	s.Problem, s.Traffic, s.Strategies = u.Problem, u.Traffic, []mapping.Strategy{mapping.RandomStrategy()}
	s.Evaluate = Simulator(u.Problem.Machine, u.Problem.Allocation, u.Program, o, 1, u.Background...)
	s.EvaluateAlone = func(ctx context.Context, m mapping.Mapping, first, count int) (*Evaluation, error) {
		apart++
		return alone(ctx, m, first, count)
	}
	s.View, s.FinerInSearch = SampledView(float64(o.PacketBytes)), true
	s.Repeats, s.Simulations, s.ValidationRepeats, s.Rounds, s.Patience = 1, 4, 0, 4, 4
	r, err := Optimize(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Simulations != 4 || apart != 4 || r.Runs != 4+4+1 || len(r.Candidates) != 4 {
		t.Errorf("%d mappings were simulated of %d, %d apart, %d repeats; "+
			"want 4 of 4, 4 and 9, one of them the last",
			r.Simulations, len(r.Candidates), apart, r.Runs)
	}
	s.Alone, apart = true, 0
	if _, err := Optimize(context.Background(), s); err != nil || apart != 0 {
		t.Errorf("a job alone was simulated apart %d times: %v", apart, err)
	}
}

// opened is a scenario made ready.
func opened(t *testing.T, name string, seed uint64) *fixtures.Setup {
	t.Helper()
	scenario, err := fixtures.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	u, err := scenario.Open(seed)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// besideAndAlone is what two repeats of the default mapping with full samples say of a job, by
// a definition of congested, beside the others and with the network to itself.
func besideAndAlone(t *testing.T, u *fixtures.Setup, c evalsim.Congestion) (beside, alone *Evaluation) {
	t.Helper()
	o := SearchOptions(u.Options)
	o.Sampling, o.Congestion = sampling.Reservoirs, c
	run := func(background ...evalsim.Job) *Evaluation {
		evaluate := Simulator(u.Problem.Machine, u.Problem.Allocation, u.Program, o, 2, background...)
		e, err := evaluate(context.Background(), mapping.Identity(u.Problem.Ranks()), 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	return run(u.Background...), run()
}

// TestSignsAgainstCounters: of what others use of the links that the job uses, samples say
// more when it is known what the job does by itself. How near they come to the
// simulator's counters is in the log (0.102 of a link's rate off in the mean, else 0.140).
func TestSignsAgainstCounters(t *testing.T) {
	u := opened(t, "spare-small", 1)
	machine, o := u.Problem.Machine, u.Options
	together, apart := besideAndAlone(t, u, SampledCongestion(o.PacketBytes))
	classes, view := mapping.NewLinkClasses(machine), SampledView(float64(o.PacketBytes))
	counted := ExactView(machine, together).over(classes, nil)
	restarts := view(machine, together).over(classes, nil)
	told := view(machine, together).over(classes, ExactView(machine, apart))
	wrong, wrongBlind, links := 0.0, 0.0, 0
	for l, own := range counted.own {
		if link := &machine.Links[l]; own > 0.02 && !machine.IsHost(link.From) && !machine.IsHost(link.To) {
			wrong += math.Abs(told.foreign[l] - counted.foreign[l])
			wrongBlind += math.Abs(restarts.foreign[l] - counted.foreign[l])
			links++
		}
	}
	wrong, wrongBlind = wrong/float64(links), wrongBlind/float64(links)
	t.Logf("%d links: mean error of others' share %.3f, "+
		"%.3f where the job's own congestion is taken for that of others",
		links, wrong, wrongBlind)
	if links == 0 || wrong >= wrongBlind {
		t.Errorf("%d links: samples are wrong by %.3f of the rate on average, by %.3f without the job alone",
			links, wrong, wrongBlind)
	}
}

// TestStreamsThatFillNoQueue: streams of others that fill half of a link, one behind the other
// and never a queue, show in the waits of the job's packets, where queues do not show them.
// Not all of them: the job's packets come in step with the streams (0.35 of a link's rate told
// of 0.50, 0.02 by queues).
func TestStreamsThatFillNoQueue(t *testing.T) {
	u := opened(t, "pf3d-small", 11)
	machine, classes := u.Problem.Machine, mapping.NewLinkClasses(u.Problem.Machine)
	read := func(c evalsim.Congestion) (counted, told *linkState) {
		together, apart := besideAndAlone(t, u, c)
		return ExactView(machine, together).over(classes, nil),
			SampledView(float64(u.Options.PacketBytes))(machine, together).over(classes,
				ExactView(machine, apart))
	}
	usual, _ := read(evalsim.Congestion{})
	_, queues := read(SampledCongestion(u.Options.PacketBytes))
	eighth := evalsim.Congestion{Rule: evalsim.WaitAbove, Bytes: u.Options.PacketBytes / 8,
		At: evalsim.AtDeparture}
	_, waits := read(eighth)
	want, byQueues, byWaits, links := 0.0, 0.0, 0.0, 0
	for l, foreign := range usual.foreign {
		link := &machine.Links[l]
		if machine.IsHost(link.From) || machine.IsHost(link.To) ||
			usual.own[l] < 0.02 || usual.congested[l] > 0.01 || math.Abs(foreign-0.5) > 0.1 {
			continue
		}
		want, links = want+foreign, links+1
		byQueues, byWaits = byQueues+queues.signs.busy(l), byWaits+waits.signs.busy(l)
	}
	n := float64(max(1, links))
	t.Logf("%d links: others use %.3f; %.3f by queues, %.3f by waits", links, want/n, byQueues/n, byWaits/n)
	if links < 10 || byWaits < 0.6*want || byQueues > 0.25*want {
		t.Error("waits tell too little of these links, or queues more than they can")
	}
}
