package sampling

import (
	"fmt"
	"math/bits"
)

// FeedbackRegister is a linear feedback shift register in Galois form with a
// table of thresholds, as a switch could have it for its chance (Taffet 2018,
// section 5.9 and figure 5.7). Its polynomial is primitive: it runs through all
// values but 0 before one comes again. It keeps StateBits bits.
//
// Two draws one tick apart share all bits but one: after a value below 1/l of the
// range the next is below 2/l of it. Every draw must therefore be some ticks after
// the last one; about as many as there are bits will do.
type FeedbackRegister struct {
	state, taps uint32
	bits, ticks int
	thresholds  [chooserMost + 1]uint32 // index = n: Below(n) is 0 for values up to this
}

// chooserMost is the highest n of Chooser.
const chooserMost = 256

// Bounds of feedback registers' sizes.
const (
	MinFeedbackBits = 8
	MaxFeedbackBits = 32
)

// feedbackTaps are exponents of a primitive polynomial for every size from
// MinFeedbackBits on, the highest, which is the size, and 0 left out (Xilinx
// application note 052, Alfke 1996; Ward and Molteno 2007).
var feedbackTaps = [...][3]int{
	{6, 5, 4}, {5}, {7}, {9}, {11, 10, 4}, {12, 11, 8}, {13, 12, 2}, {14}, {15, 13, 4}, // 8-16
	{14}, {11}, {18, 17, 14}, {17}, {19}, {21}, {18}, {23, 22, 17}, // 17-24
	{22}, {6, 2, 1}, {5, 2, 1}, {25}, {27}, {6, 4, 1}, {28}, {22, 2, 1}, // 25-32
}

// NewFeedbackRegister has a number of bits, and is clocked some ticks before each
// draw; 0 stands for as many as it has bits. The number is raised until it has no
// divisor in common with the period 2^bits-1, so that draws too see every value
// equally often. The low bits of the seed are the first state, 1 if all are 0.
func NewFeedbackRegister(size, ticks int, seed uint32) (*FeedbackRegister, error) {
	if size < MinFeedbackBits || size > MaxFeedbackBits {
		return nil, fmt.Errorf("feedback register of %d bits: must be %d to %d", size, MinFeedbackBits,
			MaxFeedbackBits)
	}
	if ticks < 0 {
		return nil, fmt.Errorf("feedback register with %d ticks a draw: must not be negative", ticks)
	}
	r := &FeedbackRegister{bits: size, ticks: ticks, taps: 1 << (size - 1)}
	if ticks == 0 {
		r.ticks = size
	}
	for _, exponent := range feedbackTaps[size-MinFeedbackBits] {
		if exponent > 0 {
			r.taps |= 1 << (exponent - 1)
		}
	}
	period := r.Period()
	for commonDivisor(uint32(r.ticks), period) != 1 {
		r.ticks++
	}
	if r.state = seed & period; r.state == 0 {
		r.state = 1
	}
	for n := uint32(1); n <= chooserMost; n++ {
		r.thresholds[n] = uint32((2*uint64(period) + uint64(n)) / (2 * uint64(n)))
	}
	return r, nil
}

// Period is the number of values, 2^bits-1.
func (r *FeedbackRegister) Period() uint32 { return ^uint32(0) >> (32 - r.bits) }

// StateBits is what the register keeps.
func (r *FeedbackRegister) StateBits() int { return r.bits }

// Next is the value after the next ticks, 1 to Period.
func (r *FeedbackRegister) Next() uint32 {
	for range r.ticks {
		r.state = r.state>>1 ^ r.taps&-(r.state&1)
	}
	return r.state
}

// Below is 0 with a probability within 1/(2 Period) of 1/n: a value is compared
// with one threshold. Reservoirs of several links need the other thresholds of n
// as well; each number's probability is within 1/Period of 1/n.
func (r *FeedbackRegister) Below(n uint32) uint32 {
	value := r.Next()
	if value <= r.thresholds[n] {
		return 0
	}
	// The least i whose threshold, (i+1) Period/n rounded, is not below the value.
	above, below := bits.Mul64(2*uint64(value)-1, uint64(n))
	i, _ := bits.Div64(above, below-1, 2*uint64(r.Period()))
	return uint32(i)
}

func commonDivisor(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
