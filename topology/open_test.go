package topology

import (
	"errors"
	"os"
	"strings"
	"testing"

	"remap/input"
)

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := folder + "/" + name
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, good := range []string{"tapered", "torus:2x2", "dragonfly:groups=3,routers=2,hosts=1," +
		"global=1", "hyperx:2x2", write("dump", smallFabric),
		write("marked", "\xef\xbb\xbf"+smallFabric[strings.Index(smallFabric, "Switch"):]),
		write("list", "CA 1 1 0x1 4x EDR - SW 2 3 0x2 ( 'a' - 'b' )\n")} {
		if _, err := Open(good); err != nil {
			t.Errorf("Open(%s): %v", good, err)
		}
	}
	for path, reason := range map[string]string{
		folder:                  "is a folder",
		folder + "/none":        "no such file, and not a topology spec",
		write("empty", ""):      "the file is empty",
		write("blank", " \n"):   "the file is empty",
		write("other", "1 2 3"): "not recognised as a topology file",
		write("slurm", "# x\nswitchname=s0 Nodes=n[0-3]\n"): "Slurm topology.conf is not supported yet",
		"dragonfly:groups=9": "routers, hosts, global must be given",
		"tree:pods=3":        `unknown kind of network "tree"`,
		"fattree:pods=0":     `topology "fattree:pods=0": pods must be at least 1`,
		"":                   "names no kind of network",
	} {
		_, err := Open(path)
		var e *input.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), reason) || e.Hint == "" {
			t.Errorf("Open(%q) = %v, want %q and a hint", path, err, reason)
		}
	}
}

// The hint of a spec whose kind is known is about that kind, and every form in
// it is one that Parse takes.
func TestSpecHints(t *testing.T) {
	for _, f := range forms {
		_, err := Parse(f.kind + ":colour=blue")
		if hint := input.Hint(err); !strings.HasPrefix(hint, "write "+f.form) ||
			strings.Contains(hint, "supported") {
			t.Errorf("%s: hint %q", f.kind, hint)
		}
		plain := strings.NewReplacer("[", "", "]", "", "=H", "=2", "=L", "=2", "=P", "=2", "=A", "=2", "=C",
			"=2", "=U", "=1").Replace(f.form)
		if !strings.Contains(plain, ":") {
			plain += ":"
		}
		if _, err := Parse(strings.TrimSuffix(plain+",gbps=100,"+
			"latency-ns=100", ":")); err != nil && strings.Contains(plain, "=") {
			t.Errorf("%s: %v", plain, err)
		}
		if _, err := Parse(f.kind + ":"); (err == nil) != (f.kind == f.form) {
			t.Errorf("%s: without fields: %v", f.kind, err)
		}
	}
	if _, err := Parse("tree:pods=3"); !strings.Contains(input.Hint(err), forms[0].form) ||
		!strings.Contains(input.Hint(err), forms[len(forms)-1].form) {
		t.Errorf("an unknown kind: hint %q", input.Hint(err))
	}
}
