func.func @main(%x: tensor<6x4x5xf32>, %y: tensor<8x15xf32>, %p: tensor<f32>) -> (tensor<8x15xf32>, tensor<15x8xf32>, tensor<3x40xf32>, tensor<11x4x3xf32>, tensor<4x30xf32>) {
  %t = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<6x4x5xf32>) -> tensor<5x6x4xf32>
  %r = stablehlo.reshape %t : (tensor<5x6x4xf32>) -> tensor<8x15xf32>
  %0 = stablehlo.add %r, %y : tensor<8x15xf32>
  %v = stablehlo.reverse %0, dims = [0] : tensor<8x15xf32>
  %1 = stablehlo.transpose %v, dims = [1, 0] : (tensor<8x15xf32>) -> tensor<15x8xf32>
  %2 = stablehlo.reshape %1 : (tensor<15x8xf32>) -> tensor<3x40xf32>
  %3 = stablehlo.pad %x, %p, low = [-1, 0, 1], high = [2, 0, -3], interior = [1, 0, 0] : (tensor<6x4x5xf32>, tensor<f32>) -> tensor<12x4x3xf32>
  %s = stablehlo.slice %3 [1:12, 0:4, 0:3] : (tensor<12x4x3xf32>) -> tensor<11x4x3xf32>
  %a = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<6x4x5xf32>) -> tensor<4x6x5xf32>
  %b = stablehlo.reshape %a : (tensor<4x6x5xf32>) -> tensor<4x30xf32>
  %c = stablehlo.tanh %b : tensor<4x30xf32>
  return %0, %1, %2, %s, %c : tensor<8x15xf32>, tensor<15x8xf32>, tensor<3x40xf32>, tensor<11x4x3xf32>, tensor<4x30xf32>
}
