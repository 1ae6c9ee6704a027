package sampling

import "math"

// Estimate is a value with its 95 % interval. The value of a count is the
// unbiased weighted one: under hashes and filters it can be negative, or lie
// beyond what is possible, while Low and High never do.
type Estimate struct{ Value, Low, High float64 }

// normal95 is the two-sided 95 % quantile of the normal distribution.
const normal95 = 1.959963984540054

// PacketsEstimate is N, the number of packets that crossed a link.
func (t *Table) PacketsEstimate(link int32) Estimate {
	return t.estimator(link).packets(normal95)
}

// CongestedEstimate is M, the number of packets that found a link congested.
func (t *Table) CongestedEstimate(link int32) Estimate {
	return t.estimator(link).congested(normal95)
}

// Fraction is a link's congested fraction F = M/N. It is 0, from 0 to 1, when
// no packet was sampled on the link, or under hashes and filters when its
// packets are not significantly many; see docs/sampling.md.
func (t *Table) Fraction(link int32) Estimate {
	return t.estimator(link).fraction(normal95)
}

// LessBiased is the congested fraction without the bias of second order that a
// ratio has (Beale 1962): where Fraction's value C/W is about 1/z^2 too high for
// W of z deviations, this one is not, and varies less. Limits are those of
// Fraction. Without packets it is 0.
func (t *Table) LessBiased(link int32) float64 {
	e := &t.Links[link]
	square := e.Packets*e.Packets + e.PacketsVariance
	if e.Packets <= 0 || square <= 0 {
		return 0
	}
	return min(1, max(0, (e.Congested*e.Packets+e.Covariance)/square))
}

// estimator makes estimates of a link: its entry, and what variances depend on.
type estimator struct {
	variant  Variant
	received *Totals
	e        *Entry
}

// estimator makes estimates of a link of the table.
func (t *Table) estimator(link int32) estimator {
	return estimator{t.Variant, &t.Received, &t.Links[link]}
}

// packets is N with an interval of z deviations: all N with
// (W-N)^2 <= z^2 Var(N), where Var(N) is the variance that N implies (score
// interval, Wilson 1927).
func (j estimator) packets(z float64) Estimate {
	r := j.received
	most := certain(r.Packets, r)
	w, v := j.e.Packets, j.e.PacketsVariance
	switch {
	case j.variant.Hashed():
		return unsampled(w, v, 1, most, z)
	case j.variant.Kind == Bloom:
		odds, _ := r.odds(j.variant)
		return filtered(w, v, odds, most, z)
	}
	return sampled(w, v, r.weight(j.variant), most, z)
}

// congested is M with an interval of z deviations, made as that of packets.
func (j estimator) congested(z float64) Estimate {
	r := j.received
	most := certain(r.CongestedPackets, r)
	if j.variant.Kind == OneReservoir {
		most = certain(r.Packets, r)
	}
	c, v := j.e.Congested, j.e.CongestedVariance
	switch {
	case j.variant.Hashed():
		return unsampled(c, v, 1, most, z)
	case j.variant.Kind == Bloom:
		_, odds := r.odds(j.variant)
		return filtered(c, v, odds, most, z)
	}
	return sampled(c, v, r.congestedWeight(j.variant), most, z)
}

// certain is an upper limit that the receivers counted; none if they counted
// nothing.
func certain(packets int64, r *Totals) float64 {
	if r.Packets == 0 {
		return math.Inf(1)
	}
	return float64(min(packets, r.Packets))
}

// sampled is a count of samples that stand for `weight` packets each: the
// variance is (weight-1) N, so N is within w + q/2 -+ sqrt(q w + q^2/4) with
// q = z^2 (weight-1).
func sampled(w, variance, typical, most, z float64) Estimate {
	w = max(0, w)
	q := z * z * slope(w, variance, typical)
	width := math.Sqrt(q*w + q*q/4)
	e := Estimate{w, w + q/2 - width, w + q/2 + width}
	if single(w, variance) { // it may be the only packet
		e.Low = min(e.Low, 1)
	}
	e = e.within(math.Inf(-1), most, z)
	e.Low = max(0, e.Low)
	return e
}

// slope is the mean weight of a link's samples less 1, that is the variance of
// their sum for every packet. One sample of the weight typical of the table is
// counted as well: it is all that is known of a link without samples, and keeps
// the few samples of a link from hiding that heavier ones have been missed.
func slope(w, variance, typical float64) float64 {
	w, variance = max(0, w), max(0, variance)
	return max(0, (w+variance+typical*typical)/(w+typical)-1)
}

// unsampled is a count of packets to which all others add noise: the variance
// falls by `fall` for every packet that is not one of the others. Zero bounds it.
func unsampled(w, variance, fall, most, z float64) Estimate {
	q := z * z * fall
	width := math.Sqrt(z*z*max(0, variance) + q*q/4)
	e := Estimate{w, w - q/2 - width, w - q/2 + width}
	return e.within(0, most, z)
}

// weight is how many packets a sample of any link stands for on average.
func (t *Totals) weight(v Variant) float64 {
	return mean(t.Packets, t.Hops+t.Excess, t.HopsSquared+t.ExcessSquared, v, 1)
}

// congestedWeight is the same of congested samples.
func (t *Totals) congestedWeight(v Variant) float64 {
	otherwise := 1.
	if v.Kind == OneReservoir {
		otherwise = t.weight(v)
	}
	return mean(t.CongestedPackets, t.CongestedHops+t.CongestedExcess,
		t.CongestedSquared+t.CongestedExcessSquared, v, otherwise)
}

// mean is the mean over hops of max(1, l/slots), from the number of packets, the
// sum of their l and that of l^2. With several slots l is taken as normal.
func mean(packets, sum, squares int64, v Variant, otherwise float64) float64 {
	if sum <= 0 || packets <= 0 {
		return otherwise
	}
	length, average := float64(squares)/float64(sum), float64(sum)/float64(packets)
	if v.Slots <= 1 {
		return max(1, length)
	}
	slots := float64(v.Slots)
	excess := length/slots - 1
	deviation := math.Sqrt(max(0, float64(squares)/float64(packets)-average*average)) / slots
	if deviation <= 1e-9*slots {
		return 1 + max(0, excess)
	}
	x := excess / deviation
	return 1 + excess*math.Erfc(-x/math.Sqrt2)/2 + deviation*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
}
