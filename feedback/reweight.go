package feedback

import (
	"math"
	"slices"

	"remap/commgraph"
	"remap/evalsim"
)

// Weights are the factors by which feedback has made pairs of ranks heavier.
type Weights struct {
	traffic *commgraph.Traffic
	// factor (length half-edges of the graph, in its order) has the same value for both halves of
	// an edge.
	factor []float64
}

// NewWeights begins with factor 1 everywhere. traffic is the one whose entries the flows of an
// Evaluation follow.
func NewWeights(graph *commgraph.Graph, traffic *commgraph.Traffic) *Weights {
	w := &Weights{traffic: traffic, factor: make([]float64, len(graph.Weights))}
	for i := range w.factor {
		w.factor[i] = 1
	}
	return w
}

// Grow multiplies the factor of every pair by 1 + gain x f. f is the share of congested switch
// ports among those its packets crossed, both directions together. A packet's receiver knows both
// numbers exactly, from the counts in its header. Taffet (2018, section 6.1) asks for such a
// mapping driven by measured congestion; the law is ours.
func (w *Weights) Grow(graph *commgraph.Graph, flows []evalsim.FlowStats, gain float64) {
	for u := range int32(graph.Vertices()) {
		first, end := graph.Row(u)
		for i := first; i < end; i++ {
			v := graph.Neighbors[i]
			var hops, congested int64
			for _, entry := range [2]int32{w.traffic.Find(u, v), w.traffic.Find(v, u)} {
				if entry >= 0 {
					hops += flows[entry].Hops
					congested += flows[entry].CongestedHops
				}
			}
			if hops > 0 {
				w.factor[i] = min(MaxFactor, w.factor[i]*(1+gain*float64(congested)/float64(hops)))
			}
		}
	}
}

// Apply is the graph with every weight times its factor, in fixed point: weights are scaled by the
// largest power of two up to 256 that keeps their sum below a limit, then rounded, at least 1.
func (w *Weights) Apply(graph *commgraph.Graph, limit float64) *commgraph.Graph {
	total := 0.0
	for i, weight := range graph.Weights {
		total += float64(weight) * w.factor[i] / 2
	}
	scale := 256.0
	for scale > math.SmallestNonzeroFloat64 && total*scale > limit {
		scale /= 2
	}
	heavier := *graph
	heavier.Weights = make([]int64, len(graph.Weights))
	for i, weight := range graph.Weights {
		heavier.Weights[i] = max(1, int64(math.Round(float64(weight)*w.factor[i]*scale)))
	}
	return &heavier
}

// heavier is directed traffic in which every entry is as much heavier as its pair is in graph `to`
// than in graph `from`; the graphs differ in weights alone. nil for nil. Entries of a rank with
// itself stay.
func heavier(traffic *commgraph.Traffic, from, to *commgraph.Graph) *commgraph.Traffic {
	if traffic == nil {
		return nil
	}
	changed := *traffic
	changed.Bytes = make([]int64, len(traffic.Bytes))
	for r := range int32(traffic.Ranks()) {
		first, end := traffic.Row(r)
		begin, stop := from.Row(r)
		for i := first; i < end; i++ {
			changed.Bytes[i] = traffic.Bytes[i]
			if at, found := slices.BinarySearch(from.Neighbors[begin:stop], traffic.Destinations[i]); found {
				e := begin + int32(at)
				factor := float64(to.Weights[e]) / float64(from.Weights[e])
				changed.Bytes[i] = int64(math.Round(float64(traffic.Bytes[i]) * factor))
			}
		}
	}
	return &changed
}
