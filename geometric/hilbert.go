package geometric

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"remap/mapping"
)

// Hilbert is the strategy "hilbert": the ranks in the order in which a Hilbert
// curve visits their places, laid onto the slots in network order; on tori and
// meshes onto the slots in the order in which a Hilbert curve visits theirs. The
// curve is that of the smallest cube of 2^b cells a side that holds all places;
// what lies outside them it passes over, so that neighbours on the curve may lie
// apart where extents are no equal powers of two.
//
// Quicker than rcb and mostly a little worse. O(ranks x dimensions x b) and
// sorting.
func Hilbert() mapping.Strategy {
	return strategy("hilbert", "ranks whose coordinates or grid are known, in the order of a Hilbert "+
		"curve", ranksOf, alongCurve)
}

func alongCurve(ctx context.Context, p *mapping.Problem, ranks *cloud,
	slots *mapping.Places) (mapping.Mapping, error) {
	order := hilbertOrder(ranks)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	nodes := slotCloud(p, slots)
	if nodes == nil {
		return place(slots.Slots, order), nil
	}
	along := make([]int32, len(order))
	for i, position := range hilbertOrder(nodes) {
		along[i] = slots.Slots[position]
	}
	return place(along, order), nil
}

// hilbertOrder sorts the points of a cloud along the curve through its major
// dimensions; points at one place keep their order.
func hilbertOrder(c *cloud) []int32 {
	low := slices.Clone(c.values[:c.minor])
	for i, x := range c.values {
		if k := i % c.dims; k < c.minor {
			low[k] = min(low[k], x)
		}
	}
	depth := 0
	for k, extent := range c.extents() {
		if k < c.minor {
			depth = max(depth, bits.Len32(uint32(extent-1)))
		}
	}
	words := (c.minor*depth + 63) / 64
	codes := make([]uint64, c.points()*words)
	cell := make([]uint32, c.minor)
	order := make([]int32, c.points())
	for i := range order {
		order[i] = int32(i)
		for k := range cell {
			cell[k] = uint32(c.values[i*c.dims+k] - low[k])
		}
		hilbertCode(cell, depth, codes[i*words:(i+1)*words])
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := codes[int(a)*words:int(a+1)*words], codes[int(b)*words:int(b+1)*words]
		for w := range words {
			if x[w] != y[w] {
				return cmp.Compare(x[w], y[w])
			}
		}
		return cmp.Compare(a, b)
	})
	return order
}

// hilbertCode writes the place of a cell on the curve through the cube of
// 2^depth cells a side, which it overwrites: a number of dims x depth bits, in
// words from the highest down, its first bit the highest of code[0] (J.
// Skilling, Programming the Hilbert curve, 2004: AxestoTranspose, then the bits
// of the axes taken in turn). O(dims x depth).
func hilbertCode(cell []uint32, depth int, code []uint64) {
	last := len(cell) - 1
	for q := uint32(1) << depth >> 1; q > 1; q >>= 1 { // undo excess work
		below := q - 1
		for k := range cell {
			if cell[k]&q != 0 {
				cell[0] ^= below
			} else {
				swap := (cell[0] ^ cell[k]) & below
				cell[0] ^= swap
				cell[k] ^= swap
			}
		}
	}
	for k := 1; k <= last; k++ { // Gray code
		cell[k] ^= cell[k-1]
	}
	flip := uint32(0)
	for q := uint32(1) << depth >> 1; q > 1; q >>= 1 {
		if cell[last]&q != 0 {
			flip ^= q - 1
		}
	}
	clear(code)
	at := 0
	for b := depth - 1; b >= 0; b-- {
		for k := range cell {
			code[at/64] |= uint64((cell[k]^flip)>>b&1) << (63 - at%64)
			at++
		}
	}
}
