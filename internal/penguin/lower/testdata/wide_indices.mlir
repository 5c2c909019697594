// Start indices beyond 32 bits are clamped, not cut: 4294967297 is past the end, its negation before the start.
func.func @main(%x: tensor<9xf32>, %i: tensor<i64>, %j: tensor<4x1xi64>) -> (tensor<3xf32>, tensor<4xf32>) {
  %k = stablehlo.constant dense<4294967297> : tensor<i64>
  %0 = stablehlo.multiply %i, %k : tensor<i64>
  %1 = stablehlo.dynamic_slice %x, %0, sizes = [3] : (tensor<9xf32>, tensor<i64>) -> tensor<3xf32>
  %l = stablehlo.constant dense<4294967297> : tensor<4x1xi64>
  %2 = stablehlo.multiply %j, %l : tensor<4x1xi64>
  %3 = "stablehlo.gather"(%x, %2) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<9xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  return %1, %3 : tensor<3xf32>, tensor<4xf32>
}
