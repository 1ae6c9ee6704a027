package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A prefix may hold any characters; a link under the file's name is replaced, not followed;
// nothing else is left behind.
func TestRealFileNames(t *testing.T) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			program, preload := l.build(t, "../../../fixtures/record/heat.c")
			folder := t.TempDir()
			const name = "a b;$(touch x)`touch y` 'c'\"%s\n"
			victim := filepath.Join(folder, "victim")
			if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(victim, filepath.Join(folder, name+".csv")); err != nil {
				t.Fatal(err)
			}
			t.Setenv("REMAP_RECORD", filepath.Join(folder, name))
			elsewhere, _ := l.launch(t, 2, preload, nil, program, "2", "1", "8", "1")
			files := contents(t, folder)
			if !strings.HasPrefix(files[name+".csv"], "# ranks 2\nsrc,dst,bytes,messages\n0,1,") ||
				files["victim"] != "precious" || len(files) != 2 || len(contents(t, elsewhere)) != 0 {
				t.Errorf("files %q", files)
			}
			info, err := os.Lstat(filepath.Join(folder, name+".csv"))
			if err != nil || !info.Mode().IsRegular() {
				t.Errorf("the edge list is no file: %v, %v", info, err)
			}
		})
	}
}

// A folder that is not there does not stop the program; rank 0 says so.
func TestRealCannotWrite(t *testing.T) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			program, preload := l.build(t, "../../../fixtures/record/heat.c")
			t.Setenv("REMAP_RECORD", "absent/r")
			folder, said := l.launch(t, 2, preload, nil, program, "2", "1", "8", "1")
			if !strings.Contains(said, "residual") || !strings.Contains(said, "remap-record: cannot write ") ||
				!strings.Contains(said, "absent/r.csv: No such file or directory") {
				t.Errorf("said %q", said)
			}
			if files := contents(t, folder); len(files) != 0 {
				t.Errorf("files %q", files)
			}
		})
	}
}
