package opt

import (
	"strings"
	"testing"
)

func TestStaticFormsAndNetworks(t *testing.T) {
	cases := []struct {
		name, pass, sig, body, gone string
	}{
		{"sort of integers", "decompose", "(%x: tensor<5x300xi32>) -> tensor<5x300xi32>", `
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<5x300xi32>) -> tensor<5x300xi32>
  return %0 : tensor<5x300xi32>`, "stablehlo.sort"},
		{"stable sort of pairs along the first dimension, downward", "decompose", "(%x: tensor<301x2xi8>, %y: tensor<301x2xf32>) -> (tensor<301x2xi8>, tensor<301x2xf32>)", `
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<301x2xi8>, tensor<301x2xf32>) -> (tensor<301x2xi8>, tensor<301x2xf32>)
  return %0#0, %0#1 : tensor<301x2xi8>, tensor<301x2xf32>`, "stablehlo.sort"},
		{"top_k", "decompose", "(%x: tensor<3x270xi8>) -> (tensor<3x4xi8>, tensor<3x4xi32>)", `
  %0:2 = chlo.top_k(%x, k = 4) : tensor<3x270xi8> -> (tensor<3x4xi8>, tensor<3x4xi32>)
  return %0#0, %0#1 : tensor<3x4xi8>, tensor<3x4xi32>`, "chlo.top_k"},
		{"reduce_precision e5m2", "decompose", "(%x: tensor<64xf32>) -> tensor<64xf32>", `
  %0 = stablehlo.reduce_precision %x, format = e5m2 : tensor<64xf32>
  return %0 : tensor<64xf32>`, "reduce_precision"},
		{"reduce_precision e3m4 of bf16", "decompose", "(%x: tensor<64xbf16>) -> tensor<64xbf16>", `
  %0 = stablehlo.reduce_precision %x, format = e3m4 : tensor<64xbf16>
  return %0 : tensor<64xbf16>`, "reduce_precision"},
		{"reduce_precision to a wider format", "decompose", "(%x: tensor<64xf16>) -> tensor<64xf16>", `
  %0 = stablehlo.reduce_precision %x, format = e8m23 : tensor<64xf16>
  return %0 : tensor<64xf16>`, "reduce_precision"},
		{"map", "static-forms", "(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32>", `
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>`, "stablehlo.map"},
		{"dynamic reshape of a computed shape", "static-forms", "(%x: tensor<4x6xf32>) -> tensor<?x3xf32>", `
  %c = stablehlo.constant dense<8> : tensor<1xi32>
  %d = stablehlo.constant dense<3> : tensor<1xi32>
  %s = stablehlo.concatenate %c, %d, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>`, "dynamic_reshape"},
		{"dynamic pad and slice", "static-forms", "(%x: tensor<4xf32>, %p: tensor<f32>) -> tensor<?xf32>", `
  %lo = stablehlo.constant dense<1> : tensor<1xi64>
  %hi = stablehlo.constant dense<5> : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %x, %p, %lo, %hi, %lo : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %1 = stablehlo.real_dynamic_slice %x, %lo, %lo, %lo : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>`, "dynamic_"},
		{"dynamic iota, broadcast and dimension size", "static-forms", "(%x: tensor<3xi32>) -> tensor<2x3xi32>", `
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xi32>, tensor<2xi64>) -> tensor<2x3xi32>
  %2 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3xi32>) -> tensor<i32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
  %4 = stablehlo.add %0, %1 : tensor<2x3xi32>
  %5 = stablehlo.add %4, %3 : tensor<2x3xi32>
  return %5 : tensor<2x3xi32>`, "dimension_size"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := wrap(c.sig, c.body)
			m := parse(t, src)
			if err := runPasses(m, c.pass); err != nil {
				t.Fatal(err)
			}
			if s := text(t, m); strings.Contains(s, c.gone) {
				t.Errorf("%s is still there:\n%s", c.gone, s)
			}
			sameResults(t, parse(t, src), m, 0)
		})
	}
}
