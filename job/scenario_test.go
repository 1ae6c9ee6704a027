package job

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"remap/input"
)

// Whatever a scenario file holds, it is read or refused with its name, and what
// is read names known options with values.
func FuzzScenario(f *testing.F) {
	for _, text := range []string{"", "topology = \"torus:4x4\"\nbackground = [\"ring:4\", " +
		"\"ring:2\"]\nrepeats = 3\n",
		"hosts = {a = 1}", "x = ",
		"[topology]\n", "\xef\xbb\xbfseed = 1", "compute-noise = nan", "grid = 1979-05-27", "a.b.c = [[[[1]]]]",
		"topology = [1, \"\\u0000\"]"} {
		f.Add([]byte(text))
	}
	names := []string{"topology", "hosts", "grid", "background", "seed", "repeats", "compute-noise"}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(folder, "s.toml")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		options, err := ReadScenario(path, names)
		var wrong *input.Error
		if err != nil && (!errors.As(err, &wrong) || wrong.File != path || wrong.Reason == "" || wrong.Hint == "") {
			t.Fatalf("%#v", err)
		}
		for _, o := range options {
			if o.Origin == "" || o.Name == "" || !slices.Contains(names, o.Name) ||
				len(o.Values) == 0 && o.Name != "background" {
				t.Errorf("%+v", o)
			}
		}
	})
}
