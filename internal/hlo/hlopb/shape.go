package hlopb

import (
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// Numbers of PrimitiveType without elements.
const (
	primTuple  = 13
	primOpaque = 14
	primToken  = 17
	primBuffer = 34
)

// prims gives, for an element type, its number in PrimitiveType and the field of LiteralProto that holds values.
var prims = []struct {
	t     dtype.Type
	num   int64
	field int
	form  litForm
}{
	{dtype.I1, 1, 2, litVarint}, {dtype.I8, 2, 15, litBytes}, {dtype.I16, 3, 17, litBytes}, {dtype.I32, 4, 4, litVarint}, {dtype.I64, 5, 5, litVarint},
	{dtype.U8, 6, 3, litBytes}, {dtype.U16, 7, 16, litBytes}, {dtype.U32, 8, 6, litVarint}, {dtype.U64, 9, 7, litVarint},
	{dtype.F16, 10, 11, litBytes}, {dtype.F32, 11, 8, litFixed}, {dtype.F64, 12, 9, litFixed}, {dtype.BF16, 16, 13, litBytes},
	{dtype.C64, 15, 12, litFixed}, {dtype.C128, 18, 18, litFixed}, {dtype.F8E5M2, 19, 19, litBytes}, {dtype.F8E4M3FN, 20, 20, litBytes},
	{dtype.I4, 21, 21, litNarrow}, {dtype.U4, 22, 22, litNarrow}, {dtype.F8E4M3B11FNUZ, 23, 23, litBytes}, {dtype.F8E5M2FNUZ, 24, 24, litBytes},
	{dtype.F8E4M3FNUZ, 25, 25, litBytes}, {dtype.I2, 26, 26, litNarrow}, {dtype.U2, 27, 27, litNarrow}, {dtype.F8E4M3, 28, 28, litBytes},
	{dtype.F8E3M4, 29, 29, litBytes}, {dtype.F4E2M1FN, 32, 32, litNarrow}, {dtype.F8E8M0FNU, 33, 33, litBytes},
}

// litForm is how values of a literal are stored.
type litForm uint8

const (
	litVarint litForm = iota // repeated varint
	litFixed                 // repeated fixed32 or fixed64
	litBytes                 // little-endian bytes
	litNarrow                // several elements a byte, the first lowest
)

var (
	primByNum = map[int64]int{}
	primByTy  = map[dtype.Type]int{}
)

func init() {
	for i, p := range prims {
		primByNum[p.num] = i
		primByTy[p.t] = i
	}
}

const maxDepth = 256

// readShape reads a ShapeProto.
func readShape(m msg, depth int) hlo.Type {
	if depth > maxDepth {
		fail(CodeLimit, "shapes nest deeper than %d", maxDepth)
	}
	switch e := m.int(2); e {
	case primTuple:
		t := &hlo.TupleType{}
		for _, s := range m.subs(4) {
			t.Elems = append(t.Elems, readShape(s, depth+1))
		}
		return t
	case primToken:
		return hlo.TokenType{}
	case primOpaque:
		return hlo.OpaqueType{Text: "opaque[]"}
	case primBuffer:
		for _, s := range m.subs(4) {
			return hlo.OpaqueType{Text: "b(" + shapeText(readShape(s, depth+1)) + ")"}
		}
		fail(CodeShape, "a buffer needs a shape")
		return nil
	default:
		i, ok := primByNum[e]
		if !ok {
			fail(CodeShape, "element type %d is unknown", e)
		}
		t := &hlo.TensorType{Elem: prims[i].t, Dims: m.ints(3)}
		dyn := m.ints(6)
		if len(t.Dims) > 64 {
			fail(CodeLimit, "shape has %d dimensions", len(t.Dims))
		}
		bounded := false
		bounds := make([]int64, len(t.Dims))
		for i, d := range t.Dims {
			bounds[i] = hlo.Dynamic
			// The least integer stands for an unbounded dimension.
			unbounded := d == -1<<63
			if d < 0 && !unbounded {
				fail(CodeShape, "extent %d is negative", d)
			}
			if unbounded || i < len(dyn) && dyn[i] != 0 {
				t.Dims[i] = hlo.Dynamic
				if !unbounded {
					bounds[i], bounded = d, true
				}
			}
		}
		if bounded {
			t.Bounds = bounds
		}
		if t.Static() {
			if n, ok := t.NumElements(); !ok || n > 1<<59 {
				fail(CodeShape, "shape has too many elements")
			}
		}
		if l, ok := m.sub(5); ok {
			if x := readLayout(l, len(t.Dims)); x != nil {
				t.Encoding = x
			}
		}
		return t
	}
}

func readLayout(m msg, rank int) *hlo.Layout {
	l := &hlo.Layout{MinorToMajor: m.ints(1), ElemBits: m.int(7), Space: m.int(8), Tail: m.int(16)}
	for _, t := range m.subs(6) {
		l.Tiles = append(l.Tiles, t.ints(1))
	}
	seen := make([]bool, rank)
	for _, d := range l.MinorToMajor {
		if d < 0 || d >= int64(rank) || seen[d] {
			fail(CodeShape, "layout %v does not order %d dimensions", l.MinorToMajor, rank)
		}
		seen[d] = true
	}
	if len(l.MinorToMajor) != rank {
		fail(CodeShape, "layout %v does not order %d dimensions", l.MinorToMajor, rank)
	}
	l.Rest = m.str(extField)
	if rank == 0 && l.Tiles == nil && l.ElemBits == 0 && l.Space == 0 && l.Tail == 0 && l.Rest == "" {
		return nil
	}
	return l
}

// writeShape is the ShapeProto of t.
func writeShape(t hlo.Type) buf {
	var w buf
	switch t := t.(type) {
	case *hlo.TupleType:
		w.int(2, primTuple)
		for _, e := range t.Elems {
			w.bytes(4, writeShape(e))
		}
	case hlo.TokenType:
		w.int(2, primToken)
	case hlo.OpaqueType:
		if x, ok := bufferOf(t); ok {
			w.int(2, primBuffer)
			w.bytes(4, writeShape(x))
			break
		}
		w.int(2, primOpaque)
	case *hlo.TensorType:
		i, ok := primByTy[t.Elem]
		if !ok {
			fail(CodeWrite, "element type %s has no number", t.Elem)
		}
		w.int(2, prims[i].num)
		dims := append([]int64(nil), t.Dims...)
		dyn := make([]int64, len(dims))
		any := false
		for i, d := range dims {
			if d >= 0 {
				continue
			}
			any = true
			dyn[i] = 1
			dims[i] = -1 << 63
			if i < len(t.Bounds) && t.Bounds[i] >= 0 {
				dims[i] = t.Bounds[i]
			}
		}
		w.ints(3, dims)
		if any {
			w.ints(6, dyn)
		}
		if l, ok := t.Encoding.(*hlo.Layout); ok {
			var x buf
			x.ints(1, l.MinorToMajor)
			for _, t := range l.Tiles {
				var y buf
				y.ints(1, t)
				x.bytes(6, y)
			}
			x.int(7, l.ElemBits)
			x.int(8, l.Space)
			x.int(16, l.Tail)
			x.str(extField, l.Rest)
			w.bytes(5, x)
		}
	}
	return w
}

// bufferOf is the shape inside b(...).
func bufferOf(t hlo.OpaqueType) (hlo.Type, bool) {
	s, ok := strings.CutPrefix(t.Text, "b(")
	if !ok {
		return nil, false
	}
	a, ok := parseShapeText(strings.TrimSuffix(s, ")"))
	return a, ok
}
