package evalsim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/topology"
)

// expectedLoad is the load of the busiest link between switches, in units of
// what a host sends, when demand gives what the hosts of a switch send to those
// of another in the same units: split evenly over the candidates and, by way of
// intermediate switches, over all of these.
func expectedLoad(top *topology.Topology, demand func(from, to int32) float64, detour bool) float64 {
	load, most := make([]float64, len(top.Links)), 0.0
	var push func(at, to int32, amount float64)
	push = func(at, to int32, amount float64) {
		if at == to {
			return
		}
		candidates := top.Routes.Candidates(at, to)
		for _, channel := range candidates {
			link, part := channel/top.Routes.VirtualChannels, amount/float64(len(candidates))
			load[link] += part
			most = max(most, load[link])
			push(top.SwitchOf(top.Links[link].To), to, part)
		}
	}
	vias := top.Routes.Intermediate
	for from := range int32(top.Switches()) {
		for to := range int32(top.Switches()) {
			amount := demand(from, to)
			if amount == 0 || from == to {
				continue
			}
			if !detour {
				push(from, to, amount)
				continue
			}
			for _, via := range vias { // an end as the intermediate switch means the shortest way
				push(from, via, amount/float64(len(vias)))
				push(via, to, amount/float64(len(vias)))
			}
		}
	}
	return most
}

// pattern is who sends to whom: every host to all others evenly or, adversarial,
// to all hosts of the switches that next allows.
type pattern struct {
	top  *topology.Topology
	next func(from, to int32) bool // switches; nil = uniform
}

func (p pattern) hostsPerSwitch() int { return p.top.Hosts() / p.top.Switches() }

// demand is what expectedLoad wants.
func (p pattern) demand() func(from, to int32) float64 {
	each, targets := float64(p.hostsPerSwitch()), 0.0
	for to := range int32(p.top.Switches()) {
		if p.next != nil && p.next(0, to) {
			targets += each
		}
	}
	return func(from, to int32) float64 {
		switch {
		case p.next == nil:
			return each * each / float64(p.top.Hosts()-1)
		case p.next(from, to):
			return each * each / targets
		}
		return 0
	}
}

// draw draws a receiver.
func (p pattern) draw() func(from int, random *rand.Rand) int {
	if p.next == nil {
		return toAnyOther(p.top.Hosts())
	}
	return func(from int, random *rand.Rand) int {
		for {
			to := random.IntN(p.top.Hosts())
			if p.next(int32(from/p.hostsPerSwitch()), int32(to/p.hostsPerSwitch())) {
				return to
			}
		}
	}
}

// Uniform and adversarial traffic on networks of small diameter, after Kim,
// Dally, Scott and Abts (2008, section 4), with p hosts, h global links and a
// routers: shortest ways carry uniform traffic at nearly the hosts' rate, but
// 1/(a p) of it when all hosts of a group send to the next group, over the one
// link between the two. By way of a random switch each packet crosses two of the
// a h global links of its group, and the bound is about h/(2p) = 1/2, whatever
// the pattern. On a HyperX the adversary sends all that a switch of p hosts has
// over one link.
//
// UGAL is to come near the better of both without being told. Where H hosts send over
// n links, one of which is the direct one, packets of rate 1 at most go directly, and all
// others cross two of the links: 1 + 2 (H x - 1) <= n, so that x = (n + 1)/(2 H) at most.
// Valiant has this bound, too, where its ways load all links alike.
//
// Rates are those of the steady state, after 1000 packets a host have been offered. Of
// the first 300 many are still in buffers: with one random way a packet and buffers of 64
// packets, UGAL takes 0.51 of the hosts' rate then, and 0.43 in the steady state.
func TestSaturationWithDetours(t *testing.T) {
	tier.Long(t, "saturated dragonflies: 2 s")
	t.Parallel()
	dragonfly := network(t, "dragonfly:groups=9,routers=4,hosts=2,global=2")
	larger := network(t, "dragonfly:groups=17,routers=8,hosts=4,global=2")
	hyperx, small := network(t, "hyperx:6x6,hosts=4"), network(t, "hyperx:4x4,hosts=4")
	nextGroup := pattern{dragonfly, func(from, to int32) bool { return to/4 == (from/4+1)%9 }}
	nextOfLarger := pattern{larger, func(from, to int32) bool { return to/8 == (from/8+1)%17 }}
	nextSwitch := pattern{hyperx, func(from, to int32) bool { return to == from/6*6+(from+1)%6 }}
	nextOfSmall := pattern{small, func(from, to int32) bool { return to == from/4*4+(from+1)%4 }}
	packets := tier.Cases(1500, 1500, 2000)
	for _, c := range []struct {
		pattern
		routing evalsim.Routing
		buffer  int     // packets of room
		bound   float64 // of the links between switches, in shares of the hosts' rate
		within  float64 // of bound, relative
		carried float64 // without loss, as a share of the lesser of bound and 1
		held    float64 // at least, when 1.3 times as much is offered as can be carried, likewise
	}{
		{pattern{dragonfly, nil}, evalsim.Adaptive, 16, 1.05, 0.03, 0.85, 0.95},
		{pattern{dragonfly, nil}, evalsim.UGAL, 16, 1.05, 0.03, 0.85, 0.95},
		{nextGroup, evalsim.Adaptive, 16, 1. / 8, 1e-9, 0.9, 0.99},
		{nextGroup, evalsim.Valiant, 16, 0.5, 0.06, 0.85, 0.96},
		// Output queues of a switch hold what its input buffers have room for: with room for
		// 4 packets they stay so short that the bias keeps packets on the full way.
		{nextGroup, evalsim.UGAL, 4, 9. / 16, 0.06, 0.8, 0.84},
		{nextGroup, evalsim.UGAL, 16, 9. / 16, 0.06, 0.85, 0.95},
		{nextGroup, evalsim.UGAL, 64, 9. / 16, 0.06, 0.85, 0.96},
		{nextOfLarger, evalsim.UGAL, 16, 17. / 64, 0.03, 0.85, 0.94},
		{pattern{hyperx, nil}, evalsim.Adaptive, 16, 1.5, 0.01, 0.85, 0.95},
		{pattern{hyperx, nil}, evalsim.UGAL, 16, 1.5, 0.01, 0.85, 0.95},
		{nextSwitch, evalsim.Adaptive, 16, 1. / 4, 1e-9, 0.9, 0.99},
		{nextSwitch, evalsim.Valiant, 16, 0.75, 0.06, 0.85, 0.96},
		{nextSwitch, evalsim.UGAL, 4, 6. / 8, 0.06, 0.85, 0.95},
		{nextSwitch, evalsim.UGAL, 16, 6. / 8, 0.06, 0.85, 0.95},
		{nextOfSmall, evalsim.UGAL, 16, 4. / 8, 0.06, 0.85, 0.95},
	}[:tier.Cases(4, 15, 15)] {
		name := fmt.Sprintf("%s, %v, adversarial %v, room for %d packets",
			c.top.Name, c.routing, c.next != nil, c.buffer)
		detour := c.routing == evalsim.Valiant || c.routing == evalsim.UGAL && c.next != nil
		bound := 1 / expectedLoad(c.top, c.demand(), detour)
		near(t, name+": bound from the routes", bound/c.bound, 1, c.within)
		if c.routing == evalsim.UGAL {
			bound = c.bound
		}
		bound = min(1, bound)
		for _, part := range []float64{c.carried, 1.3} {
			const first, settled = 300, 1000
			o := evalsim.DefaultOptions()
			o.Routing, o.BufferBytes = c.routing, c.buffer*o.PacketBytes
			each := interval(o, part*bound)
			p := poissonPackets(c.top, o, part*bound, packets, c.draw())
			rates := throughputs(t, c.top, p, o, float64(o.PacketBytes),
				[2]float64{0.4 * first * each, 0.85 * first * each},
				[2]float64{settled * each, 0.95 * float64(packets) * each})
			got := rates[1]
			t.Logf("%s: bound %.4f, offered %.4f, accepted %.4f of the hosts' rate, within %d packets %.4f",
				name, bound, part*bound, got, first, rates[0])
			chance := 4 / math.Sqrt((0.95*float64(packets)-settled)*float64(c.top.Hosts()))
			switch {
			case got > bound*(1+chance):
				t.Errorf("%s: offered %g of the hosts' rate, accepted %g; bound %g", name, part*bound, got, bound)
			case part < 1 && math.Abs(got/(part*bound)-1) > chance+0.005:
				t.Errorf("%s: offered %g of the hosts' rate, accepted %g", name, part*bound, got)
			case part > 1 && got < c.held*bound:
				t.Errorf("%s: offered %g of the hosts' rate, accepted %g, want %g", name, part*bound, got, c.held*bound)
			}
		}
	}
}

// At a tenth of the hosts' rate no shortest way has a queue, and UGAL sends hardly any
// packet by another.
func TestDetoursAtLowLoad(t *testing.T) {
	tier.Long(t, "a sweep of simulations: two seconds")
	t.Parallel()
	for _, spec := range []string{"dragonfly:groups=9,routers=4,hosts=2,global=2",
		"dragonfly:groups=17,routers=8,hosts=4,global=4", "hyperx:6x6,hosts=4"} {
		top := network(t, spec)
		hops := func(routing evalsim.Routing) float64 {
			o := evalsim.DefaultOptions()
			o.Routing, o.Sampling = routing, sampling.Variant{}
			p := poissonPackets(top, o, 0.1, 200, toAnyOther(top.Hosts()))
			r := run(t, top, p, o)
			return float64(r.PacketHops) / float64(r.Packets)
		}
		shortest, ugal := hops(evalsim.Adaptive), hops(evalsim.UGAL)
		t.Logf("%s: %.4f links a packet, on shortest ways %.4f", spec, ugal, shortest)
		if ugal < shortest || ugal > 1.003*shortest {
			t.Errorf("%s: UGAL crosses %g links a packet, %g are there on shortest ways", spec, ugal, shortest)
		}
	}
}
