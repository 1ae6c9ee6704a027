package workload

import (
	"fmt"
	"math"
)

// largestFactor gives the largest factor f in (0,1] found by halving and then
// bisecting with packets(f) <= most, in a fixed number of steps; 1 if nothing
// need be scaled. If most is less than least, the packets that stay however
// small the volumes, least is the limit instead.
//
// packets must grow with f but for small dents where messages are cut anew;
// the result respects the limit all the same, because only factors that were
// tried are returned.
func largestFactor(most, least int64, packets func(f float64) int64) float64 {
	most = max(most, least)
	if packets(1) <= most {
		return 1
	}
	low := 0.5
	for low > minFactor && packets(low) > most {
		low /= 2
	}
	high := 2 * low
	for range bisections {
		middle := (low + high) / 2
		if packets(middle) <= most {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

const (
	// minFactor is below one byte of the largest volume: everything is one packet.
	minFactor = 1.0 / (4 * maxTotal)
	// bisections give the factor to 1 part in 10^6 of itself.
	bisections = 20
)

// scaled is a volume or a count times f, rounded; what was there stays at least 1.
func scaled(v int64, f float64) int64 {
	if v == 0 || f == 1 {
		return v
	}
	return max(1, int64(math.Round(float64(v)*f)))
}

// tooMany is the warning of a program that cannot be made small enough.
func tooMany(least, most int64) string {
	if least <= most {
		return ""
	}
	return fmt.Sprintf("%d packets are left with one a message, more than the %d asked for", least, most)
}

// Scale gives a program whose sends to other ranks are at most maxPackets
// packets: the bytes of all operations, idle and computing time included, are
// multiplied by one factor, and VolumeScale with them. If p is small enough, p itself is the
// result. One packet a message always stays: if these alone are too many, the
// warning says so and each message is a single packet. Panics if packetBytes
// is less than 1.
func Scale(p *Program, packetBytes int, maxPackets int64) (program *Program, warning string) {
	sizes, least := p.sizes()
	f := largestFactor(maxPackets, least, func(f float64) int64 {
		var sum int64
		for bytes, count := range sizes { // a sum of integers: any order
			sum += count * packets(scaled(bytes, f), packetBytes)
		}
		return sum
	})
	warning = tooMany(least, maxPackets)
	if f == 1 {
		return p, warning
	}
	q := &Program{Offsets: p.Offsets, Ops: make([]Op, len(p.Ops)), Phases: p.Phases, CallSites: p.CallSites, Sites: p.Sites, Grid: p.Grid,
		VolumeScale: p.VolumeScale * f, Warning: p.Warning}
	for i, op := range p.Ops {
		if op.Kind != Wait { // whose Bytes is the number of a request
			op.Bytes = scaled(op.Bytes, f)
		}
		q.Ops[i] = op
	}
	return q, warning
}

// sizes counts the sends to other ranks, of each size and altogether.
func (p *Program) sizes() (count map[int64]int64, total int64) {
	count = map[int64]int64{}
	for r := range int32(p.Ranks()) {
		for _, op := range p.RankOps(r) {
			if op.Kind.IsSend() && op.Peer != r {
				count[op.Bytes]++
				total++
			}
		}
	}
	return count, total
}
