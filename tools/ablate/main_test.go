package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The mean is geometric: of a ratio and its inverse it is 1. Equal ratios have no interval.
func TestRatios(t *testing.T) {
	var r ratios
	r.add(0.5)
	r.add(2)
	if got := r.mean(); math.Abs(got-1) > 1e-12 {
		t.Errorf("mean of 0.5 and 2: %g", got)
	}
	if text := (ratios{0, 0, 0}).text(); text != "1.0000 +-0.0000 (1.000 to 1.000)" {
		t.Errorf("equal ratios: %s", text)
	}
}

// The overlay replaces the text and nothing else; a text that stands twice, or nowhere, is refused.
func TestOverlay(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "params.go")
	if err := os.WriteFile(file, []byte("a = 1\nb = 1\nc = 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"= 1", "d = 1"} {
		if _, err := overlayOf(folder, file, from, "= 3"); err == nil || !strings.Contains(err.Error(), "once") {
			t.Errorf("%q: %v", from, err)
		}
	}
	path, err := overlayOf(folder, file, "b = 1", "b = 7")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	changed, err := os.ReadFile(overlay.Replace[file])
	if err != nil || string(changed) != "a = 1\nb = 7\nc = 2\n" {
		t.Errorf("%q, %v", changed, err)
	}
}
