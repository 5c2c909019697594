package opt

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

func hloFiles(t *testing.T, sub string) []string {
	root := os.Getenv("ALCA_CONFORMANCE")
	if root == "" {
		root = "../../../../shared/conformance"
	}
	files, _ := filepath.Glob(filepath.Join(root, "xla-hlo", sub, "*.hlo"))
	if len(files) == 0 {
		t.Skip("no conformance data: set ALCA_CONFORMANCE")
	}
	return files
}

// TestFromHLOFiles converts real programs; what has no StableHLO form is named.
func TestFromHLOFiles(t *testing.T) {
	for _, sub := range []string{"benchmarks", "tests"} {
		ok, all := 0, 0
		for _, f := range hloFiles(t, sub) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() && len(src) > 1<<19 {
				continue
			}
			ms, err := hlotext.ParseAll(src, filepath.Base(f))
			if err != nil {
				continue
			}
			for _, m := range ms {
				if hlo.Verify(m) != nil {
					continue
				}
				all++
				err := FromHLO(m)
				if err == nil {
					err = hlo.Verify(m)
				}
				switch {
				case err == nil:
					ok++
				case sub == "benchmarks":
					t.Errorf("%v", err)
				case diag.Code(err) == "":
					t.Errorf("no diagnostic: %v", err)
				default: // ops StableHLO lacks, and forms its rules refuse
					t.Logf("%v", err)
				}
			}
		}
		t.Logf("%s: %d of %d modules become StableHLO", sub, ok, all)
		if ok*100 < all*96 {
			t.Errorf("%s: fewer than 96 %% of the modules become StableHLO", sub)
		}
	}
}

// argLoc is the name of an argument.
var argLoc = regexp.MustCompile(` loc\("[^"]*"\)`)

func TestFromHLO(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"tuples and calls", `f { p = (f32[2], f32[2]) parameter(0)
 a = f32[2] get-tuple-element(p), index=0
 b = f32[2] get-tuple-element(p), index=1
 ROOT t = (f32[2], f32[2]) tuple(b, a) }
ENTRY e { x = f32[2]{0} parameter(0)
 y = f32[2] negate(x)
 t = (f32[2], f32[2]) tuple(x, y)
 c = (f32[2], f32[2]) call(t), to_apply=f
 ROOT r = f32[2] get-tuple-element(c), index=0 }`, `
func.func private @f(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
return %arg1, %arg0 : tensor<2xf32>, tensor<2xf32>
}
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
%0 = stablehlo.negate %arg0 : tensor<2xf32>
%1:2 = call @f(%arg0, %0) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
return %1#0 : tensor<2xf32>
}`},
		{"bitcast between layouts", `ENTRY e { x = f32[2,3]{1,0} parameter(0)
 ROOT r = f32[3,2]{0,1} bitcast(x) }`, `
func.func @main(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
return %0 : tensor<3x2xf32>
}`},
		{"asynchronous ops", `ENTRY e { x = f32[2] parameter(0)
 c = (f32[2], f32[2], u32[]) copy-start(x)
 d = f32[2] copy-done(c)
 s = ((f32[2]), f32[2], u32[]) abs-start(d)
 ROOT r = f32[2] abs-done(s) }`, `
func.func private @async_computation.1(%arg0: tensor<2xf32>) -> tensor<2xf32> {
%0 = stablehlo.abs %arg0 : tensor<2xf32>
return %0 : tensor<2xf32>
}
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
%0 = call @async_computation.1(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
return %0 : tensor<2xf32>
}`},
	} {
		m, err := hlotext.Parse([]byte(c.src), "t")
		if err == nil {
			err = FromHLO(m)
		}
		if err == nil {
			err = hlo.Verify(m)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var b bytes.Buffer
		if err := mlir.Print(&b, m, mlir.Options{}); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range strings.Split(b.String(), "\n") {
			if l = argLoc.ReplaceAllString(strings.TrimSpace(l), ""); l != "" && !strings.HasPrefix(l, "module") {
				got += "\n" + l
			}
		}
		if got = strings.TrimSuffix(got, "\n}"); got != c.want {
			t.Errorf("%s: got%s\nwant%s", c.name, got, c.want)
		}
	}
}
