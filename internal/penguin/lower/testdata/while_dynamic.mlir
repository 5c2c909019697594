func.func @main(%n: tensor<i32>, %x: tensor<4x3xf32>) -> (tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %0:4 = stablehlo.while(%i = %c0, %m = %n, %a = %x, %b = %z) : tensor<i32>, tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %c1 : tensor<i32>
    %r = stablehlo.dynamic_slice %a, %i, %c0, sizes = [1, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %q = stablehlo.add %r, %r : tensor<1x3xf32>
    %u = stablehlo.dynamic_update_slice %b, %q, %j, %c0 : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %v = stablehlo.reshape %t : (tensor<3x4xf32>) -> tensor<4x3xf32>
    stablehlo.return %j, %m, %v, %u : tensor<i32>, tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>
  }
  return %0#0, %0#2, %0#3 : tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>
}
