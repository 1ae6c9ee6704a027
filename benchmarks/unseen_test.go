package benchmarks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"remap/fixtures"
	"remap/internal/testkit/tier"
)

// unseen are jobs that no constant of the loop was chosen on: trees, XGFT with static
// routing, tori, dragonflies, HyperX and a recorded fabric, with and without other jobs and
// spare hosts.
func unseen() []fixtures.Scenario {
	const (
		tree   = "fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=4,cores=0"
		pods   = "fattree:nodes-per-leaf=8,leaves-per-pod=4,pods=4,aggs-per-pod=4,cores=8"
		xgft   = "xgft:down=8x4x4,up=1x4x4"
		groups = "dragonfly:groups=9,routers=4,hosts=2,global=2"
	)
	of := func(first, last, step int) string {
		var list []string
		for h := first; h <= last; h += step {
			list = append(list, fmt.Sprint(h))
		}
		return fmt.Sprintf("n[%s]", strings.Join(list, ","))
	}
	option := func(name, value string) []fixtures.Option { return []fixtures.Option{{Name: name, Value: value}} }
	return []fixtures.Scenario{
		{Name: "grouped-alltoall", Topology: pods, Hosts: of(0, 126, 2), Pattern: "fft2d:planes=8,grid=4x2",
			Background: []string{"ring:64,endless=true@" + of(1, 127, 2)}},
		{Name: "tree-spare", Topology: tree, Hosts: of(0, 55, 1), Pattern: "geometric:48",
			Background: []string{"uniform:8,endless=true@n[56-63]"}},
		{Name: "tree-wait", Topology: tree, Hosts: of(0, 62, 2), Pattern: "stencil2d:4x8,wait=true",
			Background: []string{"uniform:32,endless=true@" + of(1, 63, 2)}},
		{Name: "tree-allreduce", Topology: pods, Hosts: of(0, 126, 2), Pattern: "allreduce:64,bytes=1048576",
			Background: []string{"hotspot:64,endless=true@" + of(1, 127, 2)}},
		{Name: "xgft-static", Topology: xgft, Pattern: "stencil3d7:8x4x4", Options: option("routing", "static")},
		{Name: "xgft-static-shared", Topology: xgft, Hosts: of(0, 126, 2), Pattern: "stencil2d:8x8",
			Background: []string{"uniform:64,endless=true@" + of(1, 127, 2)}, Options: option("routing", "static")},
		{Name: "torus-scattered", Topology: "torus:8x4x4", Hosts: of(0, 126, 2), Pattern: "geometric:64",
			Background: []string{"uniform:64,endless=true@" + of(1, 127, 2)}},
		{Name: "torus-whole", Topology: "torus:4x4x4", Pattern: "nas-cg:64"},
		{Name: "dragonfly", Topology: groups, Pattern: "geometric:72"},
		{Name: "dragonfly-spare", Topology: groups, Hosts: of(0, 71, 1), Pattern: "stencil2d:8x8"},
		{Name: "dragonfly-ugal", Topology: groups, Hosts: of(0, 70, 2), Pattern: "stencil2d:6x6",
			Background: []string{"uniform:36,endless=true@" + of(1, 71, 2)}, Options: option("routing", "ugal")},
		{Name: "hyperx", Topology: "hyperx:4x4,hosts=4", Pattern: "fft2d:planes=4,grid=4x4"},
		{Name: "hyperx-shared", Topology: "hyperx:4x4,hosts=4", Hosts: of(0, 62, 2), Pattern: "geometric:32",
			Background: []string{"uniform:32,endless=true@" + of(1, 63, 2)}},
		{Name: "fabric", Topology: filepath.Join("..", "..", "shared", "data", "ib-loginoff", "topo.ibnetdiscover"),
			Hosts: "stage[1-64]", Pattern: "stencil3d7:4x4x4", Background: []string{"uniform:64," +
				"endless=true@stage[65-128]"}},
	}
}

// findScenario is a scenario of fixtures or of unseen.
func findScenario(t testing.TB, name string) fixtures.Scenario {
	t.Helper()
	all := unseen()
	if i := slices.IndexFunc(all, func(s fixtures.Scenario) bool { return s.Name == name }); i >= 0 {
		needFile(t, all[i])
		return all[i]
	}
	s, err := fixtures.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// needFile skips a test whose scenario's network is a file that is not here.
func needFile(t testing.TB, s fixtures.Scenario) {
	t.Helper()
	if !strings.Contains(s.Topology, ":") {
		if _, err := os.Stat(s.Topology); err != nil {
			t.Skipf("skipped: %v", err)
		}
	}
}

// TestUnseenTable is LoopTable of these.
func TestUnseenTable(t *testing.T) {
	tier.Table(t, "searches of minutes")
	var times, costs strings.Builder
	var over [2]strings.Builder // the best static mapping, the default
	for _, s := range unseen() {
		t.Run(s.Name, func(t *testing.T) {
			row := measureLoop(t, s.Name, 2*loopBudget)
			times.WriteString(row.timesCells())
			costs.WriteString(row.costsCells())
			t.Logf("\n%s%s%s", timesHeader, row.timesCells(), row.costsCells())
			overStatic, overDefault := row.lengthsCells(t)
			over[0].WriteString(overStatic)
			over[1].WriteString(overDefault)
			row.noWorse(t)
		})
	}
	t.Logf("medians on 10 fresh seeds with 95 %% "+
		"intervals:\n%s%s\n%s%s", timesHeader, times.String(), costsHeader, costs.String())
	t.Logf("by length of the job:\n%s%s\n%s%s", lengthsHeader("the best static "+
		"mapping"), over[0].String(), lengthsHeader("the default"), over[1].String())
}

// TestUnseenScenariosOpen keeps them consistent.
func TestUnseenScenariosOpen(t *testing.T) {
	for _, s := range unseen() {
		t.Run(s.Name, func(t *testing.T) {
			if _, err := findScenario(t, s.Name).Open(1); err != nil {
				t.Error(err)
			}
		})
	}
}
