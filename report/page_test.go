package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"io"
	"math"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"remap/picture"
	"remap/report"
)

// hostile is a name that would be markup, script, the end of a script or of an attribute, a control
// character, or a change of direction, if it were not text.
const hostile = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;\n\x1b[31m{{.}}\u202e"

// sample is a page with all parts. Every text is made of name.
func sample(name string) *report.Page {
	unknown := math.NaN()
	bars := report.BarCells([]float64{120, 90, unknown}, []float64{118, unknown, unknown},
		[]float64{125, unknown, unknown}, "us")
	drawing := func(congested string) []byte {
		return []byte(`<svg viewBox="0 0 200 100" role="img"><title>network</title>` +
			`<rect x="50" y="20" width="100" height="60" data-id="h1"><title>n0: ` + congested +
			`</title></rect></svg>`)
	}
	return &report.Page{Kind: "optimize", Title: "job " + name,
		Verdict: []string{"25 % less time. " + name, "More."},
		Facts:   []report.Fact{{Name: "Job", Value: name}, {Name: "Ranks", Value: "64"}},
		Network: &report.Network{Title: "Network", Text: []string{name}, Pictures: []report.Picture{
			{Title: "Before", Text: name, SVG: drawing("0.83")}, {Title: "After", Text: name, SVG: drawing("0.10")}}},
		Tables: []report.Table{{Title: "Results " + name, Text: name,
			Columns: []report.Column{{Name: "mapping " + name, Left: true}, {Name: "elapsed us"}, {Name: "interval"}},
			Rows: [][]report.Cell{
				{report.TextCell("before " + name), report.TextCell("120"), bars[0]},
				{report.TextCell("after"), report.TextCell("90"), bars[1]},
				{report.TextCell("middle"), report.TextCell("-"), bars[2]},
			}}},
		Chart:   chart(name),
		Command: report.Command("remap", "optimize", "--hosts", name), Seed: 7, Version: "v1 " + name,
		Value: map[string]any{"strategy": name, "elapsed_ns": 90000}}
}

// chart is of four mappings, with marks of two kinds, a line and a level.
func chart(name string) *report.Picture {
	c := picture.Chart{Description: "4 mappings " + name, XName: "mapping", YName: "us", Width: 720, Height: 300,
		Levels: []picture.ChartLevel{{Name: "bound " + name, Y: 80}}, Series: []picture.ChartSeries{
			{Name: "best so far", Stairs: true, Points: []picture.ChartPoint{{X: 1, Y: 120}, {X: 2, Y: 100}}},
			{Name: "without feedback", Points: []picture.ChartPoint{{X: 1, Y: 120, Title: "1 of 4: " + name + ": 120"},
				{X: 3, Y: 110, Title: "3 of 4: rcm: 110 us"}}},
			{Name: "by feedback", Points: []picture.ChartPoint{{X: 2, Y: 100, Title: "2 of 4: kl: 100 us"},
				{X: 4, Y: 105, Title: "4 of 4: prices: 105 us"}}}}}
	scene, err := c.Scene()
	if err != nil {
		panic(err)
	}
	scene.Title = "Convergence " + name
	var svg bytes.Buffer
	if err := scene.WriteSVG(&svg); err != nil {
		panic(err)
	}
	return &report.Picture{Title: "Convergence " + name, Text: "Every mark is a mapping. " + name,
		SVG: svg.Bytes()}
}

func written(t *testing.T, p *report.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// between is what stands between two texts of which the first occurs once.
func between(t *testing.T, page, begin, end string) string {
	t.Helper()
	if n := strings.Count(page, begin); n != 1 {
		t.Fatalf("%q occurs %d times", begin, n)
	}
	_, rest, _ := strings.Cut(page, begin)
	text, _, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("no %q behind %q", end, begin)
	}
	return text
}

// namespace is the name of SVG's elements. It has the form of an address, but nobody goes there.
const namespace = `xmlns="http://www.w3.org/2000/svg"`

// The policy forbids everything but the page's own style and script, byte by byte.
func TestPolicy(t *testing.T) {
	page := written(t, sample(hostile))
	policy := html.UnescapeString(between(t, page, `http-equiv="Content-Security-Policy" content="`, `"`))
	for name, text := range map[string]string{"style-src": between(t, page, "<style>", "</style>"),
		"script-src": between(t, page, "<script>", "</script>")} {
		sum := sha256.Sum256([]byte(text))
		want := name + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
		if !strings.Contains(policy, want) {
			t.Errorf("%s is not in %s", want, policy)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
	for _, forbidden := range []string{" style=", " onclick=", "http://", "https://", "@import", "url("} {
		if strings.Contains(strings.NewReplacer(hostile, "", namespace, "").Replace(page), forbidden) {
			t.Errorf("the page contains %q", forbidden)
		}
	}
}

// Names stay text: a page of hostile names has the elements of one of plain names.
func TestHostileNames(t *testing.T) {
	elements := regexp.MustCompile(`<[/!]?[a-zA-Z][a-zA-Z0-9]*`)
	plain, page := written(t, sample("plain")), written(t, sample(hostile))
	want, got := elements.FindAllString(plain, -1), elements.FindAllString(page, -1)
	if len(want) < 100 || strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("%d elements, with plain names %d", len(got), len(want))
	}
	data := between(t, page, `id="data">`, "</script>") // there they are data
	page = strings.Replace(page, data, "", 1)
	for _, control := range []string{"\x1b", "\u202e", "<img"} {
		if strings.Contains(page, control) {
			t.Errorf("the page contains %q", control)
		}
	}
	if strings.Count(page, "&lt;/script&gt;") < 10 {
		t.Error("the names are not in the page")
	}
}

// The JSON in the page is the value.
func TestJSON(t *testing.T) {
	page := sample(hostile)
	text := between(t, written(t, page), `<script type="application/json" id="data">`, "</script>")
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got["strategy"] != hostile || got["elapsed_ns"] != 90000.0 {
		t.Errorf("%q", got)
	}
	page.Value = make(chan int)
	if err := page.Write(io.Discard); err == nil {
		t.Error("a value that is no JSON passes")
	}
}

// Equal pages give equal bytes, and elements end in the order in which they began.
func TestWellFormed(t *testing.T) {
	page := written(t, sample(hostile))
	if again := written(t, sample(hostile)); again != page {
		t.Error("two pages of one value differ")
	}
	if !strings.HasPrefix(page, "<!DOCTYPE html>\n<html lang=\"en\">") {
		t.Error("no HTML")
	}
	void := map[string]bool{"meta": true, "br": true}
	var open []string
	code := regexp.MustCompile(`(?s)(<style>|<script[^>]*>).*?(</style>|</script>)`)
	tags := regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:"[^"]*"|[^">])*?)(/?)>`)
	for _, tag := range tags.FindAllStringSubmatch(code.ReplaceAllString(page, "$1$2"), -1) {
		switch {
		case void[tag[2]] || tag[4] == "/":
		case tag[1] == "":
			open = append(open, tag[2])
		case len(open) == 0 || open[len(open)-1] != tag[2]:
			t.Fatalf("</%s> ends %v", tag[2], open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("not ended: %v", open)
	}
}

// Every id is of one element, and what refers to an id finds it.
func TestReferences(t *testing.T) {
	page := written(t, sample("x"))
	ids := map[string]int{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[id[1]]++; ids[id[1]] > 1 {
			t.Errorf("id %s occurs twice", id[1])
		}
	}
	uses := regexp.MustCompile(`(?:aria-labelledby|aria-describedby)="([^"]*)"|href="#([^"]*)"`)
	found := uses.FindAllStringSubmatch(page, -1)
	for _, use := range found {
		if name := use[1] + use[2]; ids[name] == 0 {
			t.Errorf("no element has the id %s", name)
		}
	}
	if len(found) < 8 {
		t.Errorf("%d references", len(found))
	}
}

// Parts that are empty have no section.
func TestEmptyParts(t *testing.T) {
	page := written(t, &report.Page{Kind: "simulate", Title: "t", Verdict: []string{"v"}})
	if n := strings.Count(page, "<section"); n != 3 {
		t.Errorf("%d sections, want verdict, what ran and the command", n)
	}
}

// A row with a missing cell is an error, not a shifted table.
func TestShortRow(t *testing.T) {
	p := sample("x")
	p.Tables[0].Rows[1] = p.Tables[0].Rows[1][:2]
	if err := p.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "row 2 has 2 cells, not 3") {
		t.Error(err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// An error of the file is told.
func TestWriteError(t *testing.T) {
	if err := sample("x").Write(full{}); err == nil {
		t.Error("no error")
	}
}

// A shell reads the arguments of a command as they were.
func TestCommand(t *testing.T) {
	if got := report.Command("remap", "map", "--hosts", "n[0-3]", ""); got != "remap map --hosts 'n[0-3]' ''" {
		t.Error(got)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("skipped: no bash")
	}
	args := []string{"a b", "it's", "$HOME", "`x`", "\\", "", "*", "~", "a\nb\x1b'\\\u202e\u00e9", hostile,
		"--x=é"}
	out, err := exec.Command(bash, "-c", "LC_ALL=C.UTF-8; printf '%s\\0' "+report.Command(args...)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSuffix(string(out), "\x00"); got != strings.Join(args, "\x00") {
		t.Errorf("%q\nwant %q", got, args)
	}
}
