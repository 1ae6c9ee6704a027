package tiling

import "math"

// Diagonals in a plane. A set of s cells in a columns and b rows meets at least
//
//	(s - a b)/k + a + b - k   lines of one diagonal, for every k up to a and b:
//
// by Pollard (1974), in the form for whole numbers, at least k (a+b-k) of the
// pairs of a column and a row lie on the diagonals when each of these counts k
// at most; those that the set meets hold s pairs, so the others hold no more
// than a b - s. Equal for a box whose two corners are cut off.

// diagonalLines is the largest of these.
func diagonalLines(size, columns, rows int) int {
	most := 1
	for k := 1; k <= min(columns, rows); k++ {
		// Rounded up: lines are whole.
		most = max(most, columns+rows-k-(columns*rows-size)/k)
	}
	return most
}

// plane is the weights of lines in a plane: of those along its two dimensions,
// and of both diagonals together.
type plane struct{ along, across, diagonal float64 }

// lines is the least weight of the lines that a set of so many cells meets.
func (p plane) lines(size int) float64 {
	best := math.Inf(1)
	for columns := 1; columns <= size && float64(columns)*p.across < best; columns++ {
		for rows := (size + columns - 1) / columns; rows <= size; rows++ {
			plain := p.along*float64(rows) + p.across*float64(columns)
			if plain >= best {
				break
			}
			best = min(best, plain+p.diagonal*float64(diagonalLines(size, columns, rows)))
		}
	}
	return best
}

// largestInPlane is the largest set that planes are searched for: above it the
// weaker bound of Loomis and Whitney alone is used.
const largestInPlane = 2500

// solid is the weights of lines in a box of three dimensions: along each, and of
// both diagonals of the plane across each.
type solid struct{ axes, diagonals [3]float64 }

// lines is the least weight of the lines that a set of so many cells meets.
//
// The set is cut into slices across each dimension in turn. Its lines in the
// plane of the slices are the sums of theirs, and no slice is larger than the
// number p of lines along the dimension; so the smaller p, the more slices. A
// share of the weights along the dimensions counts in the slices, where each
// dimension occurs twice, the rest by p. Any share gives a bound; the best counts.
func (b solid) lines(size int) float64 {
	var best float64
	for _, share := range []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3} {
		best = max(best, b.shared(size, share))
	}
	return best
}

// alike tells whether all dimensions weigh the same.
func (b solid) alike() bool {
	return b.axes[0] == b.axes[1] && b.axes[1] == b.axes[2] &&
		b.diagonals[0] == b.diagonals[1] && b.diagonals[1] == b.diagonals[2]
}

// shared is the bound of one share.
func (b solid) shared(size int, share float64) float64 {
	limit := min(size, int(3*math.Pow(float64(size), 2.0/3))+1)
	product := float64(size) * float64(size)
	var least [3][]float64 // by lines along the dimension, up to limit+1, which is more
	for d := range least {
		if d > 0 && b.alike() {
			least[d] = least[0]
			continue
		}
		p := plane{share * b.axes[(d+1)%3], share * b.axes[(d+2)%3], b.diagonals[d]}
		least[d] = make([]float64, limit+2)
		ratio := math.Inf(1)
		for lines := 1; lines <= limit; lines++ {
			ratio = min(ratio, p.lines(lines)/float64(lines))
			least[d][lines] = (1-2*share)*b.axes[d]*float64(lines) + ratio*float64(size)
		}
		least[d][limit+1] = (1 - 2*share) * b.axes[d] * float64(limit+1)
	}
	atLeast := make([]float64, limit+2) // of dimension 2: least over so many lines or more
	last := math.Inf(1)
	for lines := limit + 1; lines >= 1; lines-- {
		last = min(last, least[2][lines])
		atLeast[lines] = last
	}
	best := math.Inf(1)
	for x := 1; x <= limit+1; x++ {
		for y := 1; y <= limit+1; y++ {
			need := 1
			if x <= limit && y <= limit {
				need = int(min(float64(limit+1), math.Ceil(product/float64(x*y))))
			}
			best = min(best, least[0][x]+least[1][y]+atLeast[max(1, need)])
		}
	}
	return best
}
