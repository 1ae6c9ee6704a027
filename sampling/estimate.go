package sampling

import "math"

// Estimate is a value with its 95 % interval.
type Estimate struct{ Value, Low, High float64 }

// normal95 is the two-sided 95 % quantile of the normal distribution.
const normal95 = 1.959963984540054

// PacketsEstimate is the number of packets that crossed a link.
func (t *Table) PacketsEstimate(link int32) Estimate {
	e := &t.Links[link]
	return around(e.Packets, math.Sqrt(max(0, e.PacketsVariance)), math.Inf(1))
}

// CongestedEstimate is the number of packets that found a link congested.
func (t *Table) CongestedEstimate(link int32) Estimate {
	e := &t.Links[link]
	return around(e.Congested, math.Sqrt(max(0, e.CongestedVariance)), math.Inf(1))
}

// Fraction is a link's congested fraction F = congested / packets, 0 when no
// packet was sampled on it.
func (t *Table) Fraction(link int32) Estimate {
	e := &t.Links[link]
	if e.Packets <= 0 {
		return Estimate{High: 1}
	}
	w, c := e.Packets, e.Congested
	if c <= 0 {
		length := 1 + e.PacketsVariance/w
		return Estimate{High: min(1, 3*length/w)}
	}
	f := c / w
	variance := (e.CongestedVariance - 2*f*e.Covariance + f*f*e.PacketsVariance) / (w * w)
	return around(min(f, 1), math.Sqrt(max(0, variance)), 1)
}

func around(value, deviation, top float64) Estimate {
	return Estimate{Value: value, Low: max(0, value-normal95*deviation), High: min(top, value+normal95*deviation)}
}
