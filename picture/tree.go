package picture

import (
	"math"
	"regexp"
	"strconv"

	"remap/topology"
)

// margin is the room for the names of rows, at the left of a panel.
const margin = 78.0

// treeShape are the lengths that a panel of stages is drawn with, in points.
type treeShape struct {
	width float64
	// unit is the height of a box; all other heights follow from it.
	unit float64
}

// columns are the left ends and the width of the columns of leaf switches, with gaps between pods.
func (s *stages) columns(from, to int, left, width float64) (lefts []float64, column float64) {
	gaps := 0
	for i := from + 1; i < to; i++ {
		if s.pod[i] != s.pod[i-1] {
			gaps++
		}
	}
	gap := min(9, width/float64(8*(gaps+1)))
	if gaps == 0 {
		gap = 0
	}
	column = (width - gap*float64(gaps)) / float64(to-from)
	x := left
	for i := from; i < to; i++ {
		if i > from && s.pod[i] != s.pod[i-1] {
			x += gap
		}
		lefts = append(lefts, x)
		x += column
	}
	return lefts, column
}

// mostHosts is the largest number of hosts of a leaf switch.
func (s *stages) mostHosts() int {
	most := 0
	for _, sw := range s.rows[0] {
		most = max(most, len(s.hosts[sw]))
	}
	return most
}

// lineLayout draws every wire as a line between the rows of switches.
func lineLayout(t *topology.Topology, s *stages, shape treeShape) *layout {
	l := &layout{width: shape.width, explain: []string{
		"A line has two halves: the half next to a switch shows what that switch sends (upper half: down, " +
			"lower half: up).",
		"Boxes are hosts, shaded by the link from their leaf switch." + s.stageWords(t)}}
	lefts, column := s.columns(0, len(s.rows[0]), margin, shape.width-margin-2)
	lines := float64(s.mostWires())
	spacing := shape.unit * (14 + min(8, lines/60))
	l.thickest = min(mostThick, max(1.4, 0.6*(shape.width-margin)/lines))
	top := 10.0
	if s.within(len(s.rows) - 1) {
		top += spacing * 0.6
	}
	at := make([][2]float64, len(s.level)) // by switch
	for level, row := range s.rows {
		y := top + spacing*float64(len(s.rows)-1-level)
		for i, sw := range row {
			x := margin + (shape.width-margin-2)*(float64(i)+0.5)/float64(len(row))
			if level == 0 {
				x = lefts[i] + column/2
			}
			at[sw] = [2]float64{x, y}
		}
		l.over = append(l.over, label(0, y+2.5, 8, Start, s.name(t, level)))
		s.switches(t, l, row, at, min(3.5, column*0.4, shape.unit*0.6))
	}
	for i := range s.wires {
		l.addWire(t, s, &s.wires[i], at, spacing)
	}
	bottom := top + spacing*float64(len(s.rows)-1) + shape.unit
	l.height = s.hostGrid(t, l, lefts, column, bottom, shape.unit, 0)
	return l
}

// stageWords explain rows that have no name of their own.
func (s *stages) stageWords(t *topology.Topology) string {
	if s.name(t, len(s.rows)-1) != unnamed(len(s.rows)-1) {
		return ""
	}
	return " Stage 1 has switches with hosts, the next stages are one link above each."
}

// mostWires is the largest number of wires in one direction between two levels.
func (s *stages) mostWires() int {
	count := map[[2]int32]int{}
	most := 1
	for i := range s.wires {
		key := [2]int32{s.level[s.wires[i].from], s.level[s.wires[i].to]}
		count[key]++
		most = max(most, count[key])
	}
	return most
}

// within tells whether a level has links between its own switches.
func (s *stages) within(level int) bool {
	for i := range s.wires {
		if s.level[s.wires[i].from] == int32(level) && s.level[s.wires[i].to] == int32(level) {
			return true
		}
	}
	return false
}

// switches draws a row of switches with their names, as far as these fit.
func (s *stages) switches(t *topology.Topology, l *layout, row []int32, at [][2]float64, radius float64) {
	step := (l.width - margin) / float64(len(row))
	widest := 0.0
	for _, sw := range row {
		widest = max(widest, textWidth(shortSwitch(t.SwitchNames[sw]), 6, false))
	}
	every := max(1, int(math.Ceil((widest+4)/step)))
	for i, sw := range row {
		x, y := at[sw][0], at[sw][1]
		l.over = append(l.over, Shape{Kind: Disc, X0: x - radius, Y0: y - radius, X1: x + radius, Y1: y + radius,
			Fill: Named(InkPaper), Stroke: Named(InkFaint), Thickness: 0.8, Title: t.SwitchNames[sw],
			ID: "s" + strconv.Itoa(int(sw))})
		if s.lifted[sw] {
			l.ownHosts(s.hosts[sw], x, y, radius, step)
		}
		if i%every == 0 && s.level[sw] > 0 {
			name := shortSwitch(t.SwitchNames[sw])
			half := textWidth(name, 6, false) / 2
			x = min(max(x, margin-20+half), l.width-half-1)
			l.over = append(l.over, Shape{Kind: Box, X0: x - half - 1, Y0: y - radius - 8, X1: x + half + 1,
				Y1: y - radius - 0.5, Fill: Named(InkPaper)}, label(x, y-radius-2, 6, Middle, name))
		}
	}
}

// ownHosts draws the hosts of a switch above others, beside it.
func (l *layout) ownHosts(hosts []int32, x, y, radius, room float64) {
	tall := min(4, len(hosts))
	wide := (len(hosts) + tall - 1) / tall
	cell := min(8, (min(room, 60)*0.8-radius)/float64(wide), 4*radius/float64(tall))
	left, top := x+radius+3, y-float64(tall)*cell/2
	if left+float64(wide)*cell > l.width {
		left = x - radius - 3 - float64(wide)*cell
	}
	for i, h := range hosts {
		x0, y0 := left+float64(i/tall)*cell, top+float64(i%tall)*cell
		l.hosts = append(l.hosts, hostMark{[]int32{h}, x0, y0, x0 + cell*0.9, y0 + cell*0.9})
	}
}

// nodeDescription is how managed switches describe themselves: MF0;NAME:MODEL/UNIT.
var nodeDescription = regexp.MustCompile(`^MF[0-9]+;([^:]+):`)

// shortSwitch is a switch's name as a label.
func shortSwitch(name string) string {
	if found := nodeDescription.FindStringSubmatch(name); found != nil {
		return found[1]
	}
	return name
}

// addWire draws one direction between two switches: the half next to the sender.
func (l *layout) addWire(t *topology.Topology, s *stages, w *wire, at [][2]float64, spacing float64) {
	a, b := at[w.from], at[w.to]
	shape := Shape{Kind: Line, X0: a[0], Y0: a[1], X1: b[0], Y1: b[1]}
	if s.level[w.from] == s.level[w.to] {
		far := math.Abs(a[0]-b[0]) / l.width
		shape.Kind = Curve
		shape.CX, shape.CY = (a[0]+b[0])/2, a[1]-spacing*(0.25+0.75*far)
	}
	first, _ := halves(shape)
	l.marks = append(l.marks, mark{w.links, wireName(t, w), first})
}

// wireName says from where to where a wire leads.
func wireName(t *topology.Topology, w *wire) string {
	return t.SwitchNames[w.from] + " to " + t.SwitchNames[w.to]
}

// hostGrid draws the hosts of leaf switches below y, numbered from top to bottom, then from left to
// right, and the leaf switches' names; first is the place of the first of the columns. It returns where
// the drawing ends.
func (s *stages) hostGrid(t *topology.Topology, l *layout, lefts []float64, column, y, unit float64,
	first int) float64 {
	most := s.mostHosts()
	wide := 1 // boxes side by side
	for wide < most && (column*0.9/float64(wide+1) >= 7 && most > 12*wide || column*0.9/float64(wide) > 40) {
		wide++
	}
	if most%wide > 0 && most%(wide+1) == 0 && column*0.9/float64(wide+1) >= 7 {
		wide++
	}
	tall := (most + wide - 1) / wide
	cell := column * 0.9 / float64(wide)
	widest := 0.0
	for i := range lefts {
		sw := s.rows[0][first+i]
		for k, h := range s.hosts[sw] {
			x, top := lefts[i]+column*0.05+float64(k/tall)*cell, y+float64(k%tall)*unit
			l.hosts = append(l.hosts, hostMark{[]int32{h}, x, top, x + cell*0.9, top + unit*0.85})
		}
		widest = max(widest, textWidth(shortSwitch(t.SwitchNames[sw]), 6, false))
	}
	bottom := y + float64(tall)*unit
	l.over = append(l.over, label(0, y+(bottom-y)/2+2.5, 8, Start, "hosts"))
	every := max(1, int(math.Ceil((widest+5)/column)))
	free := 0.0 // where the last name ends
	for i := 0; i < len(lefts); i += every {
		name := shortSwitch(t.SwitchNames[s.rows[0][first+i]])
		half := textWidth(name, 6, false) / 2
		if x := min(lefts[i]+column/2, l.width-half-1); x-half > free {
			l.over = append(l.over, label(x, bottom+7, 6, Middle, name))
			free = x + half + 3
		}
	}
	return bottom + 10
}
