package evalsim

import "math/bits"

// wheel is a timing wheel (Varghese and Lauck 1987) of links: each slot is a
// first-in first-out list threaded through next, and a bitmap finds the next
// slot in use. Events of one slot (about a nanosecond) run in the order they
// were made. O(1) an event.
//
//	slot      0   1   2   3 ...        bitmap 0100 1000 ...
//	          .   |   .   .
//	              link 7 -> link 2
type wheel struct {
	shift  uint  // picoseconds to slots
	mask   int64 // slots - 1
	now    int64 // slot number in hand, not masked
	count  int   // links in the wheel
	slots  []slot
	next   []int32 // length links: the following link of the same slot
	bitmap []uint64
}

type slot struct{ head, tail int32 }

// newWheel spans at least horizon picoseconds; slots are 1.024 ns, or longer
// when that would take more than 65,536 of them.
func newWheel(links int, horizon int64) *wheel {
	w := &wheel{shift: 10, next: make([]int32, links)}
	for horizon>>w.shift >= 1<<16-2 {
		w.shift++
	}
	size := int64(64)
	for size < horizon>>w.shift+2 {
		size *= 2
	}
	w.mask = size - 1
	w.slots = make([]slot, size)
	w.bitmap = make([]uint64, size/64)
	w.reset()
	return w
}

func (w *wheel) reset() {
	w.now, w.count = 0, 0
	for i := range w.slots {
		w.slots[i].head = -1
	}
	clear(w.bitmap)
}

// add puts a link at a time that is not before the slot in hand.
func (w *wheel) add(link int32, at int64) {
	number := max(at>>w.shift, w.now)
	i := number & w.mask
	w.next[link] = -1
	s := &w.slots[i]
	if s.head < 0 {
		s.head = link
		w.bitmap[i>>6] |= 1 << (i & 63)
	} else {
		w.next[s.tail] = link
	}
	s.tail = link
	w.count++
}

// batchSize is how many links pop takes at most: enough to overlap their cache
// misses, few enough to stay in the first-level cache.
const batchSize = 16

// pop takes the next links, all of one slot, in order; none when the wheel is
// empty or its next slot begins at or after the time limit. Links added to the
// slot meanwhile come after them.
func (w *wheel) pop(limit int64, batch *[batchSize]int32) []int32 {
	if w.count == 0 {
		return nil
	}
	i := w.now & w.mask
	s := &w.slots[i]
	if s.head < 0 {
		number := w.find()
		if number<<w.shift >= limit {
			return nil
		}
		w.now = number
		i = number & w.mask
		s = &w.slots[i]
	}
	n, link := 0, s.head
	for n < batchSize && link >= 0 {
		batch[n] = link
		link = w.next[link]
		n++
	}
	s.head = link
	if link < 0 {
		w.bitmap[i>>6] &^= 1 << (i & 63)
	}
	w.count -= n
	return batch[:n]
}

// find is the number of the next slot in use, from the one in hand on.
func (w *wheel) find() int64 {
	i := w.now & w.mask
	word := w.bitmap[i>>6] >> (i & 63)
	if word != 0 {
		return w.now + int64(bits.TrailingZeros64(word))
	}
	number := w.now - i&63 + 64
	for {
		i = number & w.mask
		if word = w.bitmap[i>>6]; word != 0 {
			return number + int64(bits.TrailingZeros64(word))
		}
		number += 64
	}
}

// timer wakes a rank; timers are kept in a binary heap by (time, number).
type timer struct {
	at     int64
	number int64 // order of creation, breaks ties
	rank   int32
}

func (a timer) before(b timer) bool {
	return a.at < b.at || a.at == b.at && a.number < b.number
}

type timers []timer

func (h *timers) push(t timer) {
	*h = append(*h, t)
	q := *h
	for i := len(q) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q[i].before(q[parent]) {
			break
		}
		q[i], q[parent] = q[parent], q[i]
		i = parent
	}
}

func (h *timers) pop() timer {
	q := *h
	top := q[0]
	last := len(q) - 1
	q[0] = q[last]
	q = q[:last]
	*h = q
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(q) {
			return top
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(q[i]) {
			return top
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}

// advance moves the slot in hand up to a time before which pop found nothing.
func (w *wheel) advance(to int64) { w.now = max(w.now, to>>w.shift) }
