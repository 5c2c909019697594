package hlotext

import (
	"math"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// maxLiteralBytes bounds the value of one constant.
const maxLiteralBytes = 1 << 31

// literal reads the value of a constant of type t; nil means it is elided.
func (p *parser) literal(t hlo.Type, depth int) hlo.Attr {
	if depth > maxDepth {
		p.fail(CodeLimit, "literals nest deeper than %d", maxDepth)
	}
	switch t := t.(type) {
	case *hlo.TupleType:
		var a hlo.ArrayAttr
		p.expect('(')
		for i, e := range t.Elems {
			if i > 0 {
				p.expect(',')
			}
			v := p.literal(e, depth+1)
			if v == nil {
				v = hlo.UnitAttr{}
			}
			a.Elems = append(a.Elems, v)
		}
		p.expect(')')
		return a
	case *hlo.TensorType:
		if p.atShape() && p.peek() != '(' {
			p.shape(0) // a literal may repeat its shape
		}
		if p.elided() {
			return nil
		}
		return p.dense(t)
	case hlo.TokenType:
		p.keyword("token")
		return hlo.UnitAttr{}
	}
	p.fail(CodeLiteral, "there are no constants of type %s", hlo.TypeString(t))
	return nil
}

// elided accepts {...}, at any depth of braces.
func (p *parser) elided() bool {
	p.ws()
	if p.at(0) != '{' {
		return false
	}
	i := p.pos
	for i < len(p.src) && (p.src[i] == '{' || p.src[i] == ' ') {
		i++
	}
	if !strings.HasPrefix(string(p.src[i:min(len(p.src), i+3)]), "...") {
		return false
	}
	end := balanced(p.src, p.pos)
	if end < 0 {
		p.fail(CodeSyntax, "bracket is not closed")
	}
	p.skipTo(end)
	return true
}

// dense reads the elements of an array.
func (p *parser) dense(t *hlo.TensorType) hlo.Attr {
	n, ok := t.NumElements()
	if !ok {
		p.fail(CodeLiteral, "a constant needs a static shape, not %s", ShapeString(t))
	}
	if n > maxLiteralBytes/int64(t.Elem.Size()) {
		p.fail(CodeLimit, "constant %s is larger than %d bytes", ShapeString(t), maxLiteralBytes)
	}
	// Memory is taken as elements arrive, so that a short text cannot ask for much.
	l := &elements{p: p, t: t.Elem, size: t.Elem.Size(), dims: t.Dims}
	if len(t.Dims) == 0 {
		if p.accept('{') { // some tools write scalars in braces
			l.value()
			p.expect('}')
		} else {
			l.value()
		}
	} else if p.peek() == '{' {
		l.level(0)
	} else { // one value for all elements
		l.value()
		x := &tensor.Tensor{Type: t.Elem, Data: l.data}
		return &hlo.DenseAttr{Type: &hlo.TensorType{Elem: t.Elem, Dims: t.Dims}, Splat: true, Data: x}
	}
	if got := int64(len(l.data) / l.size); got != n {
		p.fail(CodeLiteral, "constant %s has %d elements, the text %d", ShapeString(t), n, got)
	}
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	x := tensor.New(t.Elem, shape...)
	copy(x.Data, l.data)
	a := hlo.DenseOf(x)
	return a
}

type elements struct {
	p    *parser
	t    dtype.Type
	size int
	dims []int64
	data []byte
}

// level reads {...} of dimension d.
func (l *elements) level(d int) {
	count := int64(0)
	l.p.list('{', '}', func() {
		count++
		switch {
		case d+1 == len(l.dims):
			l.value()
		default:
			l.level(d + 1)
		}
	})
	if count != l.dims[d] && !(count == 0 && l.dims[d] == 0) {
		l.p.fail(CodeLiteral, "dimension %d has %d entries in the text, its extent is %d", d, count, l.dims[d])
	}
}

// numberText reads the characters a number can have.
func (p *parser) numberText() string {
	p.ws()
	start := p.pos
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if !(isNameByte(c) || c == '+') {
			break
		}
		p.pos++
	}
	if p.at(0) == '(' && strings.HasSuffix(string(p.src[start:p.pos]), "nan") {
		end := balanced(p.src, p.pos)
		if end < 0 {
			p.fail(CodeSyntax, "bracket is not closed")
		}
		p.pos = end
	}
	return string(p.src[start:p.pos])
}

func (l *elements) value() {
	p := l.p
	at := len(l.data)
	l.data = append(l.data, make([]byte, l.size)...)
	dst := l.data[at:]
	switch {
	case l.t.IsComplex():
		half := dtype.F32
		if l.t == dtype.C128 {
			half = dtype.F64
		}
		if p.accept('(') {
			p.float(dst[:l.size/2], half)
			p.expect(',')
			p.float(dst[l.size/2:], half)
			p.expect(')')
			return
		}
		p.float(dst[:l.size/2], half)
	case l.t.IsFloat():
		p.float(dst, l.t)
	default:
		w := p.numberText()
		var v int64
		var err error
		switch {
		case l.t == dtype.I1 && w == "true":
			v = 1
		case l.t == dtype.I1 && w == "false":
		case l.t == dtype.U64:
			var u uint64
			u, err = strconv.ParseUint(w, 0, 64)
			v = int64(u)
			if err != nil { // -1 is the greatest value
				v, err = strconv.ParseInt(w, 0, 64)
			}
		default:
			v, err = strconv.ParseInt(w, 0, 64)
			if lo, hi := l.t.IntRange(); err == nil && (v < lo || v > hi) {
				// A negative number of an unsigned type, or the unsigned value of a signed one, stands for its bits.
				bits := l.t.Bits()
				if bits >= 64 || v >= 1<<bits || v < -1<<(bits-1) {
					p.fail(CodeLiteral, "%s does not fit %s", w, primNames[l.t])
				}
			}
		}
		if err != nil {
			p.fail(CodeLiteral, "%q is no %s", w, primNames[l.t])
		}
		bits := l.t.Bits()
		u := uint64(v)
		if bits < 64 {
			u &= 1<<bits - 1
			if bits < 8 && l.t.IsSigned() && u>>(bits-1) != 0 {
				u |= ^uint64(0) << bits // narrow integers fill their byte
			}
		}
		for i := range dst {
			dst[i] = byte(u >> (8 * i))
		}
	}
}

// float reads a number, inf, nan or nan(0xpayload).
func (p *parser) float(dst []byte, t dtype.Type) {
	w := p.numberText()
	body, neg := strings.CutPrefix(w, "-")
	body = strings.TrimPrefix(body, "+")
	var bits uint64
	switch {
	case body == "nan" || strings.HasPrefix(body, "nan("):
		bits = t.FloatBits(math.NaN())
		if arg := strings.TrimSuffix(strings.TrimPrefix(body, "nan("), ")"); arg != body {
			v, err := strconv.ParseUint(arg, 0, 64)
			if err != nil {
				p.fail(CodeLiteral, "%q is no %s", w, primNames[t])
			}
			if m := mantissaBits(t); m > 0 {
				bits = bits&^(1<<m-1) | v&(1<<m-1)
			}
		}
		if neg {
			bits |= 1 << (t.Bits() - 1)
		}
	case body == "inf" || body == "infinity":
		v := math.Inf(1)
		if neg {
			v = math.Inf(-1)
		}
		bits = t.FloatBits(v)
	default:
		v, err := strconv.ParseFloat(w, 64)
		if t == dtype.F32 {
			// Rounding twice would be wrong in the last bit.
			var x float64
			if x, err = strconv.ParseFloat(w, 32); err == nil || isRange(err) {
				bits, err = uint64(math.Float32bits(float32(x))), nil
			}
			checkNumber(p, w, t, err)
			break
		}
		if isRange(err) {
			err = nil
		}
		checkNumber(p, w, t, err)
		bits = t.FloatBits(v)
	}
	for i := range dst {
		dst[i] = byte(bits >> (8 * i))
	}
}

func checkNumber(p *parser, w string, t dtype.Type, err error) {
	if err != nil {
		p.fail(CodeLiteral, "%q is no %s", w, primNames[t])
	}
}

func isRange(err error) bool {
	ne, ok := err.(*strconv.NumError)
	return ok && ne.Err == strconv.ErrRange
}

// mantissaBits of the types whose NaNs carry a payload.
func mantissaBits(t dtype.Type) int {
	switch t {
	case dtype.F64:
		return 52
	case dtype.F32:
		return 23
	case dtype.F16:
		return 10
	case dtype.BF16:
		return 7
	}
	return 0
}

// appendLiteral prints a constant's value: {{1, 2}, {3, 4}}.
func appendLiteral(b []byte, a hlo.Attr) []byte {
	switch a := a.(type) {
	case hlo.ArrayAttr:
		b = append(b, '(')
		for i, e := range a.Elems {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendLiteral(b, e)
		}
		return append(b, ')')
	case *hlo.DenseAttr:
		k := 0
		return appendLevel(b, a, 0, &k)
	case hlo.UnitAttr:
		return append(b, "{...}"...)
	}
	return b
}

func appendLevel(b []byte, a *hlo.DenseAttr, d int, k *int) []byte {
	if d == len(a.Type.Dims) {
		size := a.Type.Elem.Size()
		at := *k * size
		if a.Splat {
			at = 0
		}
		*k++
		return appendValue(b, a.Data.Data[at:at+size], a.Type.Elem)
	}
	b = append(b, '{')
	for i := int64(0); i < a.Type.Dims[d]; i++ {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendLevel(b, a, d+1, k)
	}
	return append(b, '}')
}

func appendValue(b []byte, x []byte, t dtype.Type) []byte {
	if t.IsComplex() {
		half := dtype.F32
		if t == dtype.C128 {
			half = dtype.F64
		}
		b = appendFloat(append(b, '('), x[:len(x)/2], half)
		b = append(b, ", "...)
		return append(appendFloat(b, x[len(x)/2:], half), ')')
	}
	if t.IsFloat() {
		return appendFloat(b, x, t)
	}
	var u uint64
	for i, c := range x {
		u |= uint64(c) << (8 * i)
	}
	switch {
	case t == dtype.I1:
		return strconv.AppendBool(b, u != 0)
	case t.IsSigned():
		s := 64 - t.Bits()
		return strconv.AppendInt(b, int64(u<<s)>>s, 10)
	}
	return strconv.AppendUint(b, u, 10)
}

// appendFloat prints the shortest text that reads back the same bits.
func appendFloat(b []byte, x []byte, t dtype.Type) []byte {
	var u uint64
	for i, c := range x {
		u |= uint64(c) << (8 * i)
	}
	v := t.FloatOf(u)
	switch {
	case math.IsNaN(v):
		if t.Bits() > 1 && u>>(t.Bits()-1)&1 != 0 && mantissaBits(t) > 0 {
			b = append(b, '-')
		}
		b = append(b, "nan"...)
		if m := mantissaBits(t); m > 0 && u&(1<<m-1) != t.FloatBits(math.NaN())&(1<<m-1) {
			b = append(b, "(0x"...)
			b = strconv.AppendUint(b, u&(1<<m-1), 16)
			b = append(b, ')')
		}
		return b
	case math.IsInf(v, 1):
		return append(b, "inf"...)
	case math.IsInf(v, -1):
		return append(b, "-inf"...)
	}
	size := 32
	if t == dtype.F64 {
		size = 64
	}
	return strconv.AppendFloat(b, v, 'g', -1, size)
}
