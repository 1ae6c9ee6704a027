package sampling

import "math"

// Noise of Bloom filters is the number of a few false positives, and skewed:
// often there is none, and the counts are as much too low as is taken off for
// those expected. Limits of a sum of rare events differ from normal ones by
// (z^2-1)/6 of its third cumulant over its variance (Cornish and Fisher 1937).
// That no event happened must not be ruled out either unless it is unlikely.

// filtered is unsampled for a count under Bloom filters.
func filtered(w, variance, odds, most, z float64) Estimate {
	return rare(w, variance, odds, z).within(0, most, z)
}

// skewness is by how much limits of z deviations are off the normal ones.
func skewness(odds, z float64) float64 { return (z*z - 1) / 6 * max(0, 1-odds) }

// rare is such a count's interval before it is known that negative counts are not
// possible.
func rare(w, variance, odds, z float64) Estimate {
	q := z * z * odds
	width := math.Sqrt(z*z*max(0, variance) + q*q/4)
	middle := w - q/2 - skewness(odds, z)
	e := Estimate{w, middle - width, middle + width}
	if variance < unlikely {
		e.High = max(e.High, w+variance)
	}
	return e
}

// filteredFraction is M/N under Bloom filters: the limits of C - f W from those
// of C and W apart and their correlation (Zou and Donner 2008), and from them
// those of f.
func (j estimator) filteredFraction(z float64) Estimate {
	e := j.e
	hops, congested := j.received.odds(j.variant)
	w := rare(e.Packets, e.PacketsVariance, hops, z)
	c := rare(e.Congested, e.CongestedVariance, congested, z)
	correlation := 0.
	if product := e.PacketsVariance * e.CongestedVariance; product > 0 {
		correlation = min(1, max(0, e.Covariance/math.Sqrt(product)))
	}
	low, known := ratioLimit(c.Value, w.Value, c.Value-c.Low, w.High-w.Value, correlation, -1)
	high, bounded := ratioLimit(c.Value, w.Value, c.High-c.Value, w.Value-w.Low, correlation, 1)
	if !known || !bounded {
		return Estimate{High: 1}
	}
	return Estimate{c.Value / w.Value, low, high}.within(0, 1, z)
}

// ratioLimit is the f below or above c/w where (c - f w)^2 = x^2 - 2 r f x y + f^2 y^2,
// if there is one.
func ratioLimit(c, w, x, y, r, side float64) (f float64, ok bool) {
	square, half := w*w-y*y, c*w-r*x*y
	if square <= 0 {
		return 0, false
	}
	return (half + side*math.Sqrt(max(0, half*half-square*(c*c-x*x)))) / square, true
}

// odds are those of false positives in a typical packet's filters: of crossed
// links and of congested ones, where the filters of packets without any are empty.
func (t *Totals) odds(v Variant) (hops, congested float64) {
	if t.Packets == 0 {
		return 0, 0
	}
	hops = filterOdds(v, float64(t.Hops)/float64(t.Packets))
	if t.CongestedPackets > 0 {
		congested = filterOdds(v, float64(t.CongestedHops)/float64(t.CongestedPackets)) *
			float64(t.CongestedPackets) / float64(t.Packets)
	}
	return hops, congested
}

// filterOdds are those of false positives in a filter of so many links.
func filterOdds(v Variant, links float64) float64 {
	hashes := float64(bloomHashes(v.Bits))
	p := math.Pow(1-math.Pow(1-1/float64(v.Bits), hashes*links), hashes)
	return p / max(1-p, 1./256)
}
