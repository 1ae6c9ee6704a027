package partition

import (
	"remap/kernighanlin"
)

// Options steer the multilevel bisection.
type Options struct {
	// Coarsest: graphs of at most so many vertices are not merged further, >= 2.
	Coarsest int
	// Seeds: initial bisections tried on the coarsest graph, >= 1.
	Seeds int
	// Attempts: whole multilevel runs tried, the best kept, >= 1.
	Attempts int
	// Cycles: V-cycles: further rounds of merging and refining on the best.
	Cycles int
	// Passes: most passes on one graph of the hierarchy.
	Passes  int
	Merging Merging
}

// Solver is how hard a graph is cut into blocks, and the cut refined.
type Solver struct {
	// Cut is for the bisections.
	Cut Options

	// Pairs is the most rounds of exchanges between all pairs of adjacent blocks.
	Pairs int

	// ChainLength is the most vertices of a cycle of moves that ejection chains find;
	// 0 = neither ejection chains nor negative cycles.
	ChainLength int

	// ChainWork is the most vertices that ejection chains look at, for each vertex of
	// the graph.
	ChainWork int

	// ChainDrop is how far the gain of an ejection chain may fall behind the best cycle
	// of moves found on it, in edges of mean weight that become one level longer.
	ChainDrop int

	// CycleRounds is the most rounds of negative cycles after the ejection chains.
	CycleRounds int
}

// Neighbourhoods is how hard the large neighbourhood search tries.
type Neighbourhoods struct {
	// Rounds: rounds of disjoint neighbourhoods; 0 = no search.
	Rounds int
	// Blocks: most blocks of a neighbourhood, >= 2.
	Blocks int
	// Trials: solutions tried of every neighbourhood, >= 1.
	Trials int
	Solver Solver
}

// MachineEffort is how hard ranks are mapped where the machine itself is split.
type MachineEffort struct {
	// Work bounds the vertices and half-edges of the graphs of all trials, each of which
	// splits both machine and ranks another way; there is one trial at least.
	Work int

	// Most is the most trials.
	Most int

	// Swaps lets single ranks change places in the end.
	Swaps bool
}

// Preset is how hard multisection tries.
type Preset struct {
	Name string
	// Doc: one line.
	Doc string
	Solver
	Neighbourhoods Neighbourhoods
	Machine        MachineEffort
}

// What each part of DefaultPreset brings is in docs/results/peers-parts.md, by
//
//	make results PAGES=peers-parts
//
// It tells of the large neighbourhood search, ejection chains, negative cycles,
// V-cycles, several runs (Attempts) and Merging. Time against quality of the three
// presets: docs/results/peers.md.
//
// "Ablated" in this file: the ratio of average path lengths, changed over unchanged, of
// 24 mappings by the strategy default (eight jobs on trees, tori, a dragonfly and a
// HyperX, seeds 1001 to 1003), with two standard errors, by the command below, which has
// three more jobs since
//
//	make ablate FILE=partition/params.go FROM='mapperSweeps = 2' TO='mapperSweeps = 1' STRATEGY=default
//
// Values of DefaultPreset: Coarsest 20 instead of 80 0.999 +-0.001, Seeds 1 instead of 6
// 1.001 +-0.001, Passes 2 instead of 6 1.000 +-0.001. Pairs 4, ChainLength 4,
// ChainWork 40, CycleRounds 1: each 1.000; these limits are seldom reached.
// Neighbourhoods of 3 blocks instead of 8 1.000 +-0.001, one trial instead of two
// 1.000 +-0.001 in 0.90 of the time.

// DefaultOptions are those of the strategy "bisection" and of splits of the machine.
// Coarsest, Seeds and Passes are near those of METIS 5 (Karypis and Kumar 1998); not
// ablated.
var DefaultOptions = Options{Coarsest: 80, Seeds: 6, Attempts: 2, Cycles: 1, Passes: 6}

// FastPreset gives what other partitioners do by default, in about their time. With
// one run down the levels it takes clusters: 0.2 % better on five graphs than with
// matching (measured once, when the presets were made).
var FastPreset = Preset{
	Name: "fast", Doc: "multisection with little effort, for large graphs",
	Solver: Solver{
		Cut:   Options{Coarsest: 80, Seeds: 4, Attempts: 1, Passes: 6, Merging: Clusters},
		Pairs: 1, ChainLength: 10, ChainWork: 30, CycleRounds: 2,
	},
	Machine: MachineEffort{Most: 1, Swaps: true},
}

// DefaultPreset is that of the strategies "default" and "multisection".
var DefaultPreset = Preset{
	Name: "default",
	Doc: "multilevel partitioning along the levels of the network, then sets of leaf switches again, " +
		"then exchanges by path length",
	Solver: Solver{
		Cut:   Options{Coarsest: 80, Seeds: 6, Attempts: 4, Cycles: 2, Passes: 6},
		Pairs: 20, ChainLength: 12, ChainWork: 400, CycleRounds: 10,
	},
	Neighbourhoods: Neighbourhoods{
		Rounds: 2, Blocks: 8, Trials: 2,
		Solver: Solver{
			Cut:   Options{Coarsest: 80, Seeds: 4, Attempts: 1, Passes: 6},
			Pairs: partRounds,
		},
	},
	Machine: MachineEffort{Work: 1 << 19, Most: 24, Swaps: true},
}

// StrongPreset tries harder, for graphs that are mapped once and run long.
var StrongPreset = Preset{
	Name: "strong", Doc: "multisection with five times the effort of default",
	Solver: Solver{
		Cut:   Options{Coarsest: 80, Seeds: 8, Attempts: 8, Cycles: 4, Passes: 8},
		Pairs: 20, ChainLength: 16, ChainWork: 400, ChainDrop: 2, CycleRounds: 10,
	},
	Neighbourhoods: Neighbourhoods{
		Rounds: 6, Blocks: 6, Trials: 4,
		Solver: Solver{
			Cut:   Options{Coarsest: 80, Seeds: 4, Attempts: 2, Cycles: 1, Passes: 6},
			Pairs: partRounds,
		},
	},
	Machine: MachineEffort{Work: 1 << 21, Most: 64, Swaps: true},
}

// pairLimits are for passes over two blocks: a pass may run one vertex ahead on one
// side, and ends after 60 moves without a new best. Ablated: no slack 1.0036 +-0.0014, 1 pass
// 1.0004 +-0.0007, 15 moves 1.0006 +-0.0006.
var pairLimits = kernighanlin.Limits{Slack: 2, Passes: 4, Fruitless: 60}

const (
	// largeWork is the number of vertices and half-edges above which a preset does as
	// the next weaker one: default would take minutes there.
	largeWork = 1 << 22

	// partRounds is the most rounds of exchanges between the blocks of one place, before
	// all blocks are refined under path lengths. Ablated: 1 1.0002 +-0.0002.
	partRounds = 8

	// together is the number of vertices up to which bisections of one half and the
	// other run one after the other: fewer are not worth another goroutine.
	together = 2048

	// trialWork is the number of vertices and half-edges that all trials of a small graph
	// have together, mostTrials the most trials: a few dozen vertices leave much to
	// chance, and cost nothing. Ablated: one trial 1.0013 +-0.0011, and 1.003 on a tree of
	// 64 hosts.
	trialWork, mostTrials = 1 << 15, 16

	// leafPlaces is the most leaf switches of a neighbourhood of Improve; not ablated.
	// mostImproveTrials is the most trials of one. 16 instead of 8 made best:trials=1
	// 0.01 % better (path length, six jobs on fat trees, seeds 1 to 5), within the standard
	// error of 0.014 %.
	leafPlaces, mostImproveTrials = 4, 8

	// chainRounds is the most rounds of ejection chains over all vertices. Most end
	// earlier, at the first round without a gain. Ablated: 1 1.0000; a limit of time.
	chainRounds = 10

	// longestCycle is the number of rounds of Bellman and Ford's algorithm, and so about
	// the most blocks of a negative cycle that is found. Ablated: 4 1.0000; a limit of time.
	longestCycle = 24

	// clusterSweeps is the number of sweeps of label propagation, clusterGrowth the limit
	// of a cluster's weight in mean weights. Three sweeps are those of Meyerhenke,
	// Sanders and Schulz 2014; the growth leaves as many levels as matchings. Ablated: one
	// sweep 1.0006 +-0.0011, growth 2 1.0006 +-0.0013.
	clusterSweeps, clusterGrowth = 3, 4

	// shrink is the most twentieths of its vertices that a merged graph may keep, or
	// merging ends; clusterShrink the most quarters, or pairs are merged instead. Ablated:
	// 16 0.9996 +-0.0013, 2 1.0006 +-0.0012.
	shrink, clusterShrink = 19, 3

	// meansRounds is the number of rounds of the two-means clustering that splits blocks
	// by distance, meansSamples the blocks that stand for a half. Not ablated: of these
	// jobs none has a network without dimensions and places.
	meansRounds, meansSamples = 4, 16

	// mapperSweeps is how often every depth of a split machine is refined. Ablated: 1
	// 0.9998 +-0.0010.
	mapperSweeps = 2

	// mostParts is the most parts of a machine that exchange with one another. Ablated: 8
	// 1.0022 +-0.0016.
	mostParts = 256

	// sampleWork bounds the pairs of blocks that are looked at for the distances between
	// parts of one depth of a machine, mostSamples the blocks that stand for one part.
	// Ablated: 4 samples 0.9997 +-0.0004.
	sampleWork, mostSamples = 4 << 20, 64

	// shortRing is the length from which a ring of a torus is cut in three, longRing that
	// from which it is not: bisections of large graphs find slabs of half their size, but
	// seldom those of a third (docs/results/machines.md, the stencil on torus:24x24x24).
	shortRing, longRing = 5, 16

	// tableBytes bounds the tables of gridMeans.
	tableBytes = 64 << 20
)

// splitPolicies are those of the variants of a split machine, in turn. Of single splits
// none is best on all tori and graphs. Ablated: with the first alone random geometric graphs
// have 0.998 +-0.002 of the path length, but a 16x8x4 grid on mesh:8x8x8 1.07, a 27x9x3 grid
// on torus:9x9x9 1.03, an 8x12 grid on torus:6x4x4 1.04; with the first and the third 1.00,
// 1.02 and 1.05 (means of seeds 1 to 4 of
//
//	remap map --topology mesh:8x8x8 --pattern stencil3d7:16x8x4 --strategy default --seed N
//
// and the same for the others: stencil3d7:27x9x3, stencil2d:8x12).
var splitPolicies = []splitPolicy{
	{}, {lines: true}, {mean: true}, {thirds: true, mean: true},
	{lines: true, mean: true}, {thirds: true}, {}, {thirds: true, mean: true},
}
