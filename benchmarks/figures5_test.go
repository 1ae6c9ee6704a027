package benchmarks

import (
	"math"
	"runtime/debug"
	"slices"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/topology"
)

// The thesis hides links that noise would raise so high with a probability of
// more than 0.5 %: below 2.576 standard deviations.
const level5 = 0.995

// figure5 is a plot of congested fractions of the naive reduction to rank 0
// (Taffet 2018, figures 4.12 and 5.2 to 5.5): the same 209.5 MB in 6.5 million
// packets of 32 bytes, or in ten times as many.
type figure5 struct {
	name, sampling string
	packetBytes    int
	exclusive      bool // too large to run without being asked for
}

var figures5 = []figure5{
	{"4.12", "full", 32, false},
	{"5.2", "one-bit,unpruned", 32, false},
	{"5.4", "one-bit", 32, false},
	{"5.4, hmult", "one-bit,hash=hmult", 32, true}, // the thesis's own hash
	{"5.3", "one-bit,unpruned", 3, true},
	{"5.5", "one-bit", 3, true},
}

// plot5 is a figure's links: what crossed them and what receivers concluded.
type plot5 struct {
	figure5
	machine *topology.Topology
	links   []evalsim.LinkStats // exact
	table   *sampling.Table
	packets float64

	first      int32     // switch ports are links first..
	candidates []float64 // length links: Q, packets that might have crossed them for all their receiver knows
	squares    []float64 // length links: of these, the sum of the squares of path lengths in hops
}

// draw5 simulates a figure. A tenfold run has up to 70 million packets in the
// network at once, all in one slice that grows; the limit on memory makes the
// collector drop its predecessors in time.
func draw5(t *testing.T, f figure5) *plot5 {
	t.Helper()
	debug.FreeOSMemory()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(4 << 30))
	v, err := sampling.ParseVariant(f.sampling)
	if err != nil {
		t.Fatal(err)
	}
	o := evalsim.DefaultOptions()
	o.PacketBytes, o.Sampling = f.packetBytes, v
	machine, r := reduce43(t, "reduction-naive", 0, o)
	first, _ := machine.Out(int32(machine.Hosts()))
	p := &plot5{figure5: f, machine: machine, links: r.Links, table: r.Samples[0],
		packets: float64(r.Packets), first: first}
	p.addCandidates(r.Packets)
	return p
}

// addCandidates adds up what packets a link's receiver suspects, from the paths
// between hosts: every rank but the root sends as many.
func (p *plot5) addCandidates(packets int64) {
	const ranks = 1024
	ways, all := topology.NewPathLinks(p.machine, false), p.table.Variant.Unpruned
	p.candidates, p.squares = make([]float64, len(p.links)), make([]float64, len(p.links))
	for source := int32(1); source < ranks; source++ {
		in, _ := p.machine.Out(source)
		some := ways.Between(in, p.machine.Ejection(0)[0])
		if all {
			some = ways.All()
		}
		sent, length := float64(packets)/(ranks-1), float64(p.machine.PathLength(source, 0))
		for _, r := range some {
			for link := r.First; link < r.First+r.Count; link++ {
				p.candidates[link] += sent
				p.squares[link] += sent * length * length
			}
		}
	}
}

func (p *plot5) used(link int32) bool    { return p.links[link].Packets > 0 }
func (p *plot5) appears(link int32) bool { return p.table.Significant(link, level5) }
func (p *plot5) exact(link int32) float64 {
	return float64(p.links[link].Congested) / float64(p.links[link].Packets)
}
func (p *plot5) root() int32 { return p.machine.Ejection(0)[0] }

// ports are all switch output ports that pass a test.
func (p *plot5) ports(test func(link int32) bool) (some []int32) {
	for link := p.first; int(link) < len(p.links); link++ {
		if test(link) {
			some = append(some, link)
		}
	}
	return some
}

func (p *plot5) shown() []int32 {
	return p.ports(func(link int32) bool { return p.used(link) && p.appears(link) })
}

// falsePositives are links that appear though no packet crossed them.
func (p *plot5) falsePositives() []int32 {
	return p.ports(func(link int32) bool { return !p.used(link) && p.appears(link) })
}

// falseLevel is how many false positives the level allows: the mean, and five
// standard deviations. Links that are no packet's candidate cannot be any.
func (p *plot5) falseLevel() (mean, deviations float64) {
	unused := float64(len(p.ports(func(link int32) bool { return !p.used(link) && p.squares[link] > 0 })))
	return unused * (1 - level5), 5 * math.Sqrt(unused*(1-level5)*level5)
}

// meanError is that of the congested fraction over links.
func (p *plot5) meanError(links []int32) float64 {
	sum := 0.
	for _, link := range links {
		sum += math.Abs(p.table.Fraction(link).Value - p.exact(link))
	}
	return sum / float64(len(links))
}

// covered is the share of links whose packets and whose congested fraction their
// 95 % intervals cover.
func (p *plot5) covered(links []int32) (packets, fraction float64) {
	within := func(e sampling.Estimate, x float64) float64 {
		if e.Low <= x*(1+1e-12) && x <= e.High*(1+1e-12) {
			return 1 / float64(len(links))
		}
		return 0
	}
	for _, link := range links {
		packets += within(p.table.PacketsEstimate(link), float64(p.links[link].Packets))
		fraction += within(p.table.Fraction(link), p.exact(link))
	}
	return packets, fraction
}

// needed is how many packets must cross a link to be expected to appear (Taffet
// 2018, section 5.3).
func (p *plot5) needed(link int32) float64 {
	if !p.table.Variant.Hashed() {
		return 1
	}
	return math.Sqrt(2) * math.Erfinv(2*level5-1) * math.Sqrt(p.squares[link])
}

// deviations is how far above what is needed a link's packets are, in standard
// deviations of what receivers conclude.
func (p *plot5) deviations(link int32) float64 {
	n := float64(p.links[link].Packets)
	return (n - p.needed(link)) / math.Sqrt(max(1, p.squares[link]-n))
}

// TestFigures5 draws figures 4.12 and 5.2 to 5.5 of the 2018 thesis (Taffet) as
// tables, and tests what the thesis says of them. With REMAP_TABLE=1 the tenfold
// ones and the thesis's hash, too (five minutes on a core, 6 GB):
//
//	REMAP_TABLE=1 go test -timeout 60m -run Figures5 -v ./benchmarks
func TestFigures5(t *testing.T) {
	tier.Experiment(t, "three reductions of 6.5 million packets: half a minute")
	plots := map[string]*plot5{}
	var order []*plot5
	for _, f := range figures5 {
		if f.exclusive && !tier.IsTable() {
			t.Run(f.name, func(t *testing.T) { tier.Table(t, "figure "+f.name+": a minute") })
			continue
		}
		p := draw5(t, f)
		checkPlot5(t, p)
		plots[f.name] = p
		order = append(order, p)
	}
	comparePlots5(t, plots)
	logPlots5(t, order)
}

// checkPlot5 tests what holds of every figure.
func checkPlot5(t *testing.T, p *plot5) {
	root := p.root()
	// Endpoint congestion at rank 0 is apparent: nothing looks busier, and all of it congested.
	f := p.table.Fraction(root)
	if !p.appears(root) || f.Value < 0.97 || f.High < 0.99 || p.exact(root) < 0.99 {
		t.Errorf("figure %s: congested fraction of the root's link %.4f, estimated %.4f [%.4f, "+
			"%.4f]", p.name, p.exact(root), f.Value, f.Low, f.High)
	}
	for _, link := range p.ports(func(link int32) bool { return link != root }) {
		if p.table.Links[link].Packets >= p.table.Links[root].Packets {
			t.Errorf("figure %s: %s looks busier than the root's link", p.name, p.linkName(link))
		}
	}
	mean, margin := 0., 0.
	if p.table.Variant.Hashed() {
		mean, margin = p.falseLevel()
		checkThresholds5(t, p)
	}
	if wrong := float64(len(p.falsePositives())); wrong > mean+margin {
		t.Errorf("figure %s: %.0f links appear that carried nothing; the level allows %.1f + "+
			"%.1f", p.name, wrong, mean, margin)
	}
	// Five standard errors, with links' errors taken as independent.
	used := p.ports(p.used)
	least := 0.95 - 5*math.Sqrt(0.95*0.05/float64(len(used)))
	if packets, fractions := p.covered(used); packets < least || fractions < least {
		t.Errorf("figure %s: intervals cover %.3f of the links' packets and %.3f of the fractions, want "+
			"%.3f", p.name, packets, fractions, least)
	}
}

// checkThresholds5 tests the formula of section 5.3: which links appear.
func checkThresholds5(t *testing.T, p *plot5) {
	expected, variance, appear := 0., 0., 0.
	for _, link := range p.ports(p.used) {
		e := &p.table.Links[link]
		if got := e.PacketsVariance + e.Packets; math.Abs(got/p.squares[link]-1) > 1e-9 {
			t.Errorf("figure %s, %s: squares of path lengths add up to %g, "+
				"not %g", p.name, p.linkName(link), p.squares[link], got)
		}
		d := p.deviations(link)
		probability := math.Erfc(-d/math.Sqrt2) / 2
		expected += probability
		variance += probability * (1 - probability)
		if p.appears(link) {
			appear++
		}
		// Of 2323 links, one in a thousand runs is beyond, were all noise alike (see noise5).
		if d > 5.1 && !p.appears(link) || d < -5.1 && p.appears(link) {
			t.Errorf("figure %s, %s: %d packets, needs %.0f: appears "+
				"is %v", p.name, p.linkName(link), p.links[link].Packets, p.needed(link), p.appears(link))
		}
	}
	t.Logf("figure %s: %.0f of the links appear, %.1f +- %.1f by the "+
		"formula", p.name, appear, expected, math.Sqrt(variance))
	if math.Abs(appear-expected) > 5*math.Sqrt(variance)+1 {
		t.Errorf("figure %s: %.0f links appear, %.1f +- %.1f are to be "+
			"expected", p.name, appear, expected, math.Sqrt(variance))
	}
}

// comparePlots5 tests what the thesis says of figures beside each other.
func comparePlots5(t *testing.T, plots map[string]*plot5) {
	shown := map[string]int{}
	for name, p := range plots {
		shown[name] = len(p.shown())
		if q := plots["4.12"]; p.packetBytes == q.packetBytes && !slices.Equal(p.links, q.links) {
			t.Errorf("figure %s: other traffic than in 4.12", name)
		}
	}
	// Of the congested links, those with few packets are missing in 5.2.
	p := plots["5.2"]
	congested := p.ports(func(link int32) bool { return p.used(link) && p.exact(link) >= 0.25 })
	missing := slices.DeleteFunc(slices.Clone(congested), p.appears)
	if 10*len(missing) < 9*len(congested) {
		t.Errorf("figure 5.2: %d of %d congested links are missing, the thesis says "+
			"many", len(missing), len(congested))
	}
	for _, c := range []struct {
		more, less string
		factor     int
	}{{"5.4", "5.2", 10}, {"5.3", "5.2", 2}, {"5.5", "5.3", 2}, {"5.5", "5.4", 1}} {
		more, less := shown[c.more], shown[c.less]
		if plots[c.more] != nil && plots[c.less] != nil && more <= c.factor*less {
			t.Errorf("figure %s shows %d links, no more than %d times the %d "+
				"of %s", c.more, more, c.factor, less, c.less)
		}
	}
	if shown["4.12"] != len(p.ports(p.used)) {
		t.Errorf("figure 4.12 shows %d of %d links", shown["4.12"], len(p.ports(p.used)))
	}
}
