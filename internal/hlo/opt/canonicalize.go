package opt

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

// canonicalize applies identities of values, all of them bit for bit, until none is left:
//
//	x * 1, 1 * x, x / 1, power(x, 1), x - 0, x + (-0) of floats                =>  x
//	0 + x, 1 * x, true & x, 0 | x, 0 ^ x of integers                           =>  x
//	x * 0 of integers                                                          =>  0
//	~~x, -(-x), max(x, x), min(x, x), x & x, x | x, select(p, x, x)            =>  x
//	select(true, x, y), select(false, x, y)                                    =>  x, y
//	power(x, 2)                                                                =>  x * x
//	x / c, c a power of two                                                    =>  x * (1/c)
//	convert(convert x) through a type that holds all values of x's             =>  convert x
//	pad by nothing, reverse of extents of 1, dynamic_slice of the whole        =>  x
//	dynamic_update_slice of the whole                                          =>  the update
//	get_tuple_element(tuple(x, y), 1)                                          =>  y
//
// It declines x + 0 and x * 0 of floats (-0, NaN and infinities matter), complex and quantised elements, and dynamic
// shapes.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "canonicalize", Doc: "apply identities of values that hold bit for bit", Run: func(m *hlo.Module) error {
		for range 8 {
			changed, err := rewrite(m, func(o *hlo.Op) rule {
				if o.Name() != "stablehlo.get_tuple_element" && (!static(o) || len(o.Results) != 1 || o.Out(0).Elem.IsComplex()) {
					return nil
				}
				return identities[o.Name()]
			})
			if err != nil || !changed {
				return err
			}
		}
		return nil
	}})
	for name, r := range map[string]rule{
		"add": idAdd, "subtract": neutralRight(0), "multiply": idMultiply, "divide": idDivide, "power": idPower,
		"and": idLattice, "or": idLattice, "maximum": idLattice, "minimum": idLattice, "xor": idXor,
		"not": idInvolution, "negate": idInvolution, "select": idSelect, "convert": idConvert, "pad": idPad,
		"reverse": idReverse, "dynamic_slice": whole(0), "dynamic_update_slice": whole(1), "get_tuple_element": idTupleElement,
	} {
		identities["stablehlo."+name] = r
	}
}

var identities = map[string]rule{}

// splatBits returns the common bits of the elements of a constant.
func splatBits(v *hlo.Value) (uint64, bool) {
	for v.Def != nil && v.Def.Name() == "stablehlo.broadcast_in_dim" {
		v = v.Def.Operands[0] // keeps a splat what it is
	}
	d := constantOf(v)
	if d == nil {
		return 0, false
	}
	n := d.Type.Elem.Size()
	if n > 8 || len(d.Data.Data) < n || !d.Splat && len(d.Data.Data) != n {
		return 0, false
	}
	var u uint64
	for i := range n {
		u |= uint64(d.Data.Data[i]) << (8 * i)
	}
	return u, true
}

// isNumber reports whether all elements of v are x, in v's own type.
func isNumber(v *hlo.Value, x float64) bool {
	u, ok := splatBits(v)
	t := hlo.TensorOf(v).Elem
	if !ok || !(t.IsFloat() || t.IsInt() || t == dtype.I1) || !t.IsFloat() && x == 0 && math.Signbit(x) {
		return false
	}
	want := make([]byte, t.Size())
	hlo.PutNumber(want, t, x)
	for i, b := range want {
		if byte(u>>(8*i)) != b {
			return false
		}
	}
	return true
}

// keeps returns operand i in the place of o when they are of one type.
func keeps(o *hlo.Op, i int) []*hlo.Value {
	if !sameType(o.Operands[i], o.Results[0]) {
		return nil
	}
	return one(o.Operands[i])
}

// neutralRight drops a right operand x.
func neutralRight(x float64) rule {
	return func(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
		if isNumber(o.Operands[1], x) {
			return keeps(o, 0)
		}
		return nil
	}
}

// neutralEither drops either operand when it is x.
func neutralEither(o *hlo.Op, x float64) []*hlo.Value {
	for i := range 2 {
		if isNumber(o.Operands[1-i], x) {
			return keeps(o, i)
		}
	}
	return nil
}

// whole: a slice of the operand's own shape starts at 0, where starts are clamped to.
func whole(i int) rule {
	return func(_ *hlo.Builder, o *hlo.Op) []*hlo.Value { return keeps(o, i) }
}

func idAdd(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	if o.In(0).Elem.IsFloat() {
		return neutralEither(o, math.Copysign(0, -1))
	}
	return neutralEither(o, 0)
}

func idMultiply(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	if v := neutralEither(o, 1); v != nil {
		return v
	}
	for i, v := range o.Operands {
		if o.In(0).Elem.IsInt() && isNumber(v, 0) {
			return keeps(o, i)
		}
	}
	return nil
}

func idDivide(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	if isNumber(o.Operands[1], 1) {
		return keeps(o, 0)
	}
	t := o.In(1).Elem
	u, ok := splatBits(o.Operands[1])
	if _, known := floatFormats[t]; !ok || !known {
		return nil
	}
	v := t.FloatOf(u)
	// The reciprocal must be exact and normal: exponents stay well inside the range of f16.
	if frac, exp := math.Frexp(math.Abs(v)); frac != 0.5 || exp < -12 || exp > 14 {
		return nil
	}
	return one(b.Op("stablehlo.multiply", nil, o.Operands[0], b.Const(1/v, t, o.In(1).Dims...)))
}

func idPower(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	switch {
	case isNumber(o.Operands[1], 1):
		return keeps(o, 0)
	case isNumber(o.Operands[1], 2):
		return one(b.Op("stablehlo.multiply", nil, o.Operands[0], o.Operands[0]))
	}
	return nil
}

// idLattice: x op x = x, and the neutral elements of the logical ops.
func idLattice(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t := o.In(0).Elem
	switch {
	case o.Operands[0] == o.Operands[1]:
		return keeps(o, 0)
	case o.Name() == "stablehlo.or" && t.IsInt():
		return neutralEither(o, 0)
	case o.Name() == "stablehlo.and" && t == dtype.I1:
		return neutralEither(o, 1)
	case o.Name() == "stablehlo.and" && t.IsInt():
		return neutralEither(o, -1)
	}
	return nil
}

func idXor(_ *hlo.Builder, o *hlo.Op) []*hlo.Value { return neutralEither(o, 0) }

func idInvolution(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	if d := o.Operands[0].Def; d != nil && d.Def == o.Def && static(d) {
		return one(d.Operands[0])
	}
	return nil
}

func idSelect(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	if o.Operands[1] == o.Operands[2] {
		return keeps(o, 1)
	}
	switch u, ok := splatBits(o.Operands[0]); {
	case !ok:
		return nil
	case u != 0:
		return keeps(o, 1)
	}
	return keeps(o, 2)
}

// holds reports whether every value of type b is one of type a.
func holds(a, b dtype.Type) bool {
	switch {
	case a == b:
		return true
	case b == dtype.I1:
		return a.IsInt() || floatFormats[a].mant > 0
	case a.IsInt() && b.IsInt():
		alo, ahi := a.IntRange()
		blo, bhi := b.IntRange()
		return a != dtype.U64 && b != dtype.U64 && alo <= blo && bhi <= ahi
	case a.IsFloat() && b.IsFloat():
		fa, fb := floatFormats[a], floatFormats[b]
		return fb.mant > 0 && fa.exp >= fb.exp && fa.mant >= fb.mant
	}
	return false
}

func idConvert(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	d := o.Operands[0].Def
	if d == nil || d.Def != o.Def || !static(d) || !holds(d.Out(0).Elem, d.In(0).Elem) {
		return nil
	}
	return one(b.Convert(d.Operands[0], o.Out(0).Elem))
}

func idPad(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	for i, name := range []string{"edge_padding_low", "edge_padding_high", "interior_padding"} {
		v, ok := o.Ints(name)
		if !ok {
			return nil
		}
		for d, x := range v {
			if x != 0 && (i < 2 || o.In(0).Dims[d] > 1) {
				return nil
			}
		}
	}
	return keeps(o, 0)
}

func idReverse(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	dims, ok := o.Ints("dimensions")
	if !ok {
		return nil
	}
	for _, d := range dims {
		if o.In(0).Dims[d] > 1 {
			return nil
		}
	}
	return keeps(o, 0)
}

func idTupleElement(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	d := o.Operands[0].Def
	if d == nil || d.Name() != "stablehlo.tuple" {
		return nil
	}
	return one(d.Operands[o.IntOr("index", 0)])
}
