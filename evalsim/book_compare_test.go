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
	tallies      []bookTally
}

// bookTally is what has been seen of a port, by seed.
type bookTally struct {
	ours, theirs []float64 // congested fractions
	packets      float64   // sum over seeds
}

// compareBook runs both simulators with the seeds from first on: at least so many,
// at most so many, no more once the makespans are sure.
func compareBook(t testing.TB, c *bookCase, first, least, most int) *bookOutcome {
	t.Helper()
	x := &bookOutcome{c: c, tallies: make([]bookTally, len(c.top.Links))}
	var congested, packets float64
	for s := 0; s < least || s < most && (s%5 != 0 || x.err > bookSure); s++ {
		ours, b := playBoth(t, c, uint64(first+s))
		x.ours = append(x.ours, ours.Makespan/1000)
		x.theirs = append(x.theirs, b.nanoseconds()/1000)
		x.times = append(x.times, math.Log(x.ours[s]/x.theirs[s]))
		x.bias, x.err = meanError(x.times)
		congested += float64(ours.Congested)
		packets += float64(ours.PortHops)
		for i := range b.links {
			x.tallies[i].add(&ours.Links[i], &b.links[i])
			congested -= float64(b.links[i].congested)
		}
	}
	x.fraction = congested / max(1, packets)
	for i := range x.tallies {
		if p, ok := x.tallies[i].port(i, len(x.times)); ok {
			x.ports = append(x.ports, p)
			if math.Abs(p.difference) >= math.Abs(x.worst.difference) {
				x.worst = p
			}
		}
	}
	return x
}

// playBoth runs both simulators with one seed.
func playBoth(t testing.TB, c *bookCase, seed uint64) (*evalsim.Result, *book) {
	t.Helper()
	o, p := c.options, c.program(seed)
	o.Seed = seed
	b := newBook(c.top, p, c.hosts, o, seed)
	b.run()
	r, err := evalsim.Run(context.Background(), c.top, []evalsim.Job{{Program: p, Hosts: c.hosts}}, o)
	if err != nil {
		t.Fatalf("case %d: %v", c.number, err)
	}
	if err := b.check(); err != nil || b.packets != r.Packets {
		t.Fatalf("case %d: %d packets, by the book %d: %v", c.number, r.Packets, b.packets, err)
	}
	if (o.Routing == evalsim.Static || o.Routing == evalsim.FlowHash) && !c.rails() {
		for i := range b.links {
			if got, want := r.Links[i].Packets, b.links[i].sent; got != want {
				t.Fatalf("case %d, %s: link %d has %d packets, by the book %d", c.number, c.name, i, got, want)
			}
		}
	}
	return r, b
}

func (y *bookTally) add(ours *evalsim.LinkStats, theirs *bookLink) {
	y.packets += float64(theirs.crossed)
	if ours.Packets > 0 && theirs.crossed > 0 {
		y.ours = append(y.ours, float64(ours.Congested)/float64(ours.Packets))
		y.theirs = append(y.theirs, float64(theirs.congested)/float64(theirs.crossed))
	}
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
// first; of these only those of some links, unless some is nil.
func (x *bookOutcome) faults(some []int) (late bool, links []int) {
	ports := slices.Clone(x.ports)
	slices.SortFunc(ports, func(a, b bookPort) int {
		return cmp.Compare(math.Abs(b.difference), math.Abs(a.difference))
	})
	for i := range ports {
		if p := &ports[i]; p.off() && (some == nil || slices.Contains(some, p.link)) {
			links = append(links, p.link)
		}
	}
	return math.Abs(x.bias) > max(bookTime, bookSigmas*x.err), links
}

// stillOff tells whether a second comparison confirms the faults of a first.
func (x *bookOutcome) stillOff(late bool, ports []int) bool {
	lateAgain, portsAgain := x.faults(ports)
	return late && lateAgain || len(ports) > 0 && len(portsAgain) > 0
}

// text says how far off the case is.
func (x *bookOutcome) text(some []int) string {
	text := fmt.Sprintf("time %+.2f %% (+-%.2f)", 100*x.bias, 100*x.err)
	_, links := x.faults(some)
	if len(links) == 0 {
		return text
	}
	i := slices.IndexFunc(x.ports, func(p bookPort) bool { return p.link == links[0] })
	worst := x.portText(&x.ports[i])
	return fmt.Sprintf("%s; %d of %d ports, the worst %s", text, len(links), len(x.ports), worst)
}

func (x *bookOutcome) portText(p *bookPort) string {
	l := &x.c.top.Links[p.link]
	return fmt.Sprintf("link %d %s>%s: congested %+.3f (+-%.3f) against %.3f of %.0f packets", p.link,
		x.c.top.NodeName(l.From), x.c.top.NodeName(l.To), p.difference, p.err, p.fraction, p.packets)
}
