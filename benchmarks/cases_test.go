package benchmarks

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit"
	"remap/sampling"
	"remap/topology"
	"remap/workload"
)

// speedCase is one simulation whose cost is measured: a pattern of as many ranks
// as the machine has hosts, 128 KiB a message, adaptive routing.
type speedCase struct {
	size     int    // hosts and ranks
	shape    string // of the network, in a benchmark's name
	topology string
	pattern  string
	random   bool // ranks on random hosts, or else rank r on host r (row major)

	sampling string // variant; "" = full
}

// fatTree is a network in the shape of tapered: three levels, half as many links
// up from a leaf switch as hosts on it, parallel links between pods and cores.
func fatTree(perLeaf, leaves, pods, cores int) string {
	return fmt.Sprintf("fattree:nodes-per-leaf=%d,leaves-per-pod=%d,pods=%d,aggs-per-pod=%d,"+
		"cores=%d", perLeaf, leaves, pods, perLeaf/2, cores)
}

// mainCase is the network of the 2018 thesis's section 4.2.
var mainCase = speedCase{4608, "tapered", "tapered", "stencil2d:64x72", false, ""}

// sizeCases are networks of one shape in four sizes.
var sizeCases = []speedCase{
	{64, "tapered", fatTree(8, 4, 2, 4), "stencil2d:8x8", false, ""},
	{512, "tapered", fatTree(16, 8, 4, 16), "stencil2d:32x16", false, ""},
	mainCase,
	{16384, "tapered", fatTree(32, 32, 16, 64), "stencil2d:128x128", false, ""},
}

// largeCases are the largest networks asked for: 13,824 switches in a torus, and
// a balanced dragonfly of ten thousand hosts.
var largeCases = []speedCase{
	{27648, "torus", "torus:24x24x24,hosts=2", "stencil3d7:48x24x24", false, ""},
	{9702, "dragonfly", "dragonfly:groups=99,routers=14,hosts=7,global=7", "stencil2d:98x99", false, ""},
}

// bothMappings are the cases with row-major and with random mapping.
func bothMappings(cases ...speedCase) (both []speedCase) {
	for _, c := range cases {
		c.random = false
		both = append(both, c)
		c.random = true
		both = append(both, c)
	}
	return both
}

func (c speedCase) mapping() string {
	if c.random {
		return "random"
	}
	return "row-major"
}

func (c speedCase) name() string {
	return fmt.Sprintf("size=%d/topology=%s/mapping=%s", c.size, c.shape, c.mapping())
}

// hosts is the host of every rank.
func (c speedCase) hosts() []int32 {
	hosts := make([]int32, c.size)
	for r := range hosts {
		hosts[r] = int32(r)
	}
	if c.random {
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	}
	return hosts
}

// simulation lays the case out; rounds is how often the pattern is played.
func (c speedCase) simulation(t testing.TB, rounds int) *evalsim.Simulation {
	t.Helper()
	machine, err := topology.Parse(c.topology)
	if err != nil {
		t.Fatal(err)
	}
	program, err := workload.ParsePattern(fmt.Sprintf("%s,rounds=%d", c.pattern, rounds))
	if err != nil {
		t.Fatal(err)
	}
	if machine.Hosts() != c.size || program.Ranks() != c.size {
		t.Fatalf("%s has %d hosts and %s %d ranks, not %d", c.topology, machine.Hosts(), c.pattern,
			program.Ranks(), c.size)
	}
	o := evalsim.DefaultOptions()
	if o.Sampling, err = sampling.ParseVariant(cmp.Or(c.sampling, "full")); err != nil {
		t.Fatal(err)
	}
	s, err := evalsim.New(machine, []evalsim.Job{{Program: program, Hosts: c.hosts()}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// play runs a simulation with seed 1.
func play(t testing.TB, s *evalsim.Simulation) *evalsim.Result {
	t.Helper()
	r, err := s.Run(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// userSeconds is the processor time this process has used in user mode.
func userSeconds(t testing.TB) float64 {
	t.Helper()
	return testkit.UserTime().Seconds()
}
