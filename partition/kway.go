package partition

import (
	"context"

	"remap/kernighanlin"
)

// settle improves pairs of adjacent blocks in rounds until nothing gains or
// the rounds are used up. The first round visits all pairs for which within
// holds (nil = all), later rounds those of which a block has changed since its
// last visit (active block scheduling, Sanders and Schulz 2011).
func settle(ctx context.Context, r *kernighanlin.Refiner, blocks int, within func(a, b int32) bool, limits kernighanlin.Limits, rounds int) error {
	active, changed := make([]bool, blocks), make([]bool, blocks)
	for b := range active {
		active[b] = true
	}
	var partners []int32
	for range rounds {
		any := false
		for a := range int32(blocks) {
			adjacent, _ := r.Adjacent(a)
			partners = append(partners[:0], adjacent...)
			for _, b := range partners {
				if b < a && active[b] || !active[a] && !active[b] || within != nil && !within(a, b) {
					continue // an active b has visited this pair already
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if r.Improve(a, b, limits) > 0 {
					changed[a], changed[b], any = true, true, true
				}
			}
		}
		if !any {
			return nil
		}
		active, changed = changed, active
		clear(changed)
	}
	return nil
}
