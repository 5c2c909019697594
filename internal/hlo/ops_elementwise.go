package hlo

import (
	"github.com/alcadev/alca/internal/dtype"
)

// elemClass is a set of element types an operand may have.
type elemClass uint16

const (
	clsBool elemClass = 1 << iota
	clsInt
	clsFloat
	clsComplex
	clsQuant
	clsUnsignedOnly
	clsSignedOnly
	clsAny = clsBool | clsInt | clsFloat | clsComplex | clsQuant
)

func (c elemClass) has(t *TensorType) bool {
	switch {
	case t.Quant != nil:
		return c&clsQuant != 0
	case t.Elem == dtype.I1:
		return c&clsBool != 0
	case t.Elem.IsInt():
		return c&clsInt != 0
	case t.Elem.IsFloat():
		return c&clsFloat != 0
	case t.Elem.IsComplex():
		return c&clsComplex != 0
	}
	return false
}

func (c elemClass) String() string {
	s := ""
	for _, n := range []struct {
		c elemClass
		n string
	}{{clsBool, "i1"}, {clsInt, "integer"}, {clsFloat, "float"}, {clsComplex, "complex"}, {clsQuant, "quantised"}} {
		if c&n.c != 0 {
			if s != "" {
				s += ", "
			}
			s += n.n
		}
	}
	return s
}

// tensors checks that the operands are tensors and returns their types.
func tensors(o *Op) ([]*TensorType, error) {
	out := make([]*TensorType, len(o.Operands))
	for i := range o.Operands {
		if out[i] = o.In(i); out[i] == nil {
			return nil, errf(o, CodeElem, "operand %d must be a tensor, not %s", i, TypeString(o.Operands[i].Type))
		}
	}
	return out, nil
}

// inferSame: all operands have one shape and element type, which is the result's.
func inferSame(cls elemClass) func(*Op) ([]Type, error) {
	return func(o *Op) ([]Type, error) {
		ts, err := tensors(o)
		if err != nil {
			return nil, err
		}
		r, err := mergeShapes(o, ts)
		if err != nil {
			return nil, err
		}
		for i, t := range ts {
			if !cls.has(t) {
				return nil, errf(o, CodeElem, "operand %d has element type %s, must be %s", i, t.ElemString(), cls)
			}
			if !sameElem(t, ts[0]) {
				return nil, errf(o, CodeElem, "operands have element types %s and %s", ts[0].ElemString(), t.ElemString())
			}
		}
		out := withElem(r, ts[0].Elem)
		out.Quant = ts[0].Quant
		return []Type{out}, nil
	}
}

// mergeShapes requires compatible shapes and returns the most specific one.
func mergeShapes(o *Op, ts []*TensorType) (*TensorType, error) {
	r := withElem(ts[0], ts[0].Elem)
	for i, t := range ts[1:] {
		if r.Unranked {
			r = withElem(t, t.Elem)
			continue
		}
		if t.Unranked {
			continue
		}
		if !CompatibleShapes(r, t) {
			return nil, errf(o, CodeShape, "operand 0 is %s, operand %d is %s: shapes must be equal", ts[0], i+1, t)
		}
		for k := range r.Dims {
			r.Dims[k] = meet(r.Dims[k], t.Dims[k])
		}
		if r.Bounds == nil {
			r.Bounds = t.Bounds
		}
	}
	return r, nil
}

func unary(name, doc string, cls elemClass) OpDef {
	return OpDef{Name: "stablehlo." + name, Doc: doc, In: exactly(1), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferSame(cls)}
}

func binary(name, doc string, cls elemClass, traits Traits) OpDef {
	return OpDef{Name: "stablehlo." + name, Doc: doc, In: exactly(2), Out: exactly(1), Traits: Elementwise | Pure | traits, Infer: inferSame(cls)}
}

const (
	clsNum     = clsInt | clsFloat | clsComplex | clsQuant
	clsFloatC  = clsFloat | clsComplex | clsQuant
	clsLogic   = clsBool | clsInt
	clsOrdered = clsBool | clsInt | clsFloat | clsQuant
)

func withAttrs(d OpDef, attrs ...AttrDef) OpDef {
	d.Attrs = append(d.Attrs, attrs...)
	return d
}

var resultAccuracy = opt("result_accuracy", AttrAny)

var _ = define(
	unary("abs", "absolute value; complex: modulus", clsNum).withInfer(inferAbs),
	withAttrs(unary("cbrt", "cubic root", clsFloatC), resultAccuracy),
	unary("ceil", "round toward positive infinity", clsFloat|clsQuant),
	withAttrs(unary("cosine", "cosine", clsFloatC), resultAccuracy),
	unary("count_leading_zeros", "number of leading zero bits", clsInt),
	withAttrs(unary("exponential", "e to the operand", clsFloatC), resultAccuracy),
	withAttrs(unary("exponential_minus_one", "e to the operand, minus one", clsFloatC), resultAccuracy),
	unary("floor", "round toward negative infinity", clsFloat|clsQuant),
	unary("is_finite", "whether a float is neither infinite nor NaN", clsFloat|clsQuant).withInfer(inferPred(clsFloat|clsQuant)),
	withAttrs(unary("log", "natural logarithm", clsFloatC), resultAccuracy),
	withAttrs(unary("log_plus_one", "natural logarithm of one plus the operand", clsFloatC), resultAccuracy),
	withAttrs(unary("logistic", "1 / (1 + exp(-x))", clsFloatC), resultAccuracy),
	unary("negate", "negation", clsNum),
	unary("not", "bitwise or logical complement", clsLogic),
	unary("popcnt", "number of set bits", clsInt),
	unary("round_nearest_afz", "round to nearest, ties away from zero", clsFloat|clsQuant),
	unary("round_nearest_even", "round to nearest, ties to even", clsFloat|clsQuant),
	withAttrs(unary("rsqrt", "reciprocal square root", clsFloatC), resultAccuracy),
	unary("sign", "sign of the operand", clsNum),
	withAttrs(unary("sine", "sine", clsFloatC), resultAccuracy),
	withAttrs(unary("sqrt", "square root", clsFloatC), resultAccuracy),
	withAttrs(unary("tan", "tangent", clsFloatC), resultAccuracy),
	withAttrs(unary("tanh", "hyperbolic tangent", clsFloatC), resultAccuracy),
	binary("add", "sum; logical or for i1", clsAny, Commutative|PerAxis).withVerify(verifyAddQuant),
	binary("and", "bitwise or logical and", clsLogic, Commutative),
	binary("atan2", "angle of the point (rhs, lhs)", clsFloatC, 0),
	binary("divide", "quotient, truncated for integers", clsNum, 0),
	binary("maximum", "greater operand; logical or for i1", clsAny, Commutative),
	binary("minimum", "smaller operand; logical and for i1", clsAny, Commutative),
	binary("multiply", "product; logical and for i1", clsAny, Commutative),
	binary("or", "bitwise or logical or", clsLogic, Commutative),
	binary("power", "lhs to the power of rhs", clsNum, 0),
	binary("remainder", "remainder with the sign of the dividend", clsNum, 0),
	binary("shift_left", "left shift", clsInt, 0),
	binary("shift_right_arithmetic", "right shift that keeps the sign", clsInt, 0),
	binary("shift_right_logical", "right shift that fills with zeros", clsInt, 0),
	binary("subtract", "difference", clsNum, 0),
	binary("xor", "bitwise or logical exclusive or", clsLogic, Commutative),
	OpDef{Name: "stablehlo.clamp", Doc: "min(max(operand, min), max); the bounds may be scalars", In: exactly(3), Out: exactly(1),
		Traits: Elementwise | Pure, Infer: inferClamp},
	OpDef{Name: "stablehlo.compare", Doc: "element by element comparison", In: exactly(2), Out: exactly(1), Traits: Elementwise | Pure,
		Attrs: []AttrDef{req("comparison_direction", AttrEnum), opt("compare_type", AttrEnum)}, Infer: inferCompare},
	OpDef{Name: "stablehlo.complex", Doc: "complex number from real and imaginary parts", In: exactly(2), Out: exactly(1),
		Traits: Elementwise | Pure, Infer: inferComplex},
	OpDef{Name: "stablehlo.convert", Doc: "conversion to another element type", In: exactly(1), Out: exactly(1), Traits: Elementwise | Pure,
		Verify: verifySameShape},
	OpDef{Name: "stablehlo.imag", Doc: "imaginary part", In: exactly(1), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferPart},
	OpDef{Name: "stablehlo.real", Doc: "real part", In: exactly(1), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferPart},
	OpDef{Name: "stablehlo.reduce_precision", Doc: "round to a float with fewer exponent and mantissa bits", In: exactly(1), Out: exactly(1),
		Traits: Elementwise | Pure, Attrs: []AttrDef{req("exponent_bits", AttrInt), req("mantissa_bits", AttrInt)},
		Infer: inferSame(clsFloat | clsQuant), Verify: verifyReducePrecision},
	OpDef{Name: "stablehlo.select", Doc: "on_true where the predicate holds, else on_false", In: exactly(3), Out: exactly(1),
		Traits: Elementwise | Pure, Infer: inferSelect},
	OpDef{Name: "stablehlo.bitcast_convert", Doc: "reinterpretation of the bits", In: exactly(1), Out: exactly(1), Traits: PerAxis | Pure, Verify: verifyBitcast},
	OpDef{Name: "stablehlo.uniform_quantize", Doc: "quantisation to the result's element type", In: exactly(1), Out: exactly(1),
		Traits: PerAxis | Elementwise | Pure, Verify: verifyQuantize},
	OpDef{Name: "stablehlo.uniform_dequantize", Doc: "the expressed value of quantised elements", In: exactly(1), Out: exactly(1),
		Traits: PerAxis | Elementwise | Pure, Infer: inferDequantize},
)

func (d OpDef) withVerify(f func(*Op) error) OpDef {
	d.Verify = f
	return d
}

func (d OpDef) withInfer(f func(*Op) ([]Type, error)) OpDef {
	d.Infer = f
	return d
}

func inferAbs(o *Op) ([]Type, error) {
	r, err := inferSame(clsNum)(o)
	if err != nil {
		return nil, err
	}
	t := r[0].(*TensorType)
	switch t.Elem {
	case dtype.C64:
		t.Elem = dtype.F32
	case dtype.C128:
		t.Elem = dtype.F64
	}
	return r, nil
}

// inferPred: result of the operands' shape with i1 elements.
func inferPred(cls elemClass) func(*Op) ([]Type, error) {
	return func(o *Op) ([]Type, error) {
		r, err := inferSame(cls)(o)
		if err != nil {
			return nil, err
		}
		t := r[0].(*TensorType)
		t.Elem, t.Quant = dtype.I1, nil
		return r, nil
	}
}

// scalarOr lets operand i be a scalar of the element type of want.
func scalarOr(o *Op, i int, want *TensorType) error {
	t := o.In(i)
	if t == nil || !sameElem(t, want) || !(len(t.Dims) == 0 && !t.Unranked) && !CompatibleShapes(t, want) {
		return errf(o, CodeShape, "operand %d is %s, must be a scalar or %s", i, TypeString(o.Operands[i].Type), want)
	}
	return nil
}

func inferClamp(o *Op) ([]Type, error) {
	ts, err := tensors(o)
	if err != nil {
		return nil, err
	}
	for _, i := range []int{0, 2} {
		if err := scalarOr(o, i, ts[1]); err != nil {
			return nil, err
		}
	}
	r := withElem(ts[1], ts[1].Elem)
	r.Quant = ts[1].Quant
	return []Type{r}, nil
}

var compareDirections = []string{"EQ", "NE", "GE", "GT", "LE", "LT"}
var compareTypes = []string{"", "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}

func oneOf(o *Op, name string, allowed []string) error {
	v := o.Enum(name)
	for _, a := range allowed {
		if v == a {
			return nil
		}
	}
	return errf(o, CodeAttr, "%s is %q, must be one of %q", name, v, allowed)
}

func inferCompare(o *Op) ([]Type, error) {
	if err := oneOf(o, "comparison_direction", compareDirections); err != nil {
		return nil, err
	}
	if err := oneOf(o, "compare_type", compareTypes); err != nil {
		return nil, err
	}
	return inferPred(clsAny)(o)
}

func inferComplex(o *Op) ([]Type, error) {
	r, err := inferSame(clsFloat)(o)
	if err != nil {
		return nil, err
	}
	t := r[0].(*TensorType)
	switch t.Elem {
	case dtype.F32:
		t.Elem = dtype.C64
	case dtype.F64:
		t.Elem = dtype.C128
	default:
		return nil, errf(o, CodeElem, "parts must be f32 or f64, not %s", t.Elem)
	}
	return r, nil
}

func inferPart(o *Op) ([]Type, error) {
	r, err := inferSame(clsFloat | clsComplex)(o)
	if err != nil {
		return nil, err
	}
	t := r[0].(*TensorType)
	switch t.Elem {
	case dtype.C64:
		t.Elem = dtype.F32
	case dtype.C128:
		t.Elem = dtype.F64
	}
	return r, nil
}

func verifySameShape(o *Op) error {
	a, r := o.In(0), o.Out(0)
	if a == nil || r == nil || !CompatibleShapes(a, r) {
		return errf(o, CodeShape, "operand is %s, result %s: shapes must be equal", TypeString(o.Operands[0].Type), TypeString(o.Results[0].Type))
	}
	return nil
}

func verifyReducePrecision(o *Op) error {
	if e := o.IntOr("exponent_bits", 0); e < 1 {
		return errf(o, CodeAttr, "exponent_bits is %d, must be at least 1", e)
	}
	if m := o.IntOr("mantissa_bits", -1); m < 0 {
		return errf(o, CodeAttr, "mantissa_bits is %d, must not be negative", m)
	}
	return nil
}

func inferSelect(o *Op) ([]Type, error) {
	ts, err := tensors(o)
	if err != nil {
		return nil, err
	}
	if ts[0].Elem != dtype.I1 || ts[0].Quant != nil {
		return nil, errf(o, CodeElem, "predicate has element type %s, must be i1", ts[0].ElemString())
	}
	r, err := mergeShapes(o, ts[1:])
	if err != nil {
		return nil, err
	}
	if !sameElem(ts[1], ts[2]) {
		return nil, errf(o, CodeElem, "on_true is %s, on_false %s", ts[1], ts[2])
	}
	if !(len(ts[0].Dims) == 0 && !ts[0].Unranked) && !CompatibleShapes(ts[0], r) {
		return nil, errf(o, CodeShape, "predicate is %s, must be a scalar or of the shape of %s", ts[0], r)
	}
	r.Elem, r.Quant = ts[1].Elem, ts[1].Quant
	return []Type{r}, nil
}

// bitsOf is the width of an element for reinterpretation.
func bitsOf(t *TensorType) int {
	if t.Quant != nil {
		return t.Quant.Storage.Bits()
	}
	return t.Elem.Bits()
}

func verifyBitcast(o *Op) error {
	a, r := o.In(0), o.Out(0)
	if a == nil || r == nil {
		return errf(o, CodeElem, "operand and result must be tensors")
	}
	if a.Unranked || r.Unranked {
		return nil
	}
	if a.Elem.IsComplex() != r.Elem.IsComplex() {
		return errf(o, CodeElem, "cannot reinterpret %s as %s", a.Elem, r.Elem)
	}
	x, y := bitsOf(a), bitsOf(r)
	small, big, sb, bb := a, r, x, y
	if x > y {
		small, big, sb, bb = r, a, y, x
	}
	if sb == bb {
		if !CompatibleShapes(a, r) {
			return errf(o, CodeShape, "operand is %s, result %s: shapes must be equal", a, r)
		}
		return nil
	}
	// The narrower side has one more dimension, of the ratio of the widths.
	if len(small.Dims) != len(big.Dims)+1 || sb == 0 || bb%sb != 0 || !compatDim(small.Dims[len(small.Dims)-1], int64(bb/sb)) {
		return errf(o, CodeShape, "%s and %s do not hold the same bits", a, r)
	}
	for i := range big.Dims {
		if !compatDim(small.Dims[i], big.Dims[i]) {
			return errf(o, CodeShape, "%s and %s do not hold the same bits", a, r)
		}
	}
	return nil
}

func verifyQuantize(o *Op) error {
	if err := verifySameShape(o); err != nil {
		return err
	}
	a, r := o.In(0), o.Out(0)
	if r.Quant == nil {
		return errf(o, CodeElem, "result must be quantised, not %s", r.ElemString())
	}
	from := a.Elem
	if a.Quant != nil {
		from = a.Quant.Expressed
	}
	if from != r.Quant.Expressed {
		return errf(o, CodeElem, "operand holds %s, the result expresses %s", from, r.Quant.Expressed)
	}
	return nil
}

func inferDequantize(o *Op) ([]Type, error) {
	a := o.In(0)
	if a == nil || a.Quant == nil {
		return nil, errf(o, CodeElem, "operand must be quantised, not %s", TypeString(o.Operands[0].Type))
	}
	return []Type{withElem(a, a.Quant.Expressed)}, nil
}
