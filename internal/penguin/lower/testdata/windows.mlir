func.func @main(%x: tensor<2x9x9x3xf32>, %s: tensor<2x4x4x3xf32>, %y: tensor<4x40xf32>) -> (tensor<2x5x5x3xf32>, tensor<2x9x9x3xf32>, tensor<4x40xf32>, tensor<4x40xf32>, tensor<2x5x9x3xf32>) {
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %ninf) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x9x9x3xf32>, tensor<f32>) -> tensor<2x5x5x3xf32>
  %1 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>} : (tensor<2x9x9x3xf32>, tensor<2x4x4x3xf32>, tensor<f32>) -> tensor<2x9x9x3xf32>
  %2 = "stablehlo.reduce_window"(%y, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 40>, padding = dense<[[0, 0], [39, 0]]> : tensor<2x2xi64>} : (tensor<4x40xf32>, tensor<f32>) -> tensor<4x40xf32>
  %3 = "stablehlo.reduce_window"(%y, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 40>, padding = dense<[[0, 0], [0, 39]]> : tensor<2x2xi64>} : (tensor<4x40xf32>, tensor<f32>) -> tensor<4x40xf32>
  %4 = "stablehlo.reduce_window"(%x, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %n = stablehlo.multiply %b, %b : tensor<f32>
      %m = stablehlo.add %a, %n : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 1, 1>, window_strides = array<i64: 1, 2, 1, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x9x9x3xf32>, tensor<f32>) -> tensor<2x5x9x3xf32>
  return %0, %1, %2, %3, %4 : tensor<2x5x5x3xf32>, tensor<2x9x9x3xf32>, tensor<4x40xf32>, tensor<4x40xf32>, tensor<2x5x9x3xf32>
}
