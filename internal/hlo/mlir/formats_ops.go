package mlir

import (
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// constant: [{attrs}] dense<...> : T.

func parseConstant(p *parser, o *opState) {
	if p.accept('(') { // the form with an empty operand list
		p.expect(')')
		dict.parse(p, o)
		sig.parse(p, o)
		return
	}
	dict.parse(p, o)
	at := p.tok.start
	v := p.parseAttr()
	d, ok := v.(*hlo.DenseAttr)
	if !ok {
		bail("HLO009", p.loc(at), "the value of a constant is dense<...> or dense_resource<...>")
	}
	o.op.Attrs.Set("value", d)
	o.results = []hlo.Type{d.Type}
}

func printConstant(w *printer, op *hlo.Op) bool {
	d, ok := op.Attrs.Get("value").(*hlo.DenseAttr)
	if !ok || len(op.Results) != 1 || !sameType(d.Type, op.Results[0].Type) {
		return false
	}
	w.str(op.Def.Name)
	w.attrDict(op.Attrs, []string{"value"})
	w.str(" ")
	w.attr(d)
	return true
}

// compare: LT, %a, %b[, FLOAT] : sig.

func parseCompare(p *parser, o *opState) {
	o.op.Attrs.Set("comparison_direction", p.enumWord("comparison_direction"))
	p.expect(',')
	p.operand(o)
	p.expect(',')
	p.operand(o)
	if p.accept(',') {
		o.op.Attrs.Set("compare_type", p.enumWord("comparison_type"))
	}
	dict.parse(p, o)
	sig.parse(p, o)
}

func printCompare(w *printer, op *hlo.Op) bool {
	dir, typ := op.Attrs.Get("comparison_direction"), op.Attrs.Get("compare_type")
	if !isEnum(dir, "comparison_direction") || typ != nil && !isEnum(typ, "comparison_type") || len(op.Operands) != 2 {
		return false
	}
	w.str(op.Def.Name + " " + dir.(hlo.EnumAttr).Value + ", ")
	w.values(op.Operands)
	if typ != nil {
		w.str(", " + typ.(hlo.EnumAttr).Value)
	}
	w.attrDict(op.Attrs, []string{"comparison_direction", "compare_type"})
	w.str(" : ")
	w.funcSig(op)
	return true
}

// slice: %a [0:4, 1:9:2] : sig.

func parseSlice(p *parser, o *opState) {
	p.operand(o)
	p.expect('[')
	starts, limits, strides := []int64{}, []int64{}, []int64{}
	for !p.isPunct(']') {
		starts = append(starts, p.int64())
		p.expect(':')
		limits = append(limits, p.int64())
		s := int64(1)
		if p.accept(':') {
			s = p.int64()
		}
		strides = append(strides, s)
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
	i64s := func(v []int64) hlo.Attr { return hlo.DenseArrayAttr{Elem: dtype.I64, Values: v} }
	o.op.Attrs.Set("start_indices", i64s(starts))
	o.op.Attrs.Set("limit_indices", i64s(limits))
	o.op.Attrs.Set("strides", i64s(strides))
	dict.parse(p, o)
	sig.parse(p, o)
}

func printSlice(w *printer, op *hlo.Op) bool {
	if !hasI64Array(op, "start_indices") || !hasI64Array(op, "limit_indices") || !hasI64Array(op, "strides") || len(op.Operands) != 1 {
		return false
	}
	get := func(n string) []int64 { return op.Attrs.Get(n).(hlo.DenseArrayAttr).Values }
	starts, limits, strides := get("start_indices"), get("limit_indices"), get("strides")
	if len(starts) != len(limits) || len(starts) != len(strides) {
		return false
	}
	w.str(op.Def.Name + " ")
	w.value(op.Operands[0])
	w.str(" [")
	for i := range starts {
		if i > 0 {
			w.str(", ")
		}
		w.str(itoa(starts[i]) + ":" + itoa(limits[i]))
		if strides[i] != 1 {
			w.str(":" + itoa(strides[i]))
		}
	}
	w.str("]")
	w.attrDict(op.Attrs, []string{"start_indices", "limit_indices", "strides"})
	w.str(" : ")
	w.funcSig(op)
	return true
}

// reduce_precision: %a, format = e5m10 : T.

func parseReducePrecision(p *parser, o *opState) {
	p.operand(o)
	p.expect(',')
	p.expectWord("format")
	p.expect('=')
	w := p.word()
	var e, m int64
	ok := len(w) > 3 && w[0] == 'e'
	i := 1
	for ; ok && i < len(w) && isDigit(w[i]) && e < 1<<20; i++ {
		e = 10*e + int64(w[i]-'0')
	}
	ok = ok && i > 1 && i < len(w) && w[i] == 'm'
	j := i + 1
	for ; ok && j < len(w) && isDigit(w[j]) && m < 1<<20; j++ {
		m = 10*m + int64(w[j]-'0')
	}
	if !ok || j != len(w) || j == i+1 {
		p.fail("HLO009", "expected a float format such as e5m10, found %s", p.describe())
	}
	p.advance()
	o.op.Attrs.Set("exponent_bits", hlo.IntAttr{Value: e, Type: dtype.I32})
	o.op.Attrs.Set("mantissa_bits", hlo.IntAttr{Value: m, Type: dtype.I32})
	dict.parse(p, o)
	sig.parse(p, o)
}

func printReducePrecision(w *printer, op *hlo.Op) bool {
	e, ok1 := op.Attrs.Get("exponent_bits").(hlo.IntAttr)
	m, ok2 := op.Attrs.Get("mantissa_bits").(hlo.IntAttr)
	if !ok1 || !ok2 || e.Type != dtype.I32 || m.Type != dtype.I32 || e.Value < 0 || m.Value < 0 || len(op.Operands) != 1 {
		return false
	}
	w.str(op.Def.Name + " ")
	w.value(op.Operands[0])
	w.str(", format = e" + itoa(e.Value) + "m" + itoa(m.Value))
	w.attrDict(op.Attrs, []string{"exponent_bits", "mantissa_bits"})
	sameSig.print(w, op, nil)
	return true
}

// dot: %a, %b[, precision = [DEFAULT, DEFAULT]] : sig.

func parseDot(p *parser, o *opState) {
	operands(2).parse(p, o)
	if p.accept(',') {
		p.expectWord("precision")
		p.expect('=')
		p.precision(o)
	}
	dict.parse(p, o)
	sig.parse(p, o)
}

func printDot(w *printer, op *hlo.Op) bool {
	prec, ok := precisionText(op)
	if !ok || len(op.Operands) != 2 {
		return false
	}
	w.str(op.Def.Name + " ")
	w.values(op.Operands)
	w.str(prec)
	w.attrDict(op.Attrs, []string{"precision_config"})
	w.str(" : ")
	w.funcSig(op)
	return true
}

// precision parses [DEFAULT, HIGHEST].
func (p *parser) precision(o *opState) {
	var a hlo.ArrayAttr
	p.expect('[')
	for !p.isPunct(']') {
		a.Elems = append(a.Elems, p.enumWord("precision"))
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
	o.op.Attrs.Set("precision_config", a)
}

func precisionText(op *hlo.Op) (string, bool) {
	a := op.Attrs.Get("precision_config")
	if a == nil {
		return "", true
	}
	arr, ok := a.(hlo.ArrayAttr)
	if !ok {
		return "", false
	}
	words := make([]string, len(arr.Elems))
	for i, e := range arr.Elems {
		if !isEnum(e, "precision") {
			return "", false
		}
		words[i] = e.(hlo.EnumAttr).Value
	}
	return ", precision = [" + strings.Join(words, ", ") + "]", true
}

// dot_general: %a, %b[, batching_dims = [0] x [0]], contracting_dims = [2] x [1][, precision = [..]]
// [, algorithm = <..>] : sig.

func parseDotGeneral(p *parser, o *opState) {
	operands(2).parse(p, o)
	d := &hlo.DotDims{}
	o.op.Attrs.Set("dot_dimension_numbers", d)
	pair := func(l, r *[]int64) {
		*l = p.intList()
		p.expectWord("x")
		*r = p.intList()
	}
	for p.accept(',') {
		at := p.tok
		w := p.word()
		p.advance()
		p.expect('=')
		switch w {
		case "batching_dims":
			pair(&d.LhsBatch, &d.RhsBatch)
		case "contracting_dims":
			pair(&d.LhsContract, &d.RhsContract)
		case "precision":
			p.precision(o)
		case "algorithm":
			p.expect('<')
			o.op.Attrs.Set("algorithm", parseDotAlgorithm(p))
			p.expect('>')
		default:
			bailHint("HLO009", p.loc(at.start), suggest(w, []string{"batching_dims", "contracting_dims", "precision", "algorithm"}),
				"dot_general has no part '%s'", w)
		}
	}
	dict.parse(p, o)
	sig.parse(p, o)
}

func printDotGeneral(w *printer, op *hlo.Op) bool {
	d, ok := op.Attrs.Get("dot_dimension_numbers").(*hlo.DotDims)
	prec, ok2 := precisionText(op)
	alg := op.Attrs.Get("algorithm")
	a, ok3 := alg.(*hlo.DotAlgorithm)
	if !ok || !ok2 || len(op.Operands) != 2 || alg != nil && !ok3 {
		return false
	}
	w.str(op.Def.Name + " ")
	w.values(op.Operands)
	if len(d.LhsBatch)+len(d.RhsBatch) > 0 {
		w.str(", batching_dims = " + intListText(d.LhsBatch) + " x " + intListText(d.RhsBatch))
	}
	w.str(", contracting_dims = " + intListText(d.LhsContract) + " x " + intListText(d.RhsContract) + prec)
	if a != nil {
		w.str(", algorithm = ")
		var b strings.Builder
		printFields(&b, "", dotAlgorithmFields(a))
		w.str(b.String())
	}
	w.attrDict(op.Attrs, []string{"dot_dimension_numbers", "precision_config", "algorithm"})
	w.str(" : ")
	w.funcSig(op)
	return true
}

// convolution: (%a, %b) dim_numbers = ..[, window = {..}] {attrs} : sig.

func parseConvolution(p *parser, o *opState) {
	p.expect('(')
	operands(2).parse(p, o)
	p.expect(')')
	p.expectWord("dim_numbers")
	p.expect('=')
	o.op.Attrs.Set("dimension_numbers", p.convDims())
	if p.accept(',') {
		p.expectWord("window")
		p.expect('=')
		p.convWindow(o)
	}
	dict.parse(p, o)
	sig.parse(p, o)
}

func (p *parser) convWindow(o *opState) {
	p.expect('{')
	for !p.isPunct('}') {
		at := p.tok
		w := p.word()
		p.advance()
		p.expect('=')
		i64s := func(name string) {
			o.op.Attrs.Set(name, hlo.DenseArrayAttr{Elem: dtype.I64, Values: p.intList()})
		}
		switch w {
		case "stride":
			i64s("window_strides")
		case "lhs_dilate":
			i64s("lhs_dilation")
		case "rhs_dilate":
			i64s("rhs_dilation")
		case "reverse":
			a := hlo.DenseArrayAttr{Elem: dtype.I1}
			p.expect('[')
			for !p.isPunct(']') {
				switch {
				case p.acceptWord("true"):
					a.Values = append(a.Values, 1)
				case p.acceptWord("false"):
					a.Values = append(a.Values, 0)
				default:
					v := int64(0)
					if p.int64() != 0 {
						v = 1
					}
					a.Values = append(a.Values, v)
				}
				if !p.accept(',') {
					break
				}
			}
			p.expect(']')
			o.op.Attrs.Set("window_reversal", a)
		case "pad":
			var v []int64
			p.expect('[')
			for !p.isPunct(']') {
				at := p.tok.start
				pair := p.intList()
				if len(pair) != 2 {
					bail("HLO009", p.loc(at), "padding of a dimension is [low, high]")
				}
				v = append(v, pair...)
				if !p.accept(',') {
					break
				}
			}
			p.expect(']')
			o.op.Attrs.Set("padding", i64Dense(v, len(v)/2, 2))
		default:
			bailHint("HLO009", p.loc(at.start), suggest(w, []string{"stride", "pad", "lhs_dilate", "rhs_dilate", "reverse"}),
				"a convolution window has no part '%s'", w)
		}
		if !p.accept(',') {
			break
		}
	}
	p.expect('}')
}

// i64Dense makes dense<[[..], ..]> : tensor<rows x cols x i64>.
func i64Dense(v []int64, rows, cols int) *hlo.DenseAttr {
	t := tensor.New(dtype.I64, rows, cols)
	for i, x := range v {
		putBits(t.Data[8*i:8*i+8], uint64(x))
	}
	return &hlo.DenseAttr{Type: hlo.Tensor(dtype.I64, int64(rows), int64(cols)), Data: t}
}

func printConvolution(w *printer, op *hlo.Op) bool {
	d, ok := op.Attrs.Get("dimension_numbers").(*hlo.ConvDims)
	if !ok || len(op.Operands) != 2 {
		return false
	}
	var parts []string
	for _, x := range []struct{ word, name string }{{"stride", "window_strides"}, {"pad", "padding"}, {"lhs_dilate", "lhs_dilation"},
		{"rhs_dilate", "rhs_dilation"}, {"reverse", "window_reversal"}} {
		switch a := op.Attrs.Get(x.name).(type) {
		case nil:
		case hlo.DenseArrayAttr:
			switch {
			case a.Elem == dtype.I64 && x.word != "pad" && x.word != "reverse":
				parts = append(parts, x.word+" = "+intListText(a.Values))
			case a.Elem == dtype.I1 && x.word == "reverse":
				words := make([]string, len(a.Values))
				for i, v := range a.Values {
					words[i] = "false"
					if v != 0 {
						words[i] = "true"
					}
				}
				parts = append(parts, "reverse = ["+strings.Join(words, ", ")+"]")
			default:
				return false
			}
		case *hlo.DenseAttr:
			if x.word != "pad" || a.Type.Elem != dtype.I64 || len(a.Type.Dims) != 2 || a.Type.Dims[1] != 2 || a.Type.Quant != nil {
				return false
			}
			if a.Splat && a.Type.Dims[0] == 0 {
				return false
			}
			var rows []string
			for i := 0; i < int(a.Type.Dims[0]); i++ {
				pair := [2]int64{}
				for j := range pair {
					off := 8 * (2*i + j)
					if a.Splat {
						off = 0
					}
					pair[j] = int64(getBits(a.Data.Data[off : off+8]))
				}
				rows = append(rows, intListText(pair[:]))
			}
			parts = append(parts, "pad = ["+strings.Join(rows, ", ")+"]")
		default:
			return false
		}
	}
	w.str(op.Def.Name + "(")
	w.values(op.Operands)
	w.str(") dim_numbers = " + convText(d) + ", window = {" + strings.Join(parts, ", ") + "}")
	w.attrDict(op.Attrs, []string{"dimension_numbers", "window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"})
	w.str(" : ")
	w.funcSig(op)
	return true
}

// custom_call: @target(%a, %b) {attrs} : sig.

func parseCustomCall(p *parser, o *opState) {
	o.op.Attrs.Set("call_target_name", hlo.StringAttr{Value: p.symbolName()})
	p.parenOperands(o)
	dict.parse(p, o)
	sig.parse(p, o)
}

func (p *parser) parenOperands(o *opState) {
	p.expect('(')
	p.operands(o)
	p.expect(')')
}

func printCustomCall(w *printer, op *hlo.Op) bool {
	s, ok := op.Attrs.Get("call_target_name").(hlo.StringAttr)
	if !ok || s.Value == "" {
		return false
	}
	w.str(op.Def.Name + " " + symbolText(s.Value) + "(")
	w.values(op.Operands)
	w.str(")")
	w.attrDict(op.Attrs, []string{"call_target_name"})
	w.str(" : ")
	w.funcSig(op)
	return true
}

// call: @callee(%a) {attrs} : sig.

func parseCall(p *parser, o *opState) {
	o.op.Attrs.Set("callee", p.symbolAttr())
	p.parenOperands(o)
	dict.parse(p, o)
	sig.parse(p, o)
}

func printCall(w *printer, op *hlo.Op) bool {
	s, ok := op.Attrs.Get("callee").(hlo.SymbolAttr)
	if !ok {
		return false
	}
	w.str("call ")
	w.attr(s)
	w.str("(")
	w.values(op.Operands)
	w.str(")")
	w.attrDict(op.Attrs, []string{"callee"})
	w.str(" : ")
	w.funcSig(op)
	return true
}

// composite: "name" %a, %b {attrs} : sig.

func parseComposite(p *parser, o *opState) {
	str("name").parse(p, o)
	p.operands(o)
	dict.parse(p, o)
	sig.parse(p, o)
}

func printComposite(w *printer, op *hlo.Op) bool {
	s, ok := op.Attrs.Get("name").(hlo.StringAttr)
	if !ok || len(op.Regions) > 0 {
		return false
	}
	w.str(op.Def.Name + " " + quote(s.Value))
	operands(-1).print(w, op, nil)
	w.attrDict(op.Attrs, []string{"name"})
	w.str(" : ")
	w.funcSig(op)
	return true
}

// top_k: (%a, k = 8) : T -> (U, V).

func parseTopK(p *parser, o *opState) {
	p.expect('(')
	p.operand(o)
	p.expect(',')
	p.expectWord("k")
	p.expect('=')
	o.op.Attrs.Set("k", hlo.IntAttr{Value: p.int64(), Type: dtype.I64})
	p.expect(')')
	dict.parse(p, o)
	sig.parse(p, o)
}

func printTopK(w *printer, op *hlo.Op) bool {
	k, ok := op.Attrs.Get("k").(hlo.IntAttr)
	if !ok || k.Type != dtype.I64 || k.Index || len(op.Operands) != 1 {
		return false
	}
	w.str(op.Def.Name + "(")
	w.value(op.Operands[0])
	w.str(", k = " + itoa(k.Value) + ")")
	w.attrDict(op.Attrs, []string{"k"})
	sameSig.print(w, op, nil)
	return true
}

// expect_eq_const: %a, dense<..> : T {attrs}.

func parseExpectConst(p *parser, o *opState) {
	p.operand(o)
	p.expect(',')
	at := p.tok.start
	d, ok := p.parseAttr().(*hlo.DenseAttr)
	if !ok {
		bail("HLO009", p.loc(at), "the expected value is dense<...>")
	}
	o.op.Attrs.Set("value", d)
	dict.parse(p, o)
	p.checkOperandTypes(o, []hlo.Type{d.Type})
}

func printExpectConst(w *printer, op *hlo.Op) bool {
	d, ok := op.Attrs.Get("value").(*hlo.DenseAttr)
	if !ok || len(op.Operands) != 1 || !sameType(d.Type, op.Operands[0].Type) {
		return false
	}
	w.str(op.Def.Name + " ")
	w.value(op.Operands[0])
	w.str(", ")
	w.attr(d)
	w.attrDict(op.Attrs, []string{"value"})
	return true
}

// Ops of the test dialects with keyed arguments: %a, %b, max_ulp_difference = 3 : T, T.

func parseKeyed(p *parser, o *opState) {
	p.operands(o)
	for p.tok.kind == tWord {
		name := p.word()
		p.advance()
		p.expect('=')
		var v hlo.Attr
		switch {
		case p.tok.kind == tString:
			v = hlo.StringAttr{Value: unquote(p.src[p.tok.start:p.tok.end])}
			p.advance()
		case p.tok.kind == tFloat || p.isPunct('-'):
			v = hlo.FloatAttr{Value: p.float64(), Type: dtype.F64}
		default:
			v = hlo.IntAttr{Value: p.intOf(dtype.U64), Type: dtype.U64}
		}
		o.op.Attrs.Set(name, v)
		if !p.accept(',') {
			break
		}
	}
	dict.parse(p, o)
	p.signature(o)
}

func printKeyed(w *printer, op *hlo.Op) bool {
	var elide []string
	var b strings.Builder
	for _, a := range op.Attrs {
		switch v := a.Attr.(type) {
		case hlo.StringAttr:
			b.WriteString(", " + a.Name + " = " + quote(v.Value))
		case hlo.IntAttr:
			if v.Type != dtype.U64 {
				return false
			}
			b.WriteString(", " + a.Name + " = " + strconv.FormatUint(uint64(v.Value), 10))
		case hlo.FloatAttr:
			s := floatText(v.Type, v.Type.FloatBits(v.Value))
			if v.Type != dtype.F64 || strings.HasPrefix(s, "0x") {
				return false
			}
			b.WriteString(", " + a.Name + " = " + s)
		default:
			return false
		}
		elide = append(elide, a.Name)
	}
	w.str(op.Def.Name + " ")
	w.values(op.Operands)
	w.str(b.String())
	w.attrDict(op.Attrs, elide)
	if len(op.Results) == 0 {
		operandSig.print(w, op, nil)
	} else {
		sameSig.print(w, op, nil)
	}
	return true
}
