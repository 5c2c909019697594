package alca

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rooms are the packages in their order: each may import only what stands above it (docs/architecture.md).
// Sub-packages belong to the room of their parent.
var rooms = []string{"diag", "dtype", "tensor", "cpu", "pass", "hlo", "pelican", "machine", "bir", "penguin", "nki",
	"isa", "neff", "walrus", "sim", "reduce", "provenance", "report", "driver"}

// notAllowed are direct imports that the order of rooms would allow but the design excludes.
var notAllowed = map[string][]string{
	"diag": {"dtype", "tensor"},
	"cpu":  {"hlo", "bir", "penguin"},
	"hlo":  {"machine", "bir", "penguin"},
}

const modulePath = "github.com/alcadev/alca"

func TestImportOrder(t *testing.T) {
	rank := map[string]int{}
	for i, r := range rooms {
		rank[r] = i
	}
	n := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "python") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		parts := strings.Split(filepath.ToSlash(path), "/")
		room := ""
		if parts[0] == "internal" {
			room = parts[1]
			if _, ok := rank[room]; !ok {
				t.Errorf("%s: package internal/%s has no place in the order of rooms", path, room)
				return nil
			}
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		n++
		for _, im := range f.Imports {
			p := strings.Trim(im.Path.Value, `"`)
			rest, ok := strings.CutPrefix(p, modulePath)
			if !ok {
				continue
			}
			rest = strings.TrimPrefix(rest, "/")
			target, inside := strings.CutPrefix(rest, "internal/")
			target, _, _ = strings.Cut(target, "/")
			switch {
			case room != "" && !inside:
				t.Errorf("%s imports %s: internal packages do not import the public API or commands", path, p)
			case room == "" && inside && (parts[0] == "cmd" || len(parts) == 1) && target != "driver" && !strings.HasSuffix(path, "_test.go"):
				t.Errorf("%s imports internal/%s: commands and the public API go through driver", path, target)
			case room != "" && target != room && rank[target] > rank[room] && !testMayImport(path, target):
				t.Errorf("%s imports internal/%s, which stands below internal/%s", path, target, room)
			}
			for _, no := range notAllowed[room] {
				if inside && target == no {
					t.Errorf("%s imports internal/%s, which internal/%s must not know", path, target, room)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 50 {
		t.Errorf("only %d files were looked at", n)
	}
}

// testMayImport lets tests use executors and readers of other rooms.
func testMayImport(path, target string) bool { return strings.HasSuffix(path, "_test.go") }

// TestDependencies wants a line in docs/dependencies.md for every module that go.mod requires directly.
func TestDependencies(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, l := range strings.Split(string(mod), "\n") {
		f := strings.Fields(l)
		if len(f) != 2 || !strings.Contains(f[0], "/") || !strings.HasPrefix(f[1], "v") {
			continue
		}
		n++
		if !strings.Contains(string(doc), "`"+f[0]+"`") {
			t.Errorf("docs/dependencies.md does not say what %s is for", f[0])
		}
	}
	if n == 0 {
		t.Error("go.mod requires nothing")
	}
}
