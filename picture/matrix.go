package picture

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"remap/commgraph"
)

// MatrixPanel is one order of the ranks in rows and columns.
type MatrixPanel struct {
	Heading string
	// Order has all ranks; nil = by number.
	Order []int32
	// Lines (by kind, the coarsest first) are places in Order at which a new leaf switch, pod or host
	// begins, and LineNames says which.
	Lines     [][]int
	LineNames []string
}

// MatrixOptions say how traffic is drawn.
type MatrixOptions struct {
	Title, Caption string
	// Width of the page in points; 0 = 1,200 for several panels, 800 for one.
	Width float64
}

// Matrix draws the bytes that ranks send each other as a density plot (Riesen 2006): senders from top to
// bottom, receivers from left to right, the darker the more. With more than 800 ranks a cell is the sum
// of several. All panels have one scale.
func Matrix(traffic *commgraph.Traffic, panels []MatrixPanel, o MatrixOptions) (*Scene, error) {
	ranks := traffic.Ranks()
	if len(panels) == 0 || ranks == 0 {
		return nil, errors.New("a picture needs ranks and a panel")
	}
	for i := range panels {
		if order := panels[i].Order; order != nil && len(order) != ranks {
			return nil, fmt.Errorf("panel %d orders %d ranks of %d", i+1, len(order), ranks)
		}
	}
	if o.Width == 0 {
		o.Width = 800 + 400*float64(min(1, len(panels)-1))
	}
	across := min(len(panels), 2)
	m := &matrix{scene: &Scene{Width: o.Width, Title: o.Title}, ranks: ranks, least: math.Inf(1)}
	m.side = min((o.Width-2*edge-30*float64(across-1))/float64(across)-46, 640)
	m.each = (ranks + mostSide - 1) / mostSide
	var cells [][]density
	for {
		cells = cells[:0]
		marks := 0
		for i := range panels {
			cells = append(cells, m.cells(traffic, panels[i].Order))
			marks = max(marks, len(cells[i]))
		}
		if marks <= mostMarks {
			break
		}
		m.each = max(m.each+1, m.each*5/4)
	}
	m.limits(cells)
	m.scene.add(Shape{Kind: Text, X0: edge, Y0: edge + 11, Text: fit(o.Title, 14, o.Width-2*edge), Size: 14,
		Bold: true, Fill: Named(InkText)})
	y := edge + 24
	for i := range panels {
		column := i % across
		x := edge + 40 + float64(column)*(m.side+76)
		m.panel(&panels[i], cells[i], x, y, i+1)
		if column == across-1 || i == len(panels)-1 {
			y += m.side + 52
		}
	}
	m.scene.Height = m.legend(panels, &o, y)
	return m.scene, nil
}

// matrix is a density plot in work.
type matrix struct {
	scene *Scene
	ranks int
	// each: ranks of a cell in each direction
	each int
	side float64 // points
	// least, most: bytes of a cell
	least, most float64
}

// density is a run of cells of one row with equal bytes.
type density struct {
	row, from, end int32
	bytes          float64 // of each cell
}

// cells adds the traffic up by cells.
func (m *matrix) cells(traffic *commgraph.Traffic, order []int32) (runs []density) {
	n := (m.ranks + m.each - 1) / m.each
	place := make([]int32, m.ranks)
	for i := range m.ranks {
		rank := int32(i)
		if order != nil {
			rank = order[i]
		}
		place[rank] = int32(i / m.each)
	}
	byRow := make([][]int32, n) // ranks
	for rank, row := range place {
		byRow[row] = append(byRow[row], int32(rank))
	}
	sums := make([]float64, n)
	for row := range byRow {
		clear(sums)
		for _, rank := range byRow[row] {
			for e, end := traffic.Row(rank); e < end; e++ {
				sums[place[traffic.Destinations[e]]] += float64(traffic.Bytes[e])
			}
		}
		for from := 0; from < n; {
			end := from + 1
			for end < n && sums[end] == sums[from] {
				end++
			}
			if sums[from] > 0 {
				runs = append(runs, density{int32(row), int32(from), int32(end), sums[from]})
			}
			from = end
		}
	}
	return runs
}

// limits are the least and the largest bytes of a cell in any panel, four decades apart at most.
func (m *matrix) limits(cells [][]density) {
	for _, runs := range cells {
		for _, run := range runs {
			m.least, m.most = min(m.least, run.bytes), max(m.most, run.bytes)
		}
	}
	m.least = max(m.least, m.most/1e4)
}

// grey is the ink of some bytes, by their logarithm.
func (m *matrix) grey(bytes float64) Ink {
	if m.most <= m.least {
		return Ink{Name: InkGrey, Value: 0.85}
	}
	share := math.Log(max(bytes, m.least)/m.least) / math.Log(m.most/m.least)
	return Ink{Name: InkGrey, Value: 0.22 + 0.78*share}
}

// panel draws a matrix with its left upper corner at a point.
func (m *matrix) panel(p *MatrixPanel, runs []density, x, y float64, group int) {
	s := m.scene
	s.add(Shape{Kind: Text, X0: x, Y0: y + 8, Text: fit(p.Heading, 10.5, m.side), Size: 10.5, Bold: true,
		Fill: Named(InkText), Group: group})
	y += 24
	s.add(Shape{Kind: Box, X0: x, Y0: y, X1: x + m.side, Y1: y + m.side, Stroke: Named(InkFaint), Thickness: 0.6,
		Fill: Named(InkPaper)})
	unit := m.side / float64((m.ranks+m.each-1)/m.each)
	thick := max(unit, 0.75) // thinner boxes vanish
	for i := range runs {
		r := &runs[i]
		left, top := x+float64(r.from)*unit, y+float64(r.row)*unit
		s.add(Shape{Kind: Box, X0: left, Y0: top, X1: min(x+m.side, max(x+float64(r.end)*unit, left+thick)),
			Y1: min(y+m.side, top+thick), Fill: m.grey(r.bytes), Title: m.title(p, r), ID: m.id(p, r), Group: group})
	}
	m.lines(p, x, y, group)
	for _, at := range []int{0, m.ranks / 2, m.ranks - 1} {
		offset := (float64(at) + 0.5) / float64(m.ranks) * m.side
		s.add(label(x+offset, y-3, 7, Middle, fmt.Sprint(at)), label(x-4, y+offset+2.5, 7, End, fmt.Sprint(at)))
	}
	s.add(label(x+m.side*0.25, y-3, 7, Middle, "receiver"))
	s.add(label(x-4, y+m.side*0.25, 7, End, "sender"))
}

// lines draws where blocks begin, if they are not too narrow to be seen.
func (m *matrix) lines(p *MatrixPanel, x, y float64, group int) {
	for kind, starts := range p.Lines {
		if len(starts) == 0 || m.side/float64(len(starts)+1) < 4 {
			continue
		}
		thickness := []float64{1, 0.5, 0.3}[min(kind, 2)]
		for _, at := range starts {
			offset := float64(at) / float64(m.ranks) * m.side
			line := Shape{Kind: Line, Stroke: Series(0), Thickness: thickness, Group: group}
			line.X0, line.X1, line.Y0, line.Y1 = x+offset, x+offset, y, y+m.side
			m.scene.add(line)
			line.X0, line.X1, line.Y0, line.Y1 = x, x+m.side, y+offset, y+offset
			m.scene.add(line)
		}
	}
}

// id names the ranks of a cell, where it is one pair.
func (m *matrix) id(p *MatrixPanel, r *density) string {
	if m.each > 1 || r.end-r.from > 1 {
		return ""
	}
	from, to := r.row, r.from
	if p.Order != nil {
		from, to = p.Order[from], p.Order[to]
	}
	return fmt.Sprintf("r%d r%d", from, to)
}

// title says what a run of cells is.
func (m *matrix) title(p *MatrixPanel, r *density) string {
	span := func(from, end int32) string {
		first, last := int(from)*m.each, min(int(end)*m.each, m.ranks)-1
		if last == first {
			if p.Order != nil {
				first = int(p.Order[first])
			}
			return fmt.Sprintf("rank %d", first)
		}
		if p.Order != nil {
			return fmt.Sprintf("places %d to %d", first, last)
		}
		return fmt.Sprintf("ranks %d to %d", first, last)
	}
	text := fmt.Sprintf("%s sends %s to %s", span(r.row, r.row+1), byteText(r.bytes), span(r.from, r.end))
	if r.end-r.from > 1 {
		text += ", each"
	}
	return text
}

// byteText is a number of bytes for people.
func byteText(bytes float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if bytes >= unit.size {
			return fmt.Sprintf("%.3g %s", bytes/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g B", bytes)
}

// legend draws the greys and says what a cell and the lines are.
func (m *matrix) legend(panels []MatrixPanel, o *MatrixOptions, y float64) float64 {
	s := m.scene
	what := "bytes of a pair of ranks (logarithmic)"
	if m.each > 1 {
		what = fmt.Sprintf("bytes of a cell: the sum of %d x %d ranks (logarithmic)", m.each, m.each)
	}
	s.add(Shape{Kind: Text, X0: edge, Y0: y, Size: 8.5, Text: what, Fill: Named(InkText)})
	steps := 5
	if m.most <= m.least {
		steps = 1
	}
	for i := range steps {
		share := 1.0
		if steps > 1 {
			share = float64(i) / float64(steps-1)
		}
		bytes := m.least * math.Pow(m.most/m.least, share)
		x := edge + 62*float64(i)
		s.add(Shape{Kind: Box, X0: x, Y0: y + 5, X1: x + 58, Y1: y + 14, Fill: m.grey(bytes)},
			label(x+29, y+23, 8, Middle, byteText(bytes)))
	}
	y += 38
	var names []string
	for i := range panels {
		for kind, starts := range panels[i].Lines {
			if len(starts) > 0 && m.side/float64(len(starts)+1) >= 4 && kind < len(panels[i].LineNames) &&
				!slices.Contains(names, panels[i].LineNames[kind]) {
				names = append(names, panels[i].LineNames[kind])
			}
		}
	}
	text := "Senders from top to bottom, receivers from left to right."
	for i, name := range names {
		thickness := []string{"Thick", "Thin", "Thinnest"}[min(i, 2)]
		text += fmt.Sprintf(" %s blue lines: another %s begins.", thickness, name)
	}
	if len(names) == 1 {
		text = strings.Replace(text, "Thick blue", "Blue", 1)
	}
	for _, line := range []string{text, o.Caption} {
		if line != "" {
			s.add(label(edge, y, 9, Start, fit(line, 9, o.Width-2*edge)))
			y += 12
		}
	}
	return y + edge - 8
}
