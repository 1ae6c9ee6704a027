// Package counters reads what a site has measured of its links, such as port
// counters of an InfiniBand fabric, and turns it into the rate and the stalls
// of every link of a topology.
package counters

import (
	"fmt"
	"strings"

	"remap/topology"
)

// Links is what was measured of the links of a network.
type Links struct {
	// Rate (length links): bytes a second that the link carried, at most what it can; 0 unless Known.
	Rate []float64
	// Congested (length links): share of the time in which the port had data and could send none, 0 to
	// 1; 0 where nobody says.
	Congested []float64
	// Known (length links): the rate was measured.
	Known []bool
	Count Count
	// Warnings: what was assumed, missing or not used, by name.
	Warnings []string
	// Windows: the intervals between snapshots, or tables, in order of time; nil where there is one.
	Windows []*Links

	back []int32 // links that leave ports of which a counter went back
}

// Count says how links and ports were measured.
type Count struct {
	// Measured: links with a rate, those of FarEnd included.
	Measured int
	// FarEnd: of these by what the port at the far end received, as their own said nothing.
	FarEnd int
	// Dead: nodes whose file was empty.
	Dead int
	// Missing: links whose port is in no file, or in one of two snapshots alone.
	Missing int
	// Saturated: ports of which a counter stood at its end.
	Saturated int
	// Reset: ports of which a counter went back.
	Reset int
	// Clamped: links above their rate, or that stood still for more than the time.
	Clamped int
	// Strange: ports in the files that the network does not have.
	Strange int
}

// Options steer the reading. The zero value but for Tick -1 takes what files say.
type Options struct {
	// Seconds: from one snapshot to the next, or that a table covers; 0 = not known.
	Seconds float64
	// Tick: of PortXmitWait as perfquery -c prints it, 0 to 255; -1 = as the files say, else by the
	// family of the switch.
	Tick int
	// Columns: column of a table for each role (Roles) that its own names do not tell.
	Columns map[string]string
}

// mostNamed is how many ports a warning names.
const mostNamed = 4

// inTime is how far above the rate a full link may seem: all ports are never read
// in the same instant.
const inTime = 1.01

// builder fills Links.
type builder struct {
	machine *topology.Topology
	*Links
	far []float64 // length links: rate by what the far end received, -1 = not known
}

func newBuilder(machine *topology.Topology) *builder {
	n := len(machine.Links)
	b := &builder{machine: machine, Links: &Links{Rate: make([]float64, n), Congested: make([]float64, n),
		Known: make([]bool, n)}, far: make([]float64, n)}
	for l := range b.far {
		b.far[l] = -1
	}
	return b
}

func (b *builder) warn(format string, args ...any) {
	b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...))
}

// warnNamed is a warning with the first of the names behind it.
func (b *builder) warnNamed(names []string, format string, args ...any) {
	if len(names) == 0 {
		return
	}
	more := ""
	if len(names) > mostNamed {
		more = ", ..."
	}
	b.warn("%s: %s%s", fmt.Sprintf(format, args...), strings.Join(names[:min(mostNamed, len(names))], ", "),
		more)
}

// port names the port that a link leaves.
func (b *builder) port(link int) string {
	l := &b.machine.Links[link]
	return fmt.Sprintf("%s port %d", b.machine.NodeName(l.From), l.FromPort)
}

// finish takes the far ends' word for links that have no own, clamps, and counts.
func (b *builder) finish() *Links {
	var clamped []string
	for l := range b.Rate {
		if !b.Known[l] && b.far[l] >= 0 {
			b.Rate[l], b.Known[l] = b.far[l], true
			b.Count.FarEnd++
		}
		if b.Known[l] {
			b.Count.Measured++
		}
		most := b.machine.Links[l].BytesPerSecond
		if b.Rate[l] > most*inTime || b.Congested[l] > inTime {
			clamped = append(clamped, b.port(l))
		}
		b.Rate[l], b.Congested[l] = min(most, b.Rate[l]), min(1, b.Congested[l])
	}
	b.Count.Clamped = len(clamped)
	b.warnNamed(clamped, "ports that sent more than their rate, or stood still for longer than the time, "+
		"taken as full; is the time between the snapshots right? (%d)", len(clamped))
	return b.Links
}
