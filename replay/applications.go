package replay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"remap/input"
	"remap/workload"
)

// programSpecs are the programs with data of their own, by name: what ParseApplication reads.
var programSpecs = map[string]struct {
	example string
	size    string // the option that they take
	make    func(extents []int, size int64) (Application, error)
}{
	"heat": {"heat:8x4,bytes=60032", "bytes", func(extents []int, size int64) (Application, error) {
		if len(extents) != 2 {
			return Application{}, fmt.Errorf("the heat program has a grid of two extents, such as 8x4")
		}
		return Heat(extents[0], extents[1], size)
	}},
	"transpose": {"transpose:16,size=512", "size", func(extents []int, size int64) (Application, error) {
		if len(extents) != 1 {
			return Application{}, fmt.Errorf("the transpose has one number of ranks, such as 16")
		}
		return Transpose(extents[0], int(size))
	}},
	"ring": {"ring:16,bytes=1048576", "bytes", func(extents []int, size int64) (Application, error) {
		if len(extents) != 1 {
			return Application{}, fmt.Errorf("the ring has one number of ranks, such as 16")
		}
		return Ring(extents[0], size)
	}},
}

// ParseApplication reads heat:PXxPY,bytes=N, transpose:RANKS,size=N or ring:RANKS,bytes=N: Heat,
// Transpose or Ring with these arguments. Errors are *input.Error.
func ParseApplication(spec string) (Application, error) {
	wrong := func(format string, arguments ...any) (Application, error) {
		var examples []string
		for _, name := range slices.Sorted(maps.Keys(programSpecs)) {
			examples = append(examples, programSpecs[name].example)
		}
		return Application{}, &input.Error{Reason: fmt.Sprintf("program "+
			"%q: ", spec) + fmt.Sprintf(format, arguments...),
			Hint: "for example " + strings.Join(examples, ", ")}
	}
	name, rest, _ := strings.Cut(spec, ":")
	program, known := programSpecs[name]
	if !known {
		return wrong("there is no program %q", name)
	}
	shape, option, _ := strings.Cut(rest, ",")
	var extents []int
	for _, text := range strings.Split(shape, "x") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1<<16 {
			return wrong("%q is no number of ranks", text)
		}
		extents = append(extents, n)
	}
	text, found := strings.CutPrefix(option, program.size+"=")
	size, err := strconv.ParseInt(text, 10, 62)
	if !found || err != nil {
		return wrong("%s=N is missing or no number", program.size)
	}
	a, err := program.make(extents, size)
	if err != nil {
		return wrong("%v", err)
	}
	return a, nil
}

// Heat solves the heat equation on a grid of px x py ranks. A rank exchanges halos of so many bytes,
// a multiple of 64, with its four neighbours. At the end every rank compares its cells with the
// exact solution.
func Heat(px, py int, haloBytes int64) (Application, error) {
	if haloBytes < 64 || haloBytes > 1<<24 || haloBytes%64 != 0 {
		return Application{}, fmt.Errorf("halo bytes %d: must be a multiple of 64 from 64 to 2^24", haloBytes)
	}
	return application("heat", fmt.Sprintf("stencil2d:%dx%d,bytes=%d,wait=true,edges=skip,sends=nonblocking", px,
		py, haloBytes), int64(px), int64(py), haloBytes)
}

// Transpose is the two-dimensional Fourier transform of n x n complex numbers, forward and inverse: a
// power of two that is a multiple of the ranks. A step has two transpositions, in which each rank
// sends each other one a block of 16 (n / ranks)^2 bytes. At the end the ranks compare input and
// spectrum with what they must be.
func Transpose(ranks, n int) (Application, error) {
	if ranks < 1 || n < 2 || n > 1<<14 || n&(n-1) != 0 || n%ranks != 0 {
		return Application{}, fmt.Errorf("size %d of %d ranks: must be a power of two from 2 to 2^14, and a "+
			"multiple of the ranks", n, ranks)
	}
	return application("transpose", fmt.Sprintf("alltoall:%d,bytes=%d,algorithm=linear,rounds=2", ranks,
		16*int64(n/ranks)*int64(n/ranks)), int64(n))
}

// Ring sums vectors of so many bytes, a multiple of 8 times the ranks, by an all-reduce round a ring:
// 2 (ranks - 1) rounds of messages of bytes / ranks. Every rank checks every sum.
func Ring(ranks int, bytes int64) (Application, error) {
	if ranks < 1 || bytes < 8 || bytes > 1<<30 || bytes%(8*int64(ranks)) != 0 {
		return Application{}, fmt.Errorf("bytes %d of %d ranks: must be a multiple of 8 times the ranks, up to "+
			"2^30", bytes, ranks)
	}
	return application("ring", fmt.Sprintf("allreduce:%d,algorithm=ring,bytes=%d", ranks, bytes), bytes)
}

// application is a program whose communication is a pattern.
func application(name, pattern string, numbers ...int64) (Application, error) {
	a := Application{Name: name, Pattern: pattern}
	for _, n := range numbers {
		a.Arguments = append(a.Arguments, strconv.FormatInt(n, 10))
	}
	var err error
	a.Program, err = workload.ParsePattern(pattern)
	return a, err
}
