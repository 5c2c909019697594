func.func @main(%q: tensor<2x8x12xf32>, %w: tensor<12x12xf32>) -> tensor<2x8x12xf32> {
  %h = stablehlo.reshape %q : (tensor<2x8x12xf32>) -> tensor<2x8x3x4xf32>
  %s = stablehlo.dot_general %h, %h, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x8x3x4xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x8xf32>
  %o = stablehlo.dot_general %s, %h, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x8x8xf32>, tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>
  %t = stablehlo.transpose %o, dims = [0, 2, 1, 3] : (tensor<2x3x8x4xf32>) -> tensor<2x8x3x4xf32>
  %r = stablehlo.reshape %t : (tensor<2x8x3x4xf32>) -> tensor<16x12xf32>
  %p = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0] : (tensor<16x12xf32>, tensor<12x12xf32>) -> tensor<16x12xf32>
  %u = stablehlo.reshape %p : (tensor<16x12xf32>) -> tensor<2x8x12xf32>
  return %u : tensor<2x8x12xf32>
}
