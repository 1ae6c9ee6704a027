package benchmarks

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"remap/sampling"
)

// linkSums are sums over runs of one link's errors.
type linkSums struct {
	absW, squareW float64    // size of W - N, and its square
	covered       [3]float64 // runs whose intervals held N, M and F
}

func (s *linkSums) add(o *linkSums) {
	s.absW += o.absW
	s.squareW += o.squareW
	for i := range s.covered {
		s.covered[i] += o.covered[i]
	}
}

// runMeans are the means over a class of links in one run of errors of W and C,
// relative to N, of errors of F, and of squares of the first and the last. Over runs
// they vary independently, so they tell how sure a mean is; links within a run are
// not independent.
type runMeans struct{ w, c, f, squareW, squareF float64 }

// measured is what many runs of a row gave.
type measured struct {
	row     accuracyRow
	variant sampling.Variant
	*met
	runs    int
	links   []linkSums // by link
	busy    []runMeans // by run, over the busiest links
	all     []runMeans // by run, over all used links
	formula []formula  // by link
}

// chunks is into how many parts runs are cut: their sums do not depend on how many
// of them are under way at a time.
const chunks = 16

// measure plays a row so many times.
func measure(t testing.TB, m *met, row accuracyRow, runs int) *measured {
	t.Helper()
	x := &measured{row: row, variant: row.parse(t), met: m, runs: runs, links: make([]linkSums, len(m.n)),
		busy: make([]runMeans, runs), all: make([]runMeans, runs)}
	parts := make([][]linkSums, chunks)
	inParallel(chunks, func(chunk int) {
		p, sums := newPlayer(t, m, row), make([]linkSums, len(m.n))
		for run := chunk * runs / chunks; run < (chunk+1)*runs/chunks; run++ {
			x.take(run, p.all(runSeed(run)), sums)
		}
		parts[chunk] = sums
	})
	for _, sums := range parts {
		for i := range sums {
			x.links[i].add(&sums[i])
		}
	}
	x.formula = newPlayer(t, m, row).formulas()
	return x
}

func runSeed(run int) uint64 { return uint64(run)*2654435761 + 12345 }

// inParallel calls do with 0 to count-1, on all cores.
func inParallel(count int, do func(i int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	wait.Wait()
}

// take adds a run's table to the sums.
func (x *measured) take(run int, table *sampling.Table, sums []linkSums) {
	for _, link := range x.used {
		n, m, e := x.n[link], x.m[link], &table.Links[link]
		f := table.Fraction(link)
		w, c, q := e.Packets-n, e.Congested-m, f.Value-m/n
		sums[link].add(&linkSums{math.Abs(w), w * w,
			[3]float64{covers(table.PacketsEstimate(link), n), covers(table.CongestedEstimate(link), m),
				covers(f, m/n)}})
		mean := runMeans{w / n, c / n, q, w * w / (n * n), q * q}
		x.all[run].add(mean, len(x.used))
		if _, busy := slices.BinarySearch(x.busiest, link); busy {
			x.busy[run].add(mean, len(x.busiest))
		}
	}
}

func (r *runMeans) add(o runMeans, count int) {
	r.w += o.w / float64(count)
	r.c += o.c / float64(count)
	r.f += o.f / float64(count)
	r.squareW += o.squareW / float64(count)
	r.squareF += o.squareF / float64(count)
}

// covers is 1 if an interval holds a truth.
func covers(e sampling.Estimate, truth float64) float64 {
	if slack := 1e-9 * (1 + math.Abs(truth)); e.Low-slack <= truth && truth <= e.High+slack {
		return 1
	}
	return 0
}

// sure is a mean with its standard error.
type sure struct{ mean, error float64 }

// over is the mean over runs of one of runMeans.
func over(runs []runMeans, of func(runMeans) float64) sure {
	sum, squares, n := 0., 0., float64(len(runs))
	for _, r := range runs {
		sum += of(r)
		squares += of(r) * of(r)
	}
	mean := sum / n
	return sure{mean, math.Sqrt(max(0, squares/n-mean*mean) / n)}
}

// meanOver is a mean over links.
func meanOver(links []int32, of func(link int32) float64) float64 {
	sum := 0.
	for _, link := range links {
		sum += of(link)
	}
	return sum / float64(len(links))
}

// meanSize is the mean size of relative errors of W over some links, and the one
// predicted.
func (x *measured) meanSize(links []int32) (seen, predicted float64) {
	seen = meanOver(links, func(l int32) float64 { return x.links[l].absW / float64(x.runs) / x.n[l] })
	return seen, meanOver(links, func(l int32) float64 { return x.formula[l].size(x.n[l]) })
}

// square is the mean square of the relative error of W, size that of its size if it
// is normal.
func (f formula) square(n float64) float64 { return (f.varW + (f.w-n)*(f.w-n)) / (n * n) }

func (f formula) size(n float64) float64 {
	off, deviation := f.w-n, math.Sqrt(f.varW)
	if deviation == 0 {
		return math.Abs(off) / n
	}
	z := off / deviation
	return (2*deviation*density(z) + off*(2*normalBelow(z)-1)) / n
}

// expected are the means that the formulas predict.
func (x *measured) expected(links []int32) runMeans {
	var r runMeans
	for _, l := range links {
		n, truth, formula := x.n[l], x.m[l]/x.n[l], x.formula[l]
		mean, deviation := formula.fraction()
		f, square := clipped(mean, deviation, truth)
		r.add(runMeans{formula.w/n - 1, (formula.c - x.m[l]) / n, f - truth, formula.square(n), square}, len(links))
	}
	return r
}

// coverage is the share of runs and links whose interval holds the truth: of N, M
// and F.
func (x *measured) coverage(links []int32) (c [3]float64) {
	for i := range c {
		c[i] = meanOver(links, func(l int32) float64 { return x.links[l].covered[i] / float64(x.runs) })
	}
	return c
}
