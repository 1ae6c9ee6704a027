package mapping

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"remap/commgraph"
	"remap/input"
)

// Objective is what a strategy is asked to make small.
type Objective uint8

const (
	// bytes times the price of the path: switches on it where LinkCost is nil (hop-bytes, but for a
	// constant)
	PathLength Objective = iota
	// the worst link's bytes over its rate (the congestion of Hoefler and Snir 2011), the sum of that over
	// Problem.Phases
	LinkLoad
	Mixed // the geometric mean of both, which needs no units to weigh them by
	// path length, and a price on the bytes of every link that grows steeply as it fills (see
	// CapacityPower)
	Capacity
)

var objectiveNames = []string{"path-length", "link-load", "mixed", "capacity"}

func (o Objective) String() string { return objectiveNames[o] }

// Objectives are the names of all objectives.
func Objectives() []string { return slices.Clone(objectiveNames) }

// ParseObjective reads the name of an objective. Errors are *input.Error.
func ParseObjective(name string) (Objective, error) {
	if at := slices.Index(objectiveNames, name); at >= 0 {
		return Objective(at), nil
	}
	return 0, &input.Error{Reason: fmt.Sprintf("unknown "+
		"objective %q", name), Hint: "known: " + strings.Join(objectiveNames, ", ")}
}

// Cost is what the problem's objective makes of a mapping that passes Check,
// computed from nothing: less is better, and 0 is what no bytes cost. Only the
// order of two mappings' costs says anything, and twice the weights keep it.
//
// Where the problem has phases, these load links one after the other. LinkLoad is
// the sum over phases of the seconds of the phase's worst link: no run in which
// phases do not overlap takes less. It is no less than without phases, and as much
// where one link is the worst in all. Under Capacity every phase fills links
// against its own PhaseSeconds, and Fullness says what phases cost together. Under
// both, phases whose traffic differs by a factor alone cost together what one of
// all their bytes does.
func (p *Problem) Cost(m Mapping) float64 {
	switch p.Objective {
	case LinkLoad:
		return p.worstLink(m)
	case Mixed:
		return math.Sqrt(p.pathCost(m) * p.worstLink(m))
	case Capacity:
		path := p.pathCost(m)
		if p.LinkCost != nil {
			path /= DistanceScale
		}
		return path + p.overload(m)
	}
	return p.pathCost(m)
}

func (p *Problem) pathCost(m Mapping) float64 {
	return float64(p.PathCost(m))
}

// directed is the traffic behind the graph, and what its bytes are to be
// multiplied with: where there is none, the whole weight of every edge each way.
func (p *Problem) directed() (traffic *commgraph.Traffic, share float64) {
	if p.Traffic != nil {
		return p.Traffic, 1
	}
	g := p.Graph
	return &commgraph.Traffic{Offsets: g.Offsets, Destinations: g.Neighbors, Bytes: g.Weights}, 0.5
}

// linkLoads is the bytes of every link in one phase and the time they need at the
// rate that others leave, both of length links.
func (p *Problem) linkLoads(m Mapping, traffic *commgraph.Traffic, share float64) (bytes, seconds []float64) {
	routing := MinimalRouting
	if p.Routing == StaticRouting {
		routing = StaticRouting
	}
	seconds = routing.LinkLoads(p.Machine, p.Allocation, traffic, m)
	bytes = make([]float64, len(seconds))
	for l := range seconds {
		seconds[l] *= share
		bytes[l] = seconds[l] * p.Machine.Links[l].BytesPerSecond
		if p.LinkFree != nil && seconds[l] > 0 {
			seconds[l] /= p.LinkFree[l]
		}
	}
	return bytes, seconds
}

// worstLink is the longest time any link needs, phase after phase.
func (p *Problem) worstLink(m Mapping) float64 {
	sum := 0.0
	traffics, share := p.phases()
	for _, traffic := range traffics {
		_, seconds := p.linkLoads(m, traffic, share)
		sum += slices.Max(append(seconds, 0))
	}
	return sum
}

// CapacityPower is how steeply the price of a link under Capacity grows: a link
// that needs all of CapacitySeconds adds one switch to the path of each of its
// bytes, one that needs three quarters of it a tenth. The form is that of the
// volume-delay functions of traffic assignment (Bureau of Public Roads 1964, who
// take the power 4).
const CapacityPower = 8

// overload is the bytes of every link times (its seconds / CapacitySeconds)^CapacityPower,
// or what Fullness makes of that for every phase.
func (p *Problem) overload(m Mapping) float64 {
	limits := p.PhaseSeconds()
	traffics, share := p.phases()
	sums := make([]float64, len(traffics))
	for i, traffic := range traffics {
		bytes, seconds := p.linkLoads(m, traffic, share)
		for l, b := range bytes {
			if b > 0 {
				sums[i] += b * math.Pow(seconds[l]/limits[i], CapacityPower)
			}
		}
	}
	f := p.Fullness()
	return f.Overload(sums)
}

// CapacitySeconds is LinkSeconds, or what it stands for when it is 0: the time
// in which the rank that sends or receives most does so over the slowest link of
// an allocated host, or if longer, that in which all of them together would send
// all over their hosts' links.
// O(ranks + entries).
func (p *Problem) CapacitySeconds() float64 {
	if p.LinkSeconds > 0 {
		return p.LinkSeconds
	}
	traffic, share := p.directed()
	return p.busiestSeconds(traffic, share)
}

// busiestSeconds is CapacitySeconds of some traffic, LinkSeconds left aside.
func (p *Problem) busiestSeconds(traffic *commgraph.Traffic, share float64) float64 {
	received := make([]int64, traffic.Ranks())
	most, total := int64(1), 0.0
	for r := range int32(traffic.Ranks()) {
		sent := int64(0)
		first, end := traffic.Row(r)
		for i := first; i < end; i++ {
			if to := traffic.Destinations[i]; to != r {
				sent += traffic.Bytes[i]
				received[to] += traffic.Bytes[i]
			}
		}
		most = max(most, sent)
		total += float64(sent)
	}
	most = max(most, slices.Max(append(received, 0)))
	slowest := math.Inf(1)
	for _, h := range p.Allocation.Hosts {
		first, end := p.Machine.Out(h)
		for ; first < end; first++ {
			slowest = min(slowest, p.Machine.Links[first].BytesPerSecond,
				p.Machine.Links[p.Machine.Reverse(first)].BytesPerSecond)
		}
	}
	hosts := max(1, min(len(p.Allocation.Hosts), traffic.Ranks()))
	return share * max(float64(most), total/float64(hosts)) / slowest
}
