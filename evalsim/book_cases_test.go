package evalsim_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"remap/evalsim"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// bookCase is one random setting in which evalsim and book are compared.
type bookCase struct {
	number  int
	kind    string // of traffic
	name    string
	top     *topology.Topology
	hosts   []int32 // of every rank
	options evalsim.Options
	lists   [][]workload.Op // of every rank
}

// newBookCase draws case number n; the same number is always the same case.
func newBookCase(t testing.TB, n int) *bookCase {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 0x63617365))
	c := &bookCase{number: n}
	c.top = bookNetwork(t, random, n)
	what := changeLinks(random, c.top)
	c.options = bookOptions(random, c.top, n)
	perHost := 1 + random.IntN(2)*random.IntN(2)
	for rank := range perHost * c.top.Hosts() {
		c.hosts = append(c.hosts, int32(rank/perHost))
	}
	pattern := c.draw(random)
	o := &c.options
	c.name = fmt.Sprintf("%s%s %s %s packet=%d buffer=%dp switch=%v %s ranks=%d", c.top.Name, what,
		o.Routing, o.Switching, o.PacketBytes, o.BufferBytes/o.PacketBytes, o.SwitchLatency,
		pattern, len(c.hosts))
	return c
}

// rails tells whether some hosts have several links.
func (c *bookCase) rails() bool { return len(c.top.Ejection(0)) > 1 }

// bookNetwork draws a network of at most 64 hosts; kinds come in turn.
func bookNetwork(t testing.TB, random *rand.Rand, n int) *topology.Topology {
	t.Helper()
	in := func(low, high int) int { return low + random.IntN(high-low+1) }
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	var spec string
	switch n % 10 {
	case 0:
		spec = fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=%d,pods=1,aggs-per-pod=%d,cores=0,"+
			"leaf-links=%d",
			in(2, 8), in(2, 8), in(1, 6), in(1, 2))
	case 1:
		aggs := in(1, 3)
		spec = fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=%d,pods=%d,aggs-per-pod=%d,"+
			"cores=%d,up=%d",
			in(2, 5), in(2, 4), in(2, 3), aggs, 2*aggs, 2*in(1, 2))
	case 2:
		spec = fmt.Sprintf("xgft:down=%dx%dx%d,up=1x%dx%d,parallel=1x%dx1",
			in(2, 5), in(2, 4), in(2, 3), in(1, 3), in(1, 3), in(1, 2))
	case 3:
		spec = "torus:" + pick("7", "5x5", "7x7", "3x5", "3x3x3", "5x3x3", "8", "4x4", "8x4", "4x4x4",
			"6x4") + pick("", ",hosts=1")
	case 4:
		spec = "torus:" + pick("4x4,hosts=2", "5x3,hosts=3", "2x2x2,hosts=4,double=true",
			"2x4,double=true,hosts=2", "9,hosts=4", "3x3x2,hosts=2,double=true")
	case 5:
		spec = "mesh:" + pick("4x4", "8,hosts=4", "3x3x3,hosts=2", "5x6", "4x4x4")
	case 6:
		spec = "dragonfly:" + pick("groups=5,routers=4,hosts=2,global=1",
			"groups=9,routers=4,hosts=1,global=2", "groups=3,routers=3,hosts=4,global=2",
			"groups=4,routers=4,hosts=4,global=3")
		spec += pick("", ",global-latency-ns=500", ",global-latency-ns=3000")
	case 7:
		spec = "hyperx:" + pick("4x4,hosts=2", "3x3x3,hosts=2", "8,hosts=4", "4x4,hosts=4", "2x2x2x2,hosts=3")
	case 8:
		return bookFile(t, random)
	default:
		spec = pick("torus:5x5", "torus:3x3x3", "mesh:4x4,hosts=2",
			"dragonfly:groups=5,routers=4,hosts=2,global=1", "hyperx:4x4,hosts=2",
			"fattree:nodes-per-leaf=4,leaves-per-pod=3,pods=2,aggs-per-pod=2,cores=4,up=2",
			"xgft:down=4x3x3,up=1x2x2")
	}
	spec += ",latency-ns=" + pick("0", "50", "100", "100", "500", "1000", "3000")
	spec += ",gbps=" + pick("25", "100", "100", "200", "400")
	top := network(t, spec)
	if n%10 == 9 {
		return faulty(random, top)
	}
	return top
}

// bookFile is a network from a fabric file, some with two rails a host.
func bookFile(t testing.TB, random *rand.Rand) *topology.Topology {
	if random.IntN(2) == 0 {
		return rails(t, 4+random.IntN(12))
	}
	specs := []string{"torus:4x4", "mesh:4x3,hosts=2",
		"fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=3,cores=0", "hyperx:4x3,hosts=2"}
	return readBack(t, network(t, specs[random.IntN(len(specs))]))
}

// faulty fails and slows up to two cables between switches each.
func faulty(random *rand.Rand, top *topology.Topology) *topology.Topology {
	for k := range 4 {
		link := random.IntN(len(top.Links))
		if top.IsHost(top.Links[link].From) || top.IsHost(top.Links[link].To) {
			continue
		}
		cable := fmt.Sprint(top.LinkNumber(int32(link)))
		var failed, slowed []string
		if k%2 == 0 {
			failed = []string{cable}
		} else {
			slowed = []string{cable + "=" + []string{"0.1", "0.5", "0.9"}[random.IntN(3)]}
		}
		if less, err := topology.Degrade(top, failed, slowed); err == nil {
			top = less
		}
	}
	return top
}

// changeLinks gives some networks links of different rates, and some cables of
// different lengths, and says which.
func changeLinks(random *rand.Rand, top *topology.Topology) string {
	what := ""
	if random.IntN(3) == 0 {
		factor := []float64{0.25, 0.5, 2, 3}[random.IntN(4)]
		what += fmt.Sprintf(" hosts' links x%g", factor)
		for i := range top.Links {
			if l := &top.Links[i]; top.IsHost(l.From) || top.IsHost(l.To) {
				l.BytesPerSecond *= factor
			}
		}
	}
	if random.IntN(4) == 0 {
		what += " cables 0-3us"
		for i := range top.Links {
			if reverse := top.Reverse(int32(i)); int(reverse) > i {
				top.Links[i].Latency = time.Duration(random.IntN(3000))
				top.Links[reverse].Latency = top.Links[i].Latency
			}
		}
	}
	return what
}

// bookOptions draws sizes, switching, and routings in turn.
func bookOptions(random *rand.Rand, top *topology.Topology, n int) evalsim.Options {
	o := evalsim.DefaultOptions()
	o.Sampling = sampling.Variant{}
	o.PacketBytes = []int{64, 256, 512, 1000, 2048, 4096, 4096, 8192}[random.IntN(8)]
	o.BufferBytes = o.PacketBytes * []int{2, 2, 3, 4, 8, 16, 16, 64}[random.IntN(8)]
	o.SwitchLatency = time.Duration([]int{0, 100, 100, 100, 300}[random.IntN(5)])
	o.Switching = evalsim.Switching(min(random.IntN(3), 1) ^ 1)
	routings := []evalsim.Routing{
		evalsim.Adaptive, evalsim.TwoChoices, evalsim.RandomPacket, evalsim.FlowHash, evalsim.Static}
	if len(top.Routes.Intermediate) > 0 {
		routings = append(routings, evalsim.Valiant, evalsim.UGAL)
	}
	o.Routing = routings[n/10%len(routings)]
	return o
}

// draw makes the messages of all ranks, of about 4000 to 10000 packets in all.
func (c *bookCase) draw(random *rand.Rand) string {
	ranks := len(c.hosts)
	packets := 4000 + random.IntN(6000)
	mean := []float64{0.4, 1, 3, 12, 40}[random.IntN(5)] // packets of a message
	count := max(1, int(float64(packets)/max(0.5, mean)/float64(ranks)))
	count = min(count, 400)
	c.lists = make([][]workload.Op, ranks)
	c.kind = []string{"uniform", "uniform", "shift", "pairs", "hot", "exchange", "bursts"}[random.IntN(7)]
	shift := 1 + random.IntN(ranks-1)
	partner := random.Perm(ranks)
	for r := range ranks {
		for k := range count {
			to := random.IntN(ranks)
			switch c.kind {
			case "shift":
				to = (r + shift) % ranks
			case "pairs":
				to = partner[r]
			case "hot":
				if random.IntN(4) == 0 {
					to = partner[k%2]
				}
			case "exchange":
				to = (r + 1 + (k*7+shift)%(ranks-1)) % ranks
			}
			bytes := int64(1 + 2*mean*float64(c.options.PacketBytes)*random.Float64())
			if random.IntN(3) == 0 { // whole packets
				bytes = max(1, int64(mean)) * int64(c.options.PacketBytes)
			}
			c.add(r, to, k, bytes, random)
		}
		if c.kind == "bursts" || c.kind == "exchange" {
			c.lists[r] = append(c.lists[r], waitAll)
		}
	}
	return fmt.Sprintf("%s:%dx%gp", c.kind, count, mean)
}

// add appends a message unless it stays within a host. In exchanges the sender
// receives one of the same distance, four at a time; in bursts three messages are
// sent at once.
func (c *bookCase) add(r, to, k int, bytes int64, random *rand.Rand) {
	list := &c.lists[r]
	apart := c.hosts[r] != c.hosts[to]
	switch c.kind {
	case "exchange":
		ranks := len(c.hosts)
		if from := (2*r - to + ranks) % ranks; c.hosts[from] != c.hosts[r] {
			*list = append(*list, ireceive(int32(from)))
		}
		if apart {
			*list = append(*list, isend(int32(to), bytes))
		}
		if k%4 == 3 {
			*list = append(*list, waitAll)
		}
	case "bursts":
		if apart {
			*list = append(*list, isend(int32(to), bytes))
		}
		if k%3 == 2 {
			*list = append(*list, waitAll, compute(random.Int64N(2000)))
		}
	default:
		if apart {
			*list = append(*list, workload.Op{Kind: workload.Send, Peer: int32(to), Bytes: bytes})
		}
		if random.IntN(10) == 0 {
			*list = append(*list, idle(random.Int64N(20000)))
		}
	}
}

// program is the case's program for a seed: ranks begin at slightly different
// times, so that few packets meet by the picosecond.
func (c *bookCase) program(seed uint64) *workload.Program {
	random := rand.New(rand.NewPCG(seed, 0x73656564))
	lists := make([][]workload.Op, len(c.lists))
	for r := range lists {
		lists[r] = append([]workload.Op{idle(random.Int64N(4 * int64(c.options.PacketBytes)))}, c.lists[r]...)
	}
	return ops(lists...)
}
