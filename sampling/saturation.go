package sampling

import "math"

// A hop counter of b bits stays at its limit 2^b-1. From hop 2^b on a switch
// replaces the reservoir with probability 1/2^b whatever the hop, so later hops
// are kept too often, and the receiver, who reads 2^b-1, weighs every one too
// little (Taffet 2018, section 5.6). Under minimal routing the receiver knows how
// long a packet's path was and which hop of it each link is. What it adds for a
// link must then be 1/P(that hop is kept) in place of the counter.
//
// Only the hop reservoir can be corrected so: which of its congested hops a
// congested link was, no receiver knows. While fewer than 2^b hops of a packet
// are congested that matters little: g <= 2^b-1 of them are weighed right. With g
// = 2^b every one weighs 1-1/2^b, with more between the two values that
// ExpectedWeight has for the first and the last of g. One reservoir needs no
// second counter, so there all is corrected.

// Kept is the probability that a reservoir still holds hop `place`, from 1, of a
// path of `length` hops when the packet arrives: Slots / length unless the
// counter is too short for the path. With B = 2^Counter and n slots it is
//
//	n/B (1-1/B)^(length - max(place, B))    for length >= B.
//
// Draws in advance leave out hops after the last draw. A Bloom filter keeps all.
func (v Variant) Kept(place, length int) float64 {
	if v.Kind == Bloom {
		return 1
	}
	slots, most := min(v.Slots, length), 1<<v.Counter
	switch {
	case v.Drawn > 0 && place > v.Drawn:
		return 0
	case v.Drawn > 0:
		return 1 / float64(min(length, v.Drawn))
	case length < most:
		return float64(slots) / float64(length)
	}
	b := float64(most)
	return float64(slots) / b * math.Pow(1-1/b, float64(length-max(place, most)))
}

// ExpectedWeight is what a packet adds on average for hop `place`, from 1, of its
// path of `length` hops: 1 as long as the counter holds the path. For the
// congested reservoir place and length are among the congested hops.
func (v Variant) ExpectedWeight(place, length int) float64 {
	if v.Kind == Bloom {
		return 1
	}
	count := min(length, int(v.Limit()))
	return float64(count) / float64(min(v.Slots, count)) * v.Kept(place, length)
}

// Positions is the place, from 1, that a link has on every path from a source to
// a destination that crosses it, and the length in hops of all these paths;
// 0, 0 where that is not fixed.
type Positions func(source, destination, link int32) (place, length int)

// Correct makes the receiver correct what counters at their limit say. It must
// be called before the first packet. Links whose place is not fixed stay as they
// are. Bloom filters and draws in advance have nothing to correct.
func (r *Receiver) Correct(positions Positions) {
	r.positions = positions
	r.limit = -1
	if positions != nil && r.variant.Kind != Bloom && r.variant.Drawn == 0 {
		r.limit = int64(r.variant.Limit())
		r.plain = false
	}
}

// weight is what a packet whose counter is at its limit adds for a link.
func (r *Receiver) weight(source, destination, link int32) float64 {
	place, length := r.positions(source, destination, link)
	if place < 1 || place > length || length < int(r.limit) {
		return float64(r.limit) / float64(r.variant.Slots)
	}
	return 1 / r.variant.Kept(place, length)
}

// receiveCorrected is receive for a counter at its limit.
func (r *Receiver) receiveCorrected(t *Table, p *Packet, congested int64) {
	switch {
	case r.variant.Slots > 1:
		r.slotsCorrected(t, p)
	case r.variant.Kind == OneReservoir:
		weight := r.weight(p.Source, p.Destination, p.HopLink)
		t.Received.exceed(r.limit, weight, p.CongestedBit)
		t.Links[p.HopLink].sampledOnce(weight, p.CongestedBit)
	default:
		weight := r.weight(p.Source, p.Destination, p.HopLink)
		t.Received.exceed(r.limit, weight, 0)
		t.sampled(p.HopLink, weight, p.CongestedLink, congested)
	}
}

// slotsCorrected is slots for counters at their limit.
func (r *Receiver) slotsCorrected(t *Table, p *Packet) {
	sum := 0.
	for _, link := range p.Hops {
		weight := r.weight(p.Source, p.Destination, link)
		sum += weight
		e := &t.Links[link]
		e.Packets += weight
		e.PacketsVariance += weight * (weight - 1)
	}
	t.Received.exceed(r.limit, sum, 0)
	t.congestedSlots(p)
}

// hashedCorrected is hashed for counters at their limit. With a second reservoir
// the covariance follows from whether the two bits agree: on average they do when
// both reservoirs hold one link, and else half of the time.
func (r *Receiver) hashedCorrected(m *HashedDelivery, congested int32) {
	one := r.variant.Kind == OneReservoir
	agree := sign(m.HopBit ^ m.CongestedBit)
	for _, some := range r.paths(m.Source, m.Destination) {
		for link := some.First; link < some.First+some.Count; link++ {
			bit := uint8(r.hasher.Bit(m.ID, link))
			weight := r.weight(m.Source, m.Destination, link)
			w := weight * sign(bit^m.HopBit)
			found := float64(congested)
			c, common := found*sign(bit^m.CongestedBit), weight*found*agree
			if one {
				found = weight * float64(m.CongestedBit)
				c, common = w*float64(m.CongestedBit), found*found
			}
			m.Table.Links[link].add(&Entry{w, weight*weight - w, c, found*found - c, common - c})
		}
	}
}

func sign(bit uint8) float64 { return 1 - 2*float64(bit) }

// decodeCorrected is decode for a block of packets whose counters were at their
// limit, each collected with weight 1.
func (r *Receiver) decodeCorrected(b *Block, ranges []Range) {
	one := r.variant.Kind == OneReservoir
	packets, foundSquares, common := float64(b.squares), float64(b.foundSquares), float64(b.common)
	for _, some := range ranges {
		for link := some.First; link < some.First+some.Count; link++ {
			index, sign := r.indexes.of(b.base, link)
			weight := r.weight(b.source, b.destination, link)
			hop, congested := apart(turned(b.sums[index], sign))
			w, c := weight*float64(hop), float64(congested)
			v, k := foundSquares, common*weight
			if one {
				c *= weight
				v *= weight * weight
				k = v
			}
			b.table.Links[link].add(&Entry{w, packets*weight*weight - w, c, v - c, k - c})
		}
	}
}
