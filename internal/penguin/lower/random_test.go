package lower

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/hlo/gen"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// TestRandom compares lowered random programs with the evaluator. ALCA_SEEDS_LOWER=count runs more of them.
func TestRandom(t *testing.T) {
	count := uint64(150)
	if n, err := strconv.ParseUint(os.Getenv("ALCA_SEEDS_LOWER"), 10, 32); err == nil {
		count = n
	}
	ctx := context.Background()
	for seed := range count {
		err := func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			m := gen.Module(seed, gen.Options{Ops: 6 + int(seed%20), Control: seed%2 == 0})
			pm, err := Module(m, Options{Gen: 3})
			if err != nil {
				return err
			}
			if pm, err = again(pm); err != nil {
				return err
			}
			fn := m.Entry()
			inputs := map[string]*tensor.Tensor{}
			var args []*tensor.Tensor
			for i, n := range fn.InputNames() {
				inputs[n] = values(fn.Params[i], n, seed)
				args = append(args, inputs[n])
			}
			want, err := eval.Run(ctx, m, "", args, eval.Options{})
			if err != nil {
				return err
			}
			got, err := penguin.Exec(ctx, pm, inputs)
			if err != nil {
				return err
			}
			for i, n := range fn.OutputNames() {
				if d := distance(got[n], want[i]); d > 5*tolerance(want[i].Type) {
					return fmt.Errorf("%s is off by %g", n, d)
				}
			}
			return nil
		}()
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
