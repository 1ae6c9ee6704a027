package feedback

import (
	"math"
	"slices"

	"remap/mapping"
	"remap/topology"
)

// constraint is a sum of rates that was measured.
type constraint struct {
	sum   float64
	terms []term
}

// term is the part of the rate of a pair of leaves that a sum holds.
type term struct {
	pair int32
	// share is from 0 to 1.
	share float64
}

// ends are what leaf switches receive, and what they send.
func (x *foreignMatrix) ends() []constraint {
	n := len(x.leaves)
	out, in := x.byLeaf(x.sends), x.byLeaf(x.receives)
	list := make([]constraint, 2*n)
	for a := range n {
		list[a].sum, list[n+a].sum = in[a], out[a]
		for b := range n {
			list[b].terms = append(list[b].terms, term{int32(a*n + b), 1})
			list[n+a].terms = append(list[n+a].terms, term{int32(a*n + b), 1})
		}
	}
	return list
}

// crossings are the sums of others' bytes on links between switches.
func (x *foreignMatrix) crossings(m *MeasuredNetwork) []constraint {
	k := mapping.NewLinkClasses(x.machine)
	list := make([]constraint, len(k.Sizes))
	told := make([]bool, len(list))
	for class := range told {
		told[class] = true
	}
	for l, class := range k.Of {
		list[class].sum += m.Carried[l] * x.machine.Links[l].BytesPerSecond
		told[class] = told[class] && m.Known[l]
	}
	n := len(x.leaves)
	walk := topology.NewSpreader(x.machine)
	share := map[int32]float64{}
	for a := range n {
		for b := range n {
			if a == b || x.rates[a*n+b] == 0 {
				continue
			}
			clear(share)
			walk.Add(x.leaves[a], x.leaves[b], 1)
			walk.Spread(x.leaves[b], func(link int32, part float64) { share[k.Of[link]] += part })
			for class, part := range share {
				if told[class] {
					list[class].terms = append(list[class].terms, term{int32(a*n + b), min(1, part)})
				}
			}
		}
	}
	return slices.DeleteFunc(list, func(c constraint) bool { return len(c.terms) == 0 })
}

// correct brings the rates of a sum to what was measured.
func (x *foreignMatrix) correct(c *constraint) {
	sum := c.of(x.rates)
	if sum == 0 {
		return
	}
	stretch := min(mostStretch, max(1/mostStretch, c.sum/sum))
	for _, t := range c.terms {
		x.rates[t.pair] *= math.Pow(stretch, t.share)
	}
}

// of is the sum.
func (c *constraint) of(rates []float64) (sum float64) {
	for _, t := range c.terms {
		sum += t.share * rates[t.pair]
	}
	return sum
}

// total is the sum of all.
func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// waits are how long hosts of a leaf wait for credits, as bytes a second that they could send
// meanwhile, and how long links into the leaf wait for each byte they carry.
func (x *foreignMatrix) waits(m *MeasuredNetwork) (out, into []float64) {
	n := len(x.leaves)
	out, into = make([]float64, n), make([]float64, n)
	for i, h := range x.hosts {
		first, end := x.machine.Out(h)
		for l := first; l < end && x.sends[i] > 0; l++ {
			out[x.leafOf[i]] += m.Congested[l] * x.machine.Links[l].BytesPerSecond
		}
	}
	for b, sw := range x.leaves {
		stalls, busy := 0.0, 0.0
		first, end := x.machine.Out(x.machine.NodeOf(sw))
		for l := first; l < end; l++ {
			if in := x.machine.Reverse(l); !x.machine.IsHost(x.machine.Links[in].From) {
				stalls, busy = stalls+m.Congested[in], busy+m.Carried[in]
			}
		}
		into[b] = stalls / max(busy, stalls/mostStretch, leastRate)
	}
	return out, into
}

// waiting scales the rates so that hosts wait as long as the links into the leaves they send to,
// for the same bytes: hosts wait that send to receivers with too much traffic. Where hosts wait for
// other reasons it changes nothing.
func (x *foreignMatrix) waiting(out, into []float64) {
	n := len(x.leaves)
	most, sum := slices.Max(into), 0.0
	for a := range n {
		for b := range n {
			sum += x.rates[a*n+b] * into[b]
		}
	}
	scale := total(out) / sum
	if !(scale > 1/mostScale && scale < mostScale) {
		return
	}
	for a := range n {
		c := constraint{sum: out[a] / scale / most}
		for b := range n {
			c.terms = append(c.terms, term{int32(a*n + b), into[b] / most})
		}
		x.correct(&c)
	}
}
