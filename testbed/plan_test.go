package testbed

import (
	"strings"
	"testing"
)

var specs = []string{
	"fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0,gbps=0.02",
	"fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=4,aggs-per-pod=2,cores=4,gbps=0.02",
	"fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=4,cores=0,leaf-links=2,gbps=0.01",
	"xgft:down=4x4x2,up=1x2x2,parallel=1x2x1,gbps=0.02",
	"torus:4x4,gbps=0.02", "torus:3x3x3,gbps=0.02", "mesh:5x3,hosts=2,gbps=0.02",
	"dragonfly:groups=5,routers=2,hosts=2,global=2,gbps=0.02", "hyperx:3x4,hosts=2,gbps=0.02",
}

func planned(t testing.TB, spec string, change func(*Options)) *Plan {
	t.Helper()
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	p, err := NewPlan(Source{Topology: spec}, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every packet arrives, by a shortest path, whichever of the next ports the hashes take.
func TestNextLeadsCloser(t *testing.T) {
	for _, spec := range specs {
		for _, static := range []bool{false, true} {
			p := planned(t, spec, func(o *Options) { o.Static = static })
			for host := range int32(p.Topology.Hosts()) {
				for s := range p.Topology.Switches() {
					if p.Topology.SwitchDistance(int32(s), p.Topology.LeafSwitch(host)) >= 0 {
						checkNext(t, p, p.Topology.NodeOf(int32(s)), host, static)
					}
				}
			}
		}
	}
}

func checkNext(t *testing.T, p *Plan, node, host int32, static bool) {
	t.Helper()
	net, leaf := p.Topology, p.Topology.LeafSwitch(host)
	next := p.Next(node, host)
	if len(next) == 0 || static && len(next) > 1 {
		t.Fatalf("%s: %d ways from %s to %s", net.Name, len(next), net.NodeName(node), net.NodeName(host))
	}
	for _, l := range next {
		port := p.Ports[l]
		if port.Node != node {
			t.Fatalf("%s: the way from %s leaves %s", net.Name, net.NodeName(node), net.NodeName(port.Node))
		}
		if net.IsHost(port.Peer) {
			if port.Peer != host {
				t.Fatalf("%s: packets for %s end at %s", net.Name, net.NodeName(host), net.NodeName(port.Peer))
			}
			continue
		}
		before := net.SwitchDistance(net.SwitchOf(node), leaf)
		after := net.SwitchDistance(net.SwitchOf(port.Peer), leaf)
		if after >= before {
			t.Fatalf("%s: from %s to %s by %s: %d links after %d", net.Name, net.NodeName(node),
				net.NodeName(host), net.NodeName(port.Peer), after, before)
		}
	}
}

// Addresses and names are apart, and a port leads where the link does.
func TestPlanIsConsistent(t *testing.T) {
	for _, spec := range specs {
		p := planned(t, spec, nil)
		seen := map[string]string{}
		unique := func(what, of string) {
			if other, twice := seen[what]; twice {
				t.Fatalf("%s: %s is of %s and of %s", spec, what, of, other)
			}
			seen[what] = of
		}
		unique(HeadAddress.String(), "head")
		for i := range p.Nodes {
			node := &p.Nodes[i]
			unique(node.Namespace, node.Name)
			unique(node.MAC.String(), node.Name)
			unique(node.Hop.String(), node.Name)
			if p.Topology.IsHost(int32(i)) {
				unique(node.Address.String(), node.Name)
				unique(node.Management.String(), node.Name)
			}
		}
		for l, port := range p.Ports {
			unique(p.Nodes[port.Node].Namespace+"/"+port.Device, "port")
			link, back := p.Topology.Links[l], p.Ports[p.Topology.Reverse(int32(l))]
			if link.From != port.Node || link.To != port.Peer || back.Node != port.Peer || len(port.Device) > 15 {
				t.Fatalf("%s: port %+v of link %+v, back %+v", spec, port, link, back)
			}
		}
	}
}

// Switches hash apart: where they drew alike, the second level would use one of its paths only.
func TestHashSeedsDiffer(t *testing.T) {
	seen := map[uint32]bool{}
	for _, seed := range []uint32{1, 2, 3} {
		p := planned(t, specs[1], func(o *Options) { o.Seed = seed })
		for n := range p.Nodes {
			h := p.hashSeed(int32(n))
			if h == 0 || seen[h] {
				t.Fatalf("seed %d, node %d: hash seed %d again", seed, n, h)
			}
			seen[h] = true
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, c := range []struct {
		spec   string
		change func(*Options)
		says   string
	}{
		{"torus:16x16,gbps=0.02", nil, "256 hosts"},
		{"torus:4x4", nil, "100 Gb/s"},
		{"torus:4x4,gbps=0.0001", nil, "0.0001 Gb/s"},
		{"torus:4x", nil, "torus"},
		{specs[0], func(o *Options) { o.Name = "a/b" }, `"a/b"`},
		{specs[0], func(o *Options) { o.BufferBytes = 100 }, "100 bytes"},
		{specs[0], func(o *Options) { o.MTU = 100 }, "100 bytes"},
		{specs[0], func(o *Options) { o.WindowBytes = 1 }, "1 bytes"},
		{specs[0], func(o *Options) { o.CongestionControl = "../x" }, "../x"},
	} {
		o := DefaultOptions()
		if c.change != nil {
			c.change(&o)
		}
		if _, err := NewPlan(Source{Topology: c.spec}, o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, should say %q", c.spec, err, c.says)
		}
	}
}
