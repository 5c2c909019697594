package opt

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/tensor"
)

func TestDecompose(t *testing.T) {
	checkRewrites(t, []string{"decompose"}, []rewriteCase{
		{name: "square", sig: "(%x: tensor<4xf32>) -> tensor<4xf32>",
			before: `%0 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
				return %0 : tensor<4xf32>`,
			after: `%0 = stablehlo.multiply %x, %x : tensor<4xf32>
				return %0 : tensor<4xf32>`},
		{name: "broadcast_add", sig: "(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32>",
			before: `%0 = chlo.broadcast_add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
				return %0 : tensor<2x3xf32>`,
			after: `%0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
				%1 = stablehlo.add %x, %0 : tensor<2x3xf32>
				return %1 : tensor<2x3xf32>`},
		{name: "broadcast_compare", sig: "(%x: tensor<2xi32>, %y: tensor<i32>) -> tensor<2xi1>",
			before: `%0 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2xi32>, tensor<i32>) -> tensor<2xi1>
				return %0 : tensor<2xi1>`,
			after: `%0 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<i32>) -> tensor<2xi32>
				%1 = stablehlo.compare LT, %x, %0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
				return %1 : tensor<2xi1>`},
		{name: "annotation", sig: "(%x: tensor<4xf32>) -> tensor<4xf32>",
			before: `%0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
				return %0 : tensor<4xf32>`,
			after: `return %x : tensor<4xf32>`},
		{name: "complex stays", sig: "(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>",
			before: `%0 = chlo.atan %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
				return %0 : tensor<4xcomplex<f32>>`},
	})
}

// TestDecomposedFunctions measures the formulas against the evaluator's own functions, in f32.
func TestDecomposedFunctions(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		lo, hi float64
		extra  []float64
		tol    float64
	}{
		{"acos", -1, 1, []float64{-1, 1, 0, 2}, 4},
		{"asin", -1, 1, []float64{-1, 1, 0, 2}, 4},
		{"atan", -20, 20, []float64{0, inf, -inf, 1e30}, 3},
		{"acosh", 1, 100, []float64{1, 0.5, -2, inf, 1e30, 1.0001}, 4},
		{"asinh", -100, 100, []float64{0, inf, -inf, 1e30, -1e-20, 1e-3}, 4},
		{"atanh", -1, 1, []float64{-1, 1, 0, 2, 1e-20}, 4},
		{"cosh", -88, 88, []float64{0, inf, -inf, 89, 200}, 4},
		{"sinh", -88, 88, []float64{0, inf, -inf, 89, 1e-20, 0.9999, 1, 200}, 4},
		{"tan", -1.5, 1.5, []float64{0}, 2},
		{"erfc", -4, 9, []float64{0, inf, -inf, 1, 2, 0.99999, 20}, 8},
		{"erf_inv", -1, 1, []float64{0, 1, -1, 0.9999}, 6},
		{"lgamma", 0.01, 30, []float64{0, 1, 2, inf, -inf, -1, 1e30, 1e-30, 1.4616}, 8},
		{"digamma", 0.01, 30, []float64{0, 1, 2, inf, -1, 1e30, 1.4616, 1.4617}, 8},
		{"bessel_i1e", -20, 20, []float64{0, 8, -8, 1e-10, 1000}, 16},
		{"is_inf", -1, 1, []float64{inf, -inf, math.NaN()}, 0},
		{"is_pos_inf", -1, 1, []float64{inf, -inf, math.NaN()}, 0},
		{"is_neg_inf", -1, 1, []float64{inf, -inf, math.NaN()}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			const n = 4096
			out := "f32"
			if c.name[:3] == "is_" {
				out = "i1"
			}
			src := wrap("(%x: tensor<4096xf32>) -> tensor<4096x"+out+">", "%0 = chlo."+c.name+" %x : tensor<4096xf32> -> tensor<4096x"+out+">\nreturn %0 : tensor<4096x"+out+">")
			before, after := parse(t, src), parse(t, src)
			if err := runPasses(after, "decompose"); err != nil {
				t.Fatal(err)
			}
			hlo.WalkOps(after.Funcs[0].Body, func(o *hlo.Op) {
				if o.Name() == "chlo."+c.name {
					t.Error("not decomposed")
				}
			})
			x := tensor.New(dtype.F32, n)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range n {
				v := c.lo + (c.hi-c.lo)*r.Float64()
				if i < len(c.extra) {
					v = c.extra[i]
				}
				hlo.PutNumber(x.Data[4*i:4*i+4], dtype.F32, v)
			}
			ctx := context.Background()
			want, err := eval.Run(ctx, before, "", []*tensor.Tensor{x}, eval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := eval.Run(ctx, after, "", []*tensor.Tensor{x}, eval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			at, off := maxUlp(got[0], want[0])
			if at*4+4 <= len(x.Data) {
				t.Logf("%g ulp at x = %v", off, dtype.F32.FloatOf(bits(x.Data[4*at:4*at+4])))
			}
			if off > c.tol {
				es := got[0].Type.Size()
				t.Errorf("%g ulp off, allowed %g: got %v want %v", off, c.tol, got[0].Type.FloatOf(bits(got[0].Data[es*at:es*at+es])), got[0].Type.FloatOf(bits(want[0].Data[es*at:es*at+es])))
			}
		})
	}
}
