package evalsim_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"remap/evalsim"
)

// What may differ, and how sure it must be.
const (
	bookTime     = 0.01  // relative difference of makespans of one case, mean over seeds
	bookFraction = 0.03  // absolute difference of the congested fraction of a port with bookPackets packets a run
	bookPackets  = 100   // mean over seeds
	bookSigmas   = 4     // combined standard errors that a difference must exceed, too
	bookBias     = 0.003 // relative difference of makespans, mean over all cases
	bookSeeds    = 5     // runs of each simulator and case
	bookMore     = 25    // runs for the cases that these condemn
	bookCases    = 200   // in the long tier
)

// bookShort are the cases of the short tier: buffers hold many times what is under
// way on a link.
var bookShort = []int{1, 12, 13, 16, 18}

// bookPort compares one port: congested fraction by evalsim less that by book.
type bookPort struct {
	link       int
	difference float64
	err        float64 // its standard error
	packets    float64 // mean over seeds
	fraction   float64 // by book
}

// bookOutcome compares one case.
type bookOutcome struct {
	number  int
	c       *bookCase
	times   []float64 // by seed: logarithm of evalsim's makespan over book's
	bias    float64   // mean of times
	err     float64   // its standard error
	ports   []bookPort
	worst   bookPort // of the largest difference
	portSum float64  // mean difference of all packets
}

// compareBook runs both simulators with so many seeds from first on.
func compareBook(t testing.TB, number, first, seeds int) *bookOutcome {
	t.Helper()
	x := &bookOutcome{number: number, c: newBookCase(t, number)}
	links := len(x.c.top.Links)
	ours, theirs, packets := make([][]float64, links), make([][]float64, links), make([]float64, links)
	var sum, all float64
	for s := range seeds {
		o, p := x.c.options, x.c.program(uint64(first+s))
		o.Seed = uint64(first + s)
		b := newBook(x.c.top, p, x.c.hosts, o, o.Seed)
		want := b.run()
		got, err := evalsim.Run(context.Background(), x.c.top, []evalsim.Job{{Program: p, Hosts: x.c.hosts}}, o)
		if err != nil {
			t.Fatalf("case %d: %v", number, err)
		}
		if err := b.check(); err != nil || b.packets != got.Packets {
			t.Fatalf("case %d: %d packets, by the book %d: %v", number, got.Packets, b.packets, err)
		}
		x.times = append(x.times, math.Log(got.Makespan/want))
		for i := range b.links {
			n, m := &b.links[i], &got.Links[i]
			packets[i] += float64(n.crossed) / float64(seeds)
			if n.crossed > 0 && m.Packets > 0 {
				ours[i] = append(ours[i], float64(m.Congested)/float64(m.Packets))
				theirs[i] = append(theirs[i], float64(n.congested)/float64(n.crossed))
				sum += float64(m.Congested) - float64(n.congested)*float64(m.Packets)/float64(n.crossed)
				all += float64(m.Packets)
			}
		}
	}
	x.bias, x.err = meanError(x.times)
	x.portSum = sum / max(1, all)
	for i := range packets {
		if packets[i] < bookPackets || len(ours[i]) < seeds {
			continue
		}
		p := bookPort{link: i, packets: packets[i]}
		mine, a := meanError(ours[i])
		fraction, b := meanError(theirs[i])
		p.difference, p.err, p.fraction = mine-fraction, math.Hypot(a, b), fraction
		x.ports = append(x.ports, p)
		if math.Abs(p.difference) > math.Abs(x.worst.difference) {
			x.worst = p
		}
	}
	return x
}

// meanError is the mean of values and its standard error.
func meanError(values []float64) (mean, err float64) {
	mean, deviation := stat.MeanStdDev(values, nil)
	if len(values) < 2 {
		return mean, 0
	}
	return mean, deviation / math.Sqrt(float64(len(values)))
}

// faults are what differs by more than chance and more than is allowed; no line
// if nothing does.
func (x *bookOutcome) faults() (lines []string) {
	if math.Abs(x.bias) > max(bookTime, bookSigmas*x.err) {
		lines = append(lines, fmt.Sprintf("time %+.2f %% (+-%.2f)", 100*x.bias, 100*x.err))
	}
	var bad []bookPort
	for _, p := range x.ports {
		if math.Abs(p.difference) > max(bookFraction, bookSigmas*p.err) {
			bad = append(bad, p)
		}
	}
	slices.SortFunc(bad, func(a, b bookPort) int { return cmp.Compare(math.Abs(b.difference), math.Abs(a.difference)) })
	if len(bad) > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d ports, the worst %s", len(bad), len(x.ports), x.portText(bad[0])))
	}
	return lines
}

func (x *bookOutcome) portText(p bookPort) string {
	l := &x.c.top.Links[p.link]
	return fmt.Sprintf("link %d %s>%s: congested %+.3f (+-%.3f) against %.3f of %.0f packets", p.link,
		x.c.top.NodeName(l.From), x.c.top.NodeName(l.To), p.difference, p.err, p.fraction, p.packets)
}

// TestBookAgrees compares evalsim with book in random cases over all networks,
// routings, switchings and sizes. Both run each case with the same programs and several seeds. A case
// fails when
//   - the mean over seeds of the logarithm of evalsim's makespan over book's is off
//     by more than 1 % and by more than 4 standard errors, or
//   - of a port with at least 100 packets a run, the congested fractions differ by
//     more than 0.03 (of 1) and by more than 4 combined standard errors,
//
// and does so again with five times as many new seeds. Over all cases, makespans
// may be off by 0.3 % in the mean.
//
// The long tier, REMAP_LONG=1, takes bookCases cases, the short one a few of these.
// To debug:
//
//	BOOK_CASE=17 go test ./evalsim -run BookAgrees -v       one case, all its ports
//	BOOK_CASE=40-79 go test ./evalsim -run BookAgrees -v    these cases
//	BOOK_SEEDS=20 ...                                       so many seeds a case
func TestBookAgrees(t *testing.T) {
	t.Parallel()
	numbers, seeds := bookRange(t)
	var outcomes []*bookOutcome
	var biases []float64
	for _, n := range numbers {
		x := compareBook(t, n, 0, seeds)
		outcomes, biases = append(outcomes, x), append(biases, x.bias)
		if len(numbers) == 1 {
			tellBook(t, x)
		}
		if x.faults() == nil {
			continue
		}
		again := compareBook(t, n, seeds, max(bookMore, seeds))
		if faults := again.faults(); faults != nil {
			t.Errorf("case %d, %s: %s", n, x.c.name, strings.Join(faults, "; "))
		}
	}
	mean, err := meanError(biases)
	t.Logf("%d cases: makespan %+.3f %% (+-%.3f) off; the worst are\n%s", len(outcomes), 100*mean, 100*err, worstBook(outcomes))
	if len(outcomes) >= 20 && math.Abs(mean) > bookBias {
		t.Errorf("makespans are off by %+.3f %% in the mean, more than %g %%", 100*mean, 100*bookBias)
	}
}

// worstBook is a table of the cases that differ most.
func worstBook(outcomes []*bookOutcome) string {
	share := func(x *bookOutcome) float64 {
		return math.Max(math.Abs(x.bias)/bookTime, math.Abs(x.worst.difference)/bookFraction)
	}
	slices.SortFunc(outcomes, func(a, b *bookOutcome) int { return cmp.Compare(share(b), share(a)) })
	lines := []string{"case     time %         congested fraction", "                      all ports  worst port"}
	for _, x := range outcomes[:min(25, len(outcomes))] {
		lines = append(lines, fmt.Sprintf("%4d  %+6.2f +-%5.2f     %+6.3f      %+6.3f  %s",
			x.number, 100*x.bias, 100*x.err, x.portSum, x.worst.difference, x.c.name))
	}
	return strings.Join(lines, "\n")
}

// bookRange reads which cases to run.
func bookRange(t *testing.T) (numbers []int, seeds int) {
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first, last, some := strings.Cut(os.Getenv("BOOK_CASE"), "-")
	switch {
	case first != "":
		low := number(first)
		high := low
		if some {
			high = number(last)
		}
		for n := low; n <= high; n++ {
			numbers = append(numbers, n)
		}
	case os.Getenv("REMAP_LONG") != "":
		for n := range bookCases {
			numbers = append(numbers, n)
		}
	default:
		numbers = bookShort
	}
	seeds = bookSeeds
	if text := os.Getenv("BOOK_SEEDS"); text != "" {
		seeds = number(text)
	}
	return numbers, seeds
}

// tellBook prints all of one case.
func tellBook(t *testing.T, x *bookOutcome) {
	t.Log(x.c.name)
	for s, d := range x.times {
		t.Logf("seed %d: time %+.3f %%", s, 100*d)
	}
	for _, p := range x.ports {
		t.Log(x.portText(p))
	}
}
