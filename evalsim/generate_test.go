package evalsim_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/topology"
)

// Random machines and options, for every test that wants any.

// anyMachine draws a small network of any kind: trees, grids, dragonflies and
// HyperX of random extents, some of them with failed and slowed cables, some read
// from what ibnetdiscover would print, and one of two rails.
func anyMachine(t *rapid.T) *topology.Topology {
	top := anyNetwork(t)
	for range rapid.IntRange(0, 2).Draw(t, "faults") {
		top = degraded(t, top)
	}
	if rapid.IntRange(0, 4).Draw(t, "as a file") == 0 {
		top = readBack(t, top)
	}
	return top
}

// anyNetwork draws a spec.
func anyNetwork(t *rapid.T) *topology.Topology {
	n := func(low, high int, label string) int { return rapid.IntRange(low, high).Draw(t, label) }
	extents := func(most, least, greatest int) string {
		all := rapid.SliceOfN(rapid.IntRange(least, greatest), 1, most).Draw(t, "extents")
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), " ", "x")
	}
	spec := ""
	switch kind := rapid.SampledFrom([]string{"fattree", "two levels", "xgft", "torus", "mesh", "dragonfly",
		"hyperx", "rails"}).Draw(t, "kind"); kind {
	case "fattree":
		aggs := n(1, 3, "aggregation switches")
		spec = fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=%d,pods=%d,aggs-per-pod=%d,cores=%d,"+
			"up=%d", n(1, 4, "hosts"), n(1, 3, "leaves"), n(2, 3, "pods"), aggs, 2*aggs, 2*n(1, 2, "up"))
	case "two levels":
		spec = fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=%d,pods=1,aggs-per-pod=%d,cores=0,"+
			"leaf-links=%d", n(1, 4, "hosts"), n(1, 4, "leaves"), n(1, 3, "spines"), n(1, 2, "parallel"))
	case "xgft":
		spec = fmt.Sprintf("xgft:down=%dx%dx%d,up=1x%dx%d,"+
			"parallel=1x%dx1", n(1, 3, "hosts"), n(1, 3, "leaves"), n(1, 3, "pods"), n(1, 3, "up 2"),
			n(1, 3, "up 3"), n(1, 2, "parallel"))
	case "torus":
		spec = fmt.Sprintf("torus:%s,hosts=%d,double=%v", extents(3, 1, 5), n(1, 3, "hosts"),
			rapid.Bool().Draw(t, "double"))
	case "mesh":
		spec = fmt.Sprintf("mesh:%s,hosts=%d", extents(3, 1, 4), n(1, 3, "hosts"))
	case "dragonfly":
		groups, routers := n(1, 5, "groups"), n(1, 4, "routers")
		spec = fmt.Sprintf("dragonfly:groups=%d,routers=%d,hosts=%d,"+
			"global=%d", groups, routers, n(1, 2, "hosts"), n(0, 1, "more")+(groups+routers-2)/routers)
	case "hyperx":
		spec = fmt.Sprintf("hyperx:%s,hosts=%d", extents(3, 1, 4), n(1, 3, "hosts"))
	default:
		return rails(t, 4)
	}
	top, err := topology.Parse(spec)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return top
}

// degraded fails or slows a cable between switches; a network that would fall
// apart stays as it is.
func degraded(t *rapid.T, top *topology.Topology) *topology.Topology {
	link := rapid.IntRange(0, len(top.Links)-1).Draw(t, "cable")
	cable := fmt.Sprint(top.LinkNumber(int32(link)))
	var less *topology.Topology
	var err error
	if rapid.Bool().Draw(t, "fails") {
		less, err = topology.Degrade(top, []string{cable}, nil)
	} else {
		less, err = topology.Degrade(top, nil, []string{cable + "=" +
			rapid.SampledFrom([]string{"0.1", "0.5", "0.9"}).Draw(t, "rate left")})
	}
	if err != nil {
		return top
	}
	return less
}

// readBack writes a network as ibnetdiscover would print it and reads it again:
// the same machine, routed by table. Rates that InfiniBand does not have, such as
// those of slowed cables, cannot be written; such networks stay as they are.
func readBack(t rapid.TB, top *topology.Topology) *topology.Topology {
	var b bytes.Buffer
	if err := topology.WriteIBNetDiscover(&b, top); err != nil {
		return top
	}
	read, err := topology.ReadIBNetDiscover("file", &b)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func init() { tier.Checks(6, 100, 100) }

// check is rapid.Check, and ten times as much in the experiments. A failure prints
// what was drawn, and how to have it again.
func check(t *testing.T, property func(*rapid.T)) {
	for range tier.Cases(1, 1, 10) {
		rapid.Check(t, property)
	}
}

// anyOptions draws small buffers, most often of two packets, and all ways to
// route and to send.
func anyOptions(t *rapid.T, top *topology.Topology) evalsim.Options {
	o := evalsim.DefaultOptions()
	o.PacketBytes = rapid.SampledFrom([]int{64, 256, 4096}).Draw(t, "packet")
	o.BufferBytes = o.PacketBytes * rapid.SampledFrom([]int{2, 2, 2, 3, 16}).Draw(t, "room")
	o.Switching = rapid.SampledFrom([]evalsim.Switching{evalsim.CutThrough, evalsim.StoreAndForward}).Draw(t,
		"switching")
	routings := []string{"adaptive", "two-choices", "random", "hash", "static"}
	if len(top.Routes.Intermediate) > 0 {
		routings = append(routings, "valiant", "ugal", "valiant", "ugal")
	}
	routing, err := evalsim.ParseRouting(rapid.SampledFrom(routings).Draw(t, "routing"))
	if err != nil {
		t.Fatal(err)
	}
	o.Routing = routing
	o.EagerBytes = rapid.SampledFrom([]int64{0, 1, 500}).Draw(t, "eager")
	o.MaxInFlight = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "in flight")
	o.ComputeNoise = rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "noise")
	o.StartJitter = rapid.SampledFrom([]time.Duration{0, 10 * time.Microsecond}).Draw(t, "jitter")
	o.Seed = rapid.Uint64().Draw(t, "seed")
	return o
}
