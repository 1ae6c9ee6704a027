package benchmarks

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"remap/internal/testkit/tier"
	"remap/sampling"
	_ "remap/sampling/bloom" // the hash of variants bloom:BITS
)

// accuracyRows are what the table shows.
var accuracyRows = []accuracyRow{
	{variant: "full"},
	{variant: "n=2"},
	{variant: "n=4"},
	{variant: "one-bit"},
	{variant: "one-bit", counting: true},
	{variant: "one-bit", unrelated: true},
	{variant: "one-bit,unpruned"},
	{variant: "one-bit,hash=hmult"},
	{variant: "one-reservoir"},
	{variant: "one-reservoir", counting: true},
	{variant: "one-reservoir", unrelated: true},
	{variant: "one-reservoir,hash=whole"},
	{variant: "one-reservoir,counter=3", corrected: true},
	{variant: "one-reservoir,counter=4"},
	{variant: "full,counter=2"},
	{variant: "full,counter=2", corrected: true},
	{variant: "one-bit,counter=2", corrected: true},
	{variant: "full,drawn=8"},
	{variant: "one-reservoir,drawn=8"},
	{variant: "full", chance: "feedback"},
	{variant: "full", chance: "rings"},
	{variant: "bloom:32"},
	{variant: "bloom:64"},
}

// accuracyCases are a congested tree, longer paths, and a small network with so many
// packets that hashes too know its fractions.
var accuracyCases = []accuracyCase{
	{title: "three-level fat tree, 192 hosts", topology: "fattree:nodes-per-leaf=16,leaves-per-pod=6,pods=2," +
		"aggs-per-pod=8,cores=8", pattern: "uniform:192,rounds=2"},
	{title: "torus, 144 hosts", topology: "torus:8x6,hosts=3", pattern: "uniform:144,rounds=2"},
	{title: "small dragonfly, many packets", topology: "dragonfly:groups=5,routers=2,hosts=2," +
		"global=2", pattern: "uniform:20,rounds=25"},
}

// slow rows test every candidate of every packet: where these are many, runs are of
// every second packet.
func slow(v sampling.Variant) bool {
	return v.Kind == sampling.Bloom || v.Hashed() && v.Hash != sampling.Field
}

const manyLinks = 400

// TestAccuracyTable measures, for every way to sample, what receivers conclude
// against exact counters, with the formulas' predictions beside it, and writes it as
// tables: REMAP_TABLE=1 go test -run Accuracy -v ./benchmarks.
// With REMAP_ACCURACY="TOPOLOGY PATTERN" it does so for another traffic, with
// REMAP_ACCURACY_ROWS=REGEXP for those rows alone: none depends on others.
func TestAccuracyTable(t *testing.T) {
	tier.Table(t, "measures for five minutes")
	cases := accuracyCases
	if other := strings.Fields(os.Getenv("REMAP_ACCURACY")); len(other) == 2 {
		cases = []accuracyCase{{title: strings.Join(other, ", "), topology: other[0], pattern: other[1]}}
	} else if len(other) != 0 {
		t.Fatal("REMAP_ACCURACY is a topology and a pattern with a blank between them")
	}
	var out strings.Builder
	for _, c := range cases {
		m := c.simulate(t)
		thin := m
		if len(m.used) > manyLinks {
			thin = m.thin(2)
		}
		fmt.Fprintf(&out, "\n## %s\n\n`%s`, `%s`: %v.\n\n%s", c.title, c.topology, c.pattern, m, accuracyHead)
		for _, row := range chosenRows(t) {
			some := m
			if slow(row.parse(t)) {
				some = thin
			}
			x := measure(t, some, row, 2000)
			r := x.reach(t, 1.5e7)
			x.write(&out, r)
			x.check(t)
			x.checkReach(t, r)
			fmt.Fprintf(os.Stderr, "measured: %v\n", row) // progress, no part of the page
		}
	}
	out.WriteString(costs(t, cases[0]))
	t.Log("\n" + out.String())
}

// chosenRows are the rows that REMAP_ACCURACY_ROWS matches, or all.
func chosenRows(t *testing.T) []accuracyRow {
	t.Helper()
	chosen, err := regexp.Compile(os.Getenv("REMAP_ACCURACY_ROWS"))
	if err != nil {
		t.Fatal(err)
	}
	left := func(r accuracyRow) bool { return !chosen.MatchString(r.String()) }
	return slices.DeleteFunc(slices.Clone(accuracyRows), left)
}

const accuracyHead = "| sampling | W: bias % | mean error %, formula | RMS error %, formula | F: bias, " +
	"formula | RMS error, formula | 95 % of N: busiest, all | of M | of F | rest | packets for 10 %, " +
	"formula | RMS error of F then, formula |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n"

// write adds a row to the table.
func (x *measured) write(out *strings.Builder, r reached) {
	w, f := over(x.busy, func(r runMeans) float64 { return r.w }),
		over(x.busy, func(r runMeans) float64 { return r.f })
	squareW, squareF := over(x.busy, func(r runMeans) float64 { return r.squareW }),
		over(x.busy, func(r runMeans) float64 { return r.squareF })
	expected := x.expected(x.busiest)
	ifKnown := func(f float64) string {
		if x.variant.Hashed() && !x.known(x.busiest) {
			return "-"
		}
		return fmt.Sprintf("%.4f", f)
	}
	size, predictedSize := x.meanSize(x.busiest)
	fmt.Fprintf(out, "| %v | %.2f ± %.2f, %.2f | %.2f, %.2f | %.2f, %.2f | %.4f ± %.4f, %s | %.4f, "+
		"%s |", x.row, 100*w.mean, 100*w.error, 100*expected.w,
		100*size, 100*predictedSize, 100*math.Sqrt(squareW.mean), 100*math.Sqrt(expected.squareW), f.mean,
		f.error, ifKnown(expected.f), math.Sqrt(squareF.mean), ifKnown(math.Sqrt(expected.squareF)))
	rest, pooled := 0., 0
	for i := range 3 {
		busy, _ := x.judged(i, x.busiest)
		all, others := x.judged(i, x.used)
		fmt.Fprintf(out, " %s |", x.shares(i, busy, all))
		for _, l := range others {
			rest += x.links[l].covered[i] / float64(x.runs)
			pooled++
		}
	}
	if pooled > 0 {
		fmt.Fprintf(out, " %.3f |", rest/float64(pooled))
	} else {
		out.WriteString(" - |")
	}
	switch {
	case math.IsInf(r.predicted, 1):
		out.WriteString(" never | - |\n")
		return
	case r.predicted == 1:
		out.WriteString(" 1 | - |\n")
		return
	}
	fmt.Fprintf(out, " %s ± %s, %s |", count(r.packets.mean), count(r.packets.error), count(r.predicted))
	if r.predictedF == 0 {
		out.WriteString(" - |\n")
	} else {
		fmt.Fprintf(out, " %.4f, %.4f |\n", r.rootF, r.predictedF)
	}
}

// count is a number in three digits.
func count(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.3gM", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.3gk", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}

// shares are the coverage of one of N, M and F over the busiest links and all, and the
// least of any; "-" of none.
func (x *measured) shares(i int, busy, all []int32) string {
	if len(all) == 0 {
		return "-"
	}
	text := fmt.Sprintf("%.3f [%.3f]", x.coverage(all)[i], x.least(i, all))
	if len(busy) == 0 {
		return "-, " + text
	}
	return fmt.Sprintf("%.3f, %s", x.coverage(busy)[i], text)
}

func (x *measured) least(i int, links []int32) float64 {
	least := 1.
	for _, l := range links {
		least = min(least, x.links[l].covered[i]/float64(x.runs))
	}
	return least
}

// fewest is how many samples a link must be expected to have, or false positives of
// filters, for its intervals to be held to 95 %.
const fewest = 10

// judged parts links into those whose interval of N, M or F (0, 1, 2) is about
// normal, and others, where it covers more. The former have, of every kind of sample
// that the interval is made of, `fewest` that are by chance, or false positives;
// under hashes all are, of F where N is five deviations. Links that were never
// congested are neither: their M and F are known to be 0 or nearly so.
func (x *measured) judged(i int, links []int32) (yes, no []int32) {
	for _, l := range links {
		if x.normal(i, l) {
			yes = append(yes, l)
		} else if x.m[l] > 0 || i == 0 {
			no = append(no, l)
		}
	}
	return yes, no
}

// known tells whether the fractions of all links are.
func (x *measured) known(links []int32) bool {
	_, others := x.judged(2, links)
	return len(others) == 0
}

func (x *measured) normal(i int, l int32) bool {
	f, n, m := x.formula[l], x.n[l], x.m[l]
	enough := func(count, variance float64) bool {
		return variance >= fewest && count*count/(count+variance) >= fewest
	}
	if i > 0 && m == 0 {
		return false
	}
	switch {
	case x.variant.Hashed():
		return f.varW > 0 && (i < 2 || n >= 5*math.Sqrt(f.varW))
	case x.variant.Kind == sampling.Bloom:
		return f.varW >= fewest && (i == 0 || f.varC >= fewest)
	case i == 0:
		return enough(n, f.varW)
	case i == 1:
		return enough(m, f.varC)
	case x.variant.Kind == sampling.OneReservoir:
		return enough(m, f.varC) && enough(n-m, f.varW-f.varC)
	}
	return enough(n, f.varW) && m*m/(m+f.varC) >= fewest
}

func costs(t *testing.T, c accuracyCase) string {
	var out strings.Builder
	out.WriteString("\n## Costs\n\n| sampling | header bits, 24 a link | in this network | ns a hop in " +
		"switches | ns a packet in receivers |\n|---|---|---|---|---|\n")
	m := c.simulate(t)
	for _, row := range chosenRows(t) {
		v := row.parse(t)
		hop, packet := speeds(t, m, row)
		fmt.Fprintf(&out, "| %v | %d | %d | %.1f | %.0f |\n", row, v.HeaderBits(24),
			v.HeaderBits(sampling.LinkBits(len(m.machine.Links))), hop, packet)
	}
	return out.String()
}
