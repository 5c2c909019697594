func.func @main(%x: tensor<10x6x4xf32>, %i: tensor<5x2xi32>) -> (tensor<5x3x4xf32>, tensor<5x4xf32>) {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 4>, indices_are_sorted = false} : (tensor<10x6x4xf32>, tensor<5x2xi32>) -> tensor<5x3x4xf32>
  %1 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>, indices_are_sorted = false} : (tensor<10x6x4xf32>, tensor<5x2xi32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<5x3x4xf32>, tensor<5x4xf32>
}
