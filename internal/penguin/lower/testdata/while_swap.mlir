func.func @main(%n: tensor<i32>, %x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %n, %a = %x, %b = %y) : tensor<i32>, tensor<5xf32>, tensor<5xf32>
  cond {
    %p = stablehlo.compare GT, %i, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %c1 : tensor<i32>
    %s = stablehlo.add %a, %b : tensor<5xf32>
    stablehlo.return %j, %b, %s : tensor<i32>, tensor<5xf32>, tensor<5xf32>
  }
  return %0#1, %0#2 : tensor<5xf32>, tensor<5xf32>
}
