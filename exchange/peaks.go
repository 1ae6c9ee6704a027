package exchange

// peaks are values of which the greatest is wanted at any time: a tournament.
// Setting a value takes O(log values), the greatest O(1), and the greatest of
// all but some set O(log values x those that are greater).
type peaks struct {
	width int       // a power of 2
	best  []float64 // length 2 x width: best[1] of all, best[i] of best[2i] and best[2i+1]; value i is best[width+i]
}

func newPeaks(count int) *peaks {
	p := &peaks{width: 1}
	for p.width < count {
		p.width *= 2
	}
	p.best = make([]float64, 2*p.width)
	return p
}

func (p *peaks) greatest() float64 { return p.best[1] }

func (p *peaks) set(i int32, value float64) {
	at := p.width + int(i)
	p.best[at] = value
	for at >>= 1; at > 0; at >>= 1 {
		top := max(p.best[2*at], p.best[2*at+1])
		if p.best[at] == top {
			return
		}
		p.best[at] = top
	}
}

// setAll takes all values anew. O(values).
func (p *peaks) setAll(value func(i int) float64, count int) {
	clear(p.best)
	for i := range count {
		p.best[p.width+i] = value(i)
	}
	for at := p.width - 1; at > 0; at-- {
		p.best[at] = max(p.best[2*at], p.best[2*at+1])
	}
}

// greatestBut is the greatest of the values without a mark, or floor if that is
// more. at is 1 for all values.
func (p *peaks) greatestBut(marks []int32, mark int32, at int, floor float64) float64 {
	if p.best[at] <= floor {
		return floor
	}
	if at >= p.width {
		if marks[at-p.width] == mark {
			return floor
		}
		return p.best[at]
	}
	left, right := 2*at, 2*at+1
	if p.best[right] > p.best[left] {
		left, right = right, left
	}
	floor = p.greatestBut(marks, mark, left, floor)
	return p.greatestBut(marks, mark, right, floor)
}

// where is the first value that is the greatest.
func (p *peaks) where() int32 {
	at := 1
	for at < p.width {
		at *= 2
		if p.best[at] < p.best[at/2] {
			at++
		}
	}
	return int32(at - p.width)
}
