package hlo_test

import "github.com/alcadev/alca/internal/hlo"

const sumRegion = `({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })`

const badRegion = `({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    })`

var collectivePairs = []pair{
	{op: "stablehlo.all_gather", args: "tensor<2x3xf32>",
		good: `%0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x6xf32>`,
		bad:  `%0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x7xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.all_reduce", args: "tensor<4xf32>",
		good: `%0 = "stablehlo.all_reduce"(%arg0) ` + sumRegion + ` {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`,
		bad:  `%0 = "stablehlo.all_reduce"(%arg0) ` + badRegion + ` {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`, code: hlo.CodeRegion},
	{op: "stablehlo.all_to_all", args: "tensor<2x4xf32>",
		good: `%0 = "stablehlo.all_to_all"(%arg0) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>`,
		bad:  `%0 = "stablehlo.all_to_all"(%arg0) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2x4xf32>) -> tensor<6x1xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.collective_broadcast", args: "tensor<4xf32>",
		good: `%0 = "stablehlo.collective_broadcast"(%arg0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`,
		bad:  `%0 = "stablehlo.collective_broadcast"(%arg0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>`, code: hlo.CodeResult},
	{op: "stablehlo.collective_permute", args: "tensor<4xf32>",
		good: `%0 = "stablehlo.collective_permute"(%arg0) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`,
		bad:  `%0 = "stablehlo.collective_permute"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>`, code: hlo.CodeAttr},
	{op: "stablehlo.collective_reduce", args: "tensor<4xf32>",
		good: `%0 = "stablehlo.collective_reduce"(%arg0) ` + sumRegion + ` {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`,
		bad:  `%0 = "stablehlo.collective_reduce"(%arg0) ` + badRegion + ` {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`, code: hlo.CodeRegion},
	{op: "stablehlo.cross-replica-sum", args: "tensor<4xf32>",
		good: `%0 = "stablehlo.cross-replica-sum"(%arg0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`,
		bad:  `%0 = "stablehlo.cross-replica-sum"(%arg0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf16>`, code: hlo.CodeResult},
	{op: "stablehlo.reduce_scatter", args: "tensor<4xf32>",
		good: `%0 = "stablehlo.reduce_scatter"(%arg0) ` + sumRegion + ` {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>`,
		bad:  `%0 = "stablehlo.reduce_scatter"(%arg0) ` + sumRegion + ` {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<3xf32>`, code: hlo.CodeShape},
	{op: "stablehlo.async_start", args: "tensor<4xf32>",
		good: `%0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%x: tensor<4xf32>):
      %1 = "stablehlo.all_reduce"(%x) ` + sumRegion + ` {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>`,
		bad: `%0 = "stablehlo.async_start"(%arg0) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>`, code: hlo.CodeArity},
	{op: "stablehlo.async_done", args: "!stablehlo.future<tensor<4xf32>>",
		good: `%0 = "stablehlo.async_done"(%arg0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>`,
		bad:  `%0 = "stablehlo.async_done"() : () -> tensor<4xf32>`, code: hlo.CodeArity},
	{op: "stablehlo.partition_id", good: `%0 = stablehlo.partition_id : tensor<ui32>`, bad: `%0 = "stablehlo.partition_id"() : () -> tensor<i32>`, code: hlo.CodeResult},
	{op: "stablehlo.replica_id", good: `%0 = stablehlo.replica_id : tensor<ui32>`, bad: `%0 = "stablehlo.replica_id"() : () -> tensor<2xui32>`, code: hlo.CodeResult},
	{op: "stablehlo.send", args: "tensor<4xf32>; !stablehlo.token",
		good: `%0 = "stablehlo.send"(%arg0, %arg1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token`,
		bad:  `%0 = "stablehlo.send"(%arg0, %arg1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> tensor<4xf32>`, code: hlo.CodeResult},
	{op: "stablehlo.recv", args: "!stablehlo.token",
		good: `%0:2 = "stablehlo.recv"(%arg0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)`,
		bad:  `%0 = "stablehlo.recv"(%arg0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> tensor<4xf32>`, code: hlo.CodeResult},
}

var otherPairs = []pair{
	{op: "stablehlo.optimization_barrier", args: "tensor<2xf32>", good: `%0 = stablehlo.optimization_barrier %arg0 : tensor<2xf32>`,
		bad: `%0 = "stablehlo.optimization_barrier"(%arg0) : (tensor<2xf32>) -> tensor<3xf32>`, code: hlo.CodeResult},
	{op: "stablehlo.return", args: "tensor<i1>; tensor<f32>",
		good: `%0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }, {
      "stablehlo.return"(%arg1) : (tensor<f32>) -> ()
    }) : (tensor<i1>) -> tensor<f32>`,
		bad: `%0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg1, %arg1 : tensor<f32>, tensor<f32>
    }, {
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>`, code: hlo.CodeRegion},
	{op: "stablehlo.tuple", args: "tensor<2xf32>; tensor<i8>", good: `%0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<2xf32>, tensor<i8>>`,
		bad: `%0 = "stablehlo.tuple"(%arg0, %arg1) : (tensor<2xf32>, tensor<i8>) -> tuple<tensor<2xf32>>`, code: hlo.CodeResult},
	{op: "stablehlo.get_tuple_element", args: "tuple<tensor<2xf32>, tensor<i8>>",
		good: `%0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<2xf32>, tensor<i8>>) -> tensor<i8>`,
		bad:  `%0 = "stablehlo.get_tuple_element"(%arg0) {index = 2 : i32} : (tuple<tensor<2xf32>, tensor<i8>>) -> tensor<i8>`, code: hlo.CodeAttr},
	{op: "stablehlo.custom_call", args: "tensor<2xf32>", good: `%0 = stablehlo.custom_call @foo(%arg0) : (tensor<2xf32>) -> tensor<3xi8>`,
		bad: `%0 = "stablehlo.custom_call"(%arg0) {call_target_name = ""} : (tensor<2xf32>) -> tensor<3xi8>`, code: hlo.CodeAttr},
	{op: "stablehlo.composite", args: "tensor<2xf32>", decls: idDecl,
		good: `%0 = stablehlo.composite "my.id" %arg0 {decomposition = @id} : (tensor<2xf32>) -> tensor<2xf32>`,
		bad:  `%0 = stablehlo.composite "my.id" %arg0 {decomposition = @nothing} : (tensor<2xf32>) -> tensor<2xf32>`, code: hlo.CodeSymbol},
	{op: "stablehlo.after_all", args: "!stablehlo.token", good: `%0 = stablehlo.after_all %arg0, %arg0 : !stablehlo.token`,
		bad: `%0 = "stablehlo.after_all"(%arg0) : (!stablehlo.token) -> tensor<f32>`, code: hlo.CodeResult},
	{op: "stablehlo.create_token", good: `%0 = stablehlo.create_token : !stablehlo.token`,
		bad: `%0 = "stablehlo.create_token"() : () -> tensor<f32>`, code: hlo.CodeResult},
	{op: "stablehlo.infeed", args: "!stablehlo.token",
		good: `%0:2 = "stablehlo.infeed"(%arg0) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)`,
		bad:  `%0 = "stablehlo.infeed"(%arg0) {infeed_config = ""} : (!stablehlo.token) -> tensor<2xf32>`, code: hlo.CodeResult},
	{op: "stablehlo.outfeed", args: "tensor<2xf32>; !stablehlo.token",
		good: `%0 = "stablehlo.outfeed"(%arg0, %arg1) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token`,
		bad:  `%0 = "stablehlo.outfeed"(%arg0, %arg1) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> tensor<2xf32>`, code: hlo.CodeResult},
	{op: "stablehlo.trace", args: "tensor<2xf32>", good: `"stablehlo.trace"(%arg0) {tag = "x"} : (tensor<2xf32>) -> ()`,
		bad: `"stablehlo.trace"() {tag = "x"} : () -> ()`, code: hlo.CodeArity},
	{op: "stablehlo.rng", args: "tensor<f32>; tensor<1xi64>", badArgs: "tensor<2xf32>; tensor<1xi64>",
		good: `%0 = "stablehlo.rng"(%arg0, %arg0, %arg1) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<5xf32>`,
		bad:  `%0 = "stablehlo.rng"(%arg0, %arg0, %arg1) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<2xf32>, tensor<2xf32>, tensor<1xi64>) -> tensor<5xf32>`, code: hlo.CodeElem},
	{op: "stablehlo.rng_bit_generator", args: "tensor<2xui64>",
		good: `%0:2 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)`,
		bad:  `%0:2 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)`, code: hlo.CodeShape},
	{op: "func.return", args: "tensor<2xf32>", wantReturnOps: true, good: `return`, bad: `return %arg0 : tensor<2xf32>`, code: hlo.CodeSignature},
	{op: "func.call", args: "tensor<2xf32>", badArgs: "tensor<3xf32>", decls: idDecl, good: `%0 = func.call @id(%arg0) : (tensor<2xf32>) -> tensor<2xf32>`,
		bad: `%0 = func.call @id(%arg0) : (tensor<3xf32>) -> tensor<3xf32>`, code: hlo.CodeSignature},
	{op: "check.expect_eq", args: "tensor<2xf32>", good: `check.expect_eq %arg0, %arg0 : tensor<2xf32>`,
		bad: `"check.expect_eq"(%arg0) : (tensor<2xf32>) -> ()`, code: hlo.CodeArity},
	{op: "check.expect_eq_const", args: "tensor<2xf32>", good: `check.expect_eq_const %arg0, dense<1.0> : tensor<2xf32>`,
		bad: `"check.expect_eq_const"(%arg0) : (tensor<2xf32>) -> ()`, code: hlo.CodeAttr},
	{op: "check.expect_almost_eq", args: "tensor<2xf32>", good: `check.expect_almost_eq %arg0, %arg0 : tensor<2xf32>`,
		bad: `"check.expect_almost_eq"(%arg0) : (tensor<2xf32>) -> ()`, code: hlo.CodeArity},
	{op: "check.expect_almost_eq_const", args: "tensor<2xf32>", good: `check.expect_almost_eq_const %arg0, dense<1.0> : tensor<2xf32>`,
		bad: `"check.expect_almost_eq_const"(%arg0) : (tensor<2xf32>) -> ()`, code: hlo.CodeAttr},
	{op: "check.expect_close", args: "tensor<2xf32>", good: `check.expect_close %arg0, %arg0, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>`,
		bad: `"check.expect_close"(%arg0) : (tensor<2xf32>) -> ()`, code: hlo.CodeArity},
	{op: "check.expect_serialized_eq", args: "tensor<2xf32>", good: `"check.expect_serialized_eq"(%arg0) {probe_id = "p"} : (tensor<2xf32>) -> ()`,
		bad: `"check.expect_serialized_eq"(%arg0) : (tensor<2xf32>) -> ()`, code: hlo.CodeAttr},
	{op: "interpreter.run_parallel", args: "tensor<2xf32>", decls: idDecl,
		good: `%0 = "interpreter.run_parallel"(%arg0) {programs = [[@id]]} : (tensor<2xf32>) -> tensor<2xf32>`,
		bad:  `%0 = "interpreter.run_parallel"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>`, code: hlo.CodeAttr},
	{op: "interpreter.probe", args: "tensor<2xf32>", good: `%0 = interpreter.probe %arg0, probe_id = "p" : tensor<2xf32>`,
		bad: `%0 = "interpreter.probe"(%arg0) {probe_id = "p"} : (tensor<2xf32>) -> tensor<3xf32>`, code: hlo.CodeResult},
	{op: "interpreter.print", args: "tensor<2xf32>", good: `"interpreter.print"(%arg0) : (tensor<2xf32>) -> ()`,
		bad: `"interpreter.print"() : () -> ()`, code: hlo.CodeArity},
}

const idDecl = `  func.func private @id(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
`
