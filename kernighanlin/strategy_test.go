package kernighanlin

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"remap/commgraph"
	"remap/internal/testkit"
	"remap/mapping"
	"remap/topology"
	"remap/workload"
)

// stencil is a width x height grid, rank = y*width + x.
func stencil(t testing.TB, width, height int) *commgraph.Graph {
	var flows []commgraph.Flow
	for v := range int32(width * height) {
		if int(v)%width+1 < width {
			flows = append(flows, commgraph.Flow{From: v, To: v + 1, Bytes: 1})
		}
		if int(v)+width < width*height {
			flows = append(flows, commgraph.Flow{From: v, To: v + int32(width), Bytes: 1})
		}
	}
	traffic, err := commgraph.NewTraffic(width*height, flows, false)
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}

// averages gives the path length and the share of edges between leaf switches.
func averages(p *mapping.Problem, m mapping.Mapping) (length, cut float64) {
	hosts := m.Hosts(p.Allocation)
	for u := range int32(p.Graph.Vertices()) {
		first, end := p.Graph.Row(u)
		for i := first; i < end; i++ {
			if v := p.Graph.Neighbors[i]; v < u && p.Machine.LeafSwitch(hosts[u]) != p.Machine.LeafSwitch(hosts[v]) {
				cut += float64(p.Graph.Weights[i])
			}
		}
	}
	total := float64(p.Graph.TotalWeight())
	return float64(mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m)) / total, cut / total
}

// TestThesisStencil: the thesis's incremental partitioning of the 64x72 stencil
// cut 0.23 of the edges, with an average path of 1.623 switches.
func TestThesisStencil(t *testing.T) {
	machine := parse(t, "tapered")
	p := &mapping.Problem{Graph: stencil(t, 64, 72), Machine: machine, Allocation: everyHost(machine)}
	m, err := Strategy().Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if length, cut := averages(p, m); length > 1.66 || cut > 0.25 {
		t.Errorf("average path length %.4f and cut %.4f, want at most 1.66 and 0.25", length, cut)
	}
}

// nilTB lets drawProblem parse constants; any error would show as a nil machine.
type nilTB struct{ testing.TB }

func (nilTB) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func TestStrategyIsNeverWorseThanItsStart(t *testing.T) {
	for _, spec := range []string{"fattree:nodes-per-leaf=3,leaves-per-pod=2,pods=2,aggs-per-pod=1," +
		"cores=2", "torus:3x2x2"} {
		rapid.Check(t, func(t *rapid.T) {
			p := testkit.Problem(t, spec)
			options := DefaultOptions
			options.ExpensiveFirst = rapid.Bool().Draw(t, "expensive first")
			m, err := StrategyWith(options).Map(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Check(p.Allocation.SlotCount()); err != nil || len(m) != p.Ranks() {
				t.Fatalf("%v: %v", m, err)
			}
			cost := func(m mapping.Mapping) int64 { return mapping.PathBytes(p.Machine, p.Allocation, p.Graph, m) }
			start := p.StartMapping()
			if cost(m) > cost(start) {
				t.Fatalf("cost %d, of the start %d", cost(m), cost(start))
			}
			moved := 0
			now, before := m.Hosts(p.Allocation), start.Hosts(p.Allocation)
			for r := range now {
				if now[r] != before[r] {
					moved++
				}
			}
			if p.MaxMoves > 0 && moved > p.MaxMoves {
				t.Fatalf("%d ranks moved, at most %d may", moved, p.MaxMoves)
			}
		})
	}
}

// TestSpareSlotsAreUsed: a rank far from its only partner moves to the empty
// slot beside it.
func TestSpareSlotsAreUsed(t *testing.T) {
	machine := parse(t, "fattree:nodes-per-leaf=4,leaves-per-pod=2,pods=2,aggs-per-pod=1,cores=2")
	p := &mapping.Problem{Graph: stencil(t, 4, 1), Machine: machine, Allocation: everyHost(machine),
		Start: mapping.Mapping{0, 1, 2, 12}}
	m, err := Strategy().Map(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if length, _ := averages(p, m); length != 1 {
		t.Errorf("average path length %g of %v, one leaf would hold all", length, m)
	}
}

// TestMoreMovesHelp: the cost falls with the number of moves allowed.
func TestMoreMovesHelp(t *testing.T) {
	machine := parse(t, "tapered")
	p := &mapping.Problem{Graph: stencil(t, 64, 72), Machine: machine, Allocation: everyHost(machine)}
	last := 0.0
	for i, moves := range []int{10, 100, 1000, 0} {
		p.MaxMoves = moves
		m, err := Strategy().Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		length, _ := averages(p, m)
		if i > 0 && length >= last {
			t.Errorf("path length %.4f with at most %d moves, %.4f with fewer", length, moves, last)
		}
		last = length
	}
}

func BenchmarkStrategy(b *testing.B) {
	machine := parse(b, "tapered")
	p := &mapping.Problem{Graph: stencil(b, 64, 72), Machine: machine, Allocation: everyHost(machine)}
	b.Run("size=4608/graph=stencil2d", func(b *testing.B) {
		var m mapping.Mapping
		for b.Loop() {
			var err error
			if m, err = Strategy().Map(context.Background(), p); err != nil {
				b.Fatal(err)
			}
		}
		length, cut := averages(p, m)
		b.ReportMetric(length, "path-length")
		b.ReportMetric(cut, "cut")
	})
}

// On a torus every slot is a place of its own: a rank gets near its partner only
// by taking the slot of the partner's neighbour.
func TestTorusGathersPartners(t *testing.T) {
	for _, c := range []struct{ topology, pattern string }{{"torus:8x8x8", "stencil3d7:8x8x8"},
		{"torus:12x12,hosts=2", "stencil2d:16x18"}} {
		machine, err := topology.Parse(c.topology)
		if err != nil {
			t.Fatal(err)
		}
		program, err := workload.ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		traffic, err := program.Traffic()
		if err != nil {
			t.Fatal(err)
		}
		p := &mapping.Problem{Graph: traffic.Graph(), Machine: machine, Seed: 3,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(program.Ranks())}}
		if p.Start, err = mapping.RandomStrategy().Map(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		m, err := Strategy().Map(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		// Links between switches: the path length less the switch itself.
		total := float64(p.Graph.TotalWeight())
		before := float64(mapping.PathBytes(machine, p.Allocation, p.Graph, p.Start))/total - 1
		after := float64(mapping.PathBytes(machine, p.Allocation, p.Graph, m))/total - 1
		if after > before/2 {
			t.Errorf("%s on %s: %.2f links on average from %.2f", c.pattern, c.topology, after, before)
		}
	}
}
