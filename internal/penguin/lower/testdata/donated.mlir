func.func @main(%x: tensor<8x6xf32> {tf.aliasing_output = 0 : i32}, %u: tensor<2x6xf32>, %i: tensor<i32>, %y: tensor<8x6xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %c : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  %1 = stablehlo.dynamic_update_slice %y, %u, %i, %c : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  %2 = stablehlo.add %1, %y : tensor<8x6xf32>
  %3 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %2, %3 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8xf32>
}
