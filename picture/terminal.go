package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"remap/linkview"
	"remap/topology"
)

// terminalWidth is how wide a terminal picture is, and nameWidth the room for names in it.
const (
	terminalWidth = 80
	nameWidth     = 24
)

// ramps are the characters from congestion 0 to 1.
var ramps = map[bool][]rune{true: []rune(".:-=+*%#@"), false: []rune("·░▒▓█")}

// Terminal draws panels as text of at most 80 columns: a line a stage and direction, in which a
// character is a switch of the lower stage, or some beside each other, of which the worst counts. Below
// are the most congested links. ascii is for terminals without other characters.
func Terminal(t *topology.Topology, panels []Panel, o NetworkOptions, ascii bool) (string, error) {
	if err := checkPanels(t, panels, &o); err != nil {
		return "", err
	}
	s := findStages(t, o.Hosts, false)
	d := &terminal{t: t, s: s, ramp: ramps[ascii]}
	d.line(o.Title)
	for i := range panels {
		if panels[i].Heading != "" {
			d.line(panels[i].Heading)
		}
		d.panel(panels[i].View)
	}
	d.legend()
	d.line(o.Caption)
	return d.String(), nil
}

// terminal is a picture in work.
type terminal struct {
	strings.Builder
	t    *topology.Topology
	s    *stages
	ramp []rune
	each int // switches that the widest line has to a character
}

// line writes a line, cut to the terminal's width.
func (d *terminal) line(text string) {
	letters := []rune(printable(text))
	if len(letters) == 0 {
		return
	}
	if len(letters) > terminalWidth {
		letters = append(letters[:terminalWidth-3], []rune("...")...)
	}
	d.WriteString(strings.TrimRight(string(letters), " ") + "\n")
}

// panel writes the stages from top to bottom, the hosts and the most congested links.
func (d *terminal) panel(v *linkview.View) {
	s := d.s
	groups := map[strip]map[int32][]int32{} // by strip, then lower switch: links
	for i := range s.wires {
		w := &s.wires[i]
		low := w.from
		if s.level[w.to] < s.level[w.from] {
			low = w.to
		}
		key := strip{max(s.level[w.from], s.level[w.to]), s.level[low], s.level[w.from]}
		if groups[key] == nil {
			groups[key] = map[int32][]int32{}
		}
		groups[key][low] = append(groups[key][low], w.links...)
	}
	keys := make([]strip, 0, len(groups))
	for key := range groups {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b strip) int {
		return cmp.Or(cmp.Compare(b.low, a.low), cmp.Compare(b.high, a.high), cmp.Compare(b.from, a.from))
	})
	for _, key := range keys {
		to := key.high + key.low - key.from
		d.shades(d.name(int(key.from))+" to "+d.name(int(to)), s.rows[key.low], v, groups[key])
	}
	ejection := map[int32][]int32{}
	for _, sw := range s.rows[0] {
		for _, h := range s.hosts[sw] {
			ejection[sw] = append(ejection[sw], d.t.Ejection(h)...)
		}
	}
	d.shades(d.name(0)+" to hosts", s.rows[0], v, ejection)
	d.worst(v)
}

// name is what a stage is called.
func (d *terminal) name(level int) string {
	if len(d.s.rows) == 1 {
		return "switch"
	}
	return d.s.name(d.t, level)
}

// shades writes a line of characters.
func (d *terminal) shades(name string, row []int32, v *linkview.View, links map[int32][]int32) {
	each := (len(row) + terminalWidth - nameWidth - 1) / (terminalWidth - nameWidth)
	d.each = max(d.each, each)
	text := []rune(fmt.Sprintf("%-*.*s", nameWidth, nameWidth-1, name))
	for from := 0; from < len(row); from += each {
		worst, known := math.NaN(), false
		for _, sw := range row[from:min(from+each, len(row))] {
			for _, l := range links[sw] {
				one := loadOf(d.t, v, []int32{l})
				if one.idle() {
					continue
				}
				known = true
				if !(worst >= one.congested) {
					worst = one.congested
				}
			}
		}
		switch {
		case !known:
			text = append(text, ' ')
		case math.IsNaN(worst):
			text = append(text, '?')
		default:
			text = append(text, d.shade(worst))
		}
	}
	d.line(string(text))
}

// shade is the character of a congested fraction; the first one is for less than 2 %.
func (d *terminal) shade(fraction float64) rune {
	if fraction < 0.02 {
		return d.ramp[0]
	}
	steps := len(d.ramp) - 1
	return d.ramp[1+min(steps-1, int(fraction*float64(steps)))]
}

// worst writes the three links with the most congested packets.
func (d *terminal) worst(v *linkview.View) {
	var links []int32
	weight := func(l int32) float64 {
		one := loadOf(d.t, v, []int32{l})
		if math.IsNaN(one.rate) {
			return one.congested
		}
		return one.congested * one.rate
	}
	for _, w := range d.s.wires {
		links = append(links, w.links...)
	}
	for _, sw := range d.s.rows[0] {
		for _, h := range d.s.hosts[sw] {
			links = append(links, d.t.Ejection(h)...)
		}
	}
	links = slices.DeleteFunc(links, func(l int32) bool { return !(weight(l) > 0) })
	slices.SortStableFunc(links, func(a, b int32) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(a, b))
	})
	for i, l := range links[:min(3, len(links))] {
		if i == 0 {
			d.line("most congested packets:")
		}
		one := loadOf(d.t, v, []int32{l})
		link := &d.t.Links[l]
		d.line("  " + d.t.NodeName(link.From) + " to " + d.t.NodeName(link.To) + ": " + one.String())
	}
}

// legend says what the characters are.
func (d *terminal) legend() {
	what := "a character is a switch"
	if d.each > 1 {
		what = fmt.Sprintf("a character is the worst of %d switches", d.each)
	}
	d.line(fmt.Sprintf("congested 0 %s 1, blank: no traffic; %s", string(d.ramp), what))
}
