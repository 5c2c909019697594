package hlo

import "strings"

// HLOForm is what a row of the HLO form adds: which StableHLO row means the same, and how to get its attributes.
// Ops of the HLO form keep HLO's own attributes and conventions: several results are one tuple, and computations
// are functions of the module named by attributes.
type HLOForm struct {
	Opcode string                        // "all-reduce"
	Stable string                        // "stablehlo.all_reduce", or "" when conversion is special or not possible
	Attrs  func(o *Op) (Attrs, error)    // attributes of the Stable row; nil: none
	Calls  []string                      // attributes that name computations, in the order of the Stable row's regions
	Check  func(o *Op, fs []*Func) error // for ops without a Stable row: checks against the computations named
}

var hloUnary = "abs cbrt ceil convert cosine count-leading-zeros exponential exponential-minus-one floor imag is-finite log " +
	"log-plus-one logistic negate not popcnt real round-nearest-afz round-nearest-even rsqrt sign sine sqrt tan tanh"
var hloUnaryCHLO = "acos acosh asin asinh atan atanh cosh erf sinh"
var hloBinary = "add and atan2 complex divide maximum minimum multiply or power remainder shift-left shift-right-arithmetic " +
	"shift-right-logical subtract xor"

func hloOp(opcode string, in Arity, f HLOForm) OpDef {
	f.Opcode = opcode
	d := OpDef{Name: "hlo." + opcode, Doc: "HLO's " + opcode, In: in, Out: exactly(1), Regions: exactly(0), HLO: &f}
	switch {
	case f.Stable != "":
		d.Doc += ", see " + f.Stable
		if len(f.Calls) == 0 {
			d.Verify = verifyHLO
		}
	case f.Check != nil && len(f.Calls) == 0:
		d.Verify = func(o *Op) error { return f.Check(o, nil) }
	}
	return d
}

// same is a row whose StableHLO twin has the same name and takes the attributes f makes.
func same(opcode string, in Arity, f func(*Op) (Attrs, error), calls ...string) OpDef {
	return hloOp(opcode, in, HLOForm{Stable: "stablehlo." + strings.ReplaceAll(opcode, "-", "_"), Attrs: f, Calls: calls})
}

func hloElementwise() []OpDef {
	var out []OpDef
	for _, n := range strings.Fields(hloUnary) {
		out = append(out, same(n, exactly(1), nil))
	}
	for _, n := range strings.Fields(hloUnaryCHLO) {
		out = append(out, hloOp(n, exactly(1), HLOForm{Stable: "chlo." + n}))
	}
	for _, n := range strings.Fields(hloBinary) {
		out = append(out, same(n, exactly(2), nil))
	}
	return out
}

var _ = define(hloElementwise()...)

var _ = define(
	same("bitcast-convert", exactly(1), nil),
	same("clamp", exactly(3), nil),
	same("compare", exactly(2), hloCompare),
	same("select", exactly(3), nil),
	same("reduce-precision", exactly(1), keep("exponent_bits", "mantissa_bits")),
	same("concatenate", atLeast(1), func(o *Op) (Attrs, error) { return oneDim(o, "dimension") }),
	same("iota", exactly(0), func(o *Op) (Attrs, error) { return Attrs{{"iota_dimension", IntOf(o.IntOr("iota_dimension", 0))}}, nil }),
	same("reshape", exactly(1), nil),
	same("reverse", exactly(1), keep("dimensions")),
	same("transpose", exactly(1), renamed("dimensions", "permutation")),
	same("slice", exactly(1), hloSlice),
	same("dynamic-slice", atLeast(1), renamed("dynamic_slice_sizes", "slice_sizes")),
	same("dynamic-update-slice", atLeast(2), nil),
	same("pad", exactly(2), hloPad),
	same("gather", exactly(2), hloGather),
	same("scatter", atLeast(3), hloScatter, "to_apply"),
	same("sort", atLeast(1), hloSort, "to_apply"),
	same("map", atLeast(1), hloMap, "to_apply"),
	same("reduce", atLeast(2), keep("dimensions"), "to_apply"),
	same("reduce-window", atLeast(2), hloReduceWindow, "to_apply"),
	same("select-and-scatter", exactly(3), hloSelectAndScatter, "select", "scatter"),
	same("convolution", exactly(2), hloConvolution),
	same("batch-norm-inference", exactly(5), keep("epsilon", "feature_index")),
	same("batch-norm-training", exactly(3), keep("epsilon", "feature_index")),
	same("batch-norm-grad", exactly(5), keep("epsilon", "feature_index")),
	same("cholesky", exactly(1), keep("lower")),
	same("triangular-solve", exactly(2), hloTriangularSolve),
	same("fft", exactly(1), hloFFT),
	same("rng-bit-generator", exactly(1), hloRngBits),
	same("get-dimension-size", exactly(1), func(o *Op) (Attrs, error) { return oneDim(o, "dimension") }),
	same("set-dimension-size", exactly(2), func(o *Op) (Attrs, error) { return oneDim(o, "dimension") }),
	same("partition-id", exactly(0), nil),
	same("replica-id", exactly(0), nil),
	same("after-all", atLeast(0), nil),
	same("tuple", atLeast(0), nil),
	same("get-tuple-element", exactly(1), keep("index")),
	same("all-reduce", atLeast(1), hloGroups(""), "to_apply"),
	same("all-gather", atLeast(1), hloGroups("all_gather_dim")),
	same("reduce-scatter", atLeast(1), hloGroups("scatter_dimension"), "to_apply"),
	same("collective-broadcast", atLeast(1), hloGroups("")),
	same("collective-permute", atLeast(1), hloPairs),
	same("while", exactly(1), nil, "condition", "body"),
	hloOp("broadcast", exactly(1), HLOForm{Stable: "stablehlo.broadcast_in_dim", Attrs: hloBroadcast}),
	hloOp("dot", exactly(2), HLOForm{Stable: "stablehlo.dot_general", Attrs: hloDot}),
	hloOp("opt-barrier", exactly(1), HLOForm{Stable: "stablehlo.optimization_barrier"}),
	hloOp("custom-call", atLeast(0), HLOForm{Stable: "stablehlo.custom_call", Attrs: hloCustomCall, Calls: []string{"called_computations"}}),
)

// Rows that only HLO has, or whose form differs too much from StableHLO's for a table entry.
var _ = define(
	hloOp("constant", exactly(0), HLOForm{Check: checkHLOConstant}),
	hloOp("copy", exactly(1), HLOForm{Check: checkSameType}),
	hloOp("bitcast", exactly(1), HLOForm{Check: checkBitcast}),
	hloOp("dynamic-reshape", atLeast(1), HLOForm{}),
	hloOp("stochastic-convert", exactly(2), HLOForm{}),
	hloOp("topk", exactly(1), HLOForm{Calls: []string{"to_apply"}}),
	hloOp("ragged-dot", exactly(3), HLOForm{}),
	hloOp("scaled-dot", atLeast(2), HLOForm{}),
	hloOp("scan", atLeast(1), HLOForm{Calls: []string{"to_apply"}}),
	hloOp("rng", atLeast(2), HLOForm{}),
	hloOp("rng-get-and-update-state", exactly(0), HLOForm{}),
	hloOp("all-to-all", atLeast(1), HLOForm{}),
	hloOp("ragged-all-to-all", atLeast(1), HLOForm{}),
	hloOp("conditional", atLeast(1), HLOForm{Calls: []string{"true_computation", "false_computation", "branch_computations"}, Check: checkConditional}),
	hloOp("call", atLeast(0), HLOForm{Calls: []string{"to_apply"}, Check: checkCall}),
	hloOp("fusion", atLeast(0), HLOForm{Calls: []string{"calls"}, Check: checkCall}),
	hloOp("async-start", atLeast(0), HLOForm{Calls: []string{"calls"}}),
	hloOp("async-update", exactly(1), HLOForm{Calls: []string{"calls"}}),
	hloOp("async-done", exactly(1), HLOForm{Calls: []string{"calls"}}),
	hloOp("all-reduce-start", atLeast(1), HLOForm{Calls: []string{"to_apply"}}),
	hloOp("all-reduce-done", exactly(1), HLOForm{}),
	hloOp("all-gather-start", atLeast(1), HLOForm{}),
	hloOp("all-gather-done", exactly(1), HLOForm{}),
	hloOp("collective-permute-start", atLeast(1), HLOForm{}),
	hloOp("collective-permute-done", exactly(1), HLOForm{}),
	hloOp("copy-start", exactly(1), HLOForm{}),
	hloOp("copy-done", exactly(1), HLOForm{}),
	hloOp("send", exactly(2), HLOForm{}),
	hloOp("send-done", exactly(1), HLOForm{}),
	hloOp("recv", exactly(1), HLOForm{}),
	hloOp("recv-done", exactly(1), HLOForm{}),
	hloOp("infeed", Arity{0, 1}, HLOForm{}),
	hloOp("outfeed", Arity{1, 2}, HLOForm{}),
	hloOp("add-dependency", exactly(2), HLOForm{Check: checkSameType}),
	hloOp("domain", exactly(1), HLOForm{Check: checkSameType}),
)

// Callees lists the names of the computations o refers to, attribute by attribute in the order of its row.
func (o *Op) Callees() []string {
	if o.Def.HLO == nil {
		return nil
	}
	var out []string
	for _, n := range o.Def.HLO.Calls {
		switch a := o.Attrs.Get(n).(type) {
		case SymbolAttr:
			out = append(out, a.Path[0])
		case ArrayAttr:
			for _, e := range a.Elems {
				if s, ok := e.(SymbolAttr); ok {
					out = append(out, s.Path[0])
				}
			}
		}
	}
	return out
}

// Stable returns o as an op of its StableHLO row: the same operands, results unpacked from their tuple where the
// row has several, the attributes converted. Regions are the bodies of the computations named, which stay shared;
// a caller that keeps the op must copy them. It returns nil when the row has no twin.
func (o *Op) Stable(bodies []*Region) (*Op, error) {
	f := o.Def.HLO
	if f == nil || f.Stable == "" {
		return nil, nil
	}
	out := &Op{Def: Lookup(f.Stable), Operands: o.Operands, Loc: o.Loc, NameLoc: o.NameLoc}
	if f.Attrs != nil {
		a, err := f.Attrs(o)
		if err != nil {
			return nil, err
		}
		out.Attrs = a
	}
	if out.Def.Regions.Max != 0 {
		out.Regions = bodies
	}
	types := []Type{o.Results[0].Type}
	if t, ok := types[0].(*TupleType); ok && out.Def.Out.Max != 1 && out.Def.Infer != nil && f.Opcode != "while" && f.Opcode != "opt-barrier" ||
		ok && out.Def.Out.Min > 1 || ok && f.Opcode == "all-gather" {
		types = t.Elems
	}
	for i, t := range types {
		out.Results = append(out.Results, &Value{Type: t, Def: out, Index: i, Loc: o.Loc})
	}
	return out, nil
}

// verifyHLO checks an op without computations by the rules of its StableHLO row.
func verifyHLO(o *Op) error {
	s, err := o.Stable(nil)
	if err != nil || s == nil {
		return err
	}
	return VerifyOp(s)
}

// hloCalls checks an op of the HLO form together with the computations it names.
func (v *verifier) hloCalls(o *Op) error {
	f := o.Def.HLO
	if len(f.Calls) == 0 || v.syms == nil {
		return nil
	}
	var fs []*Func
	var bodies []*Region
	for _, n := range o.Callees() {
		c := v.syms[n]
		if c == nil || c.Body == nil {
			return errf(o, CodeSymbol, "there is no computation %s", n)
		}
		fs, bodies = append(fs, c), append(bodies, spreadRoot(c.Body, f))
	}
	if f.Check != nil {
		return f.Check(o, fs)
	}
	if f.Stable == "" || f.Opcode == "custom-call" {
		return nil
	}
	if len(fs) != Lookup(f.Stable).Regions.Min {
		return errf(o, CodeAttr, "%s must name %d computations, not %d", strings.Join(f.Calls, ", "), Lookup(f.Stable).Regions.Min, len(fs))
	}
	s, err := o.Stable(bodies)
	if err != nil {
		return err
	}
	return VerifyOp(s)
}

// spreadRoot lets a computation that returns a tuple return its elements, which is what regions do, except in loops,
// where HLO and the check agree on one tuple. The result is for checking only.
func spreadRoot(r *Region, f *HLOForm) *Region {
	ret := r.Blocks[0].Terminator()
	if f.Opcode == "while" || ret == nil || len(ret.Operands) != 1 {
		return r
	}
	t, ok := ret.Operands[0].Type.(*TupleType)
	if !ok {
		return r
	}
	x := &Op{Def: ret.Def, Loc: ret.Loc}
	for _, e := range t.Elems {
		x.Operands = append(x.Operands, &Value{Type: e})
	}
	return &Region{Blocks: []*Block{{Args: r.Blocks[0].Args, Ops: []*Op{x}}}}
}

func checkSameType(o *Op, _ []*Func) error {
	if !Compatible(o.Operands[0].Type, o.Results[0].Type) {
		return errf(o, CodeResult, "operand is %s, result %s", TypeString(o.Operands[0].Type), TypeString(o.Results[0].Type))
	}
	return nil
}

func checkBitcast(o *Op, _ []*Func) error {
	a, r := o.In(0), o.Out(0)
	if a == nil || r == nil {
		return nil
	}
	n, ok1 := a.NumElements()
	m, ok2 := r.NumElements()
	if ok1 && ok2 && n <= 1<<50 && m <= 1<<50 && n*int64(bitsOf(a)) != m*int64(bitsOf(r)) {
		return errf(o, CodeResult, "operand %s and result %s do not hold the same number of bits", a, r)
	}
	return nil
}

func checkHLOConstant(o *Op, _ []*Func) error {
	if d, ok := o.Attrs.Get("value").(*DenseAttr); ok {
		if !Compatible(d.Type, o.Results[0].Type) {
			return errf(o, CodeResult, "literal is %s, result %s", d.Type, TypeString(o.Results[0].Type))
		}
		return nil
	}
	if o.Attrs.Get("value") == nil && o.Attrs.Get("elided") == nil {
		return errf(o, CodeAttr, "literal is missing")
	}
	return nil
}

// checkCall: operands are the computation's parameters, the result is its root.
func checkCall(o *Op, fs []*Func) error {
	if len(fs) != 1 {
		return errf(o, CodeAttr, "must name one computation, not %d", len(fs))
	}
	if len(fs[0].Params) != len(o.Operands) {
		return errf(o, CodeSignature, "%s takes %d values, here are %d", fs[0].Name, len(fs[0].Params), len(o.Operands))
	}
	for i, p := range fs[0].Params {
		if !Compatible(o.Operands[i].Type, p.Type) {
			return errf(o, CodeSignature, "argument %d of %s is %s, must be %s", i, fs[0].Name, TypeString(o.Operands[i].Type), TypeString(p.Type))
		}
	}
	if !Compatible(fs[0].Results[0], o.Results[0].Type) {
		return errf(o, CodeSignature, "%s returns %s, here %s", fs[0].Name, TypeString(fs[0].Results[0]), TypeString(o.Results[0].Type))
	}
	return nil
}

// checkConditional: branch i takes operand i+1.
func checkConditional(o *Op, fs []*Func) error {
	if len(fs) == 0 || len(o.Operands) != len(fs)+1 {
		return errf(o, CodeArity, "%d branches and %d operands: there must be one operand a branch and the selector", len(fs), len(o.Operands))
	}
	for i, f := range fs {
		if len(f.Params) != 1 || !Compatible(o.Operands[i+1].Type, f.Params[0].Type) {
			return errf(o, CodeSignature, "branch %s must take one %s", f.Name, TypeString(o.Operands[i+1].Type))
		}
		if !Compatible(f.Results[0], o.Results[0].Type) {
			return errf(o, CodeSignature, "branch %s returns %s, here %s", f.Name, TypeString(f.Results[0]), TypeString(o.Results[0].Type))
		}
	}
	return nil
}
