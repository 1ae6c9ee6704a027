package feedback

import (
	"remap/mapping"
	"remap/sampling"
	"remap/topology"
)

// LinkView is what is known of every link after a mapping was evaluated, over all repeats.
// Estimates may be below 0, as unbiased ones are now and then.
type LinkView struct {
	// Packets (length links) is how many packets of the job crossed the link; 0 on injection links.
	Packets []float64
	// Congested (length links) is how many of them found the port congested.
	Congested []float64
	// Own (length links) is the share of the rate that the job used while it ran.
	Own []float64
	// Foreign (length links) is the share of the rate that others used, or that was lost because
	// buffers beyond were full of what others sent; nil = not known.
	Foreign []float64
}

// View makes a LinkView of an evaluation.
type View func(machine *topology.Topology, e *Evaluation) *LinkView

func newLinkView(links int) *LinkView {
	return &LinkView{Packets: make([]float64, links), Congested: make([]float64, links),
		Own: make([]float64, links)}
}

// ExactView reads the simulator's counters: the job's own packets (evalsim.Options.OwnLinks), and
// of all jobs the bytes and the time that links were ready and had no credit. The administrator of
// a network has these. The time without credit counts as used: behind a receiver that gets too
// much, links are idle half of the time and still not free.
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
			// injection links have no count of own bytes
			if link := &machine.Links[l]; !machine.IsHost(link.From) {
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

// SampledView reads only what the job's own receivers conclude from the samples that its packets
// carry (sampling.Table of the first job). packetBytes is what its packets hold on average. It does
// not tell of others; the search collects what these packets tell of them (signs).
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

// linkState is a LinkView by classes of links, so that what few packets tell of each link of a
// class is known of all.
type linkState struct {
	// congested (length links) is the share of the job's packets that met congestion, 0 to 1.
	congested []float64
	// own (length links) is the share of the rate that the job used.
	own []float64
	// foreign (length links) is the share of the rate that others used.
	foreign []float64
	// signs are those of others, where the view does not tell of them; nil = it does.
	signs *signs
}

// over takes means over links that are used alike, those of congestion by packets. Where the view
// does not tell of others, signs do. alone is then the view of the same mapping with the network to
// itself; nil = the job makes no congestion itself.
func (v *LinkView) over(k *mapping.LinkClasses, alone *LinkView) *linkState {
	s := &linkState{congested: v.met(k), own: k.Mean(v.Own)}
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

// demand is the share of a link's rate that others would use without the job. A port that the job's
// packets find congested is busy all the time: others, who wanted more than they got, would have
// taken what the job used of it. Without congestion it is what others did use.
func (s *linkState) demand(link int, congestion bool) float64 {
	demand := s.foreign[link]
	if congestion {
		demand += s.own[link] * s.congested[link]
	}
	return min(1, demand)
}
