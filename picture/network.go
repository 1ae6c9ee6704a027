package picture

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"remap/linkview"
	"remap/topology"
)

// Panel is one picture of a network among several on one scale.
type Panel struct {
	// Heading stands above the panel, such as "before" or "0 to 13 us".
	Heading string
	View    *linkview.View
}

// NetworkOptions say how a network is drawn.
type NetworkOptions struct {
	// Title is the first line of the page, Caption the last, such as "view of the job (samples)".
	Title, Caption string
	// ScaleName says what darkness is; empty = the fraction of packets that found the port congested.
	ScaleName string
	// Hosts (length hosts) are those to be shown, with all hosts of their switches; nil = all.
	Hosts []bool
	// SideBySide puts panels in one row, not below each other.
	SideBySide bool
	// Width of the page in points; 0 = 1,200, which is 1,600 pixels.
	Width float64
}

// edge is the room around everything.
const edge = 14.0

// Network draws congested fraction plots (Taffet 2018, 3.4; Taffet and Mellor-Crummey 2019): darkness is
// the congested fraction, thickness the traffic, and of the two halves of a cable the one next to a switch
// shows what that switch sends. All panels have one scale.
func Network(t *topology.Topology, panels []Panel, o NetworkOptions) (*Scene, error) {
	if err := checkPanels(t, panels, &o); err != nil {
		return nil, err
	}
	if o.Width == 0 {
		o.Width = 1200
	}
	across := 1
	if o.SideBySide {
		across = len(panels)
	}
	width := (o.Width - 2*edge - 20*float64(across-1)) / float64(across)
	l := layoutOf(t, o.Hosts, width, (len(panels)+across-1)/across)
	d := &drawing{t: t, scene: &Scene{Width: o.Width, Title: o.Title}, thickest: cmp.Or(l.thickest, mostThick)}
	for i := range panels {
		d.measure(l, panels[i].View)
	}
	y := d.heading(&o)
	for from := 0; from < len(panels); from += across {
		y = d.row(l, panels, from, min(from+across, len(panels)), width, y)
	}
	d.scene.Height = d.legend(l, &o, y+6)
	return d.scene, nil
}

// checkPanels tests that panels and options are of the network.
func checkPanels(t *topology.Topology, panels []Panel, o *NetworkOptions) error {
	if len(panels) == 0 {
		return errors.New("a picture needs a panel")
	}
	for i := range panels {
		if v := panels[i].View; v == nil || len(v.Links) != len(t.Links) {
			return fmt.Errorf("panel %d is of another network: it must have %d links", i+1, len(t.Links))
		}
	}
	switch {
	case o.Hosts == nil && t.Hosts() > 0:
		return nil
	case len(o.Hosts) != t.Hosts():
		return fmt.Errorf("%d hosts are chosen or not, the network has %d", len(o.Hosts), t.Hosts())
	case !slices.Contains(o.Hosts, true):
		return errors.New("no host is left to draw")
	}
	return nil
}

// heading writes the title and returns where the panels begin.
func (d *drawing) heading(o *NetworkOptions) float64 {
	d.scene.add(Shape{Kind: Text, X0: edge, Y0: edge + 11, Text: fit(o.Title, 14, o.Width-2*edge), Size: 14,
		Bold: true, Fill: Named(InkText)})
	return edge + 20
}

// row draws panels side by side and returns where they end.
func (d *drawing) row(l *layout, panels []Panel, from, end int, width, y float64) float64 {
	headed := 0.0
	for i := from; i < end; i++ {
		if panels[i].Heading != "" {
			headed = 14
		}
	}
	for i := from; i < end; i++ {
		x := edge + float64(i-from)*(width+20)
		if panels[i].Heading != "" {
			d.scene.add(Shape{Kind: Text, X0: x, Y0: y + 10, Text: fit(panels[i].Heading, 10.5, width), Size: 10.5,
				Bold: true, Fill: Named(InkText), Group: i + 1})
		}
		d.panel(l, panels[i].View, x, y+headed, i+1)
	}
	return y + headed + l.height + 6
}

// fit cuts a text to a width.
func fit(text string, size, width float64) string {
	if textWidth(text, size, true) <= width {
		return text
	}
	letters := []rune(text)
	for len(letters) > 0 && textWidth(string(letters)+"...", size, true) > width {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "..."
}

// layoutOf chooses how a network is laid out; rows is the number of panels below each other.
func layoutOf(t *topology.Topology, shown []bool, width float64, rows int) *layout {
	shape := treeShape{width: width, unit: []float64{7, 5.5, 4, 3.2}[min(rows, 4)-1]}
	if r := t.Routes; r != nil {
		switch {
		case r.Grid != nil:
			return gridLayout(t, r.Grid, shown, shape)
		case r.Dragonfly != nil:
			return dragonflyLayout(t, r.Dragonfly, shown, shape)
		case r.HyperX != nil:
			return hyperxLayout(t, r.HyperX, shown, shape)
		}
	}
	s := findStages(t, shown, true)
	if len(s.rows[0]) <= mostColumns && len(s.wires) <= mostLines && width/float64(len(s.rows[0])) > 8 {
		return lineLayout(t, s, shape)
	}
	if slices.Contains(s.lifted, true) { // columns of cells have all hosts in one row
		s = findStages(t, shown, false)
	}
	return stripLayout(t, s, shape)
}
