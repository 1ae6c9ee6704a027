package sampling

// Packet is a packet as its receiver has it.
type Packet struct {
	// ID: that its switches have hashed with; best of Identities.
	ID uint32
	// Source: sender and receiver, as Paths knows them.
	Source      int32
	Destination int32
	Header
}

// Range is links First..First+Count-1.
type Range = struct{ First, Count int32 }

// Paths are the links that a packet from a source to a destination may cross,
// each once, in any order. It is called from one goroutine; what it returns is
// not changed.
type Paths func(source, destination int32) []Range

// Receiver is what a receiving NIC does with packets: it fills tables. Packets
// of hashed variants are collected before they are decoded, so tables are
// complete only after Flush.
type Receiver struct {
	variant Variant
	paths   Paths
	hasher  *Hasher
	bloom   *BloomFilter
	blocks  *blocks      // Field only
	indexes *linkIndexes // Field only

	plain     bool      // two reservoirs of one link as they are, the path that must be fast
	positions Positions // see Correct
	limit     int64     // counters of this value are corrected; -1: none
}

// NewReceiver receives packets of a network with links 0..links-1. Paths are
// needed for hashes and Bloom filters; for others they may be nil. Up to
// `flows` pairs of sender and receiver at a time are collected without loss of
// speed; each takes 330 bytes.
func NewReceiver(v Variant, links int, paths Paths, flows int) *Receiver {
	r := &Receiver{variant: v, paths: paths, limit: -1}
	r.plain = v.Kind == Full && v.Slots == 1 && v.Drawn == 0
	if v.Hashed() {
		r.hasher = NewHasher(v.Hash, links)
	}
	if v.Kind == Bloom {
		r.bloom = NewBloomFilter(v.Bits)
	}
	if v.Hashed() && v.Hash == Field {
		r.blocks, r.indexes = newBlocks(flows), newLinkIndexes(r.hasher.masks)
	}
	return r
}

// Hasher is what the receiver hashes with; nil unless the variant is hashed.
func (r *Receiver) Hasher() *Hasher { return r.hasher }

// Receive takes a delivered packet into a table.
func (r *Receiver) Receive(t *Table, p *Packet) {
	if !r.plain {
		r.receive(t, p)
		return
	}
	hops, congested := int64(p.HopCount), int64(p.CongestedCount)
	if hops == 0 {
		return
	}
	t.Received.count(hops, congested)
	t.sampled(p.HopLink, float64(hops), p.CongestedLink, congested)
}

// receive is Receive for what is not plain.
func (r *Receiver) receive(t *Table, p *Packet) {
	hops, congested := int64(p.HopCount), int64(p.CongestedCount)
	if r.variant.Drawn > 0 {
		hops, congested = int64(drawnCount(p.HopDraws)), int64(drawnCount(p.CongestedDraws))
	}
	if r.hasher != nil {
		m := HashedDelivery{t, p.ID, p.Source, p.Destination, uint8(hops), uint8(congested), p.HopBit,
			p.CongestedBit}
		r.collect(&m)
		return
	}
	one := r.variant.Kind == OneReservoir
	if one {
		congested = hops * int64(p.CongestedBit)
	}
	if hops == 0 {
		return
	}
	t.Received.count(hops, congested)
	switch {
	case hops == r.limit:
		r.receiveCorrected(t, p, congested)
	case one:
		t.Links[p.HopLink].sampledOnce(float64(hops), p.CongestedBit)
	case r.variant.Kind == Bloom:
		r.filtered(t, p)
	case r.variant.Slots > 1:
		t.slots(p)
	default:
		t.sampled(p.HopLink, float64(hops), p.CongestedLink, congested)
	}
}

// sampled takes two reservoirs of one link each.
func (t *Table) sampled(hop int32, weight float64, congestedHop int32, congested int64) {
	e := &t.Links[hop]
	e.Packets += weight
	e.PacketsVariance += weight * (weight - 1)
	if congested > 0 {
		e := &t.Links[congestedHop]
		e.Congested += float64(congested)
		e.CongestedVariance += float64(congested * (congested - 1))
	}
}

// sampledOnce takes one reservoir of a whole link.
func (e *Entry) sampledOnce(weight float64, congested uint8) {
	variance := weight * (weight - 1)
	e.Packets += weight
	e.PacketsVariance += variance
	if congested != 0 {
		e.Congested += weight
		e.CongestedVariance += variance
		e.Covariance += variance
	}
}

// slots takes reservoirs of several links, each of which stands for as many
// hops as there are to a link kept.
func (t *Table) slots(p *Packet) {
	weight := float64(p.HopCount) / float64(len(p.Hops))
	for _, link := range p.Hops {
		e := &t.Links[link]
		e.Packets += weight
		e.PacketsVariance += weight * (weight - 1)
	}
	t.congestedSlots(p)
}

func (t *Table) congestedSlots(p *Packet) {
	if len(p.Congested) == 0 {
		return
	}
	weight := float64(p.CongestedCount) / float64(len(p.Congested))
	for _, link := range p.Congested {
		e := &t.Links[link]
		e.Congested += weight
		e.CongestedVariance += weight * (weight - 1)
	}
}

// collect is Collect by a block of the receiver's own.
func (r *Receiver) collect(m *HashedDelivery) {
	if r.blocks == nil {
		r.add(nil, m, 0, 0)
		return
	}
	base, q := split(m.ID)
	b := r.blocks.place(m, base, int64(m.HopCount) == r.limit)
	r.add(b, m, base, q)
	b.used = r.blocks.clock
}

// hashed tests every candidate link of a packet (Taffet 2018, algorithms 7 and
// 9), for hashes that have no faster way; congested is the count that the bit
// beside it stands for.
func (r *Receiver) hashed(m *HashedDelivery, congested int32, foundBit uint8) {
	same, found := float64(m.HopCount), float64(congested)
	squares, foundSquares, common := same*same, found*found, found
	if r.variant.Kind == OneReservoir {
		common = foundSquares
	}
	for _, some := range r.paths(m.Source, m.Destination) {
		for link := some.First; link < some.First+some.Count; link++ {
			bit := uint8(r.hasher.Bit(m.ID, link))
			w, c := same*sign(bit^m.HopBit), found*sign(bit^foundBit)
			m.Table.Links[link].add(&Entry{w, squares - w, c, foundSquares - c, common - c})
		}
	}
}

// filtered tests every candidate link of a packet against its Bloom filters,
// 64 of them at a time. The columns beside the counts x and c are x^2 - x, c^2 - c
// and x c - c, of which the expectation is the variance and the covariance
// whether the link was crossed, congested or neither.
func (r *Receiver) filtered(t *Table, p *Packet) {
	in, out := r.bloom.Terms(p.Filter, p.HopCount)
	congestedIn, congestedOut := r.bloom.Terms(p.CongestedFilter, p.CongestedCount)
	if in == 0 {
		t.Received.Full++
		if p.CongestedCount == 0 || congestedIn == 0 {
			return
		}
	}
	terms := [3]Entry{ // of links in neither filter, in one, in both: what is in the second is in the first
		{out, out * (out - 1), congestedOut, congestedOut * (congestedOut - 1), congestedOut * (out - 1)},
		{in, in * (in - 1), congestedOut, congestedOut * (congestedOut - 1), congestedOut * (in - 1)},
		{in, in * (in - 1), congestedIn, congestedIn * (congestedIn - 1), congestedIn * (in - 1)},
	}
	for _, some := range r.paths(p.Source, p.Destination) {
		for first, end := some.First, some.First+some.Count; first < end; first += 64 {
			crossed, congested := ^uint64(0)>>max(0, 64-(end-first)), uint64(0)
			if in != 0 { // otherwise all are, or might as well be
				crossed = r.bloom.Match(p.Filter, p.ID, first, crossed)
			}
			if p.CongestedCount > 0 {
				congested = r.bloom.Match(p.CongestedFilter, p.ID, first, crossed)
			}
			links := t.Links[first:min(first+64, end)]
			for i := range links {
				links[i].add(&terms[crossed>>i&1+congested>>i&1])
			}
		}
	}
}

// Flush decodes what was collected.
func (r *Receiver) Flush() {
	if r.blocks == nil {
		return
	}
	for i := range r.blocks.places {
		r.Decode(&r.blocks.places[i])
	}
}
