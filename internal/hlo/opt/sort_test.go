package opt

import (
	"strings"
	"testing"
)

func TestSortByRank(t *testing.T) {
	for _, c := range []struct{ name, sig, body string }{
		{"two operands, stable", "(%x: tensor<3x7xi8>, %y: tensor<3x7xf32>) -> (tensor<3x7xi8>, tensor<3x7xf32>)", `
    %0:2 = "stablehlo.sort"(%x, %y) ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<3x7xi8>, tensor<3x7xf32>) -> (tensor<3x7xi8>, tensor<3x7xf32>)
    return %0#0, %0#1 : tensor<3x7xi8>, tensor<3x7xf32>`},
		{"descending along dimension 0, value from outside", "(%x: tensor<9x2xf32>, %s: tensor<f32>) -> tensor<9x2xf32>", `
    %0 = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.multiply %a, %s : tensor<f32>
      %2 = stablehlo.multiply %b, %s : tensor<f32>
      %3 = stablehlo.compare GT, %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true} : (tensor<9x2xf32>) -> tensor<9x2xf32>
    return %0 : tensor<9x2xf32>`},
		{"top_k", "(%x: tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)", `
    %0:2 = chlo.top_k(%x, k = 3) : tensor<4x6xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
    return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x3xi32>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := wrap(c.sig, c.body)
			m := parse(t, src)
			if err := runPasses(m, "decompose"); err != nil {
				t.Fatal(err)
			}
			if s := text(t, m); strings.Contains(s, "sort") || strings.Contains(s, "top_k") {
				t.Errorf("not decomposed:\n%s", s)
			}
			sameResults(t, parse(t, src), m, 0)
		})
	}
}
