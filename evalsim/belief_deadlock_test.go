package evalsim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
	"remap/sampling"
	"remap/topology"
)

// Networks whose buffers hold two packets, full of traffic from all hosts to
// all, by every routing they have: if any channels could wait in a circle, some
// would. Every kind of network, with cables failed, and routed by table.
func TestFullNetworksNeverDeadlock(t *testing.T) {
	t.Parallel()
	seeds := uint64(tier.Cases(1, 2, 8))
	for _, spec := range []string{"torus:4,hosts=2", "torus:5x4", "torus:3x3x3", "mesh:4x3," +
		"hosts=2", "dragonfly:groups=1,routers=4,hosts=2,global=0",
		"dragonfly:groups=4,routers=3,hosts=2,global=1", "dragonfly:groups=5,routers=2,hosts=1," +
			"global=2", "hyperx:2x2,hosts=2", "hyperx:4x3,hosts=2",
		"hyperx:3x2x2", "xgft:down=3x2x3,up=1x2x2", "fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2," +
			"aggs-per-pod=2,cores=2"} {
		whole := network(t, spec)
		for name, top := range map[string]*topology.Topology{"": whole, ", two cables " +
			"failed": withoutCables(t, whole, 2), ", from a file": readBack(t, whole)} {
			if name != "" && !tier.IsLong() {
				continue
			}
			for routing := evalsim.Adaptive; routing <= evalsim.UGAL; routing++ {
				if routing >= evalsim.Valiant && len(top.Routes.Intermediate) == 0 {
					continue
				}
				for seed := range seeds {
					fill(t, spec+name, top, routing, seed+uint64(routing))
				}
			}
		}
	}
}

// fill runs traffic that fills a network.
func fill(t *testing.T, name string, top *topology.Topology, routing evalsim.Routing, seed uint64) {
	t.Helper()
	o := evalsim.DefaultOptions()
	o.Routing, o.Seed, o.Switching, o.Sampling = routing, seed, evalsim.Switching(seed%2), sampling.Variant{}
	o.PacketBytes, o.BufferBytes = 256, 512
	p := uniformPackets(top.Hosts(), 60, 4*256, rand.New(rand.NewPCG(seed, 6)))
	r, err := evalsim.Run(context.Background(), top, []evalsim.Job{{Program: p, Hosts: identity(p.Ranks())}}, o)
	if err != nil {
		t.Errorf("%s, %v, seed %d: %v", name, routing, seed, err)
	} else if r.Packets != int64(top.Hosts()*60*4) {
		t.Errorf("%s, %v, seed %d: %d packets arrive", name, routing, seed, r.Packets)
	}
}

// withoutCables fails so many cables between switches, the first that can be
// missed; of networks that need all of theirs, fewer.
func withoutCables(t *testing.T, top *topology.Topology, count int) *topology.Topology {
	for link := range top.Links {
		if l := &top.Links[link]; count > 0 && !top.IsHost(l.From) && !top.IsHost(l.To) {
			if less, err := topology.Degrade(top, []string{fmt.Sprint(link)}, nil); err == nil {
				return withoutCables(t, less, count-1)
			}
		}
	}
	return top
}
