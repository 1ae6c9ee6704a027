package job

import (
	"remap/mapping"
	"remap/rcm"
	"remap/tiling"
	"remap/workload"
)

// HostBound is the time that no mapping can beat for what one host sends or receives.
type HostBound struct {
	// Bound is injection or ejection; empty when no bound is known.
	Bound string `json:"bound,omitempty"`
	// BoundNS is the time of the full volume, in ns.
	BoundNS int64 `json:"bound_ns,omitempty"`
}

// HostBound is the longer of two times of the full volume at the best host's full rate: that of the
// busiest sender, of whose messages each leaves over one rail, and that of the
// busiest receiver, which all rails serve. It holds only where every message
// leaves its host: not with several slots on one.
func (j *Job) HostBound() HostBound {
	for _, slots := range j.Allocation.Slots {
		if slots != 1 {
			return HostBound{}
		}
	}
	var rail, host float64
	for _, h := range j.Allocation.Hosts {
		sum := 0.0
		for first, end := j.Machine.Out(h); first < end; first++ {
			rate := j.Machine.Links[first].BytesPerSecond
			rail = max(rail, rate)
			sum += rate
		}
		host = max(host, sum)
	}
	sends, receives := workload.InjectionBound(j.Whole, rail, host), workload.EjectionBound(j.Whole, host)
	switch {
	case max(sends, receives) <= 0:
		return HostBound{}
	case receives > sends:
		return HostBound{"ejection", receives.Nanoseconds()}
	}
	return HostBound{"injection", sends.Nanoseconds()}
}

// Known tells whether there is a bound.
func (b HostBound) Known() bool { return b.Bound != "" }

// Unless is the bound, or none where a time in ns beats it by more than the nanosecond of
// rounding: an extrapolation to the full volume can.
func (b HostBound) Unless(best int64) HostBound {
	if best+1 < b.BoundNS {
		return HostBound{}
	}
	return b
}

// PathBound is what the average path length of no mapping of a job goes below.
// It is known where the ranks form a grid, named or recovered from the graph.
type PathBound struct {
	// PathBound counts switches on the path, weighted by bytes; 0 = not known.
	PathBound float64 `json:"path_bound,omitempty"`
	// Grid has the extents of the grid.
	Grid string `json:"-"`
}

// PathBound proves one, or has none.
func (j *Job) PathBound() PathBound {
	bound, err := tiling.LowerBound(j.Problem(0))
	if err != nil { // no grid
		return PathBound{}
	}
	return PathBound{bound.PathLength, bound.Grid.String()}
}

// Band is the bandwidth and profile of the graph's matrix before mapping and in the order in
// which ranks fill the slots.
func (j *Job) Band(m mapping.Mapping) rcm.Measures {
	rankOn := make([]int32, j.Allocation.SlotCount())
	for s := range rankOn {
		rankOn[s] = -1
	}
	for r, s := range m {
		rankOn[s] = int32(r)
	}
	order := make([]int32, 0, len(m))
	for _, r := range rankOn {
		if r >= 0 {
			order = append(order, r)
		}
	}
	return rcm.Measure(j.Graph, order)
}
