package partition

import (
	"context"
	"math/rand/v2"

	"remap/commgraph"
	"remap/kernighanlin"
	"remap/mapping"
	"remap/placement"
)

// on gives the preset for a graph.
func (preset Preset) on(g *commgraph.Graph) Preset {
	if g.Vertices()+len(g.Neighbors) <= largeWork {
		return preset
	}
	switch preset.Name {
	case StrongPreset.Name:
		return DefaultPreset
	case DefaultPreset.Name:
		return FastPreset
	}
	return preset
}

// solve gives the vertices in the order of the layout's positions.
func (preset Preset) solve(
	ctx context.Context, g *commgraph.Graph, l *placement.Layout, seed uint64,
) ([]int32, error) {
	preset = preset.on(g)
	bounds := levelBounds(l)
	members, err := multisect(ctx, newRecursion(g, preset.Cut), bounds, seed)
	if err != nil {
		return nil, err
	}
	assign := placement.NewAssignment(l.First, members)
	refiner := kernighanlin.NewRefiner(g, l.Metric, assign)
	if err := preset.refine(ctx, g, l.Metric, refiner, assign, mix(seed, 1)); err != nil {
		return nil, err
	}
	n := preset.Neighbourhoods
	trials := func(int) int { return n.Trials }
	search := newNeighbourhoodSearch(g, l.Metric, assign, bounds, n.Solver)
	for round := range n.Rounds {
		s := mix(seed, uint64(2+round))
		if err := search.round(ctx, len(bounds)-1, n.Blocks, trials, s); err != nil {
			return nil, err
		}
		if err := preset.refine(ctx, g, l.Metric, refiner, assign, mix(s, 1)); err != nil {
			return nil, err
		}
	}
	return assign.Members, nil
}

// refine improves all blocks under the metric: first by exchanges between pairs of
// blocks, then by cycles of moves, which ejection chains and negative cycles find.
func (s *Solver) refine(
	ctx context.Context, g *commgraph.Graph, m *placement.Metric,
	r *kernighanlin.Refiner, assign *placement.Assignment, seed uint64,
) error {
	err := refinePairs(ctx, r, assign.Blocks(), nil, s.Pairs)
	if err != nil || s.ChainLength == 0 {
		return err
	}
	moves := newMoves(g, m, assign, nil)
	limits := chainLimits{Length: s.ChainLength, Rounds: chainRounds, Work: s.ChainWork}
	if edges := int64(g.Edges()); edges > 0 {
		limits.Drop = int64(s.ChainDrop) * 2 * g.TotalWeight() / edges
	}
	chance := rand.New(rand.NewPCG(seed, 0x636861696e)) // "chain": a stream of its own
	if _, err := moves.ejectionChains(ctx, limits, chance); err != nil || s.CycleRounds == 0 {
		return err
	}
	_, err = moves.negativeCycles(ctx, s.CycleRounds)
	return err
}

// levelBounds lists the blocks of all levels, coarsest first, down to the
// layout's own.
func levelBounds(l *placement.Layout) [][]int32 {
	var bounds [][]int32
	for i := len(l.Places.Levels) - 1; i >= 0; i-- {
		bounds = append(bounds, l.Places.Levels[i].Bounds)
	}
	if n := len(bounds); n == 0 || len(bounds[n-1]) != len(l.First) {
		bounds = append(bounds, l.First)
	}
	return bounds
}

// trials is how often a graph of so many vertices and half-edges is partitioned from
// other seeds.
func trials(work int) int { return max(1, min(mostTrials, trialWork/(work+1))) }

// improveTrials is how often a neighbourhood of Improve is cut again.
func improveTrials(work int) int { return min(mostImproveTrials, trials(work)) }

// trials is how often a graph is mapped where the machine itself is split.
func (e MachineEffort) trials(g *commgraph.Graph) int {
	return max(1, min(e.Most, e.Work/(g.Vertices()+len(g.Neighbors)+1)))
}

// Strategy is multisection with this preset: it cuts the graph level by level
// as the network is built, pods first, then leaf switches, then hosts, and in
// the end exchanges ranks between all places that talk to each other while the
// sum of bytes times path length falls.
func (preset Preset) Strategy() mapping.Strategy {
	return mapping.Strategy{
		Name: preset.Name,
		Doc:  preset.Doc,
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			solve := func(l *placement.Layout, seed uint64) ([]int32, error) {
				return preset.solve(ctx, p.Graph, l, seed)
			}
			return place(ctx, p, preset.Name, preset.Machine, solve)
		},
	}
}

// Fast is the strategy "fast": multisection with FastPreset.
func Fast() mapping.Strategy { return FastPreset.Strategy() }

// Default is the strategy "default": multisection with DefaultPreset.
func Default() mapping.Strategy { return DefaultPreset.Strategy() }

// Strong is the strategy "strong": multisection with StrongPreset.
func Strong() mapping.Strategy { return StrongPreset.Strategy() }

// Multisection is the strategy "multisection", which is Default by its other name.
func Multisection() mapping.Strategy {
	s := Default()
	s.Name = "multisection"
	return s
}
