package hlopb

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

const maxLiteralBytes = 1 << 31

// readLiteral reads a LiteralProto of type t; nil means that it holds no values though the shape has elements.
func readLiteral(m msg, t hlo.Type, depth int) hlo.Attr {
	if depth > maxDepth {
		fail(CodeLimit, "literals nest deeper than %d", maxDepth)
	}
	switch t := t.(type) {
	case *hlo.TupleType:
		parts := m.subs(10)
		if len(parts) != len(t.Elems) {
			fail(CodeLiteral, "tuple literal has %d parts, its shape %d", len(parts), len(t.Elems))
		}
		var a hlo.ArrayAttr
		for i, p := range parts {
			v := readLiteral(p, t.Elems[i], depth+1)
			if v == nil {
				v = hlo.UnitAttr{}
			}
			a.Elems = append(a.Elems, v)
		}
		return a
	case *hlo.TensorType:
		x := readTensor(m, t)
		if x == nil {
			return nil
		}
		return hlo.DenseOf(x)
	}
	return hlo.UnitAttr{}
}

// readTensor reads the values of an array, row-major whatever the literal's layout; nil if there are none.
func readTensor(m msg, t *hlo.TensorType) *tensor.Tensor {
	n, ok := t.NumElements()
	size := t.Elem.Size()
	if !ok || n > maxLiteralBytes/int64(size) {
		fail(CodeLimit, "literal of shape %s is dynamic or too large", shapeText(t))
	}
	p := prims[primByTy[t.Elem]]
	data := values(m, p.field, p.form, size, int(n), t)
	if data == nil && n > 0 {
		return nil
	}
	if int64(len(data)) != n*int64(size) {
		fail(CodeLiteral, "literal of shape %s has values for %d elements", shapeText(t), len(data)/size)
	}
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	x := tensor.New(t.Elem, shape...)
	copy(x.Data, data)
	var order []int64
	if s, ok := m.sub(1); ok {
		if l, ok := s.sub(5); ok {
			order = l.ints(1)
		}
	}
	return relayout(x, order)
}

// values gathers the bytes of a value list.
func values(m msg, num int, form litForm, size, n int, t *hlo.TensorType) []byte {
	f := protowire.Number(num)
	if !m.has(f) {
		return nil
	}
	put := func(out []byte, v uint64, size int) []byte {
		for i := range size {
			out = append(out, byte(v>>(8*i)))
		}
		return out
	}
	switch form {
	case litVarint:
		vs := m.ints(f)
		out := make([]byte, 0, len(vs)*size)
		for _, v := range vs {
			if t.Elem.Bits() == 1 && v != 0 {
				v = 1
			}
			out = put(out, uint64(v), size)
		}
		return out
	case litFixed:
		var out []byte
		for i := range m.fields {
			switch x := &m.fields[i]; {
			case x.num != f:
			case x.typ == protowire.BytesType:
				out = append(out, x.b...)
			case x.typ == protowire.Fixed32Type:
				out = put(out, x.v, 4)
			case x.typ == protowire.Fixed64Type:
				out = put(out, x.v, 8)
			}
		}
		return out
	case litBytes:
		return m.bytes(f)
	}
	raw := m.bytes(f)
	bits := t.Elem.Bits()
	per := 8 / bits
	var out []byte
	sign := func(v byte) byte {
		if t.Elem.IsInt() && t.Elem.IsSigned() && v>>(bits-1) != 0 {
			v |= 0xff << bits
		}
		return v
	}
	if len(raw) == n && per > 1 && n != (n+per-1)/per { // not packed
		for _, v := range raw {
			out = append(out, sign(v&(1<<bits-1)))
		}
		return out
	}
	if len(raw) != (n+per-1)/per {
		fail(CodeLiteral, "literal of shape %s has %d bytes of packed values", shapeText(t), len(raw))
	}
	for i := range n {
		out = append(out, sign(raw[i/per]>>(bits*(i%per))&(1<<bits-1)))
	}
	return out
}

// relayout turns values stored in the order of a layout to row-major.
func relayout(x *tensor.Tensor, minorToMajor []int64) *tensor.Tensor {
	rank := len(x.Shape)
	if len(minorToMajor) != rank {
		return x
	}
	plain := true
	seen := make([]bool, rank)
	for i, d := range minorToMajor {
		if d < 0 || d >= int64(rank) || seen[d] {
			fail(CodeShape, "layout of a literal is malformed")
		}
		seen[d] = true
		plain = plain && d == int64(rank-1-i)
	}
	if plain || len(x.Data) == 0 {
		return x
	}
	out := tensor.New(x.Type, x.Shape...)
	size := x.Type.Size()
	strides := make([]int, rank) // of the stored order
	s := size
	for _, d := range minorToMajor {
		strides[d] = s
		s *= x.Shape[d]
	}
	idx := make([]int, rank)
	for at := 0; at < len(out.Data); at += size {
		from := 0
		for d, i := range idx {
			from += i * strides[d]
		}
		copy(out.Data[at:at+size], x.Data[from:from+size])
		for d := rank - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < x.Shape[d] {
				break
			}
			idx[d] = 0
		}
	}
	return out
}

// writeLiteral is the LiteralProto of a constant of type t. Values are row-major; a nil value writes the shape alone.
func writeLiteral(a hlo.Attr, t hlo.Type) buf {
	var w buf
	switch t := t.(type) {
	case *hlo.TupleType:
		w.bytes(1, writeShape(descending(t)))
		arr, _ := a.(hlo.ArrayAttr)
		for i, e := range t.Elems {
			var v hlo.Attr
			if i < len(arr.Elems) {
				v = arr.Elems[i]
			}
			w.bytes(10, writeLiteral(v, e))
		}
	case *hlo.TensorType:
		w.bytes(1, writeShape(descending(t)))
		if d, ok := a.(*hlo.DenseAttr); ok {
			writeValues(&w, d, t)
		}
	default:
		w.bytes(1, writeShape(t))
	}
	return w
}

// descending gives every array of t the row-major layout.
func descending(t hlo.Type) hlo.Type {
	switch t := t.(type) {
	case *hlo.TupleType:
		out := &hlo.TupleType{}
		for _, e := range t.Elems {
			out.Elems = append(out.Elems, descending(e))
		}
		return out
	case *hlo.TensorType:
		x := *t
		l := &hlo.Layout{}
		for i := len(t.Dims) - 1; i >= 0; i-- {
			l.MinorToMajor = append(l.MinorToMajor, int64(i))
		}
		x.Encoding = l
		return &x
	}
	return t
}

func writeValues(w *buf, d *hlo.DenseAttr, t *hlo.TensorType) {
	n, ok := t.NumElements()
	size := t.Elem.Size()
	if !ok || n > maxLiteralBytes/int64(size) {
		fail(CodeLimit, "constant of shape %s is dynamic or too large", shapeText(t))
	}
	data := d.Data.Data
	if d.Splat {
		data = make([]byte, 0, int(n)*size)
		for range n {
			data = append(data, d.Data.Data[:size]...)
		}
	}
	if n == 0 {
		return
	}
	p := prims[primByTy[t.Elem]]
	f := protowire.Number(p.field)
	switch p.form {
	case litVarint:
		var out []byte
		for i := 0; i < len(data); i += size {
			var v uint64
			for k := range size {
				v |= uint64(data[i+k]) << (8 * k)
			}
			if t.Elem.IsInt() && t.Elem.IsSigned() && size < 8 {
				v = uint64(int64(v<<(64-8*size)) >> (64 - 8*size))
			}
			out = protowire.AppendVarint(out, v)
		}
		w.bytes(f, out)
	case litFixed, litBytes:
		w.bytes(f, data)
	case litNarrow:
		bits := t.Elem.Bits()
		per := 8 / bits
		out := make([]byte, (len(data)+per-1)/per)
		for i, v := range data {
			out[i/per] |= v & (1<<bits - 1) << (bits * (i % per))
		}
		w.bytes(f, out)
	}
}
