package sampling

import "math"

// within takes what is possible into account, a value from bottom to top: the
// unified interval (Feldman and Cousins 1998) of a normal estimate. Its limits
// are those given, z deviations from the value, unless a bound is as near. Then
// cutting an interval off at the bound would cover the bound too often, and
// leave nothing of the interval of a value beyond it.
func (e Estimate) within(bottom, top, z float64) Estimate {
	below, above := (e.Value-e.Low)/z, (e.High-e.Value)/z
	possible := min(top, max(bottom, e.Value))
	low, high := possible, possible
	if below > 0 {
		low = e.Value - below*lowest((e.Value-bottom)/below, (top-e.Value)/below, z)
	}
	if above > 0 {
		high = e.Value + above*lowest((top-e.Value)/above, (e.Value-bottom)/above, z)
	}
	return Estimate{e.Value, min(possible, max(bottom, low)), max(possible, min(top, high))}
}

// lowest is how far below a normal estimate its lower limit is, all in
// deviations: the value is `over` above the bottom and `under` below the top.
func lowest(over, under, z float64) float64 {
	if over >= 2*z && under >= 0 {
		return z
	}
	near := max(0, -under) // to the most likely value that is possible
	if over <= near {
		return over
	}
	confidence := math.Erf(z / math.Sqrt2)
	far := min(over, near+z+1e-9)
	if accepted(far, over-far, under+far, confidence) {
		return far
	}
	for range 40 {
		middle := (near + far) / 2
		if accepted(middle, over-middle, under+middle, confidence) {
			near = middle
		} else {
			far = middle
		}
	}
	return far
}

// accepted tells whether a hypothesis survives an estimate that is d deviations
// above it, where the bottom is `below` and the top `above` away from it: it
// does unless values whose likelihood, relative to the most likely possible
// hypothesis, is higher have more probability than the confidence.
func accepted(d, below, above, confidence float64) bool {
	c := d * d // -2 ln of the likelihood ratio
	switch {
	case d < -below:
		c -= (d + below) * (d + below)
	case d > above:
		c -= (d - above) * (d - above)
	}
	return 1-(math.Erfc(reach(c, below)/math.Sqrt2)+math.Erfc(reach(c, above)/math.Sqrt2))/2 <= confidence
}

// reach is how far from a hypothesis, towards a bound, estimates have c or less.
func reach(c, bound float64) float64 {
	root := math.Sqrt(max(0, c))
	switch {
	case root <= bound:
		return root
	case bound <= 0:
		return math.Inf(1)
	}
	return (bound + c/bound) / 2
}
