package opt

import "github.com/alcadev/alca/internal/diag"

var _ = diag.Explain(
	diag.Info{Code: CodeRecursion, Title: "recursive call", Text: "A function calls itself, directly or through others. Calls are expanded in place, so recursion has no translation; write it as stablehlo.while."},
	diag.Info{Code: CodeSize, Title: "program too large when its calls are expanded", Text: "Calls that nest multiply: the program would have millions of ops."},
)
