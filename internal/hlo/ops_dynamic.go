package hlo

import (
	"slices"

	"github.com/alcadev/alca/internal/dtype"
)

var _ = define(
	OpDef{Name: "stablehlo.dynamic_broadcast_in_dim", Doc: "broadcast_in_dim to a run-time shape", In: exactly(2), Out: exactly(1), Traits: PerAxis | Pure,
		Attrs:  []AttrDef{req("broadcast_dimensions", AttrInts), opt("known_expanding_dimensions", AttrInts), opt("known_nonexpanding_dimensions", AttrInts)},
		Verify: verifyDynamicBroadcast},
	OpDef{Name: "stablehlo.dynamic_gather", Doc: "gather with run-time slice sizes", In: exactly(3), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("dimension_numbers", AttrGatherDims), opt("indices_are_sorted", AttrBool)}, Infer: inferGather},
	OpDef{Name: "stablehlo.dynamic_iota", Doc: "iota of a run-time shape", In: exactly(1), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("iota_dimension", AttrInt)}, Verify: rules(shapeOperand(0), verifyIota, constShape(0))},
	OpDef{Name: "stablehlo.dynamic_pad", Doc: "pad with run-time amounts", In: exactly(5), Out: exactly(1), Traits: Pure, Verify: verifyDynamicPad},
	OpDef{Name: "stablehlo.dynamic_reshape", Doc: "reshape to a run-time shape", In: exactly(2), Out: exactly(1), Traits: PerAxis | Pure,
		Verify: verifyDynamicReshape},
	OpDef{Name: "stablehlo.real_dynamic_slice", Doc: "slice with run-time bounds", In: exactly(4), Out: exactly(1), Traits: Pure, Verify: verifyRealDynamicSlice},
	OpDef{Name: "stablehlo.get_dimension_size", Doc: "the run-time extent of a dimension", In: exactly(1), Out: exactly(1), Traits: PerAxis | Pure,
		Attrs: []AttrDef{req("dimension", AttrInt)}, Infer: inferGetDimensionSize},
	OpDef{Name: "stablehlo.set_dimension_size", Doc: "the operand with a run-time extent of a bounded dimension", In: exactly(2), Out: exactly(1), Traits: PerAxis | Pure,
		Attrs: []AttrDef{req("dimension", AttrInt)}, Verify: verifySetDimensionSize},
	OpDef{Name: "stablehlo.compute_reshape_shape", Doc: "a shape with its one -1 resolved", In: exactly(2), Out: exactly(1), Traits: Pure, Verify: verifyReshapeShape},
	OpDef{Name: "stablehlo.cstr_reshapable", Doc: "a witness that a reshape is possible", In: exactly(2), Out: exactly(1)},
)

// rules makes one rule of several, each of which may rely on those before it.
func rules(fs ...func(*Op) error) func(*Op) error {
	return func(o *Op) error {
		for _, f := range fs {
			if err := f(o); err != nil {
				return err
			}
		}
		return nil
	}
}

// first returns the first error of checks that do not depend on each other: all are carried out.
func first(errs ...error) error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

func verifyDynamicBroadcast(o *Op) error {
	if err := rules(shapeOperand(1), verifyBroadcastInDim, verifyBroadcastQuant, constShape(1))(o); err != nil {
		return err
	}
	a := o.In(0)
	grow, _ := o.Ints("known_expanding_dimensions")
	stay, _ := o.Ints("known_nonexpanding_dimensions")
	if err := checkDims(o, "known_expanding_dimensions and known_nonexpanding_dimensions", slices.Concat(grow, stay), len(a.Dims)); err != nil {
		return err
	}
	shape, ok := constInts(o.Operands[1])
	dims, _ := o.Ints("broadcast_dimensions")
	for i, d := range dims {
		if ok && int(d) < len(shape) && a.Dims[i] != 1 && !compatDim(a.Dims[i], shape[d]) {
			return errf(o, CodeShape, "operand dim %d is %d, the shape has %d at %d: must be equal or 1", i, a.Dims[i], shape[d], d)
		}
	}
	return nil
}

func verifyDynamicReshape(o *Op) error {
	if err := rules(shapeOperand(1), verifyElemKept, constShape(1), verifyReshapeQuant)(o); err != nil {
		return err
	}
	a, r := o.In(0), o.Out(0)
	x, ok := a.NumElements()
	if !ok || a.Unranked {
		return nil
	}
	if y, ok := r.NumElements(); ok && !r.Unranked && x != y {
		return errf(o, CodeShape, "operand %s has %d elements, result %s has %d", a, x, r, y)
	}
	if v, ok := constInts(o.Operands[1]); ok {
		y := int64(1)
		for _, d := range v {
			y *= d
		}
		if x != y {
			return errf(o, CodeShape, "operand %s has %d elements, the shape %v has %d", a, x, v, y)
		}
	}
	return nil
}

func verifyRealDynamicSlice(o *Op) error {
	if err := verifyElemKept(o); err != nil {
		return err
	}
	a, r := o.In(0), o.Out(0)
	if !a.Unranked && !r.Unranked && len(a.Dims) != len(r.Dims) {
		return errf(o, CodeShape, "operand is %s, result %s: ranks must be equal", a, r)
	}
	for i := 1; i < 4; i++ {
		t := o.In(i)
		if t == nil || len(t.Dims) != 1 || !t.Elem.IsInt() || t.Quant != nil || !a.Unranked && !compatDim(t.Dims[0], int64(len(a.Dims))) {
			return errf(o, CodeShape, "operand %d is %s, must be a vector of %d integers", i, TypeString(o.Operands[i].Type), len(a.Dims))
		}
	}
	return nil
}

func verifyReshapeShape(o *Op) error {
	n, t := o.In(0), o.In(1)
	index, _ := o.Operands[0].Type.(OpaqueType) // MLIR's builtin "index"
	if index.Text != "index" && (n == nil || len(n.Dims) != 0 || n.Unranked || !n.Elem.IsInt()) {
		return errf(o, CodeShape, "the number of elements is %s, must be an integer scalar", TypeString(o.Operands[0].Type))
	}
	if t == nil || len(t.Dims) != 1 || !t.Elem.IsInt() || t.Quant != nil {
		return errf(o, CodeShape, "the shape is %s, must be a vector of integers", TypeString(o.Operands[1].Type))
	}
	if r := o.Out(0); r == nil || r.Unranked || !sameElem(t, r) || !CompatibleShapes(t, r) {
		return errf(o, CodeResult, "result is %s, must be %s", TypeString(o.Results[0].Type), t)
	}
	return nil
}

func verifySetDimensionSize(o *Op) error {
	if err := verifyElemKept(o); err != nil {
		return err
	}
	a, s := o.In(0), o.In(1)
	if d := o.IntOr("dimension", -1); !a.Unranked && (d < 0 || d >= int64(len(a.Dims))) {
		return errf(o, CodeAttr, "dimension is %d, the rank is %d", d, len(a.Dims))
	}
	if s == nil || len(s.Dims) != 0 || s.Elem != dtype.I32 {
		return errf(o, CodeElem, "the size is %s, must be a scalar i32", TypeString(o.Operands[1].Type))
	}
	return nil
}

func shapeOperand(i int) func(*Op) error {
	return func(o *Op) error { return verifyShapeOperand(o, i) }
}

func constShape(i int) func(*Op) error {
	return func(o *Op) error { return verifyConstShape(o, i) }
}

// verifyShapeOperand checks that operand i is a vector with one integer a result dimension.
func verifyShapeOperand(o *Op, i int) error {
	t, r := o.In(i), o.Out(0)
	if t == nil || len(t.Dims) != 1 || !t.Elem.IsInt() && !t.Index {
		return errf(o, CodeShape, "operand %d is %s, must be a vector of integers", i, TypeString(o.Operands[i].Type))
	}
	if t.Dims[0] < 0 {
		return errf(o, CodeShape, "operand %d is %s, must be of known length", i, t)
	}
	if r != nil && !r.Unranked && !compatDim(t.Dims[0], int64(len(r.Dims))) {
		return errf(o, CodeShape, "operand %d has %d entries, the result has rank %d", i, t.Dims[0], len(r.Dims))
	}
	return nil
}

func verifyElemKept(o *Op) error {
	a, r := o.In(0), o.Out(0)
	if a == nil || r == nil || !sameElem(a, r) {
		return errf(o, CodeElem, "operand is %s, result %s: element types must be equal", TypeString(o.Operands[0].Type), TypeString(o.Results[0].Type))
	}
	return nil
}

func verifyDynamicPad(o *Op) error {
	if err := verifyElemKept(o); err != nil {
		return err
	}
	a := o.In(0)
	if p := o.In(1); p == nil || len(p.Dims) != 0 || !sameElem(p, a) {
		return errf(o, CodeElem, "padding value must be a scalar of %s", a.ElemString())
	}
	if v, ok := constInts(o.Operands[4]); ok {
		for _, x := range v {
			if x < 0 {
				return errf(o, CodeShape, "interior padding holds %d", x)
			}
		}
	}
	if lo, ok := constInts(o.Operands[2]); ok {
		hi, ok2 := constInts(o.Operands[3])
		mid, ok3 := constInts(o.Operands[4])
		r := o.Out(0)
		for i := range a.Dims {
			if !ok2 || !ok3 || i >= len(lo) || i >= len(hi) || i >= len(mid) || i >= len(r.Dims) || a.Dims[i] < 0 {
				continue
			}
			if n := a.Dims[i] + lo[i] + hi[i] + max(a.Dims[i]-1, 0)*mid[i]; !compatDim(n, r.Dims[i]) {
				return errf(o, CodeResult, "result dim %d is %d, padding makes %d", i, r.Dims[i], n)
			}
		}
	}
	for i := 2; i < 5; i++ {
		if t := o.In(i); t == nil || len(t.Dims) != 1 || !t.Elem.IsInt() || t.Quant != nil || !compatDim(t.Dims[0], int64(len(a.Dims))) {
			return errf(o, CodeShape, "operand %d must be a vector of %d integers", i, len(a.Dims))
		}
	}
	return nil
}

func inferGetDimensionSize(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	if d := o.IntOr("dimension", -1); !a.Unranked && (d < 0 || d >= int64(len(a.Dims))) {
		return nil, errf(o, CodeAttr, "dimension is %d, the rank is %d", d, len(a.Dims))
	}
	return []Type{Tensor(dtype.I32)}, nil
}
