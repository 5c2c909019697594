package eval

import (
	"context"
	"os"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// ones fills arguments with small values.
func ones(f *hlo.Func) []*tensor.Tensor {
	var args []*tensor.Tensor
	for _, p := range f.Params {
		t := hlo.TensorOf(p)
		a := tensor.New(t.Elem, toInts(t.Dims)...)
		if t.Elem.IsFloat() {
			v := make([]float64, numElems(a))
			for i := range v {
				v[i] = float64(i%17-8) / 64
			}
			a = fromFloats(t.Elem, a.Shape, v)
		}
		args = append(args, a)
	}
	return args
}

func BenchmarkExamples(b *testing.B) {
	for _, name := range []string{"transformer_block", "transformer_block_bf16", "vit_tiny", "lenet", "mlp_train_step"} {
		src, err := os.ReadFile("../../../examples/" + name + ".mlir")
		if err != nil {
			b.Fatal(err)
		}
		m := parse(b, string(src))
		args := ones(m.Entry())
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Run(context.Background(), m, "", args, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkConvolution(b *testing.B) {
	m := parse(b, `func.func @main(%x: tensor<1x56x56x64xf32>, %k: tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %y : tensor<1x56x56x64xf32>
}`)
	args := ones(m.Entry())
	for b.Loop() {
		if _, err := Run(context.Background(), m, "", args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkArgMax(b *testing.B) {
	m := parse(b, `func.func @main(%x: tensor<200000xf32>) -> (tensor<f32>, tensor<i32>) {
  %i = stablehlo.iota dim = 0 : tensor<200000xi32>
  %a = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %a), (%i init: %z) across dimensions = [0] : (tensor<200000xf32>, tensor<200000xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %c, %p, %q : tensor<i1>, tensor<f32>
    %w = stablehlo.select %c, %s, %t : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<i32>
}`)
	args := []*tensor.Tensor{tensor.New(dtype.F32, 200000)}
	for b.Loop() {
		if _, err := Run(context.Background(), m, "", args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	m := parse(b, `func.func @main(%x: tensor<100000xf32>, %y: tensor<100000xi32>) -> tensor<100000xi32> {
  %r:2 = "stablehlo.sort"(%x, %y) ({
   ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<i32>, %t: tensor<i32>):
    %n = stablehlo.negate %p : tensor<f32>
    %o = stablehlo.negate %q : tensor<f32>
    %c = stablehlo.compare LT, %n, %o, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<100000xf32>, tensor<100000xi32>) -> (tensor<100000xf32>, tensor<100000xi32>)
  return %r#1 : tensor<100000xi32>
}`)
	args := ones(m.Entry())
	for b.Loop() {
		if _, err := Run(context.Background(), m, "", args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
