package topology

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
)

// checkDragonfly holds a dragonfly against its definition: complete groups,
// global links even between groups, distances of the shortest legal paths,
// and all links on one as candidates.
func checkDragonfly(t failer, n *Topology) {
	t.Helper()
	groups, routers := int(n.Routes.Dragonfly.GroupCount), int(n.Routes.Dragonfly.Routers)
	between := make([]int, groups*groups)
	ports, degree := 0, int(n.Routes.Dragonfly.Degree)
	for s := range n.Switches() {
		joined := map[int32]int{}
		first, end := n.Out(n.NodeOf(int32(s)))
		for l := first; l < end; l++ {
			if to := n.Links[l].To; !n.IsHost(to) {
				joined[n.SwitchOf(to)]++
			}
		}
		for to, count := range joined {
			if int(to)/routers != s/routers {
				between[s/routers*groups+int(to)/routers] += count
				ports += count
			} else if count != 1 {
				t.Fatalf("%s: %d links between two routers of a group", n.Name, count)
			}
		}
		for other := s / routers * routers; other < (s/routers+1)*routers; other++ {
			if other != s && joined[int32(other)] != 1 {
				t.Fatalf("%s: routers %d and %d of a group are not joined", n.Name, s, other)
			}
		}
	}
	possible := n.Switches() * (degree - routers + 1)
	if ports != possible/2*2 {
		t.Fatalf("%s: %d global ports are in use of %d", n.Name, ports, possible)
	}
	if groups > 1 {
		mean := possible / groups / (groups - 1)
		for i, count := range between {
			a, b := i/groups, i%groups
			if a != b && (count < mean || count > mean+1 || count == mean+1 && possible/groups%(groups-1) == 0 ||
				count != between[b*groups+a]) {
				t.Fatalf("%s: %d links from group %d to group %d, mean %d", n.Name, count, a, b, mean)
			}
		}
	}
	longest := int32(0)
	for s := range int32(n.Switches()) {
		longest = max(longest, checkLegal(t, n, s, routers))
	}
	if want := max(2*longest, 2); n.Routes.VirtualChannels != want || longest > 3 {
		t.Fatalf("%s: %d virtual channels for paths of %d links", n.Name, n.Routes.VirtualChannels, longest)
	}
}

// checkLegal compares distances from one router with a search over paths of at
// most one local, one global and one local link, and candidates with all links
// of those. It gives the longest distance.
func checkLegal(t failer, n *Topology, from int32, routers int) (longest int32) {
	t.Helper()
	group := func(s int32) int { return int(s) / routers }
	step := func(reached map[int32]int32, global bool) map[int32]int32 {
		next := map[int32]int32{}
		for s, d := range reached {
			first, end := n.Out(n.NodeOf(s))
			for l := first; l < end; l++ {
				if n.IsHost(n.Links[l].To) {
					continue
				}
				to := n.SwitchOf(n.Links[l].To)
				if was, ok := next[to]; (group(to) != group(s)) == global && (!ok || d+1 < was) {
					next[to] = d + 1
				}
			}
		}
		return next
	}
	merge := func(a, b map[int32]int32) map[int32]int32 {
		for s, d := range b {
			if was, ok := a[s]; !ok || d < was {
				a[s] = d
			}
		}
		return a
	}
	start := map[int32]int32{from: 0}
	near := merge(step(start, false), start)
	crossed := step(near, true)
	legal := merge(merge(step(crossed, false), crossed), near)
	var buffer []int32
	for to := range int32(n.Switches()) {
		want, ok := legal[to]
		if got := n.SwitchDistance(from, to); !ok || got != want || n.SwitchDistance(to, from) != got {
			t.Fatalf("%s: %d links from router %d to %d and %d back, should "+
				"be %d", n.Name, got, from, to, n.SwitchDistance(to, from), want)
		}
		longest = max(longest, want)
		buffer = buffer[:0]
		first, end := n.Out(n.NodeOf(from))
		for l := first; l < end; l++ {
			next := n.SwitchOf(n.Links[l].To)
			if next >= 0 && (group(next) == group(from) || group(next) == group(to)) &&
				n.SwitchDistance(next, to) == want-1 {
				buffer = append(buffer, l)
			}
		}
		if got := n.MinimalNext(nil, n.NodeOf(from), to); !slices.Equal(got, buffer) {
			t.Fatalf("%s: next links from router %d to %d are %v, should be %v", n.Name, from, to, got, buffer)
		}
	}
	return longest
}

// Arrangements of all small shapes, the odd ones too, are even and legal.
func TestDragonflyShapes(t *testing.T) {
	most := 7
	if tier.IsLong() {
		most = 10
	}
	for groups := 1; groups <= most; groups++ {
		for routers := 1; routers <= 4; routers++ {
			for global := (groups - 1 + routers - 1) / routers; global <= 5; global++ {
				n := mustParse(t, fmt.Sprintf("dragonfly:groups=%d,routers=%d,hosts=1,"+
					"global=%d", groups, routers, global))
				checkDragonfly(t, n)
				// The size is judged before it is built, and never too low.
				route, links := n.Routes.Dragonfly, len(n.Links)-2*n.Hosts()
				entries := len(route.ToGroup) + len(route.Near) + len(route.NearGroups) + len(n.Routes.Channels) - links
				if bound := n.distance.(*dragonfly).entries(); float64(entries) > bound {
					t.Errorf("%s: %d routing entries, expected %v at most", n.Name, entries, bound)
				}
			}
		}
	}
}

// The balanced dragonfly of the paper: one link between two groups, port after
// port to the group before (palmtree), a unique minimal path.
func TestDragonflyPalmtree(t *testing.T) {
	n := mustParse(t, "dragonfly:groups=9,routers=4,hosts=2,global=2,latency-ns=30,global-latency-ns=700")
	if n.Hosts() != 72 || n.Switches() != 36 || n.Routes.VirtualChannels != 6 || len(n.Links) != 2*72+36*(3+2) {
		t.Errorf("%s, %d virtual channels", n.Summary(), n.Routes.VirtualChannels)
	}
	for s := range int32(n.Switches()) {
		first, end := n.Out(n.NodeOf(s))
		for l := first; l < end; l++ {
			link := n.Links[l]
			port, latency := int32(link.FromPort)-5, 30*time.Nanosecond
			if port >= 0 {
				latency = 700 * time.Nanosecond
				want := (s/4 + 9 - (s%4*2 + port + 1)) % 9
				if got := n.SwitchOf(link.To) / 4; got != want {
					t.Errorf("global port %d of router %d leads to group %d, want %d", port, s, got, want)
				}
			}
			if link.Latency != latency {
				t.Errorf("port %d of router %d has latency %v", link.FromPort, s, link.Latency)
			}
		}
		for to := range int32(n.Switches()) {
			if s != to && len(n.Routes.Candidates(s, to)) != 1 {
				t.Errorf("%d candidates from %d to %d", len(n.Routes.Candidates(s, to)), s, to)
			}
		}
	}
	if len(n.Levels) != 2 || n.Levels[0].Groups() != 36 || n.Levels[1].Groups() != 9 {
		t.Errorf("levels of %s", n.Summary())
	}
}

// Any walk over candidates ends, by whatever intermediate switch, and never
// needs a virtual channel that is not there.
func TestValiantWalksEnd(t *testing.T) {
	var networks []*Topology
	for _, spec := range []string{"dragonfly:groups=99,routers=14,hosts=7," +
		"global=7", "dragonfly:groups=5,routers=12,hosts=3,global=5",
		"hyperx:8x8,hosts=8", "hyperx:5x1x4x3x2"} {
		networks = append(networks, mustParse(t, spec))
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(networks).Draw(t, "network")
		leaf := func(name string) int32 {
			return n.LeafSwitch(rapid.Int32Range(0, int32(n.Hosts())-1).Draw(t, name))
		}
		at, to := leaf("from"), leaf("to")
		by := rapid.SampledFrom(n.Routes.Intermediate).Draw(t, "by")
		want, hops := n.SwitchDistance(at, by)+n.SwitchDistance(by, to), int32(0)
		var scratch [8]int32
		for _, target := range []int32{by, to} {
			for at != target {
				candidates := n.Routes.CandidatesIn(scratch[:], at, target)
				if !slices.Equal(candidates, n.Routes.Candidates(at, target)) {
					t.Fatalf("two lists of candidates")
				}
				c := rapid.SampledFrom(candidates).Draw(t, "candidate")
				if c%n.Routes.VirtualChannels != 0 || hops >= n.Routes.VirtualChannels {
					t.Fatalf("%s: channel %d at hop %d", n.Name, c, hops)
				}
				at = n.SwitchOf(n.Links[c/n.Routes.VirtualChannels].To)
				hops++
			}
		}
		if hops != want {
			t.Fatalf("%s: %d hops, distances say %d", n.Name, hops, want)
		}
	})
}

// Machines of ten thousand hosts and more take megabytes, not gigabytes.
func TestLargeDirectNetworks(t *testing.T) {
	for spec, most := range map[string]uint64{
		"dragonfly:groups=99,routers=14,hosts=7,global=7": 8 << 20,
		"hyperx:24x24x24": 64 << 20,
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		begin := time.Now()
		n := mustParse(t, spec)
		took := time.Since(begin)
		runtime.GC()
		runtime.ReadMemStats(&after)
		held := after.HeapAlloc - before.HeapAlloc
		t.Logf("%s: %s; %v, %d KiB held, %d KiB allocated", spec, n.Summary(), took.Round(time.Millisecond),
			held>>10, (after.TotalAlloc-before.TotalAlloc)>>10)
		if held > most {
			t.Errorf("%s holds %d bytes", spec, held)
		}
		runtime.KeepAlive(n)
	}
}

// BenchmarkDirectNetworks times what the simulator and the mapping costs ask
// for at every hop or pair.
func BenchmarkDirectNetworks(b *testing.B) {
	for _, spec := range []string{"dragonfly:groups=99,routers=14,hosts=7," +
		"global=7", "dragonfly:groups=20,routers=32,hosts=16,global=16", "hyperx:24x24x24"} {
		n, err := Parse(spec)
		if err != nil {
			b.Fatal(err)
		}
		scratch := make([]int32, 8)
		pairs, sum := int32(n.Switches()), 0
		b.Run("what=candidates/topology="+spec, func(b *testing.B) {
			at := int32(0)
			for b.Loop() {
				at = (at + 1) % (pairs - 1)
				sum += len(n.Routes.CandidatesIn(scratch, at, pairs-1))
			}
		})
		b.Run("what=distance/topology="+spec, func(b *testing.B) {
			at := int32(0)
			for b.Loop() {
				at = (at + 1) % pairs
				sum += int(n.SwitchDistance(at, pairs-1-at))
			}
		})
		if sum == 0 {
			b.Error("nothing was asked for")
		}
	}
}
