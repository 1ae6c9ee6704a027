package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"remap"

	"remap/internal/testkit/tier"
)

// A tree of eight leaf switches; the job is offered two hosts of each, and others send between
// those of the first four.
var (
	ownJob = []string{"--topology", "fattree:nodes-per-leaf=4,leaves-per-pod=8,pods=1,aggs-per-pod=2,cores=0",
		"--pattern", "uniform:8,rounds=8",
		"--hosts", "n0,n4,n8,n12,n16,n20,n24,n28,n1,n5,n9,n13,n17,n21,n25,n29"}
	ownOthers = []string{"--background", "uniform:8,rounds=4,endless=true@n2,n3,n6,n7,n10,n11,n14,n15"}
)

// What the job's own packets met in one run leads it off the leaf switches that others crowd, to
// where it is faster beside them.
func TestMeasuredByOwnSamples(t *testing.T) {
	tier.Long(t, "three searches: 2 s")
	t.Chdir(t.TempDir())
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := runHere(args...)
		if code != exitDone {
			t.Fatal(stderr)
		}
		return stdout, stderr
	}
	elapsed := func(stdout string) (s seen) {
		t.Helper()
		if err := json.Unmarshal([]byte(stdout), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	finer := []string{"--congestion", "queue-above:8192"}
	run(slices.Concat([]string{"simulate", "--strategy", "identity", "--sampling", "full", "--links", "run.csv",
		"--seed", "9"}, ownJob, ownOthers, finer)...)
	stdout, stderr := run(slices.Concat([]string{"optimize", "--measured", "run.csv", "--measured-view", "job",
		"--control=false", "--output", "next.csv", "--json"}, ownJob, finer)...)
	var result struct {
		Measured remap.MeasurementSummary `json:"measured"`
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatal(err)
	}
	if m := result.Measured; m.View != remap.JobView || m.Known == 0 || m.Busiest == nil || m.Others != nil {
		t.Errorf("JSON has %+v", m)
	}
	for _, said := range []string{"the job's own packets crossed ", "at the rates that others leave"} {
		if !strings.Contains(stderr, said) {
			t.Errorf("stderr does not say %q:\n%s", said, stderr)
		}
	}
	mapped, err := os.ReadFile("next.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"n0", "n1", "n4", "n5", "n8", "n9", "n12", "n13"} {
		if strings.Contains(string(mapped), ","+host+",") {
			t.Errorf("a rank stays at %s, beside others:\n%s", host, mapped)
		}
	}
	truth := slices.Concat([]string{"simulate", "--json", "--repeats", "6", "--seed", "99"}, ownJob, ownOthers)
	before, _ := run(append(truth, "--strategy", "identity")...)
	after, _ := run(append(truth, "--mapping", "next.csv")...)
	b, a := elapsed(before), elapsed(after)
	if t.Logf("%.0f ns before, %.0f after", b.ElapsedNS, a.ElapsedNS); !(*a.High < *b.Low) {
		t.Errorf("%.0f ns before, %.0f after: not proven faster", b.ElapsedNS, a.ElapsedNS)
	}
}

func TestMeasuredViewRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	unsampled := "from,port,to,bytes,est_packets,est_congested_packets\nn0,0,leaf0,5,,\n"
	plain := "from,port,to,busy_fraction\nn0,0,leaf0,0.5\n"
	for name, text := range map[string]string{"plain.csv": plain, "unsampled.csv": unsampled} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		said string
	}{
		{[]string{"--measured-view", "job"}, "--measured-view goes with --measured"},
		{[]string{"--measured", "plain.csv", "--measured-view", "jobs"}, `unknown view "jobs"`},
		{[]string{"--measured", "plain.csv", "--measured", "plain.csv", "--measured-view", "job"}, "given 2 times"},
		{[]string{"--measured", "plain.csv", "--measured-view", "job", "--measured-seconds", "5"},
			"leave out --measured-seconds"},
		{[]string{"--measured", "plain.csv", "--measured-view", "job"}, "no column est_packets"},
		{[]string{"--measured", "unsampled.csv", "--measured-view", "job"}, "--sampling full --links FILE"},
		{append([]string{"--measured", "plain.csv", "--measured-view", "job"}, ownOthers...), "count twice"},
	} {
		code, _, stderr := runHere(slices.Concat([]string{"optimize"}, ownJob, c.args)...)
		if code == exitDone || !strings.Contains(stderr, c.said) {
			t.Errorf("%v: code %d, stderr does not say %q:\n%s", c.args, code, c.said, stderr)
		}
	}
}
