package mapping

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/topology"
)

// linkSets are all sets of links that PathSeconds looks at: length links, the numbers
// of the sets that a link is in; of each the rate and the key: level and both groups, or
// 0 and both switches.
func linkSets(machine *topology.Topology) (of [][]int, rates []float64, keys [][3]int32) {
	of = make([][]int, len(machine.Links))
	numbers := map[[3]int32]int{}
	for l, link := range machine.Links {
		if machine.IsHost(link.From) || machine.IsHost(link.To) {
			continue
		}
		its := [][3]int32{{0, link.From, link.To}}
		for i := range machine.Levels {
			host := func(node int32) int32 { // the first host of a switch
				first, _ := machine.Out(node)
				return machine.Links[first].To
			}
			a, b := host(link.From), host(link.To)
			if g := machine.Levels[i].Group; i > 0 && machine.IsHost(a) && machine.IsHost(b) && g[a] != g[b] {
				its = append(its, [3]int32{int32(i), g[a], g[b]})
			}
		}
		for _, key := range its {
			n, known := numbers[key]
			if !known {
				n = len(rates)
				numbers[key], rates, keys = n, append(rates, 0), append(keys, key)
			}
			of[l] = append(of[l], n)
			rates[n] += link.BytesPerSecond
		}
	}
	return of, rates, keys
}

// paths calls visit with the links of every shortest path from a switch to another.
func paths(machine *topology.Topology, at, to int32, before []int32, visit func([]int32)) {
	if at == to {
		visit(before)
		return
	}
	for _, l := range machine.MinimalNext(nil, machine.NodeOf(at), to) {
		paths(machine, machine.SwitchOf(machine.Links[l].To), to, append(before[:len(before):len(before)], l),
			visit)
	}
}

// byPaths is PathSeconds under minimal routing with every path listed: bytes count for a
// set of links that all paths have a link of, and for links between groups if these are
// those of both ends.
func byPaths(machine *topology.Topology, a *Allocation, traffic *commgraph.Traffic,
	m Mapping) (most float64) {
	of, rates, keys := linkSets(machine)
	bytes, hosts := make([]float64, len(rates)), m.Hosts(a)
	for r := range int32(len(m)) {
		for i, end := traffic.Row(r); i < end; i++ {
			all, meets := 0, make([]int, len(rates))
			paths(machine, machine.LeafSwitch(hosts[r]), machine.LeafSwitch(hosts[traffic.Destinations[i]]), nil,
				func(path []int32) {
					all++
					met := map[int]bool{}
					for _, l := range path {
						for _, n := range of[l] {
							met[n] = true
						}
					}
					for n := range met {
						meets[n]++
					}
				})
			for n, count := range meets {
				ends := true
				if key := keys[n]; key[0] > 0 {
					g := machine.Levels[key[0]].Group
					ends = g[hosts[r]] == key[1] && g[hosts[traffic.Destinations[i]]] == key[2]
				}
				if count == all && ends {
					bytes[n] += float64(traffic.Bytes[i])
				}
			}
		}
	}
	for n := range bytes {
		most = max(most, bytes[n]/rates[n])
	}
	return most
}

// PathSeconds is what a list of all paths gives, on networks of any kind but intact
// trees; with some cables failed or slow, too.
func TestPathSecondsAgainstAllPaths(t *testing.T) {
	specs := []string{"torus:4x3x2", "torus:4x4", "torus:2x2,double=true", "mesh:3x3,hosts=2", "hyperx:3x4",
		"hyperx:2x3x2,hosts=2",
		"dragonfly:groups=4,routers=3,hosts=2,global=1", "dragonfly:groups=3,routers=2,hosts=2,global=3",
		"dragonfly:groups=5,routers=4,hosts=1,global=2"}
	rapid.Check(t, func(t *rapid.T) {
		machine := mustNetwork(t, rapid.SampledFrom(specs).Draw(t, "network"))
		for range rapid.IntRange(0, 2).Draw(t, "failures") {
			l := rapid.IntRange(0, len(machine.Links)-1).Draw(t, "link")
			machine.Links[l].BytesPerSecond /= 2
			if less, err := topology.Degrade(machine, []string{strconv.Itoa(l)}, nil); err == nil {
				machine = less
			}
		}
		ranks := rapid.IntRange(2, machine.Hosts()).Draw(t, "ranks")
		m, traffic := drawMapping(t, ranks, machine.Hosts()), drawTraffic(t, ranks)
		a := allHosts(machine)
		got, want := MinimalRouting.PathSeconds(machine, a, traffic, m), byPaths(machine, a, traffic, m)
		if math.Abs(got-want) > 1e-9*want {
			t.Fatalf("%s: %g s, with all paths listed %g", machine.Name, got, want)
		}
	})
}

// By hand: a dragonfly of 4 groups of 3 routers with 2 hosts and one global link each, so
// that one global link joins any two groups. Ranks 0 to 5 of group 0 send 1000 bytes each
// to group 1, where the shortest paths of all lead over that link: 6 messages. All links
// of group 0 to other groups together would take them in 2. Of group 0 to groups 1 and 2
// in turn, 3 messages a link.
func TestPathSecondsOfDragonfly(t *testing.T) {
	const message = 1000 / 12.5e9
	machine := mustNetwork(t, "dragonfly:groups=4,routers=3,hosts=2,global=1")
	for _, c := range []struct {
		name    string
		to      func(r int32) int32
		routing RoutingModel
		want    float64 // messages
	}{
		{"to one group", func(r int32) int32 { return 6 + r }, MinimalRouting, 6},
		{"to two groups", func(r int32) int32 { return 6 + r + r%2*6 }, MinimalRouting, 3},
		{"static", func(r int32) int32 { return 6 + r }, StaticRouting, 6},
		{"longer paths", func(r int32) int32 { return 6 + r }, ValiantRouting, 0},
		{"not known", func(r int32) int32 { return 6 + r }, AnyRouting, 0},
		{"within a group, between neighbours on each router", func(r int32) int32 { return r ^ 1 },
			MinimalRouting, 0},
		{"within a group, both hosts of a router to the next one", func(r int32) int32 { return (r + 2) % 6 },
			MinimalRouting, 2},
	} {
		var flows []commgraph.Flow
		for r := range int32(6) {
			flows = append(flows, commgraph.Flow{From: r, To: c.to(r), Bytes: 1000})
		}
		traffic, err := commgraph.NewTraffic(machine.Hosts(), flows, false)
		if err != nil {
			t.Fatal(err)
		}
		got := c.routing.PathSeconds(machine, allHosts(machine), traffic, Identity(machine.Hosts()))
		if math.Abs(got/message-c.want) > 1e-9 {
			t.Errorf("%s: %g messages, by hand %g", c.name, got/message, c.want)
		}
	}
}

// Two cables between two groups share what goes between them, on whatever routers they
// end; and a line of a HyperX shares its links to the next line.
func TestPathSecondsOfSharedLinks(t *testing.T) {
	const message = 1000 / 12.5e9
	for _, c := range []struct {
		spec     string
		from, to []int32
		want     float64 // messages
	}{
		// Groups of 2 routers with one host: 2 global links a pair of groups, 2 messages.
		{"dragonfly:groups=3,routers=2,hosts=1,global=2", []int32{0, 1}, []int32{2, 3}, 1},
		// 2 switches a line, each with 2 hosts: 4 messages to the line above over 2 links.
		{"hyperx:2x3,hosts=2", []int32{0, 1, 2, 3}, []int32{4, 6, 5, 7}, 2},
		// Half-way round the first ring there are two paths, which meet where the second
		// ring begins; its link takes both messages.
		{"torus:4x4,hosts=2", []int32{0, 1}, []int32{12, 13}, 2},
	} {
		machine := mustNetwork(t, c.spec)
		var flows []commgraph.Flow
		for i, from := range c.from {
			flows = append(flows, commgraph.Flow{From: from, To: c.to[i], Bytes: 1000})
		}
		traffic, err := commgraph.NewTraffic(machine.Hosts(), flows, false)
		if err != nil {
			t.Fatal(err)
		}
		got := MinimalRouting.PathSeconds(machine, allHosts(machine), traffic, Identity(machine.Hosts()))
		if math.Abs(got/message-c.want) > 1e-9 {
			t.Errorf("%s: %g messages, by hand %g", c.spec, got/message, c.want)
		}
	}
}

// Hosts with two rails, static routing: hosts 0 and 1 send to hosts 4 and 6 of the other
// leaf switch, all over the first of its two links up. Of two rails to one leaf switch it
// carries both messages, whichever rails they take. Where each rail leads to a leaf switch
// of its own, no link must carry either.
func TestPathSecondsOfRails(t *testing.T) {
	const message = 1000 / 12.5e9
	flows := []commgraph.Flow{{From: 0, To: 4, Bytes: 1000}, {From: 1, To: 6, Bytes: 1000}}
	for spec, want := range map[string]float64{
		"xgft:down=4x2,up=1x2": 2, "xgft:down=4x2,up=1x2,parallel=2x1": 2, "xgft:down=4x2,up=2x2": 0,
	} {
		machine := mustNetwork(t, spec)
		traffic, err := commgraph.NewTraffic(8, flows, false)
		if err != nil {
			t.Fatal(err)
		}
		got := StaticRouting.PathSeconds(machine, allHosts(machine), traffic, Identity(8))
		if math.Abs(got/message-want) > 1e-9 {
			t.Errorf("%s: %g messages, by hand %g", spec, got/message, want)
		}
	}
}
