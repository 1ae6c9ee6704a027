package sampling

import "math"

// Truth are sums over packets that the formulas of one link's estimates need.
// A packet crosses l links, g of them congested. It is a candidate of a link if
// its receiver could not rule out that it crossed it.
type Truth struct {
	// Packets: N: packets that crossed the link.
	Packets float64
	// Lengths: sum over them of l.
	Lengths float64
	// Shares: of l / min(n, l), where reservoirs hold n links.
	Shares float64

	// Congested: M: packets that found the link congested.
	Congested float64
	// CongestedLengths: sum over them of l.
	CongestedLengths float64
	// Found: of g.
	Found float64
	// FoundShares: of g / min(n, g).
	FoundShares float64

	// Candidates: Q.
	Candidates float64
	// LengthsSquared: sum over them of l^2.
	LengthsSquared float64
	// FoundSquared: of g^2.
	FoundSquared float64
	// CandidateFound: of g.
	CandidateFound float64
	// Products: of l g.
	Products float64

	// Filter: under Bloom the variances of the counts of packets and of congested ones, and their
	// covariance
	Filter [3]float64
}

// Prediction is what to expect of the estimates of one link.
type Prediction struct {
	// PacketsDeviation: standard deviation of Entry.Packets.
	PacketsDeviation float64
	// CongestedDeviation: of Entry.Congested.
	CongestedDeviation float64
	// Covariance: of both.
	Covariance float64
	// FractionDeviation: of their quotient, to first order; 0 if no packet crossed the link.
	FractionDeviation float64
}

// Predict is the statistics of a variant (Taffet 2018, sections 3.3 and 5.3, for
// one link a reservoir; see docs/sampling.md for the others). The truth's Shares
// must be of reservoirs of as many links, its Filter of filters of as many bits.
// Hop counters and draws are taken to hold all paths.
func Predict(v Variant, t Truth) Prediction {
	var packets, congested, common float64
	switch {
	case v.Kind == Full:
		packets, congested = t.Shares-t.Packets, t.FoundShares-t.Congested
	case v.Kind == OneBit:
		packets, congested, common = t.LengthsSquared-t.Packets, t.FoundSquared-t.Congested,
			t.CandidateFound-t.Congested
	case v.Hashed():
		packets, congested = t.LengthsSquared-t.Packets, t.Products-t.Congested
		common = congested
	case v.Kind == OneReservoir:
		packets, congested = t.Lengths-t.Packets, t.CongestedLengths-t.Congested
		common = congested
	case v.Kind == Bloom:
		packets, congested, common = t.Filter[0], t.Filter[1], t.Filter[2]
	}
	p := Prediction{PacketsDeviation: math.Sqrt(max(0, packets)),
		CongestedDeviation: math.Sqrt(max(0, congested)), Covariance: common}
	if t.Packets > 0 {
		f := t.Congested / t.Packets
		p.FractionDeviation = math.Sqrt(max(0, congested-2*f*common+f*f*packets)) / t.Packets
	}
	return p
}

// Times is how many times as many packets of the same kind are needed until a
// standard deviation is a relative share of its value: all variances of counts
// grow like the counts, so that errors fall with the root.
func Times(deviation, value, relative float64) float64 {
	error := deviation / (value * relative)
	return error * error
}

// Truths collects the sums for every link from packets' paths.
type Truths struct {
	variant Variant
	links   []Truth
	paths   Paths
	filters *filterMoments // Bloom only
	number  map[[2]int32]int
	pairs   []pairTruth // in the order of their first packets
}

// pairTruth are the candidates' sums for one source and destination.
type pairTruth struct {
	source, destination int32
	sums                Truth
}

// NewTruths is for links 0..links-1. Paths may be nil for variants that are
// neither hashed nor Bloom filters.
func NewTruths(v Variant, links int, paths Paths) *Truths {
	t := &Truths{variant: v, links: make([]Truth, links), paths: paths, number: map[[2]int32]int{}}
	if v.Kind == Bloom {
		t.filters = newFilterMoments(v.Bits)
	}
	return t
}

// Add adds packets that took one path: links in any order, each once, and which
// of them were congested.
func (t *Truths) Add(packets int64, source, destination int32, links []int32, congested []bool) {
	count, hops, found := float64(packets), len(links), 0
	for _, c := range congested {
		if c {
			found++
		}
	}
	l, g, n := float64(hops), float64(found), float64(max(1, t.variant.Slots))
	var filter filterTerms
	if t.filters != nil {
		filter = t.filters.terms(hops, found)
	}
	for i, link := range links {
		s := &t.links[link]
		s.Packets += count
		s.Lengths += count * l
		s.Shares += count * max(1, l/n)
		s.Filter[0] += count * (filter.member - filter.other)
		s.Filter[2] -= count * filter.common
		if congested[i] {
			s.Congested += count
			s.CongestedLengths += count * l
			s.Found += count * g
			s.FoundShares += count * max(1, g/n)
			s.Filter[1] += count * (filter.congestedMember - filter.congestedOther)
			s.Filter[2] += count * filter.congestedMember
		}
	}
	if t.paths == nil {
		return
	}
	s := t.pair(source, destination)
	s.Candidates += count
	s.LengthsSquared += count * l * l
	s.FoundSquared += count * g * g
	s.CandidateFound += count * g
	s.Products += count * l * g
	s.Filter[0] += count * filter.other
	s.Filter[1] += count * filter.congestedOther
	s.Filter[2] += count * filter.common
}

func (t *Truths) pair(source, destination int32) *Truth {
	key := [2]int32{source, destination}
	i, known := t.number[key]
	if !known {
		i = len(t.pairs)
		t.number[key] = i
		t.pairs = append(t.pairs, pairTruth{source: source, destination: destination})
	}
	return &t.pairs[i].sums
}

// Sums are the sums of every link, of all packets so far; index = link.
func (t *Truths) Sums() []Truth {
	sums := append([]Truth(nil), t.links...)
	for i := range t.pairs {
		p := &t.pairs[i]
		for _, some := range t.paths(p.source, p.destination) {
			for link := some.First; link < some.First+some.Count; link++ {
				sums[link].candidate(&p.sums)
			}
		}
	}
	return sums
}

func (s *Truth) candidate(o *Truth) {
	s.Candidates += o.Candidates
	s.LengthsSquared += o.LengthsSquared
	s.FoundSquared += o.FoundSquared
	s.CandidateFound += o.CandidateFound
	s.Products += o.Products
	for i := range s.Filter {
		s.Filter[i] += o.Filter[i]
	}
}

// filterTerms are variances of what one packet adds for a link that is in its
// filter and for another one, the same of the congested filter, and the
// covariance for links in neither.
type filterTerms struct {
	member, other, congestedMember, congestedOther, common float64
}

// filterMoments are of filters of one size, by links in them.
type filterMoments struct {
	filter *BloomFilter
	fill   *occupancy
	odds   []float64 // index = links: mean of p/(1-p), p the probability of a false positive; 0 of full filters
}

func newFilterMoments(size int) *filterMoments {
	return &filterMoments{filter: NewBloomFilter(size), fill: newOccupancy(size), odds: []float64{0}}
}

// terms are for filters of so many links and congested links. A packet whose
// filter is full adds nothing, others of so many links 1/P(not full) for a member
// (see BloomFilter.Terms), so that a member's variance is one less than that. The
// covariance takes the filters' fills as independent of the other's being full,
// which matters only where filters are full often.
func (m *filterMoments) terms(hops, found int) filterTerms {
	weights := m.filter.weights()
	hops, found = min(hops, len(weights)-1), min(found, len(weights)-1)
	for len(m.odds) <= hops {
		m.fill.set(m.filter.Hashes())
		mean := 0.
		for set := m.fill.low; set <= m.fill.high && set < len(m.filter.odds)-1; set++ {
			mean += m.fill.chance[set] * m.filter.odds[set] / (1 - m.filter.odds[set])
		}
		m.odds = append(m.odds, mean)
	}
	w, c := weights[hops], weights[found]
	return filterTerms{
		member: max(0, w-1), other: w * w * m.odds[hops],
		congestedMember: max(0, c-1), congestedOther: c * c * m.odds[found], common: c * m.odds[found],
	}
}
