package benchmarks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remap/evalsim"
	"remap/exchange"
	"remap/feedback"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/strategy"
	"remap/workload"
)

// loopOfScenario is the loop as the command line sets it up.
func loopOfScenario(t testing.TB, u *fixtures.Setup, strategies string) feedback.Settings {
	t.Helper()
	s := feedback.DefaultSettings()
	s.Problem, s.Traffic = u.Problem, u.Traffic
	var err error
	if s.Strategies, err = strategy.ParseList(strategies); err != nil {
		t.Fatal(err)
	}
	s.SimulateBy(u.Options, func(o evalsim.Options) feedback.Evaluate {
		return feedback.Simulator(u.Problem.Machine, u.Problem.Allocation, u.Program, o, 2, u.Background...)
	})
	refine := exchange.Strategy()
	s.Refine = &refine
	return s
}

// stateBytes is what a rank takes along when it moves, in the tables.
const stateBytes = 1_000_000

// remapped lets a job's best mapping under some other jobs go on under others:
// at most 1, 5 and 20 % of the ranks may move, or as many as like.
func remapped(t testing.TB, name, strategies string, rounds, repeats int) (*fixtures.Setup,
	*feedback.Result) {
	t.Helper()
	u := openScenario(t, name)
	u.Options.Steps = 0 // steady state
	before, after := changed(t, u)
	u.Background = before
	s := loopOfScenario(t, u, strategies)
	s.Rounds, s.Repeats, s.ValidationRepeats = rounds, repeats, repeats
	r, err := feedback.Optimize(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	u.Background, u.Problem.Start = after, r.Best.Mapping
	s = loopOfScenario(t, u, strategies)
	s.Rounds, s.Repeats = rounds, repeats
	n := u.Problem.Ranks()
	s.Limits = []int{max(1, n/100), n / 20, n / 5}
	s.Migrate = feedback.Migration(u.Problem.Machine, u.Problem.Allocation, stateBytes, u.Options, after...)
	if r, err = feedback.Optimize(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	return u, r
}

// checkLimited holds a table of gain against moves to what every one must be: no
// row moves more than it may, nothing is called a gain that is not proven, and
// no row is proven slower than one above it.
func checkLimited(t testing.TB, u *fixtures.Setup, r *feedback.Result) {
	t.Helper()
	if len(r.MoveTable) != 4 {
		t.Fatalf("%s: %d rows", u.Name, len(r.MoveTable))
	}
	for i, row := range r.MoveTable {
		if moves := u.Problem.Moves(row.Mapping); moves != row.Moves || row.Limit > 0 && moves > row.Limit {
			t.Errorf("%s: row %d says %d ranks move, at most %d: it is %d", u.Name, i, row.Moves, row.Limit, moves)
		}
		if row.Moves > 0 && (!row.Gain.Proven() || row.Iterations() < 1 || row.MigrationNS <= 0) {
			t.Errorf("%s: %d ranks move for %+v, in %g ns, %d "+
				"iterations", u.Name, row.Moves, row.Gain, row.MigrationNS, row.Iterations())
		}
		for _, above := range r.MoveTable[:i] {
			saved := make([]float64, len(row.Evaluation.Results))
			for k, time := range above.Evaluation.Times() {
				saved[k] = row.Evaluation.Times()[k] - time
			}
			if _, low, _, _ := evalsim.MedianInterval(saved); low > 0 {
				t.Errorf("%s: row %d is proven slower than one above it: %v", u.Name, i, saved)
			}
		}
	}
}

// A fifth of the ranks is enough for most of the gain where the storage hosts of
// others are on other leaf switches than before.
func TestRemapFewRanks(t *testing.T) {
	tier.Long(t, "two searches: four seconds")
	u, r := remapped(t, "io-gateway-small", "tiling", 2, 3)
	checkLimited(t, u, r)
	few, all := r.MoveTable[2], r.MoveTable[3]
	t.Logf("%d ranks moved gain %.1f %%, %d gain %.1f %%", few.Moves, few.Gain.Percent, all.Moves,
		all.Gain.Percent)
	if few.Gain.Percent < 0.5*all.Gain.Percent || !all.Gain.Proven() {
		t.Errorf("%d ranks moved gain %+v, %d gain %+v", few.Moves, few.Gain, all.Moves, all.Gain)
	}
}

// TestRemapTable is the table of docs/results/moves.md.
func TestRemapTable(t *testing.T) {
	tier.Table(t, "searches of minutes")
	var table strings.Builder
	fmt.Fprint(&table, "| scenario | may move | moved | us | gain over the running mapping % | migration us "+
		"| iterations until it has paid |\n|---|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		scenario, strategies string
		rounds               int
	}{{"io-gateway", "tiling", 2}, {"spare", "tiling", 2}, {"fragmented", "multisection", 1}} {
		begin := time.Now()
		u, r := remapped(t, c.scenario, c.strategies, c.rounds, 3)
		checkLimited(t, u, r)
		t.Logf("%s: %d mappings in %.0f s", c.scenario, r.Simulations, time.Since(begin).Seconds())
		interval := func(s *evalsim.Summary) string {
			return fmt.Sprintf("%.1f (%.1f to %.1f)", float64(s.ElapsedNS)/1000, float64(*s.ElapsedNSLow)/1000,
				float64(*s.ElapsedNSHigh)/1000)
		}
		fmt.Fprintf(&table, "| %s | running | 0 | %s | | | |\n", c.scenario, interval(&r.Start.Summary))
		for i, row := range r.MoveTable {
			limit := []string{"1 %", "5 %", "20 %", "all"}[i]
			if row.Moves == 0 {
				fmt.Fprintf(&table, "| | %s | 0 | | nothing proven | | |\n", limit)
				continue
			}
			fmt.Fprintf(&table, "| | %s | %d (%.1f %%) | %s | %.1f (%.1f to %.1f) | %.0f | "+
				"%d |\n", limit, row.Moves, 100*float64(row.Moves)/float64(u.Problem.Ranks()),
				interval(&row.Summary), row.Gain.Percent, row.Gain.Low, row.Gain.High, row.MigrationNS/1000,
				row.Iterations())
		}
	}
	t.Logf("remap from a running mapping, %d bytes a rank:\n%s", stateBytes, table.String())
}

// changed are the other jobs of a scenario while the running mapping was found,
// and those that it meets now.
func changed(t testing.TB, u *fixtures.Setup) (before, after []evalsim.Job) {
	t.Helper()
	name := strings.TrimSuffix(u.Name, fixtures.Small)
	nodes := 32 // hosts of a leaf
	if name != u.Name {
		nodes = 8
	}
	hosts := u.Problem.Allocation.Hosts
	last := int(hosts[len(hosts)-1]) / nodes
	on := func(of, parity int) func(leaf int) bool {
		return func(leaf int) bool { return leaf/of%2 == parity }
	}
	switch name {
	case "io-gateway": // the storage leaves are others
		return u.Background, []evalsim.Job{moveHosts(u.Background[0], nodes, 3, last),
			moveHosts(u.Background[1], nodes, 3, last)}
	case "pf3d": // hot leaves are mild, and mild ones hot
		return u.Background, []evalsim.Job{moveHosts(u.Background[0], nodes, -1, last),
			moveHosts(u.Background[1], nodes, 1, last)}
	case "spare": // half of the streams, then the other half
		return []evalsim.Job{keepHosts(t, u.Background[0], "ring:%d", nodes, on(7, 0))},
			[]evalsim.Job{keepHosts(t, u.Background[0], "ring:%d", nodes, on(7, 1))}
	}
	return []evalsim.Job{keepHosts(t, u.Background[0], "uniform:%d,"+
			"rounds=32", nodes, on(1, 0))}, []evalsim.Job{keepHosts(t, u.Background[0], "uniform:%d,"+
			"rounds=32", nodes, on(1, 1))}
}

// moveHosts is a job whose ranks up to a leaf have moved some leaves on.
func moveHosts(j evalsim.Job, nodes, by, last int) evalsim.Job {
	j.Hosts = slices.Clone(j.Hosts)
	for i, h := range j.Hosts {
		if int(h)/nodes <= last {
			j.Hosts[i] = h + int32(by*nodes)
		}
	}
	return j
}

// keepHosts is a job like another on those of its hosts whose leaves are kept.
func keepHosts(t testing.TB, j evalsim.Job, pattern string, nodes int, keep func(leaf int) bool) evalsim.Job {
	t.Helper()
	var hosts []int32
	for _, h := range j.Hosts {
		if keep(int(h) / nodes) {
			hosts = append(hosts, h)
		}
	}
	program, err := workload.ParsePattern(fmt.Sprintf(pattern, len(hosts)))
	if err != nil {
		t.Fatal(err)
	}
	return evalsim.Job{Program: program, Hosts: hosts, Endless: j.Endless}
}
