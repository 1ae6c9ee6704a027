package benchmarks

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"remap/mapping"
)

// has tells whether programs are installed; the first missing one is logged.
func has(t *testing.T, source string, programs ...string) bool {
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s (Debian package %s) is not installed: its columns stay empty", program, source)
			return false
		}
	}
	return true
}

// program runs a program in a folder and gives the user seconds it took.
func (j *job) program(t *testing.T, folder, name string, arguments ...string) float64 {
	t.Helper()
	cmd := exec.Command(name, arguments...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s on %s: %v: %s", name, j.name, err, out)
	}
	return cmd.ProcessState.UserTime().Seconds()
}

// scotch maps with Scotch's default strategy, which has no seeds, onto the tree
// of pods and leaf switches.
func (j *job) scotch(t *testing.T) figure {
	if !has(t, "scotch", "gcv", "scotch_gmap") {
		return figure{}
	}
	folder := t.TempDir()
	target := fmt.Sprintf("tleaf 2 %d 2 %d 2\n", j.pods, j.leaves)
	if err := os.WriteFile(filepath.Join(folder, "target"), []byte(target), 0o600); err != nil {
		t.Fatal(err)
	}
	j.program(t, folder, "gcv", "-ic", "-os", j.absolute(t), "source")
	user := j.program(t, folder, "scotch_gmap", "source", "target", "map")
	return figure{length: j.judge(t, filepath.Join(folder, "map"), "scotchleaf").length, user: user}
}

// metis cuts with METIS's recursive bisection into the leaf switches in order.
func (j *job) metis(t *testing.T, seeds int) (f figure) {
	if !has(t, "metis", "gpmetis") {
		return figure{}
	}
	folder := t.TempDir()
	leaves := strconv.Itoa(j.leaves * j.pods)
	link := filepath.Join(folder, "graph")
	if err := os.Symlink(j.absolute(t), link); err != nil {
		t.Fatal(err)
	}
	logs := 0.0
	for seed := 1; seed <= seeds; seed++ {
		f.user += j.program(t, folder, "gpmetis", "-ptype=rb", "-ufactor=1", fmt.Sprintf("-seed=%d", seed),
			"graph", leaves) / float64(seeds)
		logs += math.Log(j.judge(t, link+".part."+leaves, "leaf").length)
	}
	f.length = math.Exp(logs / float64(seeds))
	return f
}

func (j *job) absolute(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(j.file)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// verdict is what the other evaluator says.
type verdict struct {
	length float64 // average path length, repaired where leaf switches held too many
	exact  bool    // they did not
}

// judge scores a mapping file by a program that shares no code with ours.
func (j *job) judge(t *testing.T, file, kind string) verdict {
	t.Helper()
	out, err := exec.Command("python3", filepath.Join(peerBench, "evalmap.py"), j.file, file,
		"--hier", fmt.Sprintf("%d:%d:%d", j.leaf, j.leaves, j.pods), "--kind", kind).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", j.name, err, out)
	}
	lengths := regexp.MustCompile(`apl=(\S+)`).FindAllStringSubmatch(string(out), -1)
	if len(lengths) == 0 {
		t.Fatalf("%s: %s", j.name, out)
	}
	length, err := strconv.ParseFloat(lengths[len(lengths)-1][1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return verdict{length, strings.Contains(string(out), "over=0 ")}
}

// check compares our score of a mapping with the other evaluator's.
func (j *job) check(t *testing.T, m mapping.Mapping) {
	t.Helper()
	var slots strings.Builder
	for _, s := range m {
		fmt.Fprintln(&slots, s)
	}
	file := filepath.Join(t.TempDir(), "slots")
	if err := os.WriteFile(file, []byte(slots.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	costs, err := mapping.Evaluate(j.problem.Machine, j.problem.Allocation, j.traffic, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := j.judge(t, file, "slot"); !v.exact || math.Abs(v.length-costs.AvgPathLength) > 0.000051 {
		t.Errorf("%s: the other evaluator says %.4f (exactly balanced: %v), ours "+
			"%.4f", j.name, v.length, v.exact, costs.AvgPathLength)
	}
}
