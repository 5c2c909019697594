package hlo_test

import "github.com/alcadev/alca/internal/hlo"

var shapePairs = []pair{
	{op: "stablehlo.broadcast_in_dim", args: "tensor<3xf32>",
		good: `%0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>`,
		bad:  `%0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<3xf32>) -> tensor<2x3xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.broadcast", args: "tensor<3xf32>",
		good: `%0 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>`,
		bad:  `%0 = stablehlo.broadcast %arg0, sizes = [4] : (tensor<3xf32>) -> tensor<2x3xf32>`, code: hlo.CodeResult},
	{op: "stablehlo.concatenate", args: "tensor<2x3xi8>; tensor<2x1xi8>",
		good: `%0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<2x3xi8>, tensor<2x1xi8>) -> tensor<2x4xi8>`,
		bad:  `%0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<2x3xi8>, tensor<2x1xi8>) -> tensor<4x3xi8>`, code: hlo.CodeShape},
	{op: "stablehlo.constant", good: `%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>`,
		bad: `%0 = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2xi64>`, code: hlo.CodeResult},
	{op: "stablehlo.iota", good: `%0 = stablehlo.iota dim = 1 : tensor<2x3xf32>`, bad: `%0 = stablehlo.iota dim = 2 : tensor<2x3xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.pad", args: "tensor<3xf32>; tensor<f32>",
		good: `%0 = stablehlo.pad %arg0, %arg1, low = [1], high = [-1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>`,
		bad:  `%0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.reshape", args: "tensor<2x3xf32>", good: `%0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>`,
		bad: `%0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<5xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.reverse", args: "tensor<2x3xf32>", good: `%0 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<2x3xf32>`,
		bad: `%0 = stablehlo.reverse %arg0, dims = [0, 0] : tensor<2x3xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.slice", args: "tensor<8xf32>", good: `%0 = stablehlo.slice %arg0 [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>`,
		bad: `%0 = stablehlo.slice %arg0 [1:9] : (tensor<8xf32>) -> tensor<8xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.transpose", args: "tensor<2x3xf32>", good: `%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>`,
		bad: `%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>`, code: hlo.CodeResult},
	{op: "stablehlo.dynamic_slice", args: "tensor<8xf32>; tensor<i32>",
		good: `%0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [3] : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>`,
		bad:  `%0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [9] : (tensor<8xf32>, tensor<i32>) -> tensor<9xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.dynamic_update_slice", args: "tensor<8xf32>; tensor<2xf32>; tensor<i32>", badArgs: "tensor<8xf32>; tensor<9xf32>; tensor<i32>",
		good: `%0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>`,
		bad:  `%0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<8xf32>, tensor<9xf32>, tensor<i32>) -> tensor<8xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.gather", args: "tensor<5x6xf32>; tensor<2x1xi32>",
		good: `%0 = "stablehlo.gather"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>} : (tensor<5x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>`,
		bad:  `%0 = "stablehlo.gather"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 6>} : (tensor<5x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.scatter", args: "tensor<5xf32>; tensor<2x1xi32>; tensor<2xf32>", badArgs: "tensor<5xf32>; tensor<2x1xi32>; tensor<3xf32>",
		good: `%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<5xf32>`,
		bad: `%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5xf32>, tensor<2x1xi32>, tensor<3xf32>) -> tensor<5xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.torch_index_select", args: "tensor<5x6xf32>; tensor<2xi32>",
		good: `%0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<5x6xf32>, tensor<2xi32>) -> tensor<2x6xf32>`,
		bad:  `%0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 0 : i64} : (tensor<5x6xf32>, tensor<2xi32>) -> tensor<2x6xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.sort", args: "tensor<8xf32>",
		good: `%0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>`,
		bad: `%0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    }) {dimension = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>`, code: hlo.CodeRegion},
}

var contractionPairs = []pair{
	{op: "stablehlo.dot_general", args: "tensor<5x2x3xf32>; tensor<5x3x4xf32>",
		good: `%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>`,
		bad:  `%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x3x4xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.dot", args: "tensor<2x3xf32>; tensor<3xf32>", badArgs: "tensor<2x3xf32>; tensor<2xf32>",
		good: `%0 = stablehlo.dot %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>`,
		bad:  `%0 = stablehlo.dot %arg0, %arg1 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.convolution", args: "tensor<1x8x8x3xf32>; tensor<3x3x3x4xf32>", badArgs: "tensor<1x8x8x3xf32>; tensor<3x3x2x4xf32>",
		good: `%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>`,
		bad:  `%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.dynamic_conv", args: "tensor<1x8x8x3xf32>; tensor<3x3x3x4xf32>; tensor<2x2xi32>",
		good: `%0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>`,
		bad:  `%0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.einsum", args: "tensor<2x3xf32>; tensor<3x4xf32>",
		good: `%0 = "stablehlo.einsum"(%arg0, %arg1) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>`,
		bad:  `%0 = "stablehlo.einsum"(%arg0) {einsum_config = "ij,jk->ik"} : (tensor<2x3xf32>) -> tensor<2x4xf32>`, code: hlo.CodeArity},
	{op: "stablehlo.unary_einsum", args: "tensor<2x3xf32>",
		good: `%0 = "stablehlo.unary_einsum"(%arg0) {einsum_config = "ij->i"} : (tensor<2x3xf32>) -> tensor<2xf32>`,
		bad:  `%0 = "stablehlo.unary_einsum"(%arg0) : (tensor<2x3xf32>) -> tensor<2xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.batch_norm_inference", args: "tensor<4x3xf32>; tensor<3xf32>", badArgs: "tensor<4x3xf32>; tensor<4xf32>",
		good: `%0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>`,
		bad:  `%0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x3xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.batch_norm_training", args: "tensor<4x3xf32>; tensor<3xf32>",
		good: `%0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)`,
		bad:  `%0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)`, code: hlo.CodeAttr},
	{op: "stablehlo.batch_norm_grad", args: "tensor<4x3xf32>; tensor<3xf32>",
		good: `%0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)`,
		bad:  `%0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg1) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)`, code: hlo.CodeShape},
	{op: "stablehlo.cholesky", args: "tensor<2x3x3xf32>", badArgs: "tensor<2x3x4xf32>",
		good: `%0 = "stablehlo.cholesky"(%arg0) {lower = true} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>`,
		bad:  `%0 = "stablehlo.cholesky"(%arg0) {lower = true} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.triangular_solve", args: "tensor<3x3xf32>; tensor<3x2xf32>", badArgs: "tensor<3x3xf32>; tensor<2x2xf32>",
		good: `%0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>`,
		bad:  `%0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.fft", args: "tensor<8xcomplex<f32>>",
		good: `%0 = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>`,
		bad:  `%0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<8xcomplex<f32>>) -> tensor<5xcomplex<f32>>`, code: hlo.CodeElem},
}

var regionPairs = []pair{
	{op: "stablehlo.reduce", args: "tensor<2x3xf32>; tensor<f32>",
		good: `%0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>`,
		bad:  `%0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.reduce_window", args: "tensor<8xf32>; tensor<f32>",
		good: `%0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>`,
		bad: `%0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {window_dimensions = array<i64: 2, 2>} : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.select_and_scatter", args: "tensor<8xf32>; tensor<4xf32>; tensor<f32>", badArgs: "tensor<8xf32>; tensor<5xf32>; tensor<f32>",
		good: `%0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>`,
		bad: `%0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<8xf32>, tensor<5xf32>, tensor<f32>) -> tensor<8xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.map", args: "tensor<4xf32>",
		good: `%0 = "stablehlo.map"(%arg0) ({
    ^bb0(%a: tensor<f32>):
      %s = stablehlo.negate %a : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>`,
		bad: `%0 = "stablehlo.map"(%arg0) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>`, code: hlo.CodeRegion},
	{op: "stablehlo.while", args: "tensor<i32>",
		good: `%0 = stablehlo.while(%i = %arg0) : tensor<i32>
    cond {
      %p = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return %i : tensor<i32>
    }`,
		bad: `%0 = stablehlo.while(%i = %arg0) : tensor<i32>
    cond {
      stablehlo.return %i : tensor<i32>
    } do {
      stablehlo.return %i : tensor<i32>
    }`, code: hlo.CodeRegion},
	{op: "stablehlo.if", args: "tensor<i1>; tensor<f32>",
		good: `%0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }, {
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>`,
		bad: `%0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }, {
      stablehlo.return %arg0 : tensor<i1>
    }) : (tensor<i1>) -> tensor<f32>`, code: hlo.CodeRegion},
	{op: "stablehlo.case", args: "tensor<i32>; tensor<f32>", badArgs: "tensor<i64>; tensor<f32>",
		good: `%0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>`,
		bad: `%0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<i64>) -> tensor<f32>`, code: hlo.CodeElem},
}

var dynamicPairs = []pair{
	{op: "stablehlo.dynamic_broadcast_in_dim", args: "tensor<3xf32>; tensor<2xi32>", badArgs: "tensor<3xf32>; tensor<3xi32>",
		good: `%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>`,
		bad:  `%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] : (tensor<3xf32>, tensor<3xi32>) -> tensor<?x3xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.dynamic_gather", args: "tensor<5x6xf32>; tensor<2x1xi32>; tensor<2xi32>",
		good: `%0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<5x6xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?xf32>`,
		bad:  `%0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<5x6xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?xf64>`, code: hlo.CodeResult},
	{op: "stablehlo.dynamic_iota", args: "tensor<2xi32>", good: `%0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>`,
		bad: `%0 = stablehlo.dynamic_iota %arg0, dim = 2 : (tensor<2xi32>) -> tensor<?x?xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.dynamic_pad", args: "tensor<3xf32>; tensor<f32>; tensor<1xi32>", badArgs: "tensor<3xf32>; tensor<f32>; tensor<2xi32>",
		good: `%0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`,
		bad:  `%0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.dynamic_reshape", args: "tensor<?xf32>; tensor<2xi32>",
		good: `%0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>`,
		bad:  `%0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xi32>`, code: hlo.CodeElem},
	{op: "stablehlo.real_dynamic_slice", args: "tensor<8xf32>; tensor<1xi32>",
		good: `%0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`,
		bad:  `%0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi8>`, code: hlo.CodeElem},
	{op: "stablehlo.get_dimension_size", args: "tensor<?x3xf32>", good: `%0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>`,
		bad: `%0 = stablehlo.get_dimension_size %arg0, dim = 2 : (tensor<?x3xf32>) -> tensor<i32>`, code: hlo.CodeAttr},
	{op: "stablehlo.set_dimension_size", args: "tensor<4xf32>; tensor<i32>",
		good: `%0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>`,
		bad:  `%0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf16, #stablehlo.bounds<4>>`, code: hlo.CodeElem},
	{op: "stablehlo.compute_reshape_shape", args: "index; tensor<2xi32>",
		good: `%0 = "stablehlo.compute_reshape_shape"(%arg0, %arg1) : (index, tensor<2xi32>) -> tensor<2xi32>`,
		bad:  `%0 = "stablehlo.compute_reshape_shape"(%arg1) : (tensor<2xi32>) -> tensor<2xi32>`, code: hlo.CodeArity},
	{op: "stablehlo.cstr_reshapable", args: "index; tensor<2xi32>",
		good: `%0 = "stablehlo.cstr_reshapable"(%arg0, %arg1) : (index, tensor<2xi32>) -> !shape.witness`,
		bad:  `%0 = "stablehlo.cstr_reshapable"(%arg1) : (tensor<2xi32>) -> !shape.witness`, code: hlo.CodeArity},
}
