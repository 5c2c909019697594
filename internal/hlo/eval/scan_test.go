package eval

import (
	"context"
	"testing"

	"github.com/alcadev/alca/internal/hlo/mlir"
)

// TestScan checks running sums against the sums written out.
func TestScan(t *testing.T) {
	const src = `func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]> : tensor<3x2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %0, %1 = chlo.scan (%x) inits (%z) dimension = 0 attributes {} {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    %s = stablehlo.add %a, %c : tensor<2xf32>
    stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<3x2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  check.expect_eq_const %0, dense<[[1.0, 10.0], [3.0, 30.0], [6.0, 60.0]]> : tensor<3x2xf32>
  check.expect_eq_const %1, dense<[6.0, 60.0]> : tensor<2xf32>
  %2, %3 = chlo.scan (%x) inits (%z) dimension = 0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    %s = stablehlo.add %a, %c : tensor<2xf32>
    stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<3x2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  check.expect_eq_const %2, dense<[[6.0, 60.0], [5.0, 50.0], [3.0, 30.0]]> : tensor<3x2xf32>
  return
}`
	m, err := mlir.Parse([]byte(src), "scan.mlir")
	if err != nil {
		t.Fatal(err)
	}
	var checks []Check
	if _, err := Run(context.Background(), m, "main", nil, Options{Checks: &checks}); err != nil {
		t.Fatal(err)
	}
	if len(checks) != 3 {
		t.Errorf("%d checks ran, want 3", len(checks))
	}
	for _, c := range checks {
		if !c.OK {
			t.Errorf("%s: %s", c.Loc, c.Msg)
		}
	}
}
