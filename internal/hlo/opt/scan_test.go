package opt

import (
	"strings"
	"testing"
)

func TestScanLoop(t *testing.T) {
	const sum = `{
      ^bb0(%x0: tensor<3xf32>, %x1: tensor<3xi32>, %c: tensor<3xf32>):
        %s = stablehlo.multiply %c, %k : tensor<3xf32>
        %y = stablehlo.add %s, %x0 : tensor<3xf32>
        stablehlo.return %y, %x1, %y : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    }`
	for _, c := range []struct{ name, sig, body string }{
		{"forward, with a value of outside", "(%a: tensor<5x3xf32>, %b: tensor<5x3xi32>, %i: tensor<3xf32>, %k: tensor<3xf32>) -> (tensor<5x3xf32>, tensor<5x3xi32>, tensor<3xf32>)",
			`%0:3 = "chlo.scan"(%a, %b, %i) (` + sum + `) {dimension = 0 : i64, operandSegmentSizes = array<i32: 2, 1>} : (tensor<5x3xf32>, tensor<5x3xi32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<5x3xi32>, tensor<3xf32>)
    return %0#0, %0#1, %0#2 : tensor<5x3xf32>, tensor<5x3xi32>, tensor<3xf32>`},
		{"backward along the last dimension", "(%a: tensor<3x5xf32>, %b: tensor<3x5xi32>, %i: tensor<3xf32>, %k: tensor<3xf32>) -> (tensor<3x5xf32>, tensor<3x5xi32>, tensor<3xf32>)",
			`%0:3 = "chlo.scan"(%a, %b, %i) (` + sum + `) {dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 2, 1>} : (tensor<3x5xf32>, tensor<3x5xi32>, tensor<3xf32>) -> (tensor<3x5xf32>, tensor<3x5xi32>, tensor<3xf32>)
    return %0#0, %0#1, %0#2 : tensor<3x5xf32>, tensor<3x5xi32>, tensor<3xf32>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := wrap(c.sig, c.body)
			m := parse(t, src)
			if err := runPasses(m, "decompose"); err != nil {
				t.Fatal(err)
			}
			if s := text(t, m); strings.Contains(s, "chlo.scan") {
				t.Errorf("not decomposed:\n%s", s)
			}
			sameResults(t, parse(t, src), m, 0)
		})
	}
}
