package evalsim_test

import (
	"fmt"
	"math/bits"

	"remap/commgraph"
	"remap/evalsim"
	"remap/sampling"
)

// enter routes a packet at the switch where channel in ends, by the loads of
// this moment, and puts it into the queue of its output port.
func (b *book) enter(p *bookPacket, in int32) {
	from := in / b.virtual
	at := b.top.SwitchOf(b.top.Links[from].To)
	channel := b.route(p, at)
	link := channel / b.virtual
	p.in = in
	p.hops++
	p.ready = b.now
	if b.options.Switching == evalsim.CutThrough {
		// A fast link must not run out of a packet that a slow one still delivers.
		p.ready += max(0, b.sendTime(from, p.size)-b.sendTime(link, p.size))
	}
	c, l := &b.channels[channel], &b.links[link]
	c.queue = append(c.queue, p)
	c.queued += p.size
	l.load += p.size
	l.crossed++
	if c.queued > c.credits {
		l.congested++
	}
	if p.ready > b.now {
		b.at(p.ready, mayStart, link, 0, nil)
	} else {
		b.touch(link)
	}
}

// route is the channel by which a packet leaves a switch.
func (b *book) route(p *bookPacket, at int32) int32 {
	if at == p.toward {
		p.toward = p.message.toSwitch // from an intermediate switch on
	}
	if at == p.toward {
		return p.message.rails.Ejection * b.virtual
	}
	channel := b.nextTo(p, at, p.toward)
	if p.hops == 0 && (b.options.Routing == evalsim.Valiant || b.options.Routing == evalsim.UGAL) {
		channel = b.detour(p, at, channel)
	}
	if b.top.Routes.PerHop {
		channel += p.hops
	}
	return channel
}

// detour decides at the first switch between the shortest way, whose next
// channel is given, and a way by a random intermediate switch. UGAL draws two such ways;
// by the one that promises less waiting it goes if the shortest way promises to wait for
// more than that and four packets.
func (b *book) detour(p *bookPacket, at, channel int32) int32 {
	all := b.top.Routes.Intermediate
	waiting := func(first int32, links int32) int { return b.links[first/b.virtual].load * int(links) }
	draw := func() (via, first int32, wait int) {
		via = all[b.random.IntN(len(all))]
		if via == at || via == p.toward {
			return p.toward, channel, waiting(channel, b.top.SwitchDistance(at, p.toward))
		}
		first = b.nextTo(p, at, via)
		return via, first, waiting(first, b.top.SwitchDistance(at, via)+b.top.SwitchDistance(via, p.toward))
	}
	via, around, wait := draw()
	if b.options.Routing == evalsim.UGAL {
		if second, first, less := draw(); less < wait {
			via, around, wait = second, first, less
		}
		if waiting(channel, b.top.SwitchDistance(at, p.toward)) <= wait+4*b.options.PacketBytes {
			return channel
		}
	}
	p.toward = via
	return around
}

// nextTo chooses among the candidate channels toward a switch.
func (b *book) nextTo(p *bookPacket, at, to int32) int32 {
	candidates := b.top.Routes.Candidates(at, to)
	n := len(candidates)
	switch b.options.Routing {
	case evalsim.TwoChoices:
		one, other := candidates[b.random.IntN(n)], candidates[b.random.IntN(n)]
		if b.level(other) < b.level(one) {
			return other
		}
		return one
	case evalsim.RandomPacket:
		return candidates[b.random.IntN(n)]
	case evalsim.FlowHash:
		return b.hashed(p, at, candidates)
	case evalsim.Static:
		return b.static(p, at, candidates)
	case evalsim.Adaptive, evalsim.Valiant, evalsim.UGAL:
		return b.leastLoaded(candidates)
	}
	panic(fmt.Sprintf("book: routing %v is not modelled", b.options.Routing))
}

// leastLoaded is uniform among the candidates of the least level.
func (b *book) leastLoaded(candidates []int32) int32 {
	best, ties := candidates[0], 0
	for _, c := range candidates {
		switch level, least := b.level(c), b.level(best); {
		case level < least:
			best, ties = c, 1
		case level == least:
			if ties++; b.random.IntN(ties) == 0 {
				best = c
			}
		}
	}
	return best
}

// hashed is the same candidate for all packets of a pair of ranks: the number of
// the pair in the program's traffic, the switch and the seed are hashed.
func (b *book) hashed(p *bookPacket, at int32, candidates []int32) int32 {
	flow := b.traffic().Find(p.message.from, p.message.to)
	hash := sampling.NewRandom(b.seed ^ uint64(flow)<<32 ^ uint64(at))
	return candidates[hash.Below(uint32(len(candidates)))]
}

// static is the same candidate for all packets to a host, but half-way round a
// ring, where it depends on the first switch too: see tieUp.
func (b *book) static(p *bookPacket, at int32, candidates []int32) int32 {
	if down, up := candidates[0], candidates[len(candidates)-1]; down%b.virtual != up%b.virtual {
		if b.tieUp(b.top.SwitchOf(b.top.Links[p.message.rails.Injection].To), p.message.toSwitch, at) {
			return up
		}
		return down
	}
	number := b.top.Links[p.message.rails.Ejection].To
	if divisors := b.top.Routes.StaticDivisor; divisors != nil {
		number /= divisors[at]
	}
	return candidates[int(number)%len(candidates)]
}

// tieUp is the direction in which all packets of a pair of switches go round a ring
// whose other side they are bound for: up when the sum of the coordinates of the
// first and the last switch is odd, without that of the last one in this ring's
// dimension, the first in which the packet is not where it is bound for.
func (b *book) tieUp(first, last, at int32) bool {
	grid := b.top.Routes.Grid
	place := func(sw int32) []int16 { return grid.Coordinates[sw*grid.Dimensions : (sw+1)*grid.Dimensions] }
	sum, ring := 0, -1
	for k := range place(last) {
		sum += int(place(first)[k])
		if ring < 0 && place(at)[k] != place(last)[k] {
			ring = k
			continue
		}
		sum += int(place(last)[k])
	}
	return sum%2 == 1
}

func (b *book) traffic() *commgraph.Traffic {
	if b.flows == nil {
		var err error
		if b.flows, err = b.program.Traffic(); err != nil {
			panic(err)
		}
	}
	return b.flows
}

// level is the load of a channel's link as adaptive routing sees it, in half
// packets rounded up, a packet counting as the next lower power of two. From 32
// on there are sixteen levels for every doubling, and 127 is the last.
func (b *book) level(channel int32) int {
	packet := 1 << (bits.Len(uint(b.options.PacketBytes)) - 1)
	halves := (2*b.links[channel/b.virtual].load + packet - 1) / packet
	step := 1 // half packets of a level
	base := 0
	for halves >= 32*step {
		base += 16
		step *= 2
	}
	return min(127, base+halves/step)
}
