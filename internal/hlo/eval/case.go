package eval

import (
	"context"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// RunChecks evaluates a test program and returns the verdicts of its checks. The error is what stopped the
// evaluation; failed checks are verdicts, not errors.
func RunChecks(ctx context.Context, m *hlo.Module) ([]Check, error) {
	var checks []Check
	_, err := Run(ctx, m, "", nil, Options{Checks: &checks})
	return checks, err
}

// FirstFailure returns a failed verdict as an error, or nil.
func FirstFailure(checks []Check) error {
	for _, c := range checks {
		if !c.OK {
			return diag.Errorf(CodeCheck, c.Loc, "%s: %s", c.Op, c.Msg)
		}
	}
	return nil
}

// IsCheck reports whether o states an expectation: an op of the check dialect or its custom-call form.
func IsCheck(o *hlo.Op) bool {
	name := o.Name()
	if name == "stablehlo.custom_call" {
		name, _ = o.Str("call_target_name")
	}
	switch name {
	case "check.expect_eq", "check.expect_eq_const", "check.expect_almost_eq", "check.expect_almost_eq_const", "check.expect_close", "check.eq":
		return true
	}
	return false
}

// ApplyCheck judges a value computed elsewhere by the rule of a check op: actual stands for operand 0, want for
// operand 1 (nil for the forms that hold their constant).
func ApplyCheck(o *hlo.Op, actual, want *tensor.Tensor) error {
	var checks []Check
	m := &machine{ctx: context.Background(), opt: Options{Checks: &checks}}
	in := []Val{{T: actual}}
	if want != nil {
		in = append(in, Val{T: want})
	}
	var err error
	if o.Name() == "stablehlo.custom_call" {
		_, err = runCustomCall(m, o, in, nil)
	} else if k := kernels[o.Name()]; k != nil {
		_, err = k(m, o, in)
	} else {
		err = errf(o, CodeUnsupported, "not a check")
	}
	if err != nil {
		return err
	}
	return FirstFailure(checks)
}
