package benchmarks

import (
	"math"
	"testing"

	"remap/sampling"
)

// formula is what to expect of a link's counts W of packets and C of congested
// ones: means, variances and covariance.
type formula struct{ w, c, varW, varC, cov float64 }

func (f *formula) add(o formula) {
	f.w += o.w
	f.c += o.c
	f.varW += o.varW
	f.varC += o.varC
	f.cov += o.cov
}

// formulas are those of every link for a run of all packets: sampling.Predict
// where the headers hold all paths, and moments where counters stop before.
func (p *player) formulas() []formula {
	if p.variant.Kind != sampling.Bloom && p.longest > int(p.variant.Limit()) {
		return p.moments()
	}
	truths := sampling.NewTruths(p.variant, len(p.n), p.paths)
	for i := range int32(p.packets()) {
		links, congested := p.hops(i)
		pair := p.pairs[p.pair[i]]
		truths.Add(1, pair[0], pair[1], links, congested)
	}
	f := make([]formula, len(p.n))
	for i, truth := range truths.Sums() {
		x := sampling.Predict(p.variant, truth)
		f[i] = formula{p.n[i], p.m[i], x.PacketsDeviation * x.PacketsDeviation,
			x.CongestedDeviation * x.CongestedDeviation, x.Covariance}
	}
	return f
}

// weight is what a packet on a path of some hops adds for a link, or takes off.
func (p *player) weight(pair int32, hops int, link int32) float64 {
	v := p.variant
	if p.row.corrected && hops >= int(v.Limit()) {
		place, length := p.ways.Place(p.pairs[pair][0], p.pairs[pair][1], link)
		return 1 / v.Kept(place, length)
	}
	read := min(hops, int(v.Limit()))
	return float64(read) / float64(min(read, v.Slots))
}

// moments are formulas by the probabilities that hops are kept (Variant.Kept), for
// all but Bloom filters. Under hashes every candidate of a packet gains or loses
// its weight u; of both reservoirs' products only those of packets that hold the
// same link in both, `together`, have an expectation.
func (p *player) moments() []formula {
	v, f := p.variant, make([]formula, len(p.n))
	pairs, lengths := make([]formula, len(p.pairs)), make([]int, len(p.pairs))
	for packet := range int32(p.packets()) {
		links, congested := p.hops(packet)
		pair, found, together, place := p.pair[packet], 0, 0., 0
		for _, c := range congested {
			if c {
				found++
			}
		}
		for i, link := range links {
			kept := v.Kept(i+1, len(links))
			keptFound := 0.
			if congested[i] {
				place++
				if keptFound = 1; v.Kind != sampling.OneReservoir {
					keptFound = v.Kept(place, found)
				}
			}
			f[link].add(p.hop(kept, p.weight(pair, len(links), link), keptFound, found))
			together += kept * keptFound
		}
		lengths[pair] = len(links)
		s, read := &pairs[pair], float64(min(found, int(v.Limit())))
		s.varW++
		if s.varC += read * read; v.Kind == sampling.OneReservoir {
			s.varC += together - read*read
			read = 1
		}
		s.cov += read * together
	}
	if v.Hashed() {
		p.candidates(f, pairs, lengths)
	}
	return f
}

// hop is what one hop of a packet adds to the formulas of its link, under hashes
// without what the packet adds to those of all its candidates.
func (p *player) hop(kept, weight, keptFound float64, found int) formula {
	v := p.variant
	read := float64(min(found, int(v.Limit())))
	if found > 0 {
		read /= float64(min(int(read), v.Slots))
	}
	w, c := kept*weight, keptFound*read
	if v.Kind == sampling.OneReservoir {
		c = w * keptFound
	}
	one := formula{w, c, -w * w, -c * c, -w * c}
	switch {
	case v.Hashed():
	case v.Kind == sampling.OneReservoir:
		one.add(formula{varW: w * weight, varC: c * weight, cov: c * weight})
	default:
		one.add(formula{varW: w * weight, varC: c * read, cov: w * c})
	}
	return one
}

// candidates adds what packets add to the second moments of all their candidates.
func (p *player) candidates(f, pairs []formula, lengths []int) {
	for pair, s := range pairs {
		for _, some := range p.paths(p.pairs[pair][0], p.pairs[pair][1]) {
			for link := some.First; link < some.First+some.Count; link++ {
				u := p.weight(int32(pair), lengths[pair], link)
				if p.variant.Kind == sampling.OneReservoir {
					f[link].add(formula{varW: s.varW * u * u, varC: s.varC * u * u, cov: s.cov * u * u})
				} else {
					f[link].add(formula{varW: s.varW * u * u, varC: s.varC, cov: s.cov * u})
				}
			}
		}
	}
}

// TestAccuracyOfShortCounters holds the formulas of counters of two bits to what the
// thesis computes: of paths of five hops the first four weigh 9/16, the last 12/16
// (Taffet 2018, section 5.6); of three or fewer all weigh 1.
func TestAccuracyOfShortCounters(t *testing.T) {
	m := accuracyCase{topology: "fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=2,aggs-per-pod=2," +
		"cores=2", pattern: "uniform:24,rounds=4"}.simulate(t)
	want := make([]float64, len(m.n))
	for packet := range int32(m.packets()) {
		links, _ := m.hops(packet)
		for i, link := range links {
			switch {
			case len(links) < 4:
				want[link]++
			case i < 4:
				want[link] += 9. / 16
			default:
				want[link] += 12. / 16
			}
		}
	}
	for link, f := range newPlayer(t, m, accuracyRow{variant: "full,counter=2"}).formulas() {
		if math.Abs(f.w-want[link]) > 1e-9*(1+want[link]) {
			t.Errorf("link %d: %g packets expected, the thesis's weights give %g", link, f.w, want[link])
		}
	}
}

// fraction is the mean of C/W to second order and its deviation to first.
func (f formula) fraction() (mean, deviation float64) {
	q := f.c / f.w
	return q + (q*f.varW-f.cov)/(f.w*f.w), math.Sqrt(max(0, f.varC-2*q*f.cov+q*q*f.varW)) / f.w
}

// clipped is the mean, and the mean square of the distance to a truth, of a normal
// variable that is cut off at 0 and 1, as Table.Fraction is.
func clipped(mean, deviation, truth float64) (expected, square float64) {
	if deviation == 0 {
		x := min(1, max(0, mean))
		return x, (x - truth) * (x - truth)
	}
	a, b := -mean/deviation, (1-mean)/deviation
	below, above := normalBelow(a), 1-normalBelow(b)
	inside := 1 - below - above
	da, db := density(a), density(b)
	first := mean*inside + deviation*(da-db) // of x from 0 to 1
	second := (mean*mean+deviation*deviation)*inside + deviation*mean*(da-db) - deviation*db
	expected = first + above
	return expected, second + above - 2*truth*expected + truth*truth
}

func normalBelow(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// TestAccuracyFormulas holds the moments by probabilities of hops against
// sampling.Predict wherever the latter speaks.
func TestAccuracyFormulas(t *testing.T) {
	m := accuracyCase{topology: "torus:4x4,hosts=2", pattern: "uniform:32,rounds=2,bytes=65536"}.simulate(t)
	for _, name := range []string{"full", "n=3", "one-bit", "one-bit," +
		"unpruned", "one-reservoir", "one-reservoir,hash=whole"} {
		for _, corrected := range []bool{false, true} {
			p := newPlayer(t, m, accuracyRow{variant: name, corrected: corrected})
			ours := p.moments()
			for link, want := range p.formulas() {
				got := ours[link]
				for i, pair := range [][2]float64{{got.w, want.w}, {got.c, want.c}, {got.varW, want.varW},
					{got.varC, want.varC}, {got.cov, want.cov}} {
					if math.Abs(pair[0]-pair[1]) > 1e-6*(1+math.Abs(pair[1])) {
						t.Errorf("%v, link %d, number %d: %g, sampling.Predict says %g", p.row, link, i, pair[0], pair[1])
					}
				}
			}
		}
	}
}
