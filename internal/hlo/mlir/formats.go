package mlir

import (
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// format is the custom assembly of an op: how it is read and written after its name.
type format struct {
	steps []step
	// parse and print take over for ops whose form no list of steps describes. print reports whether it
	// wrote the op; if not, nothing may have been written and the generic form is used.
	parseFn func(p *parser, o *opState)
	printFn func(w *printer, op *hlo.Op) bool
}

// step is one element of an assembly format. fits tells whether the op can be written with it; elide names
// the attributes it writes, which then are left out of the dictionary.
type step struct {
	parse func(p *parser, o *opState)
	print func(w *printer, op *hlo.Op, elide []string)
	fits  func(op *hlo.Op) bool
	elide string
}

func (f *format) parse(p *parser, o *opState) {
	if f.parseFn != nil {
		f.parseFn(p, o)
		return
	}
	for _, s := range f.steps {
		s.parse(p, o)
	}
}

// print writes op in this format, or reports that it does not fit.
func (f *format) print(w *printer, op *hlo.Op) bool {
	if f.printFn != nil {
		return f.printFn(w, op)
	}
	var elide []string
	for _, s := range f.steps {
		if s.fits != nil && !s.fits(op) {
			return false
		}
		if s.elide != "" {
			elide = append(elide, s.elide)
		}
	}
	if len(op.Regions) > 0 {
		return false
	}
	w.str(prettyName(op.Def.Name))
	for _, s := range f.steps {
		s.print(w, op, elide)
	}
	return true
}

// prettyName is the op's name as written in custom assembly inside functions.
func prettyName(n string) string {
	switch n {
	case "func.return":
		return "return"
	case "func.call":
		return "call"
	}
	return n
}

// formats maps op names to their custom assembly. Ops that are not in it have the plain one when they are
// elementwise, and only the generic form otherwise.
var formats = map[string]*format{}

// form registers a format for the ops named in names (separated by spaces).
func form(names string, steps ...step) {
	for _, n := range strings.Fields(names) {
		formats[n] = &format{steps: steps}
	}
}

func formFn(names string, parse func(*parser, *opState), print func(*printer, *hlo.Op) bool) {
	for _, n := range strings.Fields(names) {
		formats[n] = &format{parseFn: parse, printFn: print}
	}
}

// plainFormat is "%a, %b {attrs} : T".
var plainFormat = &format{steps: []step{operands(-1), dict, sameSig}}

func init() {
	arr := i64Array
	form("stablehlo.broadcast_in_dim stablehlo.dynamic_broadcast_in_dim", operands(-1), lit(", dims ="), arr("broadcast_dimensions"), dict, sig)
	form("stablehlo.transpose", operands(1), lit(", dims ="), arr("permutation"), dict, sig)
	form("stablehlo.reverse", operands(1), lit(", dims ="), arr("dimensions"), dict, sameSig)
	form("stablehlo.broadcast", operands(1), lit(", sizes ="), arr("broadcast_sizes"), dict, sig)
	form("stablehlo.iota", lit(" dim ="), intAttr("iota_dimension", dtype.I64), dict, resultSig)
	form("stablehlo.dynamic_iota", operands(1), lit(", dim ="), intAttr("iota_dimension", dtype.I64), dict, sig)
	form("stablehlo.concatenate", operands(-1), lit(", dim ="), intAttr("dimension", dtype.I64), dict, sig)
	form("stablehlo.get_dimension_size stablehlo.set_dimension_size", operands(-1), lit(", dim ="), intAttr("dimension", dtype.I64), dict, sig)
	form("stablehlo.dynamic_slice", operands(-1), lit(", sizes ="), arr("slice_sizes"), dict, sig)
	form("stablehlo.pad", operands(2), lit(", low ="), arr("edge_padding_low"), lit(", high ="), arr("edge_padding_high"),
		lit(", interior ="), arr("interior_padding"), dict, sig)
	form("stablehlo.fft", operands(1), lit(", type ="), enum("fft_type", "fft_type"), lit(", length ="), arr("fft_length"), dict, sig)
	form("stablehlo.rng_bit_generator", operands(1), lit(", algorithm ="), enum("rng_algorithm", "rng_algorithm"), dict, sig)
	form("stablehlo.einsum", operands(2), lit(", config ="), str("einsum_config"), dict, sig)
	form("stablehlo.unary_einsum", operands(1), lit(", config ="), str("einsum_config"), dict, sig)
	form("stablehlo.reshape stablehlo.convert stablehlo.bitcast_convert stablehlo.real stablehlo.imag stablehlo.is_finite "+
		"stablehlo.dynamic_reshape stablehlo.dynamic_update_slice stablehlo.real_dynamic_slice stablehlo.dynamic_pad "+
		"stablehlo.uniform_quantize stablehlo.uniform_dequantize func.call", operands(-1), dict, sig)
	form("stablehlo.select", operands(3), dict, selectSig)
	form("stablehlo.complex", operands(2), dict, complexSig)
	form("stablehlo.tuple", operands(-1), dict, tupleSig)
	form("stablehlo.partition_id stablehlo.replica_id stablehlo.create_token", dict, resultSig)
	form("stablehlo.after_all", operands(-1), dict, sameSig)
	form("stablehlo.optimization_barrier", operands(-1), dict, pairSig)
	form("stablehlo.return func.return", operands(-1), dict, operandSig)
	form("stablehlo.trace", str("tag"), dict)
	form("stablehlo.get_tuple_element", operands(1), lit("["), intAttr("index", dtype.I32), lit("]"), dict, sig)
	form("check.expect_eq interpreter.print", operands(-1), dict, operandSig)

	formFn("stablehlo.constant", parseConstant, printConstant)
	formFn("stablehlo.compare", parseCompare, printCompare)
	formFn("stablehlo.slice", parseSlice, printSlice)
	formFn("stablehlo.reduce_precision", parseReducePrecision, printReducePrecision)
	formFn("stablehlo.dot", parseDot, printDot)
	formFn("stablehlo.dot_general", parseDotGeneral, printDotGeneral)
	formFn("stablehlo.convolution", parseConvolution, printConvolution)
	formFn("stablehlo.custom_call", parseCustomCall, printCustomCall)
	formFn("stablehlo.composite", parseComposite, printComposite)
	formFn("stablehlo.reduce", parseReduce, printReduce)
	formFn("stablehlo.while", parseWhile, printWhile)
	formFn("chlo.scan", parseScan, nil)
	formFn("chlo.top_k", parseTopK, printTopK)
	formFn("func.call", parseCall, printCall)
	formFn("check.expect_eq_const check.expect_almost_eq_const", parseExpectConst, printExpectConst)
	formFn("check.expect_close check.expect_almost_eq check.expect_serialized_eq interpreter.probe", parseKeyed, printKeyed)
}

// Steps.

// lit is literal text. Parsing it matches its tokens.
func lit(text string) step {
	toks := strings.Fields(strings.NewReplacer(",", " , ", "=", " = ", "[", " [ ", "]", " ] ").Replace(text))
	return step{
		parse: func(p *parser, o *opState) {
			for _, t := range toks {
				switch {
				case t == "," && p.src[p.lastEnd-1] == ',': // taken by a variadic operand list
				case len(t) == 1 && !isLetter(t[0]):
					p.expect(t[0])
				default:
					p.expectWord(t)
				}
			}
		},
		print: func(w *printer, op *hlo.Op, _ []string) {
			if strings.HasPrefix(text, ",") && len(op.Operands) == 0 {
				w.str(text[1:])
				return
			}
			w.str(text)
		},
	}
}

// operands is %a, %b: n of them, or any number if n is -1.
func operands(n int) step {
	return step{
		parse: func(p *parser, o *opState) {
			if n < 0 {
				p.operands(o)
				return
			}
			for i := 0; i < n; i++ {
				if i > 0 {
					p.expect(',')
				}
				p.operand(o)
			}
		},
		print: func(w *printer, op *hlo.Op, _ []string) {
			for i, v := range op.Operands {
				if i > 0 {
					w.str(",")
				}
				w.str(" ")
				w.value(v)
			}
		},
		fits: func(op *hlo.Op) bool { return n < 0 || len(op.Operands) == n },
	}
}

// i64Array is [1, 2], an attribute array<i64: 1, 2>.
func i64Array(name string) step {
	return step{
		parse: func(p *parser, o *opState) {
			o.op.Attrs.Set(name, hlo.DenseArrayAttr{Elem: dtype.I64, Values: p.intList()})
		},
		print: func(w *printer, op *hlo.Op, _ []string) {
			w.str(" ")
			w.str(intListText(op.Attrs.Get(name).(hlo.DenseArrayAttr).Values))
		},
		fits:  func(op *hlo.Op) bool { return hasI64Array(op, name) },
		elide: name,
	}
}

func hasI64Array(op *hlo.Op, name string) bool {
	a, ok := op.Attrs.Get(name).(hlo.DenseArrayAttr)
	return ok && a.Elem == dtype.I64
}

func intAttr(name string, t dtype.Type) step {
	return step{
		parse: func(p *parser, o *opState) { o.op.Attrs.Set(name, hlo.IntAttr{Value: p.int64(), Type: t}) },
		print: func(w *printer, op *hlo.Op, _ []string) {
			if op.Def.Name != "stablehlo.get_tuple_element" {
				w.str(" ")
			}
			w.str(itoa(op.Attrs.Get(name).(hlo.IntAttr).Value))
		},
		fits: func(op *hlo.Op) bool {
			a, ok := op.Attrs.Get(name).(hlo.IntAttr)
			return ok && a.Type == t && !a.Index
		},
		elide: name,
	}
}

func enum(name, kind string) step {
	return step{
		parse: func(p *parser, o *opState) { o.op.Attrs.Set(name, p.enumWord(kind)) },
		print: func(w *printer, op *hlo.Op, _ []string) {
			w.str(" ")
			w.str(op.Attrs.Get(name).(hlo.EnumAttr).Value)
		},
		fits:  func(op *hlo.Op) bool { return isEnum(op.Attrs.Get(name), kind) },
		elide: name,
	}
}

func (p *parser) enumWord(kind string) hlo.EnumAttr {
	if p.tok.kind != tWord {
		p.fail("HLO009", "expected a %s, found %s", strings.ReplaceAll(kind, "_", " "), p.describe())
	}
	a := hlo.EnumAttr{Kind: kind, Value: p.word()}
	p.advance()
	return a
}

func isEnum(a hlo.Attr, kind string) bool {
	e, ok := a.(hlo.EnumAttr)
	return ok && e.Kind == kind
}

func str(name string) step {
	return step{
		parse: func(p *parser, o *opState) {
			t := p.expectKind(tString, "a string")
			o.op.Attrs.Set(name, hlo.StringAttr{Value: unquote(p.src[t.start:t.end])})
		},
		print: func(w *printer, op *hlo.Op, _ []string) {
			w.str(" ")
			w.str(quote(op.Attrs.Get(name).(hlo.StringAttr).Value))
		},
		fits:  func(op *hlo.Op) bool { _, ok := op.Attrs.Get(name).(hlo.StringAttr); return ok },
		elide: name,
	}
}

// dict is the optional dictionary of the attributes that no other step writes.
var dict = step{
	parse: func(p *parser, o *opState) {
		for _, a := range p.optAttrDict() {
			o.op.Attrs.Set(a.Name, a.Attr)
		}
	},
	print: func(w *printer, op *hlo.Op, elide []string) { w.attrDict(op.Attrs, elide) },
}

// Signatures. All are read by one function, which takes every form StableHLO's printers have used; they
// differ in what is written.

func sigStep(print func(w *printer, op *hlo.Op), fits func(op *hlo.Op) bool) step {
	return step{
		parse: func(p *parser, o *opState) { p.signature(o) },
		print: func(w *printer, op *hlo.Op, _ []string) {
			w.str(" : ")
			print(w, op)
		},
		fits: fits,
	}
}

var (
	// sig is always the function type.
	sig = sigStep(func(w *printer, op *hlo.Op) { w.funcSig(op) }, nil)

	// sameSig is one type if operands and results all have it, else the function type. CHLO writes T, U -> V.
	sameSig = sigStep(func(w *printer, op *hlo.Op) {
		if strings.HasPrefix(op.Def.Name, "chlo.") {
			w.typeList(operandTypes(op))
			w.str(" -> ")
			w.results(op)
			return
		}
		if allSame(op) {
			w.str(typeText(op.Results[0].Type))
			return
		}
		w.funcSig(op)
	}, nil)

	// resultSig is the type of the one result.
	resultSig = sigStep(func(w *printer, op *hlo.Op) { w.str(typeText(op.Results[0].Type)) },
		func(op *hlo.Op) bool { return len(op.Operands) == 0 && len(op.Results) == 1 })

	// operandSig lists the operand types of ops without results; nothing is written without operands.
	operandSig = step{
		parse: func(p *parser, o *opState) {
			if p.isPunct(':') {
				p.signature(o)
			} else if len(o.op.Operands) > 0 {
				p.fail("HLO001", "expected ':' and the types of the operands, found %s", p.describe())
			}
		},
		print: func(w *printer, op *hlo.Op, _ []string) {
			if len(op.Operands) > 0 {
				w.str(" : ")
				w.typeList(operandTypes(op))
			}
		},
		fits: func(op *hlo.Op) bool { return len(op.Results) == 0 },
	}

	// pairSig lists types that operands and results share pairwise.
	pairSig = step{
		parse: operandSig.parse,
		print: operandSig.print,
		fits: func(op *hlo.Op) bool {
			if len(op.Operands) != len(op.Results) {
				return false
			}
			for i, v := range op.Operands {
				if !sameType(v.Type, op.Results[i].Type) {
					return false
				}
			}
			return true
		},
	}

	selectSig = sigStep(func(w *printer, op *hlo.Op) {
		ts := operandTypes(op)
		if len(op.Results) == 1 && sameType(ts[1], ts[2]) && sameType(ts[1], op.Results[0].Type) {
			w.typeList(ts[:2])
			return
		}
		w.funcSig(op)
	}, nil)

	complexSig = sigStep(func(w *printer, op *hlo.Op) {
		if len(op.Results) == 1 {
			part := realCounterpart(op.Results[0].Type)
			if part != nil && sameType(part, op.Operands[0].Type) && sameType(part, op.Operands[1].Type) {
				w.str(typeText(op.Results[0].Type))
				return
			}
		}
		w.funcSig(op)
	}, nil)

	tupleSig = sigStep(func(w *printer, op *hlo.Op) { w.str(typeText(op.Results[0].Type)) }, func(op *hlo.Op) bool {
		if len(op.Results) != 1 {
			return false
		}
		t, ok := op.Results[0].Type.(*hlo.TupleType)
		if !ok || len(t.Elems) != len(op.Operands) {
			return false
		}
		for i, e := range t.Elems {
			if !sameType(e, op.Operands[i].Type) {
				return false
			}
		}
		return true
	})
)

func operandTypes(op *hlo.Op) []hlo.Type {
	ts := make([]hlo.Type, len(op.Operands))
	for i, v := range op.Operands {
		ts[i] = v.Type
	}
	return ts
}

func allSame(op *hlo.Op) bool {
	if len(op.Results) != 1 {
		return false
	}
	for _, v := range op.Operands {
		if !sameType(v.Type, op.Results[0].Type) {
			return false
		}
	}
	return true
}

// realCounterpart is tensor<..xf32> for tensor<..xcomplex<f32>>, or nil.
func realCounterpart(t hlo.Type) hlo.Type {
	tt, ok := t.(*hlo.TensorType)
	if !ok {
		return nil
	}
	part, ok := complexPart(tt.Elem)
	if !ok {
		return nil
	}
	c := *tt
	c.Elem = part
	return &c
}

// signature parses ": types" after the operands are known and sets the result types:
//
//	: (T, U) -> V        the function type
//	: T, U -> V          CHLO's
//	: T                  operands and result have type T; for complex and tuple, the result has
//	: tensor<i1>, T      select
//	: T, U               pairwise for optimization_barrier; operands of ops without results
func (p *parser) signature(o *opState) {
	p.expect(':')
	name := o.op.Def.Name
	if p.isPunct('(') {
		ins := p.typeListParen()
		p.expectKind(tArrow, "'->' of the function type")
		o.results = p.resultTypes()
		p.checkOperandTypes(o, ins)
		return
	}
	ts := p.typeList()
	if p.tok.kind == tArrow {
		p.advance()
		o.results = p.resultTypes()
		p.checkOperandTypes(o, ts)
		return
	}
	switch {
	case noResults(name):
		if len(ts) == 1 {
			ts = repeatType(ts[0], len(o.op.Operands))
		}
		p.checkOperandTypes(o, ts)
	case name == "stablehlo.select" && len(ts) == 2:
		o.results = ts[1:]
		p.checkOperandTypes(o, []hlo.Type{ts[0], ts[1], ts[1]})
	case name == "stablehlo.optimization_barrier":
		o.results = ts
		p.checkOperandTypes(o, ts)
	case len(ts) != 1:
		bail("HLO012", p.loc(o.start), "%s needs one type, or a function type, not %d types", name, len(ts))
	case name == "stablehlo.complex":
		part := realCounterpart(ts[0])
		if part == nil {
			bail("HLO008", p.loc(o.start), "complex yields complex numbers, not %s", typeText(ts[0]))
		}
		o.results = ts
		p.checkOperandTypes(o, []hlo.Type{part, part})
	case name == "stablehlo.tuple":
		tt, ok := ts[0].(*hlo.TupleType)
		if !ok {
			bail("HLO008", p.loc(o.start), "tuple yields a tuple type, not %s", typeText(ts[0]))
		}
		o.results = ts
		p.checkOperandTypes(o, tt.Elems)
	default:
		o.results = ts
		p.checkOperandTypes(o, repeatType(ts[0], len(o.op.Operands)))
	}
}

// noResults tells the ops whose type list is that of their operands.
func noResults(name string) bool {
	return name == "stablehlo.return" || name == "func.return" || strings.HasPrefix(name, "check.") || name == "interpreter.print"
}

func repeatType(t hlo.Type, n int) []hlo.Type {
	ts := make([]hlo.Type, n)
	for i := range ts {
		ts[i] = t
	}
	return ts
}
