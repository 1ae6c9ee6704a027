package picture

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"remap/linkview"
	"remap/sampling"
	"remap/topology"
)

// machine is the network of a spec.
func machine(t testing.TB, spec string) *topology.Topology {
	t.Helper()
	m, err := topology.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// smallTree is a fat tree that is drawn as lines.
const smallTree = "fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=3,aggs-per-pod=2,cores=4"

// networks are of every layout.
var networks = []string{smallTree, "fattree:nodes-per-leaf=5,leaves-per-pod=7,pods=1,aggs-per-pod=2,cores=0",
	"fattree:nodes-per-leaf=2,leaves-per-pod=6,pods=60,aggs-per-pod=2,cores=4", "tapered", "torus:4x4x4",
	"torus:9", "mesh:5x3,hosts=3", "torus:2x2x3x2x2,double=true", "hyperx:4x3,hosts=5", "hyperx:6",
	"dragonfly:groups=9,routers=4,hosts=2,global=2", "dragonfly:groups=33,routers=4,hosts=2,global=8"}

// share is a number from 0 to 1 that follows from names only.
func share(t *topology.Topology, link int32, salt string) float64 {
	l := &t.Links[link]
	h := fnv.New32()
	fmt.Fprint(h, salt, t.NodeName(l.From), " ", t.NodeName(l.To))
	return float64(h.Sum32()%1000) / 999
}

// viewOf loads every link by its names: about a third carries nothing.
func viewOf(t *topology.Topology, salt string) *linkview.View {
	v := &linkview.View{Links: make([]linkview.Link, len(t.Links)), Seconds: 2}
	for i := range v.Links {
		l := &v.Links[i]
		congested := math.NaN()
		if !t.IsHost(t.Links[i].From) {
			congested = share(t, int32(i), salt+"c")
		}
		l.Bytes = max(0, share(t, int32(i), salt+"b")*1.5-0.5) * t.Links[i].BytesPerSecond * 2
		if l.Bytes == 0 && congested > 0 {
			congested = 0
		}
		l.Congested = sampling.Estimate{Value: congested, Low: congested, High: congested}
	}
	return v
}

// draw is Network without an error.
func draw(t testing.TB, m *topology.Topology, o NetworkOptions, views ...*linkview.View) *Scene {
	t.Helper()
	var panels []Panel
	for i, v := range views {
		panels = append(panels, Panel{fmt.Sprint("panel ", i), v})
	}
	o.Title, o.Caption = "a title", "a caption"
	s, err := Network(m, panels, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every link between switches has one mark, and every host one box, on every network.
func TestEveryLinkIsDrawnOnce(t *testing.T) {
	// 45,000 hosts: a box a leaf switch, and a cell for the links of a switch to a stage
	huge := "fattree:nodes-per-leaf=100,leaves-per-pod=50,pods=9,aggs-per-pod=32,cores=64,up=2"
	for _, spec := range append([]string{huge}, networks...) {
		m := machine(t, spec)
		for rows := range 4 {
			l := layoutOf(m, nil, 900, rows+1)
			links, hosts := make([]int, len(m.Links)), make([]int, m.Hosts())
			for i := range l.marks {
				for _, link := range l.marks[i].links {
					links[link]++
				}
			}
			for i := range l.hosts {
				for _, h := range l.hosts[i].hosts {
					hosts[h]++
				}
			}
			for i, n := range links {
				want := 1
				if m.IsHost(m.Links[i].From) || m.IsHost(m.Links[i].To) {
					want = 0 // the host's box shows it
				}
				if n != want {
					t.Fatalf("%s: link %d has %d marks, want %d", spec, i, n, want)
				}
			}
			if i := slices.IndexFunc(hosts, func(n int) bool { return n != 1 }); i >= 0 {
				t.Fatalf("%s: host %d has %d boxes", spec, i, hosts[i])
			}
		}
	}
}

// spineWithHost is a fabric of four leaf switches with six hosts each under two others, of which one has a
// host.
func spineWithHost(t *testing.T) *topology.Topology {
	t.Helper()
	var text strings.Builder
	for leaf := range 4 {
		fmt.Fprintf(&text, "Switch 36 \"S-%d\" # \"leaf%d\"\n", leaf, leaf)
		for h := range 6 {
			fmt.Fprintf(&text, "[%d] \"H-%d%d\"[1] # \"n%d%d mlx\" lid 1 4xEDR\n", h+1, leaf, h, leaf, h)
		}
		for spine := range 2 {
			fmt.Fprintf(&text, "[%d] \"S-%d\"[%d] # \"spine\" lid 1 4xEDR\n", 7+spine, 8+spine, leaf+1)
		}
	}
	for spine := range 2 {
		fmt.Fprintf(&text, "Switch 36 \"S-%d\" # \"spine%d\"\n", 8+spine, spine)
		for leaf := range 4 {
			fmt.Fprintf(&text, "[%d] \"S-%d\"[%d] # \"leaf\" lid 1 4xEDR\n", leaf+1, leaf, 7+spine)
		}
		if spine == 0 {
			text.WriteString("[9] \"H-login\"[1] # \"login mlx\" lid 1 4xEDR\n")
		}
	}
	m, err := topology.ReadIBNetDiscover("fabric", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A switch with one host that links larger ones stands above them, and its host is drawn beside it.
func TestSwitchesWithFewHostsAreLifted(t *testing.T) {
	m := spineWithHost(t)
	s := findStages(m, nil, true)
	if len(s.rows) != 2 || len(s.rows[0]) != 4 || len(s.rows[1]) != 2 {
		t.Fatalf("rows %v", s.rows)
	}
	if rows := findStages(machine(t, "hyperx:6"), nil, true).rows; len(rows) != 1 {
		t.Errorf("equal switches that are all linked are in %d rows", len(rows))
	}
	scene := draw(t, m, NetworkOptions{}, viewOf(m, ""))
	inside(t, "fabric", scene)
	apart(t, "fabric", scene)
	boxes := 0
	for _, shape := range scene.Shapes {
		if shape.Kind == Box && strings.HasPrefix(shape.ID, "h") {
			boxes++
		}
	}
	if boxes != 25 {
		t.Errorf("%d hosts are drawn, of 25", boxes)
	}
}

// What is not of the network is refused.
func TestNetworkRefuses(t *testing.T) {
	m := machine(t, smallTree)
	v := viewOf(m, "")
	for name, err := range map[string]error{
		"no panels":     second(Network(m, nil, NetworkOptions{})),
		"no view":       second(Network(m, []Panel{{}}, NetworkOptions{})),
		"another":       second(Network(m, []Panel{{"", &linkview.View{}}}, NetworkOptions{})),
		"wrong hosts":   second(Network(m, []Panel{{"", v}}, NetworkOptions{Hosts: make([]bool, 3)})),
		"nothing shown": second(Network(m, []Panel{{"", v}}, NetworkOptions{Hosts: make([]bool, m.Hosts())})),
	} {
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// second is the error of a result.
func second(_ *Scene, err error) error { return err }

// Links with traffic are in the scene with their IDs.
func TestLinksWithTrafficAreInTheScene(t *testing.T) {
	m := machine(t, smallTree)
	v := viewOf(m, "")
	count := map[string]int{}
	for _, s := range draw(t, m, NetworkOptions{}, v).Shapes {
		for _, id := range strings.Fields(s.ID) {
			count[id]++
		}
	}
	for i := range m.Links {
		want := 0
		if v.Links[i].Bytes > 0 && !m.IsHost(m.Links[i].From) && !m.IsHost(m.Links[i].To) {
			want = 1
		}
		if id := fmt.Sprintf("l%d", i); count[id] != want {
			t.Errorf("link %d of %g bytes is drawn %d times", i, v.Links[i].Bytes, count[id])
		}
	}
	for h := range m.Hosts() {
		if count[fmt.Sprintf("h%d", h)] != 1 {
			t.Errorf("host %d is drawn %d times", h, count[fmt.Sprintf("h%d", h)])
		}
	}
}

// Nothing reaches beyond the page, and host boxes do not cover each other.
func TestGeometry(t *testing.T) {
	for _, spec := range networks {
		m := machine(t, spec)
		v := viewOf(m, "")
		for _, o := range []NetworkOptions{{}, {SideBySide: true}, {Width: 600}} {
			s := draw(t, m, o, v, viewOf(m, "other"))
			inside(t, spec, s)
			apart(t, spec, s)
		}
	}
}

// inside tests that all shapes are on the page.
func inside(t *testing.T, name string, s *Scene) {
	t.Helper()
	for i := range s.Shapes {
		p := &s.Shapes[i]
		x0, y0, x1, y1 := min(p.X0, p.X1), min(p.Y0, p.Y1), max(p.X0, p.X1), max(p.Y0, p.Y1)
		if p.Kind == Text {
			width := textWidth(p.Text, p.Size, p.Bold)
			x0 = p.X0 - []float64{0, width / 2, width}[p.Align]
			x1, y0, y1 = x0+width, p.Y0-0.8*p.Size, p.Y0+0.25*p.Size
		}
		if !(x0 >= -0.01 && y0 >= -0.01 && x1 <= s.Width+0.01 && y1 <= s.Height+0.01) {
			t.Fatalf("%s: outside %g x %g: %+v", name, s.Width, s.Height, *p)
		}
	}
}

// apart tests that boxes of hosts do not cover each other.
func apart(t *testing.T, name string, s *Scene) {
	t.Helper()
	var boxes []Shape
	for _, p := range s.Shapes {
		if p.Kind == Box && strings.HasPrefix(p.ID, "h") {
			boxes = append(boxes, p)
		}
	}
	slices.SortFunc(boxes, func(a, b Shape) int { return int(math.Copysign(1, a.X0-b.X0)) })
	for i := range boxes {
		a := &boxes[i]
		for j := i + 1; j < len(boxes) && boxes[j].X0 < a.X1-1e-6; j++ {
			if b := &boxes[j]; b.Y0 < a.Y1-1e-6 && a.Y0 < b.Y1-1e-6 {
				t.Fatalf("%s: %s and %s overlap: %+v %+v", name, a.ID, b.ID, *a, *b)
			}
		}
	}
}

// Panels share the scale of darkness and of thickness.
func TestPanelsShareTheScale(t *testing.T) {
	m := machine(t, smallTree)
	full, half := viewOf(m, ""), viewOf(m, "")
	for i := range half.Links {
		half.Links[i].Bytes /= 2
	}
	byGroup := map[int]map[string]Shape{1: {}, 2: {}}
	for _, s := range draw(t, m, NetworkOptions{}, full, half).Shapes {
		if s.Group > 0 && strings.HasPrefix(s.ID, "l") {
			byGroup[s.Group][s.ID] = s
		}
	}
	if len(byGroup[1]) == 0 || len(byGroup[1]) != len(byGroup[2]) {
		t.Fatalf("%d and %d links", len(byGroup[1]), len(byGroup[2]))
	}
	for id, a := range byGroup[1] {
		b := byGroup[2][id]
		if a.Stroke != b.Stroke || a.Thickness > 1.2 &&
			math.Abs(b.Thickness-max(leastThick(a.Stroke.Value), a.Thickness/2)) > 1e-9 {
			t.Errorf("%s: %+v, at half the traffic %+v", id, a, b)
		}
	}
}

// Twice the traffic on links of twice the rate looks the same.
func TestRatesDoNotChangeShades(t *testing.T) {
	for _, spec := range []string{smallTree, "tapered", "torus:4x4x4"} {
		separator := ","
		if !strings.Contains(spec, ":") {
			separator = ":"
		}
		slow, fast := machine(t, spec), machine(t, spec+separator+"gbps=200")
		a, b := draw(t, slow, NetworkOptions{}, viewOf(slow, "")), draw(t, fast, NetworkOptions{}, viewOf(fast, ""))
		for i := range a.Shapes {
			x, y := a.Shapes[i], b.Shapes[i]
			x.Title, y.Title, x.Text, y.Text = "", "", "", ""
			if x != y {
				t.Fatalf("%s: %+v, with fast links %+v", spec, x, y)
			}
		}
	}
}

// A picture of 4,608 hosts is drawn in less than 2 s, in less than 3 MB, and twice the same.
func TestLargePicture(t *testing.T) {
	m := machine(t, "tapered")
	v := viewOf(m, "")
	var first, second bytes.Buffer
	start := time.Now()
	if err := draw(t, m, NetworkOptions{}, v).WriteSVG(&first); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	if err := draw(t, m, NetworkOptions{}, v).WriteSVG(&second); err != nil {
		t.Fatal(err)
	}
	if first.Len() > 3e6 || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("%d and %d bytes", first.Len(), second.Len())
	}
	if rects := wellFormed(t, first.Bytes())["rect"]; rects < 4608+2*2304*2/3 {
		t.Errorf("only %d boxes", rects)
	}
}
