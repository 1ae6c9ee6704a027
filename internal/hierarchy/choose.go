package hierarchy

// Choose picks slots for a number of ranks (at most as many as positions) so
// that few blocks are used, from the coarsest level down: the smallest block
// that holds all remaining ranks; if none does, the largest blocks whole until
// the rest fits in one. Of equals the first in network order. The result is
// slot numbers in network order. O(blocks squared) for a crowd of siblings
// of different sizes, else near linear.
func (t *Tree) Choose(ranks int) []int32 {
	chosen := make([]bool, len(t.Slots))
	top := len(t.Levels) - 1
	t.choose(top, 0, t.Levels[top].Blocks(), ranks, chosen)
	slots := make([]int32, 0, ranks)
	for i, s := range t.Slots {
		if chosen[i] {
			slots = append(slots, s)
		}
	}
	return slots
}

// choose places ranks in blocks first to end of level l, which hold enough.
func (t *Tree) choose(l, first, end, ranks int, chosen []bool) {
	level := &t.Levels[l]
	whole := make([]bool, end-first)
	for ranks > 0 {
		fits, largest := -1, -1
		for b := first; b < end; b++ {
			switch size := level.Size(b); {
			case whole[b-first]:
			case size >= ranks && (fits < 0 || size < level.Size(fits)):
				fits = b
			case largest < 0 || size > level.Size(largest):
				largest = b
			}
		}
		if fits >= 0 {
			t.chooseWithin(l, fits, ranks, chosen)
			return
		}
		whole[largest-first] = true
		ranks -= level.Size(largest)
		mark(chosen, level.First[largest], level.First[largest+1])
	}
}

// chooseWithin places ranks inside one block that holds them.
func (t *Tree) chooseWithin(l, b, ranks int, chosen []bool) {
	level := &t.Levels[l]
	if l == 0 || ranks == level.Size(b) {
		mark(chosen, level.First[b], level.First[b]+int32(ranks))
		return
	}
	first, end := t.Children(l-1, b)
	t.choose(l-1, first, end, ranks, chosen)
}

func mark(chosen []bool, first, end int32) {
	for i := first; i < end; i++ {
		chosen[i] = true
	}
}
