package hlotext

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// prims are HLO's names of element types.
var prims = map[string]dtype.Type{
	"pred": dtype.I1, "s2": dtype.I2, "s4": dtype.I4, "s8": dtype.I8, "s16": dtype.I16, "s32": dtype.I32, "s64": dtype.I64,
	"u2": dtype.U2, "u4": dtype.U4, "u8": dtype.U8, "u16": dtype.U16, "u32": dtype.U32, "u64": dtype.U64,
	"f4e2m1fn": dtype.F4E2M1FN, "f8e3m4": dtype.F8E3M4, "f8e4m3": dtype.F8E4M3, "f8e4m3fn": dtype.F8E4M3FN,
	"f8e4m3fnuz": dtype.F8E4M3FNUZ, "f8e4m3b11fnuz": dtype.F8E4M3B11FNUZ, "f8e5m2": dtype.F8E5M2,
	"f8e5m2fnuz": dtype.F8E5M2FNUZ, "f8e8m0fnu": dtype.F8E8M0FNU, "bf16": dtype.BF16, "f16": dtype.F16,
	"f32": dtype.F32, "f64": dtype.F64, "c64": dtype.C64, "c128": dtype.C128,
}

var primNames = func() map[dtype.Type]string {
	out := map[dtype.Type]string{}
	for n, t := range prims {
		out[t] = n
	}
	return out
}()

// PrimName is HLO's name of an element type, "" if it has none.
func PrimName(t dtype.Type) string { return primNames[t] }

// maxRank bounds the dimensions of a shape.
const maxRank = 64

// atShape reports whether a shape begins at the position.
func (p *parser) atShape() bool {
	switch c := p.peek(); {
	case c == '(':
		return true
	case c == 'b' && p.at(1) == '(':
		return true
	case c < 'a' || c > 'z':
		return false
	}
	i := p.pos
	for i < len(p.src) && (p.src[i] >= 'a' && p.src[i] <= 'z' || p.src[i] >= '0' && p.src[i] <= '9') {
		i++
	}
	return i < len(p.src) && p.src[i] == '['
}

// shape reads a shape. Equal texts share one type, which nobody may change.
func (p *parser) shape(depth int) hlo.Type {
	if depth > maxDepth {
		p.fail(CodeLimit, "tuple shapes nest deeper than %d", maxDepth)
	}
	if p.accept('(') {
		t := &hlo.TupleType{}
		if p.accept(')') {
			return t
		}
		for {
			t.Elems = append(t.Elems, p.shape(depth+1))
			if p.accept(')') {
				return t
			}
			p.expect(',')
		}
	}
	if !p.atShape() {
		p.fail(CodeShape, "expected a shape, found %s", p.found())
	}
	if p.at(1) == '(' { // a buffer, b(f32[2])
		p.pos += 2
		t := hlo.OpaqueType{Text: "b(" + ShapeString(p.shape(depth+1)) + ")"}
		p.expect(')')
		return t
	}
	start := p.pos
	close := bytes.IndexByte(p.src[p.pos:], ']')
	if close < 0 {
		p.fail(CodeShape, "extents are not closed")
	}
	end := p.pos + close + 1
	dimsEnd := end
	// A layout follows at once; a brace that opens a computation has something else behind it.
	if k := end; k < len(p.src) && p.src[k] == '{' {
		for k++; k < len(p.src) && p.src[k] == ' '; k++ {
		}
		if k < len(p.src) && (p.src[k] >= '0' && p.src[k] <= '9' || p.src[k] == ':' || p.src[k] == '}') {
			if end = balanced(p.src, end); end < 0 {
				p.fail(CodeShape, "layout is not closed")
			}
		}
	}
	if t := p.shapes[string(p.src[start:end])]; t != nil {
		p.skipTo(end)
		return t
	}
	t := p.array(start, dimsEnd, end)
	p.shapes[string(p.src[start:end])] = t
	p.skipTo(end)
	return t
}

// array builds the type of f32[2,3]{1,0}: dims end at dimsEnd, the layout at end.
func (p *parser) array(start, dimsEnd, end int) hlo.Type {
	prim, dims, _ := strings.Cut(string(p.src[start:dimsEnd-1]), "[")
	switch prim {
	case "token":
		return hlo.TokenType{}
	case "opaque":
		return hlo.OpaqueType{Text: "opaque[]"}
	}
	elem, ok := prims[prim]
	if !ok {
		p.fail(CodeShape, "alca has no element type %s", prim)
	}
	t := &hlo.TensorType{Elem: elem, Dims: []int64{}}
	bounded := false
	var bounds []int64
	if strings.TrimSpace(dims) != "" {
		for i, d := range strings.Split(dims, ",") {
			if i >= maxRank {
				p.fail(CodeLimit, "shape has more than %d dimensions", maxRank)
			}
			d = strings.TrimSpace(d)
			if d == "?" {
				t.Dims, bounds = append(t.Dims, hlo.Dynamic), append(bounds, hlo.Dynamic)
				continue
			}
			n, dynamic := strings.CutPrefix(d, "<=")
			v, err := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
			if err != nil || v < 0 {
				p.fail(CodeShape, "extent %q is not a number from 0 to 2^63-1", d)
			}
			if dynamic {
				bounded = true
				t.Dims, bounds = append(t.Dims, hlo.Dynamic), append(bounds, v)
			} else {
				t.Dims, bounds = append(t.Dims, v), append(bounds, hlo.Dynamic)
			}
		}
	}
	if bounded {
		t.Bounds = bounds
	}
	if t.Static() {
		if n, ok := t.NumElements(); !ok || n > 1<<59 {
			p.fail(CodeShape, "shape %s has too many elements", p.src[start:dimsEnd])
		}
	}
	if end > dimsEnd {
		if l := p.layout(string(p.src[dimsEnd+1:end-1]), len(t.Dims)); l != nil {
			t.Encoding = l
		}
	}
	return t
}

// layout reads what stands between the braces: 1,0:T(8,128)E(4)S(5).
func (p *parser) layout(text string, rank int) *hlo.Layout {
	order, rest, _ := strings.Cut(text, ":")
	l := &hlo.Layout{}
	if order = strings.TrimSpace(order); order != "" {
		seen := make([]bool, rank)
		for _, f := range strings.Split(order, ",") {
			v, err := strconv.ParseInt(strings.TrimSpace(f), 10, 64)
			if err != nil || v < 0 || v >= int64(rank) || seen[v] {
				p.fail(CodeShape, "layout {%s} does not order the %d dimensions", text, rank)
			}
			seen[v] = true
			l.MinorToMajor = append(l.MinorToMajor, v)
		}
	}
	if len(l.MinorToMajor) != rank {
		p.fail(CodeShape, "layout {%s} does not order the %d dimensions", text, rank)
	}
	rest = strings.TrimSpace(rest)
	for rest != "" {
		open := strings.IndexByte(rest, '(')
		end := strings.IndexByte(rest, ')')
		if open < 1 || end < open {
			p.fail(CodeShape, "layout clause %q is malformed", rest)
		}
		kind, arg := strings.TrimSpace(rest[:open]), rest[open+1:end]
		clause := rest[:end+1]
		rest = strings.TrimSpace(rest[end+1:])
		n, err := strconv.ParseInt(strings.TrimSpace(arg), 10, 64)
		switch {
		case kind == "T":
			l.Tiles = append(l.Tiles, p.tile(arg))
			for strings.HasPrefix(rest, "(") { // T(8,128)(2,1)
				end := strings.IndexByte(rest, ')')
				if end < 0 {
					p.fail(CodeShape, "layout {%s} is malformed", text)
				}
				l.Tiles = append(l.Tiles, p.tile(rest[1:end]))
				rest = strings.TrimSpace(rest[end+1:])
			}
		case kind == "E" && err == nil:
			l.ElemBits = n
		case kind == "S" && err == nil:
			l.Space = n
		case kind == "L" && err == nil:
			l.Tail = n
		default:
			l.Rest += clause
		}
	}
	if rank == 0 && l.Tiles == nil && l.ElemBits == 0 && l.Space == 0 && l.Tail == 0 && l.Rest == "" {
		return nil
	}
	return l
}

func (p *parser) tile(arg string) []int64 {
	var out []int64
	for _, f := range strings.Split(arg, ",") {
		if f = strings.TrimSpace(f); f == "*" {
			out = append(out, hlo.TileCombine)
			continue
		}
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil || v < 0 {
			p.fail(CodeShape, "tile (%s) is malformed", arg)
		}
		out = append(out, v)
	}
	return out
}

// ShapeString is HLO's spelling of a type, with its layout where it has one.
func ShapeString(t hlo.Type) string { return string(appendShape(nil, t)) }

func appendShape(b []byte, t hlo.Type) []byte {
	switch t := t.(type) {
	case *hlo.TupleType:
		b = append(b, '(')
		for i, e := range t.Elems {
			if i > 0 {
				b = append(b, ", "...)
				if i%5 == 0 {
					b = append(b, "/*index="...)
					b = strconv.AppendInt(b, int64(i), 10)
					b = append(b, "*/"...)
				}
			}
			b = appendShape(b, e)
		}
		return append(b, ')')
	case hlo.TokenType:
		return append(b, "token[]"...)
	case hlo.OpaqueType:
		return append(b, t.Text...)
	case *hlo.TensorType:
		b = append(b, primNames[t.Elem]...)
		b = append(b, '[')
		for i, d := range t.Dims {
			if i > 0 {
				b = append(b, ',')
			}
			switch {
			case d >= 0:
				b = strconv.AppendInt(b, d, 10)
			case i < len(t.Bounds) && t.Bounds[i] >= 0:
				b = strconv.AppendInt(append(b, "<="...), t.Bounds[i], 10)
			default:
				b = append(b, '?')
			}
		}
		b = append(b, ']')
		if l, ok := t.Encoding.(*hlo.Layout); ok {
			b = appendLayout(b, l)
		}
	}
	return b
}

func appendLayout(b []byte, l *hlo.Layout) []byte {
	b = appendInts(append(b, '{'), l.MinorToMajor)
	mark := len(b)
	b = append(b, ':')
	for i, t := range l.Tiles {
		if i == 0 {
			b = append(b, 'T')
		}
		b = append(b, '(')
		for k, d := range t {
			if k > 0 {
				b = append(b, ',')
			}
			if d == hlo.TileCombine {
				b = append(b, '*')
			} else {
				b = strconv.AppendInt(b, d, 10)
			}
		}
		b = append(b, ')')
	}
	for _, c := range []struct {
		k byte
		v int64
	}{{'L', l.Tail}, {'E', l.ElemBits}, {'S', l.Space}} {
		if c.v != 0 {
			b = strconv.AppendInt(append(b, c.k, '('), c.v, 10)
			b = append(b, ')')
		}
	}
	b = append(b, l.Rest...)
	if len(b) == mark+1 {
		b = b[:mark]
	}
	return append(b, '}')
}

func appendInts(b []byte, v []int64) []byte {
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, x, 10)
	}
	return b
}
