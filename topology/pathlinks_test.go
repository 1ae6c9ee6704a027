package topology

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remap/internal/testkit/tier"
)

// walks calls visit with every way, as links, from one switch to another: the
// oracle, which follows each way for itself.
func walks(n *Topology, from, to int32, way []int32, visit func(way []int32)) {
	if from == to {
		visit(way)
		return
	}
	if n.SwitchDistance(from, to) < 0 {
		return
	}
	for _, c := range n.Routes.Candidates(from, to) {
		l := c / n.Routes.VirtualChannels
		walks(n, n.SwitchOf(n.Links[l].To), to, append(way, l), visit)
	}
}

// expanded lists the links of a set, and refuses one that is not in the form
// that Between promises.
func expanded(t failer, set []LinkRange) (links []int32) {
	t.Helper()
	end := int32(-1)
	for _, r := range set {
		if r.Count < 1 || r.First <= end {
			t.Fatalf("ranges not ascending, apart and filled: %v", set)
		}
		end = r.First + r.Count
		for l := r.First; l < end; l++ {
			links = append(links, l)
		}
	}
	return links
}

// sorted lists each of the marked links once.
func sorted(marked map[int32]bool) []int32 {
	links := make([]int32, 0, len(marked))
	for l := range marked {
		links = append(links, l)
	}
	slices.Sort(links)
	return links
}

// doors lists the injection and the ejection links of all hosts.
func doors(n *Topology) (in, out []int32) {
	for h := range int32(n.Hosts()) {
		first, end := n.Out(h)
		for l := first; l < end; l++ {
			in = append(in, l)
		}
		out = append(out, n.Ejection(h)...)
	}
	return in, out
}

// sets remembers what walks between two switches cross.
type sets struct {
	n     *Topology
	known map[[2]int32]map[int32]bool
}

func (s *sets) between(from, to int32) map[int32]bool {
	key := [2]int32{from, to}
	if s.known[key] == nil {
		s.known[key] = map[int32]bool{}
		walks(s.n, from, to, nil, func(way []int32) {
			for _, l := range way {
				s.known[key][l] = true
			}
		})
	}
	return s.known[key]
}

// around adds the links of all ways by intermediate switches.
func (s *sets) around(from, to int32) map[int32]bool {
	all := map[int32]bool{}
	add := func(links map[int32]bool) {
		for l := range links {
			all[l] = true
		}
	}
	add(s.between(from, to))
	if from != to {
		for _, by := range s.n.Routes.Intermediate {
			if by != from && by != to {
				add(s.between(from, by))
				add(s.between(by, to))
			}
		}
	}
	return all
}

// checkPathLinks compares Between, Append and Place with all walks, for every
// pair of an injection and an ejection link whose sum is 0 modulo stride.
func checkPathLinks(t failer, n *Topology, stride int32) {
	t.Helper()
	p, longer := NewPathLinks(n, false), NewPathLinks(n, true)
	oracle := &sets{n, map[[2]int32]map[int32]bool{}}
	prefix := []LinkRange{{0, 1}, {n.firstLink[n.Hosts()] - 1, 1}}
	ins, outs := doors(n)
	for _, in := range ins {
		for _, out := range outs {
			from, to := n.SwitchOf(n.Links[in].To), n.SwitchOf(n.Links[out].From)
			if (in+out)%stride != 0 {
				continue
			}
			checkWalks(t, p, in, out)
			for routing, p := range map[string]*PathLinks{"minimal": p, "non-minimal": longer} {
				want := []int32{}
				if n.SwitchDistance(from, to) >= 0 {
					marked := oracle.between(from, to)
					if routing != "minimal" {
						marked = oracle.around(from, to)
					}
					want = append(sorted(marked), out)
					slices.Sort(want)
				}
				got := p.Between(in, out)
				if links := expanded(t, got); !slices.Equal(links, want) {
					t.Fatalf("%s, %s routing, %s to %s: links %v, walks "+
						"cross %v", n.Name, routing, n.SwitchNames[from], n.SwitchNames[to], links, want)
				}
				appended := p.Append(slices.Clip(prefix), in, out)
				if !slices.Equal(appended[:2], prefix) || !slices.Equal(appended[2:], got) {
					t.Fatalf("%s: appended %v, not %v", n.Name, appended, got)
				}
			}
			if place, length := longer.Place(in, out, out); n.Routes.Intermediate != nil && from != to &&
				(place != 0 || length != 0) {
				t.Fatalf("%s: place %d of %d under non-minimal routing", n.Name, place, length)
			}
		}
	}
}

// checkWalks compares Place with every walk between two links, and with the
// links that no walk crosses.
func checkWalks(t failer, p *PathLinks, in, out int32) {
	t.Helper()
	n := p.t
	from, to := n.SwitchOf(n.Links[in].To), n.SwitchOf(n.Links[out].From)
	crossed := map[int32]bool{}
	walks(n, from, to, nil, func(way []int32) {
		way = append(way, out)
		for i, l := range way {
			crossed[l] = true
			if place, length := p.Place(in, out, l); place != i+1 || length != len(way) {
				t.Fatalf("%s: link %d is number %d of %d on way %v, Place says %d "+
					"of %d", n.Name, l, i+1, len(way), way, place, length)
			}
		}
	})
	for l := range int32(len(n.Links)) {
		if place, length := p.Place(in, out, l); !crossed[l] && (place != 0 || length != 0) {
			t.Fatalf("%s: link %d is on no way, Place says %d of %d", n.Name, l, place, length)
		}
	}
}

func TestPathLinksAreThoseOfAllWalks(t *testing.T) {
	for _, spec := range smallSpecs {
		t.Run(spec, func(t *testing.T) {
			n := mustParse(t, spec)
			stride := int32(1)
			if n.Hosts() > 20 {
				stride = 13
			}
			if tier.IsLong() {
				stride = 1
			}
			checkPathLinks(t, n, stride)
		})
	}
}

// Networks and fabrics at random, and what is left of them when cables fail,
// once and twice.
func TestPathLinksOfRandomNetworks(t *testing.T) {
	degraded, detours := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		stride := int32(max(1, n.Hosts()/8))
		checkPathLinks(t, n, stride)
		for range 2 {
			texts, _ := drawFaults(t, n)
			left, err := Degrade(n, texts, nil)
			if err != nil {
				return
			}
			n = left
			degraded++
			if n.Routes.Detours != nil {
				detours++
			}
			checkPathLinks(t, n, stride)
		}
	})
	if tier.IsLong() && (degraded < 20 || detours < 5) {
		t.Errorf("%d degraded networks, %d with detours: too few to tell", degraded, detours)
	}
}

// failSome takes out count cables between switches, spread over the network.
func failSome(t testing.TB, n *Topology, count int) *Topology {
	t.Helper()
	between := linksBetween(n)
	var texts []string
	for i := range count {
		texts = append(texts, fmt.Sprint(between[(2*i+1)*len(between)/(2*count)]))
	}
	left, err := Degrade(n, texts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// What the thesis counts: 1 link to a host of the same leaf switch, 33 in the
// same pod and 801 across pods of its tapered network (16 + 384 + 384 + 16
// before the last); likewise its full one, and the other networks by their
// formulas.
func TestPathLinkCounts(t *testing.T) {
	trees := func(n *Topology, hosts, leaves, aggs, up int) func(a, b int32) int {
		return func(a, b int32) int {
			leaf, pod := int32(hosts), int32(hosts*leaves)
			switch {
			case a/leaf == b/leaf:
				return 1
			case a/pod == b/pod:
				return 2*aggs + 1
			}
			return 2*aggs + 2*aggs*up + 1
		}
	}
	for _, c := range []struct {
		spec string
		want func(n *Topology) func(a, b int32) int
	}{
		{"tapered", func(n *Topology) func(a, b int32) int { return trees(n, 32, 24, 16, 24) }},
		{"full", func(n *Topology) func(a, b int32) int { return trees(n, 18, 18, 18, 18) }},
		{"torus:8x5x6", oneWay}, {"mesh:9x4,hosts=3", oneWay}, {"torus:2x7,double=true", oneWay},
		{"hyperx:4x5x3,hosts=2", cube}, {"hyperx:2x2x2x2x2", cube},
	} {
		n := mustParse(t, c.spec)
		p, want := NewPathLinks(n, false), c.want(n)
		random := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			a, b := random.Int32N(int32(n.Hosts())), random.Int32N(int32(n.Hosts()))
			if got := len(expanded(t, p.Between(n.firstLink[a], n.Ejection(b)[0]))); got != want(a, b) {
				t.Fatalf("%s: %d links from host %d to host %d, want %d", c.spec, got, a, b, want(a, b))
			}
		}
	}
}

// oneWay is dimension order: one way, along every dimension in turn, by all
// parallel links of a step and, half-way round a ring, in both directions; so the
// links are the sum over the dimensions.
func oneWay(n *Topology) func(a, b int32) int {
	g := n.Routes.Grid
	return func(a, b int32) int {
		links, from, to := 1, n.LeafSwitch(a), n.LeafSwitch(b)
		for k, extent := range g.Extents {
			x, y := int(g.Coordinates[from*g.Dimensions+int32(k)]), int(g.Coordinates[to*g.Dimensions+int32(k)])
			steps := max(x-y, y-x)
			if g.Wrap[k] {
				steps = min(steps, int(extent)-steps)
				if 2*steps == int(extent) {
					steps *= 2
				}
			}
			if extent == 2 && strings.Contains(n.Name, "double") {
				steps *= 2
			}
			links += steps
		}
		return links
	}
}

// cube: the ways in a HyperX are those in the cube of the r coordinates that
// differ, whose edges are r x 2^(r-1), each in one direction.
func cube(n *Topology) func(a, b int32) int {
	return func(a, b int32) int {
		r := int(n.SwitchDistance(n.LeafSwitch(a), n.LeafSwitch(b)))
		return r<<r/2 + 1
	}
}

// A packet of the thesis's tapered network has 3072 ways across pods, and 16
// within one.
func TestPathsOfTapered(t *testing.T) {
	n := mustParse(t, "tapered")
	for to, want := range map[int32]int{1: 1, 32: 16, 768: 3072} {
		ways := 0
		walks(n, n.LeafSwitch(0), n.LeafSwitch(to), nil, func([]int32) { ways++ })
		if ways != want {
			t.Errorf("%d ways to host %d, want %d", ways, to, want)
		}
	}
}

// Big networks, whole and with failures: a random walk stays in the set, and
// from every link of the set candidates lead on into the set alone.
func TestPathLinksOfBigNetworks(t *testing.T) {
	specs := []string{"tapered", "torus:8x8x8", "dragonfly:groups=33,routers=8,hosts=4," +
		"global=8", "dragonfly:groups=5,routers=8,hosts=4,global=4", "hyperx:8x8x4,hosts=2"}
	if tier.IsLong() {
		specs = append(specs, "full", "torus:16x16x16", "dragonfly:groups=73,routers=12,hosts=6,global=6")
	}
	for _, spec := range specs {
		n := mustParse(t, spec)
		walkAtRandom(t, n)
		if n.Switches() < 600 {
			walkAtRandom(t, failSome(t, n, 3))
		}
	}
}

// Fabrics as ibnetdiscover has described them.
func TestPathLinksOfRealFabrics(t *testing.T) {
	for _, path := range []string{"ib-topograph/ibnetdiscover_example.out", "ib-loginoff/topo.ibnetdiscover"} {
		n, err := ReadIBNetDiscover("fabric", openShared(t, path))
		if err != nil {
			t.Fatal(err)
		}
		checkPathLinks(t, n, int32(max(1, n.Hosts()*n.Hosts()/300)))
		walkAtRandom(t, n)
		walkAtRandom(t, failSome(t, n, 2))
	}
}

func walkAtRandom(t *testing.T, n *Topology) {
	t.Helper()
	p, longer := NewPathLinks(n, false), NewPathLinks(n, true)
	random := rand.New(rand.NewPCG(7, 8))
	ins, outs := doors(n)
	for range 100 {
		in, out := ins[random.IntN(len(ins))], outs[random.IntN(len(outs))]
		from, to := n.SwitchOf(n.Links[in].To), n.SwitchOf(n.Links[out].From)
		if n.SwitchDistance(from, to) < 0 {
			continue
		}
		set, wide := p.Between(in, out), longer.Between(in, out)
		length := n.SwitchDistance(from, to) + 1
		for range 20 {
			links := step(n, random, from, to, nil)
			for i, l := range append(links, out) {
				if place, all := p.Place(in, out, l); !hasLink(set, l) || !hasLink(wide, l) || place != i+1 ||
					all != int(length) {
					t.Fatalf("%s: link %d, place %d, is not in the set from %d to %d, or at place %d "+
						"of %d", n.Name, l, i+1, in, out, place, all)
				}
			}
			if r := n.Routes; r.Intermediate != nil && from != to {
				by := r.Intermediate[random.IntN(len(r.Intermediate))]
				for _, l := range step(n, random, by, to, step(n, random, from, by, nil)) {
					if !hasLink(wide, l) {
						t.Fatalf("%s: link %d by switch %d is not in the set from %d to %d", n.Name, l, by, in, out)
					}
				}
			}
		}
		checkClosed(t, n, set, from, to, out)
	}
}

// step goes on at random from one switch until another.
func step(n *Topology, random *rand.Rand, at, to int32, way []int32) []int32 {
	for at != to {
		c := n.Routes.Candidates(at, to)
		l := c[random.IntN(len(c))] / n.Routes.VirtualChannels
		way, at = append(way, l), n.SwitchOf(n.Links[l].To)
	}
	return way
}

// checkClosed: the links of a set are the candidates at the first switch and at
// all switches that links of the set lead to, and the last one. That is exact.
func checkClosed(t *testing.T, n *Topology, set []LinkRange, from, to, out int32) {
	t.Helper()
	want, reached := map[int32]bool{out: true}, map[int32]bool{from: true}
	links := expanded(t, set)
	for _, l := range links {
		if end := n.Links[l].To; !n.IsHost(end) {
			reached[n.SwitchOf(end)] = true
		}
	}
	for s := range reached {
		if s != to {
			for _, c := range n.Routes.Candidates(s, to) {
				want[c/n.Routes.VirtualChannels] = true
			}
		}
	}
	if !slices.Equal(links, sorted(want)) {
		t.Fatalf("%s: %d links from switch %d to %d, candidates of their ends "+
			"are %d", n.Name, len(links), from, to, len(want))
	}
}

// All is every link but those out of hosts.
func TestAllSwitchPorts(t *testing.T) {
	for _, spec := range smallSpecs {
		n := mustParse(t, spec)
		var want []int32
		for l := range n.Links {
			if !n.IsHost(n.Links[l].From) {
				want = append(want, int32(l))
			}
		}
		if got := expanded(t, NewPathLinks(n, false).All()); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", spec, got, want)
		}
	}
}

// Between planes there is no way.
func TestNoPathLinksBetweenPlanes(t *testing.T) {
	n := mustParse(t, "xgft:down=2x2x3,up=2x2x1")
	p := NewPathLinks(n, false)
	first, _ := n.Out(0)
	for h := range int32(n.Hosts()) {
		for rail, out := range n.Ejection(h) {
			if set := p.Between(first, out); (len(set) == 0) != (rail == 1) {
				t.Errorf("from rail 0 to rail %d of host %d: %v", rail, h, set)
			}
			if place, length := p.Place(first, out, out); rail == 1 && (place != 0 || length != 0) {
				t.Errorf("place %d of %d between planes", place, length)
			}
		}
	}
}
