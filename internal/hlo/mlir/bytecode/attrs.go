package bytecode

import (
	"fmt"
	"math"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// enum is a decoded VHLO enum attribute.
type enum struct{ kind, value string }

// location is a decoded location.
type location struct {
	loc  diag.Loc
	name string
}

const maxDepth = 512

// decode runs f on an entry once.
func (f *file) decode(kind string, list []entry, i int, s *stream, run func(e *entry, d *stream) any) any {
	if i < 0 || i >= len(list) {
		s.fail(CodeFormat, "%s %d of %d", kind, i, len(list))
	}
	e := &list[i]
	if e.done {
		return e.val
	}
	if e.busy || f.depth > maxDepth {
		s.fail(CodeFormat, "%s %d refers to itself or nests too deeply", kind, i)
	}
	e.busy = true
	f.depth++
	d := &stream{b: e.data, base: e.base, file: f.name}
	e.val = run(e, d)
	f.depth--
	e.busy, e.done = false, true
	return e.val
}

// attr returns attribute i.
func (f *file) attr(s *stream, i int) any {
	return f.decode("attribute", f.attrs, i, s, func(e *entry, d *stream) any {
		if !e.custom {
			return hlo.OpaqueAttr{Text: d.cstring()}
		}
		switch e.dialect {
		case "builtin":
			return f.builtinAttr(d)
		case "vhlo":
			return f.vhloAttr(d)
		}
		d.fail(CodeAttr, "attribute of dialect %s has no known encoding", e.dialect)
		return nil
	})
}

func (f *file) attrRef(d *stream) any { return f.attr(d, int(d.varint())) }

// builtinAttr decodes the builtin dialect's attributes; kinds that only carry locations yield a location.
func (f *file) builtinAttr(d *stream) any {
	switch code := d.varint(); code {
	case 0:
		a := hlo.ArrayAttr{}
		for range d.count(1) {
			a.Elems = append(a.Elems, f.asAttr(d, f.attrRef(d)))
		}
		return a
	case 1:
		a := hlo.DictAttr{}
		for range d.count(2) {
			k, v := f.attrRef(d), f.attrRef(d)
			name, _ := k.(hlo.StringAttr)
			a.Entries = append(a.Entries, hlo.NamedAttr{Name: name.Value, Attr: f.asAttr(d, v)})
		}
		return a
	case 2:
		return hlo.StringAttr{Value: f.str(d, int(d.varint()))}
	case 3:
		v := f.str(d, int(d.varint()))
		f.typ(d, int(d.varint()))
		return hlo.StringAttr{Value: v}
	case 4:
		n, _ := f.attrRef(d).(hlo.StringAttr)
		return hlo.SymbolAttr{Path: []string{n.Value}}
	case 5:
		n, _ := f.attrRef(d).(hlo.StringAttr)
		a := hlo.SymbolAttr{Path: []string{n.Value}}
		for range d.count(1) {
			if x, ok := f.attrRef(d).(hlo.SymbolAttr); ok {
				a.Path = append(a.Path, x.Path...)
			}
		}
		return a
	case 6:
		return hlo.TypeAttr{Type: f.typ(d, int(d.varint()))}
	case 7:
		return hlo.UnitAttr{}
	case 8, 9: // an integer or float with its type
		return f.number(d, f.typ(d, int(d.varint())))
	case 10:
		f.attrRef(d)
		c, _ := f.attrRef(d).(location)
		return c
	case 11:
		n, _ := f.attrRef(d).(hlo.StringAttr)
		return location{loc: diag.Loc{File: n.Value, Line: int(d.varint() & 0xFFFFFFF), Col: int(d.varint() & 0xFFFFFFF)}}
	case 12, 13:
		var first location
		for i := range d.count(1) {
			if l, ok := f.attrRef(d).(location); ok && (i == 0 || first == (location{})) {
				first = l
			}
		}
		return first
	case 14:
		n, _ := f.attrRef(d).(hlo.StringAttr)
		l, _ := f.attrRef(d).(location)
		l.name = n.Value
		return l
	case 15:
		return location{}
	case 22:
		n, _ := f.attrRef(d).(hlo.StringAttr)
		l := location{loc: diag.Loc{File: n.Value}}
		k := d.count(1)
		for i := range k {
			v := int(d.varint() & 0xFFFFFFF)
			switch i {
			case 0:
				l.loc.Line = v
			case 1:
				l.loc.Col = v
			}
		}
		return l
	}
	return location{} // kinds added later are locations or metadata: unknown
}

// vhloAttr decodes the VHLO dialect's attributes.
func (f *file) vhloAttr(d *stream) any {
	code := d.varint()
	if e, ok := enums[code]; ok {
		v := d.varint()
		if v >= uint64(len(e.values)) || e.values[v] == "" {
			d.fail(CodeAttr, "%s %d is unknown", e.kind, v)
		}
		return enum{e.kind, e.values[v]}
	}
	switch code {
	case 1:
		a := hlo.ArrayAttr{}
		for range d.count(1) {
			a.Elems = append(a.Elems, f.asAttr(d, f.attrRef(d)))
		}
		return a
	case 2:
		return hlo.BoolAttr{Value: d.varint() != 0}
	case 6:
		a := hlo.DictAttr{}
		for range d.count(2) {
			k, v := f.attrRef(d), f.attrRef(d)
			name, _ := k.(hlo.StringAttr)
			a.Entries = append(a.Entries, hlo.NamedAttr{Name: name.Value, Attr: f.asAttr(d, v)})
		}
		return a
	case 8, 9:
		return f.number(d, f.typ(d, int(d.varint())))
	case 10:
		a := &hlo.OutputOperandAlias{OutputTuple: d.svarints()}
		a.Operand = d.svarint()
		a.OperandTuple = d.svarints()
		return a
	case 14:
		return hlo.StringAttr{Value: f.str(d, int(d.varint()))}
	case 15:
		return f.tensorAttr(d)
	case 17:
		return hlo.TypeAttr{Type: f.typ(d, int(d.varint()))}
	case 18:
		return hlo.TypeExtensions{Bounds: dynDims(d.svarints())}
	case 20:
		at, rt := d.f64(), d.f64()
		u := d.svarint()
		m, _ := f.attrRef(d).(enum)
		if m.value == "DEFAULT" && at == 0 && rt == 0 && u == 0 {
			return nil
		}
		return hlo.OpaqueAttr{Text: accuracyText(at, rt, u, m.value)}
	}
	if 21 <= code && code <= 25 {
		return f.meshAttr(d, code)
	}
	d.fail(CodeAttr, "VHLO attribute code %d is unknown", code)
	return nil
}

// meshAttr decodes the attributes of sharded collectives to their printed form: sub-axis, axis reference, replica
// groups over mesh axes, mesh axis and mesh.
func (f *file) meshAttr(d *stream, code uint64) any {
	text := func(v any) string {
		switch v := v.(type) {
		case hlo.StringAttr:
			return v.Value
		case hlo.OpaqueAttr:
			return v.Text
		case hlo.SymbolAttr:
			return strings.Join(v.Path, "::")
		case hlo.ArrayAttr:
			parts := make([]string, len(v.Elems))
			for i, e := range v.Elems {
				if o, ok := e.(hlo.OpaqueAttr); ok {
					parts[i] = o.Text
				}
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
		d.fail(CodeAttr, "a mesh attribute has no form here")
		return ""
	}
	switch code {
	case 21:
		pre, size := d.svarint(), d.svarint()
		return hlo.OpaqueAttr{Text: fmt.Sprintf("(%d)%d", pre, size)}
	case 22:
		t := fmt.Sprintf("#stablehlo.axis_ref<name = %q", text(f.attrRef(d)))
		if d.varint() != 0 {
			t += ", sub_axis_info = " + text(f.attrRef(d))
		}
		return hlo.OpaqueAttr{Text: t + ">"}
	case 23:
		mesh := text(f.attrRef(d))
		return hlo.OpaqueAttr{Text: fmt.Sprintf("#stablehlo.replica_group_mesh_axes<mesh = @%s, axes = %s>", mesh, text(f.attrRef(d)))}
	case 24:
		name := text(f.attrRef(d))
		return hlo.OpaqueAttr{Text: fmt.Sprintf("%q=%d", name, d.svarint())}
	}
	return hlo.OpaqueAttr{Text: "#stablehlo.mesh<" + text(f.attrRef(d)) + ">"}
}

func (d *stream) svarints() []int64 {
	n := d.count(1)
	out := make([]int64, n)
	for i := range out {
		out[i] = d.svarint()
	}
	return out
}

// f64 reads a float's bit pattern, coded like an integer of its width.
func (d *stream) f64() float64 { return math.Float64frombits(uint64(d.svarint())) }

func dynDims(v []int64) []int64 {
	for i, x := range v {
		if x == math.MinInt64 {
			v[i] = hlo.Dynamic
		}
	}
	return v
}

// number decodes an integer or float of a type: up to eight bits one byte, else a signed varint.
func (f *file) number(d *stream, t hlo.Type) any {
	tt, ok := t.(scalarType)
	if !ok {
		d.fail(CodeFormat, "a number has type %s", hlo.TypeString(t))
	}
	bits := uint64(0)
	if tt.t.Bits() <= 8 {
		bits = uint64(d.byte())
	} else {
		bits = uint64(d.svarint())
	}
	if tt.t.IsFloat() {
		if n := tt.t.Bits(); n < 64 {
			bits &= 1<<n - 1
		}
		return hlo.FloatAttr{Value: tt.t.FloatOf(bits), Type: tt.t}
	}
	v := int64(bits)
	if n := tt.t.Bits(); n <= 8 && tt.t.IsSigned() {
		v = int64(bits) << (64 - n) >> (64 - n)
	}
	if tt.t == dtype.I1 {
		return hlo.BoolAttr{Value: v != 0}
	}
	return hlo.IntAttr{Value: v, Type: tt.t, Index: tt.index}
}

// tensorAttr decodes a dense constant: raw little-endian elements, one for a splat; i1 may be packed.
func (f *file) tensorAttr(d *stream) any {
	t, ok := f.typ(d, int(d.varint())).(*hlo.TensorType)
	if !ok {
		d.fail(CodeFormat, "a constant has a type that is no tensor")
	}
	n, ok := t.NumElements()
	raw := d.bytes(d.count(1))
	elem := t.Elem
	size := elem.Size()
	if !ok {
		d.fail(CodeFormat, "a constant has type %s", t)
	}
	a := &hlo.DenseAttr{Type: t}
	one := func(b []byte) {
		a.Splat = n != 1
		a.Data = &tensor.Tensor{Type: elem, Data: append(make([]byte, 0, 16), b...)}
		if !a.Splat {
			a.Data.Shape = shapeOf(t)
		}
	}
	if elem == dtype.I1 {
		switch {
		case len(raw) == 1 && (raw[0] == 0xFF || raw[0] == 0):
			one([]byte{raw[0] & 1})
			return a
		case int64(len(raw)) == n && n != 1:
			a.Data = tensor.New(elem, shapeOf(t)...)
			for i, b := range raw {
				if b != 0 {
					a.Data.Data[i] = 1
				}
			}
			return a
		case int64(len(raw)) == (n+7)/8:
			a.Data = tensor.New(elem, shapeOf(t)...)
			for i := range a.Data.Data {
				a.Data.Data[i] = raw[i/8] >> (i % 8) & 1
			}
			return a
		}
	}
	switch {
	case len(raw) == size && n != 0:
		one(raw)
	case int64(len(raw)) == n*int64(size):
		a.Data = tensor.New(elem, shapeOf(t)...)
		copy(a.Data.Data, raw)
	case elem.Bits() < 8 && int64(len(raw))*8 >= n*int64(elem.Bits()) && int64(len(raw)) <= n: // packed sub-byte values
		a.Data = tensor.New(elem, shapeOf(t)...)
		per := 8 / elem.Bits()
		for i := range a.Data.Data {
			a.Data.Data[i] = raw[i/per] >> (i % per * elem.Bits()) & (1<<elem.Bits() - 1)
		}
	default:
		d.fail(CodeFormat, "a constant of type %s has %d bytes", t, len(raw))
	}
	return a
}

func shapeOf(t *hlo.TensorType) []int {
	out := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		out[i] = int(d)
	}
	return out
}

// asAttr turns a decoded value into an attribute of the IR.
func (f *file) asAttr(d *stream, v any) hlo.Attr {
	switch v := v.(type) {
	case hlo.Attr:
		return v
	case enum:
		return hlo.EnumAttr{Kind: v.kind, Value: v.value}
	case nil, location:
		return hlo.UnitAttr{}
	}
	d.fail(CodeAttr, "an attribute has no form here")
	return nil
}

type enumDef struct {
	kind   string
	values []string
}

// enums are the VHLO enum attributes by code.
var enums = map[uint64]enumDef{
	3:  {"comparison_direction", []string{"EQ", "NE", "GE", "GT", "LE", "LT"}},
	4:  {"comparison_type", []string{"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
	5:  {"custom_call_api_version", []string{"0", "1", "2", "3", "4"}},
	7:  {"fft_type", []string{"FFT", "IFFT", "RFFT", "IRFFT"}},
	11: {"precision", []string{"DEFAULT", "HIGH", "HIGHEST"}},
	12: {"rng_algorithm", []string{"DEFAULT", "THREE_FRY", "PHILOX"}},
	13: {"rng_distribution", []string{"", "UNIFORM", "NORMAL"}},
	16: {"transpose", []string{"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
	19: {"result_accuracy_mode", []string{"DEFAULT", "HIGHEST", "TOLERANCE"}},
}
