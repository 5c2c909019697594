package bytecode

import (
	"fmt"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// scalarType is an element type on its own; it never reaches a value.
type scalarType struct {
	t     dtype.Type
	index bool
	quant *hlo.QuantType
	none  bool
	hlo.OpaqueType
}

// scalars are the VHLO element types by code.
var scalars = map[uint64]dtype.Type{
	0: dtype.I1, 2: dtype.BF16, 3: dtype.F16, 4: dtype.F32, 5: dtype.F64, 6: dtype.F8E4M3FN, 7: dtype.F8E5M2, 10: dtype.I4, 11: dtype.I8,
	12: dtype.I16, 13: dtype.I32, 14: dtype.I64, 15: dtype.U4, 16: dtype.U8, 17: dtype.U16, 18: dtype.U32, 19: dtype.U64, 27: dtype.F8E4M3FNUZ,
	28: dtype.F8E5M2FNUZ, 29: dtype.F8E4M3B11FNUZ, 31: dtype.I2, 32: dtype.U2, 34: dtype.TF32, 35: dtype.F8E4M3, 36: dtype.F8E3M4, 37: dtype.F4E2M1FN,
	38: dtype.F6E2M3FN, 39: dtype.F6E3M2FN, 40: dtype.F8E8M0FNU,
}

// typ returns type i.
func (f *file) typ(s *stream, i int) hlo.Type {
	v := f.decode("type", f.types, i, s, func(e *entry, d *stream) any {
		if !e.custom {
			return hlo.OpaqueType{Text: d.cstring()}
		}
		switch e.dialect {
		case "vhlo":
			return f.vhloType(d)
		case "builtin":
			return f.builtinType(d)
		}
		d.fail(CodeAttr, "type of dialect %s has no known encoding", e.dialect)
		return nil
	})
	t, ok := v.(hlo.Type)
	if !ok {
		s.fail(CodeFormat, "type %d has no form here", i)
	}
	return t
}

func (f *file) typRef(d *stream) hlo.Type { return f.typ(d, int(d.varint())) }

func (f *file) typList(d *stream) []hlo.Type {
	out := make([]hlo.Type, d.count(1))
	for i := range out {
		out[i] = f.typRef(d)
	}
	return out
}

func (f *file) vhloType(d *stream) hlo.Type {
	code := d.varint()
	if t, ok := scalars[code]; ok {
		return scalarType{t: t}
	}
	switch code {
	case 1:
		e, _ := f.typRef(d).(scalarType)
		if e.t == dtype.F64 {
			return scalarType{t: dtype.C128}
		}
		return scalarType{t: dtype.C64}
	case 8:
		return &hlo.FuncType{Ins: f.typList(d), Outs: f.typList(d)}
	case 9:
		return scalarType{t: dtype.I64, index: true}
	case 20:
		dims := dynDims(d.svarints())
		return f.tensorOf(d, dims, f.typRef(d))
	case 21:
		enc := f.attrRef(d)
		dims := dynDims(d.svarints())
		t := f.tensorOf(d, dims, f.typRef(d))
		if x, ok := enc.(hlo.TypeExtensions); ok {
			t.Bounds = x.Bounds
		} else {
			t.Encoding = f.asAttr(d, enc)
		}
		return t
	case 22:
		return hlo.TokenType{}
	case 23:
		return &hlo.TupleType{Elems: f.typList(d)}
	case 24:
		flags := d.varint()
		st, ex := f.scalar(d), f.scalar(d)
		q := &hlo.QuantType{Axis: -1, Storage: st, Expressed: ex, Scales: []float64{d.f64()}, ZeroPoints: []int64{d.svarint()}}
		q.Min, q.Max = d.svarint(), d.svarint()
		return f.quant(q, flags)
	case 25:
		e, _ := f.typRef(d).(scalarType)
		return &hlo.TensorType{Elem: e.t, Quant: e.quant, Unranked: true}
	case 30:
		flags := d.varint()
		st, ex := f.scalar(d), f.scalar(d)
		q := &hlo.QuantType{Storage: st, Expressed: ex, Axis: int(d.varint() & 0xFFFF)}
		q.Min, q.Max = d.svarint(), d.svarint()
		for range d.count(1) {
			q.Scales = append(q.Scales, d.f64())
		}
		q.ZeroPoints = d.svarints()
		return f.quant(q, flags)
	case 33:
		return scalarType{none: true}
	case 41: // a buffer: dims and element type
		dims := dynDims(d.svarints())
		return hlo.OpaqueType{Text: strings.Replace(f.tensorOf(d, dims, f.typRef(d)).String(), "tensor<", "memref<", 1)}
	case 42: // a future of types
		parts := []string{}
		for _, t := range f.typList(d) {
			parts = append(parts, hlo.TypeString(t))
		}
		return hlo.OpaqueType{Text: "!stablehlo.future<" + strings.Join(parts, ", ") + ">"}
	case 26:
		return hlo.OpaqueType{Text: "!shape.witness"}
	}
	d.fail(CodeAttr, "VHLO type code %d is unknown", code)
	return nil
}

func (f *file) scalar(d *stream) dtype.Type {
	e, ok := f.typRef(d).(scalarType)
	if !ok {
		d.fail(CodeFormat, "an element type was expected")
	}
	return e.t
}

func (f *file) quant(q *hlo.QuantType, flags uint64) hlo.Type {
	if flags&1 == 0 && q.Storage.IsSigned() { // unsigned storage
		switch q.Storage {
		case dtype.I8:
			q.Storage = dtype.U8
		case dtype.I16:
			q.Storage = dtype.U16
		case dtype.I32:
			q.Storage = dtype.U32
		case dtype.I4:
			q.Storage = dtype.U4
		}
	}
	lo, hi := q.Storage.IntRange()
	q.DefaultMin = q.Min == lo && q.Max == hi
	return scalarType{t: q.Storage, quant: q}
}

func (f *file) tensorOf(d *stream, dims []int64, e hlo.Type) *hlo.TensorType {
	s, ok := e.(scalarType)
	if !ok || s.none {
		d.fail(CodeFormat, "a tensor has elements of type %s", hlo.TypeString(e))
	}
	for _, n := range dims {
		if n < hlo.Dynamic {
			d.fail(CodeFormat, "a tensor has extent %d", n)
		}
	}
	return &hlo.TensorType{Dims: dims, Elem: s.t, Quant: s.quant, Index: s.index}
}

// builtinType decodes the few builtin types that appear in properties of old artefacts.
func (f *file) builtinType(d *stream) hlo.Type {
	code := d.varint()
	switch code {
	case 0: // integer: width << 2 | signedness
		v := d.varint()
		t, ok := dtype.Parse(fmt.Sprintf("%si%d", map[uint64]string{2: "u"}[v&3], v>>2))
		if !ok {
			d.fail(CodeAttr, "integer type of width %d", v>>2)
		}
		return scalarType{t: t}
	case 1:
		return scalarType{t: dtype.I64, index: true}
	case 2:
		return &hlo.FuncType{Ins: f.typList(d), Outs: f.typList(d)}
	case 3:
		return scalarType{t: dtype.BF16}
	case 4:
		return scalarType{t: dtype.F16}
	case 5:
		return scalarType{t: dtype.F32}
	case 6:
		return scalarType{t: dtype.F64}
	}
	d.fail(CodeAttr, "builtin type code %d is unknown", code)
	return nil
}

func accuracyText(at, rt float64, ulps int64, mode string) string {
	return fmt.Sprintf("#stablehlo.result_accuracy<atol = %s, rtol = %s, ulps = %d, mode = #stablehlo.result_accuracy_mode<%s>>", sci(at), sci(rt), ulps, mode)
}

func sci(v float64) string { return fmt.Sprintf("%e", v) }
