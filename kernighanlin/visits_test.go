package kernighanlin

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/placement"
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
		again := NewRefiner(r.graph, r.metric, placement.NewAssignment(r.assign.First,
			slices.Clone(r.assign.Members)))
		again.Home, again.Budget, again.Fixed = r.Home, r.Budget, r.Fixed
		options := DefaultOptions
		options.ExpensiveFirst = rapid.Bool().Draw(t, "expensive first")
		options.Partners = rapid.IntRange(1, 6).Draw(t, "partners")
		gain, err := r.Incremental(context.Background(), options)
		if err != nil {
			t.Fatal(err)
		}
		if all := again.everyVisit(options); all != gain || !slices.Equal(again.assign.Members, r.assign.Members) {
			t.Fatalf("gain %d and members %v, with all visits %d "+
				"and %v", gain, r.assign.Members, all, again.assign.Members)
		}
	})
}

// everyVisit is Incremental without the memory of visits.
func (r *Refiner) everyVisit(options Options) (total int64) {
	limits := Limits{Slack: 1, Passes: options.Passes, Fruitless: sweepFruitless}
	sweep := r.sweepBlocks
	if options.ExpensiveFirst {
		sweep = r.sweepExpensive
	}
	for range options.Sweeps {
		gain, _ := sweep(context.Background(), options, limits)
		total += gain
		if gain == 0 {
			break
		}
	}
	return total
}

// TestExpensivePairsComeFirst: all pairs of blocks with edges between them, by
// what the edges cost over the cost inside, summed edge by edge.
func TestExpensivePairsComeFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRefiner(t)
		if _, err := r.sweepExpensive(context.Background(), Options{Partners: 9}, Limits{}); err != nil {
			t.Fatal(err)
		}
		expense := map[[2]int32]int64{}
		for u := range int32(r.graph.Vertices()) {
			first, end := r.graph.Row(u)
			for i := first; i < end; i++ {
				a, b := r.assign.Block[u], r.assign.Block[r.graph.Neighbors[i]]
				if a < b {
					expense[[2]int32{a, b}] += r.graph.Weights[i] * (r.metric.Between(a, b) - r.metric.Inside(a))
				}
			}
		}
		visited := r.pairs
		if len(visited) != len(expense) {
			t.Fatalf("%d pairs of %d", len(visited), len(expense))
		}
		for i, p := range visited {
			if want := expense[[2]int32{p.a, p.b}]; p.expense != want || i > 0 && visited[i-1].expense < want {
				t.Fatalf("pair %d of blocks %d and %d: expense %d, want %d, after one "+
					"of %d", i, p.a, p.b, p.expense, want, visited[max(0, i-1)].expense)
			}
		}
	})
}
