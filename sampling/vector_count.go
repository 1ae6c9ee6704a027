package sampling

import "math/bits"

// LinkCounts adds up what packets say about the links of a set: for every packet
// plus its weight for links whose hash matches its bit, minus its weight for the
// others (Taffet 2018, algorithms 7 and 9). Counts of 64 links are kept bit by
// bit, one word for each binary digit, and the matches of seven packets of the
// same weight are added up by carry-save adders before they go there (Harley and
// Seal's way to count bits, side by side; Mula, Kurz and Lemire 2018).
type LinkCounts struct {
	set    *LinkSet
	queues []weightQueue
	digits [][countDigits]uint64 // length words: of the sum of weights of matches
	total  int                   // sum of all weights in queues and digits
	sums   []int64               // length links
}

const (
	countDigits = 16
	queueLength = 7 // what carry-save adders turn into a number of three digits
)

// weightQueue is up to seven packets of one weight, not yet in the digits.
type weightQueue struct {
	weight  uint8
	packets int
	matches []uint64 // queueLength x words
}

// NewLinkCounts starts from 0.
func NewLinkCounts(s *LinkSet) *LinkCounts {
	return &LinkCounts{set: s, digits: make([][countDigits]uint64, s.words), sums: make([]int64, s.links)}
}

// Add counts a packet with an identity, a bit (0 or 1) and a weight. Packets are
// fastest if they have few different weights.
func (c *LinkCounts) Add(id, bit uint32, weight uint8) {
	if weight == 0 {
		return
	}
	if c.total+int(weight) >= 1<<countDigits {
		c.spill()
	}
	c.total += int(weight)
	q := c.queue(weight)
	c.set.Matches(q.matches[q.packets*c.set.words:], id, bit)
	if q.packets++; q.packets == queueLength {
		c.enter(q)
	}
}

func (c *LinkCounts) queue(weight uint8) *weightQueue {
	for i := range c.queues {
		if c.queues[i].weight == weight {
			return &c.queues[i]
		}
	}
	c.queues = append(c.queues, weightQueue{weight: weight, matches: make([]uint64, queueLength*c.set.words)})
	return &c.queues[len(c.queues)-1]
}

// Sums are the counts so far of each link of the set, in its order. The slice
// stays the counts' own.
func (c *LinkCounts) Sums() []int64 {
	c.spill()
	return c.sums
}

// Reset sets all counts to 0.
func (c *LinkCounts) Reset() {
	clear(c.digits)
	clear(c.sums)
	c.total = 0
	for i := range c.queues {
		c.queues[i].packets = 0
	}
}

// add is a full adder for 64 links.
func add(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// enter empties a queue into the digits.
func (c *LinkCounts) enter(q *weightQueue) {
	words := c.set.words
	clear(q.matches[q.packets*words:])
	var m [queueLength][]uint64
	for i := range m {
		m[i] = q.matches[i*words : (i+1)*words]
	}
	for w := range c.digits {
		one1, two1 := add(m[0][w], m[1][w], m[2][w])
		one2, two2 := add(m[3][w], m[4][w], m[5][w])
		one, two3 := add(one1, one2, m[6][w])
		two, four := add(two1, two2, two3)
		d := &c.digits[w]
		for weight := q.weight; weight != 0; weight &= weight - 1 {
			at := bits.TrailingZeros8(weight) & 7
			carry := d[at] & one
			d[at] ^= one
			d[at+1], carry = add(d[at+1], two, carry)
			d[at+2], carry = add(d[at+2], four, carry)
			for i := at + 3; carry != 0 && i < countDigits; i++ {
				d[i], carry = d[i]^carry, d[i]&carry
			}
		}
	}
	q.packets = 0
}

// spill moves everything to the sums. The weight of matches counts twice, as it
// is in the total that is taken off.
func (c *LinkCounts) spill() {
	if c.total == 0 {
		return
	}
	for i := range c.queues {
		if c.queues[i].packets > 0 {
			c.enter(&c.queues[i])
		}
	}
	total := int64(c.total)
	for first := 0; first < len(c.sums); first += 8 {
		d, shift := &c.digits[first/64], first%64
		low, high := bytesOf(d[:8], shift), uint64(0)
		if total > 255 {
			high = bytesOf(d[8:], shift)
		}
		sums := c.sums[first:min(first+8, len(c.sums))]
		for i := range sums {
			sums[i] += 2*int64(low&0xff|high&0xff<<8) - total
			low, high = low>>8, high>>8
		}
	}
	clear(c.digits)
	c.total = 0
}

// bytesOf is eight numbers of eight digits, for the links from shift on: the
// digits' bytes there, transposed as an 8 x 8 matrix of bits (Warren, Hacker's
// Delight, section 7-3).
func bytesOf(digits []uint64, shift int) uint64 {
	x := uint64(0)
	for i, d := range digits[:8] {
		x |= d >> shift & 0xff << (8 * i)
	}
	change := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= change ^ change<<7
	change = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= change ^ change<<14
	change = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ change ^ change<<28
}
