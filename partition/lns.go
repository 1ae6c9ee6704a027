package partition

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"remap/commgraph"
	"remap/kernighanlin"
	"remap/mapping"
	"remap/placement"
)

// neighbourhoodSearch improves an assignment by cutting neighbourhoods of blocks
// again, each as a problem of its own (large neighbourhood search, Shaw 1998). A
// neighbourhood is one place of the network or several places beside each other in a
// larger one. In a tree the path from a vertex to one outside that larger place is as
// long whichever of its blocks the vertex is in, so that what a neighbourhood gains
// the whole gains. The neighbourhoods of a round are disjoint, so that all can be cut
// side by side. Of each the best of some trials is kept, or what was there before.
//
//	+----+----+----+        +----+----+----+
//	| a  | a  |  b |        | a  \  a |  b |
//	+----+----+----+  --->  +-----+---+  / +      neighbourhoods a, b, c
//	| a  | c  |  b |        | a  / c  | /b |
//	+----+----+----+        +---+-----+----+
//
// A round costs O(trials x edges x log(vertices of a neighbourhood)).
type neighbourhoodSearch struct {
	graph  *commgraph.Graph
	metric *placement.Metric
	assign *placement.Assignment
	levels [][]int32 // coarsest first, the last the blocks: bounds of the places, in positions
	solver Solver
	idle   pool[subproblem]
}

func newNeighbourhoodSearch(
	g *commgraph.Graph, m *placement.Metric, assign *placement.Assignment, levels [][]int32, solver Solver,
) *neighbourhoodSearch {
	return &neighbourhoodSearch{graph: g, metric: m, assign: assign, levels: levels, solver: solver}
}

// tries is how many solutions are tried of a neighbourhood whose graph has so many
// vertices and half-edges.
type tries func(work int) int

// round cuts disjoint neighbourhoods of at most size places of a level again. The seed
// decides.
func (s *neighbourhoodSearch) round(ctx context.Context, level, size int, trials tries, seed uint64) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	chance := rand.New(rand.NewPCG(seed, 0x736574)) // "set": a stream of its own
	for i, places := range s.neighbourhoods(level, size, chance) {
		group.Go(func() error {
			w := s.idle.take(s.newSubproblem)
			defer s.idle.giveBack(w)
			return w.improve(inner, level, places, trials, mix(seed, uint64(i)))
		})
	}
	return group.Wait()
}

func (s *neighbourhoodSearch) newSubproblem() *subproblem {
	w := &subproblem{neighbourhoodSearch: s, extract: commgraph.NewExtractor(s.graph, len(s.assign.Members))}
	w.recursion = newRecursion(&w.part, s.solver.Cut)
	return w
}

// subproblem is the memory of the search for one neighbourhood after the other. It
// reads and writes only what belongs to the neighbourhood's vertices.
type subproblem struct {
	*neighbourhoodSearch
	extract   *commgraph.Extractor
	recursion *recursion
	part      commgraph.Graph
	blocks    []int32   // of the neighbourhood
	members   []int32   // vertices of the part
	bounds    [][]int32 // places inside the neighbourhood, as neighbourhoodSearch.levels
}

// improve cuts a neighbourhood again and keeps what is better.
func (w *subproblem) improve(
	ctx context.Context, level int, places []int32, trials tries, seed uint64,
) error {
	w.gather(level, places)
	first, metric := w.bounds[len(w.bounds)-1], w.metric.Within(w.blocks)
	least := placement.NewAssignment(first, mapping.Identity(len(w.members))).Cost(&w.part, metric)
	var best []int32
	w.recursion.use(&w.part)
	for trial := range trials(len(w.members) + len(w.part.Neighbors)) {
		s := mix(seed, uint64(trial))
		found, err := w.cut(ctx, s)
		if err != nil {
			return err
		}
		assign := placement.NewAssignment(first, found)
		r := kernighanlin.NewRefiner(&w.part, metric, assign)
		if err := w.solver.refine(ctx, &w.part, metric, r, assign, mix(s, 1)); err != nil {
			return err
		}
		if cost := assign.Cost(&w.part, metric); cost < least {
			best, least = assign.Members, cost
		}
	}
	if best != nil {
		w.write(best)
	}
	return nil
}

// cut gives the vertices of the part in the order of its positions.
func (w *subproblem) cut(ctx context.Context, seed uint64) ([]int32, error) {
	if len(w.bounds) > 1 {
		return multisect(ctx, w.recursion, w.bounds, seed)
	}
	found := mapping.Identity(len(w.members))
	return found, w.recursion.split(ctx, nil, found, w.bounds[0], seed)
}

// gather fills in the blocks, vertices, inner places and edges of a neighbourhood.
func (w *subproblem) gather(level int, places []int32) {
	finest := w.levels[len(w.levels)-1]
	w.blocks, w.members, w.bounds = w.blocks[:0], w.members[:0], w.bounds[:0]
	if len(places) == 1 && level < len(w.levels)-1 {
		w.bounds = append(w.bounds, w.inside(level, places, level+1))
	} else {
		w.bounds = append(w.bounds, w.inside(level, places, level))
	}
	for finer := level + 1; finer < len(w.levels); finer++ {
		if inner := w.inside(level, places, finer); len(inner) != len(w.bounds[len(w.bounds)-1]) {
			w.bounds = append(w.bounds, inner)
		}
	}
	for _, place := range places {
		b, _ := slices.BinarySearch(finest, w.levels[level][place])
		for ; finest[b] < w.levels[level][place+1]; b++ {
			w.blocks = append(w.blocks, int32(b))
			w.members = append(w.members, w.assign.Of(int32(b))...)
		}
	}
	w.extract.Extract(&w.part, w.members, nil)
}

// inside lists the bounds of the places of a finer level inside some places, counted
// from the first position of these.
func (w *subproblem) inside(level int, places []int32, finer int) []int32 {
	bounds, first := w.levels[finer], []int32{0}
	for _, place := range places {
		at, _ := slices.BinarySearch(bounds, w.levels[level][place])
		for ; bounds[at] < w.levels[level][place+1]; at++ {
			first = append(first, first[len(first)-1]+bounds[at+1]-bounds[at])
		}
	}
	return first
}

// write puts the part's vertices, in the order given, into the blocks.
func (w *subproblem) write(order []int32) {
	at := 0
	for _, b := range w.blocks {
		members := w.assign.Of(b)
		for i := range members {
			v := w.members[order[at]]
			members[i], w.assign.Block[v] = v, b
			at++
		}
	}
}
