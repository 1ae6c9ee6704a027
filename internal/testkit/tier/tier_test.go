package tier_test

import (
	"testing"

	"remap/internal/testkit/tier"
)

// Each variable asks for its tier and the ones before it, without the other variables.
func TestTiers(t *testing.T) {
	for _, c := range []struct {
		variable                 string
		cases                    int
		long, experiment, tables bool
	}{{"", 1, false, false, false}, {"REMAP_LONG", 2, true, false, false},
		{"REMAP_EXPERIMENTS", 3, true, true, false}, {"REMAP_TABLE", 3, true, true, true}} {
		for _, v := range []string{"REMAP_LONG", "REMAP_EXPERIMENTS", "REMAP_TABLE"} {
			t.Setenv(v, "")
		}
		if c.variable != "" {
			t.Setenv(c.variable, "1")
		}
		if n := tier.Cases(1, 2, 3); n != c.cases {
			t.Errorf("%s=1: %d cases, want %d", c.variable, n, c.cases)
		}
		for name, s := range map[string]struct {
			skip func(testing.TB, string)
			runs bool
		}{"Long": {tier.Long, c.long}, "Experiment": {tier.Experiment, c.experiment},
			"Table": {tier.Table, c.tables}} {
			recorded := &skipped{TB: t}
			if s.skip(recorded, "a sweep: minutes"); recorded.skips == s.runs {
				t.Errorf("%s=1: %s skips: %v", c.variable, name, recorded.skips)
			}
		}
	}
}

// skipped records a skip instead of making one.
type skipped struct {
	testing.TB
	skips bool
}

func (s *skipped) Helper() {}

func (s *skipped) Skipf(string, ...any) { s.skips = true }
