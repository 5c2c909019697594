package hlo_test

import (
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

const (
	q8     = "!quant.uniform<i8:f32, 0.5:3>"
	q8b    = "!quant.uniform<i8:f32, 0.25:3>"
	q8zero = "!quant.uniform<i8:f32, 0.5>"
	qAxis  = "!quant.uniform<i8:f32:0, {0.5, 0.25}>"
	add32  = "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%r = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %r : tensor<f32>\n})"
)

// TestRules lists programs that break one rule of the verifier each, beyond those of TestRows. An empty code means that
// the program is accepted.
func TestRules(t *testing.T) {
	for _, c := range []struct{ name, args, body, code string }{
		// Attributes.
		{"three precisions", "tensor<2x2xf32>", `%0 = "stablehlo.dot"(%arg0, %arg0) {precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>`, hlo.CodeAttr},
		{"two precisions", "tensor<2x2xf32>", `%0 = "stablehlo.dot"(%arg0, %arg0) {precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGHEST>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>`, ""},
		{"tolerances beside HIGHEST", "tensor<2xf32>", `%0 = "stablehlo.sine"(%arg0) {result_accuracy = #stablehlo.result_accuracy<atol = 0.5, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<2xf32>) -> tensor<2xf32>`, hlo.CodeAttr},
		{"algorithm of no machine", "tensor<2x2xf32>", `%0 = "stablehlo.dot_general"(%arg0, %arg0) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = i8, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>`, hlo.CodeAttr},
		{"an id twice", "tensor<4xf32>", `%0 = "stablehlo.all_reduce"(%arg0) ` + add32 + ` {replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`, hlo.CodeAttr},
		{"an id left out", "tensor<4xf32>", `%0 = "stablehlo.all_reduce"(%arg0) ` + add32 + ` {replica_groups = dense<[[0, 1], [3, 4]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`, hlo.CodeAttr},
		{"groups of unequal size", "tensor<4xf32>", `%0 = "stablehlo.all_reduce"(%arg0) ` + add32 + ` {replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`, ""},
		{"groups of unequal size gather", "tensor<4xf32>", `%0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>`, hlo.CodeAttr},
		{"a source twice", "tensor<4xf32>", `%0 = "stablehlo.collective_permute"(%arg0) {source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>`, hlo.CodeAttr},
		{"global ids without a channel", "tensor<4xf32>", `%0 = "stablehlo.all_reduce"(%arg0) ` + add32 + ` {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>`, hlo.CodeAttr},
		{"infeed layout of the wrong length", "!stablehlo.token", `%0:2 = "stablehlo.infeed"(%arg0) {layout = [[0], [0]]} : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)`, hlo.CodeAttr},
		{"channel to the host between devices", "tensor<4xf32>; !stablehlo.token", `%0 = "stablehlo.send"(%arg0, %arg1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token`, hlo.CodeAttr},
		{"layout that is no permutation", "tensor<2x3xf32>", `"stablehlo.custom_call"(%arg0) {call_target_name = "f", operand_layouts = [dense<[0, 2]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> ()`, hlo.CodeAttr},
		{"alias of another type", "tensor<2x3xf32>", `%0 = "stablehlo.custom_call"(%arg0) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<3x2xf32>`, hlo.CodeAttr},
		{"alias", "tensor<2x3xf32>", `%0 = "stablehlo.custom_call"(%arg0) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>`, ""},
		// Quantised types.
		{"zero point outside of the storage", "tensor<2x!quant.uniform<i8:f32, 0.5:300>>", `%0 = "stablehlo.abs"(%arg0) : (tensor<2x!quant.uniform<i8:f32, 0.5:300>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:300>>`, hlo.CodeElem},
		{"per axis where one scale is asked for", "tensor<2x" + qAxis + ">", `%0 = "stablehlo.ceil"(%arg0) : (tensor<2x` + qAxis + `>) -> tensor<2x` + qAxis + `>`, hlo.CodeElem},
		{"as many scales as the axis is long", "tensor<3x" + qAxis + ">", `%0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 0>} : (tensor<3x` + qAxis + `>) -> tensor<3x` + qAxis + `>`, hlo.CodeElem},
		{"reshape that changes the scale", "tensor<4x" + q8 + ">", `%0 = "stablehlo.reshape"(%arg0) : (tensor<4x` + q8 + `>) -> tensor<2x2x` + q8b + `>`, hlo.CodeElem},
		{"reshape that keeps the scale", "tensor<4x" + q8 + ">", `%0 = "stablehlo.reshape"(%arg0) : (tensor<4x` + q8 + `>) -> tensor<2x2x` + q8 + `>`, ""},
		{"weights not around zero", "tensor<2x2x" + q8 + ">", `%0 = "stablehlo.dot_general"(%arg0, %arg0) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2x` + q8 + `>, tensor<2x2x` + q8 + `>) -> tensor<2x2x` + q8 + `>`, hlo.CodeElem},
		{"weights around zero", "tensor<2x2x" + q8zero + ">", `%0 = "stablehlo.dot_general"(%arg0, %arg0) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2x` + q8zero + `>, tensor<2x2x` + q8zero + `>) -> tensor<2x2x` + q8 + `>`, ""},
		{"quantised activations, plain weights", "tensor<2x2x" + q8 + ">; tensor<2x2xf32>", `%0 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2x` + q8 + `>, tensor<2x2xf32>) -> tensor<2x2x` + q8 + `>`, hlo.CodeElem},
		// Regions.
		{"accumulator narrower than the initial value", "tensor<4xi32>; tensor<i32>", `%0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>):
      %r = stablehlo.add %a, %b : tensor<i8>
      stablehlo.return %r : tensor<i8>
    }) {dimensions = array<i64: 0>} : (tensor<4xi32>, tensor<i32>) -> tensor<i8>`, hlo.CodeRegion},
		{"accumulator wider than the elements", "tensor<4xi8>; tensor<i8>", `%0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %r = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %r : tensor<i32>
    }) {dimensions = array<i64: 0>} : (tensor<4xi8>, tensor<i8>) -> tensor<i32>`, ""},
		{"map of scalars of another type", "tensor<4xf32>", `%0 = "stablehlo.map"(%arg0) ({
    ^bb0(%a: tensor<i32>):
      stablehlo.return %a : tensor<i32>
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xi32>`, hlo.CodeRegion},
		{"scan over a region of the wrong shape", "tensor<2x3xf32>; tensor<2xf32>", `%0:2 = "chlo.scan"(%arg0, %arg1) ({
    ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
      stablehlo.return %x, %c : tensor<3xf32>, tensor<3xf32>
    }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)`, hlo.CodeRegion},
		// Shapes and indices.
		{"offset_dims out of order", "tensor<4x5xf32>; tensor<3x2xi32>", `%0 = "stablehlo.gather"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>} : (tensor<4x5xf32>, tensor<3x2xi32>) -> tensor<3x2x2xf32>`, hlo.CodeAttr},
		{"constant shape of another size", "tensor<4xf32>", "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n" + `%0 = "stablehlo.dynamic_reshape"(%arg0, %s) : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>`, hlo.CodeShape},
		{"constant shape other than the result's", "tensor<4xf32>", "%s = stablehlo.constant dense<[1, 4]> : tensor<2xi64>\n" + `%0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>`, hlo.CodeShape},
		{"broadcast to an open shape", "tensor<3xf32>", `%0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<?x3xf32>`, hlo.CodeResult},
		{"dynamic_conv with padding of the wrong shape", "tensor<1x8x8x1xf32>; tensor<3x3x1x1xf32>; tensor<3x2xi32>", `%0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>, tensor<3x2xi32>) -> tensor<1x?x?x1xf32>`, hlo.CodeShape},
		{"empty window", "tensor<1x8x1xf32>; tensor<0x1x1xf32>", `%0 = "stablehlo.convolution"(%arg0, %arg1) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64} : (tensor<1x8x1xf32>, tensor<0x1x1xf32>) -> tensor<1x9x1xf32>`, hlo.CodeShape},
		{"batches of systems and right-hand sides differ", "tensor<2x3x3xf32>; tensor<4x3x1xf32>", `%0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<4x3x1xf32>) -> tensor<4x3x1xf32>`, hlo.CodeShape},
		{"async region of two ops", "tensor<4xf32>", `%0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%a: tensor<4xf32>):
      %r = stablehlo.negate %a : tensor<4xf32>
      %s = stablehlo.negate %r : tensor<4xf32>
      stablehlo.return %s : tensor<4xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>`, hlo.CodeRegion},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := pair{}.module(c.args, c.body)
			if _, err := check(src); diag.Code(err) != c.code {
				t.Errorf("got %v, want %q\n%s", err, c.code, src)
			}
		})
	}
}

func TestRunParallel(t *testing.T) {
	const foo = "  func.func @foo(%x: tensor<f32>) -> tensor<f32> {\n    return %x : tensor<f32>\n  }\n"
	for _, c := range []struct{ name, body, code string }{
		{"a grid of two", `%0:2 = "interpreter.run_parallel"(%arg0, %arg0) {programs = [[@foo, @foo]]} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)`, ""},
		{"operands for one of two", `%0:2 = "interpreter.run_parallel"(%arg0) {programs = [[@foo, @foo]]} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)`, hlo.CodeSignature},
		{"rows of unequal length", `%0 = "interpreter.run_parallel"(%arg0) {programs = [[@foo], [@foo, @foo]]} : (tensor<f32>) -> tensor<f32>`, hlo.CodeAttr},
		{"no such function", `%0 = "interpreter.run_parallel"(%arg0) {programs = [[@bar]]} : (tensor<f32>) -> tensor<f32>`, hlo.CodeSymbol},
		{"an empty feed", `%0 = "interpreter.run_parallel"(%arg0) {infeed = [], programs = [[@foo]]} : (tensor<f32>) -> tensor<f32>`, hlo.CodeAttr},
	} {
		src := pair{decls: foo}.module("tensor<f32>", c.body)
		if _, err := check(src); diag.Code(err) != c.code {
			t.Errorf("%s: got %v, want %q", c.name, err, c.code)
		}
	}
}
