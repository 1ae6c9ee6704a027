package report_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"remap/internal/testkit/real"
	"remap/report"
)

// saved is a page as a file.
func saved(t *testing.T, p *report.Page) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(written(t, p)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// silent fails where the browser has something to say of a page.
func silent(t *testing.T, b *real.Tab) {
	t.Helper()
	for _, c := range b.Complaints() {
		t.Error(c)
	}
}

// middle is the middle of the first element of a selector, scrolled into view.
func middle(b *real.Tab, selector string) (x, y float64) {
	real.Eval[bool](
		b,
		fmt.Sprintf(`document.querySelector(%q).scrollIntoView({block: "center"}), true`, selector),
	)
	settle(b)
	at := real.Eval[[]float64](
		b,
		fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector),
	)
	return at[0], at[1]
}

// settle waits until the browser has drawn what was asked for, and told the page of it.
func settle(b *real.Tab) {
	real.Eval[bool](
		b,
		"new Promise((end) => requestAnimationFrame(() => requestAnimationFrame(() => end(true))))",
	)
}

// view is the viewBox of picture i: x, y, width, height.
func view(t *testing.T, b *real.Tab, i int) (box [4]float64) {
	t.Helper()
	text := b.Text(fmt.Sprintf("document.querySelectorAll('.stage svg')[%d].getAttribute('viewBox')", i))
	for k, field := range strings.Fields(text) {
		var err error
		if box[k], err = strconv.ParseFloat(field, 64); err != nil {
			t.Fatal(err)
		}
	}
	return box
}

// Hostile names run nothing, and the console is silent.
func TestRealHostilePage(t *testing.T) {
	b := real.Open(t, real.Browser(t), saved(t, sample(hostile)), 1280, false)
	if got := b.Text("document.querySelector('.lead').textContent"); !strings.Contains(got, "<img src=x") {
		t.Errorf("verdict: %q", got)
	}
	silent(t, b)
}

// The policy forbids all access: what a script in the page asks for never leaves the browser, and the
// browser says so, which the other tests would see.
func TestRealPolicy(t *testing.T) {
	asked := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
	}))
	defer server.Close()
	b := real.Open(t, real.Browser(t), saved(t, sample("x")), 1280, false)
	silent(t, b)
	for _, attempt := range []string{
		`new Promise((end) => { const i = new Image(); i.onerror = () => end("no"); i.onload = () => end("yes");
			i.src = "URL/image"; })`,
		`fetch("URL/fetch").then(() => "yes", () => "no")`,
		`new Promise((end) => { const s = document.createElement("script"); s.onerror = () => end("no");
			s.onload = () => end("yes"); s.src = "URL/script"; document.body.append(s); })`,
		`(() => { window.ran = "no"; const s = document.createElement("script"); s.textContent = "window.ran='yes'";
			document.body.append(s); return window.ran; })()`,
	} {
		got, err := chromedp.Run(
			b.Context,
			chromedp.Evaluate[string](strings.ReplaceAll(attempt, "URL", server.URL),
				chromedp.EvalAwaitPromise),
		)
		if err != nil || got != "no" {
			t.Errorf("%s: %q, %v", attempt, got, err)
		}
	}
	if said := strings.Join(b.Complaints(), "\n"); strings.Count(said, "Content Security Policy") < 4 {
		t.Errorf("the browser says:\n%s", said)
	}
	select {
	case path := <-asked:
		t.Errorf("the page got through to %s", path)
	default:
	}
}

// Pointing at a shape shows its value in all pictures, and pointing elsewhere hides it.
func TestRealHover(t *testing.T) {
	b := real.Open(t, real.Browser(t), saved(t, sample("x")), 1280, false)
	tip := func() string { return b.Text("tip.classList.contains('on') ? tip.textContent : ''") }
	x, y := middle(b, ".stage rect")
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	if got := tip(); !strings.Contains(got, "n0: 0.83") || !strings.Contains(got, "After: n0: 0.10") {
		t.Errorf("the value of a shape: %q", got)
	}
	x, y = middle(b, "h1")
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	if got := tip(); got != "" {
		t.Errorf("still shown: %q", got)
	}
	x, y = middle(b, "td.bar svg")
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	if got := tip(); !strings.Contains(got, "120 us, 95 % interval 118 to 125") {
		t.Errorf("the value of a bar: %q", got)
	}
	b.Do(chromedp.Focus(chromedp.CSS(".chart")), chromedp.KeyEvent(kb.ArrowRight+kb.ArrowRight))
	if got := tip(); !strings.Contains(got, "2 of 4: kl: 100 us") {
		t.Errorf("the second mark of the chart: %q", got)
	}
	x, y = middle(b, ".chart rect[data-id=p1-1]")
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	if got := tip(); got != "3 of 4: rcm: 110 us" {
		t.Errorf("the value of a mark: %q", got)
	}
	b.Do(chromedp.Focus(chromedp.CSS(".chart")))
	b.Do(chromedp.KeyEvent(kb.End + kb.Escape))
	if got := tip(); got != "" {
		t.Errorf("after Escape: %q", got)
	}
	silent(t, b)
}

// The pictures zoom and move together by keys, buttons, wheel and drag; the middle says its value.
func TestRealZoom(t *testing.T) {
	b := real.Open(t, real.Browser(t), saved(t, sample("x")), 1280, false)
	whole := view(t, b, 0)
	expect := func(how string, right func(box [4]float64) bool) {
		t.Helper()
		if box := view(t, b, 0); !right(box) || view(t, b, 1) != box {
			t.Errorf("%s: %v, the other picture %v", how, box, view(t, b, 1))
		}
	}
	smaller := func(box [4]float64) bool {
		return box[2] < whole[2] && box[0] > 0 && math.Abs(box[3]/box[2]-0.5) < 1e-4
	}
	b.Do(chromedp.Focus(chromedp.CSS(".stage")), chromedp.KeyEvent("++"))
	expect("plus", smaller)
	if got := b.Text("tip.textContent"); !strings.Contains(got, "n0: 0.83") {
		t.Errorf("the middle: %q", got)
	}
	before := view(t, b, 0)
	b.Do(chromedp.KeyEvent(kb.ArrowRight + kb.ArrowDown))
	expect("arrows", func(box [4]float64) bool {
		return box[0] > before[0] && box[1] > before[1] && box[2] == before[2]
	})
	b.Do(chromedp.KeyEvent("0"))
	expect("0", func(box [4]float64) bool { return box == whole })
	b.Do(chromedp.Click(chromedp.CSS("button[data-view=in]")))
	expect("the button +", smaller)
	before = view(t, b, 0)
	x, y := middle(b, ".stage")
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x-50, y-20, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x-50, y-20, chromedp.ButtonLeft))
	expect("drag", func(box [4]float64) bool { return box[0] > before[0] && box[1] > before[1] })
	b.Do(chromedp.Click(chromedp.CSS("button[data-view=reset]")))
	expect("the button of the whole", func(box [4]float64) bool { return box == whole })
	wheel := func() {
		b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, x, y,
			func(p *input.DispatchMouseEventParams) { p.DeltaX, p.DeltaY = 1e-9, -240 }))
	}
	b.Do(chromedp.Focus(chromedp.CSS(".stage")))
	x, y = middle(b, ".stage")
	wheel()
	settle(b)
	expect("the wheel", smaller)
	silent(t, b)
}

// Headings sort by click and by keyboard: numbers as numbers, what is not known at the end.
func TestRealSort(t *testing.T) {
	b := real.Open(t, real.Browser(t), saved(t, sample("x")), 1280, false)
	rows := func() string {
		return b.Text("Array.from(document.querySelectorAll('tbody th'), (h) => h.textContent).join('; ')")
	}
	order := func(how, want, sort string) {
		t.Helper()
		got := b.Text("Array.from(document.querySelectorAll('thead th'), (h) => h.ariaSort || '-').join(' ')")
		if rows() != want || got != sort {
			t.Errorf("%s: %q, %q", how, rows(), got)
		}
	}
	button := func(i int) string { return fmt.Sprintf("thead th:nth-child(%d) button", i) }
	order("at first", "before x; after; middle", "- - -")
	b.Do(chromedp.Click(chromedp.CSS(button(2))))
	order("times", "after; before x; middle", "- ascending -")
	b.Do(chromedp.Click(chromedp.CSS(button(2))))
	order("times, down", "before x; after; middle", "- descending -")
	b.Do(chromedp.Focus(chromedp.CSS(button(1))), chromedp.KeyEvent(kb.Enter))
	order("names", "after; before x; middle", "ascending - -")
	b.Do(chromedp.KeyEvent(kb.Enter))
	order("names, down", "middle; before x; after", "descending - -")
	silent(t, b)
}
