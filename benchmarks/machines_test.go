package benchmarks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"remap/commgraph"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/topology"
)

// realFabric is a recorded InfiniBand fabric of 8 switches, beside the project.
const realFabric = "../../shared/data/ib-loginoff/topo.ibnetdiscover"

// machineCase is a graph to map onto a machine that is no fat tree.
type machineCase struct {
	graph, machine string
	side           int  // extent of a three-dimensional stencil, 0 = another graph
	periodic       bool // of the stencil
	ranks          int  // of other graphs; 0 = as many as hosts
}

var machineCases = []machineCase{
	{"stencil", "torus:8x8x8", 8, true, 0},
	{"stencil open", "torus:8x8x8", 8, false, 0},
	{"rgg", "torus:8x8x8", 0, false, 0},
	{"powerlaw", "torus:8x8x8", 0, false, 0},
	{"stencil", "mesh:8x8x8", 8, false, 0},
	{"stencil", "torus:24x24x24", 24, true, 0},
	{"stencil open", "torus:24x24x24", 24, false, 0},
	{"rgg", "torus:24x24x24", 0, false, 0},
	{"powerlaw", "torus:24x24x24", 0, false, 0},
	{"stencil", "hyperx:8x8x8", 8, true, 0},
	{"rgg", "hyperx:8x8x8", 0, false, 0},
	{"stencil open", "dragonfly:groups=33,routers=8,hosts=4,global=4", 10, false, 0},
	{"rgg", "dragonfly:groups=33,routers=8,hosts=4,global=4", 0, false, 0},
	{"powerlaw", "dragonfly:groups=33,routers=8,hosts=4,global=4", 0, false, 0},
	{"stencil open", realFabric, 5, false, 0},
	{"rgg", realFabric, 0, false, 0},
	{"powerlaw", realFabric, 0, false, 0},
}

// job generates the case; nil: its machine is not there.
func (c machineCase) job(t *testing.T) *job {
	t.Helper()
	if _, err := os.Stat(c.machine); c.machine == realFabric && err != nil {
		t.Logf("%s: left out, the recorded fabric is not there", c.graph)
		return nil
	}
	machine, err := topology.Open(c.machine)
	if err != nil {
		t.Fatal(err)
	}
	var flows []commgraph.Flow
	ranks := machine.Hosts()
	switch {
	case c.side > 0:
		ranks = c.side * c.side * c.side
		flows = shuffledStencil(c.side, c.periodic)
	case c.graph == "rgg":
		flows = geometricFlows(ranks)
	default:
		flows = powerLawFlows(ranks)
	}
	traffic, err := commgraph.NewTraffic(ranks, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	j := &job{peerCase: peerCase{name: c.graph}, traffic: traffic,
		problem: mapping.Problem{Graph: traffic.Graph(), Machine: machine,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(machine.Hosts())}}}
	j.file = filepath.Join(t.TempDir(), "graph")
	var text strings.Builder
	g := j.problem.Graph
	fmt.Fprintf(&text, "%d %d 1\n", g.Vertices(), len(g.Neighbors)/2)
	for v := range int32(g.Vertices()) {
		first, end := g.Row(v)
		for i := first; i < end; i++ {
			fmt.Fprintf(&text, "%d %d ", g.Neighbors[i]+1, g.Weights[i])
		}
		text.WriteByte('\n')
	}
	if err := os.WriteFile(j.file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return j
}

// shuffledStencil is a 7-point stencil of side^3 ranks in random order.
func shuffledStencil(side int, periodic bool) []commgraph.Flow {
	name := rand.New(rand.NewPCG(3, uint64(side))).Perm(side * side * side)
	var flows []commgraph.Flow
	for v := range name {
		stride := 1
		for range 3 {
			next := v + stride
			if v/stride%side == side-1 {
				next -= side * stride
			}
			if next > v || periodic {
				flows = append(flows, commgraph.Flow{From: int32(name[v]), To: int32(name[next]), Bytes: 1})
			}
			stride *= side
		}
	}
	return flows
}

// geometricFlows join random points of the unit square within a radius for a
// mean degree of about 14, weights 1 to 10.
func geometricFlows(n int) []commgraph.Flow {
	chance := rand.New(rand.NewPCG(1, uint64(n)))
	radius := math.Sqrt(14 / (float64(n) * math.Pi))
	cells := int(1 / radius)
	bucket := make([][]int, cells*cells)
	x, y := make([]float64, n), make([]float64, n)
	var flows []commgraph.Flow
	for v := range n {
		x[v], y[v] = chance.Float64(), chance.Float64()
		cx, cy := int(x[v]*float64(cells)), int(y[v]*float64(cells))
		for ny := max(0, cy-1); ny <= min(cells-1, cy+1); ny++ {
			for nx := max(0, cx-1); nx <= min(cells-1, cx+1); nx++ {
				for _, u := range bucket[ny*cells+nx] {
					if math.Hypot(x[u]-x[v], y[u]-y[v]) <= radius {
						flows = append(flows, commgraph.Flow{From: int32(u), To: int32(v), Bytes: 1 + chance.Int64N(10)})
					}
				}
			}
		}
		bucket[cy*cells+cx] = append(bucket[cy*cells+cx], v)
	}
	return flows
}

// powerLawFlows attach every rank to four earlier ones, by their degree.
func powerLawFlows(n int) []commgraph.Flow {
	chance := rand.New(rand.NewPCG(2, uint64(n)))
	var flows []commgraph.Flow
	ends := []int32{0}
	for v := int32(1); v < int32(n); v++ {
		for range min(4, v) {
			u := ends[chance.IntN(len(ends))]
			flows = append(flows, commgraph.Flow{From: v, To: u, Bytes: 1 + chance.Int64N(100)})
			ends = append(ends, u, v)
		}
	}
	return flows
}

// TestMachinesQuick: on small machines multisection is better than what needs
// no thought, and no worse than Scotch.
func TestMachinesQuick(t *testing.T) {
	for _, c := range machineCases[:tier.Cases(1, 4, 4)] {
		j := c.job(t)
		f := j.run(t, "multisection", 1)
		if f.refusal != nil {
			t.Fatal(f.refusal)
		}
		scotch := j.scotchMachine(t)
		for _, other := range []figure{j.run(t, "random", 1), j.run(t, "identity", 1), scotch} {
			if other.length > 0 && f.length > other.length {
				t.Errorf("%s on %s: average path length %.4f, another mapping has "+
					"%.4f", c.graph, c.machine, f.length, other.length)
			}
		}
		if c.side > 0 && f.length < 2 {
			t.Errorf("%s on %s: average path length %.4f with one rank a switch", c.graph, c.machine, f.length)
		}
	}
}

// TestMachinesTable maps graphs onto tori, meshes, a dragonfly, a HyperX and a
// recorded fabric, and writes a table beside random, identity and Scotch:
// REMAP_TABLE=1 go test -run Machines -timeout 60m -v ./benchmarks
// REMAP_MACHINES=hyperx does the rows that name it alone.
func TestMachinesTable(t *testing.T) {
	tier.Table(t, "maps graphs for some minutes")
	const large = 10000 // ranks; fewer seeds
	only := os.Getenv("REMAP_MACHINES")
	var out strings.Builder
	out.WriteString("| machine | graph | random | identity | `bisection` | user s | `multisection` | user s " +
		"| `best` | user s | Scotch | user s |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range machineCases {
		if only != "" && !strings.Contains(c.machine+" "+c.graph, only) {
			continue
		}
		j := c.job(t)
		if j == nil {
			continue
		}
		seeds, few := 5, 5
		if j.problem.Ranks() > large {
			seeds, few = 2, 1
		}
		scotch := j.scotchMachine(t)
		machine := strings.TrimSuffix(filepath.Base(c.machine), ".ibnetdiscover")
		fmt.Fprintf(&out, "| %s | %s | %.4f | %.4f ", machine, c.graph, j.run(t, "random", 1).length,
			j.run(t, "identity", 1).length)
		for _, spec := range []string{"bisection", "multisection", "best"} {
			if spec == "best" {
				seeds = few
			}
			f := j.run(t, spec, seeds)
			if f.refusal != nil {
				t.Fatal(f.refusal)
			}
			if spec == "best" && scotch.length > 0 && f.length > scotch.length {
				t.Errorf("%s on %s: average path length %.4f, Scotch reaches "+
					"%.4f", c.graph, machine, f.length, scotch.length)
			}
			fmt.Fprintf(&out, "| %s ", cells(f))
		}
		fmt.Fprintf(&out, "| %s |\n", cells(scotch))
	}
	t.Logf("average path length; geometric means over seeds 1 to 5 (large: 2, best 1), user seconds a "+
		"run:\n%s", out.String())
}

// scotchMachine maps with Scotch's default strategy onto the same machine: its
// own torus or mesh target where it has one, else a target made by its amk_grf
// of the cables, with hosts as the only places. Surplus ranks of a host move to
// the nearest free one.
func (j *job) scotchMachine(t *testing.T) figure {
	t.Helper()
	if !has(t, "scotch", "gcv", "scotch_gmap", "amk_grf") {
		return figure{}
	}
	folder := t.TempDir()
	machine := j.problem.Machine
	name, extents, _ := strings.Cut(machine.Name, ":")
	switch name {
	case "torus", "mesh":
		target := fmt.Sprintf("%s3D %s\n", name, strings.ReplaceAll(extents, "x", " "))
		writeFile(t, filepath.Join(folder, "target"), target)
	default:
		if machine.Routes.Table != nil {
			return figure{} // gmap does not read what amk_grf makes of recorded fabrics
		}
		cables, hosts := scotchNetwork(machine)
		writeFile(t, filepath.Join(folder, "cables"), cables)
		writeFile(t, filepath.Join(folder, "hosts"), hosts)
		j.program(t, folder, "amk_grf", "cables", "target", "-2", "-lhosts")
	}
	j.program(t, folder, "gcv", "-ic", "-os", j.absolute(t), "source")
	user := j.program(t, folder, "scotch_gmap", "source", "target", "map")
	text, err := os.ReadFile(filepath.Join(folder, "map"))
	if err != nil {
		t.Fatal(err)
	}
	m := make(mapping.Mapping, j.problem.Ranks())
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var rank, place int32
		if _, err := fmt.Sscan(line, &rank, &place); err != nil {
			t.Fatal(err)
		}
		m[rank-1] = place // ranks are numbered as in METIS files, from 1
	}
	repair(machine, m)
	costs, err := mapping.Evaluate(machine, j.problem.Allocation, j.traffic, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return figure{length: costs.AvgPathLength, user: user}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// scotchNetwork writes the cables of a machine as a Scotch graph of its nodes,
// and the list of hosts.
func scotchNetwork(machine *topology.Topology) (cables, hosts string) {
	nodes := int32(machine.Hosts() + machine.Switches())
	var body, list strings.Builder
	arcs := 0
	for v := range nodes {
		first, end := machine.Out(v)
		var to []int32
		for l := first; l < end; l++ {
			to = append(to, machine.Links[l].To)
		}
		slices.Sort(to)
		to = slices.Compact(to)
		arcs += len(to)
		fmt.Fprint(&body, len(to))
		for _, u := range to {
			fmt.Fprintf(&body, " %d", u)
		}
		body.WriteByte('\n')
		if machine.IsHost(v) {
			fmt.Fprintf(&list, "%d\n", v)
		}
	}
	return fmt.Sprintf("0\n%d %d\n0 000\n%s", nodes, arcs, body.String()),
		fmt.Sprintf("%d\n%s", machine.Hosts(), list.String())
}

// repair moves surplus ranks to the nearest free host, of one slot each.
func repair(machine *topology.Topology, m mapping.Mapping) {
	taken := make([]bool, machine.Hosts())
	var surplus []int
	for r, host := range m {
		if taken[host] {
			surplus = append(surplus, r)
		}
		taken[host] = true
	}
	for _, r := range surplus {
		best := int32(-1)
		for h := range int32(machine.Hosts()) {
			if !taken[h] && (best < 0 || machine.PathLength(m[r], h) < machine.PathLength(m[r], best)) {
				best = h
			}
		}
		m[r], taken[best] = best, true
	}
}
