func.func @main(%k: tensor<i32>, %n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%k) ({
    %c1 = stablehlo.constant dense<1> : tensor<i32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare GT, %i, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %c1 : tensor<i32>
      %b = stablehlo.add %a, %x : tensor<4xf32>
      stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
    }
    stablehlo.return %1#1 : tensor<4xf32>
  }, {
    %c9 = stablehlo.constant dense<9> : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare NE, %i, %c9 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %e = stablehlo.compare EQ, %k, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %q = stablehlo.select %e, %z, %one : tensor<i1>, tensor<i32>
      %j = stablehlo.add %i, %q : tensor<i32>
      %b = stablehlo.negate %a : tensor<4xf32>
      stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
    }
    stablehlo.return %1#1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
