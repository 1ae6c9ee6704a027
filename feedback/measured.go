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

// Measured is a real network as its counters tell of it, taken apart into what
// the job's own traffic did, which a new mapping changes, and what others did,
// which stays.
type Measured struct {
	Own       []float64 // length links: share of the rate that the job used
	Foreign   []float64 // length links: share of the rate that others used or kept from being used, 0 to 1
	Congested []float64 // length links: share of the time in which the port had data and could send none
	Carried   []float64 // length links: share of the rate that others' bytes used: Foreign without what they kept from being used
	Told      []bool    // length links: measured, or taken as the measured ones of their class
	Factor    float64   // how often a second the job sent its traffic; 0 = not known, and all is taken as foreign
	Hosts     int       // links of the job's hosts that told it
	Alike     int       // links without a measurement that are taken to be as the measured ones of their class
	Idle      int       // those of which none was measured: taken as idle
	// Windows: each interval of the measurement by itself, in order of time; nil where there is one
	Windows []*Measured
}

// leastShare is the share of a link's rate that a simulation leaves at least: a
// port in use by others still gives every other packet its turn.
const leastShare = 0.05

// TakeApart tells the job's own traffic from that of others in what was measured
// while the job ran under the mapping `previous`.
//
// The job's own bytes on every link are known but for one factor, how often they
// were sent (mapping.LinkLoads, traffic divided equally over the minimal ways). Its
// hosts' links carry nobody else's: the factor is the median over them of the
// measured rate over the job's bytes. What else a link carried is foreign, as what a
// job does not use of a link at the root of a congestion tree others do (Taffet 2018,
// theorem 4.2). So is the time that a port stood still, but for what it stands still
// when the job is alone, of which `alone` tells (a simulation of it under previous;
// nil = nothing), in the share of the time that the job was sending: that is of the
// job's own making, and the simulator makes it anew. Where routes do not divide equally, own traffic above its equal part would
// count as foreign: so foreign traffic of a class of links that are used alike
// (mapping.LinkClasses, or parallel cables) is made small in proportion until it is
// that of the class in sum. A link that was not measured is taken as the others of
// its class; where none was, as idle. The intervals of a measurement are each taken
// apart alike (Measured.Windows), each with a factor of its own.
func TakeApart(machine *topology.Topology, a *mapping.Allocation, traffic *commgraph.Traffic, previous mapping.Mapping, links *counters.Links, alone *evalsim.Result) *Measured {
	n := len(machine.Links)
	m := &Measured{Own: mapping.LinkLoads(machine, a, traffic, previous), Foreign: make([]float64, n), Congested: slices.Clone(links.Congested)}
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
		m.Windows = append(m.Windows, TakeApart(machine, a, traffic, previous, w, alone))
	}
	return m
}

// ownStall is the share of the time that a port stood still of the job's own
// making. One run of the traffic takes alone.FullTime.
func (m *Measured) ownStall(l int, alone *evalsim.Result) float64 {
	if alone == nil {
		return 0
	}
	sending := min(1, m.Factor*alone.FullTime()*1e-9)
	return sending * alone.Links[l].Stalled
}

// findFactor sets Factor from the links of the job's hosts.
func (m *Measured) findFactor(machine *topology.Topology, hosts []int32, links *counters.Links) {
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

// alike is the class of every link: that of mapping.LinkClasses, and of links
// that are alone there all parallel cables between two switches.
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

// level makes foreign traffic of every class, so far above zero link by link,
// what it is in sum.
func (m *Measured) level(machine *topology.Topology, classes []int32, links *counters.Links) {
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
func (m *Measured) fill(classes []int32, known []bool) {
	sum, carried, count := make([]float64, len(classes)), make([]float64, len(classes)), make([]float64, len(classes))
	m.Told = slices.Clone(known)
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
			m.Told[l] = true
			m.Alike++
		default:
			m.Idle++
		}
	}
}

// Busiest is the link that others use most; -1 when they use none.
func (m *Measured) Busiest() int32 {
	most := int32(-1)
	for l, foreign := range m.Foreign {
		if foreign > 0 && (most < 0 || foreign > m.Foreign[most]) {
			most = int32(l)
		}
	}
	return most
}

// Left is the network at the rates that others leave, for simulations; at least
// leastShare of each.
func (m *Measured) Left(machine *topology.Topology) (*topology.Topology, error) {
	share := make([]float64, len(m.Foreign))
	for l, foreign := range m.Foreign {
		share[l] = max(leastShare, 1-foreign)
	}
	return topology.Throttle(machine, share)
}

// Watch makes the view of a loop tell what others do as it was measured, whatever
// the simulator says of it, and of the mapping `previous` also the congestion, also
// where the loop looks closer (Settings.Sensitive).
func (m *Measured) Watch(s *Settings, previous mapping.Mapping) {
	var mutex sync.Mutex
	of := map[*Evaluation]bool{} // those of the mapping that ran
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
	s.Evaluate, s.Sensitive = watched(s.Evaluate), watched(s.Sensitive)
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
