module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<ui32>) {
    %r = stablehlo.real %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %i = stablehlo.imag %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %p = stablehlo.partition_id : tensor<ui32>
    %a = stablehlo.add %r, %i : tensor<3x5xf32>
    return %a, %i, %p : tensor<3x5xf32>, tensor<3x5xf32>, tensor<ui32>
  }
}
