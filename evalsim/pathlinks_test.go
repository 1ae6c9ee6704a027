package evalsim_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"remap/evalsim"
	"remap/topology"
	"remap/workload"
)

// has tells whether a link is in a set.
func has(set []topology.LinkRange, link int32) bool {
	return slices.ContainsFunc(
		set,
		func(r topology.LinkRange) bool { return link >= r.First && link < r.First+r.Count },
	)
}

var (
	minimalRoutings = []evalsim.Routing{
		evalsim.Adaptive,
		evalsim.TwoChoices,
		evalsim.RandomPacket,
		evalsim.FlowHash,
		evalsim.Static,
	}
	longerRoutings = []evalsim.Routing{evalsim.Valiant, evalsim.UGAL}
)

// delivered runs a program with sampling of whole links.
func delivered(
	t testing.TB,
	top *topology.Topology,
	p *workload.Program,
	routing evalsim.Routing,
	take func(d *evalsim.Delivery) error,
) {
	t.Helper()
	o := evalsim.DefaultOptions()
	o.Routing = routing
	s, err := evalsim.New(top, []evalsim.Job{{Program: p, Hosts: identity(p.Ranks())}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RepeatDelivered(context.Background(), 0, 1, 1, nil,
		func(_ int, some []evalsim.Delivery) error {
			for i := range some {
				if err := take(&some[i]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
		t.Fatalf("%s routing: %v", routing, err)
	}
}

// Whatever the network and the routing, what a packet has sampled is among the
// links that it may cross, and a minimal way is as long as Place says.
func TestSamplesAreInPathLinks(t *testing.T) {
	tree := network(t, "fattree:nodes-per-leaf=3,leaves-per-pod=3,pods=3,aggs-per-pod=2,cores=4,up=4")
	torus, fly, cube := network(
		t,
		"torus:4x3x2,hosts=2",
	), network(
		t,
		"dragonfly:groups=5,routers=4,hosts=2,global=2",
	), network(
		t,
		"hyperx:4x3,hosts=3",
	)
	for name, top := range map[string]*topology.Topology{
		"tree": tree, "xgft": network(t, "xgft:down=2x3x2,up=1x2x2,"+
			"parallel=1x2x1"), "two rails": network(t, "xgft:down=3x3,up=2x2"), "mesh": network(t, "mesh:3x4,hosts=2"),
		"torus": torus, "dragonfly": fly, "hyperx": cube, "fabric": planes(t, 5, 3, 2),
		"tree with failures": failed(t, tree, between(tree, 3), between(tree, 20)), "torus with " +
			"failures": failed(t, torus, between(torus, 3), between(torus, 40)),
		"dragonfly with failures": failed(t, fly, between(fly, 1), between(fly, 44)), "hyperx with " +
			"failures": failed(t, cube, between(cube, 0), between(cube, 25)),
	} {
		t.Run(name, func(t *testing.T) {
			routings := minimalRoutings
			if top.Routes.Intermediate != nil {
				routings = slices.Concat(minimalRoutings, longerRoutings)
			}
			p, err := workload.ParsePattern(fmt.Sprintf("uniform:%d,bytes=20000,rounds=8", top.Hosts()))
			if err != nil {
				t.Fatal(err)
			}
			for _, routing := range routings {
				paths := topology.NewPathLinks(top, slices.Contains(longerRoutings, routing))
				count, rails := 0, []topology.Rails(nil)
				delivered(t, top, p, routing, func(d *evalsim.Delivery) error {
					count++
					rails = top.NearestRails(rails, d.Source, d.Destination)
					if !slices.ContainsFunc(
						rails,
						func(r topology.Rails) bool { return mayBe(paths, r, d) },
					) {
						return fmt.Errorf(
							"a packet from %d to %d after %d links sampled link %d and congested link %d",
							d.Source,
							d.Destination,
							d.Hops,
							d.HopLink,
							d.CongestedLink,
						)
					}
					return nil
				})
				if count < 20*top.Hosts() {
					t.Errorf("%s: %d packets", routing, count)
				}
			}
		})
	}
}

// mayBe tells whether a packet may have gone by these rails.
func mayBe(paths *topology.PathLinks, r topology.Rails, d *evalsim.Delivery) bool {
	set := paths.Between(r.Injection, r.Ejection)
	if !has(set, d.HopLink) || d.CongestedLink >= 0 && !has(set, d.CongestedLink) {
		return false
	}
	place, length := paths.Place(r.Injection, r.Ejection, d.HopLink)
	return place == 0 && length == 0 || place >= 1 && place <= length && length == int(d.Hops)
}

// The set is no larger than it must be: of many packets between two hosts, some
// sample every link of it where the routing is random.
func TestPathLinksAreAllSampled(t *testing.T) {
	tree, fly, cube := network(
		t,
		"fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=4",
	), network(
		t,
		"dragonfly:groups=4,routers=3,hosts=1,global=2",
	), network(
		t,
		"hyperx:3x3x2",
	)
	for _, c := range []struct {
		name    string
		top     *topology.Topology
		routing evalsim.Routing
	}{
		{"tree", tree, evalsim.RandomPacket}, {"tree with a " +
			"failure", failed(t, tree, between(tree, 1)), evalsim.RandomPacket},
		{"dragonfly", fly, evalsim.RandomPacket}, {"hyperx", cube, evalsim.RandomPacket},
		{"dragonfly", fly, evalsim.Valiant}, {"hyperx", cube, evalsim.Valiant},
		{"dragonfly with a failure", failed(t, fly, between(fly, 7)), evalsim.Valiant}, {"hyperx with a " +
			"failure", failed(t, cube, between(cube, 4)), evalsim.Valiant},
	} {
		last := int32(c.top.Hosts() - 1)
		paths := topology.NewPathLinks(c.top, c.routing == evalsim.Valiant)
		first, _ := c.top.Out(0)
		set := paths.Between(first, c.top.Ejection(last)[0])
		sampled := map[int32]bool{}
		delivered(
			t,
			c.top,
			program(c.top.Hosts(), [3]int{0, int(last), 6000 * 4096}),
			c.routing,
			func(d *evalsim.Delivery) error { sampled[d.HopLink] = true; return nil },
		)
		want := 0
		for _, r := range set {
			for l := r.First; l < r.First+r.Count; l++ {
				if want++; !sampled[l] {
					t.Errorf(
						"%s, %s routing: of 6000 packets none sampled link %d, which is in the set",
						c.name,
						c.routing,
						l,
					)
				}
			}
		}
		if len(sampled) != want {
			t.Errorf("%s, %s routing: %d links sampled, %d in the set", c.name, c.routing, len(sampled), want)
		}
	}
}
