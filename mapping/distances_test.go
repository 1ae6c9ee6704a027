package mapping

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/topology"
)

// pricedNetworks are small ones of every kind of route.
var pricedNetworks = []string{
	"torus:4x3", "torus:4x4x2,hosts=2,double=true", "mesh:3x3",
	"fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=3,aggs-per-pod=2,cores=4",
	"dragonfly:routers=4,hosts=2,global=2,groups=5",
	"hyperx:3x4,hosts=2",
}

func drawPrices(t *rapid.T, machine *topology.Topology) []float64 {
	n := len(machine.Links)
	prices := make([]float64, n)
	for l, price := range rapid.SliceOfN(rapid.IntRange(0, 900), n, n).Draw(t, "prices") {
		prices[l] = float64(price) / 100
	}
	return prices
}

// irregular is a dragonfly as a fabric file has it: routed by table, some paths
// longer than the way back.
var irregular = sync.OnceValue(func() *topology.Topology {
	machine, err := topology.Parse("dragonfly:routers=4,hosts=2,global=2,groups=5")
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := topology.WriteIBNetDiscover(&file, machine); err != nil {
		panic(err)
	}
	if machine, err = topology.ReadIBNetDiscover("irregular", &file); err != nil {
		panic(err)
	}
	return machine
})

func drawPriced(t *rapid.T) *topology.Topology {
	switch rapid.IntRange(0, 3).Draw(t, "kind of network") {
	case 0:
		return drawNetwork(t)
	case 1:
		return irregular()
	}
	return mustNetwork(t, rapid.SampledFrom(pricedNetworks).Draw(t, "spec"))
}

func mustDistances(t fataler, machine *topology.Topology, prices []float64) *Distances {
	t.Helper()
	d, err := NewDistances(machine, prices, 1)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func drawHosts(t *rapid.T, machine *topology.Topology) (a, b int32) {
	host := rapid.Int32Range(0, int32(machine.Hosts()-1))
	return host.Draw(t, "a"), host.Draw(t, "b")
}

func ones(n int, price float64) []float64 {
	prices := make([]float64, n)
	for l := range prices {
		prices[l] = price
	}
	return prices
}

// TestEqualPricesAreSwitches: whatever the price, if all links have the same.
func TestEqualPricesAreSwitches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := drawPriced(t)
		a, b := drawHosts(t, machine)
		price := rapid.Float64Range(1e-9, 1e9).Draw(t, "price")
		d := mustDistances(t, machine, ones(len(machine.Links), price))
		switches, back := machine.PathLength(a, b), machine.PathLength(b, a)
		if got, want := d.Between(a, b), DistanceScale*int64(switches+back)/2; got != want {
			t.Fatalf("%s, hosts %d and %d: %d, want %d", machine.Name, a, b, got, want)
		}
		if got, want := d.Price(a, b), price*float64(switches); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("%s, hosts %d and %d: price %g, want %g", machine.Name, a, b, got, want)
		}
	})
}

// walkPaths sums what all minimal paths from a node to a host cost, each with
// the share of the bytes that takes it. Links of hosts count half.
func walkPaths(machine *topology.Topology, prices []float64, node, to int32) float64 {
	leaf := machine.LeafSwitch(to)
	if machine.SwitchOf(node) == leaf {
		return prices[machine.Ejection(to)[0]] / 2
	}
	next := machine.MinimalNext(nil, node, leaf)
	sum := 0.0
	for _, l := range next {
		sum += (prices[l] + walkPaths(machine, prices, machine.Links[l].To, to)) / float64(len(next))
	}
	return sum
}

// TestPriceOfEveryPath: against all paths one by one.
func TestPriceOfEveryPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := drawPriced(t)
		prices := drawPrices(t, machine)
		a, b := drawHosts(t, machine)
		if a == b {
			return
		}
		injection, _ := machine.Out(a)
		want := prices[injection]/2 + walkPaths(machine, prices, machine.Links[injection].To, b)
		if got := mustDistances(t, machine, prices).Price(a, b); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("%s, hosts %d to %d: %g, all paths say %g", machine.Name, a, b, got, want)
		}
	})
}

// checkAgainstLoads tests that a byte pays where LinkLoads says it goes.
func checkAgainstLoads(t fataler, machine *topology.Topology, prices []float64, a, b int32) {
	if a == b {
		return
	}
	const bytes = 1 << 20
	traffic, err := commgraph.NewTraffic(2, []commgraph.Flow{{From: 0, To: 1, Bytes: bytes}}, false)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for l, seconds := range LinkLoads(machine, allHosts(machine), traffic, Mapping{a, b}) {
		link := &machine.Links[l]
		share := seconds * link.BytesPerSecond / bytes
		if machine.IsHost(link.From) || machine.IsHost(link.To) {
			share /= 2
		}
		want += share * prices[l]
	}
	if got := mustDistances(t, machine, prices).Price(a, b); math.Abs(got-want) > 1e-9*want {
		t.Helper()
		t.Fatal(machine.Name, "hosts", a, "to", b, "price", got, "by the loads", want)
	}
}

// TestPricesFollowTheLoads: on all networks, also where links have failed and on
// hosts of several rails.
func TestPricesFollowTheLoads(t *testing.T) {
	rails, err := topology.ReadIBNetDiscover("two rails", strings.NewReader(twoRails))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		machine := rails
		if rapid.IntRange(0, 3).Draw(t, "generated") > 0 {
			machine = failSome(t, drawPriced(t))
		}
		a, b := drawHosts(t, machine)
		checkAgainstLoads(t, machine, drawPrices(t, machine), a, b)
	})
}

// failSome takes some cables between switches out of a network, all at once or,
// if that parts hosts, none.
func failSome(t *rapid.T, machine *topology.Topology) *topology.Topology {
	var failed []string
	for range rapid.IntRange(0, 3).Draw(t, "failures") {
		l := rapid.IntRange(0, len(machine.Links)-1).Draw(t, "failed")
		if !machine.IsHost(machine.Links[l].From) && !machine.IsHost(machine.Links[l].To) {
			failed = append(failed, strconv.Itoa(l))
		}
	}
	if degraded, err := topology.Degrade(machine, failed, nil); err == nil {
		return degraded
	}
	return machine
}

// TestDearerLinksLowerNoPrice: and double prices are double prices, which
// change no distance.
func TestDearerLinksLowerNoPrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := failSome(t, drawPriced(t))
		prices := drawPrices(t, machine)
		dearer, double := slices.Clone(prices), slices.Clone(prices)
		for range rapid.IntRange(1, 4).Draw(t, "raised") {
			dearer[rapid.IntRange(0, len(prices)-1).Draw(t, "link")] += rapid.Float64Range(0, 100).Draw(t, "by")
		}
		for l := range double {
			double[l] *= 2
		}
		a, b := drawHosts(t, machine)
		before, after := mustDistances(t, machine, prices), mustDistances(t, machine, dearer)
		if before.Price(a, b) > after.Price(a, b) {
			t.Fatalf("%s, hosts %d to %d: %g, of dearer links %g", machine.Name, a, b, before.Price(a, b),
				after.Price(a, b))
		}
		if twice := mustDistances(t, machine, double); twice.Between(a, b) != before.Between(a, b) ||
			twice.Price(a, b) != 2*before.Price(a, b) {
			t.Fatalf("%s: doubling all prices changed a distance", machine.Name)
		}
		if machine.LeafSwitch(a) == machine.LeafSwitch(b) && a != b {
			sum, pair := before.Beside(a)+before.Beside(b), 2*before.Between(a, b)
			if sum-pair > 4 || pair-sum > 4 { // each is rounded by itself
				t.Fatalf("%s, hosts %d and %d of a leaf: beside %d and %d, "+
					"between %d", machine.Name, a, b, before.Beside(a), before.Beside(b), before.Between(a, b))
			}
		}
		if before.Between(a, b) != before.Between(b, a) || a == b && before.Between(a, b) != 0 {
			t.Fatalf("%s: %d there, %d back", machine.Name, before.Between(a, b), before.Between(b, a))
		}
	})
}

// TestRowsMakeRoom: with room for two rows all distances are what they were,
// also when several goroutines ask.
func TestRowsMakeRoom(t *testing.T) {
	machine := mustNetwork(t, "torus:4x4x2")
	prices := make([]float64, len(machine.Links))
	for l := range prices {
		prices[l] = float64(1 + l%7)
	}
	whole, narrow := mustDistances(t, machine, prices), mustDistances(t, machine, prices)
	narrow.rows.most = 2
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 4000 {
				a, b := int32(i*7+worker)%32, int32(i*11+i/32)%32
				if whole.Between(a, b) != narrow.Between(a, b) {
					t.Errorf("hosts %d and %d: %d with few rows, %d "+
						"with all", a, b, narrow.Between(a, b), whole.Between(a, b))
					return
				}
			}
		})
	}
	group.Wait()
	kept := 0
	for i := range narrow.rows.kept {
		if narrow.rows.kept[i].Load() != nil {
			kept++
		}
	}
	if kept != 2 {
		t.Errorf("%d rows are kept, there is room for 2", kept)
	}
}

// TestPricesAreChecked: lengths, signs, and sums beyond what int64 holds.
func TestPricesAreChecked(t *testing.T) {
	machine := mustNetwork(t, "torus:4x3")
	links := len(machine.Links)
	wrong := func(price float64) []float64 {
		prices := ones(links, 1)
		prices[3] = price
		return prices
	}
	for _, c := range []struct {
		prices []float64
		weight int64
		reason string
	}{
		{ones(links-1, 1), 1, "71 prices for 72 links"},
		{wrong(-1), 1, "has the price -1"},
		{wrong(math.NaN()), 1, "has the price NaN"},
		{wrong(math.Inf(1)), 1, "has the price +Inf"},
		{ones(links, 1), 1 << 60, "beyond what can be counted"},
		{wrong(1e15), 1 << 20, "beyond what can be counted"},
		{ones(links, 1), 1 << 48, ""},
		{ones(links, 0), 1 << 60, ""},
	} {
		_, err := NewDistances(machine, c.prices, c.weight)
		if (err == nil) != (c.reason == "") || err != nil && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%v, want %q", err, c.reason)
		}
	}
	p := &Problem{Graph: mustTraffic(t, "stencil2d:4x3").Graph(), Machine: machine,
		Allocation: allHosts(machine), LinkCost: wrong(-1)}
	if err := p.Check(); err == nil {
		t.Error("a problem with a negative price passed its check")
	}
}

func drawnPrices(links int) []float64 {
	prices := make([]float64, links)
	for l := range prices {
		prices[l] = float64(1 + l*l%11)
	}
	return prices
}

// TestPricesOnARealFabric: many rates, tables of routes, both directions.
func TestPricesOnARealFabric(t *testing.T) {
	const path = "../../shared/data/ib-loginoff/topo.ibnetdiscover"
	file, err := os.Open(path)
	if err != nil {
		t.Skip("shared/data/ib-loginoff is not here: prices on a real fabric are not tested")
	}
	defer file.Close()
	machine, err := topology.ReadIBNetDiscover(path, file)
	if err != nil {
		t.Fatal(err)
	}
	prices := drawnPrices(len(machine.Links))
	n := int32(machine.Hosts())
	for i := range n {
		checkAgainstLoads(t, machine, prices, i, (i*7+3)%n)
	}
}

func BenchmarkDistanceRow(b *testing.B) {
	for _, spec := range []string{"tapered", "torus:24x24x24", "dragonfly:groups=33,routers=8,hosts=4," +
		"global=4"} {
		machine := mustNetwork(b, spec)
		b.Run("network="+spec, func(b *testing.B) {
			d, err := NewDistances(machine, drawnPrices(len(machine.Links)), 1)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				d.newRow(d.rows.leaves[len(d.rows.leaves)/2])
			}
		})
	}
}
