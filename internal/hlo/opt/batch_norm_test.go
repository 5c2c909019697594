package opt

import (
	"strings"
	"testing"
)

// The evaluator works in f64, the formulas in f32: results agree to a few units in the last place where nothing
// cancels.
func TestBatchNorm(t *testing.T) {
	for _, c := range []struct {
		name, sig, body string
		tol             float64
	}{
		{"inference bf16", "(%x: tensor<4x3x5xbf16>, %s: tensor<3xbf16>, %o: tensor<3xbf16>, %m: tensor<3xbf16>) -> tensor<4x3x5xbf16>", `
    %v = stablehlo.multiply %m, %m : tensor<3xbf16>
    %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3x5xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> tensor<4x3x5xbf16>
    return %0 : tensor<4x3x5xbf16>`, 1},
		{"training", "(%x: tensor<64x2xf32>) -> (tensor<64x2xf32>, tensor<2xf32>, tensor<2xf32>)", `
    %s = stablehlo.constant dense<1.5> : tensor<2xf32>
    %o = stablehlo.constant dense<30.0> : tensor<2xf32>
    %c = stablehlo.constant dense<10.0> : tensor<64x2xf32>
    %y = stablehlo.add %x, %c : tensor<64x2xf32>
    %0:3 = "stablehlo.batch_norm_training"(%y, %s, %o) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<64x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<64x2xf32>, tensor<2xf32>, tensor<2xf32>)
    return %0#0, %0#1, %0#2 : tensor<64x2xf32>, tensor<2xf32>, tensor<2xf32>`, 32},
		{"grad bf16", "(%x: tensor<64x2xbf16>, %g: tensor<64x2xbf16>, %s: tensor<2xbf16>, %m: tensor<2xbf16>) -> (tensor<64x2xbf16>, tensor<2xbf16>, tensor<2xbf16>)", `
    %v = stablehlo.constant dense<2.0> : tensor<2xbf16>
    %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<64x2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<64x2xbf16>) -> (tensor<64x2xbf16>, tensor<2xbf16>, tensor<2xbf16>)
    return %0#0, %0#1, %0#2 : tensor<64x2xbf16>, tensor<2xbf16>, tensor<2xbf16>`, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := wrap(c.sig, c.body)
			m := parse(t, src)
			if err := runPasses(m, "decompose"); err != nil {
				t.Fatal(err)
			}
			if s := text(t, m); strings.Contains(s, "batch_norm") {
				t.Errorf("not decomposed:\n%s", s)
			}
			sameResults(t, parse(t, src), m, c.tol)
		})
	}
}
