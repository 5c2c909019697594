package opt

import (
	"fmt"
	"strings"
	"testing"
)

func TestFactorisations(t *testing.T) {
	var cases []struct{ name, sig, body string }
	for _, left := range []bool{true, false} {
		for _, lower := range []bool{true, false} {
			for _, tr := range []string{"NO_TRANSPOSE", "TRANSPOSE"} {
				rhs := "tensor<2x4x3xf32>"
				if !left {
					rhs = "tensor<2x3x4xf32>"
				}
				cases = append(cases, struct{ name, sig, body string }{
					fmt.Sprintf("solve left %v lower %v %s", left, lower, tr), fmt.Sprintf("(%%a: tensor<2x4x4xf32>, %%b: %s) -> %s", rhs, rhs),
					// A dominant diagonal keeps the system well conditioned.
					fmt.Sprintf(`
    %%i = stablehlo.iota dim = 1 : tensor<2x4x4xi32>
    %%j = stablehlo.iota dim = 2 : tensor<2x4x4xi32>
    %%p = stablehlo.compare EQ, %%i, %%j : (tensor<2x4x4xi32>, tensor<2x4x4xi32>) -> tensor<2x4x4xi1>
    %%k = stablehlo.constant dense<16.0> : tensor<2x4x4xf32>
    %%m = stablehlo.select %%p, %%k, %%a : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    %%c = stablehlo.constant dense<8.0> : %s
    %%d = stablehlo.add %%b, %%c : %s
    %%0 = "stablehlo.triangular_solve"(%%m, %%d) {left_side = %v, lower = %v, unit_diagonal = false, transpose_a = #stablehlo<transpose %s>} : (tensor<2x4x4xf32>, %s) -> %s
    return %%0 : %s`, rhs, rhs, left, lower, tr, rhs, rhs, rhs)})
			}
		}
	}
	for _, lower := range []bool{true, false} {
		cases = append(cases, struct{ name, sig, body string }{fmt.Sprintf("cholesky lower %v", lower), "(%a: tensor<2x5x5xf32>) -> tensor<2x5x5xf32>", fmt.Sprintf(`
    %%0 = stablehlo.dot_general %%a, %%a, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x5x5xf32>, tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    %%i = stablehlo.iota dim = 1 : tensor<2x5x5xi32>
    %%j = stablehlo.iota dim = 2 : tensor<2x5x5xi32>
    %%p = stablehlo.compare EQ, %%i, %%j : (tensor<2x5x5xi32>, tensor<2x5x5xi32>) -> tensor<2x5x5xi1>
    %%k = stablehlo.constant dense<200.0> : tensor<2x5x5xf32>
    %%m = stablehlo.select %%p, %%k, %%0 : tensor<2x5x5xi1>, tensor<2x5x5xf32>
    %%1 = "stablehlo.cholesky"(%%m) {lower = %v} : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
    return %%1 : tensor<2x5x5xf32>`, lower)})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := wrap(c.sig, c.body)
			m := parse(t, src)
			if err := runPasses(m, "decompose"); err != nil {
				t.Fatal(err)
			}
			if s := text(t, m); strings.Contains(s, "stablehlo.cholesky") || strings.Contains(s, "triangular_solve") {
				t.Fatalf("not decomposed:\n%s", s)
			}
			before := parse(t, src)
			args := randomArgs(before, 1)
			want, got := evalOn(t, before, args), evalOn(t, m, args)
			if e := relative(got[0], want[0]); e > 1e-6 {
				t.Errorf("off by %g of its scale", e)
			}
		})
	}
}
