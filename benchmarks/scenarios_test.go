package benchmarks

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"remap/evalsim"
	"remap/fixtures"
	"remap/mapping"
	"remap/strategy"
	"remap/workload"
)

// scenarioRow is what simulations say of a scenario under one mapping, in us.
type scenarioRow struct {
	name      string
	time      evalsim.Summary
	seconds   float64 // of one simulation
	congested float64
}

// scenarioRepeats are the repeats of every row of the table.
const scenarioRepeats = 10

// simulateScenario plays a mapping, with or without the other jobs.
func simulateScenario(t testing.TB, u *fixtures.Setup, name string, m mapping.Mapping, alone bool, repeats int) scenarioRow {
	t.Helper()
	jobs := u.Jobs(m)
	if alone {
		jobs = jobs[:1]
	}
	begin := time.Now()
	results, err := evalsim.Repeat(context.Background(), u.Problem.Machine, jobs, u.Options, repeats, 2, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s := evalsim.Summarize(evalsim.FirstJob(results))
	return scenarioRow{name: name, time: s, seconds: time.Since(begin).Seconds() / float64(repeats), congested: s.CongestedHopFraction}
}

func (r *scenarioRow) us() float64 { return float64(r.time.ElapsedNS) / 1000 }

func (r *scenarioRow) cells(reference float64) string {
	interval := ""
	if r.time.ElapsedNSLow != nil {
		interval = fmt.Sprintf("%.1f to %.1f", float64(*r.time.ElapsedNSLow)/1000, float64(*r.time.ElapsedNSHigh)/1000)
	}
	return fmt.Sprintf("| %s | %.1f | %s | %.3f | %.2f | %.2f |\n", r.name, r.us(), interval, r.us()/reference, 100*r.congested, r.seconds)
}

// scenarioStrategies are the static mappings of the table.
var scenarioStrategies = func() []string {
	if s := os.Getenv("REMAP_STRATEGIES"); s != "" {
		return strings.Split(s, ",")
	}
	return []string{"random", "rcm", "tiling", "multisection", "kl", "best"}
}()

// mapScenario follows a strategy; nil if it refuses the problem.
func mapScenario(t testing.TB, u *fixtures.Setup, name string) mapping.Mapping {
	t.Helper()
	s, err := strategy.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Map(context.Background(), u.Problem)
	if err != nil {
		t.Logf("%s: %s: %v", u.Name, name, err)
		return nil
	}
	return m
}

func openScenario(t testing.TB, name string) *fixtures.Setup {
	t.Helper()
	s, err := fixtures.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// hostRate is the slowest rate of an injection link of the job's hosts, in
// bytes a second.
func hostRate(u *fixtures.Setup) float64 {
	first, _ := u.Problem.Machine.Out(u.Problem.Allocation.Hosts[0])
	return u.Problem.Machine.Links[first].BytesPerSecond
}

// TestScenariosTable prints docs/scenarios.md's figures.
func TestScenariosTable(t *testing.T) {
	if os.Getenv("REMAP_TABLE") == "" {
		t.Skip("skipped: minutes of simulations; set REMAP_TABLE=1")
	}
	for _, s := range fixtures.Table() {
		only := os.Getenv("REMAP_SCENARIO")
		if only != "" && s.Name != only || only == "" && !scenarioOfLoop(s.Name) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			u := openScenario(t, s.Name)
			var table strings.Builder
			identity := mapping.Identity(u.Problem.Ranks())
			reference := simulateScenario(t, u, "default", identity, false, scenarioRepeats)
			rate := hostRate(u)
			fmt.Fprintf(&table, "%s: %d ranks on %d hosts; bounds of a rank: injection %.1f us, ejection %.1f us\n", s.Name, u.Problem.Ranks(), len(u.Problem.Allocation.Hosts),
				float64(workload.InjectionBound(u.Program, rate, rate))/1000, float64(workload.EjectionBound(u.Program, rate))/1000)
			if len(u.Background) > 0 {
				alone := simulateScenario(t, u, "default, alone", identity, true, scenarioRepeats)
				table.WriteString(alone.cells(reference.us()))
			}
			table.WriteString(reference.cells(reference.us()))
			for _, name := range scenarioStrategies {
				if m := mapScenario(t, u, name); m != nil {
					row := simulateScenario(t, u, name, m, false, scenarioRepeats)
					table.WriteString(row.cells(reference.us()))
				}
			}
			t.Log("\n" + table.String())
		})
	}
}

// scenarioOfLoop tells scenarios of the feedback loop, at their real size.
func scenarioOfLoop(name string) bool {
	_, err := fixtures.Find(name + fixtures.Small)
	return err == nil
}
