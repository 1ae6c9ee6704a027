package evalsim

import "math/bits"

// slotRing is the slots of a timing wheel (Varghese and Lauck 1987): a bitmap of those
// in use, which finds the next one. Slots are about a nanosecond.
type slotRing struct {
	shift  uint  // picoseconds to slots
	mask   int64 // slots - 1
	now    int64 // slot number in hand, not masked
	bitmap []uint64
}

// newSlotRing spans at least horizon picoseconds; slots are 1.024 ns, or longer
// when that would take more than 65,536 of them.
func newSlotRing(horizon int64) slotRing {
	r := slotRing{shift: 10}
	for horizon>>r.shift >= 1<<16-2 {
		r.shift++
	}
	size := int64(64)
	for size < horizon>>r.shift+2 {
		size *= 2
	}
	r.mask = size - 1
	r.bitmap = make([]uint64, size/64)
	return r
}

func (r *slotRing) reset() {
	r.now = 0
	clear(r.bitmap)
}

// slot is the place of a time; one before the slot in hand counts as now.
func (r *slotRing) slot(at int64) int64 { return max(at>>(r.shift&63), r.now) & r.mask }

// mark puts the slot of a time in use, and gives its place.
func (r *slotRing) mark(at int64) int64 {
	i := r.slot(at)
	r.bitmap[i>>6] |= 1 << (i & 63)
	return i
}

// take makes a slot in use the one in hand, no longer in use, and gives its place.
func (r *slotRing) take(number int64) int64 {
	r.now = number
	i := number & r.mask
	r.bitmap[i>>6] &^= 1 << (i & 63)
	return i
}

// find is the number of the next slot in use, from the one in hand on; -1 when
// there is none.
func (r *slotRing) find() int64 {
	i := r.now & r.mask
	if word := r.bitmap[i>>6] >> (i & 63); word != 0 {
		return r.now + int64(bits.TrailingZeros64(word))
	}
	number := r.now - i&63 + 64
	for range r.bitmap {
		i = number & r.mask
		if word := r.bitmap[i>>6]; word != 0 {
			return number + int64(bits.TrailingZeros64(word))
		}
		number += 64
	}
	return -1
}

// advance moves the slot in hand up to a time before which nothing is left.
func (r *slotRing) advance(to int64) { r.now = max(r.now, to>>r.shift) }

// wheel is a timing wheel of links: each slot is a list threaded through next, newest
// first. A slot is taken out whole and turned round, so that events of one slot run in
// the order they were made. O(1) an event.
//
//	slot      0   1   2   3 ...        bitmap 0100 1000 ...
//	          .   |   .   .
//	              link 7 -> link 2
type wheel struct {
	slotRing
	slots []int32 // first link of every slot, -1 = none
	next  []int32 // length links: the following link of the same slot
	batch []int32 // length links: what pop gave last, at its end

	slotAt, nextAt table[int32] // of slots and next
}

// newWheel spans at least horizon picoseconds.
func newWheel(links int, horizon int64) wheel {
	w := wheel{slotRing: newSlotRing(horizon), next: make([]int32, links), batch: make([]int32, links)}
	w.slots = make([]int32, w.mask+1)
	w.slotAt, w.nextAt = tableOf(w.slots), tableOf(w.next)
	w.reset()
	return w
}

func (w *wheel) reset() {
	w.slotRing.reset()
	for i := range w.slots {
		w.slots[i] = -1
	}
}

// add puts a link at a time.
func (w *wheel) add(link int32, at int64) {
	i := w.slot(at)
	slot := w.slotAt.at(int32(i))
	if *slot < 0 {
		w.bitmap[i>>6] |= 1 << (i & 63)
	}
	*w.nextAt.at(link), *slot = *slot, link
}

// pop takes the links of the next slot, in the order they were added; none when
// the wheel is empty or its next slot begins at or after the time limit. Links
// added to the slot meanwhile come with the next call. The result is good until
// then.
func (w *wheel) pop(limit int64) []int32 {
	number := w.find()
	if number < 0 || number<<w.shift >= limit {
		return nil
	}
	i := w.take(number)
	link := w.slots[i]
	w.slots[i] = -1
	begin := len(w.batch)
	for ; link >= 0; link = *w.nextAt.at(link) {
		begin--
		w.batch[begin] = link
	}
	return w.batch[begin:]
}
