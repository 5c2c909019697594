func.func @main(%x: tensor<9x6xf32>, %u: tensor<3x2x3xf32>, %i: tensor<3x2xi32>) -> (tensor<9x6xf32>, tensor<9x6xf32>) {
  %c = stablehlo.constant dense<[[0, 1], [7, 4], [-1, 2]]> : tensor<3x2xi32>
  %0 = "stablehlo.scatter"(%x, %c, %u) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.multiply %a, %a : tensor<f32>
      %s = stablehlo.add %m, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<9x6xf32>, tensor<3x2xi32>, tensor<3x2x3xf32>) -> tensor<9x6xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<9x6xf32>, tensor<3x2xi32>, tensor<3x2x3xf32>) -> tensor<9x6xf32>
  return %0, %1 : tensor<9x6xf32>, tensor<9x6xf32>
}
