package mlir

import (
	"slices"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// parseType parses any type.
func (p *parser) parseType() hlo.Type {
	p.enter()
	defer p.leave()
	t := p.tok
	switch {
	case t.kind == tBang:
		return p.dialectType()
	case p.isPunct('('):
		ins := p.typeListParen()
		p.expectKind(tArrow, "'->' of a function type")
		return &hlo.FuncType{Ins: ins, Outs: p.resultTypes()}
	case t.kind == tWord:
		switch w := p.word(); w {
		case "tensor":
			return p.tensorType()
		case "tuple":
			p.advance()
			return p.tupleType()
		case "none", "index":
			p.advance()
			return hlo.OpaqueType{Text: w}
		case "complex", "vector", "memref":
			p.advance()
			if !p.isPunct('<') {
				p.fail("HLO008", "expected '<' after %s", w)
			}
			return hlo.OpaqueType{Text: p.opaqueFrom(t.start)}
		default:
			if isScalarTypeName(w) {
				p.advance()
				return hlo.OpaqueType{Text: w}
			}
			p.failHint("HLO008", suggest(w, typeWords), "unknown type %q", w)
		}
	}
	p.fail("HLO008", "expected a type, found %s", p.describe())
	return nil
}

var typeWords = []string{"tensor", "tuple", "index", "complex", "none", "f32", "bf16", "f16", "f64", "i1", "i8", "i32", "i64", "ui8", "ui32"}

// atType reports whether the current token can only begin a type.
func (p *parser) atType() bool {
	switch p.tok.kind {
	case tBang:
		return true
	case tWord:
		switch w := p.word(); w {
		case "tensor", "tuple", "none", "index", "complex", "vector", "memref":
			return true
		default:
			return isScalarTypeName(w)
		}
	}
	return p.isPunct('(')
}

// isScalarTypeName accepts every element type alca computes with and MLIR's integers of other widths.
func isScalarTypeName(w string) bool {
	if _, ok := elemByName(w); ok {
		return true
	}
	switch w {
	case "f80", "f128":
		return true
	}
	for _, pre := range []string{"si", "ui", "i"} {
		if len(w) > len(pre) && w[:len(pre)] == pre {
			if n, err := strconv.Atoi(w[len(pre):]); err == nil && n > 0 && n < 1<<24 {
				return true
			}
			return false
		}
	}
	return false
}

// elemByName maps a scalar type's name to an element type.
func elemByName(w string) (dtype.Type, bool) {
	switch w { // the common ones, ahead of the search
	case "":
		return dtype.Invalid, false
	case "f32":
		return dtype.F32, true
	case "bf16":
		return dtype.BF16, true
	case "i32":
		return dtype.I32, true
	case "i1":
		return dtype.I1, true
	}
	return dtype.Parse(w)
}

// typeListParen parses (T, U, ...).
func (p *parser) typeListParen() []hlo.Type {
	p.expect('(')
	var ts []hlo.Type
	if !p.isPunct(')') {
		ts = p.typeList()
	}
	p.expect(')')
	return ts
}

// typeList parses T, U, ... of at least one type.
func (p *parser) typeList() []hlo.Type {
	ts := []hlo.Type{p.parseType()}
	for p.accept(',') {
		ts = append(ts, p.parseType())
	}
	return ts
}

// resultTypes parses the part of a function type after its arrow: T or (T, U).
func (p *parser) resultTypes() []hlo.Type {
	if p.isPunct('(') {
		return p.typeListParen()
	}
	return []hlo.Type{p.parseType()}
}

func (p *parser) tupleType() hlo.Type {
	p.expect('<')
	tt := &hlo.TupleType{}
	if !p.isPunct('>') {
		tt.Elems = p.typeList()
	}
	p.expect('>')
	return tt
}

// tensorType parses tensor<4x?xf32, encoding>. The dimension list is scanned character by character,
// because "4x8xf32" is not made of MLIR tokens.
func (p *parser) tensorType() *hlo.TensorType {
	start := p.tok.start
	p.advance()
	if !p.isPunct('<') {
		p.fail("HLO008", "expected '<' after tensor")
	}
	p.pos = p.tok.start + 1
	t := &hlo.TensorType{}
	p.skipSpace()
	if p.lexer.at(p.pos) == '*' {
		p.pos++
		t.Unranked = true
		p.skipSpace()
		if p.lexer.at(p.pos) != 'x' {
			bail("HLO008", p.loc(p.pos), "expected 'x' after '*' of an unranked tensor type")
		}
		p.pos++
	}
	for !t.Unranked {
		p.skipSpace()
		at := p.pos
		switch c := p.lexer.at(p.pos); {
		case c == '?':
			p.pos++
			t.Dims = append(t.Dims, hlo.Dynamic)
		case isDigit(c):
			for isDigit(p.lexer.at(p.pos)) {
				p.pos++
			}
			n, err := strconv.ParseInt(string(p.src[at:p.pos]), 10, 64)
			if err != nil {
				bail("HLO017", p.loc(at), "dimension %s does not fit 64 bits", p.src[at:p.pos])
			}
			t.Dims = append(t.Dims, n)
		default:
			goto elem
		}
		if len(t.Dims) > maxRank {
			bail("HLO004", p.loc(at), "tensor type has more than %d dimensions", maxRank)
		}
		p.skipSpace()
		if p.lexer.at(p.pos) != 'x' {
			bail("HLO008", p.loc(p.pos), "expected 'x' after a dimension of a tensor type")
		}
		p.pos++
	}
elem:
	p.advance()
	p.elemType(t)
	if p.accept(',') {
		p.encoding(t)
	}
	if !p.isPunct('>') {
		p.fail("HLO008", "expected '>' at the end of the tensor type that begins at %s, found %s", p.loc(start), p.describe())
	}
	p.advance()
	return t
}

func (p *parser) elemType(t *hlo.TensorType) {
	switch {
	case p.tok.kind == tBang:
		p.quantType(t)
		return
	case p.tok.kind == tWord && p.word() == "complex":
		p.advance()
		p.expect('<')
		switch p.word() {
		case "f32":
			t.Elem = dtype.C64
		case "f64":
			t.Elem = dtype.C128
		default:
			p.fail("HLO008", "complex numbers are made of f32 or f64, not of %s", p.describe())
		}
		p.advance()
		p.expect('>')
		return
	case p.tok.kind == tWord:
		w := p.word()
		if w == "index" {
			t.Elem, t.Index = dtype.I64, true
			p.advance()
			return
		}
		if e, ok := elemByName(w); ok {
			t.Elem = e
			p.advance()
			return
		}
		p.failHint("HLO008", suggest(w, typeWords), "unknown element type %q", w)
	}
	p.fail("HLO008", "expected an element type, found %s", p.describe())
}

// encoding parses what follows the comma of a tensor type: bounds, or an encoding that is kept as it is.
func (p *parser) encoding(t *hlo.TensorType) {
	at := p.tok.start
	a := p.parseAttr()
	if b, ok := a.(hlo.TypeExtensions); ok {
		if len(b.Bounds) != len(t.Dims) {
			bail("HLO008", p.loc(at), "tensor type has %d dimensions and %d bounds", len(t.Dims), len(b.Bounds))
		}
		for i, d := range t.Dims {
			if d != hlo.Dynamic && b.Bounds[i] != hlo.Dynamic {
				bail("HLO008", p.loc(at), "dimension %d is static (%d) and must not have a bound", i, d)
			}
		}
		t.Bounds = b.Bounds
		return
	}
	if o, ok := a.(hlo.OpaqueAttr); ok {
		t.Encoding = o
		return
	}
	var b strings.Builder
	attrText(&b, a)
	t.Encoding = hlo.OpaqueAttr{Text: b.String()}
}

// sameType reports whether two types are equal in every detail.
func sameType(a, b hlo.Type) bool {
	if ta, ok := a.(*hlo.TensorType); ok {
		tb, ok := b.(*hlo.TensorType)
		if !ok {
			return false
		}
		if ta == tb {
			return true
		}
		if ta.Quant == nil && tb.Quant == nil && ta.Bounds == nil && tb.Bounds == nil && ta.Encoding == nil && tb.Encoding == nil {
			return ta.Elem == tb.Elem && ta.Index == tb.Index && ta.Unranked == tb.Unranked && slices.Equal(ta.Dims, tb.Dims)
		}
	}
	return typeText(a) == typeText(b)
}

// dialectType parses !alias, !stablehlo.token, !quant... (as OpaqueType outside tensors) and keeps others as text.
func (p *parser) dialectType() hlo.Type {
	t := p.tok
	name := p.text(t)
	p.advance()
	switch name {
	case "!stablehlo.token", "!mhlo.token", "!chlo.token":
		return hlo.TokenType{}
	}
	if a, ok := p.typeAliases[name]; ok {
		return a
	}
	if p.isPunct('<') && p.tok.start == t.end {
		return hlo.OpaqueType{Text: p.opaqueFrom(t.start)}
	}
	for i := 0; i < len(name); i++ {
		if name[i] == '.' {
			return hlo.OpaqueType{Text: name}
		}
	}
	bail("HLO014", p.loc(t.start), "type alias %s is not defined", name)
	return nil
}

// quantType parses !quant.uniform<i8<-127:127>:f32:1, {0.1:2, 0.2}> or the per-tensor form with one scale.
func (p *parser) quantType(t *hlo.TensorType) {
	name := p.text(p.tok)
	if a, ok := p.typeAliases[name]; ok {
		o, isOpaque := a.(hlo.OpaqueType)
		if isOpaque && len(o.Text) > 15 && o.Text[:15] == "!quant.uniform<" {
			sub := newParser([]byte(o.Text), p.file)
			sub.depth = p.depth
			sub.advance()
			sub.quantType(t)
			p.advance()
			return
		}
		if isOpaque {
			if e, ok := elemByName(o.Text); ok {
				t.Elem = e
				p.advance()
				return
			}
		}
		p.fail("HLO008", "%s is no element type", name)
	}
	if name != "!quant.uniform" {
		p.failHint("HLO008", "alca knows !quant.uniform<...> among dialect element types", "unsupported element type %s", name)
	}
	p.advance()
	p.expect('<')
	q := &hlo.QuantType{Axis: -1, DefaultMin: true}
	w := p.word()
	st, ok := elemByName(w)
	if !ok || !st.IsInt() {
		p.fail("HLO008", "quantised storage must be an integer type, found %s", p.describe())
	}
	q.Storage = st
	q.Min, q.Max = st.IntRange()
	p.advance()
	if p.accept('<') {
		q.DefaultMin = false
		q.Min = p.int64()
		p.expect(':')
		q.Max = p.int64()
		p.expect('>')
	}
	p.expect(':')
	ex, ok := elemByName(p.word())
	if !ok || !ex.IsFloat() {
		p.fail("HLO008", "quantised values express a float type, found %s", p.describe())
	}
	q.Expressed = ex
	p.advance()
	if p.accept(':') {
		q.Axis = int(p.int64())
	}
	p.expect(',')
	one := func() {
		q.Scales = append(q.Scales, p.float64())
		zp := int64(0)
		if p.accept(':') {
			zp = p.int64()
		}
		q.ZeroPoints = append(q.ZeroPoints, zp)
	}
	if p.accept('{') {
		if q.Axis < 0 {
			p.failHint("HLO008", "write the axis after the expressed type, as in i8:f32:1", "several scales need a quantised dimension")
		}
		for !p.isPunct('}') {
			one()
			if !p.accept(',') {
				break
			}
		}
		p.expect('}')
	} else {
		one()
	}
	p.expect('>')
	t.Quant, t.Elem = q, st
}
