package benchmarks

import (
	"fmt"
	"strings"
	"testing"

	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/mapping"
)

// shifted is the job numbered from another of its hosts on; behind the last host the
// first follows.
func shifted(u *fixtures.Setup, hosts int) mapping.Mapping {
	slots := int(u.Problem.Allocation.Slots[0])
	m := make(mapping.Mapping, u.Problem.Ranks())
	for r := range m {
		m[r] = int32((hosts*slots + r) % (slots * len(u.Problem.Allocation.Hosts)))
	}
	return m
}

// TestPlanesShifts is the remedy that SC'19 (Taffet and Mellor-Crummey) published for
// pF3D, a shift of node numbers, beside the mapping by hand, which also chooses the hosts
// that stay empty:
// REMAP_TABLE=1 go test -run PlanesShifts -v ./benchmarks
func TestPlanesShifts(t *testing.T) {
	tier.Table(t, "160 mappings of 5040 ranks")
	u := openScenario(t, "pf3d")
	hosts := len(u.Problem.Allocation.Hosts)
	best, least := 0, 0.0
	for k := range hosts {
		row := simulateScenario(t, u, "", shifted(u, k), false, 1)
		if k == 0 || row.us() < least {
			best, least = k, row.us()
		}
	}
	var table strings.Builder
	base := simulateScenario(t, u, "default", shifted(u, 0), false, scenarioRepeats)
	rows := []scenarioRow{base}
	for k := 1; k <= hosts-u.Problem.Ranks()/int(u.Problem.Allocation.Slots[0]); k++ { // without a way round
		rows = append(rows, simulateScenario(t, u, fmt.Sprintf("shift by %d hosts", k), shifted(u, k), false, 3))
	}
	rows = append(rows, simulateScenario(t, u, fmt.Sprintf("best of all %d shifts: by %d "+
		"hosts", hosts, best), shifted(u, best), false, scenarioRepeats),
		simulateScenario(t, u, "by hand", byHand(t, u), false, scenarioRepeats))
	for i := range rows {
		fmt.Fprintf(&table, "| %s | %.1f | %.1f %% |\n", rows[i].name, rows[i].us(), 100*(1-rows[i].us()/base.us()))
	}
	t.Logf("\n| mapping | us | gain |\n|---|---|---|\n%s", table.String())
	if shift, hand := rows[len(rows)-2].us(), rows[len(rows)-1].us(); shift < 1.1*hand {
		t.Errorf("a shift takes %.1f us, by hand %.1f: a shift does as well", shift, hand)
	}
}
