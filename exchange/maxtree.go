package exchange

// maxTree is a segment tree of maxima. Setting a value takes O(log values), reading the largest
// O(1). Reading the largest of all but some values takes O(log values x number of those that are
// larger).
type maxTree struct {
	// width is the number of leaves, a power of 2.
	width int
	// best (length 2 x width) has value i at best[width+i], the larger of best[2i] and best[2i+1]
	// at best[i], and so the largest of all at best[1].
	best []float64
}

func newMaxTree(count int) *maxTree {
	p := &maxTree{width: 1}
	for p.width < count {
		p.width *= 2
	}
	p.best = make([]float64, 2*p.width)
	return p
}

func (p *maxTree) greatest() float64 { return p.best[1] }

func (p *maxTree) set(i int32, value float64) {
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

// setAll sets all values. O(values).
func (p *maxTree) setAll(value func(i int) float64, count int) {
	clear(p.best)
	for i := range count {
		p.best[p.width+i] = value(i)
	}
	for at := p.width - 1; at > 0; at-- {
		p.best[at] = max(p.best[2*at], p.best[2*at+1])
	}
}

// greatestBut is the largest of the values without the mark, and at least `least`. at is the root
// of the part of the tree that is searched, 1 for all values.
func (p *maxTree) greatestBut(marks []int32, mark int32, at int, least float64) float64 {
	if p.best[at] <= least {
		return least
	}
	if at >= p.width {
		if marks[at-p.width] == mark {
			return least
		}
		return p.best[at]
	}
	left, right := 2*at, 2*at+1
	if p.best[right] > p.best[left] {
		left, right = right, left
	}
	least = p.greatestBut(marks, mark, left, least)
	return p.greatestBut(marks, mark, right, least)
}

// where is the number of the first value that is the largest.
func (p *maxTree) where() int32 {
	at := 1
	for at < p.width {
		at *= 2
		if p.best[at] < p.best[at/2] {
			at++
		}
	}
	return int32(at - p.width)
}
