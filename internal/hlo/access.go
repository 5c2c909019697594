package hlo

import (
	"fmt"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
)

// Codes of the verifier.
const (
	CodeArity     = "HLO030" // wrong number of operands, results or regions
	CodeShape     = "HLO031" // shapes do not fit
	CodeElem      = "HLO032" // element types do not fit
	CodeAttr      = "HLO033" // attribute missing or malformed
	CodeResult    = "HLO034" // stated result type differs from the inferred one
	CodeRegion    = "HLO035" // region signature or terminator wrong
	CodeDominance = "HLO036" // use of a value that is not defined there
	CodeSymbol    = "HLO037" // unknown or duplicate symbol
	CodeSignature = "HLO038" // function body and signature disagree
)

// errf makes a verifier diagnostic for o: "name: message".
func errf(o *Op, code, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(code, o.Loc, "%s: %s", o.Name(), fmt.Sprintf(format, args...))
}

// TensorOf returns v's tensor type, or nil.
func TensorOf(v *Value) *TensorType {
	t, _ := v.Type.(*TensorType)
	return t
}

// In returns the tensor type of operand i, or nil when it is not a tensor.
func (o *Op) In(i int) *TensorType { return TensorOf(o.Operands[i]) }

// Out returns the tensor type of result i, or nil.
func (o *Op) Out(i int) *TensorType { return TensorOf(o.Results[i]) }

// Result returns the only result.
func (o *Op) Result() *Value { return o.Results[0] }

// Ints returns an integer-list attribute, in either of its spellings, and whether it is there.
func (o *Op) Ints(name string) ([]int64, bool) {
	switch a := o.Attrs.Get(name).(type) {
	case DenseArrayAttr:
		return a.Values, true
	case *DenseAttr:
		return a.Ints(), true
	case ArrayAttr:
		out := make([]int64, 0, len(a.Elems))
		for _, e := range a.Elems {
			i, ok := e.(IntAttr)
			if !ok {
				return nil, false
			}
			out = append(out, i.Value)
		}
		return out, true
	}
	return nil, false
}

// IntsOr returns an integer-list attribute or n copies of def.
func (o *Op) IntsOr(name string, n int, def int64) []int64 {
	if v, ok := o.Ints(name); ok {
		return v
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = def
	}
	return out
}

// Int returns an integer attribute.
func (o *Op) Int(name string) (int64, bool) {
	a, ok := o.Attrs.Get(name).(IntAttr)
	return a.Value, ok
}

// IntOr returns an integer attribute or def.
func (o *Op) IntOr(name string, def int64) int64 {
	if v, ok := o.Int(name); ok {
		return v
	}
	return def
}

// Bool returns a boolean attribute, false when absent.
func (o *Op) Bool(name string) bool {
	switch a := o.Attrs.Get(name).(type) {
	case BoolAttr:
		return a.Value
	case UnitAttr:
		return true
	}
	return false
}

// Bools returns a boolean-list attribute or n falses.
func (o *Op) Bools(name string, n int) []bool {
	out := make([]bool, n)
	if v, ok := o.Ints(name); ok {
		out = make([]bool, len(v))
		for i := range v {
			out[i] = v[i] != 0
		}
	}
	return out
}

// Enum returns the value of an enum attribute, "" when absent.
func (o *Op) Enum(name string) string {
	switch a := o.Attrs.Get(name).(type) {
	case EnumAttr:
		return a.Value
	case StringAttr:
		return a.Value
	}
	return ""
}

// Str returns a string attribute.
func (o *Op) Str(name string) (string, bool) {
	switch a := o.Attrs.Get(name).(type) {
	case StringAttr:
		return a.Value, true
	case SymbolAttr:
		if len(a.Path) > 0 {
			return a.Path[len(a.Path)-1], true
		}
	}
	return "", false
}

// Pairs returns an attribute of shape [n, 2] (padding), or n zero pairs when absent.
func (o *Op) Pairs(name string, n int) ([][2]int64, bool) {
	out := make([][2]int64, n)
	d, ok := o.Attrs.Get(name).(*DenseAttr)
	if !ok {
		return out, o.Attrs.Get(name) == nil
	}
	v := d.Ints()
	if len(v) != 2*n || len(d.Type.Dims) != 2 || d.Type.Dims[1] != 2 && n > 0 {
		return out, false
	}
	for i := range out {
		out[i] = [2]int64{v[2*i], v[2*i+1]}
	}
	return out, true
}

// NumElements returns the number of elements of a static tensor type; false on overflow or dynamic dims.
func (t *TensorType) NumElements() (int64, bool) {
	n := int64(1)
	for _, d := range t.Dims {
		if d < 0 {
			return 0, false
		}
		if d != 0 && n > (1<<62)/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// Ints returns the elements of an integer (or boolean) dense attribute, splats expanded.
func (a *DenseAttr) Ints() []int64 {
	n, ok := a.Type.NumElements()
	if !ok || a.Data == nil || n > 1<<24 {
		return nil
	}
	size := a.Type.Elem.Size()
	out := make([]int64, n)
	for i := range out {
		k := i
		if a.Splat {
			k = 0
		}
		out[i] = readInt(a.Data.Data[k*size:], a.Type.Elem)
	}
	return out
}

func readInt(b []byte, t dtype.Type) int64 {
	var v uint64
	n := t.Size()
	for i := range n {
		v |= uint64(b[i]) << (8 * i)
	}
	if t.IsSigned() && n < 8 {
		s := 64 - 8*n
		return int64(v<<s) >> s
	}
	return int64(v)
}

// compatDim reports whether two extents can be the same.
func compatDim(a, b int64) bool { return a == b || a < 0 || b < 0 }

// meet returns the more specific of two compatible extents.
func meet(a, b int64) int64 {
	if a < 0 {
		return b
	}
	return a
}

// CompatibleShapes reports whether the shapes can be the same at run time.
func CompatibleShapes(a, b *TensorType) bool {
	if a.Unranked || b.Unranked {
		return true
	}
	if len(a.Dims) != len(b.Dims) {
		return false
	}
	for i := range a.Dims {
		if !compatDim(a.Dims[i], b.Dims[i]) {
			return false
		}
	}
	return true
}

// Compatible reports whether a value of type a may stand where type b is stated.
func Compatible(a, b Type) bool {
	switch x := a.(type) {
	case *TensorType:
		y, ok := b.(*TensorType)
		return ok && CompatibleShapes(x, y) && sameElem(x, y)
	case *TupleType:
		y, ok := b.(*TupleType)
		if !ok || len(x.Elems) != len(y.Elems) {
			return false
		}
		for i := range x.Elems {
			if !Compatible(x.Elems[i], y.Elems[i]) {
				return false
			}
		}
		return true
	case TokenType:
		_, ok := b.(TokenType)
		return ok
	}
	return TypeString(a) == TypeString(b)
}

// sameElem compares element types. A quantised type matches its expressed type's quantised form loosely: scales
// may differ between operands and results, which each op's own rule narrows.
func sameElem(a, b *TensorType) bool {
	if (a.Quant == nil) != (b.Quant == nil) {
		return false
	}
	if a.Quant != nil {
		return a.Quant.Storage == b.Quant.Storage && a.Quant.Expressed == b.Quant.Expressed
	}
	return a.Elem == b.Elem
}

// withElem returns t's shape with another element type.
func withElem(t *TensorType, e dtype.Type) *TensorType {
	return &TensorType{Dims: append([]int64(nil), t.Dims...), Elem: e, Bounds: t.Bounds, Unranked: t.Unranked}
}
