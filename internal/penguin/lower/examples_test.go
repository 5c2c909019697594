package lower

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// TestExamples lowers every example and compares the interpreted result with the evaluator's.
func TestExamples(t *testing.T) {
	files, _ := filepath.Glob("../../../examples/*.mlir")
	if len(files) == 0 {
		t.Fatal("no examples")
	}
	for _, f := range files {
		name := filepath.Base(f)
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			m, err := mlir.Parse(src, name)
			if err != nil {
				t.Fatal(err)
			}
			arrays, err := tensor.ReadNPZFile(f[:len(f)-len(".mlir")] + ".inputs.npz")
			if err != nil {
				t.Fatal(err)
			}
			inputs := map[string]*tensor.Tensor{}
			for _, a := range arrays {
				inputs[a.Name] = a.Tensor
			}
			fn := m.Entry()
			var args []*tensor.Tensor
			for _, n := range fn.InputNames() {
				args = append(args, inputs[n])
			}
			ctx := context.Background()
			want, err := eval.Run(ctx, m, fn.Name, args, eval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			pm, err := Module(m, Options{Gen: 3})
			if err != nil {
				t.Fatal(err)
			}
			if pm, err = again(pm); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			got, err := penguin.Exec(ctx, pm, inputs)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d instructions, %d tensors, interpreted in %v", len(penguin.Insts(pm.Funcs[0].Body)), len(pm.Funcs[0].Tensors), time.Since(start))
			for i, n := range fn.OutputNames() {
				if d := distance(got[n], want[i]); d > tolerance(want[i].Type) {
					t.Errorf("%s is off by %g", n, d)
				}
			}
		})
	}
}
