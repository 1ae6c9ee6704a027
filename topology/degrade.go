package topology

import (
	"fmt"
	"slices"

	"remap/input"
)

// Degrade gives the network that is left when cables fail or are slowed; t is
// not changed. It keeps hosts, switches, names, ports, levels and the order of
// the remaining links; link indexes close up, and LinkNumber has the old ones.
//
// Each of failed is a LINK, each of slowed LINK=FRACTION, FRACTION above 0 and
// below 1 being the share of the rate that is left. Both mean cables, in both
// directions. A LINK is
//   - a number, as in the first column of a links file (LinkNumber): the cable
//     of that link;
//   - NAME:NAME, two neighbours: all cables between them;
//   - NAME:NAME/K: the one of these that is the K-th, from 0, in order of ports
//     at the node named first;
//   - NAME, a switch (failed only): all its cables.
//
// Text of digits alone is always a number. Names may hold colons and slashes:
// every colon is tried as the one between two names, and a text that can be
// read in two ways is an error. A cable that is both failed and slowed fails.
//
// Slowed links keep the routes. Where links between switches fail, packets are
// routed anew, without deadlock:
//   - Trees and networks from files by up*/down* tables (see upDown) in the order
//     they had, which in a tree is that of its levels: all paths that go up and
//     then down stay, and a network in which no such path is left for some pair
//     gets another order.
//   - Other networks keep their own way wherever all of it is left, and elsewhere
//     take a shortest path to where it is (see detours). Dragonflies and HyperX
//     keep a virtual channel per hop; grids get one more for every link off the
//     way, and with the channels more buffers: 3 instead of 2 on torus:8x8x8 with
//     one failed cable in the first dimension, 5 in the others.
//   - If that took more than 16 virtual channels, they too get up*/down* tables,
//     which make ways longer and crowd the links near the root: torus:8x8x8 with
//     one failed cable has 6.77 links between switches on the mean path by tables
//     and 6.01 by detours, as without a failure, and if everybody sends to
//     everybody, the busiest link carries 6173 and 777 units, 640 without a failure.
//
// Detours are kept beside the routes of before, as pairs of a switch and a
// destination: one failed cable of torus:24x24x24 changes few. They are for
// 65536 switches at most; tables, with an entry for every pair, for 16384.
//
// Errors, *input.Error without a file, are a LINK that means nothing (with the
// nearest name), a fraction out of bounds, and failures that leave some hosts
// without a path between them, by name.
func Degrade(t *Topology, failed, slowed []string) (*Topology, error) {
	if len(failed) == 0 && len(slowed) == 0 {
		return t, nil
	}
	f := newFaults(t)
	for _, text := range failed {
		if err := f.fail(text); err != nil {
			return nil, err
		}
	}
	for _, text := range slowed {
		if err := f.slow(text); err != nil {
			return nil, err
		}
	}
	d := *t
	d.Links = slices.Clone(t.Links)
	for l, share := range f.share {
		if share > 0 {
			d.Links[l].BytesPerSecond *= share
		}
	}
	if slices.Contains(f.failed, true) {
		if err := d.without(t, f.failed); err != nil {
			return nil, err
		}
	}
	return &d, d.Check()
}

// LinkNumber is the link's index in the network before any cable failed
// (Degrade); in a network without failures the index itself.
func (t *Topology) LinkNumber(link int32) int32 {
	if t.Origin == nil {
		return link
	}
	return t.Origin[link]
}

// without takes the failed links out of a copy of a network.
func (t *Topology) without(whole *Topology, failed []bool) error {
	kept := make([]int32, len(failed)) // new index, -1 = failed
	links, between := t.Links[:0], false
	t.Origin = make([]int32, 0, len(failed))
	if t.Ports != nil {
		t.Ports = make([]FabricPort, 0, len(failed))
	}
	for l, gone := range failed {
		kept[l] = -1
		if gone {
			between = between || !t.IsHost(whole.Links[l].From) && !t.IsHost(whole.Links[l].To)
			continue
		}
		kept[l] = int32(len(links))
		t.Origin = append(t.Origin, whole.LinkNumber(int32(l)))
		if t.Ports != nil {
			t.Ports = append(t.Ports, whole.Ports[l])
		}
		links = append(links, t.Links[l])
	}
	t.Links = links
	t.reverse = make([]int32, len(links))
	t.firstLink = make([]int32, len(whole.firstLink))
	for l, k := range kept {
		if k >= 0 {
			t.reverse[k] = kept[whole.reverse[l]]
			t.firstLink[links[k].From+1]++
		}
	}
	for v := range len(t.firstLink) - 1 {
		t.firstLink[v+1] += t.firstLink[v]
	}
	if cut := t.cutOff(t.parts()); cut != nil {
		return t.partitioned(cut)
	}
	return t.reroute(whole, kept, between)
}

func (t *Topology) partitioned(cut []int32) error {
	e := &input.Error{Hint: "every host must stay connected: fail fewer links, " +
		"or leave a host that is down in the network and out of the jobs"}
	if len(cut) == 1 {
		e.Reason = "the failed links cut off one host from others: " + t.HostNames[cut[0]]
	} else {
		e.Reason = fmt.Sprintf("the failed links cut off %d of %d hosts from others: %s", len(cut), t.Hosts(),
			t.someHosts(cut))
	}
	return e
}

// reroute sets distance and Routes; kept is the new index of every link of the
// whole network, between says whether links between switches failed.
func (t *Topology) reroute(whole *Topology, kept []int32, between bool) error {
	own := whole.Routes
	if !between && own.HyperX == nil {
		t.Routes = own.renumbered(kept)
		return nil
	}
	if order := whole.order(); order != nil || !t.detour(whole, kept) {
		if err := t.routeUpDown(order); err != nil {
			return &input.Error{Reason: "no routes around the failed links: " + err.Error(),
				Hint: "fail no links, or take a smaller network", Err: err}
		}
	}
	if own.StaticDivisor != nil {
		t.Routes.StaticDivisor = own.StaticDivisor
	}
	return nil
}

// renumbered are the routes after other links have been taken out.
func (r *Routes) renumbered(kept []int32) *Routes {
	same := *r
	same.Channels = make([]int32, len(r.Channels))
	for i, c := range r.Channels {
		same.Channels[i] = kept[c/r.VirtualChannels]*r.VirtualChannels + c%r.VirtualChannels
	}
	return &same
}

// order is the place of every switch in the order in which no packet goes up
// after it has gone down; nil when the network is not routed so.
func (t *Topology) order() []int32 {
	switch d := t.distance.(type) {
	case *tree:
		return ascending(t.Switches()) // numbered level by level
	case *upDown:
		return d.rank
	}
	return nil
}
