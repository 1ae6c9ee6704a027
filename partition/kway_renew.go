package partition

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"remap/commgraph"
	"remap/kernighanlin"
	"remap/placement"
)

// renewal improves blocks by cutting sets of them again, each set of adjacent
// siblings as a problem of its own (a large neighbourhood search, Shaw 1998).
// In a tree the path from a vertex to one outside the siblings' place is as long
// whichever sibling it is in, so that what a set gains the whole gains; and the
// sets of a round are disjoint, so that all can be cut side by side. Of each the
// best of some trials is kept, or what was there before.
//
//	+----+----+----+        +----+----+----+
//	| a  | a  |  b |        | a  \  a |  b |
//	+----+----+----+  --->  +-----+---+  / +      sets a, b, c
//	| a  | c  |  b |        | a  / c  | /b |
//	+----+----+----+        +---+-----+----+
//
// A round costs O(trials x edges x log(vertices of a set)).
type renewal struct {
	graph   *commgraph.Graph
	assign  *placement.Assignment
	refiner *kernighanlin.Refiner
	parent  []int32 // length blocks
	preset  Preset
	mutex   sync.Mutex
	idle    []*renewer
}

// round renews disjoint sets that cover nearly all blocks. The seed decides.
func (r *renewal) round(ctx context.Context, seed uint64) error {
	sets := r.sets(rand.New(rand.NewPCG(seed, 0x736574))) // "set": a stream of its own
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	const together = 16 // sets for one goroutine
	for begin := 0; begin < len(sets); begin += together {
		group.Go(func() error {
			w := r.borrow()
			defer r.giveBack(w)
			for i, set := range sets[begin:min(begin+together, len(sets))] {
				if err := w.renew(inner, set, mix(seed, uint64(begin+i))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// sets groups the blocks: one drawn at random takes those siblings along, up to
// the size of a set, that the set has most weight to.
func (r *renewal) sets(chance *rand.Rand) [][]int32 {
	blocks := r.assign.Blocks()
	used := make([]bool, blocks)
	toward := make([]int64, blocks) // from the set under way
	var around []int32              // blocks with weight
	var sets [][]int32
	for _, b := range chance.Perm(blocks) {
		if used[b] {
			continue
		}
		set := []int32{int32(b)}
		used[b] = true
		for len(set) < r.preset.Set {
			adjacent, weight := r.refiner.Adjacent(set[len(set)-1])
			for _, other := range adjacent {
				if used[other] || r.parent[other] != r.parent[b] {
					continue
				}
				if toward[other] == 0 {
					around = append(around, other)
				}
				toward[other] += weight[other]
			}
			next := int32(-1)
			for _, other := range around {
				if !used[other] && (next < 0 || toward[other] > toward[next] || toward[other] == toward[next] && other < next) {
					next = other
				}
			}
			if next < 0 {
				break
			}
			used[next] = true
			set = append(set, next)
		}
		for _, other := range around {
			toward[other] = 0
		}
		around = around[:0]
		if len(set) > 1 {
			sets = append(sets, set)
		}
	}
	return sets
}

func (r *renewal) borrow() *renewer {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if n := len(r.idle); n > 0 {
		w := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return w
	}
	w := &renewer{renewal: r, cut: commgraph.NewExtractor(r.graph, 0)}
	w.recursion = newRecursion(&w.part, r.preset.Renewal)
	return w
}

func (r *renewal) giveBack(w *renewer) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.idle = append(r.idle, w)
}

// renewer is the memory of one who renews sets. It reads and writes only what
// belongs to the set's vertices.
type renewer struct {
	*renewal
	recursion *recursion
	cut       *commgraph.Extractor
	part      commgraph.Graph
	members   []int32 // vertices of the part
	first     []int32 // length blocks of the set+1
}

// renew cuts a set again and keeps what is better.
func (w *renewer) renew(ctx context.Context, set []int32, seed uint64) error {
	w.extract(set)
	order := make([]int32, len(w.members))
	for i := range order {
		order[i] = int32(i)
	}
	metric := placement.CutMetric(len(set))
	least := placement.NewAssignment(w.first, order).Cost(&w.part, metric)
	var best []int32
	w.recursion.use(&w.part)
	for trial := range w.preset.Trials {
		found := slices.Clone(order)
		if err := w.recursion.split(ctx, nil, found, w.first, mix(seed, uint64(trial))); err != nil {
			return err
		}
		assign := placement.NewAssignment(w.first, found)
		r := kernighanlin.NewRefiner(&w.part, metric, assign)
		if err := refinePairs(ctx, r, len(set), nil, pairLimits, 8); err != nil {
			return err
		}
		if cost := assign.Cost(&w.part, metric); cost < least {
			best, least = assign.Members, cost
		}
	}
	if best != nil {
		w.write(set, best)
	}
	return nil
}

// extract fills part with the edges among the vertices of a set.
func (w *renewer) extract(set []int32) {
	w.members, w.first = w.members[:0], append(w.first[:0], 0)
	for _, b := range set {
		w.members = append(w.members, w.assign.Of(b)...)
		w.first = append(w.first, int32(len(w.members)))
	}
	w.cut.Extract(&w.part, w.members, nil)
}

// write puts the part's vertices, in the order given, into the blocks of the set.
func (w *renewer) write(set, order []int32) {
	at := 0
	for _, b := range set {
		members := w.assign.Of(b)
		for i := range members {
			v := w.members[order[at]]
			members[i], w.assign.Block[v] = v, b
			at++
		}
	}
}
