package evalsim_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"remap/evalsim"
)

// bookPort compares one port: congested fraction by evalsim less that by book.
type bookPort struct {
	link       int
	difference float64
	err        float64 // its standard error
	fraction   float64 // by book
	packets    float64 // mean over seeds
}

// off tells whether a port differs by more than chance and more than is allowed.
func (p *bookPort) off() bool { return math.Abs(p.difference) > max(bookFraction, bookSigmas*p.err) }

// bookOutcome compares one case.
type bookOutcome struct {
	c            *bookCase
	ours, theirs []float64 // by seed: makespans in us
	times        []float64 // by seed: logarithm of ours over theirs
	bias, err    float64   // mean of times and its standard error
	ports        []bookPort
	worst        bookPort // of the largest difference
	fraction     float64  // difference of the congested fractions of all packets
}

// bookTally is what has been seen of a port, by seed.
type bookTally struct {
	ours, theirs []float64 // congested fractions
	packets      float64   // sum over seeds
}

// bookRuns runs two simulators with a seed, first the one to test.
type bookRuns func(seed uint64) (ours, theirs bookRun)

// bookRun is what one simulator has to say of one run.
type bookRun struct {
	makespan           float64 // us
	packets, congested []int64 // length links: that crossed its switch port
}

// compareBook runs two simulators with the seeds from first on: at least so many,
// at most so many, no more once the makespans are sure.
func compareBook(c *bookCase, first, least, most int, play bookRuns) *bookOutcome {
	x := &bookOutcome{c: c}
	tallies := make([]bookTally, len(c.top.Links))
	var congested, packets float64
	for s := 0; s < least || s < most && (s%5 != 0 || x.err > bookSure); s++ {
		ours, theirs := play(uint64(first + s))
		x.ours = append(x.ours, ours.makespan)
		x.theirs = append(x.theirs, theirs.makespan)
		x.times = append(x.times, math.Log(ours.makespan/theirs.makespan))
		x.bias, x.err = meanError(x.times)
		for i := range tallies {
			y := &tallies[i]
			y.packets += float64(theirs.packets[i])
			if ours.packets[i] > 0 && theirs.packets[i] > 0 {
				y.ours = append(y.ours, float64(ours.congested[i])/float64(ours.packets[i]))
				y.theirs = append(y.theirs, float64(theirs.congested[i])/float64(theirs.packets[i]))
			}
			congested += float64(ours.congested[i] - theirs.congested[i])
			packets += float64(theirs.packets[i])
		}
	}
	x.fraction = congested / max(1, packets)
	for i := range tallies {
		if p, ok := tallies[i].port(i, len(x.times)); ok {
			x.ports = append(x.ports, p)
			if math.Abs(p.difference) >= math.Abs(x.worst.difference) {
				x.worst = p
			}
		}
	}
	return x
}

// confirmed compares a case, and where it is off once more with other seeds. It says
// what is off both times; nothing if nothing is.
func confirmed(c *bookCase, least, most int, play bookRuns) (*bookOutcome, string) {
	x := compareBook(c, 0, least, most, play)
	late, ports := x.faults(nil)
	if !late && len(ports) == 0 {
		return x, ""
	}
	again := compareBook(c, most, 30, 30, play)
	lateAgain, portsAgain := again.faults(ports)
	if late && lateAgain || len(portsAgain) > 0 {
		return x, again.text(portsAgain)
	}
	return x, ""
}

// playBook runs the oracle, shuffled or not.
func (c *bookCase) playBook(t testing.TB, seed, random uint64, shuffled bool) (*book, bookRun) {
	o := c.options
	o.Seed = seed
	b := newBook(c.top, c.program(seed), c.hosts, o, random)
	b.shuffled = shuffled
	r := bookRun{makespan: b.run() / 1000}
	if err := b.check(); err != nil {
		t.Fatalf("case %d: %v", c.number, err)
	}
	for i := range b.links {
		r.packets = append(r.packets, b.links[i].crossed)
		r.congested = append(r.congested, b.links[i].congested)
	}
	return b, r
}

// playBoth runs evalsim and the oracle.
func (c *bookCase) playBoth(t testing.TB, seed uint64) (ours, theirs bookRun) {
	t.Helper()
	o := c.options
	o.Seed = seed
	jobs := []evalsim.Job{{Program: c.program(seed), Hosts: c.hosts}}
	r, err := evalsim.Run(context.Background(), c.top, jobs, o)
	if err != nil {
		t.Fatalf("case %d: %v", c.number, err)
	}
	b, theirs := c.playBook(t, seed, seed, false)
	if r.Packets != b.packets {
		t.Fatalf("case %d: %d packets, by the book %d", c.number, r.Packets, b.packets)
	}
	ours.makespan = r.Makespan / 1000
	sameRoutes := (o.Routing == evalsim.Static || o.Routing == evalsim.FlowHash) && !c.rails()
	for i := range r.Links {
		got, want := r.Links[i].Packets, b.links[i].sent
		if sameRoutes && got != want {
			t.Fatalf("case %d, %s: link %d has %d packets, by the book %d", c.number, c.name, i, got, want)
		}
		if c.top.IsHost(c.top.Links[i].From) {
			got = 0 // no switch port
		}
		ours.packets = append(ours.packets, got)
		ours.congested = append(ours.congested, r.Links[i].Congested)
	}
	return ours, theirs
}

// port is the comparison of a port, if it has packets enough.
func (y *bookTally) port(link, seeds int) (p bookPort, ok bool) {
	p.link, p.packets = link, y.packets/float64(seeds)
	if p.packets < bookPackets || len(y.ours) < seeds {
		return p, false
	}
	ours, a := meanError(y.ours)
	theirs, b := meanError(y.theirs)
	p.difference, p.err, p.fraction = ours-theirs, math.Hypot(a, b), theirs
	return p, true
}

// meanError is the mean of values and its standard error.
func meanError(values []float64) (mean, err float64) {
	if len(values) < 2 {
		return stat.Mean(values, nil), 0
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	return mean, deviation / math.Sqrt(float64(len(values)))
}

// faults tells whether the time is off, and which ports are, largest difference
// first. Unless before is nil, ports must have been off before, in the same direction.
func (x *bookOutcome) faults(before []bookPort) (late bool, off []bookPort) {
	ports := slices.Clone(x.ports)
	slices.SortFunc(ports, func(a, b bookPort) int {
		return cmp.Compare(math.Abs(b.difference), math.Abs(a.difference))
	})
	for i := range ports {
		p := ports[i]
		same := func(q bookPort) bool { return q.link == p.link && q.difference*p.difference > 0 }
		if p.off() && (before == nil || slices.ContainsFunc(before, same)) {
			off = append(off, p)
		}
	}
	return math.Abs(x.bias) > max(bookTime, bookSigmas*x.err), off
}

// text says how far off the case is, and its ports, the worst first.
func (x *bookOutcome) text(off []bookPort) string {
	text := fmt.Sprintf("time %+.2f %% (+-%.2f)", 100*x.bias, 100*x.err)
	if len(off) > 0 {
		text += fmt.Sprintf("; %d of %d ports, the worst %s", len(off), len(x.ports), x.portText(&off[0]))
	}
	return text
}

func (x *bookOutcome) portText(p *bookPort) string {
	l := &x.c.top.Links[p.link]
	return fmt.Sprintf("link %d %s>%s: congested %+.3f (+-%.3f) against %.3f of %.0f packets", p.link,
		x.c.top.NodeName(l.From), x.c.top.NodeName(l.To), p.difference, p.err, p.fraction, p.packets)
}
