package feedback

import (
	"context"

	"remap/counters"
	"remap/mapping"
	"remap/topology"
)

// FromSamples is a network as the job's own packets have told of it, in a run under r.Previous
// beside others. Only the job's packets were read: neither port counters nor others' packets.
// r.Options.Congestion must be the definition of congested of that run.
//
// The job is simulated with the network to itself, under the same mapping and definition: the share
// A of its packets meets congestion that the job makes itself. In the run the share F met any
// congestion. From A and F follows the share G of the time in which others keep a port busy
// (signs), for each class of links that are used alike (mapping.LinkClasses). Foreign is G and
// Congested is F. Told are the links of classes of which packets have told.
//
// A link between switches of which no packet has told gets the mean G of the told links whose ends
// are as far from hosts (fillUnseen), since no packet will try it before the next run. Where it was
// taken as free, searches ended at 108.7 us in place of 64.8 on pf3d-small and 126.3 in place of
// 119.5 on spare-small, but at 193.2 in place of 207.5 on hyperx-shared (LoopOwnSamples in
// benchmarks, queue-above:8192). A link to a host gets 0, since the job's hosts are its own. Alike
// counts the ports that get the G of others, Idle those that get 0.
//
// The result has no rates: Own, Carried and Factor are 0, and no traffic of others can be made of
// it (FindOthers).
func FromSamples(ctx context.Context, r *MeasuredRun, s *counters.Samples) (*MeasuredNetwork, error) {
	simulate := Simulator(r.Machine, r.Allocation, r.Program, r.Options, r.Workers)
	alone, err := simulate(ctx, r.Previous, 0, aloneRepeats)
	if err != nil {
		return nil, err
	}
	return fromSamples(r.Machine, s, ExactView(r.Machine, alone)), nil
}

// fromSamples is FromSamples with what the job's packets meet when it is alone.
func fromSamples(machine *topology.Topology, s *counters.Samples, alone *LinkView) *MeasuredNetwork {
	n := len(machine.Links)
	k := mapping.NewLinkClasses(machine)
	v := newLinkView(n) // samples do not tell of rates: Own stays 0
	v.Packets, v.Congested = s.Packets, s.Congested
	state := v.over(k, alone)
	told := make([]bool, len(k.Sizes))
	for l, class := range k.Of {
		told[class] = told[class] || s.Known[l]
	}
	m := &MeasuredNetwork{Own: make([]float64, n), Foreign: make([]float64, n), Congested: make([]float64, n),
		Carried: make([]float64, n), Known: make([]bool, n)}
	for l, class := range k.Of {
		if machine.IsHost(machine.Links[l].From) || !told[class] {
			continue
		}
		m.Foreign[l], m.Congested[l], m.Known[l] = state.signs.busy(l), state.congested[l], true
		if !s.Known[l] {
			m.Alike++
		}
	}
	m.fillUnseen(machine)
	return m
}

// fillUnseen gives links between switches that are not Told the mean of those that are Told and
// whose ends are as far from the nearest host: in a fat tree those between the same two levels in
// the same direction.
func (m *MeasuredNetwork) fillUnseen(machine *topology.Topology) {
	height := heights(machine)
	type ends struct{ from, to int32 }
	sum, count := map[ends]float64{}, map[ends]float64{}
	of := func(l int) ends { return ends{height[machine.Links[l].From], height[machine.Links[l].To]} }
	for l, told := range m.Known {
		if told {
			sum[of(l)] += m.Foreign[l]
			count[of(l)]++
		}
	}
	for l, told := range m.Known {
		switch ends := of(l); {
		case told || ends.from == 0:
		case ends.to > 0 && count[ends] > 0:
			m.Foreign[l] = sum[ends] / count[ends]
			m.Alike++
		default:
			m.Idle++
		}
	}
}

// heights is how many links every node is from the nearest host.
func heights(machine *topology.Topology) []int32 {
	height := make([]int32, machine.Hosts()+machine.Switches())
	var reached []int32
	for v := range height {
		if height[v] = -1; machine.IsHost(int32(v)) {
			height[v] = 0
			reached = append(reached, int32(v))
		}
	}
	for i := 0; i < len(reached); i++ {
		first, end := machine.Out(reached[i])
		for l := first; l < end; l++ {
			if to := machine.Links[l].To; height[to] < 0 {
				height[to] = height[reached[i]] + 1
				reached = append(reached, to)
			}
		}
	}
	return height
}
