package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"remap/internal/testkit/real"
)

// reportOf runs a command with --report and returns the page's file.
func reportOf(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if code, _, stderr := runHere(append(args, "--report", path)...); code != exitDone {
		t.Fatal(stderr)
	}
	return path
}

// The page of a network of 4,608 hosts is below 5 MB and needs less than 2 s of the processor before it
// answers. That is the time of the page's main thread beyond what an empty page takes, since the time on
// a clock is also that of others on the machine; it is logged.
func TestRealReportOfManyHosts(t *testing.T) {
	browser := real.Browser(t)
	path := reportOf(t, "compare", "--topology", "tapered", "--pattern", "stencil2d:64x72", "--strategies",
		"identity,tiling", "--repeats", "1", "--steps", "1", "--max-packets", "64")
	info, err := os.Stat(path)
	if err != nil || info.Size() > 5e6 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	empty := filepath.Join(t.TempDir(), "empty.html")
	if err := os.WriteFile(empty, []byte("<!DOCTYPE html><title>x</title>x"), 0o600); err != nil {
		t.Fatal(err)
	}
	least := real.Open(t, browser, empty, 1280, false).Seconds()
	b := real.Open(t, browser, path, 1280, false)
	took := b.Seconds() - least
	clock := b.Text("performance.getEntriesByType('navigation')[0].loadEventEnd / 1000")
	t.Logf("%d bytes; %.2f s of the processor, %s s by the clock", info.Size(), took, clock)
	if took > 2 {
		t.Errorf("it takes %.2f s of the processor to load", took)
	}
	if n := b.Text("document.querySelectorAll('.stage [data-id]').length"); len(n) < 5 {
		t.Errorf("only %s shapes stand for something", n)
	}
	for _, complaint := range b.Complaints() {
		t.Error(complaint)
	}
}

// Both pictures of a real run say their values when the reader points at a link, and hostile names of
// files are text.
func TestRealReportOfRun(t *testing.T) {
	name := "<img src=x onerror=alert(1)>.csv"
	folder := t.TempDir()
	t.Chdir(folder)
	if code, _, stderr := runHere("map", "--topology", "torus:4x4", "--pattern", "stencil2d:4x4", "--strategy",
		"random", "--output", name); code != exitDone {
		t.Fatal(stderr)
	}
	browser := real.Browser(t)
	simulated := real.Open(t, browser, reportOf(t, "simulate", "--topology", "torus:4x4", "--pattern",
		"stencil2d:4x4", "--mapping", name, "--repeats", "2"), 1280, false)
	if got := simulated.Text("document.querySelector('tbody th').textContent"); got != name {
		t.Errorf("the mapping's name: %q", got)
	}
	b := real.Open(t, browser, reportOf(t, "compare", "--topology",
		"fattree:nodes-per-leaf=4,leaves-per-pod=4,pods=2,aggs-per-pod=2,cores=2", "--pattern", "stencil2d:4x8",
		"--strategies", "random,tiling", "--repeats", "2"), 1280, false)
	place := `(() => { const r = document.querySelector(".stage rect[data-id^=h]").getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2]; })()`
	real.Eval[bool](b, `document.querySelector(".stage").scrollIntoView(), new Promise((end) =>
		requestAnimationFrame(() => requestAnimationFrame(() => end(true))))`)
	at := real.Eval[[]float64](b, place)
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
	got := b.Text("document.getElementById('tip').textContent")
	for _, want := range []string{"First row: random: ", "\nFastest: tiling: ", "Gb/s"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the value of a host: %q", want, got)
		}
	}
	for _, complaint := range append(simulated.Complaints(), b.Complaints()...) {
		t.Error(complaint)
	}
}
