package hlopb

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/alcadev/alca/internal/diag"
)

// msg is a parsed message: its fields in order. Sub-messages stay bytes until they are asked for.
type msg struct {
	fields []field
}

type field struct {
	num protowire.Number
	typ protowire.Type
	v   uint64
	b   []byte
}

// bail carries a diagnostic to the entry points, which recover it.
type bail struct{ err error }

func fail(code, format string, args ...any) {
	panic(bail{diag.Errorf(code, diag.Loc{}, format, args...)})
}

// parse splits a message into fields.
func parse(b []byte) msg {
	var m msg
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			fail(CodeWire, "a field begins with no valid tag")
		}
		b = b[n:]
		f := field{num: num, typ: typ}
		switch typ {
		case protowire.VarintType:
			f.v, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			f.v = uint64(v)
		case protowire.Fixed64Type:
			f.v, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.b, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			fail(CodeWire, "field %d is cut off", num)
		}
		b = b[n:]
		m.fields = append(m.fields, f)
	}
	return m
}

// last returns the field that counts when one is given several times.
func (m msg) last(num protowire.Number, typ protowire.Type) *field {
	for i := len(m.fields) - 1; i >= 0; i-- {
		if m.fields[i].num == num && m.fields[i].typ == typ {
			return &m.fields[i]
		}
	}
	return nil
}

func (m msg) has(num protowire.Number) bool {
	for i := range m.fields {
		if m.fields[i].num == num {
			return true
		}
	}
	return false
}

func (m msg) int(num protowire.Number) int64 {
	if f := m.last(num, protowire.VarintType); f != nil {
		return int64(f.v)
	}
	return 0
}

func (m msg) bool(num protowire.Number) bool { return m.int(num) != 0 }

func (m msg) str(num protowire.Number) string {
	if f := m.last(num, protowire.BytesType); f != nil {
		return string(f.b)
	}
	return ""
}

// bytes joins nothing: repeated bytes are read with subs.
func (m msg) bytes(num protowire.Number) []byte {
	if f := m.last(num, protowire.BytesType); f != nil {
		return f.b
	}
	return nil
}

// sub returns the sub-message num and whether it is there. Parts given separately are merged, as protobuf demands.
func (m msg) sub(num protowire.Number) (msg, bool) {
	var out msg
	ok := false
	for i := range m.fields {
		if m.fields[i].num == num && m.fields[i].typ == protowire.BytesType {
			out.fields = append(out.fields, parse(m.fields[i].b).fields...)
			ok = true
		}
	}
	return out, ok
}

func (m msg) subs(num protowire.Number) []msg {
	var out []msg
	for i := range m.fields {
		if m.fields[i].num == num && m.fields[i].typ == protowire.BytesType {
			out = append(out, parse(m.fields[i].b))
		}
	}
	return out
}

func (m msg) strs(num protowire.Number) []string {
	var out []string
	for i := range m.fields {
		if m.fields[i].num == num && m.fields[i].typ == protowire.BytesType {
			out = append(out, string(m.fields[i].b))
		}
	}
	return out
}

// ints reads a repeated varint, packed or not.
func (m msg) ints(num protowire.Number) []int64 {
	out := []int64{}
	for i := range m.fields {
		f := &m.fields[i]
		if f.num != num {
			continue
		}
		switch f.typ {
		case protowire.VarintType:
			out = append(out, int64(f.v))
		case protowire.BytesType:
			for b := f.b; len(b) > 0; {
				v, n := protowire.ConsumeVarint(b)
				if n < 0 {
					fail(CodeWire, "packed field %d is cut off", num)
				}
				out = append(out, int64(v))
				b = b[n:]
			}
		}
	}
	return out
}

// buf builds a message. Zero scalars are left out, as in proto3.
type buf []byte

func (w *buf) int(num protowire.Number, v int64) {
	if v != 0 {
		w.varint(num, uint64(v))
	}
}

func (w *buf) varint(num protowire.Number, v uint64) {
	*w = protowire.AppendVarint(protowire.AppendTag(*w, num, protowire.VarintType), v)
}

func (w *buf) bool(num protowire.Number, v bool) {
	if v {
		w.varint(num, 1)
	}
}

func (w *buf) float(num protowire.Number, v float32) {
	if v != 0 {
		*w = protowire.AppendFixed32(protowire.AppendTag(*w, num, protowire.Fixed32Type), math.Float32bits(v))
	}
}

func (w *buf) str(num protowire.Number, s string) {
	if s != "" {
		*w = protowire.AppendString(protowire.AppendTag(*w, num, protowire.BytesType), s)
	}
}

// bytes writes a field even when it is empty: a sub-message, or an element of a repeated field.
func (w *buf) bytes(num protowire.Number, b []byte) {
	*w = protowire.AppendBytes(protowire.AppendTag(*w, num, protowire.BytesType), b)
}

func (w *buf) ints(num protowire.Number, v []int64) {
	if len(v) == 0 {
		return
	}
	var p []byte
	for _, x := range v {
		p = protowire.AppendVarint(p, uint64(x))
	}
	w.bytes(num, p)
}
