func.func @main(%x: tensor<3x7x4xf32>, %i: tensor<3x5xi32>) -> tensor<3x5x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>, indices_are_sorted = false} : (tensor<3x7x4xf32>, tensor<3x5xi32>) -> tensor<3x5x4xf32>
  return %0 : tensor<3x5x4xf32>
}
