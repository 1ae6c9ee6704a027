package partition

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/placement"
)

// drawBlocks assigns the vertices of a graph, and some idle ones, to blocks of
// random sizes in random order.
func drawBlocks(t *rapid.T, vertices int) *placement.Assignment {
	positions := vertices + rapid.IntRange(0, 5).Draw(t, "idle")
	first := []int32{0}
	for last := 0; last < positions; {
		last += rapid.IntRange(1, max(1, min(positions-last, positions/3))).Draw(t, "size")
		first = append(first, int32(last))
	}
	members := make([]int32, positions)
	for i, v := range chance(rapid.Uint64().Draw(t, "order")).Perm(positions) {
		members[i] = int32(v)
	}
	return placement.NewAssignment(first, members)
}

// drawMetric is symmetric, and longer between blocks than inside.
func drawMetric(t *rapid.T, blocks int) *placement.Metric {
	random := chance(rapid.Uint64().Draw(t, "lengths"))
	matrix := make([]uint16, blocks*blocks)
	for a := range blocks {
		matrix[a*blocks+a] = 1
		for b := range a {
			length := uint16(2 + random.IntN(5))
			matrix[a*blocks+b], matrix[b*blocks+a] = length, length
		}
	}
	return placement.NewMatrixMetric(matrix, blocks, 1)
}

// TestRingsKeepSizes: whatever the graph, metric, sizes and fixed vertices,
// both searches leave a valid assignment of the same sizes with the fixed
// vertices where they were, and the gain they tell is what the cost fell by.
func TestRingsKeepSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		assign := drawBlocks(t, g.Vertices())
		metric := drawMetric(t, assign.Blocks())
		var fixed []bool
		if rapid.Bool().Draw(t, "some fixed") {
			fixed = make([]bool, len(assign.Members))
			random := chance(rapid.Uint64().Draw(t, "fixed"))
			for v := range fixed {
				fixed[v] = random.IntN(3) == 0
			}
		}
		before, first := slices.Clone(assign.Block), slices.Clone(assign.First)
		cost := assign.Cost(g, metric)
		k := newMoves(g, metric, assign, fixed)
		check := func(name string, gain int64, err error) {
			if err != nil || gain < 0 || cost-gain != assign.Cost(g, metric) {
				t.Fatalf("%s: cost %d, gain %d, then %d (%v)", name, cost, gain, assign.Cost(g, metric), err)
			}
			cost -= gain
			if err := assign.Check(); err != nil || !slices.Equal(first, assign.First) {
				t.Fatalf("%s: %v", name, err)
			}
			for v, f := range fixed {
				if f && assign.Block[v] != before[v] {
					t.Fatalf("%s moved fixed vertex %d", name, v)
				}
			}
			for i, v := range assign.Members {
				if k.position[v] != int32(i) {
					t.Fatalf("%s: vertex %d is not at the position noted", name, v)
				}
			}
		}
		limits := chainLimits{Length: rapid.IntRange(2, 8).Draw(t, "length"),
			Drop: rapid.Int64Range(0, 20).Draw(t, "drop"), Rounds: 5, Work: 100}
		gain, err := k.ejectionChains(context.Background(), limits, chance(1))
		check("chains", gain, err)
		gain, err = k.negativeCycles(context.Background(), 20)
		check("negative cycles", gain, err)
	})
}

// anchored is a graph in which gains add up: every loose vertex has edges to
// anchors only, one in each block.
//
//	loose 0..n-1, anchors n..n+blocks-1
func anchored(t testing.TB, random *rand.Rand, loose, blocks int) *commgraph.Graph {
	var flows []commgraph.Flow
	for v := range int32(loose) {
		for b := range int32(blocks) {
			flows = append(flows, commgraph.Flow{From: v, To: int32(loose) + b, Bytes: 1 + random.Int64N(30)})
		}
	}
	return build(t, loose+blocks, flows)
}

// TestNegativeCyclesFindTheOptimum: where gains add up, cycles of negative cost lead
// to the optimum (Klein 1967), found here by trying everything.
func TestNegativeCyclesFindTheOptimum(t *testing.T) {
	for seed := range uint64(60) {
		random := chance(seed)
		blocks := 2 + random.IntN(3)
		loose := 2*blocks + random.IntN(2)
		g := anchored(t, random, loose, blocks)
		first, members, next := []int32{0}, []int32{}, 0
		for b := range blocks {
			members = append(members, int32(loose+b))
			for ; next < (b+1)*loose/blocks; next++ {
				members = append(members, int32(next))
			}
			first = append(first, int32(len(members)))
		}
		fixed := make([]bool, loose+blocks)
		for b := range blocks {
			fixed[loose+b] = true
		}
		assign := placement.NewAssignment(first, members)
		metric := placement.CutMetric(blocks)
		best := cheapest(g, assign, metric, loose)
		k := newMoves(g, metric, assign, fixed)
		if _, err := k.negativeCycles(context.Background(), 100); err != nil {
			t.Fatal(err)
		}
		if cost := assign.Cost(g, metric); cost != best {
			t.Errorf("seed %d: %d loose vertices in %d blocks cost %d, the optimum "+
				"is %d", seed, loose, blocks, cost, best)
		}
	}
}

// cheapest tries every way to put the loose vertices into the blocks.
func cheapest(g *commgraph.Graph, start *placement.Assignment, metric *placement.Metric, loose int) int64 {
	a := &placement.Assignment{First: start.First, Members: start.Members, Block: slices.Clone(start.Block)}
	room := make([]int, start.Blocks())
	for b := range room {
		room[b] = len(start.Of(int32(b))) - 1 // without the anchor
	}
	best := int64(-1)
	var try func(v int)
	try = func(v int) {
		if v == loose {
			if cost := a.Cost(g, metric); best < 0 || cost < best {
				best = cost
			}
			return
		}
		for b := range room {
			if room[b] > 0 {
				room[b]--
				a.Block[v] = int32(b)
				try(v + 1)
				room[b]++
			}
		}
	}
	try(0)
	return best
}

// TestCyclesFindWhatPairsCannot: every clique's vertices but one are at home, and
// that one is in the next clique's block. No exchange between two blocks helps
// enough, a cycle of moves through all of them gives the optimum.
func TestCyclesFindWhatPairsCannot(t *testing.T) {
	const blocks, size = 5, 4
	var flows []commgraph.Flow
	for b := range int32(blocks) {
		for i := range int32(size) {
			for j := range i {
				flows = append(flows, commgraph.Flow{From: b*size + i, To: b*size + j, Bytes: 1})
			}
		}
	}
	g := build(t, blocks*size, flows)
	first, members := []int32{0}, []int32{}
	for b := range int32(blocks) {
		for i := range int32(size - 1) {
			members = append(members, b*size+i)
		}
		members = append(members, (b+1)%blocks*size+size-1)
		first = append(first, int32(len(members)))
	}
	metric := placement.CutMetric(blocks)
	for name, improve := range map[string]func(m *moves) (int64, error){
		"chains": func(k *moves) (int64, error) {
			return k.ejectionChains(context.Background(), chainLimits{Length: blocks, Rounds: 3, Work: 1000},
				chance(1))
		},
		"negative cycles": func(k *moves) (int64, error) { return k.negativeCycles(context.Background(), 3) },
	} {
		assign := placement.NewAssignment(first, slices.Clone(members))
		if _, err := improve(newMoves(g, metric, assign, nil)); err != nil {
			t.Fatal(err)
		}
		if cost := assign.Cost(g, metric); cost != 0 {
			t.Errorf("%s leaves a cut of %d", name, cost)
		}
	}
}
