func.func @main(%x: tensor<5x13xf32>, %init: tensor<f32>) -> (tensor<5xf32>, tensor<5xi32>, tensor<13xf32>) {
  %i = stablehlo.iota dim = 1 : tensor<5x13xi32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %ninf), (%i init: %c0) across dimensions = [1] : (tensor<5x13xf32>, tensor<5x13xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %e = stablehlo.compare EQ, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %h = stablehlo.or %g, %f : tensor<i1>
      %v = stablehlo.select %g, %a, %c : tensor<i1>, tensor<f32>
      %w = stablehlo.select %h, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %1 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0] : (tensor<5x13xf32>, tensor<f32>) -> tensor<13xf32>
  return %0#0, %0#1, %1 : tensor<5xf32>, tensor<5xi32>, tensor<13xf32>
}
