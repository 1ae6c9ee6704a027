package benchmarks

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/mapping"
	"remap/strategy"
	"remap/workload"
)

// phaseCase is a job whose ranks wait for each other, on a network.
type phaseCase struct {
	job, network string
	problem      mapping.Problem // with its phases
	jobs         func(m mapping.Mapping) []evalsim.Job
	options      evalsim.Options
}

// phaseCaseOf is a program on the first hosts of a network.
func phaseCaseOf(t *testing.T, job, network string, p *workload.Program) phaseCase {
	t.Helper()
	s := fixtures.Scenario{Name: job, Topology: network, Pattern: fmt.Sprintf("ring:%d", p.Ranks())}
	u, err := s.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	if u.Traffic, err = p.Traffic(); err != nil {
		t.Fatal(err)
	}
	u.Program, u.Problem.Graph, u.Problem.Grid = p, u.Traffic.Graph(), p.Grid
	return inPhases(t, u, network)
}

func scenarioInPhases(t *testing.T, name string) phaseCase {
	t.Helper()
	return inPhases(t, openScenario(t, name), "its own")
}

func inPhases(t *testing.T, u *fixtures.Setup, network string) phaseCase {
	t.Helper()
	c := phaseCase{u.Name, network, *u.Problem, u.Jobs, u.Options}
	c.problem.Traffic = u.Traffic
	var err error
	if c.problem.Phases, err = u.Program.PhaseTraffic(16); err != nil {
		t.Fatal(err)
	}
	return c
}

// times maps under an objective for every seed, from block placement by swap, and
// gives the simulated medians in us.
func (c *phaseCase) times(t *testing.T, o mapping.Objective, apart bool, seeds int) []float64 {
	t.Helper()
	swap, err := strategy.Parse("swap")
	if err != nil {
		t.Fatal(err)
	}
	times := make([]float64, seeds)
	for i := range times {
		p, options := c.problem, c.options
		p.Objective, p.Seed, options.Seed = o, uint64(i+1), uint64(100+i)
		if !apart {
			p.Phases = nil
		}
		m, err := swap.Map(context.Background(), &p)
		if err != nil {
			t.Fatal(err)
		}
		results, err := evalsim.Repeat(context.Background(), p.Machine, c.jobs(m), options, 3, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		times[i] = float64(evalsim.Summarize(evalsim.FirstJob(results)).ElapsedNS) / 1000
	}
	return times
}

// row is the table's row of an objective: the median without phases, and the
// ratio with them.
func (c *phaseCase) row(t *testing.T, o mapping.Objective, seeds int) (text string, ratio float64) {
	t.Helper()
	together, apart := c.times(t, o, false, seeds), c.times(t, o, true, seeds)
	ratios := make([]float64, seeds)
	for i := range ratios {
		ratios[i] = apart[i] / together[i]
	}
	us, _, _, _ := evalsim.MedianInterval(together)
	ratio, low, high, _ := evalsim.MedianInterval(ratios)
	return fmt.Sprintf("| %s | %s | %d | %s | %.1f | %.3f (%.3f to "+
		"%.3f) |\n", c.job, c.network, len(c.problem.Phases), o, us, ratio, low, high), ratio
}

const (
	phaseTree      = "fattree:nodes-per-leaf=8,leaves-per-pod=4,pods=4,aggs-per-pod=2,cores=4,up=2"
	phaseDragonfly = "dragonfly:groups=9,routers=4,hosts=4,global=2"
	phaseTorus     = "torus:4x4x8"
)

func mustPattern(t *testing.T, spec string) *workload.Program {
	t.Helper()
	p, err := workload.ParsePattern(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPhasesPay holds phases to what they are for: exchanges at doubling distances,
// every one of which crowds the few links between groups of a dragonfly in its own
// time. REMAP_TABLE=1 tells where else they pay, and where not.
func TestPhasesPay(t *testing.T) {
	tier.Long(t, "mappings of 128 ranks in seven phases: five seconds")
	doubling := mustPattern(t, "allreduce:128,algorithm=recursive-doubling,bytes=262144")
	if !tier.IsTable() {
		c := phaseCaseOf(t, "allreduce", phaseDragonfly, doubling)
		if text, ratio := c.row(t, mapping.LinkLoad, 3); ratio > 0.95 {
			t.Errorf("phases bring nothing: %s", text)
		}
		return
	}
	cg, steps := mustPattern(t, "nas-cg:128,bytes=262144"), mustPattern(t, "alltoall:64,algorithm=pairwise,"+
		"bytes=16384")
	stencil := phased(t, [3]int{4, 4, 8}, 131072)
	var table strings.Builder
	fmt.Fprint(&table, "| job | network | phases | objective | us together | apart / together "+
		"|\n|---|---|---|---|---|---|\n")
	var cases []phaseCase
	for _, n := range []struct{ name, spec string }{{"tree", phaseTree}, {"dragonfly", phaseDragonfly},
		{"torus", phaseTorus}} {
		for _, job := range []struct {
			name    string
			program *workload.Program
		}{{"nas-cg:128", cg}, {"allreduce:128", doubling}, {"alltoall:64", steps}, {"stencil in 6 " +
			"steps", stencil}} {
			c := phaseCaseOf(t, job.name, n.spec, job.program)
			c.network = n.name
			cases = append(cases, c)
		}
	}
	cases = append(cases, scenarioInPhases(t, "nas-cg-small"), scenarioInPhases(t, "nas-cg"))
	for i := range cases {
		for _, o := range []mapping.Objective{mapping.LinkLoad, mapping.Capacity} {
			text, _ := cases[i].row(t, o, 6)
			fmt.Fprint(&table, text)
		}
	}
	t.Logf("phases apart or together:\n%s", table.String())
}
