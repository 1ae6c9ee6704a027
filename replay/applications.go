package replay

import (
	"fmt"
	"strconv"

	"remap/workload"
)

// Heat solves the heat equation on a grid of px x py ranks. A rank exchanges halos of so many bytes,
// a multiple of 64, with its four neighbours. At the end every rank compares its cells with the
// exact solution.
func Heat(px, py int, haloBytes int64) (Application, error) {
	if haloBytes < 64 || haloBytes > 1<<24 || haloBytes%64 != 0 {
		return Application{}, fmt.Errorf("halo bytes %d: must be a multiple of 64 from 64 to 2^24", haloBytes)
	}
	p, err := workload.ParsePattern(fmt.Sprintf(
		"stencil2d:%dx%d,bytes=%d,wait=true,edges=skip,sends=nonblocking", px, py, haloBytes))
	return Application{"heat", arguments(int64(px), int64(py), haloBytes), p}, err
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
	bytes := 16 * int64(n/ranks) * int64(n/ranks)
	b := workload.NewBuilder(ranks, 2*ranks*(2*ranks-1))
	for r := range ranks {
		for range 2 {
			for i := 1; i < ranks; i++ {
				b.Ireceive(int32((r-i+ranks)%ranks), bytes, 0)
			}
			for i := 1; i < ranks; i++ {
				b.Isend(int32((r+i)%ranks), bytes, 0)
			}
			b.WaitAll()
		}
		b.EndRank()
	}
	p, err := b.Program()
	return Application{"transpose", arguments(int64(n)), p}, err
}

// Ring sums vectors of so many bytes, a multiple of 8 times the ranks, by an all-reduce round a ring:
// 2 (ranks - 1) rounds of messages of bytes / ranks. Every rank checks every sum.
func Ring(ranks int, bytes int64) (Application, error) {
	if ranks < 1 || bytes < 8 || bytes > 1<<30 || bytes%(8*int64(ranks)) != 0 {
		return Application{}, fmt.Errorf("bytes %d of %d ranks: must be a multiple of 8 times the ranks, up to "+
			"2^30", bytes, ranks)
	}
	p, err := workload.ParsePattern(fmt.Sprintf("allreduce:%d,algorithm=ring,bytes=%d", ranks, bytes))
	return Application{"ring", arguments(bytes), p}, err
}

// arguments are numbers as arguments of a program.
func arguments(numbers ...int64) []string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return texts
}
