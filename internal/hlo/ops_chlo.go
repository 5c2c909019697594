package hlo

import "github.com/alcadev/alca/internal/dtype"

func chloUnary(name, doc string, cls elemClass) OpDef {
	return OpDef{Name: "chlo." + name, Doc: doc, In: exactly(1), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferSame(cls)}
}

// chloBroadcast is a binary op whose operands broadcast numpy-style, or by broadcast_dimensions.
func chloBroadcast(name, doc string, elem func(*Op) dtype.Type) OpDef {
	return OpDef{Name: "chlo.broadcast_" + name, Doc: doc, In: exactly(2), Out: exactly(1), Traits: Pure | Broadcasts,
		Attrs: []AttrDef{opt("broadcast_dimensions", AttrInts)}, Infer: inferBroadcastBinary(elem)}
}

func elemOfOperand(o *Op) dtype.Type { return o.In(0).Elem }

var _ = define(
	chloUnary("acos", "inverse cosine", clsFloatC), chloUnary("acosh", "inverse hyperbolic cosine", clsFloatC),
	chloUnary("asin", "inverse sine", clsFloatC), chloUnary("asinh", "inverse hyperbolic sine", clsFloatC),
	chloUnary("atan", "inverse tangent", clsFloatC), chloUnary("atanh", "inverse hyperbolic tangent", clsFloatC),
	chloUnary("bessel_i1e", "exponentially scaled modified Bessel function of order 1", clsFloat),
	chloUnary("conj", "complex conjugate", clsInt|clsFloat|clsComplex), chloUnary("cosh", "hyperbolic cosine", clsFloatC),
	chloUnary("digamma", "logarithmic derivative of the gamma function", clsFloat), chloUnary("erf", "error function", clsFloat),
	chloUnary("erf_inv", "inverse error function", clsFloat), chloUnary("erfc", "complementary error function", clsFloat),
	chloUnary("is_inf", "whether a float is infinite", clsFloat).withInfer(inferPred(clsFloat)),
	chloUnary("is_neg_inf", "whether a float is negative infinity", clsFloat).withInfer(inferPred(clsFloat)),
	chloUnary("is_pos_inf", "whether a float is positive infinity", clsFloat).withInfer(inferPred(clsFloat)),
	chloUnary("lgamma", "logarithm of the gamma function's magnitude", clsFloat), chloUnary("sinh", "hyperbolic sine", clsFloatC),
	chloUnary("square", "square", clsInt|clsFloat|clsComplex), chloUnary("tan", "tangent", clsFloatC),
	OpDef{Name: "chlo.mulhi", Doc: "the high half of an integer product", In: exactly(2), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferSame(clsInt)},
	OpDef{Name: "chlo.next_after", Doc: "the next representable value toward the other operand", In: exactly(2), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferSame(clsFloat)},
	OpDef{Name: "chlo.polygamma", Doc: "derivative of the digamma function", In: exactly(2), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferSame(clsFloat)},
	OpDef{Name: "chlo.zeta", Doc: "Hurwitz zeta function", In: exactly(2), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferSame(clsFloat)},
	OpDef{Name: "chlo._asin_acos_kernel", Doc: "the common kernel of asin and acos", In: exactly(1), Out: exactly(1), Traits: Elementwise | Pure, Infer: inferSame(clsFloatC)},
	OpDef{Name: "chlo.constant", Doc: "a constant tensor", Out: exactly(1), Traits: Pure, Attrs: []AttrDef{req("value", AttrDense)}, Infer: inferConstant},
	OpDef{Name: "chlo.constant_like", Doc: "a constant of the operand's shape", In: exactly(1), Out: exactly(1), Traits: Pure, Attrs: []AttrDef{req("value", AttrAny)}, Verify: verifyConstantLike},
	OpDef{Name: "chlo.top_k", Doc: "the k greatest elements of the last dimension and their positions", In: exactly(1), Out: exactly(2), Traits: Pure,
		Attrs: []AttrDef{req("k", AttrInt)}, Infer: inferTopK},
	OpDef{Name: "chlo.ragged_dot", Doc: "a dot product in groups of run-time size", In: exactly(3), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("ragged_dot_dimension_numbers", AttrAny), opt("precision_config", AttrEnums)}, Verify: verifyRaggedDot},
	OpDef{Name: "chlo.scan", Doc: "a region applied along a dimension with carried state", In: atLeast(1), Out: atLeast(1), Regions: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("dimension", AttrInt), opt("is_reverse", AttrBool), opt("is_associative", AttrBool)}, Verify: verifyScan},
	chloBroadcast("add", "broadcasting sum", elemOfOperand), chloBroadcast("and", "broadcasting and", elemOfOperand),
	chloBroadcast("atan2", "broadcasting atan2", elemOfOperand), chloBroadcast("divide", "broadcasting quotient", elemOfOperand),
	chloBroadcast("maximum", "broadcasting maximum", elemOfOperand), chloBroadcast("minimum", "broadcasting minimum", elemOfOperand),
	chloBroadcast("multiply", "broadcasting product", elemOfOperand), chloBroadcast("next_after", "broadcasting next_after", elemOfOperand),
	chloBroadcast("or", "broadcasting or", elemOfOperand), chloBroadcast("polygamma", "broadcasting polygamma", elemOfOperand),
	chloBroadcast("power", "broadcasting power", elemOfOperand), chloBroadcast("remainder", "broadcasting remainder", elemOfOperand),
	chloBroadcast("shift_left", "broadcasting left shift", elemOfOperand),
	chloBroadcast("shift_right_arithmetic", "broadcasting arithmetic right shift", elemOfOperand),
	chloBroadcast("shift_right_logical", "broadcasting logical right shift", elemOfOperand),
	chloBroadcast("subtract", "broadcasting difference", elemOfOperand), chloBroadcast("xor", "broadcasting exclusive or", elemOfOperand),
	chloBroadcast("zeta", "broadcasting zeta", elemOfOperand),
	chloBroadcast("complex", "broadcasting complex", func(o *Op) dtype.Type {
		if o.In(0).Elem == dtype.F64 {
			return dtype.C128
		}
		return dtype.C64
	}),
	withAttrs(chloBroadcast("compare", "broadcasting comparison", func(*Op) dtype.Type { return dtype.I1 }),
		req("comparison_direction", AttrEnum), opt("compare_type", AttrEnum)),
	OpDef{Name: "chlo.broadcast_select", Doc: "broadcasting select", In: exactly(3), Out: exactly(1), Traits: Pure | Broadcasts, Infer: inferBroadcastSelect},
)

// numpyShape broadcasts shapes aligned at their last dimensions.
func numpyShape(o *Op, ts ...*TensorType) ([]int64, error) {
	rank := 0
	for _, t := range ts {
		rank = max(rank, len(t.Dims))
	}
	out := make([]int64, rank)
	for i := range out {
		out[i] = 1
	}
	for _, t := range ts {
		for i, d := range t.Dims {
			k := rank - len(t.Dims) + i
			switch {
			case out[k] == 1:
				out[k] = d
			case d == 1 || d == out[k]:
			case out[k] < 0 && d > 1:
				out[k] = d
			case d < 0:
			default:
				return nil, errf(o, CodeShape, "dims %d and %d do not broadcast", out[k], d)
			}
		}
	}
	return out, nil
}

func inferBroadcastBinary(elem func(*Op) dtype.Type) func(*Op) ([]Type, error) {
	return func(o *Op) ([]Type, error) {
		ts, err := tensors(o)
		if err != nil {
			return nil, err
		}
		if !sameElem(ts[0], ts[1]) {
			return nil, errf(o, CodeElem, "operands have element types %s and %s", ts[0].ElemString(), ts[1].ElemString())
		}
		if ts[0].Unranked || ts[1].Unranked {
			return []Type{&TensorType{Elem: elem(o), Unranked: true}}, nil
		}
		if dims, ok := o.Ints("broadcast_dimensions"); ok && len(ts[0].Dims) != len(ts[1].Dims) {
			small, big := ts[0], ts[1]
			if len(small.Dims) > len(big.Dims) {
				small, big = big, small
			}
			if len(dims) != len(small.Dims) {
				return nil, errf(o, CodeAttr, "broadcast_dimensions has %d entries, the smaller operand has rank %d", len(dims), len(small.Dims))
			}
			out := append([]int64(nil), big.Dims...)
			for i, d := range dims {
				if d < 0 || d >= int64(len(out)) {
					return nil, errf(o, CodeAttr, "broadcast_dimensions holds %d, the rank is %d", d, len(out))
				}
				if out[d] == 1 {
					out[d] = small.Dims[i]
				}
			}
			return []Type{&TensorType{Dims: out, Elem: elem(o), Quant: quantOf(ts[0], elem(o))}}, nil
		}
		out, err := numpyShape(o, ts...)
		if err != nil {
			return nil, err
		}
		return []Type{&TensorType{Dims: out, Elem: elem(o), Quant: quantOf(ts[0], elem(o))}}, nil
	}
}

func quantOf(t *TensorType, e dtype.Type) *QuantType {
	if t.Elem == e {
		return t.Quant
	}
	return nil
}

func inferBroadcastSelect(o *Op) ([]Type, error) {
	ts, err := tensors(o)
	if err != nil {
		return nil, err
	}
	if ts[0].Elem != dtype.I1 {
		return nil, errf(o, CodeElem, "predicate has element type %s, must be i1", ts[0].ElemString())
	}
	out, err := numpyShape(o, ts...)
	if err != nil {
		return nil, err
	}
	return []Type{&TensorType{Dims: out, Elem: ts[1].Elem, Quant: ts[1].Quant}}, nil
}

func inferTopK(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	k := o.IntOr("k", -1)
	n := len(a.Dims)
	if a.Unranked && k >= 0 {
		return []Type{a, &TensorType{Elem: dtype.I32, Unranked: true}}, nil
	}
	if n == 0 || k < 0 || a.Dims[n-1] >= 0 && a.Dims[n-1] < k {
		return nil, errf(o, CodeShape, "operand is %s, its last dimension must hold at least k = %d", a, k)
	}
	dims := append(append([]int64(nil), a.Dims[:n-1]...), k)
	return []Type{like(a, dims), Tensor(dtype.I32, dims...)}, nil
}
