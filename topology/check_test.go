package topology

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
)

// small specs of every kind, with all their corner cases of shape.
var smallSpecs = []string{
	"fattree:nodes-per-leaf=4,leaves-per-pod=1,pods=1,aggs-per-pod=0,cores=0",
	"fattree:nodes-per-leaf=1,leaves-per-pod=1,pods=1,aggs-per-pod=2,cores=0",
	"fattree:nodes-per-leaf=3,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0,leaf-links=2",
	"fattree:nodes-per-leaf=2,leaves-per-pod=3,pods=4,aggs-per-pod=2,cores=4,up=6",
	"fattree:nodes-per-leaf=1,leaves-per-pod=2,pods=2,aggs-per-pod=2,cores=2,leaf-links=3",
	"fattree:nodes-per-leaf=2,leaves-per-pod=1,pods=3,aggs-per-pod=1,cores=1",
	"fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=2,cores=4,up=2",
	"xgft:down=4,up=1", "xgft:down=3x4,up=1x2,parallel=1x2", "xgft:down=2x2x2," +
		"up=1x2x2", "xgft:down=2x1x3x2,up=1x2x1x2,parallel=1x1x3x2",
	"xgft:down=2x2x2x2x2,up=1x2x1x2x1", "xgft:down=1x2x2x1x2x1x2x2," +
		"up=1x1x2x1x1x2x1x1", "xgft:down=2x2,up=1x3,parallel=2x1",
	"xgft:down=3,up=2", "xgft:down=2x3,up=2x2", "xgft:down=2x2x3,up=3x2x1,parallel=2x1x2", "xgft:down=1,up=4",
	"torus:5,hosts=2", "torus:2", "torus:1", "torus:2,double=true", "torus:3x2x4", "torus:4x4,double=true",
	"torus:1x6x1", "torus:7x3", "torus:2x2x2,double=true", "torus:3x3x3x2", "mesh:4x4x4", "mesh:1",
	"mesh:2x5,hosts=3", "mesh:9",
	"dragonfly:groups=1,routers=1,hosts=2,global=0", "dragonfly:groups=1,routers=4,hosts=1,global=2",
	"dragonfly:groups=5,routers=1,hosts=1,global=4", "dragonfly:groups=2,routers=3,hosts=1,global=1",
	"dragonfly:groups=5,routers=3,hosts=2,global=3", "dragonfly:groups=4,routers=2,hosts=1,global=2",
	"dragonfly:groups=3,routers=3,hosts=1,global=3", "dragonfly:groups=5,routers=2,hosts=1,global=2," +
		"global-latency-ns=700",
	"dragonfly:groups=9,routers=4,hosts=2,global=2",
	"hyperx:1", "hyperx:7", "hyperx:4x3,hosts=2", "hyperx:1x3x1x2", "hyperx:2x2x2x2", "hyperx:3x3x2",
}

func TestSmallSpecs(t *testing.T) {
	for _, spec := range smallSpecs {
		t.Run(spec, func(t *testing.T) { checkNetwork(t, mustParse(t, spec), true) })
	}
}

// The networks that jobs run on, with a torus and a mesh of some size.
func TestFullSizeNetworks(t *testing.T) {
	tier.Long(t, "networks of thousands of hosts link by link: some seconds")
	for _, spec := range []string{"tapered", "full", "torus:8x8x8", "torus:4x6x5,hosts=2", "mesh:16x16"} {
		t.Run(spec, func(t *testing.T) { checkNetwork(t, mustParse(t, spec), true) })
	}
}

// BenchmarkParse builds networks of a machine room's size.
func BenchmarkParse(b *testing.B) {
	for _, spec := range []string{"tapered", "torus:24x24x24",
		"fattree:nodes-per-leaf=40,leaves-per-pod=50,pods=500,aggs-per-pod=20,cores=1000"} {
		b.Run("topology="+spec, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(spec); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadIBNetDiscover reads back a three-level fat tree of 1200 switches.
func BenchmarkReadIBNetDiscover(b *testing.B) {
	n, err := Parse("fattree:nodes-per-leaf=20,leaves-per-pod=20,pods=20,aggs-per-pod=20,cores=400")
	if err != nil {
		b.Fatal(err)
	}
	text := dump(b, n)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		readText(b, text)
	}
}

func TestRandomSpecs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		n, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		checkNetwork(t, n, true)
	})
}

func drawSpec(t *rapid.T) string {
	number := func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "n") }
	switch kind := rapid.SampledFrom([]string{"fattree", "xgft", "torus", "mesh", "dragonfly",
		"hyperx"}).Draw(t, "kind"); kind {
	case "fattree":
		aggs, perGroup := number(1, 3), number(0, 2)
		pods, up := 1, 0
		if perGroup > 0 {
			pods, up = number(1, 4), perGroup*number(1, 3)
		}
		return fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=%d,pods=%d,aggs-per-pod=%d,cores=%d,up=%d,"+
			"leaf-links=%d",
			number(1, 4), number(1, 4), pods, aggs, aggs*perGroup, up, number(1, 3))
	case "dragonfly":
		groups, routers := number(1, 6), number(1, 4)
		least := (groups - 1 + routers - 1) / routers
		return fmt.Sprintf("dragonfly:groups=%d,routers=%d,hosts=%d,"+
			"global=%d", groups, routers, number(1, 2), number(least, least+2))
	case "xgft":
		return drawTree(t)
	default:
		sides := make([]string, number(1, 3))
		for i := range sides {
			sides[i] = fmt.Sprint(number(1, 5))
		}
		spec := fmt.Sprintf("%s:%s,hosts=%d", kind, strings.Join(sides, "x"), number(1, 2))
		if kind == "torus" {
			spec += fmt.Sprintf(",double=%v", rapid.Bool().Draw(t, "double"))
		}
		return spec
	}
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkNetwork tests what must be true of every topology; minimal networks
// also travel shortest paths, the same length both ways. In a dragonfly these
// are the shortest legal ones.
func checkNetwork(t failer, n *Topology, minimal bool) {
	t.Helper()
	if n.Routes.Dragonfly != nil && n.Routes.Detours == nil {
		checkDragonfly(t, n)
		minimal = false
	}
	if err := n.Check(); err != nil {
		t.Fatalf("%s: %v", n.Name, err)
	}
	checkDistances(t, n, minimal)
	checkNext(t, n)
	checkDeadlock(t, n)
}

// breadthFirst counts links from a switch to all switches through switches.
func breadthFirst(n *Topology, from int32) []int32 {
	distance := make([]int32, n.Switches())
	for s := range distance {
		distance[s] = -1
	}
	distance[from] = 0
	queue := []int32{from}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		first, end := n.Out(n.NodeOf(s))
		for l := first; l < end; l++ {
			if to := n.Links[l].To; !n.IsHost(to) && distance[n.SwitchOf(to)] < 0 {
				distance[n.SwitchOf(to)] = distance[s] + 1
				queue = append(queue, n.SwitchOf(to))
			}
		}
	}
	return distance
}

// leafSwitches marks the switches with hosts.
func leafSwitches(n *Topology) []int32 {
	var leaves []int32
	for s := range int32(n.Switches()) {
		first, end := n.Out(n.NodeOf(s))
		for l := first; l < end; l++ {
			if n.IsHost(n.Links[l].To) {
				leaves = append(leaves, s)
				break
			}
		}
	}
	return leaves
}

func checkDistances(t failer, n *Topology, minimal bool) {
	t.Helper()
	leaves := leafSwitches(n)
	for _, leaf := range leaves {
		shortest := breadthFirst(n, leaf)
		for s, want := range shortest {
			got := n.SwitchDistance(int32(s), leaf)
			if want < 0 && got < 0 {
				continue // another plane
			}
			if got < 0 && !minimal && !slices.Contains(leaves, int32(s)) {
				continue // no packet starts there, and none comes by
			}
			if got < want || got < 0 || minimal && got != want {
				t.Fatalf("%s: %s to %s is %d links, breadth-first search "+
					"says %d", n.Name, n.SwitchNames[s], n.SwitchNames[leaf], got, want)
			}
		}
	}
	if !minimal {
		return
	}
	for a := range int32(n.Hosts()) {
		for b := range a + 1 {
			ab, ba := n.PathLength(a, b), n.PathLength(b, a)
			if ab != ba || (ab == 0) != (a == b) {
				t.Fatalf("%s: path length %d-%d is %d, back %d", n.Name, a, b, ab, ba)
			}
		}
	}
}

// checkNext: every candidate leads one link closer to the destination, and
// there is one wherever a packet can be; so it always arrives.
func checkNext(t failer, n *Topology) {
	t.Helper()
	var buffer []int32
	channels := n.Routes.VirtualChannels
	for _, to := range leafSwitches(n) {
		for s := range int32(n.Switches()) {
			if n.SwitchDistance(s, to) < 0 {
				continue
			}
			buffer = n.MinimalNext(buffer[:0], n.NodeOf(s), to)
			if (len(buffer) == 0) != (s == to) {
				t.Fatalf("%s: %d minimal links from %s to %s", n.Name, len(buffer), n.SwitchNames[s], n.SwitchNames[to])
			}
			if s == to {
				continue
			}
			candidates := n.Routes.Candidates(s, to)
			if len(candidates) == 0 {
				t.Fatalf("%s: no route from %s to %s", n.Name, n.SwitchNames[s], n.SwitchNames[to])
			}
			seen := map[int32]bool{}
			for _, c := range candidates {
				l := n.Links[c/channels]
				if l.From != n.NodeOf(s) || n.IsHost(l.To) || seen[c] {
					t.Fatalf("%s: candidate %d from %s to %s is no link of it, or is there "+
						"twice", n.Name, c, n.SwitchNames[s], n.SwitchNames[to])
				}
				seen[c] = true
				if n.SwitchDistance(n.SwitchOf(l.To), to) != n.SwitchDistance(s, to)-1 {
					t.Fatalf("%s: candidate from %s to %s leads to %s, no "+
						"closer", n.Name, n.SwitchNames[s], n.SwitchNames[to], n.NodeName(l.To))
				}
			}
		}
	}
}

// checkDeadlock builds the channel dependency graph (Dally and Seitz 1987):
// an edge from channel c to channel d when some packet may hold c and wait
// for d. Without a cycle there is no deadlock. Where there is non-minimal
// routing, packets also go by every intermediate switch.
func checkDeadlock(t failer, n *Topology) {
	t.Helper()
	after := make([]map[int32]bool, len(n.Links)*int(n.Routes.VirtualChannels))
	var start []int32
	for _, leaf := range leafSwitches(n) {
		start = append(start, ^leaf)
	}
	for _, to := range leafSwitches(n) {
		followPackets(t, n, after, start, to)
	}
	for _, by := range n.Routes.Intermediate {
		there := followPackets(t, n, after, start, by)
		for _, to := range leafSwitches(n) {
			followPackets(t, n, after, there, to)
		}
	}
	if c := findCycle(after); c >= 0 {
		channels := n.Routes.VirtualChannels
		l := n.Links[c/channels]
		t.Fatalf("%s: channel %d of link %s to %s waits for "+
			"itself", n.Name, c%channels, n.NodeName(l.From), n.NodeName(l.To))
	}
}

// followPackets walks all that packets in some channels (or, as ^s, injected at
// switch s) may do until they are at a switch, notes what waits for what, and
// gives the channels they arrive by.
func followPackets(t failer, n *Topology, after []map[int32]bool, from []int32, to int32) (arrived []int32) {
	t.Helper()
	channels := n.Routes.VirtualChannels
	seen := make([]bool, len(after))
	queue := slices.Clone(from)
	for i := 0; i < len(queue); i++ {
		held, hops, s := queue[i], int32(0), ^queue[i]
		if held >= 0 {
			s = n.SwitchOf(n.Links[held/channels].To)
			if n.Routes.PerHop {
				hops = held%channels + 1
			}
		}
		if s == to {
			arrived = append(arrived, held)
			continue
		}
		if n.SwitchDistance(s, to) < 0 {
			continue
		}
		if hops == channels {
			t.Fatalf("%s: no virtual channel for a hop at %s toward %s", n.Name, n.SwitchNames[s], n.SwitchNames[to])
			return nil
		}
		for _, c := range n.Routes.Candidates(s, to) {
			c += hops
			if held >= 0 {
				if after[held] == nil {
					after[held] = map[int32]bool{}
				}
				after[held][c] = true
			}
			if !seen[c] {
				seen[c] = true
				queue = append(queue, c)
			}
		}
	}
	return arrived
}

// findCycle gives a vertex on a cycle, -1 when there is none: it takes away
// vertices without predecessors (Kahn 1962) until nothing is left.
func findCycle(after []map[int32]bool) int32 {
	before := make([]int32, len(after))
	for _, set := range after {
		for d := range set {
			before[d]++
		}
	}
	var queue []int32
	for c, count := range before {
		if count == 0 {
			queue = append(queue, int32(c))
		}
	}
	gone := 0
	for ; gone < len(queue); gone++ {
		for d := range after[queue[gone]] {
			if before[d]--; before[d] == 0 {
				queue = append(queue, d)
			}
		}
	}
	for c, count := range before {
		if count > 0 {
			return int32(c)
		}
	}
	return -1
}

// The check itself must see a cycle: one virtual channel on a ring has one.
func TestDeadlockCheckSeesRing(t *testing.T) {
	n := mustParse(t, "torus:5")
	for g, c := range n.Routes.Channels {
		n.Routes.Channels[g] = c / 2
	}
	n.Routes.VirtualChannels = 1
	caught := &recorder{}
	checkDeadlock(caught, n)
	if !caught.failed {
		t.Error("a ring with one virtual channel passed as free of deadlock")
	}
}

// Without a channel per hop, minimal routing in a dragonfly and a HyperX can
// deadlock; with too few, a way over an intermediate switch does not fit.
func TestChannelPerHopIsNeeded(t *testing.T) {
	for _, spec := range []string{"dragonfly:groups=9,routers=4,hosts=2,global=2", "hyperx:3x3"} {
		flat, short := mustParse(t, spec), mustParse(t, spec)
		flat.Routes.PerHop, flat.Routes.Intermediate = false, nil
		caught := &recorder{}
		if checkDeadlock(caught, flat); !caught.failed {
			t.Errorf("%s with one virtual channel passed as free of deadlock", spec)
		}
		fewer(short)
		caught = &recorder{}
		if checkDeadlock(caught, short); !caught.failed {
			t.Errorf("%s passed with %d virtual channels", spec, short.Routes.VirtualChannels)
		}
	}
}

// fewer takes a virtual channel away.
func fewer(n *Topology) {
	r := n.Routes
	for i := range r.Channels {
		r.Channels[i] = r.Channels[i] / r.VirtualChannels * (r.VirtualChannels - 1)
	}
	if h := r.HyperX; h != nil {
		for k := range h.Start {
			h.Start[k] = h.Start[k] / h.Channels * (h.Channels - 1)
		}
		h.Stride, h.Channels = h.Stride/h.Channels*(h.Channels-1), h.Channels-1
	}
	r.VirtualChannels--
}

type recorder struct{ failed bool }

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true }

// The nearest rails of two hosts span the path length between them.
func TestNearestRailsSpanPathLength(t *testing.T) {
	for _, spec := range []string{"torus:4x3,hosts=2", "fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2," +
		"aggs-per-pod=2,cores=2"} {
		top, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		var buffer []Rails
		for a := range int32(top.Hosts()) {
			for b := range int32(top.Hosts()) {
				if a == b {
					continue
				}
				buffer = top.NearestRails(buffer, a, b)
				if len(buffer) == 0 {
					t.Fatalf("%s: no rails from %d to %d", spec, a, b)
				}
				for _, r := range buffer {
					out, in := top.Links[r.Injection], top.Links[r.Ejection]
					if out.From != a || in.To != b || top.SwitchDistance(top.SwitchOf(out.To), top.SwitchOf(in.From))+
						1 != top.PathLength(a, b) {
						t.Errorf("%s: rails %+v from %d to %d", spec, r, a, b)
					}
				}
			}
		}
	}
}
