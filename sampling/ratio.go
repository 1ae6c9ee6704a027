package sampling

import "math"

// fraction is M/N with an interval of z deviations: all fractions f with
// (C - f W)^2 <= z^2 V(f), where V(f) = Var(C) - 2 f Cov(C, W) + f^2 Var(W) has
// the variances that M = f N implies (score and Fieller's interval).
func (j estimator) fraction(z float64) Estimate {
	e, r := j.e, j.received
	if r.Packets > 0 && r.CongestedPackets == 0 && j.variant.Kind != OneReservoir {
		return Estimate{} // nothing was congested, and headers say so
	}
	noisy := j.variant.Hashed() || j.variant.Kind == Bloom
	if e.Packets < negligible {
		return j.unseen(noisy, z)
	}
	if j.variant.Kind == Bloom {
		f := j.filteredFraction(z)
		f.Value = min(1, max(0, f.Value))
		return f
	}
	a, b, c := j.spread()
	w := e.Packets
	square := w*w - z*z*c
	if square <= 0 {
		return Estimate{High: 1}
	}
	half := e.Congested*w + z*z*b/2
	root := math.Sqrt(max(0, half*half-square*(e.Congested*e.Congested-z*z*a)))
	f := Estimate{e.Congested / w, (half - root) / square, (half + root) / square}
	switch {
	case noisy:
		f = f.within(0, 1, z)
	case j.variant.Kind == OneReservoir:
		f.modify(e, true) // never beyond 0 or 1
	default:
		f.modify(e, false)
		f = f.within(math.Inf(-1), 1, z)
	}
	low := min(1, max(0, f.Low))
	return Estimate{min(1, max(0, f.Value)), low, max(low, min(1, f.High))}
}

// modify lowers the lower limit that follows from a single congested sample, and
// under OneReservoir does the same for a single one that was not congested: the
// limits of Wilson's interval cover too little there. What is left of them is the
// share that Poisson's limit has (Brown, Cai and DasGupta 2001, section 4.1.1).
func (f *Estimate) modify(e *Entry, one bool) {
	const share = 0.29
	if single(e.Congested, e.CongestedVariance) {
		f.Low *= share
	}
	if one && single(e.Packets-e.Congested, e.PacketsVariance-e.CongestedVariance) {
		f.High = 1 - share*(1-f.High)
	}
}

// single tells whether a count stems from one sample: all of w^2 is the sum of
// the samples' squares.
func single(w, variance float64) bool { return w > 0 && w*w <= (w+variance)*(1+1e-9) }

// unseen is the fraction of a link without a packet in its samples. A congested
// sample says that it has packets and that not many were missed.
func (j estimator) unseen(noisy bool, z float64) Estimate {
	c := j.e.Congested
	if noisy || c < negligible {
		return Estimate{High: 1}
	}
	b := j.received.weight(j.variant) - 1
	return Estimate{1, min(1, c/(z*z*b)), 1}
}

// spread is V(f) = a + b f + c f^2 of docs/sampling.md. The packets of a link
// are those that its counts and the hypothesis f make likely.
func (j estimator) spread() (a, b, c float64) {
	e, r := j.e, j.received
	switch {
	case j.variant.Hashed():
		// Var(C) = Sc - f N, Cov = Sk - f N, Var(W) = Sw - N
		squares, found, common := e.PacketsVariance+e.Packets, e.CongestedVariance+e.Congested,
			e.Covariance+e.Congested
		return found, -2*common - e.Packets, squares + e.Packets
	case j.variant.Kind == OneReservoir:
		// congested and other samples are independent
		found := slope(e.Congested, e.CongestedVariance, r.congestedWeight(j.variant))
		rest := slope(e.Packets-e.Congested, e.PacketsVariance-e.CongestedVariance, r.otherWeight(j.variant))
		b = max(0, e.Congested)*rest + max(0, e.Packets-e.Congested)*found
		return 0, b, -b
	}
	seen := slope(e.Packets, e.PacketsVariance, r.weight(j.variant))
	found := slope(e.Congested, e.CongestedVariance, r.congestedWeight(j.variant))
	return 0, found*e.Packets + seen*max(0, e.Congested), 0
}

// otherWeight is how many packets a sample that is not congested stands for on
// average, under OneReservoir.
func (t *Totals) otherWeight(v Variant) float64 {
	return mean(t.Packets-t.CongestedPackets, t.Hops+t.Excess-t.CongestedHops-t.CongestedExcess,
		t.HopsSquared+t.ExcessSquared-t.CongestedSquared-t.CongestedExcessSquared, v, t.weight(v))
}
