package sampling_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"remap/internal/testkit/tier"
	"remap/sampling"
)

func long() bool { return tier.IsLong() }

// chances are the probabilities of from, from+1, ... samples of n packets that
// are each sampled with probability 1/weight. What is left out is below 1e-6 in
// sum.
func chances(n int, weight float64) (from int, p []float64) {
	if weight == 1 {
		return n, []float64{1}
	}
	law := distuv.Binomial{N: float64(n), P: 1 / weight}
	from = -1
	for k := range n + 1 {
		if x := law.Prob(float64(k)); x > 1e-9 {
			if from < 0 {
				from = k
			}
			p = append(p, x)
		}
	}
	return from, p
}

// sampledLink is a link on paths of one length, crossed by n packets, m of which
// find it and as many other hops congested as `found` says. `others` packets
// cross other links, half of them congested in the same way.
type sampledLink struct {
	variant             sampling.Variant
	length, found       int
	n, m, others        int
	weight, foundWeight float64 // packets that a sample stands for
	table               *sampling.Table
}

func newSampledLink(v sampling.Variant, length, found, n, m, others int) *sampledLink {
	l := &sampledLink{variant: v, length: length, found: found, n: n, m: m, others: others,
		table: sampling.NewTable(v, 1)}
	if v.Kind == sampling.OneReservoir {
		l.found = length
	}
	l.weight, l.foundWeight = float64(length)/float64(min(length, v.Slots)),
		float64(l.found)/float64(min(l.found, v.Slots))
	r := &l.table.Received
	r.Packets = int64(n + others)
	r.Hops = r.Packets * int64(length)
	r.HopsSquared = r.Hops * int64(length)
	r.CongestedPackets = int64(m + others/2)
	r.CongestedHops = r.CongestedPackets * int64(l.found)
	r.CongestedSquared = r.CongestedHops * int64(l.found)
	return l
}

// judged is the table after so many samples of hops and of congested hops; under
// OneReservoir the former are those that were not congested.
func (l *sampledLink) judged(hops, found int) *sampling.Table {
	w, c := l.weight*float64(hops), l.foundWeight*float64(found)
	e := sampling.Entry{Packets: w, PacketsVariance: (l.weight - 1) * w, Congested: c,
		CongestedVariance: (l.foundWeight - 1) * c}
	if l.variant.Kind == sampling.OneReservoir {
		e.Packets += c
		e.PacketsVariance += e.CongestedVariance
		e.Covariance = e.CongestedVariance
	}
	l.table.Links[0] = e
	return l.table
}

// packets is the exact probability that the interval of N holds, congested of M
// and fraction of F.
func (l *sampledLink) packets() (sum float64) {
	from, p := chances(l.n, l.weight)
	for i, x := range p {
		table := l.judged(from+i, 0)
		sum += x * covers(table.PacketsEstimate(0), float64(l.n))
	}
	return sum
}

func (l *sampledLink) congested() (sum float64) {
	from, p := chances(l.m, l.foundWeight)
	for i, x := range p {
		sum += x * covers(l.judged(0, from+i).CongestedEstimate(0), float64(l.m))
	}
	return sum
}

func (l *sampledLink) fraction() (sum float64) {
	hops := l.n
	if l.variant.Kind == sampling.OneReservoir {
		hops = l.n - l.m
	}
	fromHops, hopChances := chances(hops, l.weight)
	fromFound, foundChances := chances(l.m, l.foundWeight)
	for i, x := range hopChances {
		for k, y := range foundChances {
			if x*y > 1e-9 {
				sum += x * y * covers(l.judged(fromHops+i, fromFound+k).Fraction(0), float64(l.m)/float64(l.n))
			}
		}
	}
	return sum
}

func covers(e sampling.Estimate, truth float64) float64 {
	if slack := 1e-9 * (1 + math.Abs(truth)); e.Low-slack <= truth && truth <= e.High+slack {
		return 1
	}
	return 0
}

// spreadOf is the mean and the least of some coverages.
type spreadOf struct {
	sum, least float64
	count      int
}

func (s *spreadOf) add(x float64) {
	if s.count == 0 || x < s.least {
		s.least = x
	}
	s.sum += x
	s.count++
}

func (s *spreadOf) String() string {
	return fmt.Sprintf("%.3f (least %.3f)", s.sum/float64(s.count), s.least)
}

// check: the mean over a range of N is within 93 to 97 % where the rarest kind
// of sample is expected ten times or more, to 98 % from two times on. Sums of few
// samples take few values, so the coverage of any interval jumps with N: one
// alone is above a floor only. Rarer events are covered more often than asked.
func (s *spreadOf) check(t *testing.T, what string, expected float64) {
	t.Helper()
	mean, most := s.sum/float64(s.count), 1.01
	switch {
	case expected >= 10:
		most = 0.97
	case expected >= 2:
		most = 0.98
	}
	if mean < 0.93 || mean > most || s.least < 0.87 {
		t.Errorf("%s: 95 %% intervals cover %v", what, s)
	}
}

// Exact coverage for links carried whole, over ranges of N wide enough to
// average the jumps.
func TestCoverageOfWholeLinks(t *testing.T) {
	t.Parallel()
	two, slots := sampling.Reservoirs, sampling.Variant{Kind: sampling.Full, Slots: 2, Counter: 8}
	one := sampling.Variant{Kind: sampling.OneReservoir, Slots: 1, Counter: 8}
	ranges := [][3]int{{3, 20, 1}, {20, 40, 1}, {40, 100, 4}, {300, 330, 10}}
	hops := [][2]int{{5, 1}, {5, 2}, {3, 3}, {9, 4}}
	fractions := []float64{0.1, 0.5, 1, 0.03, 0.9}[:tier.Cases(3, 5, 5)]
	if ranges = ranges[:tier.Cases(2, 4, 4)]; long() {
		ranges = append(ranges, [3]int{100, 250, 30})
		hops = append(hops, [2]int{2, 2}, [2]int{5, 5})
		fractions = append(fractions, 0.3, 0.7)
	}
	seen := seenCoverage{}
	for _, v := range []sampling.Variant{two, slots, one} {
		for _, h := range hops {
			for _, span := range ranges {
				for _, f := range fractions {
					coverageOver(t, seen, v, h[0], h[1], span, f)
				}
			}
		}
	}
	t.Log(seen.table())
}

// seenCoverage are the coverages of ranges of N, by what they are of and how often the rarest
// kind of sample is expected.
type seenCoverage map[string]*[3]float64 // the least and the largest mean, the least of any N

func (c seenCoverage) add(v sampling.Variant, what string, expected float64, s *spreadOf) {
	name, often := fmt.Sprintf("%s of %v", what, v), "fewer than 2"
	switch {
	case expected >= 10:
		often = "10 or more"
	case expected >= 2:
		often = "2 to 10"
	}
	name += " | " + often
	mean := s.sum / float64(s.count)
	if c[name] == nil {
		c[name] = &[3]float64{mean, mean, s.least}
		return
	}
	c[name][0], c[name][1] = min(c[name][0], mean), max(c[name][1], mean)
	c[name][2] = min(c[name][2], s.least)
}

// table is a row for each name.
func (c seenCoverage) table() string {
	text := "| interval | the rarest kind of sample is expected | mean over a range of N | least of any N |\n" +
		"|---|---|---|---|\n"
	for _, name := range slices.Sorted(maps.Keys(c)) {
		s := c[name]
		text += fmt.Sprintf("| %s | %.3f to %.3f | %.3f |\n", name, s[0], s[1], s[2])
	}
	return text
}

// coverageOver checks a range of N, given as first, end and step, of which the
// share f is congested.
func coverageOver(t *testing.T, seen seenCoverage, v sampling.Variant, length, found int, span [3]int,
	f float64) {
	t.Helper()
	var packets, congested, fraction spreadOf
	l := (*sampledLink)(nil)
	for n := span[0]; n < span[1]; n += span[2] {
		m := max(1, int(math.Round(f*float64(n))))
		l = newSampledLink(v, length, found, n, m, 3*n)
		packets.add(l.packets())
		congested.add(l.congested())
		fraction.add(l.fraction())
	}
	what := fmt.Sprintf("%v, %d hops, %d congested, N from %d, F = %g", v, length, found, span[0], f)
	hops, congestedHops := float64(span[0])/l.weight, f*float64(span[0])/l.foundWeight
	if l.weight > 1 {
		packets.check(t, what+": N", hops)
		rarest := min(hops, congestedHops)
		if v.Kind == sampling.OneReservoir {
			rarest = min(congestedHops, hops-congestedHops)
		}
		fraction.check(t, what+": F", rarest)
		seen.add(v, "N", hops, &packets)
		seen.add(v, "F", rarest, &fraction)
	}
	if congested.least < 0.87 { // M is a count as N is; too few values of it are here for a mean
		t.Errorf("%s: 95 %% intervals of M cover %v", what, &congested)
	}
}

// A link's path lengths are known from its samples only. With few of them, heavy
// ones may all have been missed: links of mixed lengths are covered less evenly.
func TestCoverageOfMixedLengths(t *testing.T) {
	const runs, typical = 4000, 4.3 // weight of samples of other links
	random := rand.New(rand.NewPCG(3, 4))
	t.Log("| path lengths | share of the first | N | N covered |\n|---|---|---|---|")
	for _, mix := range []struct {
		lengths [2]float64
		share   float64 // of the first length
	}{{[2]float64{1, 5}, 0.5}, {[2]float64{1, 5}, 0.95}, {[2]float64{3, 5}, 0.5}, {[2]float64{2, 11}, 0.8}} {
		for _, n := range []int{1, 3, 10, 20, 40, 100, 400, 2000} {
			first, covered := int(math.Round(mix.share*float64(n))), 0.
			for range runs {
				table := sampling.NewTable(sampling.Reservoirs, 1)
				table.Received = sampling.Totals{Packets: 1e6, Hops: 1e7, HopsSquared: 1e7 * typical}
				e := &table.Links[0]
				for i, packets := range []int{first, n - first} {
					l := mix.lengths[i]
					w := l * distuv.Binomial{N: float64(packets), P: 1 / l, Src: random}.Rand()
					if packets == 0 {
						w = 0
					}
					e.Packets += w
					e.PacketsVariance += (l - 1) * w
				}
				covered += covers(table.PacketsEstimate(0), float64(n)) / runs
			}
			t.Logf("| %v | %.2f | %d | %.3f |", mix.lengths, mix.share, n, covered)
			if covered < 0.85 || n >= 2000 && (covered < 0.93 || covered > 0.97) {
				t.Errorf("%v, %.2f of the first, N = %d: 95 %% intervals cover %.3f", mix.lengths, mix.share, n, covered)
			}
		}
	}
}
