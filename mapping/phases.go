package mapping

import (
	"fmt"
	"math"

	"remap/commgraph"
)

// checkPhases tests that phases are of the problem's ranks and that Traffic is
// known beside them, of which they are parts.
func (p *Problem) checkPhases() error {
	if len(p.Phases) > 0 && p.Traffic == nil {
		return fmt.Errorf("phases are given without the traffic that they divide")
	}
	for i, phase := range p.Phases {
		if phase.Ranks() != p.Ranks() {
			return fmt.Errorf("phase %d has %d ranks, the graph %d", i, phase.Ranks(), p.Ranks())
		}
	}
	return nil
}

// phases are the traffics that load links one after the other, and what their
// bytes are to be multiplied with.
func (p *Problem) phases() (traffics []*commgraph.Traffic, share float64) {
	if len(p.Phases) > 1 {
		return p.Phases, 1
	}
	traffic, share := p.directed()
	return []*commgraph.Traffic{traffic}, share
}

// PhaseSeconds is what CapacitySeconds is to the whole for every phase, length
// max(1, len(Phases)): the time of the rank that is busiest in the phase, or of all
// ranks together; LinkSeconds, where it is given, stretches or shrinks all phases
// alike. The busiest ranks of phases may be different ones: without LinkSeconds
// the sum is at least CapacitySeconds. O(ranks + entries) for each.
func (p *Problem) PhaseSeconds() []float64 {
	whole := p.CapacitySeconds()
	traffics, share := p.phases()
	if len(traffics) == 1 {
		return []float64{whole}
	}
	stretched := 1.0
	if p.LinkSeconds > 0 {
		traffic, share := p.directed()
		stretched = whole / p.busiestSeconds(traffic, share)
	}
	limits := make([]float64, len(traffics))
	for i, traffic := range traffics {
		limits[i] = stretched * p.busiestSeconds(traffic, share)
	}
	return limits
}

// Fullness puts the overload of phases together. Within a phase the fullest links
// decide, and so it grows steeply; but phases follow each other, and their times
// add up: full links of one are as bad as half as full ones of two. What every
// phase adds is therefore its mean ratio of seconds to PhaseSeconds, by the power
// mean of CapacityPower over its bytes, in proportion to its PhaseSeconds. All
// bytes together have that ratio's price.
type Fullness struct {
	bytes  []float64 // by phase
	shares []float64 // by phase: of the time, where it has bytes
}

// Fullness is that of the problem's phases. O(entries).
func (p *Problem) Fullness() Fullness {
	if len(p.Phases) < 2 {
		return Fullness{}
	}
	f := Fullness{shares: p.PhaseSeconds()}
	whole := 0.0
	for i, phase := range p.Phases {
		bytes := 0.0
		for r := range int32(phase.Ranks()) {
			first, end := phase.Row(r)
			for e := first; e < end; e++ {
				if phase.Destinations[e] != r {
					bytes += float64(phase.Bytes[e])
				}
			}
		}
		if f.bytes = append(f.bytes, bytes); bytes > 0 {
			whole += f.shares[i]
		}
	}
	for i, bytes := range f.bytes {
		if bytes > 0 {
			f.shares[i] /= whole
		}
	}
	return f
}

// Overload is the price in bytes of phases that have, each by itself, bytes times
// (seconds / PhaseSeconds)^CapacityPower summed over links; that of one as it is.
func (f *Fullness) Overload(sums []float64) float64 {
	if len(sums) == 1 {
		return sums[0]
	}
	bytes, ratio := 0.0, 0.0
	for i, sum := range sums {
		if sum > 0 {
			ratio += f.shares[i] * root(sum/f.bytes[i])
		}
		bytes += f.bytes[i]
	}
	ratio *= ratio
	ratio *= ratio
	return bytes * (ratio * ratio)
}

// root is the CapacityPower-th root.
func root(x float64) float64 { return math.Sqrt(math.Sqrt(math.Sqrt(x))) }
