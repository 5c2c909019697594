package opt

import (
	"strings"
	"testing"
)

func TestNarrow64(t *testing.T) {
	checkRewrites(t, []string{"narrow64", "hlo-dce"}, []rewriteCase{
		{name: "iota, constants and comparison", sig: "(%x: tensor<8xi64>) -> (tensor<8xi1>, tensor<8xi64>)",
			before: `%0 = stablehlo.iota dim = 0 : tensor<8xi64>
				%1 = stablehlo.constant dense<3> : tensor<8xi64>
				%2 = stablehlo.multiply %0, %1 : tensor<8xi64>
				%3 = stablehlo.compare LT, %2, %1 : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
				%4 = stablehlo.add %2, %x : tensor<8xi64>
				return %3, %4 : tensor<8xi1>, tensor<8xi64>`,
			after: `%0 = stablehlo.iota dim = 0 : tensor<8xi32>
				%1 = stablehlo.constant dense<3> : tensor<8xi32>
				%2 = stablehlo.multiply %0, %1 : tensor<8xi32>
				%3 = stablehlo.convert %2 : (tensor<8xi32>) -> tensor<8xi64>
				%5 = stablehlo.constant dense<3> : tensor<8xi32>
				%6 = stablehlo.compare LT, %2, %5 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
				%4 = stablehlo.add %3, %x : tensor<8xi64>
				return %6, %4 : tensor<8xi1>, tensor<8xi64>`},
		{name: "a product that might not fit stays", sig: "(%x: tensor<8xi32>) -> tensor<8xi64>",
			before: `%0 = stablehlo.convert %x : (tensor<8xi32>) -> tensor<8xi64>
				%1 = stablehlo.multiply %0, %0 : tensor<8xi64>
				return %1 : tensor<8xi64>`},
		{name: "indices bounded by a clamp", sig: "(%x: tensor<8xf32>, %i: tensor<i64>) -> tensor<3xf32>",
			before: `%lo = stablehlo.constant dense<0> : tensor<i64>
				%hi = stablehlo.constant dense<5> : tensor<i64>
				%0 = stablehlo.clamp %lo, %i, %hi : tensor<i64>
				%1 = stablehlo.dynamic_slice %x, %0, sizes = [3] : (tensor<8xf32>, tensor<i64>) -> tensor<3xf32>
				return %1 : tensor<3xf32>`,
			after: `%lo = stablehlo.constant dense<0> : tensor<i64>
				%hi = stablehlo.constant dense<5> : tensor<i64>
				%0 = stablehlo.clamp %lo, %i, %hi : tensor<i64>
				%j = stablehlo.convert %0 : (tensor<i64>) -> tensor<i32>
				%1 = stablehlo.dynamic_slice %x, %j, sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>
				return %1 : tensor<3xf32>`},
		{name: "unsigned differences wrap", sig: "(%x: tensor<8xui8>) -> tensor<8xui64>",
			before: `%0 = stablehlo.convert %x : (tensor<8xui8>) -> tensor<8xui64>
				%1 = stablehlo.constant dense<5> : tensor<8xui64>
				%2 = stablehlo.subtract %0, %1 : tensor<8xui64>
				return %2 : tensor<8xui64>`},
	})
}

// Every op the pass knows, on values of many sizes, keeps its results.
func TestNarrow64Arithmetic(t *testing.T) {
	var body, rets, types strings.Builder
	for _, e := range []string{"i64", "ui64"} {
		ty := "tensor<64x" + e + ">"
		p := func(s string) string { return "%" + e + "_" + s }
		for k, from := range []string{"%a", "%b", "%c", "%d"} {
			body.WriteString("    " + p("v"+string(rune('0'+k))) + " = stablehlo.convert " + from + " : (tensor<64x" + []string{"i8", "ui16", "i32", "i1"}[k] + ">) -> " + ty + "\n")
		}
		body.WriteString("    " + p("five") + " = stablehlo.constant dense<5> : " + ty + "\n")
		for k, op := range []string{"add", "subtract", "multiply", "maximum", "minimum", "and", "divide", "remainder"} {
			for j, args := range [][2]string{{"v0", "v1"}, {"v1", "v0"}, {"v2", "five"}, {"five", "v3"}, {"v0", "five"}} {
				name := p("r" + string(rune('a'+k)) + string(rune('0'+j)))
				body.WriteString("    " + name + " = stablehlo." + op + " " + p(args[0]) + ", " + p(args[1]) + " : " + ty + "\n")
				rets.WriteString(", " + name)
				types.WriteString(", " + ty)
			}
		}
	}
	out := strings.TrimPrefix(types.String(), ", ")
	src := wrap("(%a: tensor<64xi8>, %b: tensor<64xui16>, %c: tensor<64xi32>, %d: tensor<64xi1>) -> ("+out+")",
		body.String()+"    return "+strings.TrimPrefix(rets.String(), ", ")+" : "+out)
	m := parse(t, src)
	if err := runPasses(m, "narrow64", "hlo-cse", "hlo-dce"); err != nil {
		t.Fatal(err)
	}
	if s := text(t, m); !strings.Contains(s, "stablehlo.add %") || strings.Count(s, "xi32>") < 40 {
		t.Errorf("nothing was narrowed:\n%s", s)
	}
	sameResults(t, parse(t, src), m, 0)
}
