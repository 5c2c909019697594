func.func @main(%k: tensor<i32>, %p: tensor<i1>, %x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>) {
  %0 = "stablehlo.case"(%k) ({
    %a = stablehlo.negate %x : tensor<3x4xf32>
    stablehlo.return %a : tensor<3x4xf32>
  }, {
    %a = stablehlo.exponential %x : tensor<3x4xf32>
    stablehlo.return %a : tensor<3x4xf32>
  }, {
    stablehlo.return %x : tensor<3x4xf32>
  }) : (tensor<i32>) -> tensor<3x4xf32>
  %1 = "stablehlo.if"(%p) ({
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    stablehlo.return %t : tensor<4x3xf32>
  }, {
    %t = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<4x3xf32>
    stablehlo.return %t : tensor<4x3xf32>
  }) : (tensor<i1>) -> tensor<4x3xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<4x3xf32>
}
