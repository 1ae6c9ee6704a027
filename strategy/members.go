package strategy

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap/commgraph"
	"remap/mapping"
	"remap/partition"
)

// member is strategies one after the other; the result of each is offered.
type member struct {
	seed  uint64
	start mapping.Mapping // nil = the problem's
	chain []adapter
	mixed bool // searches under the mixed objective, whatever the problem's
}

// gridMembers are those for ranks that form a grid. Large ones are left as they
// are tiled, in which refiners find next to nothing.
func (s *portfolio) gridMembers() []member {
	if s.free() && work(s.Graph) > trialWork {
		return []member{
			{seed: s.Seed, chain: []adapter{tiles()}},
			{seed: s.Seed, chain: []adapter{gridEmbedding()}},
		}
	}
	return []member{
		{seed: s.Seed, chain: s.refined(tiles())},
		{seed: s.Seed, chain: s.refined(gridEmbedding())},
	}
}

// members are all others. The first needs no time to speak of.
func (s *portfolio) members(trials int) []member {
	list := []member{
		{seed: s.Seed, chain: []adapter{baseline(mapping.IdentityStrategy())}},
		{seed: s.Seed, chain: []adapter{ordering(false)}},
		{seed: s.Seed, chain: []adapter{ordering(true)}},
		{seed: s.Seed, chain: s.refiners()},
		{seed: s.Seed, chain: []adapter{quickSwaps()}},
	}
	if s.Coordinates != nil || s.Grid != nil {
		list = append(list,
			member{seed: s.Seed, chain: s.refined(cuboids())},
			member{seed: s.Seed, chain: s.refined(curve())})
	}
	if s.onGrid() { // elsewhere it is much like identity
		list = append(list, member{seed: s.Seed, chain: s.refined(numbers())})
	}
	seeds := rand.New(rand.NewPCG(s.Seed, 0x62657374)) // "best": a stream of its own
	seed := s.Seed
	for trial := range trialsFor(s.Graph, trials) {
		list = append(list, member{seed: seed, chain: s.refined(s.multisection(trial == 0))})
		seed = seeds.Uint64()
	}
	return append(list, s.byMixed(list)...)
}

// byMixed are members for low link loads under a limit of moves that search
// under the mixed objective. With few moves the worst link's load seldom falls by
// one exchange or one cycle of moves, as other links have the same load. Under mixed,
// a move that shortens paths gains, and leads past that.
func (s *portfolio) byMixed(list []member) []member {
	if s.Objective != mapping.LinkLoad || s.MaxMoves <= 0 {
		return nil
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].mixed = true
	}
	return list
}

// refined is a strategy with what improves its result.
func (s *portfolio) refined(k adapter) []adapter { return append([]adapter{k}, s.refiners()...) }

// refiners are kl, whose passes move many ranks at once but shorten paths
// alone, and quick swaps, which know every objective and look at single ranks.
// On tori and meshes kl takes as long as all else, and swap does what it does.
func (s *portfolio) refiners() []adapter {
	if s.onGrid() {
		return []adapter{quickSwaps()}
	}
	return []adapter{passes(), quickSwaps()}
}

// onGrid tells whether the network is a torus or mesh.
func (s *portfolio) onGrid() bool { return s.Machine.Routes != nil && s.Machine.Routes.Grid != nil }

// quickSwaps are swap without its annealing, which is kept for the winner.
func quickSwaps() adapter {
	return adapter{keepsFixed: true, keepsLimit: true, Strategy: mapping.Strategy{Name: "swap", Refine: true,
		Map: func(ctx context.Context, p *mapping.Problem) (mapping.Mapping, error) {
			return repair(ctx, p, p.StartMapping())
		}}}
}

// multisection is as strong as the graph is small, for the first trial on larger
// graphs too. Strong seeks short paths alone: where the objective is another, default
// is enough for a start. Default is also for graphs with hubs, which tie every block to
// every other.
func (s *portfolio) multisection(first bool) adapter {
	preset, strongest := partition.DefaultPreset, strongWork
	if first {
		strongest *= firstStrong
	}
	switch size := work(s.Graph); {
	case size > trialWork:
		preset = partition.FastPreset
	case size <= strongest && s.free() && !hubs(s.Graph):
		preset = partition.StrongPreset
	}
	return adapter{Strategy: preset.Strategy(), keepsFixed: true}
}

// hubs tells whether some vertex has many times the neighbours of most.
func hubs(g *commgraph.Graph) bool {
	widest := int32(0)
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		widest = max(widest, end-first)
	}
	return int(widest)*g.Vertices() > hubDegree*len(g.Neighbors)
}

// trialsFor is how many of the trials a graph gets.
func trialsFor(g *commgraph.Graph, trials int) int {
	return max(1, min(trials, trialWork/work(g)))
}

// work is the size of a graph: vertices and half-edges.
func work(g *commgraph.Graph) int { return g.Vertices() + len(g.Neighbors) + 1 }

// offer runs the members, side by side, and keeps the best of their results
// and of the winner before; of equals the earliest.
func (s *portfolio) offer(members []member) error {
	results := make([]offers, len(members))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range members {
		group.Go(func() error {
			results[i] = s.follow(m)
			return nil
		})
	}
	_ = group.Wait() // no member gives an error
	if err := s.outer.Err(); err != nil {
		return err
	}
	for _, r := range results {
		if s.refusal == nil {
			s.refusal = r.refusal
		}
		if r.found != nil && (s.winner == nil || r.cost.less(s.least)) {
			s.winner, s.least = r.found, r.cost
		}
	}
	return nil
}

// offers is what comes of a member: the best of its mappings, nil = none, and
// why it went no further.
type offers struct {
	found   mapping.Mapping
	cost    lexicographicCost
	refusal error
}

// follow runs one member until one of its strategies refuses. A limit of moves
// holds for the whole chain, and so the chain is one strategy then.
func (s *portfolio) follow(m member) (o offers) {
	step := *s.Problem
	step.Seed = m.seed
	if m.mixed {
		step.Objective = mapping.Mixed
	}
	if m.start != nil {
		step.Start = m.start
	}
	links := m.chain
	if s.MaxMoves > 0 && len(links) > 1 {
		strategies := make([]mapping.Strategy, len(links))
		for i, k := range links {
			strategies[i] = k.adapted()
		}
		links = []adapter{chain("", strategies)}
	}
	for _, k := range links {
		found, err := k.solve(s.limited, &step, false)
		if err == nil {
			err = s.CheckMoves(found)
		}
		if err != nil {
			o.refusal = err
			return o
		}
		if w := costOf(s.Problem, found); o.found == nil || w.less(o.cost) {
			o.found, o.cost = found, w
		}
		step.Start = found
	}
	return o
}
