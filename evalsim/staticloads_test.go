package evalsim_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// staticBytes is what mapping expects of every link: length links.
func staticBytes(t rapid.TB, top *topology.Topology, p *workload.Program, hosts []int32,
	routing evalsim.Routing) []float64 {
	t.Helper()
	traffic, err := p.Traffic()
	if err != nil {
		t.Fatal(err)
	}
	a := &mapping.Allocation{Hosts: identity(top.Hosts()), Slots: make([]int32, top.Hosts())}
	var m mapping.Mapping
	for h := range a.Slots {
		a.Slots[h] = int32(len(hosts))
	}
	for r, h := range hosts {
		m = append(m, h*int32(len(hosts))+int32(r))
	}
	loads := mapping.RoutingNamed(routing.String()).LinkLoads(top, a, traffic, m)
	for l := range loads {
		loads[l] *= top.Links[l].BytesPerSecond
	}
	return loads
}

// With static routing the static loads are what is simulated, to the byte, on every
// link of any network whose hosts have one rail.
func TestStaticRoutingLoads(t *testing.T) {
	check(t, func(t *rapid.T) {
		top, p, hosts, o := randomCase(t)
		for h := range int32(top.Hosts()) {
			if len(top.Ejection(h)) > 1 {
				t.Skip("rails take turns")
			}
		}
		o.Routing = evalsim.Static
		r := runJobs(t, top, []evalsim.Job{{Program: p, Hosts: hosts}}, o)
		for l, bytes := range staticBytes(t, top, p, hosts, evalsim.Static) {
			if math.Abs(bytes-float64(r.Links[l].Bytes)) > 0.01 {
				t.Fatalf("%s: link %d from %s to %s carries %d bytes, expected are %g", top.Name, l,
					top.NodeName(top.Links[l].From), top.NodeName(top.Links[l].To), r.Links[l].Bytes, bytes)
			}
		}
	})
}

// The busiest link between switches, by hand and simulated, under static routing.
func TestBusiestStaticLink(t *testing.T) {
	shift := func(ranks, by int) (p *workload.Program) {
		var sends [][3]int
		for r := range ranks {
			sends = append(sends, [3]int{r, (r + by) % ranks, 1000})
		}
		return program(ranks, sends...)
	}
	for _, c := range []struct {
		name, spec string
		p          *workload.Program
		want       float64 // messages of 1000 bytes
	}{
		// Both messages go to even hosts, and so over the first of two links up. Equal shares are 1.
		{"leaf switches", "fattree:nodes-per-leaf=4,leaves-per-pod=2,pods=1,aggs-per-pod=2,cores=0",
			program(8, [3]int{0, 4, 1000}, [3]int{1, 6, 1000}), 2},
		// Every host has an up-link of its own toward each host of the other leaf.
		{"shift by a leaf", "fattree:nodes-per-leaf=4,leaves-per-pod=2,pods=1,aggs-per-pod=4," +
			"cores=0", shift(8, 4), 1},
		// Half-way round: 8 messages of 4 links over 16 links of the ring. Ties alternate.
		{"half a ring", "torus:8", shift(8, 4), 2},
		// Dimension order: all go 2 to one side in the first dimension.
		{"a third of a ring", "torus:6x4", shift(6, 2), 2},
	} {
		top := network(t, c.spec)
		o := options(func(o *evalsim.Options) { o.Routing = evalsim.Static })
		r, most, expected := run(t, top, c.p, o), int64(0), 0.0
		for l, bytes := range staticBytes(t, top, c.p, identity(c.p.Ranks()), evalsim.Static) {
			if link := &top.Links[l]; !top.IsHost(link.From) && !top.IsHost(link.To) {
				most, expected = max(most, r.Links[l].Bytes), max(expected, bytes)
			}
		}
		if math.Abs(expected-1000*c.want) > 1e-6 || most != int64(1000*c.want) {
			t.Errorf("%s: the busiest link carries %d bytes, expected are %g, by hand %g",
				c.name, most, expected, 1000*c.want)
		}
	}
}

// Over seeds, the mean of the bytes of every link is the expectation: of flows that
// hash their path, of packets that draw it, and of Valiant routing where the shortest
// path to every switch is the only one. Means lie within 5 standard errors, and their
// squares in these units are 1 on average over links.
func TestExpectedLoads(t *testing.T) {
	const sends = 400
	seeds := float64(tier.Cases(100, 300, 300))
	tree, ring := "fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=4", "torus:4x4"
	for _, c := range []struct {
		spec    string
		routing evalsim.Routing
	}{
		{tree, evalsim.FlowHash}, {tree, evalsim.RandomPacket}, {ring, evalsim.FlowHash},
		{"dragonfly:groups=4,routers=2,hosts=2,global=4", evalsim.FlowHash}, {"hyperx:3x3", evalsim.FlowHash},
		{"hyperx:6,hosts=2", evalsim.Valiant}, {"dragonfly:groups=4,routers=3,hosts=1,global=1", evalsim.Valiant},
	} {
		top, random := network(t, c.spec), rand.New(rand.NewPCG(3, 4))
		var list [][3]int
		for range sends {
			list = append(list, [3]int{random.IntN(top.Hosts()), random.IntN(top.Hosts()), 500 + random.IntN(9000)})
		}
		p := program(top.Hosts(), list...)
		sums, squares := make([]float64, len(top.Links)), make([]float64, len(top.Links))
		expected := staticBytes(t, top, p, identity(top.Hosts()), c.routing)
		for seed := range uint64(seeds) {
			r := run(t, top, p, options(func(o *evalsim.Options) { o.Routing, o.Seed = c.routing, seed+1 }))
			for l := range sums {
				d := float64(r.Links[l].Bytes) - expected[l]
				sums[l] += d
				squares[l] += d * d
			}
		}
		varying, chi := 0.0, 0.0
		for l, sum := range sums {
			mean := sum / seeds
			sigma := math.Sqrt(max(0, squares[l]/seeds-mean*mean) / (seeds - 1))
			if sigma > 0.1 {
				varying++
				chi += mean * mean / (sigma * sigma)
			}
			if math.Abs(mean) > 5*sigma+0.1 {
				t.Errorf("%s, %v: link %d carries %g bytes more than the %g expected, sigma %g",
					c.spec, c.routing, l, mean, expected[l], sigma)
			}
		}
		if varying < 4 || chi/varying > 2 {
			t.Errorf("%s, %v: %g links vary, mean squared error in standard errors %.2f",
				c.spec, c.routing, varying, chi/varying)
		}
	}
}
