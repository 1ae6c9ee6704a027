package evalsim

import "math/bits"

// wheel is a timing wheel (Varghese and Lauck 1987) of links: each slot is a
// list threaded through next, newest first, and a bitmap finds the next slot in
// use. A slot is taken out whole and turned round, so that events of one slot
// (about a nanosecond) run in the order they were made. O(1) an event.
//
//	slot      0   1   2   3 ...        bitmap 0100 1000 ...
//	          .   |   .   .
//	              link 7 -> link 2
type wheel struct {
	shift  uint    // picoseconds to slots
	mask   int64   // slots - 1
	now    int64   // slot number in hand, not masked
	slots  []int32 // first link of every slot, -1 = none
	next   []int32 // length links: the following link of the same slot
	bitmap []uint64
	batch  []int32 // length links: what pop gave last, at its end
}

// newWheel spans at least horizon picoseconds; slots are 1.024 ns, or longer
// when that would take more than 65,536 of them.
func newWheel(links int, horizon int64) wheel {
	w := wheel{shift: 10, next: make([]int32, links), batch: make([]int32, links)}
	for horizon>>w.shift >= 1<<16-2 {
		w.shift++
	}
	size := int64(64)
	for size < horizon>>w.shift+2 {
		size *= 2
	}
	w.mask = size - 1
	w.slots = make([]int32, size)
	w.bitmap = make([]uint64, size/64)
	w.reset()
	return w
}

func (w *wheel) reset() {
	w.now = 0
	for i := range w.slots {
		w.slots[i] = -1
	}
	clear(w.bitmap)
}

// add puts a link at a time; one before the slot in hand counts as now.
func (w *wheel) add(link int32, at int64) {
	i := max(at>>(w.shift&63), w.now) & w.mask
	first := w.slots[i]
	if first < 0 {
		w.bitmap[i>>6] |= 1 << (i & 63)
	}
	w.next[link] = first
	w.slots[i] = link
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
	w.now = number
	i := number & w.mask
	link := w.slots[i]
	w.slots[i] = -1
	w.bitmap[i>>6] &^= 1 << (i & 63)
	begin := len(w.batch)
	for ; link >= 0; link = w.next[link] {
		begin--
		w.batch[begin] = link
	}
	return w.batch[begin:]
}

// find is the number of the next slot in use, from the one in hand on; -1 when
// the wheel is empty.
func (w *wheel) find() int64 {
	i := w.now & w.mask
	if word := w.bitmap[i>>6] >> (i & 63); word != 0 {
		return w.now + int64(bits.TrailingZeros64(word))
	}
	number := w.now - i&63 + 64
	for range w.bitmap {
		i = number & w.mask
		if word := w.bitmap[i>>6]; word != 0 {
			return number + int64(bits.TrailingZeros64(word))
		}
		number += 64
	}
	return -1
}

// advance moves the slot in hand up to a time before which pop found nothing.
func (w *wheel) advance(to int64) { w.now = max(w.now, to>>w.shift) }
