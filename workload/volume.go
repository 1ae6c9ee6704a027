package workload

import (
	"fmt"
	"math"
	"slices"
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

// Limit is the most packets of programs of so many packets and ranks at a cap a
// rank. Up to half as much again is played whole: that takes no longer than the two
// volumes of a scaled program, and is exact.
func Limit(packets int64, ranks int, perRank int64) int64 {
	limit := max(1, saturating(int64(ranks), perRank))
	if packets-limit <= limit/2 {
		return max(limit, packets)
	}
	return limit
}

// Scale gives a program whose sends to other ranks are at most maxPackets
// packets, all ranks together, and in Smaller the same at half the volume or
// less. VolumeScale says how much of the volume is left. If p is small enough,
// p itself is the result. Panics if packetBytes is less than 1.
//
// A program that repeats itself, such as a stencil of many rounds, plays fewer
// repetitions: its messages stay as they are. Where one repetition is too much,
// sizes shrink: the bytes of all operations, idle and computing time included,
// are multiplied by one factor (SizeScale). One packet a message always
// stays: if these alone are too many, the warning says so and each message is a
// single packet. O(operations).
//
// Why repetitions go first: with messages of 32 packets at a quarter of the
// volume, 50 of 200 rounds leave the time of a stencil within 3 % of the full
// volume's share, and 200 rounds of 8 packets miss it by 16 %
// (go test -run VolumeError -v ./benchmarks).
func Scale(p *Program, packetBytes int, maxPackets int64) (program *Program, warning string) {
	total := p.Packets(packetBytes)
	if total <= maxPackets {
		return p, ""
	}
	repetitions := p.repetitions()
	if k := int64(float64(maxPackets) / float64(total) * float64(repetitions)); k >= 1 {
		q := p.repeated(k, repetitions)
		if k >= 2 {
			q.Smaller = p.repeated(k/2, repetitions)
		} else {
			q.Smaller = q.resized(0.5)
		}
		return q, ""
	}
	one := p.repeated(1, repetitions)
	sizes, least := one.sizes()
	f := largestFactor(maxPackets, least, func(f float64) int64 {
		var sum int64
		for bytes, count := range sizes { // a sum of integers: any order
			sum += count * packets(scaled(bytes, f), packetBytes)
		}
		return sum
	})
	q := one.resized(f)
	q.Smaller = one.resized(f / 2)
	return q, tooMany(least, maxPackets)
}

// ScaleTo gives the program at the shares of its volume that another one has:
// jobs that share a network keep their ratio. Messages stay as they are as far as
// whole repetitions give the share.
func ScaleTo(p, other *Program) *Program {
	if other.VolumeScale >= 1 || other.Smaller == nil {
		return p
	}
	repetitions := p.repetitions()
	at := func(f float64) *Program {
		k := max(1, int64(math.Ceil(f*float64(repetitions)-1e-9)))
		q := p.repeated(k, repetitions)
		if rest := f * float64(repetitions) / float64(k); rest < 1-1e-9 {
			q = q.resized(rest)
		}
		return q
	}
	q := at(other.VolumeScale)
	q.Smaller = at(other.Smaller.VolumeScale)
	return q
}

// repeated is the first k of a program's repetitions.
func (p *Program) repeated(k, repetitions int64) *Program {
	q := &Program{Offsets: make([]int32, 1, len(p.Offsets)), Phases: p.Phases, CallSites: p.CallSites,
		Grid: p.Grid, SizeScale: p.SizeScale, Warning: p.Warning}
	q.VolumeScale = p.VolumeScale * float64(k) / float64(repetitions)
	for r := range int32(p.Ranks()) {
		ops := p.RankOps(r)
		n := int32(int64(len(ops)) / repetitions * k)
		q.Ops = append(q.Ops, ops[:n]...)
		if p.Sites != nil {
			q.Sites = append(q.Sites, p.Sites[p.Offsets[r]:p.Offsets[r]+n]...)
		}
		q.endRank()
	}
	return q
}

// resized is a program with all its sizes times f.
func (p *Program) resized(f float64) *Program {
	q := &Program{Offsets: p.Offsets, Ops: make([]Op, len(p.Ops)), Phases: p.Phases, CallSites: p.CallSites,
		Sites: p.Sites, Grid: p.Grid, Warning: p.Warning}
	q.VolumeScale, q.SizeScale = p.VolumeScale*f, p.sizeScale()*f
	for i, op := range p.Ops {
		if op.Kind != Wait { // whose Bytes is the number of a request
			op.Bytes = scaled(op.Bytes, f)
		}
		q.Ops[i] = op
	}
	return q
}

// WithMessages is another program: this one with all its messages times a factor, at
// least 1 byte each, and its computing as it is.
func (p *Program) WithMessages(factor float64) *Program {
	q := *p
	if q.Smaller != nil {
		q.Smaller = q.Smaller.WithMessages(factor)
	}
	q.Ops = slices.Clone(p.Ops)
	for i := range q.Ops {
		if op := &q.Ops[i]; op.Kind.IsSend() && op.Bytes > 0 {
			op.Bytes = max(1, int64(math.Round(float64(op.Bytes)*factor)))
		}
	}
	return &q
}

// sizeScale is SizeScale; a program that has none was never resized.
func (p *Program) sizeScale() float64 {
	if p.SizeScale > 0 {
		return p.SizeScale
	}
	return 1
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
