package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remap/internal/testkit/real"
	"remap/testbed"
)

const smallTree = "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0,gbps=0.02"

// bed raises a testbed by the command, and takes it away at the end of the test.
func bed(t *testing.T, name, topology string) {
	t.Helper()
	real.OpenMPI4(t)
	real.Need(t, "mpicc", "nsenter", "unshare")
	testbed.Down(name) // of a test that was killed
	code, _, stderr := runHere("testbed", "up", "--name", name, "--topology", topology)
	if strings.Contains(stderr, testbed.ErrUnsupported.Error()) {
		t.Skipf("skipped: %s", stderr)
	}
	if code != exitDone {
		t.Fatalf("testbed up: exit code %d\n%s", code, stderr)
	}
	t.Cleanup(func() { testbed.Down(name) })
}

// on runs a testbed command that must end well.
func on(t *testing.T, arguments ...string) string {
	t.Helper()
	code, stdout, stderr := runHere(append([]string{"testbed"}, arguments...)...)
	if code != exitDone {
		t.Fatalf("testbed %q: exit code %d\n%s%s", arguments, code, stdout, stderr)
	}
	return stdout
}

// Mappings are simulated and run. The simulation orders them as the real network does, where they
// differ by more than chance, and knows about how long they take.
func TestRealTestbedValidate(t *testing.T) {
	bed(t, "test-validate", smallTree)
	var v validation
	text := on(t, "validate", "--name", "test-validate", "--pattern", "stencil2d:4x4,bytes=60000,wait=true,"+
		"edges=skip",
		"--strategies", "identity,tiling", "--random", "2", "--rounds", "1", "--launches", "2", "--json")
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	t.Log(v.sentence())
	if len(v.Runs) < 4 || v.Pairs < 2 || v.Ordered < v.Pairs-1 {
		t.Errorf("%d mappings; of %d pairs %d are ordered right", len(v.Runs), v.Pairs, v.Ordered)
	}
	if v.Ratio < 0.7 || v.Ratio > 2 {
		t.Errorf("measured times are %.2f times those of the simulation", v.Ratio)
	}
}

// Programs with data of their own verify their results on the testbed, beside another job; what the
// ports counted is read as a measurement of the network.
func TestRealTestbedRun(t *testing.T) {
	bed(t, "test-run", smallTree)
	folder := t.TempDir()
	links, ports, profiles := filepath.Join(folder, "links.csv"), filepath.Join(folder, "ports.csv"),
		filepath.Join(folder, "profiles")
	job := []string{"--name", "test-run", "--hosts", "n[0-7]", "--launches", "1", "--launch-steps", "12",
		"--strategy", "identity", "--json"}
	for program, more := range map[string][]string{
		"heat:4x2,bytes=30016": {"--background", "ring:4,endless=true@n8,n12,n9,n13", "--links", links,
			"--snapshots", ports},
		"transpose:8,size=128": {"--record", profiles},
		"ring:8,bytes=80000":   nil,
	} {
		var r bedRun
		text := on(t, append(append([]string{"run", "--program", program}, job...), more...)...)
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Steps) != 1 || len(r.Steps[0]) != 12 || r.MeasuredSeconds <= 0 {
			t.Errorf("%s: %+v", program, r)
		}
		if strings.HasPrefix(program, "heat") && (len(r.Others) != 1 || r.Others[0].Beside <= 0) {
			t.Errorf("%s: others %+v", program, r.Others)
		}
	}
	for _, arguments := range [][]string{
		{"--measured", links}, {"--measured", ports},
	} {
		code, _, stderr := runHere(append([]string{"optimize", "--topology", smallTree, "--routing", "hash",
			"--packet-bytes", "1448", "--pattern", "stencil2d:4x2,bytes=30016,wait=true,edges=skip,sends=nonblocking",
			"--hosts", "n[0-7]", "--rounds", "1", "--control=false", "--output", filepath.Join(folder, "next.csv"),
			"--force"}, arguments...)...)
		if code != exitDone || !strings.Contains(stderr, "the rates of 48 of 48 links") {
			t.Errorf("optimize %q: exit code %d\n%s", arguments, code, stderr)
		}
	}
	code, stdout, stderr := runHere("evaluate", "--topology", smallTree, "--graph", profiles,
		"--hosts", "n[0-7]", "--mapping", filepath.Join(folder, "next.csv"))
	if code != exitDone {
		t.Errorf("evaluate of what was recorded: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// Killed at any moment, up and run leave nothing that down does not take away.
func TestRealTestbedKilled(t *testing.T) {
	bed(t, "test-killed", smallTree)
	testbed.Down("test-killed")
	for i := range 10 {
		random := rand.New(rand.NewPCG(17, uint64(i)))
		command := []string{"testbed", "up", "--name", "test-killed", "--topology", smallTree}
		within := 100 * time.Millisecond // up takes about half of it
		if i >= 4 {
			on(t, command[1:]...)
			command = []string{"testbed", "run", "--name", "test-killed", "--pattern", "stencil2d:4x3,wait=true",
				"--strategy", "identity", "--hosts", "n[0-11]", "--background", "ring:4,endless=true@n[12-15]"}
			within = 6 * time.Second
		}
		c := remapCommand(t, command...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		after := time.Duration(random.Int64N(int64(within)))
		time.Sleep(after)
		c.Process.Kill()
		c.Wait()
		on(t, "down", "--name", "test-killed")
		if left := left(t, "test-killed"); left != "" {
			t.Fatalf("%q killed after %v and taken down leaves %s", command, after, left)
		}
	}
}

// left lists what is there of a testbed: namespaces, mounts, and processes that have its name.
func left(t *testing.T, name string) string {
	t.Helper()
	var found []string
	spaces, err := os.ReadDir("/run/netns")
	if err != nil {
		t.Fatal(err)
	}
	for _, space := range spaces {
		if strings.Contains(space.Name(), name) {
			found = append(found, "namespace "+space.Name())
		}
	}
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mounts), name) {
		found = append(found, "a mount")
	}
	for _, path := range []string{"/run/remap-testbed/" + name + ".json", "/var/cache/remap-testbed/" + name} {
		if _, err := os.Stat(path); err == nil {
			found = append(found, path)
		}
	}
	processes, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, process := range processes {
		text, err := os.ReadFile(process)
		if err == nil && strings.Contains(string(text), "OMPI_MCA_btl_tcp_if_include="+testbed.DataDevice) &&
			strings.Contains(string(text), "remap-testbed/"+name+"/") {
			found = append(found, process)
		}
	}
	return strings.Join(found, ", ")
}

// The examples of --help run as they stand there, but for that of another testbed.
func TestRealTestbedExamples(t *testing.T) {
	bed(t, "test-examples", smallTree)
	testbed.Down("test-examples")
	t.Cleanup(func() { testbed.Down("test-torus") })
	var examples []example
	for _, sub := range (&program{}).newApp().Command("testbed").Subcommands {
		if sub.Name == "validate" { // takes minutes; TestRealTestbedValidate is shorter
			continue
		}
		for _, e := range commandLines("testbed "+sub.Name+" --help", sub.Description) {
			if at := slices.Index(e.args, "--name"); at >= 0 { // not those of who runs the test
				e.args[at+1] = "test-" + e.args[at+1]
			} else {
				e.args = append(e.args, "--name", "test-examples")
			}
			examples = append(examples, e)
		}
	}
	runExamples(t, "", "", examples)
}
