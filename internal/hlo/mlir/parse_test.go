package mlir

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// wrap makes a function of ops over some arguments.
func wrap(args, ops string) string {
	return "func.func @f(" + args + ") {\n" + ops + "\n  return\n}\n"
}

func mustParse(t testing.TB, src string) *hlo.Module {
	t.Helper()
	m, err := Parse([]byte(src), "t.mlir")
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return m
}

const twoF32 = "%a: tensor<4x8xf32>, %b: tensor<4x8xf32>"

// TestForms reads an op in custom and in generic form, which must be the same program, and prints both ways.
func TestForms(t *testing.T) {
	for _, c := range []struct{ name, args, pretty, generic string }{
		{"elementwise", twoF32, `%0 = stablehlo.add %a, %b : tensor<4x8xf32>`,
			`%0 = "stablehlo.add"(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>`},
		{"attributes", twoF32, `%0 = stablehlo.add %a, %b {x.y = 3 : i64, z = "s\22q\\\0A"} : tensor<4x8xf32>`,
			`%0 = "stablehlo.add"(%a, %b) <{x.y = 3 : i64}> {z = "s\"q\\\n"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>`},
		{"mhlo names", twoF32, `%0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>`,
			`%0 = "mhlo.compare"(%a, %b) {comparison_direction = #mhlo<comparison_direction LT>, compare_type = #mhlo<comparison_type FLOAT>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>`},
		{"broadcast_in_dim", "%a: tensor<8xf32>", `%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>`,
			`%0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>`},
		{"iota", "", `%0 = stablehlo.iota dim = 0 : tensor<4xi32>`, `%0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>`},
		{"concatenate", twoF32, `%0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>`,
			`%0 = "stablehlo.concatenate"(%a, %b) {dimension = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>`},
		{"slice", "%a: tensor<9x8xf32>", `%0 = stablehlo.slice %a [1:9:2, 0:8] : (tensor<9x8xf32>) -> tensor<4x8xf32>`,
			`%0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1, 0>, limit_indices = array<i64: 9, 8>, strides = array<i64: 2, 1>} : (tensor<9x8xf32>) -> tensor<4x8xf32>`},
		{"pad", "%a: tensor<4xf32>, %z: tensor<f32>", `%0 = stablehlo.pad %a, %z, low = [-1], high = [2], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>`,
			`%0 = "stablehlo.pad"(%a, %z) {edge_padding_low = array<i64: -1>, edge_padding_high = array<i64: 2>, interior_padding = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>`},
		{"select", "%p: tensor<4x8xi1>, " + twoF32, `%0 = stablehlo.select %p, %a, %b : tensor<4x8xi1>, tensor<4x8xf32>`,
			`%0 = "stablehlo.select"(%p, %a, %b) : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>`},
		{"complex", twoF32, `%0 = stablehlo.complex %a, %b : tensor<4x8xcomplex<f32>>`,
			`%0 = "stablehlo.complex"(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xcomplex<f32>>`},
		{"dot_general", "%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>",
			`%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>`,
			`%0 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>`},
		{"convolution", "%a: tensor<1x9x9x3xf32>, %b: tensor<3x3x3x4xf32>",
			`%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [1, 0]], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>`,
			`%0 = "stablehlo.convolution"(%a, %b) {window_strides = array<i64: 2, 2>, padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>`},
		{"reduce applies", "%a: tensor<4x8xf32>, %z: tensor<f32>", `%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>`,
			`%0 = "stablehlo.reduce"(%a, %z) ({
			^bb0(%x: tensor<f32>, %y: tensor<f32>):
			  %1 = stablehlo.add %x, %y : tensor<f32>
			  stablehlo.return %1 : tensor<f32>
			}) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>`},
		{"reduce two", "%a: tensor<8xf32>, %i: tensor<8xi32>, %z: tensor<f32>, %y: tensor<i32>",
			`%0:2 = stablehlo.reduce(%a init: %z), (%i init: %y) across dimensions = [0] : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
			reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>) {
			  stablehlo.return %q, %r : tensor<f32>, tensor<i32>
			}`,
			`%0:2 = "stablehlo.reduce"(%a, %i, %z, %y) ({
			^bb0(%p: tensor<f32>, %r: tensor<i32>, %q: tensor<f32>, %s: tensor<i32>):
			  stablehlo.return %q, %r : tensor<f32>, tensor<i32>
			}) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)`},
		{"while", "%i: tensor<i32>, %x: tensor<4xf32>",
			`%0:2 = stablehlo.while(%j = %i, %y = %x) : tensor<i32>, tensor<4xf32>
			cond {
			  %c = stablehlo.compare LT, %j, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			  stablehlo.return %c : tensor<i1>
			} do {
			  stablehlo.return %j, %y : tensor<i32>, tensor<4xf32>
			}
			%1 = stablehlo.add %0#1, %0#1 : tensor<4xf32>`,
			`%k, %l = "stablehlo.while"(%i, %x) ({
			^bb0(%j: tensor<i32>, %y: tensor<4xf32>):
			  %c = stablehlo.compare LT, %j, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
			  "stablehlo.return"(%c) : (tensor<i1>) -> ()
			}, {
			^bb0(%j: tensor<i32>, %y: tensor<4xf32>):
			  "stablehlo.return"(%j, %y) : (tensor<i32>, tensor<4xf32>) -> ()
			}) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
			%1 = stablehlo.add %l, %l : tensor<4xf32>`},
		{"custom_call", twoF32, `stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()`,
			`"stablehlo.custom_call"(%a, %b) {call_target_name = "check.expect_eq", has_side_effect = true} : (tensor<4x8xf32>, tensor<4x8xf32>) -> ()`},
		{"reduce_precision", "%a: tensor<4xf32>", `%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>`,
			`%0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<4xf32>) -> tensor<4xf32>`},
		{"get_tuple_element", "%a: tuple<tensor<f32>, tensor<i32>>", `%0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>`,
			`%0 = "stablehlo.get_tuple_element"(%a) {index = 1 : i32} : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>`},
		{"chlo", "%a: tensor<4xf32>", `%0 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>`, `%0 = "chlo.erf"(%a) : (tensor<4xf32>) -> tensor<4xf32>`},
		{"check const", "%a: tensor<2xi32>", `check.expect_eq_const %a, dense<[1, -2]> : tensor<2xi32>`,
			`"check.expect_eq_const"(%a) <{value = dense<"0x01000000FEFFFFFF"> : tensor<2xi32>}> : (tensor<2xi32>) -> ()`},
		{"splat", "", `%0 = stablehlo.constant dense<[2.0, 2.0]> : tensor<2xf32>`, `%0 = "stablehlo.constant"() {value = dense<2.0> : tensor<2xf32>} : () -> tensor<2xf32>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := mustParse(t, wrap(c.args, c.pretty)), mustParse(t, wrap(c.args, c.generic))
			if d := diff(a, b); d != "" {
				t.Errorf("custom and generic form differ: %s", d)
			}
			for _, o := range []Options{{}, {Generic: true}} {
				var s strings.Builder
				if err := Print(&s, a, o); err != nil {
					t.Fatal(err)
				}
				again := mustParse(t, s.String())
				if d := diff(a, again); d != "" {
					t.Errorf("printed with %+v the module changes: %s\n%s", o, d, s.String())
				}
				var s2 strings.Builder
				Print(&s2, again, o)
				if s.String() != s2.String() {
					t.Errorf("printing is no fixed point:\n%s\n%s", s.String(), s2.String())
				}
			}
		})
	}
}

// TestKeptForms prints ops that have a custom form in exactly that form.
func TestKeptForms(t *testing.T) {
	for _, c := range []struct{ args, op string }{
		{"%arg0: tensor<4xf32>", `%0 = stablehlo.exponential %arg0 : tensor<4xf32>`},
		{"%arg0: tensor<4xf32>", `%0 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xbf16>`},
		{"%arg0: tensor<4x3xf32>", `%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>`},
		{"%arg0: tensor<4xf32>", `%0 = stablehlo.reverse %arg0, dims = [0] : tensor<4xf32>`},
		{"%arg0: tensor<4xf32>", `%0:2 = stablehlo.optimization_barrier %arg0, %arg0 : tensor<4xf32>, tensor<4xf32>`},
		{"", `%0 = stablehlo.constant dense<[0x7F800000, 1.500000e+00, -0.000000e+00]> : tensor<3xf32>`},
		{"", `%0 = stablehlo.constant dense<[(1.000000e+00, -2.000000e+00), (0.000000e+00, 0x7FC00000)]> : tensor<2xcomplex<f32>>`},
		{"", `%0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>`},
		{"", `%0 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>`},
		{"", `%0 = stablehlo.constant dense<[0x7F, 1.000000e+00]> : tensor<2xf8E4M3FN>`},
		{"", `%0 = stablehlo.constant dense<> : tensor<0x4xf32>`},
		{"", `%0 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>`},
		{"%arg0: tensor<?x4xf32, #stablehlo.bounds<8, ?>>", `%0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>`},
		{"%arg0: tensor<4x!quant.uniform<i8:f32:0, {0.5:-3, 2.0, 1.0, 1.0}>>", `%0 = stablehlo.uniform_dequantize %arg0 : (tensor<4x!quant.uniform<i8:f32:0, {5.0E-01:-3, 2.0, 1.0, 1.0}>>) -> tensor<4xf32>`},
		{"%arg0: !stablehlo.token", `%0 = stablehlo.after_all %arg0 : !stablehlo.token`},
	} {
		m := mustParse(t, wrap(c.args, "  "+c.op))
		if got := Text(m); !strings.Contains(got, "    "+c.op+"\n") {
			t.Errorf("want\n    %s\ngot\n%s", c.op, got)
		}
	}
}

func TestModuleStructure(t *testing.T) {
	src := `#loc1 = loc("x")
!t = tensor<2x3xf32>
#map = affine_map<(d0, d1) -> (d1, d0)>
#d = dense<1> : tensor<1xi64>
module @outer attributes {a.b = #map, c = [#d, unit, @s::@t, tensor<4xi8>], mhlo.num_replicas = 1 : i32, "quoted name" = {k = false}} {
  module @inner {
    func.func private @decl(tensor<4xf32>, i32) -> (!t, index) attributes {some.flag}
  }
  func.func public @main(%arg0: !t {tf.aliasing_output = 0 : i32} loc(#loc1), %arg1: !t loc("y"("f.py":1:2))) -> (!t {jax.result_info = "r"}) {
    %0 = call @g(%arg0) : (!t) -> !t loc(#loc9)
    %1 = stablehlo.add %0, %arg1 : !t loc(callsite(fused<"m">[unknown, "deep"(#loc2)] at "g.py":7:8 to 9:10))
    return %1 : !t
  }
  func.func private @g(%arg0: !t) -> !t {
    return %arg0 : !t
  }
}
#loc2 = loc("f.py":3:4)
#loc9 = loc(#loc2)
`
	m := mustParse(t, src)
	if m.Name != "outer" || len(m.Subs) != 1 || m.Subs[0].Funcs[0].Body != nil || !m.Subs[0].Funcs[0].Private {
		t.Fatalf("structure: %+v", m)
	}
	f := m.Func("main")
	if got := f.InputNames(); got[0] != "x" || got[1] != "y" {
		t.Errorf("argument names %v", got)
	}
	ops := f.Body.Blocks[0].Ops
	if ops[0].NameLoc != "f.py:3:4" || ops[1].NameLoc != "deep" {
		t.Errorf("locations %q and %q", ops[0].NameLoc, ops[1].NameLoc)
	}
	if got := ops[1].Loc.String(); got != "t.mlir:11:10" {
		t.Errorf("position %s", got)
	}
	if a, ok := f.ArgAttrs[0].Get("tf.aliasing_output").(hlo.IntAttr); !ok || a.Type != dtype.I32 {
		t.Errorf("argument attributes %v", f.ArgAttrs)
	}
	again := mustParse(t, Text(m))
	if d := diff(m, again); d != "" {
		t.Errorf("round trip: %s\n%s", d, Text(m))
	}
	var generic strings.Builder
	generic.WriteString(`"builtin.module"() <{sym_name = "outer"}> ({
  "func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "main", sym_visibility = "private", arg_attrs = [{a.b}], res_attrs = [{}]}> ({
  ^bb0(%x: tensor<f32>):
    "func.return"(%x) : (tensor<f32>) -> ()
  }) : () -> ()
}) : () -> ()`)
	g := mustParse(t, generic.String())
	p := mustParse(t, `module @outer { func.func private @main(%x: tensor<f32> {a.b}) -> (tensor<f32>) { return %x : tensor<f32> } }`)
	g.Funcs[0].ResAttrs = nil
	if d := diff(g, p); d != "" {
		t.Errorf("generic module: %s", d)
	}
}

func TestResources(t *testing.T) {
	src := `func.func @f() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } },
  external_resources: { other: { x: true } }
#-}`
	m := mustParse(t, src)
	if got := Text(m); !strings.Contains(got, "dense<[1.000000e+00, 2.000000e+00]>") {
		t.Errorf("resource was not read:\n%s", got)
	}
}

// TestErrors checks code and position of diagnostics; # marks the place that must be named.
func TestErrors(t *testing.T) {
	f := func(ops string) string {
		return "func.func @f(%a: tensor<4xf32>, %b: tensor<4xi32>) {\n  " + ops + "\n  return\n}"
	}
	for _, c := range []struct{ name, code, src, msg string }{
		{"empty", "HLO003", "  \n", "empty"},
		{"comment only", "HLO003", "// nothing\n", "no module"},
		{"binary", "HLO003", "\x00\x01\x02binary", "binary"},
		{"bytecode", "HLO015", "ML\xefR\x00\x00", "bytecode"},
		{"truncated", "HLO001", f("%0 = stablehlo.add %a, %a : tensor<4xf32>")[:76], ""},
		{"unclosed", "HLO001", "module {\n  func.func @f() {\n    return\n  }\n", "end of the file"},
		{"unknown op", "HLO005", f("%0 = #stablehlo.ad %a, %a : tensor<4xf32>"), "did you mean stablehlo.add?"},
		{"undefined", "HLO006", f("%0 = stablehlo.add %a, #%zz : tensor<4xf32>"), "%zz is not defined"},
		{"no such result", "HLO006", f("%0 = stablehlo.add %a, %a#3 : tensor<4xf32>"), ""},
		{"redefined", "HLO007", f("#%a = stablehlo.add %a, %a : tensor<4xf32>"), "defined twice"},
		{"redefined function", "HLO007", "func.func @f() { return }\n#func.func @f() { return }", "@f is defined twice"},
		{"attribute twice", "HLO007", f("%0 = stablehlo.add %a, %a {x = 1, #x = 2} : tensor<4xf32>"), ""},
		{"type", "HLO008", f("%0 = stablehlo.add %a, %a : tensor<4x#g32>"), "unknown element type"},
		{"stated type", "HLO011", f("%0 = stablehlo.add %a, #%b : tensor<4xf32>"), "operand 1 of stablehlo.add has type tensor<4xi32>"},
		{"operand count", "HLO012", f(`%0 = #"stablehlo.add"(%a, %a) : (tensor<4xf32>) -> tensor<4xf32>`), "2 operands but 1 operand types"},
		{"result count", "HLO013", f("#%0:2 = stablehlo.add %a, %a : tensor<4xf32>"), "1 results, 2 are named"},
		{"alias", "HLO014", f("%0 = stablehlo.add %a, %a {x = ##y} : tensor<4xf32>"), "alias #y is not defined"},
		{"int overflow", "HLO017", f("%0 = stablehlo.constant dense<#300> : tensor<i8>"), "300 does not fit i8"},
		{"int for float", "HLO009", f("%0 = stablehlo.constant dense<#1> : tensor<f32>"), "write 1.0"},
		{"element count", "HLO010", f("%0 = stablehlo.constant dense<#[1, 2]> : tensor<3xi32>"), "2 entries in dimension 0"},
		{"ragged", "HLO010", f("%0 = stablehlo.constant dense<[[1, 2], #[3]]> : tensor<2x2xi32>"), ""},
		{"hex size", "HLO010", f(`%0 = stablehlo.constant dense<#"0x0011"> : tensor<3xi32>`), "2 bytes"},
		{"huge constant", "HLO004", f("%0 = stablehlo.constant #dense<[1]> : tensor<99999999999x99999999999xi32>"), "more than"},
		{"dimension", "HLO017", f("%0 = stablehlo.add %a, %a : tensor<#99999999999999999999xf32>"), ""},
		{"string", "HLO002", f("%0 = stablehlo.add %a, %a {x = #\"abc} : tensor<4xf32>"), "not closed"},
		{"character", "HLO002", f("%0 = stablehlo.add %a, %a #` : tensor<4xf32>"), "unexpected character"},
		{"depth", "HLO004", f("%0 = stablehlo.add %a, %a {x = " + strings.Repeat("[", 5000) + "} : tensor<4xf32>"), "nesting"},
		{"resource", "HLO018", f("%0 = stablehlo.constant #dense_resource<k> : tensor<2xf32>"), `resource "k"`},
		{"op outside", "HLO001", "#stablehlo.add %a", "outside of a function"},
		{"blocks", "HLO019", "func.func @f() {\n  return\n#^bb1:\n  return\n}", "several blocks"},
		{"scope", "HLO006", `func.func @f(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    %0 = stablehlo.not %p : tensor<i1>
    stablehlo.return
  }, {
    %1 = stablehlo.not #%0 : tensor<i1>
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}`, "%0 is not defined"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := -1
			src := c.src
			// The last '#' that is not part of the text marks the place; "##" stands for a marked '#'.
			if i := strings.Index(src, "##"); i >= 0 {
				want, src = i, src[:i]+src[i+1:]
			} else if i := strings.LastIndex(src, "#"); i >= 0 && !strings.HasPrefix(src[i:], "#3 ") {
				want, src = i, src[:i]+src[i+1:]
			}
			_, err := Parse([]byte(src), "t.mlir")
			var d *diag.Diagnostic
			if !errors.As(err, &d) {
				t.Fatalf("got %v, want a diagnostic", err)
			}
			if d.Code != c.code || !strings.Contains(err.Error(), c.msg) {
				t.Errorf("got %v, want code %s and %q", err, c.code, c.msg)
			}
			if want >= 0 {
				l := lexer{src: []byte(src), file: "t.mlir"}
				if at := l.loc(want); d.Loc != at {
					t.Errorf("error is at %s, want %s: %v", d.Loc, at, err)
				}
			}
		})
	}
}

func TestSplit(t *testing.T) {
	src := "// head\nfunc.func @a() {\n  return\n}\n// -----\n// only a comment\n// -----\n\nfunc.func @b() {\n  bad\n}\n"
	parts := ParseSplit([]byte(src), "s.mlir")
	if len(parts) != 2 || parts[0].Err != nil || parts[1].Err == nil || parts[1].FirstLine != 8 {
		t.Fatalf("parts: %+v", parts)
	}
	var d *diag.Diagnostic
	if errors.As(parts[1].Err, &d); d == nil || d.Loc.Line != 10 {
		t.Errorf("position counts from the start of the file: %v", parts[1].Err)
	}
}

// bigModule has n ops.
func bigModule(n int) []byte {
	var b strings.Builder
	b.WriteString("module {\n  func.func @main(%arg0: tensor<128x256xf32>) -> tensor<128x256xf32> {\n    %0 = stablehlo.negate %arg0 : tensor<128x256xf32>\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "    %%%d = stablehlo.add %%%d, %%arg0 : tensor<128x256xf32> loc(\"op%d\")\n", i, i-1, i)
	}
	fmt.Fprintf(&b, "    return %%%d : tensor<128x256xf32>\n  }\n}\n", n-1)
	return []byte(b.String())
}

// TestLinear parses 100,000 lines, and checks that time grows with the size and not with its square.
func TestLinear(t *testing.T) {
	measure := func(n int) time.Duration {
		src := bigModule(n)
		best := time.Hour
		for range 2 {
			start := time.Now()
			if _, err := Parse(src, "big.mlir"); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	// Other processes disturb a measurement; what is linear shows it in one of several.
	var small, big time.Duration
	for range 6 {
		small, big = measure(10_000), measure(100_000)
		t.Logf("10,000 lines: %v, 100,000 lines: %v", small, big)
		if big < 40*small {
			return
		}
	}
	t.Errorf("10,000 lines take %v, 100,000 take %v", small, big)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(wrap(twoF32, `%0 = stablehlo.add %a, %b {x = dense<[1, 2]> : tensor<2xi8>} : tensor<4x8xf32> loc("a"("f":1:2))`)))
	f.Add([]byte(`#a = affine_map<(d0) -> (d0)>
module @m attributes {x = #a, y = #stablehlo.dot<lhs_contracting_dimensions = [0]>, z = array<i64: 1, -2>} {
  func.func @f(%t: tensor<?x!quant.uniform<i8<-3:3>:f32, 0.5:1>>, %s: tuple<tensor<f8E4M3FN>, !stablehlo.token>) -> (index {a}) attributes {b = "\22\0A"}
}
{-# dialect_resources: { builtin: { k: "0x0400000000" } } #-}`))
	f.Add([]byte(wrap("%i: tensor<i32>", `%0 = stablehlo.while(%j = %i) : tensor<i32> cond { %c = stablehlo.constant dense<"0x01"> : tensor<i1>
stablehlo.return %c : tensor<i1> } do { stablehlo.return %j : tensor<i32> }`)))
	f.Add([]byte(wrap("%a: tensor<1x9x9x3xf32>", `%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 1]]} : (tensor<f32>) -> tensor<f32>`)))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse(src, "fuzz.mlir")
		if err != nil {
			if diag.IsInternal(err) || diag.Code(err) == "" {
				t.Fatalf("not a proper diagnostic: %v", err)
			}
			return
		}
		one := Text(m)
		again, err := Parse([]byte(one), "printed")
		if err != nil {
			t.Fatalf("printed module does not parse: %v\n%s", err, one)
		}
		if two := Text(again); one != two {
			t.Fatalf("printing is no fixed point: %s", firstDiff(one, two))
		}
	})
}
