package sampling

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Key says where in a program packets belong.
type Key struct {
	// Slice: of time.
	Slice                int64
	Phase, Tag, CallSite int32
}

// Dimensions are the parts of keys that distinguish packets.
type Dimensions uint8

// BySlice and the others can be added up.
const (
	BySlice Dimensions = 1 << iota
	ByPhase
	ByTag
	ByCallSite
)

// of is a key with zero in place of what does not count.
func (d Dimensions) of(k Key) Key {
	if d&BySlice == 0 {
		k.Slice = 0
	}
	if d&ByPhase == 0 {
		k.Phase = 0
	}
	if d&ByTag == 0 {
		k.Tag = 0
	}
	if d&ByCallSite == 0 {
		k.CallSite = 0
	}
	return k
}

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Slice, o.Slice), cmp.Compare(k.Phase, o.Phase), cmp.Compare(k.Tag, o.Tag),
		cmp.Compare(k.CallSite, o.CallSite))
}

// Breakdown counts packets by key. Packets wait until there are enough of them,
// so that a full table is needed only once for every key that they have.
type Breakdown struct {
	by       Dimensions
	most     int
	receiver *Receiver
	scratch  *Table
	index    map[Key]int32 // of parts
	parts    []Part
	others   *Sparse
	waiting  []waiting
	count    int // of those that wait
}

// Part is the samples of a key.
type Part struct {
	Key     Key
	Samples *Sparse
}

type waiting struct {
	part   int32 // -1: others
	packet Packet
}

// NewBreakdown counts by some dimensions and keeps up to `most` keys; packets of
// further ones are counted together as others. The other parameters are those of
// NewReceiver.
func NewBreakdown(v Variant, links int, paths Paths, flows int, by Dimensions, most int) *Breakdown {
	return &Breakdown{by: by, most: most, receiver: NewReceiver(v, links, paths, flows),
		scratch: NewTable(v, links), index: make(map[Key]int32), others: &Sparse{Variant: v}}
}

// Receive counts a packet under its key; the packet is copied.
func (b *Breakdown) Receive(k Key, p *Packet) {
	k = b.by.of(k)
	part, known := b.index[k]
	switch {
	case !known && len(b.parts) < b.most:
		part = int32(len(b.parts))
		b.index[k] = part
		b.parts = append(b.parts, Part{k, &Sparse{Variant: b.scratch.Variant}})
	case !known:
		part = -1
	}
	if b.count == len(b.waiting) {
		b.waiting = append(b.waiting, waiting{})
	}
	w := &b.waiting[b.count]
	b.count++
	h := w.packet.Header
	w.part, w.packet = part, *p
	w.packet.Hops, w.packet.Congested = append(h.Hops[:0], p.Hops...), append(h.Congested[:0], p.Congested...)
	w.packet.Filter, w.packet.CongestedFilter = append(h.Filter[:0], p.Filter...),
		append(h.CongestedFilter[:0], p.CongestedFilter...)
	if b.count == breakdownBatch {
		b.flush()
	}
}

// flush counts the packets that wait, those of one key after the other.
func (b *Breakdown) flush() {
	batch := b.waiting[:b.count]
	order := make([]int32, len(batch))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(batch[x].part, batch[y].part) })
	for i, at := range order {
		b.receiver.Receive(b.scratch, &batch[at].packet)
		if i+1 < len(order) && batch[order[i+1]].part == batch[at].part {
			continue
		}
		b.receiver.Flush()
		to := &b.others
		if part := batch[at].part; part >= 0 {
			to = &b.parts[part].Samples
		}
		*to = mustMerge(*to, b.scratch.Sparse())
		b.scratch.Reset()
	}
	b.count = 0
}

// mustMerge adds tables that are known to have one variant.
func mustMerge(tables ...*Sparse) *Sparse {
	sum, err := MergeSparse(tables...)
	if err != nil {
		panic(err)
	}
	return sum
}

// Parts are the samples by some of the breakdown's dimensions, keys ascending by
// slice, phase, tag and call site. It is an error to ask for others.
func (b *Breakdown) Parts(by Dimensions) ([]Part, error) {
	if by&^b.by != 0 {
		return nil, fmt.Errorf("samples were not counted by all of the dimensions asked for")
	}
	b.flush()
	groups := make(map[Key][]*Sparse)
	for _, p := range b.parts {
		k := by.of(p.Key)
		groups[k] = append(groups[k], p.Samples)
	}
	keys := slices.SortedFunc(maps.Keys(groups), Key.compare)
	parts := make([]Part, len(keys))
	for i, k := range keys {
		parts[i] = Part{k, mustMerge(groups[k]...)}
	}
	return parts, nil
}

// Others are the samples of packets whose keys were too many.
func (b *Breakdown) Others() *Sparse {
	b.flush()
	return mustMerge(b.others)
}
