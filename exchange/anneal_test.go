package exchange

import (
	"context"
	"math"
	"slices"
	"testing"

	"remap/mapping"
)

// TestAnnealingUnderCapacity: over some problems annealing finds less than sweeps
// alone, it keeps fixed ranks, and finds the same every time.
func TestAnnealingUnderCapacity(t *testing.T) {
	sum := 0.0 // of the logarithms of annealed over swept
	for seed := range uint64(8) {
		p := patternProblem(t, "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=3,aggs-per-pod=2,cores=2",
			"stencil2d:6x7")
		p.Objective, p.Seed = mapping.Capacity, seed
		p.LinkFree = make([]float64, len(p.Machine.Links))
		for l := range p.LinkFree {
			p.LinkFree[l] = 1 - float64((l*7+int(seed))%10)/12
		}
		p.Fixed = slices.Repeat([]int32{-1}, p.Ranks())
		start := shuffled(p, seed)
		p.Fixed[3] = start[3]
		still, moving := DefaultOptions, DefaultOptions
		still.Proposals = 0
		local, err := Refine(context.Background(), p, start, still)
		if err != nil {
			t.Fatal(err)
		}
		annealed, err := Refine(context.Background(), p, start, moving)
		if err != nil {
			t.Fatal(err)
		}
		if annealed[3] != start[3] || p.Cost(annealed) > p.Cost(start) {
			t.Errorf("seed %d: annealed to %g from %g, the fixed rank to %d from %d", seed, p.Cost(annealed),
				p.Cost(start), annealed[3], start[3])
		}
		sum += math.Log(p.Cost(annealed) / p.Cost(local))
		again, _ := Refine(context.Background(), p, start, moving)
		if !slices.Equal(again, annealed) {
			t.Errorf("seed %d: another mapping the second time", seed)
		}
	}
	t.Logf("annealed is %.3f of swept", math.Exp(sum/8))
	if sum > 0 {
		t.Errorf("annealing makes it worse, %.3f times", math.Exp(sum/8))
	}
}
