package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Of what cannot be read again no content is known, and none is made up.
func TestContentSum(t *testing.T) {
	if sum, err := ContentSum(os.DevNull, true); err == nil || sum != "" {
		t.Errorf("%q, %v", sum, err)
	}
	for _, none := range []string{"", "ring:64", t.TempDir()} {
		if sum, err := ContentSum(none, false); err != nil || sum != "" {
			t.Errorf("%q: %q, %v", none, sum, err)
		}
	}
}

// A folder's sum follows the names and the contents of its files.
func TestFolderSum(t *testing.T) {
	sum := func(name, text string) string {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := ContentSum(folder, true)
		if err != nil || s == "" {
			t.Fatalf("%q, %v", s, err)
		}
		return s
	}
	if first := sum("a", "x"); sum("a", "x") != first || sum("a", "y") == first || sum("b", "x") == first {
		t.Error("equal folders differ, or others are equal")
	}
}

// A file is replaced when all of it is written; after an error the old one is untouched, and nothing
// is left beside it.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write := func(text string, end error) error {
		return Replace(path, func(w io.Writer) error {
			io.WriteString(w, text)
			return end
		})
	}
	if err := write("one", nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := write("two", broken); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	content, err := os.ReadFile(path)
	entries, _ := os.ReadDir(filepath.Dir(path))
	if string(content) != "one" || err != nil || len(entries) != 1 {
		t.Errorf("%q, %v, %d files", content, err, len(entries))
	}
}

// A private file that is replaced stays private, and a link is replaced without touching its target.
func TestReplaceKeepsPermissionsAndTargets(t *testing.T) {
	folder := t.TempDir()
	private, link := filepath.Join(folder, "private"), filepath.Join(folder, "link")
	if err := os.WriteFile(private, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(private, link); err != nil {
		t.Skip("no links on this file system")
	}
	after := func(w io.Writer) error {
		_, err := io.WriteString(w, "after")
		return err
	}
	if err := Replace(link, after); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(private); string(text) != "before" {
		t.Errorf("the target of the link holds %q", text)
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link was not replaced: %v, %v", info, err)
	}
	looked := func(w io.Writer) error {
		entries, err := filepath.Glob(private + ".*.tmp")
		if err != nil || len(entries) != 1 {
			t.Errorf("temporary files %v, %v", entries, err)
			return err
		}
		if info, err := os.Stat(entries[0]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("others may read the temporary file: %v, %v", info.Mode(), err)
		}
		return after(w)
	}
	if err := Replace(private, looked); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the private file has the permissions %v, %v", info.Mode(), err)
	}
}

// A new file gets the permissions of new files.
func TestReplaceNew(t *testing.T) {
	folder := t.TempDir()
	usual := filepath.Join(folder, "usual")
	if err := os.WriteFile(usual, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Replace(filepath.Join(folder, "new"), func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	a, _ := os.Stat(usual)
	b, err := os.Stat(filepath.Join(folder, "new"))
	if err != nil || a.Mode() != b.Mode() {
		t.Errorf("the new file has %v, others %v; %v", b.Mode(), a.Mode(), err)
	}
}
