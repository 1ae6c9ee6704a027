package workload

import (
	"fmt"
	"strings"

	"remap/commgraph"
	"remap/input"
)

const (
	maxRanks = 1 << 24    // of a pattern
	maxOps   = 24_000_000 // of a pattern: an all-to-all of 4,608 ranks, 384 MB of operations
	maxTotal = commgraph.MaxTotal

	// MaxPackets is the highest cap a rank that volumes can be scaled to.
	MaxPackets = 1 << 27

	// DefaultMaxPackets is the cap a rank, as a mean over ranks: what a simulation
	// costs grows with the sum, so that a few busy ranks do not scale a job that
	// is cheap. Every pattern of usual messages is below it (65,536 ranks of
	// stencil2d have 128 a rank and take 4 to 9 s); from so many packets on the time
	// a packet of recorded jobs has settled to 1 % (NAS CG, AMG:
	// go test -run VolumeError -v ./benchmarks), and 64 ranks take a second.
	DefaultMaxPackets = 1 << 15

	defaultBytes = 128 << 10 // message size of the 2018 thesis
)

// pattern is a row of the table of synthetic patterns.
type pattern struct {
	name, example string
	options       []string // beside those that all patterns take
	build         func(s *spec, maxOps int64) (*Program, error)
}

var patterns = []pattern{
	{"stencil2d", "64x72", []string{"edges", "wait", "sends"}, buildStencil2D},
	{"stencil3d7", "16x16x18", []string{"edges", "wait", "sends"}, buildStencil3D7},
	{"stencil3d27", "16x16x18", []string{"edge-bytes", "corner-bytes", "edges", "wait", "sends"},
		buildStencil3D27},
	{"ring", "64", nil, buildRing},
	{"uniform", "64", nil, buildUniform},
	{"alltoall", "64", []string{"algorithm"}, buildAllToAll},
	{"fft2d", "planes=32,grid=12x12", []string{"planes", "grid"}, buildFFT2D},
	{"nas-cg", "64", []string{"class", "rows"}, buildNASCG},
	{"geometric", "1024", []string{"degree", "dimensions", "heavy", "wait"}, buildGeometric},
	{"hotspot", "64", []string{"servers", "traffic"}, buildHotSpot},
	{"reduce-naive", "1024,bytes=4096", []string{"root", "reduction-rate"}, collective("reduce", "linear")},
	{"reduce", "64", []string{"algorithm", "root", "reduction-rate"}, collective("reduce", "binomial")},
	{"allreduce", "64", []string{"algorithm", "reduction-rate"}, collective("allreduce", Auto)},
	{"bcast", "64", []string{"algorithm", "root"}, collective("bcast", Auto)},
	{"allgather", "64", []string{"algorithm"}, collective("allgather", Auto)},
	{"gather", "64", []string{"algorithm", "root"}, collective("gather", Auto)},
	{"scatter", "64", []string{"algorithm", "root"}, collective("scatter", Auto)},
	{"reduce-scatter", "64", []string{"algorithm", "reduction-rate"}, collective("reduce-scatter", Auto)},
	{"barrier", "64", []string{"algorithm"}, collective("barrier", Auto)},
}

func (p pattern) optionNames() []string {
	return append([]string{"bytes", "rounds", "seed", "compute-ns"}, p.options...)
}

// later are names that the command line promises for a later version.
var later = []string{"nas-bt", "nas-ep", "nas-ft", "nas-is", "nas-lu", "nas-mg", "nas-sp"}

// PatternNames lists the known patterns with an example each, such as
// "stencil2d:64x72", in a fixed order.
func PatternNames() []string {
	names := make([]string, len(patterns))
	for i, p := range patterns {
		names[i] = p.name + ":" + p.example
	}
	return names
}

// ParsePattern builds the program of a synthetic pattern from its spec
// string: name:extents,option=value,... . Sizes are in bytes.
//
// All take bytes= (131072, the size of every message; for a collective operation
// what Collective.Bytes says, 0 for a barrier), rounds= (1) and compute-ns= (0,
// what a rank computes before each round); seed= (1) is read by those that draw
// numbers. The order of a rank's messages is documented at each builder. Errors
// are *input.Error naming the option and its bound; at most 24,000,000
// operations are built.
func ParsePattern(text string) (*Program, error) { return parsePattern(text, maxOps) }

func parsePattern(text string, maxOps int64) (*Program, error) {
	s := parseSpec(text)
	for _, p := range patterns {
		if p.name == s.name {
			s.pattern = p
			if s.err != nil && s.err.Hint == "" {
				s.err.Hint = fmt.Sprintf("write for example %s:%s", p.name, p.example)
			}
			s.seed() // every pattern takes it, few use it
			return p.build(s, maxOps)
		}
	}
	for _, name := range later {
		if s.name == name {
			return nil, &input.Error{Column: 1, Reason: fmt.Sprintf("pattern %q is not supported yet", name),
				Hint: "supported: " + strings.Join(PatternNames(), ", ")}
		}
	}
	return nil, &input.Error{Column: 1, Reason: fmt.Sprintf("unknown pattern %q", s.name),
		Hint: "known patterns: " + strings.Join(PatternNames(), ", ")}
}
