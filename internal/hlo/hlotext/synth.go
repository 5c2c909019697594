package hlotext

import (
	"hash/fnv"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Synthesize makes the value of a constant whose text was left out. It follows from the constant's name and shape
// alone: floats are uniform in [0, 1), integers in [0, 10], booleans alternate.
func Synthesize(o *hlo.Op) (hlo.Attr, error) {
	h := fnv.New64a()
	h.Write([]byte(o.Results[0].Name))
	h.Write([]byte{0})
	return synthesize(o, o.Results[0].Type, h.Sum64())
}

func synthesize(o *hlo.Op, t hlo.Type, seed uint64) (hlo.Attr, error) {
	switch t := t.(type) {
	case *hlo.TupleType:
		var a hlo.ArrayAttr
		for i, e := range t.Elems {
			v, err := synthesize(o, e, seed+uint64(i)+1)
			if err != nil {
				return nil, err
			}
			a.Elems = append(a.Elems, v)
		}
		return a, nil
	case *hlo.TensorType:
		n, ok := t.NumElements()
		if !ok || n > maxLiteralBytes/int64(t.Elem.Size()) {
			return nil, diag.Errorf(CodeLimit, o.Loc, "constant %s is larger than %d bytes", ShapeString(t), maxLiteralBytes)
		}
		h := fnv.New64a()
		h.Write([]byte(ShapeString(&hlo.TensorType{Elem: t.Elem, Dims: t.Dims})))
		return hlo.DenseOf(random(t, int(n), seed^h.Sum64())), nil
	}
	return hlo.UnitAttr{}, nil
}

func random(t *hlo.TensorType, n int, state uint64) *tensor.Tensor {
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	x := tensor.New(t.Elem, shape...)
	next := func() uint64 { // splitmix64
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return z ^ z>>31
	}
	part, size := t.Elem, t.Elem.Size()
	switch t.Elem {
	case dtype.C64:
		part, size, n = dtype.F32, 4, 2*n
	case dtype.C128:
		part, size, n = dtype.F64, 8, 2*n
	}
	for i := range n {
		dst := x.Data[i*size : (i+1)*size]
		switch {
		case part == dtype.I1:
			dst[0] = byte(i & 1)
		case part.IsFloat():
			hlo.PutNumber(dst, part, float64(next()>>40)/(1<<24))
		default:
			_, hi := part.IntRange()
			hlo.PutNumber(dst, part, float64(next()%uint64(min(hi, 10)+1)))
		}
	}
	return x
}
