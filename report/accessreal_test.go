package report_test

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"

	"remap/internal/testkit/real"
)

// dim finds texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3).
const dim = `(() => {
	const channels = (text) => (text.match(/[\d.]+/g) || []).map(Number);
	const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 :
		Math.pow((v + 0.055) / 1.055, 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = channels(getComputedStyle(e).backgroundColor);
			if (c.length === 3 || c[3] === 1) return c;
		}
		return [255, 255, 255];
	};
	const found = [], seen = new Set();
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	let texts = 0;
	for (let node; (node = walker.nextNode());) {
		const e = node.parentElement, style = getComputedStyle(e);
		if (!node.textContent.trim() || e.closest("script, .stage, #tip, title, desc") || seen.has(e)) continue;
		seen.add(e);
		texts++;
		const ink = e.closest("svg") ? style.fill : style.color;
		const a = light(channels(ink)), b = light(behind(e));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (!(ratio >= 4.5))
			found.push(e.tagName + " " + ratio.toFixed(2) + " " + node.textContent.trim().slice(0, 40));
	}
	return texts < 30 ? "only " + texts + " texts" : found.join("\n");
})()`

// Texts stand out under light and dark colours, whether the system or the button chose them.
func TestRealContrast(t *testing.T) {
	browser := real.Browser(t)
	path := saved(t, sample("x"))
	paper := map[bool]string{}
	for _, dark := range []bool{false, true} {
		b := real.Open(t, browser, path, 1280, dark)
		background := "getComputedStyle(document.body).backgroundColor"
		paper[dark] = b.Text(background)
		if text := b.Text(dim); text != "" {
			t.Errorf("dark %v: %s", dark, text)
		}
		b.Do(chromedp.Click(chromedp.CSS("#theme")))
		if b.Text(background) == paper[dark] {
			t.Errorf("dark %v: the button changes nothing", dark)
		}
		if text := b.Text(dim); text != "" {
			t.Errorf("dark %v, changed by the button: %s", dark, text)
		}
		silent(t, b)
	}
	if paper[false] == paper[true] {
		t.Errorf("both are %s", paper[true])
	}
}

// A screen reader finds landmarks and headings, and everything that it stops at has a name.
func TestRealNames(t *testing.T) {
	b := real.Open(t, real.Browser(t), saved(t, sample("x")), 1280, false)
	tree := real.Call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	roles, described := map[string]int{}, ""
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := strings.Trim(string(n.Role.Value), `"`), ""
		if n.Name != nil {
			name = strings.TrimSpace(strings.Trim(string(n.Name.Value), `"`))
		}
		roles[role]++
		if name == "Convergence x" && n.Description != nil {
			described += strings.Trim(string(n.Description.Value), `"`)
		}
		switch role {
		case "button", "link", "image", "img", "SvgRoot", "graphics-document", "region", "group", "table", "figure",
			"columnheader", "rowheader", "heading", "RootWebArea":
			if name == "" {
				t.Errorf("a %s has no name", role)
			}
		}
	}
	for role, least := range map[string]int{"banner": 1, "main": 1, "contentinfo": 1, "heading": 7, "button": 10,
		"table": 1, "columnheader": 3, "rowheader": 3, "region": 3, "status": 1} {
		if roles[role] < least {
			t.Errorf("%d of role %s, want %d: %v", roles[role], role, least, roles)
		}
	}
	if described != "4 mappings x" {
		t.Errorf("the chart's description is %q", described)
	}
	if roles["image"]+roles["img"]+roles["SvgRoot"]+roles["graphics-document"] < 3 {
		t.Errorf("pictures and chart are no images: %v", roles)
	}
}

// Everything that can be reached by the Tab key shows that it has the focus, and nothing is wider than a
// narrow screen.
func TestRealNarrow(t *testing.T) {
	b := real.Open(t, real.Browser(t), saved(t, sample("x")), 400, false)
	if wide := b.Text("document.documentElement.scrollWidth"); wide != "400" {
		t.Errorf("the page is %s pixels wide on a screen of 400", wide)
	}
	reached := map[string]bool{}
	for range 40 {
		b.Do(chromedp.KeyEvent("\t"))
		at := b.Text("document.activeElement.className + ' ' + document.activeElement.tagName")
		reached[at] = true
		if at == "BODY" {
			continue
		}
		if b.Text("getComputedStyle(document.activeElement).outlineStyle") == "none" {
			t.Errorf("%q does not show its focus", at)
		}
	}
	for _, want := range []string{"skip A", "screen BUTTON", "stage DIV", "chart FIGURE", "scroll DIV",
		"BUTTON"} {
		if !reached[want] {
			t.Errorf("Tab does not reach %q: %v", want, reached)
		}
	}
}

// The page prints in light colours, without buttons, and with everything in it.
func TestRealPrint(t *testing.T) {
	b := real.Open(t, real.Browser(t), saved(t, sample("x")), 1280, true)
	pdf, err := chromedp.Run(b.Context, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1)); n < 1 || n > 4 {
		t.Errorf("%d pages", n)
	}
	real.Need(t, "pdftotext")
	c := exec.Command("pdftotext", "-layout", "-", "-")
	c.Stdin = bytes.NewReader(pdf)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for _, want := range []string{"Verdict", "25 % less time. x", "Results x", "Convergence",
		"remap optimize --hosts x"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not printed:\n%s", want, text)
		}
	}
	for _, button := range []string{"Whole picture", "Light colours", "sorts"} {
		if strings.Contains(text, button) {
			t.Errorf("%q is printed", button)
		}
	}
}
