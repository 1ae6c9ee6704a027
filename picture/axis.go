package picture

import "math"

// axis maps values to points of the page.
type axis struct {
	low, high   float64 // values
	from, to    float64 // points
	logarithmic bool
	limit       float64 // higher values are at the end; 0 = none
	whole       bool    // all values are whole numbers, so ticks are too
}

// at is where a value is.
func (a *axis) at(x float64) float64 {
	if a.limit > 0 && x > a.limit {
		return a.to
	}
	low, high := a.low, a.high
	if a.logarithmic {
		x, low, high = math.Log(x), math.Log(low), math.Log(high)
	}
	return a.from + (a.to-a.from)*(x-low)/(high-low)
}

// widen makes room for values, up to the limit.
func (a *axis) widen(values ...float64) {
	for _, x := range values {
		if a.limit > 0 {
			x = min(x, a.limit)
		}
		a.whole = a.whole && x == math.Trunc(x)
		a.low, a.high = min(a.low, x), max(a.high, x)
	}
}

// pad leaves some room at both ends, and a span where all values are equal. Below 0 there is room only
// where a value is negative.
func (a *axis) pad(zero bool) {
	if a.logarithmic {
		a.low, a.high = a.low/1.08, a.high*1.08
		return
	}
	span := a.high - a.low
	if span == 0 {
		span = max(math.Abs(a.high), 1)
	}
	least := math.Inf(-1)
	if a.low >= 0 {
		least = 0
	}
	a.high += 0.06 * span
	if a.low = max(a.low-0.06*span, least); zero && a.low < 0.06*span {
		a.low = 0
	}
}

// ticks are round values along the axis.
func (a *axis) ticks() (at []float64) {
	if a.logarithmic && a.high/a.low > 3 {
		for decade := math.Pow(10, math.Floor(math.Log10(a.low))); decade <= a.high; decade *= 10 {
			for _, digit := range []float64{1, 2, 5} {
				if x := decade * digit; x >= a.low && x <= a.high {
					at = append(at, x)
				}
			}
		}
		return at
	}
	step := math.Pow(10, math.Floor(math.Log10((a.high-a.low)/4)))
	for _, digit := range []float64{1, 2, 5, 10} {
		if (a.high-a.low)/(step*digit) <= 7 {
			step *= digit
			break
		}
	}
	if a.whole {
		step = max(step, 1)
	}
	for i := math.Ceil(a.low / step); i*step <= a.high; i++ {
		at = append(at, i*step)
	}
	return at
}
