package penguin

import "github.com/alcadev/alca/internal/diag"

// arithOps are the operators that aluF32 computes; all but pow aluInt computes too.
var arithOps = map[string]bool{
	"add": true, "subtract": true, "mult": true, "max": true, "min": true, "pow": true,
	"is_equal": true, "not_equal": true, "is_gt": true, "is_ge": true, "is_lt": true, "is_le": true,
}

// actFuncs are the functions that actFn computes.
var actFuncs = map[string]bool{
	"Identity": true, "Copy": true, "Square": true, "Relu": true, "Abs": true, "Sign": true, "Sigmoid": true,
	"Tanh": true, "Exp": true, "Ln": true, "Sqrt": true, "Rsqrt": true, "Erf": true, "Sin": true, "Arctan": true,
	"Gelu": true, "Gelu_apprx_tanh": true, "Silu": true, "Reciprocal": true,
}

// checkOperators refuses operators and functions that the interpreter does not compute, which would otherwise give
// zeros or NaN. words says that the instruction works on 32-bit integers.
func checkOperators(in *Inst, at *ISA, words bool) error {
	switch in.Op.Name {
	case "tensor_tensor", "tensor_scalar", "scalar_tensor_tensor", "tensor_reduce":
		for _, op := range []string{at.Op0, at.Op1} {
			if op != "" && !BitOp(op) && (!arithOps[op] || words && op == "pow") {
				return diag.Internalf(codeExec, in.Loc, "%s: operator %q has no interpreter", in.Op.Name, op)
			}
		}
	case "activation":
		if !actFuncs[at.Func] {
			return diag.Internalf(codeExec, in.Loc, "activation: function %q has no interpreter", at.Func)
		}
	}
	return nil
}
