package kernighanlin

import "math/bits"

// buckets hold the free vertices of one side by gain (Fiduccia and Mattheyses
// 1982): a list for every gain, what changed last in front.
//
//	gain    -2  -1   0   1   2
//	first    .   5   .   7   .      7 -> 3
//
// Gains are divided by the power of two that they have in common. Where the best
// bucket is stands in three levels of bits, one for 64 of the level below,
// instead of in a pointer that runs down empty buckets: gains are sums of bytes,
// and most buckets are empty. Every operation is O(1).
type buckets struct {
	first []int32     // length buckets: vertex that changed last, -1 = none
	links []link      // length vertices, those of the other side too
	bits  [3][]uint64 // which buckets, words of buckets, and words of these have vertices
	count int         // vertices
	scale gainScale
}

// link joins the vertices of a bucket.
type link struct{ next, previous int32 } // -1 = none; previous of the first: -2-bucket

// gainScale tells which bucket a gain belongs in.
type gainScale struct {
	zero  int  // bucket of gain 0
	shift uint // all gains are multiples of 1<<shift
}

// newGainScale is for gains of at most reach either way, all of whose bits are
// among those of common. ok tells whether there are buckets for them.
func newGainScale(reach, common uint64) (scale gainScale, ok bool) {
	scale.shift = uint(bits.TrailingZeros64(common | 1<<63))
	reach >>= scale.shift
	scale.zero = int(min(reach, mostBuckets))
	return scale, scale.size() <= mostBuckets
}

func (s gainScale) size() int { return 2*s.zero + 1 }

// reset empties the buckets; links, of length vertices, may hold anything.
func (q *buckets) reset(scale gainScale, links []link) {
	for q.count > 0 {
		b := q.top()
		for v := q.first[b]; v >= 0; v = q.links[v].next {
			q.count--
		}
		q.first[b] = -1
		q.unmark(b)
	}
	q.scale, q.links = scale, links
	if size := scale.size(); len(q.first) < size {
		q.first = make([]int32, size)
		for b := range q.first {
			q.first[b] = -1
		}
		for l := range q.bits {
			size = size/64 + 1
			q.bits[l] = make([]uint64, size)
		}
	}
}

// top is the best bucket with vertices, of which there must be one.
func (q *buckets) top() int {
	at := bits.Len64(q.bits[2][0]) - 1
	at = at<<6 + bits.Len64(q.bits[1][at]) - 1
	return at<<6 + bits.Len64(q.bits[0][at]) - 1
}

// push adds a vertex in front of those with its gain.
func (q *buckets) push(v int32, gain int64) {
	b := q.scale.zero + int(gain>>q.scale.shift)
	head := q.first[b]
	q.first[b], q.links[v] = v, link{head, int32(-2 - b)}
	q.count++
	if head >= 0 {
		q.links[head].previous = v
		return
	}
	for l := range q.bits {
		word := &q.bits[l][b>>6]
		before := *word
		*word |= 1 << (b & 63)
		if before != 0 {
			return
		}
		b >>= 6
	}
}

// remove takes a vertex out.
func (q *buckets) remove(v int32) {
	x := q.links[v]
	q.count--
	if x.next >= 0 {
		q.links[x.next].previous = x.previous
	}
	if x.previous >= 0 {
		q.links[x.previous].next = x.next
		return
	}
	b := int(-2 - x.previous)
	q.first[b] = x.next
	if x.next < 0 {
		q.unmark(b)
	}
}

// unmark notes that a bucket has become empty.
func (q *buckets) unmark(b int) {
	for l := range q.bits {
		word := &q.bits[l][b>>6]
		*word &^= 1 << (b & 63)
		if *word != 0 {
			return
		}
		b >>= 6
	}
}
