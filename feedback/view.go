package feedback

import (
	"remap/mapping"
	"remap/sampling"
	"remap/topology"
)

// LinkView is what is known of every link after a mapping was judged, over all
// repeats. Estimates may be below 0, as unbiased ones are now and then.
type LinkView struct {
	Packets   []float64 // length links: the job's packets, 0 on injection links
	Congested []float64 // length links: those that found the port congested
	Own       []float64 // length links: share of the rate that the job used while it ran
	Foreign   []float64 // length links: share of the rate that others used, or that was lost because buffers beyond were full of what others sent; nil = not told
}

// View makes a LinkView of an evaluation.
type View func(machine *topology.Topology, e *Evaluation) *LinkView

func newLinkView(links int) *LinkView {
	return &LinkView{Packets: make([]float64, links), Congested: make([]float64, links), Own: make([]float64, links)}
}

// ExactView reads the simulator's counters: the job's own packets
// (evalsim.Options.OwnLinks), and of all jobs the bytes and the time that links
// were ready and had no credit, which the administrator of a network has. Behind
// a crowded receiver links are idle half of the time, and not free for it.
func ExactView(machine *topology.Topology, e *Evaluation) *LinkView {
	v := newLinkView(len(machine.Links))
	v.Foreign = make([]float64, len(machine.Links))
	seconds := 0.0
	for _, r := range e.Results {
		seconds += r.Makespan * 1e-9
		for l := range r.Own {
			own := &r.Own[l]
			v.Packets[l] += float64(own.Packets)
			v.Congested[l] += float64(own.Congested)
			v.Own[l] += float64(own.Bytes)
			if link := &machine.Links[l]; !machine.IsHost(link.From) { // injection links have no count of own bytes
				lost := r.Links[l].Stalled * r.Makespan * 1e-9 * link.BytesPerSecond
				v.Foreign[l] += float64(max(0, r.Links[l].Bytes-own.Bytes)) + lost
			}
		}
	}
	v.shares(machine, seconds)
	return v
}

// shares turns bytes into shares of what links carry in a time.
func (v *LinkView) shares(machine *topology.Topology, seconds float64) {
	for l := range v.Own {
		if carried := machine.Links[l].BytesPerSecond * seconds; carried > 0 {
			v.Own[l] = min(1, v.Own[l]/carried)
			if v.Foreign != nil {
				v.Foreign[l] = min(1, v.Foreign[l]/carried)
			}
		}
	}
}

// SampledView reads nothing but what the job's own receivers conclude from the
// samples its packets carry (sampling.Table of the first job). packetBytes is
// what its packets hold on average. It does not tell of others: what signs there are of
// them the search gathers (signs).
func SampledView(packetBytes float64) View {
	return func(machine *topology.Topology, e *Evaluation) *LinkView {
		v := newLinkView(len(machine.Links))
		var table *sampling.Table
		seconds := 0.0
		for _, r := range e.Results {
			if len(r.Samples) == 0 {
				return v
			}
			if table == nil {
				table = sampling.NewTable(r.Samples[0].Variant, len(r.Samples[0].Links))
			}
			table.Merge(r.Samples[0])
			seconds += r.Makespan * 1e-9
		}
		for l := range v.Own {
			if table == nil || machine.IsHost(machine.Links[l].From) {
				continue
			}
			v.Packets[l] = table.PacketsEstimate(int32(l)).Value
			v.Congested[l] = table.CongestedEstimate(int32(l)).Value
			v.Own[l] = max(0, v.Packets[l]) * packetBytes
		}
		v.shares(machine, seconds)
		return v
	}
}

// state is a LinkView made usable for a mapping: by class, so that what is known
// of few packets on each of its links is known of all.
type state struct {
	congested []float64 // length links: share of the job's packets, 0 to 1
	own       []float64 // length links: share of the rate
	foreign   []float64 // length links: share of the rate
	signs     *signs    // of others, where the view does not tell of them; nil = it does
}

// over takes means over links that are used alike, those of congestion by packets.
// Where the view does not tell of others, signs do; alone is then the view of the same
// mapping with the network to itself, nil = the job is taken to hinder itself nowhere.
func (v *LinkView) over(k *mapping.LinkClasses, alone *LinkView) *state {
	s := &state{congested: v.met(k), own: k.Mean(v.Own)}
	if v.Foreign != nil {
		s.foreign = k.Mean(v.Foreign)
		return s
	}
	own := make([]float64, len(k.Of))
	if alone != nil {
		own = alone.met(k)
	}
	s.foreign, s.signs = make([]float64, len(k.Of)), newSigns(len(k.Of))
	packets := k.Mean(v.Packets)
	for l, class := range k.Of {
		s.signs.note(l, packets[l]*float64(k.Sizes[class]), s.congested[l], own[l])
		s.foreign[l] = s.signs.busy(l) * (1 - s.own[l])
	}
	return s
}

// met is the share of packets that found the links of a class congested, for every link.
func (v *LinkView) met(k *mapping.LinkClasses) []float64 {
	packets, congested := k.Mean(v.Packets), k.Mean(v.Congested)
	for l := range congested {
		congested[l] = share(congested[l], packets[l])
	}
	return congested
}

// demand is the share of a link's rate that others would use without the job. A
// port that the job's packets find congested is busy all the time: what the job
// used of it others would have taken, who wanted more than they were left.
// Without congestion it is what they did use.
func (s *state) demand(link int, congestion bool) float64 {
	demand := s.foreign[link]
	if congestion {
		demand += s.own[link] * s.congested[link]
	}
	return min(1, demand)
}
