package kernighanlin

// Pair is a graph whose vertices lie on two sides, 0 and 1. Its cost is the
// weight of the edges between the sides plus the bias of the vertices on side
// 0: what it costs a vertex to be there and not on side 1, because of
// neighbours outside the pair.
type Pair struct {
	Offsets       []int32 // length vertices+1
	Neighbors     []int32 // every edge at both ends
	Weights       []int64 // length of Neighbors
	VertexWeights []int32 // length vertices, >= 0; nil = 1 each
	Bias          []int64 // length vertices, or nil = 0 each
	Side          []uint8 // length vertices: 0 or 1; Improve changes it

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
	Target    int64 // weight that side 0 should have
	Tolerance int64 // deviation from Target at which a state may be kept
	Slack     int64 // deviation at which a pass turns back toward Target; at least Tolerance
	Passes    int   // most passes
	Fruitless int   // a pass ends after so many moves without a new best
	Budget    int   // most vertices that may newly leave their home side; only with Pair.Home
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
