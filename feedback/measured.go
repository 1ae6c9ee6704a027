package feedback

import (
	"context"
	"slices"
	"sync"

	"remap/commgraph"
	"remap/counters"
	"remap/evalsim"
	"remap/mapping"
	"remap/topology"
)

// MeasuredNetwork is a real network as its counters tell of it. It is divided into what the job's own
// traffic did, which a new mapping changes, and what others did, which stays.
type MeasuredNetwork struct {
	// Own (length links) is the share of the rate that the job used.
	Own []float64
	// Foreign (length links) is the share of the rate, 0 to 1, that others used or kept from being
	// used.
	Foreign []float64
	// Congested (length links) is the share of the time in which the port had data and could send
	// none.
	Congested []float64
	// Carried (length links) is the share of the rate that others' bytes used: Foreign without what
	// others kept from being used.
	Carried []float64
	// Known (length links): measured, or taken to be as the measured ones of their class.
	Known []bool
	// Factor is how often a second the job sent its traffic; 0 = not known, and all traffic counts
	// as foreign.
	Factor float64
	// Hosts is how many links of the job's hosts Factor was found from.
	Hosts int
	// Alike is how many links without a measurement are taken to be as the measured ones of their
	// class.
	Alike int
	// Idle is how many links are in classes of which none was measured. They are taken as idle.
	Idle int
	// Windows has each interval of the measurement by itself, in order of time; nil where there is
	// one.
	Windows []*MeasuredNetwork
}

// NewMeasuredNetwork divides what was measured, while the job ran under the mapping `previous`, into the
// job's own traffic and that of others.
//
// The job's own bytes on every link are known but for one factor, how often they were sent
// (mapping.LinkLoads, traffic divided equally over the shortest paths). The links of its hosts
// carry no other bytes. So the factor is the median over these links of the measured rate over the
// job's bytes. All other bytes on a link are foreign: what a job does not use of a link at the root
// of a congestion tree, others do (Taffet 2018, theorem 4.2).
//
// The time that a port stood still is foreign too, except for the job's own part. That part is the
// time for which it stands still when the job is alone, times the share of the time in which the
// job was sending. `alone` tells of it: a simulation of the job alone under previous; nil = no own
// part. The simulator makes this part again by itself.
//
// Where routes do not divide equally, own traffic above its equal part would count as foreign. So
// the foreign traffic of links that are used alike (a class of mapping.LinkClasses, or parallel
// cables) is scaled down until its sum is that of the class.
//
// A link that was not measured is taken as the others of its class; where none was, as idle. Each
// interval of a measurement is divided in the same way (Measured.Windows), with a factor of its
// own.
func NewMeasuredNetwork(machine *topology.Topology, a *mapping.Allocation, traffic *commgraph.Traffic,
	previous mapping.Mapping, links *counters.Links, alone *evalsim.Result) *MeasuredNetwork {
	n := len(machine.Links)
	m := &MeasuredNetwork{Own: mapping.LinkLoads(machine, a, traffic, previous), Foreign: make([]float64, n),
		Congested: slices.Clone(links.Congested)}
	m.findFactor(machine, previous.Hosts(a), links)
	for l := range m.Own {
		m.Own[l] *= m.Factor // seconds of sending a second
		if links.Known[l] {
			m.Foreign[l] = max(0, links.Rate[l]/machine.Links[l].BytesPerSecond-m.Own[l])
		}
	}
	classes := alike(machine)
	m.level(machine, classes, links)
	m.Carried = slices.Clone(m.Foreign)
	for l, foreign := range m.Foreign {
		if links.Known[l] {
			m.Foreign[l] = min(1, foreign+max(0, m.Congested[l]-m.ownStall(l, alone)))
		}
	}
	m.fill(classes, links.Known)
	for _, w := range links.Windows {
		m.Windows = append(m.Windows, NewMeasuredNetwork(machine, a, traffic, previous, w, alone))
	}
	return m
}

// ownStall is the share of the time that a port stood still because of the job itself. One run of
// the traffic takes alone.FullTime.
func (m *MeasuredNetwork) ownStall(l int, alone *evalsim.Result) float64 {
	if alone == nil {
		return 0
	}
	sending := min(1, m.Factor*alone.FullTime()*1e-9)
	return sending * alone.Links[l].Stalled
}

// findFactor sets Factor from the links of the job's hosts.
func (m *MeasuredNetwork) findFactor(machine *topology.Topology, hosts []int32, links *counters.Links) {
	hosts = slices.Clone(hosts)
	slices.Sort(hosts)
	var ratios []float64
	add := func(l int32) {
		if m.Own[l] > 0 && links.Known[l] {
			ratios = append(ratios, links.Rate[l]/machine.Links[l].BytesPerSecond/m.Own[l])
		}
	}
	for _, h := range slices.Compact(hosts) {
		first, end := machine.Out(h)
		for l := first; l < end; l++ {
			add(l)
			add(machine.Reverse(l))
		}
	}
	if m.Hosts = len(ratios); m.Hosts > 0 {
		slices.Sort(ratios)
		m.Factor = (ratios[(len(ratios)-1)/2] + ratios[len(ratios)/2]) / 2
	}
}

// alike is the class of every link: that of mapping.LinkClasses, and for links that are alone
// there, that of all parallel cables between two switches.
func alike(machine *topology.Topology) []int32 {
	k := mapping.NewLinkClasses(machine)
	classes := slices.Clone(k.Of)
	first := map[[2]int32]int32{}
	for l := range machine.Links {
		link := &machine.Links[l]
		if k.Sizes[k.Of[l]] > 1 || machine.IsHost(link.From) || machine.IsHost(link.To) {
			continue
		}
		ends := [2]int32{link.From, link.To}
		if class, met := first[ends]; met {
			classes[l] = class
		} else {
			first[ends] = classes[l]
		}
	}
	return classes
}

// level scales the foreign traffic of every class, until now cut at zero link by link, to its sum
// over the class.
func (m *MeasuredNetwork) level(machine *topology.Topology, classes []int32, links *counters.Links) {
	above, sum := make([]float64, len(classes)), make([]float64, len(classes))
	for l, class := range classes {
		if links.Known[l] {
			above[class] += m.Foreign[l]
			sum[class] += links.Rate[l]/machine.Links[l].BytesPerSecond - m.Own[l]
		}
	}
	for l, class := range classes {
		if above[class] > 0 {
			m.Foreign[l] *= max(0, sum[class]) / above[class]
		}
	}
}

// fill gives links that were not measured the mean of their class.
func (m *MeasuredNetwork) fill(classes []int32, known []bool) {
	sum, carried, count := make([]float64, len(classes)), make([]float64, len(classes)),
		make([]float64, len(classes))
	m.Known = slices.Clone(known)
	for l, class := range classes {
		if known[l] {
			sum[class] += m.Foreign[l]
			carried[class] += m.Carried[l]
			count[class]++
		}
	}
	for l, class := range classes {
		switch {
		case known[l]:
		case count[class] > 0:
			m.Foreign[l], m.Carried[l] = sum[class]/count[class], carried[class]/count[class]
			m.Known[l] = true
			m.Alike++
		default:
			m.Idle++
		}
	}
}

// Busiest is the link that others use most; -1 when they use none.
func (m *MeasuredNetwork) Busiest() int32 {
	most := int32(-1)
	for l, foreign := range m.Foreign {
		if foreign > 0 && (most < 0 || foreign > m.Foreign[most]) {
			most = int32(l)
		}
	}
	return most
}

// Throttled is the network at the rates that others leave, at least leastShare of each, for simulations.
func (m *MeasuredNetwork) Throttled(machine *topology.Topology) (*topology.Topology, error) {
	share := make([]float64, len(m.Foreign))
	for l, foreign := range m.Foreign {
		share[l] = max(leastShare, 1-foreign)
	}
	return topology.Throttle(machine, share)
}

// SetView makes the view of a search tell of others as they were measured, whatever the simulator
// tells. For the mapping `previous` the view tells the measured congestion too, also in closer
// looks (Settings.EvaluateFiner).
func (m *MeasuredNetwork) SetView(s *Settings, previous mapping.Mapping) {
	var mutex sync.Mutex
	of := map[*Evaluation]bool{} // evaluations of the mapping that ran
	watched := func(evaluate Evaluate) Evaluate {
		if evaluate == nil {
			return nil
		}
		return func(ctx context.Context, x mapping.Mapping, first, count int) (*Evaluation, error) {
			e, err := evaluate(ctx, x, first, count)
			if err == nil && slices.Equal(x, previous) {
				mutex.Lock()
				defer mutex.Unlock()
				of[e] = true
			}
			return e, err
		}
	}
	s.Evaluate, s.EvaluateFiner = watched(s.Evaluate), watched(s.EvaluateFiner)
	view := s.View
	if view == nil {
		view = ExactView
	}
	s.View = func(machine *topology.Topology, e *Evaluation) *LinkView {
		v := view(machine, e)
		v.Foreign = slices.Clone(m.Foreign)
		mutex.Lock()
		ran := of[e]
		mutex.Unlock()
		if !ran {
			return v
		}
		for l, packets := range v.Packets {
			v.Congested[l] = max(v.Congested[l], packets*m.Congested[l])
		}
		return v
	}
}
