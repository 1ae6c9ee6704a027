package benchmarks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remap/commgraph"
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
	j := &job{peerCase: peerCase{name: c.graph}, traffic: traffic, problem: mapping.Problem{Graph: traffic.Graph(), Machine: machine,
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

// TestMachinesTable maps graphs onto tori, meshes, a dragonfly, a HyperX and a
// recorded fabric, and writes a table beside random, identity and Scotch:
// REMAP_LONG=1 REMAP_TABLE=1 go test -run Machines -timeout 30m -v ./benchmarks
func TestMachinesTable(t *testing.T) {
	if os.Getenv("REMAP_LONG") == "" || os.Getenv("REMAP_TABLE") == "" {
		t.Skip("skipped: maps graphs for some minutes; set REMAP_LONG=1 and REMAP_TABLE=1")
	}
	only := os.Getenv("REMAP_MACHINES")
	for _, c := range machineCases {
		if only != "" && !strings.Contains(c.machine+" "+c.graph, only) {
			continue
		}
		j := c.job(t)
		if j == nil {
			continue
		}
		var row strings.Builder
		fmt.Fprintf(&row, "| %s | %s ", c.machine, c.graph)
		for _, spec := range []string{"random", "identity", "bisection", "multisection"} {
			seeds := 3
			f := j.run(t, spec, seeds)
			fmt.Fprintf(&row, "| %s ", cells(f))
			if f.refusal != nil {
				t.Error(f.refusal)
			}
		}
		t.Log(row.String())
	}
}
