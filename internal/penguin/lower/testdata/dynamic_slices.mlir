func.func @main(%x: tensor<8x6xf32>, %u: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<i64>, %k: tensor<ui8>) -> (tensor<2x3xf32>, tensor<8x6xf32>, tensor<3x6xf32>) {
  %n = stablehlo.convert %i : (tensor<i32>) -> tensor<i64>
  %0 = stablehlo.dynamic_slice %x, %n, %j, sizes = [2, 3] : (tensor<8x6xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %j, %n : (tensor<8x6xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<8x6xf32>
  %c = stablehlo.constant dense<0> : tensor<ui8>
  %2 = stablehlo.dynamic_slice %x, %k, %c, sizes = [3, 6] : (tensor<8x6xf32>, tensor<ui8>, tensor<ui8>) -> tensor<3x6xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<8x6xf32>, tensor<3x6xf32>
}
