package opt

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/tensor"
)

// TestExamplesKeepTheirMeaning runs every pipeline over the examples and evaluates before and after on their inputs.
func TestExamplesKeepTheirMeaning(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*.mlir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			m := parse(t, string(src))
			args := fileInputs(t, m, f[:len(f)-len(".mlir")]+".inputs.npz")
			want := evalOn(t, m, args)
			for level := range 3 {
				after := parse(t, string(src))
				if err := runPasses(after, Pipeline(level)...); err != nil {
					t.Fatalf("-O%d: %v", level, err)
				}
				for i, got := range evalOn(t, after, args) {
					if e := relative(got, want[i]); e > 1e-6 {
						t.Errorf("-O%d: result %d is off by %g of its scale", level, i, e)
					}
				}
			}
		})
	}
}

func evalOn(t *testing.T, m *hlo.Module, args []*tensor.Tensor) []*tensor.Tensor {
	t.Helper()
	out, err := eval.Run(context.Background(), m, "", args, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func fileInputs(t *testing.T, m *hlo.Module, path string) []*tensor.Tensor {
	t.Helper()
	arrays, err := tensor.ReadNPZFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Entry()
	var out []*tensor.Tensor
	for i, n := range f.InputNames() {
		for _, a := range arrays {
			if a.Name == n && a.As(hlo.TensorOf(f.Params[i]).Elem) {
				out = append(out, a.Tensor)
			}
		}
	}
	if len(out) != len(f.Params) {
		t.Fatalf("%s holds %d of %d inputs", path, len(out), len(f.Params))
	}
	return out
}

// relative is the largest difference over the largest magnitude.
func relative(got, want *tensor.Tensor) float64 {
	n := want.Type.Size()
	diff, scale := 0.0, 1e-30
	for i := 0; i < len(want.Data); i += n {
		g, w := number(want.Type, got.Data[i:i+n]), number(want.Type, want.Data[i:i+n])
		diff, scale = max(diff, g-w, w-g), max(scale, w, -w)
	}
	return diff / scale
}

func number(t dtype.Type, b []byte) float64 {
	if t.IsFloat() {
		return t.FloatOf(bits(b))
	}
	return float64(bits(b))
}

// TestPublicProgramsKeepTheirMeaning runs the -O2 pipeline over public programs and holds their checks to what they
// said before.
func TestPublicProgramsKeepTheirMeaning(t *testing.T) {
	dir := os.Getenv("ALCA_CONFORMANCE")
	if dir == "" {
		dir = "../../../../shared/conformance"
	}
	files, _ := filepath.Glob(filepath.Join(dir, "stablehlo/testdata/*.mlir"))
	if len(files) == 0 {
		t.Skip("no conformance data: set ALCA_CONFORMANCE")
	}
	ran := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range mlir.Split(src) {
			m, err := mlir.Parse(p.Src, filepath.Base(f))
			if err != nil || hlo.Verify(m) != nil || m.Entry() == nil || len(m.Entry().Params) > 0 {
				continue
			}
			before, err := eval.RunChecks(context.Background(), m)
			if err != nil || len(before) == 0 || eval.FirstFailure(before) != nil {
				continue
			}
			ran++
			if err := runPasses(m, Pipeline(2)...); err != nil {
				t.Errorf("%s: %v", filepath.Base(f), err)
				continue
			}
			after, err := eval.RunChecks(context.Background(), m)
			if err == nil && len(after) != len(before) {
				t.Errorf("%s: %d checks are left of %d", filepath.Base(f), len(after), len(before))
			}
			if err == nil {
				err = eval.FirstFailure(after)
			}
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(f), err)
			}
		}
	}
	t.Logf("%d programs", ran)
}
