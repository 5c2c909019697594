package hlo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

// pair is an accepted and a rejected program for one row of the op table. Programs are the body of a function whose
// parameters, %arg0 and so on, have the types of args; badArgs, when not empty, are those of the rejected one.
type pair struct {
	op            string
	args, good    string
	badArgs, bad  string
	code          string // of the rejection
	decls         string // functions the programs call
	wantReturnOps bool   // the op is the return itself
}

func (p pair) module(args, body string) string {
	var sig []string
	if args != "" {
		for i, t := range strings.Split(args, "; ") {
			sig = append(sig, fmt.Sprintf("%%arg%d: %s", i, t))
		}
	}
	if !p.wantReturnOps {
		body += "\n    return"
	}
	return fmt.Sprintf("module {\n  func.func public @main(%s) {\n    %s\n  }\n%s}\n", strings.Join(sig, ", "), body, p.decls)
}

// check reads and verifies a program.
func check(src string) (*hlo.Module, error) {
	m, err := mlir.Parse([]byte(src), "row.mlir")
	if err != nil {
		return nil, err
	}
	return m, hlo.Verify(m)
}

// TestRows holds every row of the op table to a program that it accepts and one that it rejects, with the reason.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	var pairs []pair
	for _, group := range [][]pair{elementwisePairs(), chloPairs(), shapePairs, contractionPairs, regionPairs, dynamicPairs, collectivePairs, otherPairs} {
		pairs = append(pairs, group...)
	}
	for _, p := range pairs {
		if seen[p.op] {
			t.Errorf("%s has two pairs", p.op)
		}
		seen[p.op] = true
		t.Run(p.op, func(t *testing.T) {
			if hlo.Lookup(p.op) == nil {
				t.Fatal("no such row")
			}
			src := p.module(p.args, p.good)
			m, err := check(src)
			if err != nil {
				t.Fatalf("must be accepted: %v\n%s", err, src)
			}
			if !holds(m, p.op) {
				t.Errorf("the accepted program has no %s\n%s", p.op, src)
			}
			args := p.args
			if p.badArgs != "" {
				args = p.badArgs
			}
			src = p.module(args, p.bad)
			if !strings.Contains(src, p.op[strings.IndexByte(p.op, '.')+1:]) {
				t.Errorf("the rejected program has no %s\n%s", p.op, src)
			}
			if _, err = check(src); diag.Code(err) != p.code {
				t.Errorf("must be rejected with %s, got %v\n%s", p.code, err, src)
			}
		})
	}
	for _, d := range hlo.Ops() {
		if d.HLO == nil && !seen[d.Name] { // rows of the HLO form are tested where HLO text is read
			t.Errorf("%s has no accepted and rejected program", d.Name)
		}
	}
}

// holds reports whether m contains the op, which reader and printer may have turned into another of the same meaning.
func holds(m *hlo.Module, op string) bool {
	found := false
	for _, r := range m.Bodies() {
		hlo.WalkOps(r, func(o *hlo.Op) { found = found || o.Name() == op })
	}
	return found
}

// uniform makes the pair of an elementwise op on n operands: one element type it takes, one it does not.
func uniform(op string, n int, good, bad string) pair {
	body := func(e string) (string, string) {
		ty := "tensor<2x?x" + e + ">"
		in := strings.TrimSuffix(strings.Repeat(ty+"; ", n), "; ")
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%%arg%d", i))
		}
		return in, fmt.Sprintf("%%0 = %q(%s) : (%s) -> %s", op, strings.Join(names, ", "), strings.ReplaceAll(in, ";", ","), ty)
	}
	p := pair{op: op, code: hlo.CodeElem}
	p.args, p.good = body(good)
	p.badArgs, p.bad = body(bad)
	return p
}

func elementwisePairs() []pair {
	var out []pair
	for _, g := range []struct {
		n         int
		good, bad string
		ops       string
	}{
		{1, "f32", "i32", "cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic round_nearest_afz round_nearest_even rsqrt sine sqrt tan tanh reduce_precision"},
		{1, "i8", "i1", "abs negate sign"},
		{1, "i32", "f32", "count_leading_zeros not popcnt"},
		{2, "bf16", "i8", "atan2"},
		{2, "ui8", "i1", "divide power remainder subtract"},
		{2, "i1", "f32", "and or xor"},
		{2, "i16", "f16", "shift_left shift_right_arithmetic shift_right_logical"},
	} {
		for _, op := range strings.Fields(g.ops) {
			p := uniform("stablehlo."+op, g.n, g.good, g.bad)
			if op == "reduce_precision" {
				attrs := " {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} :"
				p.good, p.bad = strings.Replace(p.good, " :", attrs, 1), strings.Replace(p.bad, " :", attrs, 1)
			}
			out = append(out, p)
		}
	}
	for _, op := range []string{"add", "maximum", "minimum", "multiply"} {
		out = append(out, pair{op: "stablehlo." + op, args: "tensor<4xcomplex<f32>>; tensor<4xcomplex<f32>>", badArgs: "tensor<4xf32>; tensor<3xf32>",
			good: fmt.Sprintf(`%%0 = stablehlo.%s %%arg0, %%arg1 : tensor<4xcomplex<f32>>`, op),
			bad:  fmt.Sprintf(`%%0 = "stablehlo.%s"(%%arg0, %%arg1) : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>`, op), code: hlo.CodeShape})
	}
	return append(out,
		pair{op: "stablehlo.is_finite", args: "tensor<2xf32>",
			good: `%0 = stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<2xi1>`,
			bad:  `%0 = "stablehlo.is_finite"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>`, code: hlo.CodeResult},
		pair{op: "stablehlo.clamp", args: "tensor<f32>; tensor<2xf32>; tensor<2xf32>", badArgs: "tensor<3xf32>; tensor<2xf32>; tensor<2xf32>",
			good: `%0 = "stablehlo.clamp"(%arg0, %arg1, %arg2) : (tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>`,
			bad:  `%0 = "stablehlo.clamp"(%arg0, %arg1, %arg2) : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>`, code: hlo.CodeShape},
		pair{op: "stablehlo.compare", args: "tensor<2xf32>; tensor<2xf32>",
			good: `%0 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>`,
			bad:  `%0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction XX>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>`, code: hlo.CodeAttr},
		pair{op: "stablehlo.complex", args: "tensor<2xf32>; tensor<2xf32>", badArgs: "tensor<2xbf16>; tensor<2xbf16>",
			good: `%0 = stablehlo.complex %arg0, %arg1 : tensor<2xcomplex<f32>>`,
			bad:  `%0 = "stablehlo.complex"(%arg0, %arg1) : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xcomplex<f32>>`, code: hlo.CodeElem},
		pair{op: "stablehlo.convert", args: "tensor<2xf32>",
			good: `%0 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xi8>`,
			bad:  `%0 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<3xi8>`, code: hlo.CodeShape},
		pair{op: "stablehlo.imag", args: "tensor<2xcomplex<f64>>", badArgs: "tensor<2xi32>",
			good: `%0 = stablehlo.imag %arg0 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>`,
			bad:  `%0 = "stablehlo.imag"(%arg0) : (tensor<2xi32>) -> tensor<2xi32>`, code: hlo.CodeElem},
		pair{op: "stablehlo.real", args: "tensor<2xcomplex<f32>>",
			good: `%0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>`,
			bad:  `%0 = "stablehlo.real"(%arg0) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>`, code: hlo.CodeResult},
		pair{op: "stablehlo.select", args: "tensor<i1>; tensor<2xf32>; tensor<2xf32>", badArgs: "tensor<2xi8>; tensor<2xf32>; tensor<2xf32>",
			good: `%0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<2xf32>`,
			bad:  `%0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<2xi8>, tensor<2xf32>`, code: hlo.CodeElem},
		pair{op: "stablehlo.bitcast_convert", args: "tensor<3xf32>",
			good: `%0 = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3x2xi16>`,
			bad:  `%0 = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xi16>`, code: hlo.CodeShape},
		pair{op: "stablehlo.uniform_quantize", args: "tensor<2xf32>", badArgs: "tensor<2xf64>",
			good: `%0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>`,
			bad:  `%0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>`, code: hlo.CodeElem},
		pair{op: "stablehlo.uniform_dequantize", args: "tensor<2x!quant.uniform<i8:f32, 0.5:3>>", badArgs: "tensor<2xi8>",
			good: `%0 = stablehlo.uniform_dequantize %arg0 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>`,
			bad:  `%0 = "stablehlo.uniform_dequantize"(%arg0) : (tensor<2xi8>) -> tensor<2xf32>`, code: hlo.CodeElem},
	)
}

func chloPairs() []pair {
	var out []pair
	for _, op := range strings.Fields("acos acosh asin asinh atan atanh bessel_i1e cosh digamma erf erf_inv erfc lgamma sinh tan _asin_acos_kernel") {
		out = append(out, uniform("chlo."+op, 1, "f16", "i8"))
	}
	for _, op := range []string{"conj", "square"} {
		out = append(out, uniform("chlo."+op, 1, "i8", "i1"))
	}
	for _, op := range []string{"next_after", "polygamma", "zeta"} {
		out = append(out, uniform("chlo."+op, 2, "f32", "i32"))
	}
	out = append(out, uniform("chlo.mulhi", 2, "i32", "f32"))
	for _, op := range []string{"is_inf", "is_neg_inf", "is_pos_inf"} {
		out = append(out, pair{op: "chlo." + op, args: "tensor<2xf32>",
			good: fmt.Sprintf(`%%0 = chlo.%s %%arg0 : tensor<2xf32> -> tensor<2xi1>`, op),
			bad:  fmt.Sprintf(`%%0 = chlo.%s %%arg0 : tensor<2xf32> -> tensor<2xf32>`, op), code: hlo.CodeResult})
	}
	for _, g := range []struct{ elem, result, attrs, ops string }{
		{"f32", "f32", "", "add atan2 divide maximum minimum multiply next_after polygamma power remainder subtract zeta"},
		{"i32", "i32", "", "and or xor shift_left shift_right_arithmetic shift_right_logical"},
		{"f32", "complex<f32>", "", "complex"},
		{"f32", "i1", " {comparison_direction = #chlo<comparison_direction LT>}", "compare"},
	} {
		for _, op := range strings.Fields(g.ops) {
			body := func(second string) string {
				return fmt.Sprintf(`%%0 = "chlo.broadcast_%s"(%%arg0, %%arg1)%s : (tensor<2x3x%s>, tensor<%sx%s>) -> tensor<2x3x%s>`, op, g.attrs, g.elem, second, g.elem, g.result)
			}
			out = append(out, pair{op: "chlo.broadcast_" + op, args: fmt.Sprintf("tensor<2x3x%s>; tensor<3x%s>", g.elem, g.elem), good: body("3"),
				badArgs: fmt.Sprintf("tensor<2x3x%s>; tensor<2x%s>", g.elem, g.elem), bad: body("2"), code: hlo.CodeShape})
		}
	}
	return append(out,
		pair{op: "chlo.broadcast_select", args: "tensor<2x1xi1>; tensor<f32>; tensor<3xf32>", badArgs: "tensor<2xi8>; tensor<f32>; tensor<2xf32>",
			good: `%0 = "chlo.broadcast_select"(%arg0, %arg1, %arg2) : (tensor<2x1xi1>, tensor<f32>, tensor<3xf32>) -> tensor<2x3xf32>`,
			bad:  `%0 = "chlo.broadcast_select"(%arg0, %arg1, %arg2) : (tensor<2xi8>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>`, code: hlo.CodeElem},
		pair{op: "chlo.constant", good: `%0 = "chlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<2xi32>`,
			bad: `%0 = "chlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>`, code: hlo.CodeResult},
		pair{op: "chlo.constant_like", args: "tensor<2xf32>", good: `%0 = "chlo.constant_like"(%arg0) {value = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>`,
			bad: `%0 = "chlo.constant_like"(%arg0) {value = 1.0 : f32} : (tensor<2xf32>) -> tensor<3xf32>`, code: hlo.CodeShape},
		pair{op: "chlo.top_k", args: "tensor<4x8xf32>",
			good: `%0:2 = chlo.top_k(%arg0, k = 8) : tensor<4x8xf32> -> (tensor<4x8xf32>, tensor<4x8xi32>)`,
			bad:  `%0:2 = chlo.top_k(%arg0, k = 9) : tensor<4x8xf32> -> (tensor<4x9xf32>, tensor<4x9xi32>)`, code: hlo.CodeShape},
		pair{op: "chlo.ragged_dot", args: "tensor<6x4xf32>; tensor<3x4x5xf32>; tensor<3xi64>",
			good: `%0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<6x5xf32>`,
			bad:  `%0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<6x5xf32>`, code: hlo.CodeAttr},
		pair{op: "chlo.scan", args: "tensor<3xf32>; tensor<f32>",
			good: `%0:2 = "chlo.scan"(%arg0, %arg1) ({
    ^bb0(%x: tensor<f32>, %c: tensor<f32>):
      %s = stablehlo.add %x, %c : tensor<f32>
      stablehlo.return %s, %s : tensor<f32>, tensor<f32>
    }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>} : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)`,
			bad: `%0:2 = "chlo.scan"(%arg0, %arg1) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>} : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)`, code: hlo.CodeArity},
	)
}
