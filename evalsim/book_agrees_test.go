package evalsim_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"remap/evalsim"
	"remap/internal/testkit/tier"
)

// What may differ, and how sure it must be.
const (
	bookTime     = 0.01  // of a case: relative difference of makespans, mean over seeds
	bookFraction = 0.03  // of a port: difference of the congested fractions of its packets, of 1
	bookPackets  = 100   // packets a run that a port must have, mean over seeds
	bookSigmas   = 4     // combined standard errors that a difference must exceed, too
	bookBias     = 0.003 // relative difference of makespans, mean over all cases
	bookPorts    = 0.005 // difference of the congested fractions of all packets, mean over all cases
	bookSure     = 0.003 // standard error of a case's makespans that ends its runs
	bookCases    = 200   // in the long tier
)

// bookShort are the cases of the short tier: buffers hold many times what is under
// way on a link.
var bookShort = []int{1, 12, 13, 16, 18}

// TestBookAgrees compares evalsim with book in random cases over all networks,
// routings, switchings and sizes. Both run each case with the same programs and 5 to
// 25 seeds, until the makespans are sure. A case fails when
//   - the mean over seeds of the logarithm of evalsim's makespan over book's is off
//     by more than 1 % and by more than 4 standard errors, or
//   - of a port with at least 100 packets a run, the congested fractions differ by
//     more than 0.03 (of 1) and by more than 4 combined standard errors,
//
// and the same happens with 30 new seeds, in ports that were off before. In the
// mean over all cases, makespans may be off by 0.3 %, and congested fractions of all
// packets by 0.005.
//
// The experiments take 200 cases, the long tier 60 of these, the quick one a few.
// To debug:
//
//	BOOK_CASE=17 go test ./evalsim -run BookAgrees$ -v       one case, all its ports
//	BOOK_CASE=40-79 go test ./evalsim -run BookAgrees$ -v    these cases
//	BOOK_SEEDS=20 ...                                        so many seeds a case
func TestBookAgrees(t *testing.T) {
	t.Parallel()
	numbers, least, most := bookRange(t)
	var outcomes []*bookOutcome
	for _, n := range numbers {
		c := newBookCase(t, n)
		both := func(seed uint64) (ours, theirs bookRun) { return c.playBoth(t, seed) }
		x, off := confirmed(c, least, most, both)
		outcomes = append(outcomes, x)
		if len(numbers) == 1 {
			tellBook(t, x)
		}
		if off != "" {
			t.Errorf("case %d, %s: %s", n, c.name, off)
		}
	}
	checkBook(t, outcomes)
}

// checkBook tests what must hold over all cases.
func checkBook(t *testing.T, outcomes []*bookOutcome) {
	t.Helper()
	var times, fractions []float64
	for _, x := range outcomes {
		times, fractions = append(times, x.bias), append(fractions, x.fraction)
	}
	mean, err := meanError(times)
	fraction, fractionErr := meanError(fractions)
	t.Logf("%d cases: makespans %+.3f %% off (+-%.3f), congested fractions %+.4f (+-%.4f); the worst are\n%s",
		len(outcomes), 100*mean, 100*err, fraction, fractionErr, worstBook(outcomes))
	if len(outcomes) >= 50 && (math.Abs(mean) > bookBias || math.Abs(fraction) > bookPorts) {
		t.Errorf("makespans may be off by %g %% in the mean, fractions by %g", 100*bookBias, bookPorts)
	}
}

// The comparison finds no fault in book itself when chance falls otherwise and what
// happens at the same picosecond comes in random order; so that order is worth little.
// It does find fault with a book whose buffers are smaller by a packet.
func TestBookAgreesWithItself(t *testing.T) {
	t.Parallel()
	tier.Long(t, "runs of the oracle against itself: five seconds and more")
	cases := tier.Cases(0, 4, 40)
	var outcomes []*bookOutcome
	for n := range cases {
		c := newBookCase(t, n)
		x, off := confirmed(c, 5, 25, func(seed uint64) (ours, theirs bookRun) {
			_, ours = c.playBook(t, seed, ^seed, true)
			_, theirs = c.playBook(t, seed, seed, false)
			return ours, theirs
		})
		if outcomes = append(outcomes, x); off != "" {
			t.Errorf("case %d, %s: %s", n, c.name, off)
		}
	}
	checkBook(t, outcomes)
	c := newBookCase(t, 3)
	less := *c
	c.options.BufferBytes += c.options.PacketBytes
	_, off := confirmed(c, 5, 25, func(seed uint64) (ours, theirs bookRun) {
		_, ours = less.playBook(t, seed, ^seed, true)
		_, theirs = c.playBook(t, seed, seed, false)
		return ours, theirs
	})
	if off == "" {
		t.Error("buffers of two packets pass for buffers of three")
	}
}

// worstBook is a table of the cases that differ most.
func worstBook(outcomes []*bookOutcome) string {
	share := func(x *bookOutcome) float64 {
		return math.Max(math.Abs(x.bias)/bookTime, math.Abs(x.worst.difference)/bookFraction)
	}
	slices.SortFunc(outcomes, func(a, b *bookOutcome) int { return cmp.Compare(share(b), share(a)) })
	lines := []string{
		"case     time %         congested fraction",
		"                      all ports  worst port",
	}
	for _, x := range outcomes[:min(40, len(outcomes))] {
		lines = append(lines, fmt.Sprintf("%4d  %+6.2f +-%5.2f     %+6.3f      %+6.3f  %s",
			x.c.number, 100*x.bias, 100*x.err, x.fraction, x.worst.difference, x.c.name))
	}
	return strings.Join(lines, "\n")
}

// bookRange reads which cases to run, and with at least and at most how many seeds.
func bookRange(t *testing.T) (numbers []int, least, most int) {
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
	case tier.IsLong():
		for n := range tier.Cases(0, 60, bookCases) {
			numbers = append(numbers, n)
		}
	default:
		numbers = bookShort
	}
	if text := os.Getenv("BOOK_SEEDS"); text != "" {
		return numbers, number(text), number(text)
	}
	return numbers, 5, 25
}

// tellBook prints all of one case.
func tellBook(t *testing.T, x *bookOutcome) {
	t.Log(x.c.name)
	for s := range x.ours {
		t.Logf("seed %d: %.3f us, by the book %.3f: %+.3f %%", s, x.ours[s], x.theirs[s], 100*x.times[s])
	}
	for _, p := range x.ports {
		t.Log(x.portText(&p))
	}
}

// Where chance decides nothing, evalsim and book agree to a millionth in most
// cases: on networks of one virtual channel, routed by destination or flow, with
// one rank a host and buffers that hold all there is. In the others packets meet by
// the picosecond, and which is first is not said; that is worth little. On all
// networks every link carries the same packets.
func TestBookAgreesWithoutChance(t *testing.T) {
	t.Parallel()
	exact, all, cases := 0, 0, tier.Cases(10, 80, bookCases)
	for number := range cases {
		c := newBookCase(t, number)
		c.options.Routing = []evalsim.Routing{evalsim.Static, evalsim.FlowHash}[number/10%2]
		c.options.BufferBytes = 1 << 22
		ours, theirs := c.playBoth(t, uint64(number))
		ordered := c.kind != "exchange" && c.kind != "bursts" && len(c.hosts) == c.top.Hosts()
		if c.top.Routes.VirtualChannels > 1 || !ordered {
			continue
		}
		all++
		off := math.Abs(ours.makespan/theirs.makespan - 1)
		if off < 1e-6 {
			exact++
		}
		if off > 0.001 {
			t.Errorf("case %d, %s: %.3f us, by the book %.3f", number, c.name, ours.makespan, theirs.makespan)
		}
	}
	t.Logf("%d of %d cases agree to a millionth", exact, all)
	if 5*all < cases || 10*exact < 9*all {
		t.Errorf("only %d of %d cases agree to a millionth", exact, all)
	}
}
