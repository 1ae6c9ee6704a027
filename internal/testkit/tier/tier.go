// Package tier says how much a run of the tests tries. There are three tiers, each with the
// tests of the ones before it:
//
//   - quick: go test ./..., a minute. Every property is tested, on few and small cases.
//   - long: make test, which sets REMAP_LONG=1. More cases, and what needs big networks.
//   - experiments: make experiments, which sets REMAP_EXPERIMENTS=1. Sweeps of minutes.
//
// REMAP_TABLE=1 adds tests that print a table of the documents and take up to hours; each is
// run by name.
package tier

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// IsLong says whether the long tier runs, or more.
func IsLong() bool { return os.Getenv("REMAP_LONG") != "" || IsExperiments() }

// IsExperiments says whether the experiments run.
func IsExperiments() bool { return os.Getenv("REMAP_EXPERIMENTS") != "" || IsTable() }

// IsTable says whether tables of the documents are asked for.
func IsTable() bool { return os.Getenv("REMAP_TABLE") != "" }

// Long skips a test in the quick tier. What says what is left out, and how long it takes.
func Long(t testing.TB, what string) {
	t.Helper()
	unless(t, IsLong(), "REMAP_LONG", what)
}

// Experiment skips a test unless experiments run.
func Experiment(t testing.TB, what string) {
	t.Helper()
	unless(t, IsExperiments(), "REMAP_EXPERIMENTS", what)
}

// Table skips a test unless tables are asked for.
func Table(t testing.TB, what string) {
	t.Helper()
	unless(t, IsTable(), "REMAP_TABLE", what)
}

func unless(t testing.TB, asked bool, variable, what string) {
	t.Helper()
	if !asked {
		t.Skipf("skipped: %s; set %s=1", what, variable)
	}
}

// Cases is the number of cases that this tier tries of the three.
func Cases(quick, long, experiments int) int {
	switch {
	case IsExperiments():
		return experiments
	case IsLong():
		return long
	}
	return quick
}

// Checks sets how many cases rapid.Check draws in this tier, unless -rapid.checks says it. It
// is for an init function of a test file whose package imports rapid.
func Checks(quick, long, experiments int) {
	if err := flag.Set("rapid.checks", strconv.Itoa(Cases(quick, long, experiments))); err != nil {
		panic(err)
	}
}
