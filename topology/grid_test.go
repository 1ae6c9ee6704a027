package topology

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"remap/input"
)

func TestGridCounts(t *testing.T) {
	for _, want := range []struct {
		spec         string
		hosts, links int // links between switches
		channels     int32
	}{
		{"torus:24x24x24", 13824, 2 * 3 * 13824, 2},
		{"mesh:4x4x4", 64, 2 * 3 * 48, 1},
		{"mesh:5x3,hosts=4", 60, 2 * (4*3 + 5*2), 1},
		{"torus:2x2x2", 8, 2 * 12, 1},
		{"torus:2x2x2,double=true", 8, 2 * 24, 1},
		{"torus:1x1", 1, 0, 1},
		{"torus:2x5", 10, 2 * (5 + 10), 2},
	} {
		n := mustParse(t, want.spec)
		if n.Hosts() != want.hosts || len(n.Links)-2*n.Hosts() != want.links ||
			n.Routes.VirtualChannels != want.channels {
			t.Errorf("%s: %s and %d virtual channels, want %+v", want.spec, n.Summary(), n.Routes.VirtualChannels,
				want)
		}
	}
}

// Every level of a grid has groups of one size, and one prime factor more of
// them than the level above.
func TestGridLevels(t *testing.T) {
	for spec, groups := range map[string][]int{
		"torus:24x24x24":  {13824, 4608, 1536, 512, 256, 128, 64, 32, 16, 8, 4, 2},
		"mesh:6,hosts=3":  {6, 2},
		"torus:4x2":       {8, 4, 2},
		"torus:1,hosts=9": nil,
	} {
		n := mustParse(t, spec)
		if len(n.Levels) != len(groups) {
			t.Errorf("%s: %s, want groups %v", spec, n.Summary(), groups)
			continue
		}
		for i := range n.Levels {
			if n.Levels[i].Groups() != groups[i] {
				t.Errorf("%s: %s, want groups %v", spec, n.Summary(), groups)
			}
			size := make([]int, n.Levels[i].Groups())
			for _, g := range n.Levels[i].Group {
				size[g]++
			}
			for _, s := range size {
				if s != n.Hosts()/len(size) {
					t.Errorf("%s: level %s has groups of %d and %d hosts", spec, n.Levels[i].Name, s, n.Hosts()/len(size))
				}
			}
		}
	}
}

func TestSpecErrors(t *testing.T) {
	const tree = "fattree:nodes-per-leaf=4,leaves-per-pod=4,"
	for spec, reason := range map[string]string{
		"":                   "names no kind",
		"fat":                `unknown kind of network "fat"`,
		"dragonfly":          "groups, routers, hosts, global must be given",
		"dragonfly:9":        `field "9" is not KEY=VALUE`,
		"dragonfly:groups=0": "groups must be at least 1",
		"dragonfly:groups=9,routers=4,hosts=2,global=1": "routers*global must be at least " +
			"groups-1 = 8, so that every two groups are joined: it is 4*1",
		"dragonfly:groups=2,routers=4,hosts=2,global=0": "routers*global must be at least " +
			"groups-1 = 1",
		"dragonfly:groups=9,routers=4,hosts=0,global=2": "hosts must be at least 1",
		"dragonfly:groups=9,routers=4,hosts=2,global=2," +
			"global-latency-ns=-1": "global-latency-ns must be a number from 0 to 1e9",
		"dragonfly:groups=9,routers=4,hosts=2,global=2," +
			"local-latency-ns=1": `dragonfly has no field "local-latency-ns"`,
		"dragonfly:groups=99999,routers=999,hosts=2,global=200":              "are too many",
		"dragonfly:groups=16777216,routers=16777216,hosts=2,global=16777216": "are too many",
		"dragonfly:groups=2,routers=1000,hosts=1,global=1000":                "routing entries are too many",
		"hyperx":                   "dimensions must be given first, such as hyperx:4x4x4",
		"hyperx:8x0":               "every dimension must be at least 1",
		"hyperx:8x8,double=true":   `hyperx has no field "double"`,
		"hyperx:8x8,hosts=0":       "hosts must be at least 1",
		"hyperx:1x1x1x1x1x1x1x1x1": "at most 8 dimensions",
		"hyperx:4097":              "are too many: at most 16777216",
		"fattree": "nodes-per-leaf, leaves-per-pod, pods, aggs-per-pod, cores " +
			"must be given",
		"fattree:pods=0":                       "pods must be at least 1",
		"fattree:pods=x":                       `pods must be a whole number, not "x"`,
		"fattree:pods=-1":                      "pods must be at least 1",
		"fattree:pods=99999999999999":          "pods must be at most 16777216",
		"fattree:pods=1,pods=2":                "pods is given twice",
		"tapered:pods=3":                       `tapered has no field "pods"`,
		"full:gbps=0":                          "gbps must be a number from",
		"full:gbps=NaN":                        "gbps must be a number from",
		"full:latency-ns=-1":                   "latency-ns must be a number from",
		"tapered:3":                            `field "3" is not KEY=VALUE`,
		tree + "pods=2,aggs-per-pod=4,cores=6": "cores must be a multiple of aggs-per-pod: 6 mod 4",
		tree + "pods=2,aggs-per-pod=4,cores=8,up=3": "up must be a multiple of " +
			"cores/aggs-per-pod",
		tree + "pods=2,aggs-per-pod=4,cores=8,up=0": "up must be a multiple of " +
			"cores/aggs-per-pod",
		tree + "pods=2,aggs-per-pod=4,cores=0":                                  "cores must be at least 1",
		tree + "pods=1,aggs-per-pod=4,cores=0,up=2":                             "up must be 0",
		tree + "pods=1,aggs-per-pod=0,cores=0":                                  "aggs-per-pod must be at least 1",
		tree + "pods=9999999,aggs-per-pod=4,cores=4":                            "are too many",
		tree + "pods=16777216,aggs-per-pod=16777216,cores=16777216,up=16777216": "are too many",
		"torus:":                  "dimensions must be given first",
		"torus":                   "dimensions must be given first",
		"torus:hosts=2":           "dimensions must be given first",
		"torus:0x4":               "every dimension must be at least 1",
		"torus:4x":                `every dimension must be a whole number`,
		"torus:20000":             "every dimension must be at most 16383",
		"torus:1x1x1x1x1x1x1x1x1": "at most 8 dimensions",
		"torus:10000x10000":       "are too many",
		"torus:4x4,double=2":      "double must be true or false",
		"mesh:4x4,double=true":    `mesh has no field "double"`,
		"torus:4,wat":             `field "wat" is not KEY=VALUE`,
	} {
		_, err := Parse(spec)
		var e *input.Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, reason) ||
			!strings.Contains(e.Reason, "topology \"") || e.File != "" || e.Hint == "" {
			t.Errorf("Parse(%q) = %v, want %q", spec, err, reason)
		}
	}
}

// The bounds hold for products, are judged before anything is built, and leave
// a fat tree of a million hosts possible.
func TestBoundsOfProducts(t *testing.T) {
	for text, fine := range map[string]bool{
		"torus:200x200x200":           true,
		"torus:100x100x100":           false,
		"torus:16383x1x1x1x1x1x1x500": true,
		"torus:1,hosts=16777216":      true,
		"torus:256x256x1x1x1x1x1x1":   false,
		// 8 million links but 32 million groups of next hops
		"torus:1000x1000x1x1x1x1x1x1": true,
		"mesh:4096x4096":              true,
		"hyperx:4000":                 false,
		"hyperx:4000,hosts=200":       true,
		"hyperx:64x64x64":             true, // 49.5 million links
		"hyperx:24x24x24,hosts=8":     false,
		"dragonfly:groups=513,routers=32,hosts=16,global=16":  false, // 262,656 hosts
		"dragonfly:groups=80,routers=32,hosts=16,global=20":   false,
		"dragonfly:groups=2049,routers=64,hosts=32,global=32": true,
		"tapered": false,
		"fattree:nodes-per-leaf=40,leaves-per-pod=50,pods=500,aggs-per-pod=20,cores=1000":    false,
		"fattree:nodes-per-leaf=4000,leaves-per-pod=500,pods=500,aggs-per-pod=20,cores=1000": true,
		"fattree:nodes-per-leaf=1,leaves-per-pod=4000,pods=1,aggs-per-pod=4000,cores=0":      true,
	} {
		s, err := readSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.plan(); (err != nil) != fine {
			t.Errorf("%s: %v, want an error: %v", text, err, fine)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, spec := range smallSpecs {
		f.Add(spec)
	}
	f.Add("tapered")
	f.Add("fattree:pods=999999999,gbps=1e300")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readSpec(text)
		if err != nil {
			return
		}
		if _, err := s.plan(); err != nil {
			var e *input.Error
			if !errors.As(err, &e) {
				t.Fatalf("%q: %v is no *input.Error", text, err)
			}
			return
		}
		if small(s) {
			n, err := Parse(text)
			if err != nil {
				t.Fatalf("%q passes all bounds but: %v", text, err)
			}
			checkNetwork(t, n, true)
		}
	})
}

// small tells whether the network is quick to build and check.
func small(s *spec) bool {
	product := 1.0
	for _, field := range append([]string{s.bare}, s.values...) {
		for _, number := range strings.Split(field, "x") {
			if n, err := strconv.Atoi(number); err == nil && n > 1 {
				product *= float64(n)
			}
		}
	}
	if s.kind == "dragonfly" || s.kind == "hyperx" {
		return product < 60 // ways over every intermediate switch are checked
	}
	return product < 300 && s.kind != "tapered" && s.kind != "full"
}

// Half-way round a ring of even extent both directions are candidates, on
// different virtual channels of which only the one on the dateline's side is 0;
// every other destination has one candidate. If every host sends to all others, all
// links along one dimension carry the same, whether ties are halved or each goes by
// TieUp in a ring whose extent is a multiple of four.
func TestTiesAreBalanced(t *testing.T) {
	for _, spec := range []string{"torus:4", "torus:8x8", "torus:4x8x12", "torus:6x6", "torus:10x6",
		"torus:7x6", "torus:2x4"} {
		n := mustParse(t, spec)
		g := n.Routes.Grid
		for _, inOrder := range []bool{false, true} {
			load := make([]float64, len(n.Links))
			for from := range int32(n.Switches()) {
				for to := range int32(n.Switches()) {
					if from != to {
						addWays(t, n, load, from, from, to, 1, inOrder)
					}
				}
			}
			for k, extent := range g.Extents {
				least, most := extremes(n, load, int32(k))
				switch {
				case !inOrder || extent%4 != 2 || extent == 2:
					if least != most {
						t.Errorf("%s, in order %v: links of dimension %d carry %g to %g", spec, inOrder, k, least, most)
					}
				case most > 1.2*least: // 2, 1, 2, 1 ... of ties were they not evened out
					t.Errorf("%s, in order: links of dimension %d carry %g to %g", spec, k, least, most)
				}
			}
		}
	}
}

// addWays adds the loads of an amount on its way, from the switch it is at.
func addWays(t *testing.T, n *Topology, load []float64, from, at, to int32, amount float64, inOrder bool) {
	if at == to {
		return
	}
	g, channels := n.Routes.Grid, n.Routes.Candidates(at, to)
	if virtual := n.Routes.VirtualChannels; len(channels) == 2 && channels[0]%virtual != channels[1]%virtual {
		k := g.Differs(at, to)
		down, up := n.Links[channels[0]/virtual], n.Links[channels[1]/virtual]
		if g.way(at, n.SwitchOf(down.To)) != 2*k || g.way(at, n.SwitchOf(up.To)) != 2*k+1 {
			t.Fatalf("%s: the tie at %d toward %d is not down before up", n.Name, at, to)
		}
		if upper := g.Coordinates[at*g.Dimensions+k] > g.Coordinates[to*g.Dimensions+
			k]; upper != (channels[1]%virtual == 0) {
			t.Fatalf("%s: the tie at %d toward %d has its channels the wrong way round", n.Name, at, to)
		}
		if inOrder && g.TieUp(from, to, k) {
			channels = channels[1:]
		} else if inOrder {
			channels = channels[:1]
		}
	} else if len(channels) != 1 {
		t.Fatalf("%s: %d candidates at %d toward %d", n.Name, len(channels), at, to)
	}
	for _, c := range channels {
		link := c / n.Routes.VirtualChannels
		load[link] += amount / float64(len(channels))
		addWays(t, n, load, from, n.SwitchOf(n.Links[link].To), to, amount/float64(len(channels)), inOrder)
	}
}

// extremes are the least and the largest load of the links along a dimension.
func extremes(n *Topology, load []float64, dimension int32) (least, most float64) {
	least = math.Inf(1)
	for l := range n.Links {
		from, to := n.Links[l].From, n.Links[l].To
		if n.IsHost(from) || n.IsHost(to) || n.Routes.Grid.way(n.SwitchOf(from), n.SwitchOf(to))/2 != dimension {
			continue
		}
		least, most = min(least, load[l]), max(most, load[l])
	}
	return least, most
}
