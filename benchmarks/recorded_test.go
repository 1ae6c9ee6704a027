package benchmarks

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"remap/commgraph"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/strategy"
	"remap/topology"
)

// recordedFolder holds applications recorded with where their ranks sat
// (par-comm-data, Fujiwara et al. 2017), beside the project.
const recordedFolder = "../../shared/data/par-comm-data"

// recordedCases are runs of 128 ranks on 32 nodes of Vesta, a Blue Gene/Q.
var recordedCases = []struct {
	name, file string
	grid       []int // process grid, nil = none
}{
	{"MiniMD", "MiniMD_Vesta_n32_c4_w", []int{8, 4, 4}},
	{"MiniAMR", "MiniAMR_Vesta_n32_c4_s2", nil},
}

// recorded is a run: what its ranks sent, where they sat, and how many links
// were counted between every two that talked.
type recorded struct {
	traffic *commgraph.Traffic
	hops    []int32 // length entries of the traffic
	problem mapping.Problem
	mapping mapping.Mapping // as recorded
}

// openRecorded reads a run. The machine is the torus of the five dimensions
// whose extents the coordinates show; the sixth coordinate is the core.
func openRecorded(t *testing.T, file string) *recorded {
	t.Helper()
	open := func(name string) *os.File {
		f, err := os.Open(filepath.Join(recordedFolder, name))
		if err != nil {
			t.Skip("skipped: the recorded runs are not there")
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	r := &recorded{}
	var err error
	sizes := open(file + "_hopbyte.txt")
	if r.traffic, r.hops, err = commgraph.ReadParComm(sizes.Name(), sizes); err != nil {
		t.Fatal(err)
	}
	routes := open(file + "_route.txt")
	c, _, err := commgraph.ReadRoutes(routes.Name(), routes)
	if err != nil {
		t.Fatal(err)
	}
	extents := c.Extents()
	last := len(extents) - 1
	spec := "torus:" + strings.Trim(strings.ReplaceAll(fmt.Sprint(extents[:last]), " ", "x"), "[]") +
		",double=true"
	machine, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	a := &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts()),
		Slots: slices.Repeat([]int32{int32(extents[last])}, machine.Hosts())}
	if r.mapping, err = mapping.AtCoordinates(machine, a, c); err != nil {
		t.Fatal(err)
	}
	r.problem = mapping.Problem{Graph: r.traffic.Graph(), Traffic: r.traffic, Coordinates: c,
		Machine: machine, Allocation: a}
	return r
}

// checkHops: every pair is as many links apart as was counted.
func (r *recorded) checkHops(t *testing.T) {
	t.Helper()
	hosts := r.mapping.Hosts(r.problem.Allocation)
	for u := range int32(r.traffic.Ranks()) {
		first, end := r.traffic.Row(u)
		for i := first; i < end; i++ {
			v := r.traffic.Destinations[i]
			if links := max(0, r.problem.Machine.PathLength(hosts[u], hosts[v])-1); links != r.hops[i] {
				t.Errorf("%d to %d: %d links, recorded %d", u, v, links, r.hops[i])
			}
		}
	}
}

// seedsToRun is 5 where time is given, or else 1.
func seedsToRun() int {
	if tier.IsTable() {
		return 5
	}
	return tier.Cases(1, 1, 2)
}

// spread is the hop-bytes over seeds.
type spread struct{ mean, least, most float64 } // geometric mean

// hopBytes maps p with a strategy, seeds 1 to seeds; false: it is not known, or
// it refuses the problem.
func hopBytes(t *testing.T, p mapping.Problem, traffic *commgraph.Traffic, spec string,
	seeds int) (spread, bool) {
	t.Helper()
	s, err := strategy.Parse(spec)
	if err != nil {
		return spread{}, false
	}
	f := spread{least: math.Inf(1)}
	logs := 0.0
	for seed := range seeds {
		p.Seed = uint64(seed + 1)
		m, err := s.Map(context.Background(), &p)
		if err != nil {
			t.Logf("%s: %v", spec, err)
			return spread{}, false
		}
		costs, err := mapping.Evaluate(p.Machine, p.Allocation, traffic, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		cost := float64(costs.HopBytes)
		logs += math.Log(cost)
		f.least, f.most = min(f.least, cost), max(f.most, cost)
	}
	f.mean = math.Exp(logs / float64(seeds))
	return f, true
}

// TestRecorded maps two recorded applications on their own torus:
// REMAP_TABLE=1 go test -run Recorded -v ./benchmarks
func TestRecorded(t *testing.T) {
	seeds := seedsToRun()
	ways := []struct {
		name, spec string
		start      bool // from where the ranks sat
		grid       bool // by the process grid, or else the recorded coordinates
	}{
		{
			name: "`best`",
			spec: "best",
		}, {name: "`multisection`", spec: "multisection"}, {name: "`multisection+swap`", spec: "multisection+swap"},
		{name: "`kl` from the recorded one", spec: "kl", start: true}, {name: "`swap` from the " +
			"recorded one", spec: "swap", start: true},
		{name: "`rcb` of the process grid", spec: "rcb", grid: true}, {name: "`hilbert` of the process " +
			"grid", spec: "hilbert", grid: true},
		{name: "`rcb` of the recorded places", spec: "rcb"}, {name: "`hilbert` of the recorded " +
			"places", spec: "hilbert"},
		{name: "`random`", spec: "random"},
	}
	if !tier.IsTable() {
		ways = ways[:tier.Cases(0, 1, 1)]
	}
	var out strings.Builder
	out.WriteString("| run | torus | mapping | hop-bytes | to the recorded | least and most " +
		"|\n|---|---|---|---|---|---|\n")
	for _, c := range recordedCases {
		r := openRecorded(t, c.file)
		r.checkHops(t)
		costs, err := mapping.Evaluate(r.problem.Machine, r.problem.Allocation, r.traffic, r.mapping, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := float64(costs.HopBytes)
		shape, _, _ := strings.Cut(strings.TrimPrefix(r.problem.Machine.Name, "torus:"), ",")
		fmt.Fprintf(&out, "| %s | %s | as recorded | %.4g | 1 | |\n", c.name, shape, before)
		for _, w := range ways {
			p := r.problem
			if w.start {
				p.Start = r.mapping
			}
			if w.grid {
				if c.grid == nil {
					continue
				}
				p.Coordinates, p.Grid = nil, c.grid
			}
			f, known := hopBytes(t, p, r.traffic, w.spec, seeds)
			if !known {
				continue
			}
			ends := ""
			if f.most > f.least {
				ends = fmt.Sprintf("%.3f, %.3f", f.least/before, f.most/before)
			}
			fmt.Fprintf(&out, "| %s | %s | %s | %.4g | %.3f | "+
				"%s |\n", c.name, shape, w.name, f.mean, f.mean/before, ends)
			if w.spec == "best" && f.most > before {
				t.Errorf("%s: best has %.4g hop-bytes, as recorded it had %.4g", c.name, f.most, before)
			}
		}
		if found := annealed(t, r.problem); found > 0 {
			fmt.Fprintf(&out, "| %s | %s | annealing | %.4g | %.3f | |\n", c.name, shape, found, found/before)
		}
	}
	t.Logf("hop-bytes of 128 ranks on 32 nodes, 4 a node; geometric means over seeds 1 to "+
		"%d:\n%s", seeds, out.String())
}
