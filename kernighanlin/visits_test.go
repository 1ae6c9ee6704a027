package kernighanlin

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestVisitsChangeNothing: a refiner that visits every pair every time ends with
// the same assignment.
func TestVisitsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRefiner(t)
		if rapid.Bool().Draw(t, "budget") {
			r.Home, r.Budget = slices.Clone(r.assign.Block), rapid.IntRange(0, 9).Draw(t, "moves")
		}
		if n := len(r.assign.Block); rapid.Bool().Draw(t, "some fixed") {
			r.Fixed = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "fixed")
		}
		again := NewRefiner(r.graph, r.metric, NewAssignment(r.assign.First, slices.Clone(r.assign.Members)))
		again.Home, again.Budget, again.Fixed = r.Home, r.Budget, r.Fixed
		options := DefaultOptions
		options.Partners = rapid.IntRange(1, 6).Draw(t, "partners")
		gain, err := r.Incremental(context.Background(), options)
		if err != nil {
			t.Fatal(err)
		}
		if all := again.everyVisit(options); all != gain || !slices.Equal(again.assign.Members, r.assign.Members) {
			t.Fatalf("gain %d and members %v, with all visits %d and %v", gain, r.assign.Members, all, again.assign.Members)
		}
	})
}

// everyVisit is Incremental without the memory of visits.
func (r *Refiner) everyVisit(options Options) (total int64) {
	limits := Limits{Slack: 1, Passes: options.Passes, Fruitless: 50}
	for range options.Sweeps {
		var gain int64
		for b := range int32(r.assign.Blocks()) {
			for _, other := range slices.Clone(r.partnersOf(b, options.Partners)) {
				if g := r.Improve(b, other, limits); g > 0 {
					gain += g
					break
				}
			}
		}
		total += gain
		if gain == 0 {
			break
		}
	}
	return total
}
