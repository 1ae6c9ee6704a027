package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remap/internal/testkit/tier"
)

// An interrupt during the check leaves the mapping, which was written before it,
// and tells what was done.
func TestInterruptOfCheck(t *testing.T) {
	tier.Long(t, "two seconds")
	output := filepath.Join(t.TempDir(), "best.csv")
	var stdout bytes.Buffer
	c := remapCommand(t, "optimize", "--topology",
		"fattree:nodes-per-leaf=8,leaves-per-pod=8,pods=1,aggs-per-pod=2,cores=0", "--pattern",
		"stencil2d:8x8,bytes=16384", "--strategies", "kl", "--previous", shuffledMapping(t, 64), "--steps", "1",
		"--rounds", "0", "--validation-repeats", "120", "--control=false", "--check-model", "--output", output,
		"--json", "--progress", "always", "--workers", "1")
	c.Stdout = &stdout
	stderr, err := interrupted(t, c, os.Interrupt, `checking the model [1-9]`, func() {
		if _, err := os.Stat(output); err != nil {
			t.Errorf("the check begins before the mapping is written: %v", err)
		}
	})
	if err != nil {
		t.Fatalf("%v; stderr:\n%s", err, stderr)
	}
	if !strings.Contains(stderr, "interrupted after ") ||
		!strings.Contains(stdout.String(), `"interrupted": true`) {
		t.Errorf("nothing tells of the interrupt; stderr:\n%s\nstdout:\n%s", stderr, stdout.String())
	}
}

// shuffledMapping is a file with a bad mapping of ranks to the hosts n0, n1, ...:
// drawn, since a rule such as r*37 modulo the hosts may keep to the symmetry of a torus.
func shuffledMapping(t *testing.T, ranks int) string {
	var b strings.Builder
	b.WriteString("rank,host,slot\n")
	for r, h := range rand.New(rand.NewPCG(1, 0)).Perm(ranks) {
		fmt.Fprintf(&b, "%d,n%d,0\n", r, h)
	}
	path := filepath.Join(t.TempDir(), "shuffled.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
