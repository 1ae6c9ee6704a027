package evalsim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"remap/evalsim"
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
// the pattern. UGAL is to come near the better of both without being told. On a
// HyperX the adversary sends all that a switch of p hosts has over one link.
func TestSaturationWithDetours(t *testing.T) {
	dragonfly, hyperx := network(t, "dragonfly:groups=9,routers=4,hosts=2,global=2"), network(t, "hyperx:6x6,hosts=4")
	nextGroup := pattern{dragonfly, func(from, to int32) bool { return to/4 == (from/4+1)%9 }}
	nextSwitch := pattern{hyperx, func(from, to int32) bool { return to == from/6*6+(from+1)%6 }}
	for _, c := range []struct {
		pattern
		routing evalsim.Routing
		bound   float64 // of the links between switches, in shares of the hosts' rate; 0 = depends on what UGAL does
		within  float64 // of bound, relative
		carried float64 // without loss, as a share of the lesser of bound and 1
	}{
		{pattern{dragonfly, nil}, evalsim.Adaptive, 1.05, 0.03, 0.85},
		{pattern{dragonfly, nil}, evalsim.UGAL, 0, 0, 0.75},
		{nextGroup, evalsim.Adaptive, 1. / 8, 1e-9, 0.9},
		{nextGroup, evalsim.Valiant, 0.5, 0.06, 0.85},
		{nextGroup, evalsim.UGAL, 0, 0, 0.4},
		{pattern{hyperx, nil}, evalsim.Adaptive, 1.5, 0.01, 0.85},
		{nextSwitch, evalsim.Adaptive, 1. / 4, 1e-9, 0.9},
		{nextSwitch, evalsim.Valiant, 0.75, 0.06, 0.85},
		{nextSwitch, evalsim.UGAL, 0, 0, 0.6},
	} {
		name := fmt.Sprintf("%s, %v, adversarial %v", c.top.Name, c.routing, c.next != nil)
		bound := 1.0
		if c.bound > 0 {
			bound = 1 / expectedLoad(c.top, c.demand(), c.routing == evalsim.Valiant)
			near(t, name+": bound from the routes", bound/c.bound, 1, c.within)
			bound = min(1, bound)
		}
		for _, part := range []float64{c.carried, 1.3} {
			const packets = 300
			o := evalsim.DefaultOptions()
			o.Routing = c.routing
			got := accepted(t, c.top, o, part*bound, packets, c.draw())
			t.Logf("%s: bound %.4f, offered %.4f, accepted %.4f of the hosts' rate", name, bound, part*bound, got)
			chance := 4 / math.Sqrt(0.45*float64(packets*c.top.Hosts()))
			if got > bound*(1+chance) || part < 1 && math.Abs(got/(part*bound)-1) > chance+0.005 {
				t.Errorf("%s: offered %g of the hosts' rate, accepted %g; bound %g", name, part*bound, got, bound)
			}
		}
	}
}
