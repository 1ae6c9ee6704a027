package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "remap/"

// algorithms are the packages of one family of strategies each.
var algorithms = []string{"rcm", "partition", "kernighanlin", "tiling", "exchange", "geometric"}

// mayImport lists, for every package of the module, which others its code may
// import (docs/architecture.md); input and internal/... are open to all. What a package
// above may import, its tests may too, and more: a test can look upwards.
var mayImport = map[string][]string{
	"commgraph":    {},
	"topology":     {},
	"sampling":     {},
	"counters":     {"topology"},
	"stencil":      {"commgraph"},
	"workload":     {"commgraph"},
	"flows":        {"workload"},
	"mapping":      {"commgraph", "topology"},
	"placement":    {"mapping", "commgraph", "topology"},
	"rcm":          {"mapping", "commgraph", "topology"},
	"partition":    {"mapping", "commgraph", "topology", "placement", "kernighanlin", "exchange"},
	"exchange":     {"mapping", "commgraph", "topology"},
	"geometric":    {"mapping", "commgraph", "topology"},
	"kernighanlin": {"mapping", "commgraph", "topology", "placement"},
	"tiling":       {"stencil", "mapping", "commgraph", "topology"},
	"strategy":     slices.Concat(algorithms, []string{"mapping", "commgraph", "topology", "stencil"}),
	"launcher":     {"mapping", "commgraph", "topology"},
	"verify":       {"launcher"},
	"evalsim":      {"topology", "workload", "sampling", "commgraph"},
	"replay":       {"workload", "commgraph"},
	"simfiles":     {"evalsim", "sampling", "topology"},
	"linkview":     {"counters", "evalsim", "sampling", "topology"},
	"diagnosis":    {"linkview", "commgraph", "evalsim", "sampling", "topology"},
	"picture":      {"linkview", "topology", "commgraph"},
	"feedback":     {"counters", "evalsim", "mapping", "commgraph", "topology", "workload", "sampling"},
	"report":       {},
	"robustness":   {"evalsim", "mapping", "topology", "workload"},
	"testbed":      {"topology"},
	"experiment":   {"testbed", "replay", "flows", "launcher", "evalsim", "topology", "workload"},
	"job": {"commgraph", "topology", "workload", "mapping", "sampling", "evalsim", "launcher", "rcm",
		"tiling"},
	".": {"job", "counters", "evalsim", "exchange", "feedback", "mapping", "sampling", "strategy",
		"topology", "diagnosis", "linkview", "workload"},
	"fixtures":   {"job", "commgraph", "topology", "workload", "mapping", "evalsim"},
	"benchmarks": {"*"},
	"cmd/remap":  {"*"},

	"input":            {},
	"internal/testkit": {"*"}, // imported by tests only
	"internal/testkit/labelled": {"topology", "workload", "commgraph", "mapping", "strategy", "sampling",
		"evalsim"},
	"internal/testkit/tier": {}, // so is this one
	"internal/testkit/real": {}, // and this one
	"sampling/bloom":        {"sampling"},
	"sampling/tablejson":    {"sampling"},
}

// goFile is a parsed source file of the module.
type goFile struct {
	path    string // slashes, relative to the module's root
	folder  string
	test    bool
	syntax  *ast.File
	fileSet *token.FileSet
}

// sources are all Go files of the module, the tools module left out.
func sources(t *testing.T) []goFile {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d Go files found: the walk does not see the module", len(files))
	}
	return files
}

// parsed parses them, once for all tests.
var parsed = sync.OnceValues(func() ([]goFile, error) {
	root := filepath.Join("..", "..")
	var files []goFile
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "tools") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		files = append(files, goFile{relative, filepath.ToSlash(filepath.Dir(relative)),
			strings.HasSuffix(name, "_test.go"), syntax, set})
		return nil
	})
	return files, err
})

// Imports run one way only.
func TestImportRule(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		allowed, known := mayImport[f.folder]
		if !known && !strings.HasPrefix(f.folder, "internal/") {
			t.Errorf("%s: package %s is not in the import rule", f.path, f.folder)
			continue
		}
		for _, spec := range f.syntax.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			ours, inModule := strings.CutPrefix(path, module)
			if path+"/" == module { // the package at the root
				ours, inModule = ".", true
			}
			switch {
			case strings.HasPrefix(ours, "internal/testkit"):
				t.Errorf("%s imports %s: only tests may", f.path, path)
			case !inModule || ours == "input" || strings.HasPrefix(ours, "internal/"):
			case !slices.Contains(allowed, ours) && !slices.Contains(allowed, "*"):
				t.Errorf("%s imports %s: not allowed for %s", f.path, path, f.folder)
			}
		}
	}
}

// Every package of the rule has its duty in the table of packages.
func TestImportRuleIsDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Packages")
	table, _, _ = strings.Cut(table, "Imports run")
	for name := range mayImport {
		if !strings.Contains(table, "`"+name+"`") {
			t.Errorf("docs/architecture.md: package %s is not in the table", name)
		}
	}
}

// The rule itself must have no cycle: every package stands above what it imports.
func TestImportRuleHasNoCycle(t *testing.T) {
	done := map[string]bool{}
	var visit func(name string, above []string)
	visit = func(name string, above []string) {
		if slices.Contains(above, name) {
			t.Fatalf("cycle: %s", strings.Join(append(above, name), " -> "))
		}
		if done[name] {
			return
		}
		for _, below := range mayImport[name] {
			if below != "*" {
				visit(below, append(slices.Clone(above), name))
			}
		}
		done[name] = true
	}
	for name := range mayImport {
		visit(name, nil)
	}
}

// Files stay under 500 lines and functions on a screen of 60.
func TestSizes(t *testing.T) {
	const fileLines, functionLines = 500, 60
	for _, f := range sources(t) {
		line := func(p token.Pos) int { return f.fileSet.Position(p).Line }
		if lines := line(f.syntax.FileEnd); lines > fileLines {
			t.Errorf("%s: %d lines, at most %d", f.path, lines, fileLines)
		}
		if f.test {
			continue
		}
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if lines := line(fn.End()) - line(fn.Pos()) + 1; lines > functionLines {
					t.Errorf("%s: func %s has %d lines, at most %d", f.path, fn.Name.Name, lines, functionLines)
				}
			}
		}
	}
}

// Lines end at 110 columns, except in raw strings, which hold data.
func TestLineWidth(t *testing.T) {
	const columns = 110
	for _, f := range sources(t) {
		raw := map[int]bool{}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(text.Value, "`") {
				for at := f.fileSet.Position(text.Pos()).Line; at <= f.fileSet.Position(text.End()).Line; at++ {
					raw[at] = true
				}
			}
			return true
		})
		text, err := os.ReadFile(filepath.Join("..", "..", f.path))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if len(line) > columns && !raw[i+1] && !strings.HasPrefix(line, "\t// mpirun") /* an Example's output */ {
				t.Errorf("%s:%d: %d columns, at most %d", f.path, i+1, len(line), columns)
			}
		}
	}
}

// Only the command line prints, exits and reads the command line.
func TestLibrariesDoNotPrintOrExit(t *testing.T) {
	forbidden := map[string][]string{
		"os":  {"Exit", "Stdout", "Stderr", "Stdin", "Args"},
		"fmt": {"Print", "Println", "Printf"},
		"log": {"Fatal", "Fatalf", "Fatalln", "Print", "Printf", "Println", "Panic", "Panicf"},
	}
	for _, f := range sources(t) {
		if f.test || f.folder == "cmd/remap" || f.folder == "benchmarks" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(forbidden[x.Name], selector.Sel.Name) {
				t.Errorf("%s: uses %s.%s", f.fileSet.Position(n.Pos()), x.Name, selector.Sel.Name)
			}
			return true
		})
	}
}

// Every option is declared once: its name appears in one flag literal only.
func TestOptionsAreDeclaredOnce(t *testing.T) {
	seen := map[string]string{}
	for _, f := range sources(t) {
		if f.test || f.folder != "cmd/remap" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if kind, ok := literal.Type.(*ast.SelectorExpr); !ok || !strings.HasSuffix(kind.Sel.Name, "Flag") {
				return true
			}
			for _, element := range literal.Elts {
				pair, ok := element.(*ast.KeyValueExpr)
				if !ok || pair.Key.(*ast.Ident).Name != "Name" {
					continue
				}
				name := pair.Value.(*ast.BasicLit).Value
				where := f.fileSet.Position(n.Pos()).String()
				if first, twice := seen[name]; twice {
					t.Errorf("%s: option %s is declared at %s too", where, name, first)
				}
				seen[name] = where
			}
			return true
		})
	}
	if len(seen) < 20 {
		t.Errorf("only %d options found: the test does not see them", len(seen))
	}
}
