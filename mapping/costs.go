package mapping

import (
	"fmt"
	"math"

	"remap/commgraph"
	"remap/topology"
)

// Costs are the static costs of a mapping: what can be said without
// simulating. Traffic of a rank with itself never counts. Without any bytes
// all figures are 0.
type Costs struct {
	Strategy string `json:"strategy"`
	Ranks    int    `json:"ranks"`
	// AvgPathLength: switches on the path, weighted by bytes; 0 for two ranks on one host.
	AvgPathLength float64 `json:"avg_path_length"`
	// HopBytes: bytes times links between switches.
	HopBytes int64 `json:"hop_bytes"`
	// CutFraction: share of the bytes that leave their leaf switch.
	CutFraction float64 `json:"cut_fraction"`
	// MaxLinkSeconds: the longest time any link needs for its share.
	MaxLinkSeconds float64 `json:"max_link_seconds"`
	// MovedRanks: ranks whose host differs from the previous mapping's.
	MovedRanks int `json:"moved_ranks"`
}

// Evaluate is Routing.Evaluate for MinimalRouting.
func Evaluate(machine *topology.Topology, a *Allocation, traffic *commgraph.Traffic, m,
	previous Mapping) (Costs, error) {
	return MinimalRouting.Evaluate(machine, a, traffic, m, previous)
}

// Evaluate computes the static costs of mapping m for a traffic, with the loads of
// links under this routing; the strategy's name is left to the caller. previous is
// the mapping that MovedRanks compares with, nil = the identity.
//
// Errors: a mapping that does not fit the traffic or the allocation, a volume
// whose product with the distances would leave int64.
func (r RoutingModel) Evaluate(machine *topology.Topology, a *Allocation, traffic *commgraph.Traffic, m,
	previous Mapping) (Costs, error) {
	slots := a.SlotCount()
	if len(m) != traffic.Ranks() {
		return Costs{}, fmt.Errorf("the mapping has %d ranks, the traffic %d", len(m), traffic.Ranks())
	}
	if err := m.Check(slots); err != nil {
		return Costs{}, err
	}
	if previous == nil {
		previous = Identity(len(m))
	}
	if len(previous) != len(m) {
		return Costs{}, fmt.Errorf("the previous mapping has %d ranks, the new one %d", len(previous), len(m))
	}
	if err := previous.Check(slots); err != nil {
		return Costs{}, fmt.Errorf("the previous mapping: %w", err)
	}
	costs := Costs{Ranks: len(m), MovedRanks: moved(m.Hosts(a), previous.Hosts(a))}
	if err := costs.addDistances(machine, traffic, m.Hosts(a)); err != nil {
		return Costs{}, err
	}
	for _, seconds := range r.LinkLoads(machine, a, traffic, m) {
		costs.MaxLinkSeconds = max(costs.MaxLinkSeconds, seconds)
	}
	return costs, nil
}

// moved counts the ranks whose host differs.
func moved(now, before []int32) int {
	count := 0
	for r, h := range now {
		if h != before[r] {
			count++
		}
	}
	return count
}

// addDistances fills in the costs that need distances only. Every direction of
// a pair counts with its own path: on irregular fabrics the way back can differ
// in length, on trees, tori and meshes it does not.
func (c *Costs) addDistances(machine *topology.Topology, traffic *commgraph.Traffic, hosts []int32) error {
	var total, cut, switches, hops, longest int64
	for r := range int32(len(hosts)) {
		first, end := traffic.Row(r)
		for i := first; i < end; i++ {
			to, bytes := traffic.Destinations[i], traffic.Bytes[i]
			if to == r {
				continue
			}
			total += bytes
			length := int64(machine.PathLength(hosts[r], hosts[to]))
			longest = max(longest, length)
			switches += bytes * length
			if length > 1 {
				cut += bytes
				hops += bytes * (length - 1)
			}
		}
	}
	if longest > 0 && total > math.MaxInt64/longest {
		return fmt.Errorf("%d bytes over paths of up to %d switches are beyond what can be counted", total, longest)
	}
	c.HopBytes = hops
	if total > 0 {
		c.AvgPathLength = float64(switches) / float64(total)
		c.CutFraction = float64(cut) / float64(total)
	}
	return nil
}

// PathBytes is the sum over the graph's edges of weight times switches on the
// path: the average path length before division, and so what mappings are
// compared by. Where ways there and back can differ in length (SameBothWays) it
// is the mean of the sums of both directions, rounded down.
func PathBytes(machine *topology.Topology, a *Allocation, g *commgraph.Graph, m Mapping) int64 {
	hosts, same := m.Hosts(a), SameBothWays(machine)
	var up, down int64 // toward the higher and toward the lower rank
	for u := range int32(g.Vertices()) {
		first, end := g.Row(u)
		for i := first; i < end; i++ {
			switch v := g.Neighbors[i]; {
			case u < v:
				up += g.Weights[i] * int64(machine.PathLength(hosts[u], hosts[v]))
			case !same:
				down += g.Weights[i] * int64(machine.PathLength(hosts[u], hosts[v]))
			}
		}
	}
	if same {
		return up
	}
	return up + (down-up)>>1
}

// SameBothWays tells whether the path from any host to any other is as long as
// the way back. Only networks routed by table and detours around failed links
// may have it otherwise.
func SameBothWays(machine *topology.Topology) bool {
	r := machine.Routes
	return r == nil || r.Table == nil && r.Detours == nil
}
