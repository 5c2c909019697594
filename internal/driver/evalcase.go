package driver

import (
	"context"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/tensor"
)

// hasEval reports whether the evaluator runs an op: by a kernel, or because it is structure.
func hasEval(d *hlo.OpDef) bool { return eval.Supports(d.Name) || d.Has(hlo.Terminator) }

// evalRun evaluates a function.
func evalRun(ctx context.Context, m *hlo.Module, fn string, args []*tensor.Tensor) ([]*tensor.Tensor, error) {
	return eval.Run(ctx, m, fn, args, eval.Options{})
}

// evalCase runs a self-checking program on the evaluator.
func evalCase(ctx context.Context, m *hlo.Module) error {
	f, err := entryOf(m)
	if err != nil {
		return err
	}
	if len(f.Params) > 0 {
		return dynamicCase(ctx, m)
	}
	checks, err := eval.RunChecks(ctx, m)
	if err != nil {
		return err
	}
	if len(checks) == 0 {
		return diag.Errorf("DRV028", f.Loc, "the program states no expectation and takes no argument, which is not supported")
	}
	return eval.FirstFailure(checks)
}

// dynamicCase judges a program with arguments.
func dynamicCase(ctx context.Context, m *hlo.Module) error {
	return diag.Errorf("DRV028", m.Loc, "programs with arguments are not supported by the conformance runner yet")
}
