package tiling

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"remap/commgraph"
	"remap/mapping"
	"remap/topology"
)

// The comparison graphs as files, judged by a program that shares no code with
// ours: every leaf exactly full, and average path lengths.
func TestComparisonGraphsByAnotherScorer(t *testing.T) {
	const bench = "../../shared/bench"
	if os.Getenv("REMAP_LONG") == "" {
		t.Skip("REMAP_LONG is not set: no graphs are generated")
	}
	if _, err := os.Stat(filepath.Join(bench, "gen.py")); err != nil {
		t.Skip("the generator of the comparison graphs is not there")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not there")
	}
	folder := t.TempDir()
	if out, err := exec.Command("python3", filepath.Join(bench, "gen.py"), folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	machine, err := topology.Parse("tapered")
	if err != nil {
		t.Fatal(err)
	}
	for name, most := range map[string]float64{"stencil2d": 1.3947, "stencil2d_perm": 1.3947,
		"stencil3d27": 1.8090, "rgg": 0, "powerlaw": 0, "fft_planes": 0} {
		file := filepath.Join(folder, name+".graph")
		g := readGraph(t, file)
		p := &mapping.Problem{Graph: g, Machine: machine,
			Allocation: &mapping.Allocation{Hosts: mapping.Identity(4608)}}
		m, err := Strategy(AllLevels).Map(context.Background(), p)
		if most == 0 {
			if err == nil {
				t.Errorf("%s: was taken for a grid", name)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var slots strings.Builder
		for _, s := range m {
			fmt.Fprintln(&slots, s)
		}
		placed := filepath.Join(folder, name+".map")
		if err := os.WriteFile(placed, []byte(slots.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("python3", filepath.Join(bench, "evalmap.py"), file, placed, "--kind",
			"slot").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		found := regexp.MustCompile(`maxleaf=32 over=0 cut=\S+ apl=(\S+) slotmax=1 emptyslots=0`).FindSubmatch(out)
		if found == nil {
			t.Fatalf("%s: %s", name, out)
		}
		if got, err := strconv.ParseFloat(string(found[1]), 64); err != nil || got > most {
			t.Errorf("%s: average path length %v, want at most %v", name, got, most)
		}
	}
}

func readGraph(t *testing.T, file string) *commgraph.Graph {
	t.Helper()
	traffic, err := commgraph.Open(file, "")
	if err != nil {
		t.Fatal(err)
	}
	return traffic.Graph()
}
