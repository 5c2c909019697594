package hlo

// Quantised types: what each must satisfy by itself, and how those of an op fit together.

// verifyQuantTypes checks the quantised types of o's operands and results.
func verifyQuantTypes(o *Op) error {
	for _, vs := range [][]*Value{o.Operands, o.Results} {
		for _, v := range vs {
			t := TensorOf(v)
			if t == nil || t.Quant == nil {
				continue
			}
			if err := verifyQuantType(o, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func verifyQuantType(o *Op, t *TensorType) error {
	q := t.Quant
	for _, z := range q.ZeroPoints {
		if z < q.Min || z > q.Max {
			return errf(o, CodeElem, "%s: zero point %d is outside of the storage range %d to %d", t, z, q.Min, q.Max)
		}
	}
	for _, s := range q.Scales {
		if v := q.Expressed.FloatOf(q.Expressed.FloatBits(s)); !(s > 0) || v == 0 || v-v != 0 {
			return errf(o, CodeElem, "%s: scale %g is not a positive value of %s", t, s, q.Expressed)
		}
	}
	if q.Axis < 0 {
		return nil
	}
	if !o.Def.Has(PerAxis) {
		return errf(o, CodeElem, "%s is quantised per axis, which this op does not allow", t)
	}
	if t.Unranked {
		return nil
	}
	if q.Axis >= len(t.Dims) || !compatDim(t.Dims[q.Axis], int64(len(q.Scales))) {
		return errf(o, CodeElem, "%s: the type has %d scales along dimension %d", t, len(q.Scales), q.Axis)
	}
	return nil
}

// sameScales reports whether two quantised types map their storage in the same way, axes aside.
func sameScales(a, b *QuantType) bool {
	if len(a.Scales) != len(b.Scales) || (a.Axis < 0) != (b.Axis < 0) {
		return false
	}
	for i := range a.Scales {
		if a.Scales[i] != b.Scales[i] || zeroPoint(a, i) != zeroPoint(b, i) {
			return false
		}
	}
	return true
}

func zeroPoint(q *QuantType, i int) int64 {
	if i < len(q.ZeroPoints) {
		return q.ZeroPoints[i]
	}
	return 0
}

// movesQuantised checks an op whose result has the operand's elements elsewhere: axis is the dimension of the result in
// which the operand's quantised one comes to lie, -1 when that has to be found out by the extents (reshape).
func movesQuantised(o *Op, axis func(a, r *TensorType) int) error {
	a, r := o.In(0), o.Out(0)
	if a == nil || r == nil || a.Quant == nil || r.Quant == nil {
		return nil
	}
	p, q := a.Quant, r.Quant
	if p.Axis < 0 || q.Axis < 0 {
		if !sameScales(p, q) {
			return errf(o, CodeElem, "operand is %s, result %s: scales and zero points must be equal", a, r)
		}
		return nil
	}
	if want := axis(a, r); q.Axis != want {
		return errf(o, CodeElem, "operand is quantised along dimension %d, which becomes dimension %d; the result's is %d", p.Axis, want, q.Axis)
	}
	if len(p.Scales) == 1 && len(q.Scales) > 1 { // an extent of 1 repeated
		for i := range q.Scales {
			if q.Scales[i] != p.Scales[0] || zeroPoint(q, i) != zeroPoint(p, 0) {
				return errf(o, CodeElem, "operand is %s, result %s: scales and zero points must be equal", a, r)
			}
		}
		return nil
	}
	if !sameScales(p, q) {
		return errf(o, CodeElem, "operand is %s, result %s: scales and zero points must be equal", a, r)
	}
	return nil
}

func verifyBroadcastQuant(o *Op) error {
	return movesQuantised(o, func(a, _ *TensorType) int {
		dims, _ := o.Ints("broadcast_dimensions")
		if a.Quant.Axis < len(dims) {
			return int(dims[a.Quant.Axis])
		}
		return -1
	})
}

func verifyTransposeQuant(o *Op) error {
	return movesQuantised(o, func(a, _ *TensorType) int {
		perm, _ := o.Ints("permutation")
		for i, p := range perm {
			if int(p) == a.Quant.Axis {
				return i
			}
		}
		return -1
	})
}

// verifyReshapeQuant: the quantised dimension keeps its extent and what stands before it its number of elements.
func verifyReshapeQuant(o *Op) error {
	return movesQuantised(o, func(a, r *TensorType) int {
		k := r.Quant.Axis
		if !a.Static() || !r.Static() || a.Quant.Axis >= len(a.Dims) || k >= len(r.Dims) {
			return k
		}
		before := func(d []int64) int64 {
			n := int64(1)
			for _, x := range d {
				n *= x
			}
			return n
		}
		if a.Dims[a.Quant.Axis] != r.Dims[k] || before(a.Dims[:a.Quant.Axis]) != before(r.Dims[:k]) {
			return -1
		}
		return k
	})
}

// verifyAddQuant: a result is quantised per axis when an operand is, along the same dimension.
func verifyAddQuant(o *Op) error {
	r := o.Out(0)
	for i := range o.Operands {
		t := o.In(i)
		if t == nil || t.Quant == nil || r == nil || r.Quant == nil || t.Quant.Axis < 0 {
			continue
		}
		if t.Quant.Axis != r.Quant.Axis {
			return errf(o, CodeElem, "operand %d is %s, result %s: the quantised dimension must be one", i, t, r)
		}
	}
	return nil
}

// verifyProductQuant checks the quantised types of a dot or convolution: weights are quantised, and activations either as
// the result or not at all.
func verifyProductQuant(o *Op) error {
	a, b, r := o.In(0), o.In(1), o.Out(0)
	if a == nil || b == nil || r == nil || a.Quant == nil && b.Quant == nil && r.Quant == nil {
		return nil
	}
	if b.Quant == nil || (a.Quant == nil) != (r.Quant == nil) {
		return errf(o, CodeElem, "operands are %s and %s, result %s: the right operand must be quantised, and the left one if and only if the result is",
			a.ElemString(), b.ElemString(), r.ElemString())
	}
	if a.Quant == nil {
		if b.Quant.Expressed != a.Elem || b.Quant.Expressed != r.Elem {
			return errf(o, CodeElem, "the right operand expresses %s, the left one holds %s, the result %s", b.Quant.Expressed, a.Elem, r.Elem)
		}
		return nil
	}
	switch {
	case a.Quant.Storage != b.Quant.Storage:
		return errf(o, CodeElem, "operands are stored as %s and %s: must be one type", a.Quant.Storage, b.Quant.Storage)
	case a.Quant.Expressed != b.Quant.Expressed || a.Quant.Expressed != r.Quant.Expressed:
		return errf(o, CodeElem, "operands express %s and %s, the result %s: must be one type", a.Quant.Expressed, b.Quant.Expressed, r.Quant.Expressed)
	case b.Quant.Axis < 0 && r.Quant.Axis >= 0:
		return errf(o, CodeElem, "the result is quantised per axis, the right operand is not")
	}
	return nil
}

// verifyWeightZero requires the right operand of a dot to be quantised around zero.
func verifyWeightZero(o *Op) error {
	b := o.In(1)
	if b == nil || b.Quant == nil {
		return nil
	}
	for i := range b.Quant.Scales {
		if zeroPoint(b.Quant, i) != 0 {
			return errf(o, CodeElem, "the right operand's zero point is %d, must be 0", zeroPoint(b.Quant, i))
		}
	}
	return nil
}

// quantAxisIs requires a per-axis quantised value to be so along dimension d.
func quantAxisIs(o *Op, what string, t *TensorType, d int64) error {
	if t != nil && t.Quant != nil && t.Quant.Axis >= 0 && int64(t.Quant.Axis) != d {
		return errf(o, CodeElem, "%s is quantised along dimension %d, must be along %d", what, t.Quant.Axis, d)
	}
	return nil
}
