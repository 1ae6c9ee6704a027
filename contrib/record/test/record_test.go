// Package record_test runs programs under real MPI libraries with libremap_record.so and
// holds what it records against what the programs are known to send.
package record_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"remap/commgraph"
)

// library is an MPI library, and what its programs are called here.
type library struct {
	name, cc, fortran, launcher string
	plain                       []string // arguments of the launcher, before all others
	preload                     func(library string) []string
}

var openMPI = library{"Open MPI", "mpicc", "mpifort", "mpirun", []string{"--allow-run-as-root",
	"--oversubscribe", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"},
	func(path string) []string { return []string{"-x", "LD_PRELOAD=" + path, "-x", "REMAP_RECORD"} }}

var mpich = library{"MPICH", "mpicc.mpich", "mpifort.mpich", "mpiexec.hydra", nil,
	func(path string) []string { return []string{"-genv", "LD_PRELOAD", path} }}

var libraries = []library{openMPI, mpich}

// need skips the test unless real programs run and these are installed.
func need(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getenv("REMAP_REAL") == "" {
		t.Skip("REMAP_REAL is not set: no MPI program is recorded")
	}
	for _, p := range append(programs, "make") {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed: its MPI programs are not recorded", p)
		}
	}
}

// run runs a program in a folder; it must end well within the test's time.
func run(t *testing.T, folder, program string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = folder
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// build compiles a program of testdata or fixtures and, beside it, the recording library.
func (l library) build(t *testing.T, source string, options ...string) (program, preload string) {
	t.Helper()
	compiler := l.cc
	if strings.HasSuffix(source, ".F90") {
		compiler = l.fortran
	}
	need(t, compiler, l.cc, l.launcher)
	folder := t.TempDir()
	run(t, "..", "make", "MPICC="+l.cc, "OUT="+folder)
	program = filepath.Join(folder, "program")
	run(t, ".", compiler, append(options, "-O1", "-pthread", "-o", program, source)...)
	return program, filepath.Join(folder, "libremap_record.so")
}

// launch runs a program on some ranks in a new folder, recorded under the prefix "r" unless
// REMAP_RECORD says another, and returns the folder and what was printed.
func (l library) launch(t *testing.T, ranks int, preload string, options []string, program string,
	arguments ...string) (folder, output string) {
	t.Helper()
	folder = t.TempDir()
	if os.Getenv("REMAP_RECORD") == "" {
		t.Setenv("REMAP_RECORD", "r")
	}
	all := append(slices.Clone(l.plain), "-n", strconv.Itoa(ranks))
	if preload != "" {
		all = append(all, l.preload(preload)...)
	}
	all = append(append(all, options...), program)
	return folder, run(t, folder, l.launcher, append(all, arguments...)...)
}

// recorded reads every file of a recording: phase number, or -1 for everything, to traffic.
func recorded(t *testing.T, folder string) map[int]*commgraph.Traffic {
	t.Helper()
	all := map[int]*commgraph.Traffic{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		number := -1
		if e.Name() != "r.csv" {
			if n, err := fmt.Sscanf(e.Name(), "r.phase%d.csv", &number); n != 1 {
				t.Fatalf("file %s: %v", e.Name(), err)
			}
		}
		if all[number], err = commgraph.Open(filepath.Join(folder, e.Name()), ""); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// monitored runs a program under Open MPI's monitoring and returns the user's own messages,
// the lines E.
func monitored(t *testing.T, ranks int, program string, arguments ...string) flows {
	t.Helper()
	profiles := filepath.Join(t.TempDir(), "profile")
	openMPI.launch(t, ranks, "", []string{"--mca", "pml_monitoring_enable", "2", "--mca",
		"pml_monitoring_enable_output", "3", "--mca", "pml_monitoring_filename", profiles}, program, arguments...)
	names, err := filepath.Glob(profiles + ".*.prof")
	if err != nil || len(names) != ranks {
		t.Fatalf("%d profiles of %d ranks: %v", len(names), ranks, err)
	}
	var user flows
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var f commgraph.Flow
			n, _ := fmt.Sscanf(line, "E\t%d\t%d\t%d bytes\t%d msgs", &f.From, &f.To, &f.Bytes, &f.Messages)
			if n == 4 {
				user = append(user, f)
			}
		}
	}
	return user
}

// checkTraffic compares recorded traffic with that of messages.
func checkTraffic(t *testing.T, what string, got *commgraph.Traffic, ranks int, messages flows) {
	t.Helper()
	want, err := commgraph.NewTraffic(ranks, messages, true)
	if err != nil {
		t.Fatal(err)
	}
	if got == nil {
		t.Errorf("%s: no file", what)
	} else if !reflect.DeepEqual(got, want) {
		t.Errorf("%s, %d ranks: recorded %+v,\nsent %+v", what, ranks, *got, *want)
	}
}

// contents are the files of a folder by name.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

// checkSame compares the files of recordings under several libraries.
func checkSame(t *testing.T, all []map[string]string) {
	t.Helper()
	for _, files := range all[min(1, len(all)):] {
		if len(files) == 0 || !maps.Equal(files, all[0]) {
			t.Errorf("recordings differ: %v and %v", files, all[0])
		}
	}
}
