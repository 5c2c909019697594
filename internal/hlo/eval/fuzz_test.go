package eval

import (
	"context"
	"testing"
	"time"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/tensor"
)

// FuzzRun: whatever the verifier accepts evaluates or fails with an error, within the memory limit.
func FuzzRun(f *testing.F) {
	for _, s := range []string{
		`func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %b = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %c = stablehlo.constant dense<4> : tensor<1xi64>
  %s = stablehlo.concatenate %b, %c, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %i = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x4xf32>
  %y = stablehlo.add %x, %i : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}`,
		`func.func @main(%x: tensor<1x5x5x2xf32>, %k: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %y : tensor<1x3x3x4xf32>
}`,
		`func.func @main(%x: tensor<4x4xi32>, %i: tensor<2x1xi64>) -> tensor<2x4xi32> {
  %y = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xi32>, tensor<2x1xi64>) -> tensor<2x4xi32>
  return %y : tensor<2x4xi32>
}`,
		`func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %z, low = [-1], high = [2], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %s = stablehlo.slice %p [0:8:2] : (tensor<8xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := mlir.Parse(src, "fuzz.mlir")
		if err != nil || hlo.Verify(m) != nil || m.Entry() == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		var args []*tensor.Tensor
		for _, p := range m.Entry().Params {
			x := hlo.TensorOf(p)
			if x == nil || x.Unranked {
				return
			}
			u := *x
			u.Dims = append([]int64(nil), x.Dims...)
			for i, d := range u.Dims {
				if d < 0 {
					u.Dims[i] = 3
				}
			}
			if n, ok := u.NumElements(); !ok || n > 1<<16 {
				return
			}
			args = append(args, ones(&hlo.Func{Params: []*hlo.Value{{Type: &u}}})...)
		}
		_, _ = Run(ctx, m, "", args, Options{MaxBytes: 1 << 20})
	})
}
