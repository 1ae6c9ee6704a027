package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"remap/internal/testkit/real"
)

// threeCommands are the blocks of commands in the tutorial's section of that name.
func threeCommands(t *testing.T, root string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "## Three commands\n")
	section, _, found := strings.Cut(rest, "\n## ")
	if !found {
		t.Fatal("the tutorial has no section of three commands")
	}
	var blocks [][]string
	inside := false
	for _, line := range strings.Split(strings.ReplaceAll(section, "\\\n", " "), "\n") {
		command, indented := strings.CutPrefix(line, "    ")
		if indented && !inside {
			blocks = append(blocks, nil)
		}
		if inside = indented; indented {
			last := len(blocks) - 1
			blocks[last] = append(blocks[last], command)
		}
	}
	return blocks
}

// The tutorial's three commands, as they stand there, under Open MPI and under MPICH: a recorded run, a
// mapping, and the proof that the launcher follows it. Then the program runs by the launch line printed.
func TestRealTutorial(t *testing.T) {
	root := real.Root(t)
	blocks := threeCommands(t, root)
	if len(blocks) != 2 || len(blocks[0]) != 3 || len(blocks[1]) != 3 {
		t.Fatalf("the tutorial has other commands than twice three: %q", blocks)
	}
	bin := t.TempDir()
	if said, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for i, c := range []struct {
		name, compiler, hosts, launcher string
		programs                        []string
	}{
		{"Open MPI", "mpicc.openmpi", "n0 slots=4\nn1 slots=4\nn2 slots=4\nn3 slots=4\n", "mpirun",
			[]string{"mpirun.openmpi", "mpicc.openmpi"}},
		{"MPICH", "mpicc.mpich",
			strings.ReplaceAll("n0 n5 n10 n15 n4 n9 n14 n3 n8 n13 n2 n7 n12 n1 n6 n11 ", " ", ":1\n"),
			"mpiexec.hydra", []string{"mpiexec.hydra", "mpicc.mpich"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			real.Need(t, append(c.programs, "make", "sh")...)
			names := strings.Fields(strings.NewReplacer(" slots=4", "", ":1", "").Replace(c.hosts))
			setenv(t, real.Hosts(t, names))
			folder := t.TempDir()
			run := func(command string) string {
				t.Helper()
				shell := exec.Command("sh", "-c", command)
				shell.Dir = folder
				said, err := shell.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", command, err, said)
				}
				return string(said)
			}
			if err := os.WriteFile(filepath.Join(folder, "hosts"), []byte(c.hosts), 0o600); err != nil {
				t.Fatal(err)
			}
			run(c.compiler + " -O2 -o heat " + filepath.Join(root, "fixtures", "record", "heat.c"))
			run("cp -r " + filepath.Join(root, "contrib", "record") + " record && make -s -C record " +
				"MPICC=" + c.compiler +
				" && cp record/libremap_record.so .")
			run("remap generate --topology fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=1,aggs-per-pod=2,cores=0 " +
				"--output fabric.txt")
			said := ""
			for _, command := range blocks[i] {
				out := run(command)
				t.Logf("%s\n%s", command, out)
				said += out
			}
			if !strings.Contains(said, "16 ranks run where heat.") {
				t.Errorf("verify says something else:\n%s", said)
			}
			_, line, _ := strings.Cut(said, "\nlaunch: ")
			line, _, _ = strings.Cut(line, "\n")
			if out := run(strings.Replace(line, "PROGRAM", "./heat 4 4 "+
				"64 20", 1)); !strings.Contains(out, "residual ") {
				t.Errorf("the program by the launch line %q says\n%s", line, out)
			}
		})
	}
}
