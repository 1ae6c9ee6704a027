package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/fixtures"
	"remap/internal/testkit/tier"
	"remap/mapping"
)

// Every ready-made scenario loads, its jobs on hosts of their own.
func TestScenariosLoad(t *testing.T) {
	tier.Long(t, "networks of up to 27,648 hosts: a second")
	for _, s := range fixtures.Table() {
		folder := t.TempDir()
		path := filepath.Join(folder, "m.csv")
		if code, _, stderr := runHere("map", "--scenario", s.Name, "--strategy", "identity", "--output",
			path); code != exitDone {
			t.Fatalf("%s: exit code %d\n%s", s.Name, code, stderr)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, _, problem, err := s.Load(1)
		if err != nil {
			t.Fatal(err)
		}
		hosts := mapping.Identity(problem.Ranks()).Hosts(problem.Allocation)
		last := problem.Machine.HostNames[hosts[problem.Ranks()-1]]
		if lines := strings.Count(string(content), "\n"); lines != problem.Ranks()+1 ||
			!strings.Contains(string(content), ","+last+",") {
			t.Errorf("%s: %d lines for %d ranks, the last of them on %s", s.Name, lines, problem.Ranks(), last)
		}
	}
}

// A small scenario is the same job for the command line and for fixtures.Open:
// the same simulated time to the nanosecond.
func TestScenarioIsTheSameInGo(t *testing.T) {
	most := tier.Cases(3, 100, 100)
	for _, s := range fixtures.Table() {
		if !strings.HasSuffix(s.Name, fixtures.Small) && (s.Name != "popcount" || !tier.IsExperiments()) ||
			most == 0 {
			continue
		}
		most--
		code, stdout, stderr := runHere("simulate", "--scenario", s.Name, "--strategy", "identity", "--repeats",
			"2", "--json")
		var told struct {
			Elapsed int64   `json:"elapsed_ns"`
			Packets int64   `json:"packets"`
			Scale   float64 `json:"volume_scale"`
		}
		if err := json.Unmarshal([]byte(stdout), &told); code != exitDone || err != nil {
			t.Fatalf("%s: exit code %d, %v\n%s", s.Name, code, err, stderr)
		}
		u, err := s.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		results, err := evalsim.Repeat(context.Background(), u.Problem.Machine,
			u.Jobs(mapping.Identity(u.Problem.Ranks())), u.Options, 2, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		ours := evalsim.Summarize(evalsim.FirstJob(results))
		if ours.ElapsedNS != told.Elapsed || ours.Packets != told.Packets || ours.VolumeScale != told.Scale {
			t.Errorf("%s: %d ns, %d packets, scale %g; the command line "+
				"tells %+v", s.Name, ours.ElapsedNS, ours.Packets, ours.VolumeScale, told)
		}
	}
}
