func.func @main(%x: tensor<6x4xf32>) -> tensor<4xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i64>
  %c6 = stablehlo.constant dense<6> : tensor<i64>
  %c1 = stablehlo.constant dense<1> : tensor<i64>
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0:2 = stablehlo.while(%i = %c0, %a = %z) : tensor<i64>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %c6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %r = stablehlo.dynamic_slice %x, %i, %c0, sizes = [1, 4] : (tensor<6x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
    %v = stablehlo.reshape %r : (tensor<1x4xf32>) -> tensor<4xf32>
    %s = stablehlo.add %a, %v : tensor<4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i64>
    stablehlo.return %j, %s : tensor<i64>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
