package kernighanlin

// Pair is a graph whose vertices lie on two sides, 0 and 1. Its cost is the
// weight of the edges between the sides plus the bias of the vertices on side
// 0: what it costs a vertex to be there and not on side 1, because of
// neighbours outside the pair.
type Pair struct {
	// Offsets: length vertices+1.
	Offsets []int32
	// Neighbors: every edge at both ends.
	Neighbors []int32
	// Weights: length of Neighbors.
	Weights []int64
	// VertexWeights: length vertices, >= 0; nil = 1 each.
	VertexWeights []int32
	// Bias: length vertices, or nil = 0 each.
	Bias []int64
	// Side (length vertices): 0 or 1; Improve changes it.
	Side []uint8

	// Home is the side that every vertex started on, -1 = none; nil = -1 each. Length
	// vertices. Limits.Budget bounds how many leave it.
	Home []int8
}

// Vertices is the number of vertices of the pair.
func (p *Pair) Vertices() int { return len(p.Side) }

// Cost computes the cost from nothing.
func (p *Pair) Cost() int64 {
	var cost int64
	for v, side := range p.Side {
		if side == 0 && p.Bias != nil {
			cost += p.Bias[v]
		}
		for i := p.Offsets[v]; i < p.Offsets[v+1]; i++ {
			if u := p.Neighbors[i]; int(u) < v && p.Side[u] != side {
				cost += p.Weights[i]
			}
		}
	}
	return cost
}

// Limits steer the passes over a Pair.
type Limits struct {
	// Target: weight that side 0 should have.
	Target int64
	// Tolerance: deviation from Target at which a state may be kept.
	Tolerance int64
	// Slack: deviation at which a pass turns back toward Target; at least Tolerance.
	Slack int64
	// Passes: most passes.
	Passes int
	// Fruitless: a pass ends after so many moves without a new best.
	Fruitless int
	// Budget: most vertices that may newly leave their home side; only with Pair.Home.
	Budget int
}

func (p *Pair) weight(v int32) int64 {
	if p.VertexWeights == nil {
		return 1
	}
	return int64(p.VertexWeights[v])
}

// weightOfSide0 sums the vertex weights of side 0.
func (p *Pair) weightOfSide0() int64 {
	var sum int64
	for v, side := range p.Side {
		if side == 0 {
			sum += p.weight(int32(v))
		}
	}
	return sum
}
