package partition

import (
	"context"
	"math/rand/v2"

	"remap/commgraph"
	"remap/kernighanlin"
	"remap/mapping"
	"remap/placement"
)

// Preset is how hard multisection tries.
type Preset struct {
	Name     string
	Doc      string  // one line
	Cut      Options // of the bisections of whole levels
	Pairs    int     // most rounds over all pairs of adjacent blocks
	Rounds   int     // renewals of sets of blocks
	Set      int     // most blocks of a set, >= 2
	Trials   int     // cuts tried of every set
	Renewal  Options // of the bisections of sets
	Chain    int     // most vertices of a ring found by chains; 0 = no chains
	Work     int     // most vertices that chains look at, for each of the graph
	Drop     int     // how far a chain may fall behind, in edges of mean weight that become one level longer
	Rotation int     // most rounds of rotation after chains

	Machine MachineEffort // where the machine itself is split
}

// FastPreset gives what other partitioners do by default, in about their time.
var FastPreset = Preset{
	Name: "fast", Doc: "multisection with little effort, for large graphs",
	Cut:   Options{Coarsest: 80, Seeds: 4, Attempts: 1, Passes: 6, Merging: Clusters},
	Pairs: 1, Chain: 10, Work: 30, Rotation: 2, Machine: MachineEffort{Most: 1, Swaps: true},
}

// DefaultPreset is that of the strategies "default" and "multisection".
var DefaultPreset = Preset{
	Name: "default", Doc: "multilevel partitioning along the levels of the network, then sets of leaf switches again, then exchanges by path length",
	Cut:   Options{Coarsest: 80, Seeds: 6, Attempts: 4, Cycles: 2, Passes: 6},
	Pairs: 20, Rounds: 2, Set: 8, Trials: 2, Renewal: Options{Coarsest: 80, Seeds: 4, Attempts: 1, Passes: 6},
	Chain: 12, Work: 400, Rotation: 10, Machine: MachineEffort{Work: 1 << 19, Most: 24, Swaps: true},
}

// StrongPreset tries harder, for graphs that are mapped once and run long.
var StrongPreset = Preset{
	Name: "strong", Doc: "multisection with five times the effort of default",
	Cut:   Options{Coarsest: 80, Seeds: 8, Attempts: 8, Cycles: 4, Passes: 8},
	Pairs: 20, Rounds: 6, Set: 6, Trials: 4, Renewal: Options{Coarsest: 80, Seeds: 4, Attempts: 2, Cycles: 1, Passes: 6},
	Chain: 16, Work: 400, Drop: 2, Rotation: 10, Machine: MachineEffort{Work: 1 << 21, Most: 64, Swaps: true},
}

// largeWork is the number of vertices and half-edges above which a preset does
// as the next weaker one: default would take minutes there.
const largeWork = 1 << 22

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

// Strategy is multisection with this preset: it cuts the graph level by level
// as the network is built, pods first, then leaf switches, then hosts, and in
// the end exchanges ranks between all places that talk to each other while the
// sum of bytes times path length falls.
func (preset Preset) Strategy() mapping.Strategy {
	return mapping.Strategy{
		Name: preset.Name,
		Doc:  preset.Doc,
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			return place(ctx, p, preset.Name, preset.Machine, func(l *placement.Layout, seed uint64) ([]int32, error) {
				return preset.solve(ctx, p.Graph, l, seed)
			})
		},
	}
}

// solve gives the vertices in the order of the layout's positions.
func (preset Preset) solve(ctx context.Context, g *commgraph.Graph, l *placement.Layout, seed uint64) ([]int32, error) {
	bounds := levelBounds(l)
	preset = preset.on(g)
	members, err := multisect(ctx, g, bounds, preset.Cut, seed)
	if err != nil {
		return nil, err
	}
	assign := placement.NewAssignment(l.First, members)
	r := kernighanlin.NewRefiner(g, l.Metric, assign)
	if err := preset.polish(ctx, g, l.Metric, r, assign, mix(seed, 1)); err != nil {
		return nil, err
	}
	if preset.Rounds > 0 && preset.Trials > 0 {
		again := &renewal{graph: g, assign: assign, refiner: r, parent: parents(bounds), preset: preset}
		for round := range preset.Rounds {
			s := mix(seed, uint64(2+round))
			if err := again.round(ctx, s); err != nil {
				return nil, err
			}
			if err := preset.polish(ctx, g, l.Metric, r, assign, mix(s, 1)); err != nil {
				return nil, err
			}
		}
	}
	return assign.Members, nil
}

// polish improves all blocks under the metric, first pairs, then rings.
func (preset Preset) polish(ctx context.Context, g *commgraph.Graph, m *placement.Metric, r *kernighanlin.Refiner, assign *placement.Assignment, seed uint64) error {
	if err := refinePairs(ctx, r, assign.Blocks(), nil, pairLimits, preset.Pairs); err != nil || preset.Chain == 0 {
		return err
	}
	k := newKway(g, m, assign, nil)
	limits := chainLimits{Length: preset.Chain, Rounds: 10, Work: preset.Work}
	if edges := int64(g.Edges()); edges > 0 {
		limits.Drop = int64(preset.Drop) * 2 * g.TotalWeight() / edges
	}
	if _, err := k.search(ctx, limits, rand.New(rand.NewPCG(seed, 0x636861696e))); err != nil || preset.Rotation == 0 {
		return err
	}
	_, err := k.rotate(ctx, preset.Rotation)
	return err
}
