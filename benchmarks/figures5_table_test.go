package benchmarks

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"remap/sampling"
)

// kind5 is a kind of link of a fat tree, and whether it is near the root: into
// its host, down to its leaf switch, or with an end in its pod.
type kind5 struct {
	name string
	near bool
}

var kinds5 = []kind5{
	{"into hosts", true}, {"into hosts", false},
	{"aggregation to leaf", true}, {"aggregation to leaf", false},
	{"core to aggregation", true}, {"core to aggregation", false},
	{"leaf to aggregation", true}, {"leaf to aggregation", false},
	{"aggregation to core", true}, {"aggregation to core", false},
}

func (k kind5) String() string {
	switch {
	case k.near && k.name == "into hosts":
		return "into the root's host"
	case k.near && k.name == "aggregation to leaf":
		return k.name + ", the root's"
	case k.near:
		return k.name + ", the root's pod"
	case k.name == "into hosts":
		return "into other hosts"
	}
	return k.name + ", others"
}

// kindOf needs the tree's levels: leaf switches have hosts, aggregation
// switches leaf switches, core switches neither.
func (p *plot5) kindOf(link int32) kind5 {
	l := &p.machine.Links[link]
	from, to := p.levelOf(l.From), p.levelOf(l.To)
	names := []string{"host", "leaf", "aggregation", "core"}
	switch {
	case to == 0:
		return kind5{"into hosts", link == p.root()}
	case from == 2 && to == 1:
		return kind5{"aggregation to leaf", p.machine.SwitchOf(l.To) == p.machine.LeafSwitch(0)}
	}
	lower := l.From
	if to < from {
		lower = l.To
	}
	return kind5{names[from] + " to " + names[to],
		p.machine.SwitchDistance(p.machine.SwitchOf(lower), p.machine.LeafSwitch(0)) <= int32(3-p.levelOf(lower))}
}

// levelOf is 0 for hosts, 1 for leaf, 2 for aggregation and 3 for core switches.
func (p *plot5) levelOf(node int32) int {
	if p.machine.IsHost(node) {
		return 0
	}
	level := 3
	for first, end := p.machine.Out(node); first < end; first++ {
		next := p.machine.Links[first].To
		if p.machine.IsHost(next) {
			return 1
		}
		if port, _ := p.machine.Out(next); p.machine.IsHost(p.machine.Links[port].To) {
			level = 2
		}
	}
	return level
}

func (p *plot5) linkName(link int32) string {
	l := &p.machine.Links[link]
	return fmt.Sprintf("%s:%d to %s", p.machine.NodeName(l.From), l.FromPort, p.machine.NodeName(l.To))
}

// logPlots5 logs the figures as tables.
func logPlots5(t *testing.T, plots []*plot5) {
	var out strings.Builder
	totals5(&out, plots)
	kindTable5(&out, plots)
	for _, p := range plots {
		if p.table.Variant.Hash == sampling.Field {
			neededTable5(&out, p)
		}
	}
	rangeTable5(&out, plots)
	busiestTable5(&out, plots)
	t.Log("\n" + out.String())
	for _, p := range plots {
		if p.name == "5.5" {
			closeness5(t, p, plots[0])
		}
		if p.table.Variant.Hash == sampling.Field {
			noise5(t, p)
		}
	}
}

func totals5(out *strings.Builder, plots []*plot5) {
	out.WriteString("| figure | sampling | packets | carried packets | appear | false positives | allowed | " +
		"of these F > 0.25 | with 5 sqrt(Q): appear | false | mean error of F | covered: N | F | F of those " +
		"that appear |\n|" + strings.Repeat("---|", 14) + "\n")
	for _, p := range plots {
		used, shown, wrong := p.ports(p.used), p.shown(), p.falsePositives()
		mean, _ := p.falseLevel()
		if !p.table.Variant.Hashed() {
			mean = 0
		}
		red := 0
		for _, link := range wrong {
			if p.table.Fraction(link).Value > 0.25 {
				red++
			}
		}
		simple := func(used bool) int {
			return len(p.ports(func(link int32) bool {
				need := 5 * p.needed(link) / math.Sqrt(p.squares[link]/p.candidates[link])
				return p.used(link) == used && p.candidates[link] > 0 && p.table.Links[link].Packets > need
			}))
		}
		packets, fractions := p.covered(used)
		_, seen := p.covered(shown)
		fmt.Fprintf(out, "| %s | `%s` | %.2f million | %d of %d | %d | %d | %.1f | %d | %d | %d | %.4f | %.3f "+
			"| %.3f | %.3f |\n", p.name, p.sampling, p.packets/1e6,
			len(used), len(p.links)-int(p.first), len(shown), len(wrong), mean, red, simple(true), simple(false),
			p.meanError(shown), packets, fractions, seen)
	}
}

// figureColumns5 begins a table of a column for each figure.
func figureColumns5(out *strings.Builder, first string, columns int, plots []*plot5) {
	fmt.Fprintf(out, "\n| %s |", first)
	for _, p := range plots {
		fmt.Fprintf(out, " %s |", p.name)
	}
	out.WriteString("\n|" + strings.Repeat("---|", columns+len(plots)) + "\n")
}

// cell5 tells of links: how many appear, and how far their fractions are off.
func (p *plot5) cell5(links []int32) string {
	var shown []int32
	wrong, right := 0, 0
	for _, link := range links {
		switch {
		case !p.appears(link):
		case p.used(link):
			shown = append(shown, link)
			if quarter5(p.exact(link)) == quarter5(p.table.Fraction(link).Value) {
				right++
			}
		default:
			wrong++
		}
	}
	text := fmt.Sprint(len(shown))
	if len(shown) > 0 {
		text += fmt.Sprintf(" (%d right, %.3f)", right, p.meanError(shown))
	}
	if wrong > 0 {
		text += fmt.Sprintf(", %d false", wrong)
	}
	return text
}

func quarter5(fraction float64) int { return min(3, int(4*fraction)) }

func kindTable5(out *strings.Builder, plots []*plot5) {
	figureColumns5(out, "links | ports | carried packets | F", 4, plots)
	p := plots[0]
	for _, kind := range kinds5 {
		links := p.ports(func(link int32) bool { return p.kindOf(link) == kind })
		used, sum := 0, 0.
		for _, link := range links {
			if p.used(link) {
				used++
				sum += p.exact(link)
			}
		}
		mean := "-"
		if used > 0 {
			mean = fmt.Sprintf("%.3f", sum/float64(used))
		}
		fmt.Fprintf(out, "| %s | %d | %d | %s |", kind, len(links), used, mean)
		for _, q := range plots {
			fmt.Fprintf(out, " %s |", q.cell5(links))
		}
		out.WriteString("\n")
	}
}

// neededTable5 sets what a link must carry to appear beside what it does. Of
// every kind it takes the links with the most candidates: the last rank's pod and
// leaf switch are not full.
func neededTable5(out *strings.Builder, p *plot5) {
	fmt.Fprintf(out, "\n| figure %s: links | Q | hops (rms) | packets a link, least to most | needed | Q "+
		"needed | expected to appear | appear |\n|---|---|---|---|---|---|---|---|\n", p.name)
	for _, kind := range kinds5 {
		links := p.ports(func(link int32) bool { return p.used(link) && p.kindOf(link) == kind })
		if len(links) == 0 {
			continue
		}
		most := links[0]
		for _, link := range links {
			if p.candidates[link] > p.candidates[most] {
				most = link
			}
		}
		q, hops := p.candidates[most], math.Sqrt(p.squares[most]/p.candidates[most])
		low, high, expected, packets, count, appear := math.Inf(1), 0., 0., 0., 0., 0
		for _, link := range links {
			if p.candidates[link] < q {
				continue
			}
			n := float64(p.links[link].Packets)
			low, high, packets, count = min(low, n), max(high, n), packets+n, count+1
			expected += math.Erfc(-p.deviations(link)/math.Sqrt2) / 2
			if p.appears(link) {
				appear++
			}
		}
		least := sampling.LeastPackets(p.table.Variant, 1, packets/count/q, level5) * hops * hops
		fmt.Fprintf(out, "| %s | %.4g | %.2f | %.0f to %.0f | %.0f | %.3g | %.1f of %.0f | "+
			"%d |\n", kind, q, hops, low, high, p.needed(most), least, expected, count, appear)
	}
}

func rangeTable5(out *strings.Builder, plots []*plot5) {
	figureColumns5(out, "exact F | links with 32-byte packets | with 3-byte ones", 3, plots)
	for quarter := range 4 {
		in := func(p *plot5) []int32 {
			return p.ports(func(link int32) bool { return p.used(link) && quarter5(p.exact(link)) == quarter })
		}
		fmt.Fprintf(out, "| %.2f to %.2f | %d | %d |", float64(quarter)/4, float64(quarter+1)/4,
			len(in(plots[0])), len(in(plots[len(plots)-1])))
		for _, p := range plots {
			fmt.Fprintf(out, " %s |", p.cell5(in(p)))
		}
		out.WriteString("\n")
	}
}

// busiestTable5 has the link of every kind with the most packets.
func busiestTable5(out *strings.Builder, plots []*plot5) {
	out.WriteString("\n| figure | link | packets | estimate | F | estimate |\n|---|---|---|---|---|---|\n")
	for _, p := range plots {
		for _, kind := range kinds5 {
			best := int32(-1)
			for _, link := range p.ports(func(link int32) bool { return p.used(link) && p.kindOf(link) == kind }) {
				if best < 0 || p.links[link].Packets > p.links[best].Packets {
					best = link
				}
			}
			if best < 0 {
				continue
			}
			n, f := p.table.PacketsEstimate(best), p.table.Fraction(best)
			hidden := ""
			if !p.appears(best) {
				hidden = ", hidden"
			}
			fmt.Fprintf(out, "| %s | %s | %d | %.0f [%.0f, %.0f]%s | %.4f | %.4f [%.4f, "+
				"%.4f] |\n", p.name, p.linkName(best),
				p.links[best].Packets, n.Value, n.Low, n.High, hidden, p.exact(best), f.Value, f.Low, f.High)
		}
	}
}

// closeness5 holds figure 5.5 against 4.12, link by link, where the thesis finds
// them very close (it says 5.3, which has no pruning).
func closeness5(t *testing.T, p, whole *plot5) {
	const all = "all that appear"
	count, difference, exact := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, link := range p.shown() {
		for _, name := range []string{p.kindOf(link).String(), all} {
			count[name]++
			difference[name] += math.Abs(p.table.Fraction(link).Value - whole.table.Fraction(link).Value)
			exact[name] += math.Abs(p.exact(link) - whole.exact(link))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		t.Logf("figure %s against %s, %s: mean difference of F %.3f over %.0f links, of exact ones "+
			"%.3f", p.name, whole.name, name, difference[name]/count[name], count[name], exact[name]/count[name])
	}
	if mean := difference[all] / count[all]; mean > 0.12 {
		t.Errorf("figure %s: fractions are %.3f from those of %s", p.name, mean, whole.name)
	}
}

// noise5 logs how far unused links are from nothing, in standard deviations as
// receivers take them: the mean square should be 1. Links that look like the root's
// to a block of identities share what its packets bring for that one. Nearly all
// packets have l hops, one of them the root's link. The other hops cancel within a
// block, but the root's does so in blocks of other maps only: the mean square of
// links that look like it under n maps is 1 + (n-1) / l^2.
func noise5(t *testing.T, p *plot5) {
	var count, squares, wrong [4]float64
	for _, link := range p.ports(func(link int32) bool { return !p.used(link) && p.squares[link] > 0 }) {
		alike := sampling.Alike(link, p.root())
		w := p.table.Links[link].Packets
		count[alike]++
		squares[alike] += w * w / p.squares[link]
		if p.appears(link) {
			wrong[alike]++
		}
	}
	for alike := range count {
		if count[alike] > 0 {
			t.Logf("figure %s, %.0f unused links that look like the root's under %d maps: mean square %.3f, %.0f "+
				"false positives",
				p.name, count[alike], alike, squares[alike]/count[alike], wrong[alike])
		}
	}
}
