package lower

import (
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

// TestRejects: what the device cannot do is refused with a code, the op and its place.
func TestRejects(t *testing.T) {
	for _, c := range []struct{ name, src, code, want string }{
		{"f64", `func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.add %x, %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}`, "PEN190", "f64"},
		{"complex", `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.complex %x, %x : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}`, "PEN190", "bad.mlir:2"},
		{"dynamic", `func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.abs %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}`, "PEN190", "run time"},
		{"custom call", `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mystery(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`, "PEN190", `"mystery"`},
		{"no lowering", `func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.cholesky"(%x) {lower = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}`, "PEN190", "stablehlo.cholesky"},
		{"effect in a branch", `func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.constant dense<1.0> : tensor<f32>
    %d = stablehlo.constant dense<2> : tensor<1xi64>
    %1 = "stablehlo.rng"(%x, %a, %d) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}`, "PEN190", "branch taken at run time"},
		{"check", `func.func @main(%x: tensor<4xf32>) {
  check.expect_eq %x, %x : tensor<4xf32>
  return
}`, "PEN190", "check"},
		{"no entry", `func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}`, "PEN190", "no entry"},
	} {
		m, err := mlir.Parse([]byte(c.src), "bad.mlir")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, err = Module(m, Options{Gen: 3})
		if diag.Code(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s with %q", c.name, err, c.code, c.want)
		}
	}
}

// TestSupports: the table that `alca ops` prints follows the handlers.
func TestSupports(t *testing.T) {
	for name, want := range map[string]bool{"stablehlo.add": true, "stablehlo.while": true, "stablehlo.scatter": true, "func.call": true, "stablehlo.fft": false, "stablehlo.send": false} {
		if got := Supports(name); got != want {
			t.Errorf("Supports(%q) = %v", name, got)
		}
	}
}
