package main

import (
	"go/ast"
	"go/token"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// What public packages export names no type of an internal package: code outside the
// module can write down every type it gets.
func TestExportedSurfaceIsPublic(t *testing.T) {
	checked := 0
	for _, f := range sources(t) {
		if f.test || strings.Contains(f.folder, "internal/") || f.folder == "cmd/remap" {
			continue
		}
		internals := map[string]bool{}
		for _, spec := range f.syntax.Imports {
			if p := strings.Trim(spec.Path.Value, `"`); strings.Contains(p, "/internal/") {
				internals[path.Base(p)] = true
			}
		}
		for _, d := range f.syntax.Decls {
			for _, part := range exportedParts(d) {
				checked++
				ast.Inspect(part, func(n ast.Node) bool {
					if x, ok := n.(*ast.SelectorExpr); ok {
						if of, ok := x.X.(*ast.Ident); ok && internals[of.Name] {
							t.Errorf("%s: exports %s.%s", f.fileSet.Position(n.Pos()), of.Name, x.Sel.Name)
						}
					}
					return true
				})
			}
		}
	}
	if checked < 500 {
		t.Fatalf("only %d exported declarations found", checked)
	}
}

// exportedParts are what a declaration shows of types to other packages: signatures of
// exported functions, exported types without their unexported fields, and the types and
// values of exported constants and variables.
func exportedParts(d ast.Decl) (parts []ast.Node) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			parts = append(parts, d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					parts = append(parts, exportedType(spec.Type)...)
				}
			case *ast.ValueSpec:
				if slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported) {
					parts = append(parts, exportedValue(d.Tok, spec)...)
				}
			}
		}
	}
	return parts
}

// exportedReceiver tells whether a function has no receiver or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	name, ok := of.(*ast.Ident)
	return ok && name.IsExported()
}

// exportedType is a type; of a struct the types of its exported and embedded fields.
func exportedType(of ast.Expr) (parts []ast.Node) {
	fields, ok := of.(*ast.StructType)
	if !ok {
		return []ast.Node{of}
	}
	for _, f := range fields.Fields.List {
		if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
			parts = append(parts, f.Type)
		}
	}
	return parts
}

// exportedValue is the type of a constant or variable, and the value of a constant.
func exportedValue(kind token.Token, spec *ast.ValueSpec) (parts []ast.Node) {
	if spec.Type != nil {
		parts = append(parts, spec.Type)
	}
	if kind == token.CONST || spec.Type == nil {
		for _, v := range spec.Values {
			parts = append(parts, v)
		}
	}
	return parts
}

// Who simulates or samples does not link what only files or tests need.
func TestLibrariesAreLean(t *testing.T) {
	for _, test := range []struct {
		library string
		without []string // beginnings of import paths
	}{
		{"remap/evalsim", []string{"encoding/json", "encoding/csv", "github.com/" +
			"parquet-go", "github.com/btcsuite"}},
		{"remap/sampling", []string{"encoding/json", "github.com/", "gonum.org/", "remap/"}},
		{"remap/topology", []string{"encoding/json", "github.com/", "gonum.org/"}},
		{"remap/workload", []string{"encoding/json", "github.com/"}},
	} {
		list, err := exec.Command("go", "list", "-deps", test.library).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", test.library, err)
		}
		packages := strings.Fields(string(list))
		if !slices.Contains(packages, "fmt") {
			t.Fatalf("%s: no list of packages: %s", test.library, list)
		}
		for _, p := range packages {
			for _, prefix := range test.without {
				if p != test.library && strings.HasPrefix(p, prefix) {
					t.Errorf("%s links %s", test.library, p)
				}
			}
		}
	}
}
