package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"remap/topology"
)

// strip is a row of cells: the wires between two levels in one direction, in columns of the lower
// switches.
type strip struct{ high, low, from int32 }

// stripLayout draws every wire as a cell: too many lines would cover each other.
func stripLayout(t *topology.Topology, s *stages, shape treeShape) *layout {
	l := &layout{width: shape.width, explain: []string{
		"In the rows of cells each column is a switch of the lower stage, and each cell of it a link to a switch " +
			"above or from there; the bar in the cell is as wide as the traffic.",
		"The lowest boxes are hosts, in columns by leaf switch, shaded by the link from the leaf switch." +
			s.stageWords(t)}}
	bands := s.bands(shape.width - margin - 2)
	y := 2.0
	for i, band := range bands {
		if i > 0 {
			y += 12
		}
		y = s.band(t, l, band, shape, y)
	}
	l.height = y
	return l
}

// bands divide the leaf switches into as many rows as they need, at ends of pods where that can be.
func (s *stages) bands(width float64) [][2]int {
	n := len(s.rows[0])
	count := int(math.Ceil(float64(n) * narrowest / width))
	var ends [][2]int
	for from := 0; from < n; {
		to := min(n, from+(n+count-1)/count)
		for at := to; at > from+(to-from)/2 && at < n; at-- {
			if s.pod[at] != s.pod[at-1] {
				to = at
				break
			}
		}
		ends = append(ends, [2]int{from, to})
		from = to
	}
	return ends
}

// band draws the leaf switches of some places with all above them.
func (s *stages) band(t *topology.Topology, l *layout, band [2]int, shape treeShape, y float64) float64 {
	width := shape.width - margin - 2
	lefts, column := s.columns(band[0], band[1], margin, width)
	spans := s.spans(band, lefts, column, width)
	if s.pods(band) > 1 || s.pods([2]int{0, len(s.pod)}) > 1 {
		s.podNames(t, l, band, lefts, column, y)
		y += 11
	}
	cells := map[strip]map[int32][]wire{} // by strip, then column
	for _, w := range s.wires {
		low := w.from
		if s.level[w.to] < s.level[w.from] {
			low = w.to
		}
		if _, here := spans[low]; !here {
			continue
		}
		key := strip{max(s.level[w.from], s.level[w.to]), s.level[low], s.level[w.from]}
		if cells[key] == nil {
			cells[key] = map[int32][]wire{}
		}
		cells[key][low] = append(cells[key][low], w)
	}
	keys := make([]strip, 0, len(cells))
	for key := range cells {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b strip) int {
		return cmp.Or(cmp.Compare(b.low, a.low), cmp.Compare(b.high, a.high), cmp.Compare(b.from, a.from))
	})
	for _, key := range keys {
		y = s.strip(t, l, key, cells[key], spans, shape.unit, y) + shape.unit*0.5 + 1
	}
	if len(s.wires) > 0 {
		y += shape.unit * 0.3
	}
	if t.Hosts() > mostBoxes {
		return s.hostCells(t, l, band, spans, shape.unit*2, y)
	}
	return s.hostGrid(t, l, lefts, column, y, shape.unit*0.6, band[0])
}

// span is where a switch's column is.
type span struct{ left, width float64 }

// spans are the columns of a band: leaf switches have theirs, the switches above divide the width.
func (s *stages) spans(band [2]int, lefts []float64, column, width float64) map[int32]span {
	spans := map[int32]span{}
	for i, sw := range s.rows[0][band[0]:band[1]] {
		spans[sw] = span{lefts[i], column}
	}
	for level := 1; level < len(s.rows); level++ {
		var here []int32
		parts := map[int32][]int32{} // by pod
		for _, sw := range s.rows[level] {
			if at := s.leftmost(sw); band[0] <= at && at < band[1] {
				here = append(here, sw)
				parts[s.pod[at]] = append(parts[s.pod[at]], sw)
			}
		}
		if level > 1 || len(parts) < int(s.pods(band)) { // above pods
			divide(here, margin, width, spans)
			continue
		}
		for i := band[0]; i < band[1]; {
			end := i + 1
			for end < band[1] && s.pod[end] == s.pod[i] {
				end++
			}
			left := lefts[i-band[0]]
			divide(parts[s.pod[i]], left, lefts[end-1-band[0]]+column-left, spans)
			i = end
		}
	}
	return spans
}

// divide gives switches columns of equal width.
func divide(switches []int32, left, width float64, spans map[int32]span) {
	for i, sw := range switches {
		each := width / float64(len(switches))
		spans[sw] = span{left + float64(i)*each, each}
	}
}

// pods is the number of groups of leaf switches in a band.
func (s *stages) pods(band [2]int) (count int32) {
	for i := band[0]; i < band[1]; i++ {
		if i == band[0] || s.pod[i] != s.pod[i-1] {
			count++
		}
	}
	return count
}

// podNames writes the groups' names above their columns.
func (s *stages) podNames(t *topology.Topology, l *layout, band [2]int, lefts []float64, column, y float64) {
	for i := band[0]; i < band[1]; {
		end := i + 1
		for end < band[1] && s.pod[end] == s.pod[i] {
			end++
		}
		name := fmt.Sprintf("%s %d", t.Levels[1].Name, s.pods([2]int{0, i + 1})-1)
		middle := (lefts[i-band[0]] + lefts[end-1-band[0]] + column) / 2
		if textWidth(name, 7, false) < lefts[end-1-band[0]]+column-lefts[i-band[0]] {
			l.over = append(l.over, label(middle, y+7, 7, Middle, name))
		}
		i = end
	}
}

// leftmost is the place of the first leaf switch to which a switch leads down.
func (s *stages) leftmost(sw int32) int {
	if s.below == nil {
		s.below = make([]int32, len(s.level))
		for i := range s.below {
			s.below[i] = math.MaxInt32
		}
		for _, leaf := range s.rows[0] {
			s.below[leaf] = s.place[leaf]
		}
		for level := 1; level < len(s.rows); level++ {
			for _, w := range s.wires {
				if s.level[w.from] == int32(level) && s.level[w.to] < int32(level) {
					s.below[w.from] = min(s.below[w.from], s.below[w.to])
				}
			}
		}
	}
	return int(s.below[sw])
}

// strip draws the cells of a strip below y and returns where they end.
func (s *stages) strip(t *topology.Topology, l *layout, key strip, cells map[int32][]wire,
	spans map[int32]span, unit, y float64) float64 {
	merged := len(s.wires) > mostCells
	tall := 1
	for sw := range cells {
		other := func(w *wire) int32 { return w.from + w.to - sw }
		slices.SortFunc(cells[sw], func(a, b wire) int { return int(s.place[other(&a)] - s.place[other(&b)]) })
		tall = max(tall, len(cells[sw]))
	}
	height := unit
	if merged || tall == 1 {
		tall, height = 1, unit*1.6
	}
	for _, sw := range s.rows[key.low] {
		list := cells[sw]
		if len(list) == 0 {
			continue
		}
		at := spans[sw]
		left, right := at.left+at.width*0.05, at.left+at.width*0.95
		l.under = append(l.under, Shape{Kind: Box, X0: left, Y0: y, X1: right, Y1: y + height*float64(tall),
			Fill: Named(InkGround)})
		for i, w := range list {
			top := y + height*float64(i)
			name := wireName(t, &w)
			if merged {
				if i > 0 {
					break
				}
				w.links, name = together(t, list, sw)
			}
			l.marks = append(l.marks, mark{w.links, name,
				Shape{Kind: Box, X0: left, Y0: top, X1: right, Y1: top + height*0.9}})
		}
	}
	bottom := y + height*float64(tall)
	from, to := s.name(t, int(key.from)), s.name(t, int(key.high+key.low-key.from))
	for i, text := range []string{from, "to " + to} {
		l.over = append(l.over, label(0, y+(bottom-y)/2-0.5+6.5*float64(i), 6.5, Start, text))
	}
	return max(bottom, y+13)
}

// together are the links of several wires of one switch.
func together(t *topology.Topology, list []wire, sw int32) (links []int32, name string) {
	for _, w := range list {
		links = append(links, w.links...)
	}
	if list[0].from == sw {
		return links, fmt.Sprintf("%s to %d switches", t.SwitchNames[sw], len(list))
	}
	return links, fmt.Sprintf("%d switches to %s", len(list), t.SwitchNames[sw])
}

// hostCells draws all hosts of a leaf switch as one box.
func (s *stages) hostCells(t *topology.Topology, l *layout, band [2]int, spans map[int32]span,
	unit, y float64) float64 {
	for _, sw := range s.rows[0][band[0]:band[1]] {
		at := spans[sw]
		left, right := at.left+at.width*0.05, at.left+at.width*0.95
		l.hosts = append(l.hosts, hostMark{s.hosts[sw], left, y, right, y + unit})
	}
	first, last := s.rows[0][band[0]], s.rows[0][band[1]-1]
	l.over = append(l.over, label(0, y+unit-2, 8, Start, "hosts"), label(margin, y+unit+7, 6, Start,
		strings.Join([]string{t.SwitchNames[first], t.SwitchNames[last]}, " to ")))
	return y + unit + 10
}
