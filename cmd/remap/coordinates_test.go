package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// --coordinates says where ranks lie, whatever order they are numbered in: a
// plate of 8 by 8 whose ranks are dealt in another order is cut the same.
func TestCoordinates(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const network = "fattree:nodes-per-leaf=2,leaves-per-pod=2,pods=1,aggs-per-pod=1,cores=0"
	graph := file("square.csv", "src,dst,bytes\n0,2,5\n2,1,5\n1,3,5\n3,0,5\n")
	line := file("line.csv", "rank,x\n0,1.5\n2,2.5\n1,-10\n3,-9.25\n")
	run := func(args ...string) (int, string, string) {
		return runHere(append([]string{"map", "--quiet", "--topology", network, "--graph", graph}, args...)...)
	}
	code, out, stderr := run("--coordinates", line, "--strategy", "rcb")
	if want := "rank,host,slot\n0,n2,0\n1,n0,0\n2,n3,0\n3,n1,0\n"; code != exitDone || out != want {
		t.Errorf("exit code %d, %s, want %s; %s", code, out, want, stderr)
	}
	for _, test := range []struct{ text, strategy, reason string }{
		{"rank,x\n4,1\n", "rcb", "names rank 4, and the job has ranks 0 to 3"},
		{"rank,x\n1,a\n", "rcb", `bad.csv:2:3: coordinate "a"`},
		{"rank,x\n1,\n", "hilbert", "the places of the ranks in space are not known"},
	} {
		code, _, stderr := run("--coordinates", file("bad.csv", test.text), "--strategy", test.strategy)
		if code == exitDone || !strings.Contains(stderr, test.reason) || !strings.Contains(stderr, "remap: "+
			"hint: ") {
			t.Errorf("%q: exit code %d, %s", test.text, code, stderr)
		}
	}
	if code, _, stderr := run("--coordinates", filepath.Join(folder, "none"), "--strategy",
		"identity"); code == exitDone {
		t.Errorf("a missing file is passed over: %s", stderr)
	}
}
