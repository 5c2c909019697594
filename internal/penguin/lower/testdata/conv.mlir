func.func @main(%x: tensor<2x7x6x4xf32>, %k: tensor<3x2x2x6xf32>, %t: tensor<3x3x6x4xf32>, %g: tensor<3x2x4x6xf32>) -> (tensor<2x4x5x6xf32>, tensor<2x15x13x6xf32>, tensor<1x5x5x6xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 1]], rhs_dilate = [1, 2]} {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x2x6xf32>) -> tensor<2x4x5x6xf32>
  %1 = stablehlo.convolution(%x, %t) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], reverse = [true, false]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<3x3x6x4xf32>) -> tensor<2x15x13x6xf32>
  %2 = stablehlo.convolution(%x, %g) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x4x6xf32>) -> tensor<1x5x5x6xf32>
  return %0, %1, %2 : tensor<2x4x5x6xf32>, tensor<2x15x13x6xf32>, tensor<1x5x5x6xf32>
}
