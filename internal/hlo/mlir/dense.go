package mlir

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// denseAttr parses dense<literal> : type. The literal stands before the type that says how to read it, so
// it is skipped first and read in a second visit, straight into the buffer.
func (p *parser) denseAttr() hlo.Attr {
	start := p.tok.start
	p.advance()
	if !p.isPunct('<') {
		p.fail("HLO009", "expected '<' after dense")
	}
	lit := p.tok.start + 1
	end := p.denseEnd(lit)
	p.pos = end + 1
	p.advance()
	p.expect(':')
	typ := p.parseType()
	tt, ok := typ.(*hlo.TensorType)
	if !ok {
		if _, opaque := typ.(hlo.OpaqueType); opaque { // vector<...>
			return hlo.OpaqueAttr{Text: p.spanText(start)}
		}
		bail("HLO010", p.loc(start), "a dense constant has a tensor type")
	}
	if !tt.Static() {
		bail("HLO010", p.loc(start), "a dense constant needs a static shape, not %s", typeText(tt))
	}
	save, saveTok, saveEnd := p.pos, p.tok, p.lastEnd
	p.pos = lit
	p.advance()
	d := p.denseLiteral(tt, start)
	if p.tok.start != end {
		p.fail("HLO009", "expected '>' after the literal, found %s", p.describe())
	}
	p.pos, p.tok, p.lastEnd = save, saveTok, saveEnd
	return d
}

// denseEnd finds the '>' that closes the literal at off. Only strings may hold other '>' characters.
func (p *parser) denseEnd(off int) int {
	for i := off; i < len(p.src); {
		switch p.src[i] {
		case '>':
			return i
		case '"':
			i = p.stringEnd(i)
			continue
		case '/':
			if p.lexer.at(i+1) == '/' {
				n := bytes.IndexByte(p.src[i:], '\n')
				if n < 0 {
					n = len(p.src) - i
				}
				i += n
				continue
			}
		}
		i++
	}
	bail("HLO001", p.loc(off-1), "dense<...> is never closed")
	return 0
}

// numElements returns the number of elements of a static type, or bails out if it cannot be held.
func (p *parser) numElements(t *hlo.TensorType, at int) int {
	n := int64(1)
	for _, d := range t.Dims {
		if d != 0 && n > maxElements/d {
			bail("HLO004", p.loc(at), "constant of type %s has more than %d elements", typeText(t), int64(maxElements))
		}
		n *= d
	}
	return int(n)
}

func intShape(dims []int64) []int {
	s := make([]int, len(dims))
	for i, d := range dims {
		s[i] = int(d)
	}
	return s
}

func (p *parser) denseLiteral(t *hlo.TensorType, at int) hlo.Attr {
	n := p.numElements(t, at)
	d := &hlo.DenseAttr{Type: t}
	switch {
	case p.isPunct('>'): // dense<> : tensor<0xf32>
		if n != 0 {
			bail("HLO010", p.loc(at), "empty literal for %d elements of %s", n, typeText(t))
		}
		d.Data = tensor.New(t.Elem, intShape(t.Dims)...)
	case p.tok.kind == tString && len(p.src) > p.tok.start+2 && (p.src[p.tok.start+1] == '0' && p.src[p.tok.start+2]|0x20 == 'x'):
		p.hexLiteral(d, n)
	case p.tok.kind == tString:
		p.fail("HLO009", "constants of strings are not supported")
	case p.isPunct('['):
		if len(t.Dims) == 0 {
			bail("HLO010", p.loc(at), "a list literal cannot have the scalar type %s", typeText(t))
		}
		d.Data = tensor.New(t.Elem, intShape(t.Dims)...)
		w := &denseWriter{p: p, t: t, buf: d.Data.Data, size: t.Elem.Size()}
		w.list(0)
		if w.off != len(w.buf) {
			bail("HLO010", p.loc(at), "literal has %d elements, %s has %d", w.off/max(w.size, 1), typeText(t), n)
		}
		if n == 1 {
			d.Splat, d.Data.Shape = true, nil
		}
	default:
		d.Splat = true
		d.Data = tensor.New(t.Elem)
		w := &denseWriter{p: p, t: t, buf: d.Data.Data, size: t.Elem.Size()}
		w.element()
	}
	return d
}

// hexLiteral reads "0x0011..": the raw little-endian bytes of all elements, or of one (a splat). Booleans
// come one a byte, or packed eight a byte, lowest bit first, as older writers have it.
func (p *parser) hexLiteral(d *hlo.DenseAttr, n int) {
	t := p.tok
	hex := p.src[t.start+3 : t.end-1]
	if len(hex)%2 != 0 {
		p.fail("HLO009", "hex literal has an odd number of digits (%d)", len(hex))
	}
	p.advance()
	p.fillRaw(d, n, len(hex)/2, t.start, func(dst []byte) {
		for i := range dst {
			hi, lo := hex[2*i], hex[2*i+1]
			if !isHex(hi) || !isHex(lo) {
				bail("HLO009", p.loc(t.start+3+2*i), "%q is no hex digit", hex[2*i:2*i+2])
			}
			dst[i] = hexVal(hi)<<4 | hexVal(lo)
		}
	})
}

// fillRaw sets d.Data from size raw bytes that read copies out.
func (p *parser) fillRaw(d *hlo.DenseAttr, n, size, at int, read func(dst []byte)) {
	es := d.Type.Elem.Size()
	switch {
	case size == es:
		d.Splat = true
		d.Data = tensor.New(d.Type.Elem)
		read(d.Data.Data)
	case size == n*es:
		d.Data = tensor.New(d.Type.Elem, intShape(d.Type.Dims)...)
		read(d.Data.Data)
	case d.Type.Elem == dtype.I1 && size == (n+7)/8:
		packed := make([]byte, size)
		read(packed)
		d.Data = tensor.New(d.Type.Elem, intShape(d.Type.Dims)...)
		for i := range d.Data.Data {
			d.Data.Data[i] = packed[i/8] >> (i % 8) & 1
		}
		return
	default:
		bail("HLO010", p.loc(at), "literal has %d bytes, %s has %d elements of %d bytes", size, typeText(d.Type), n, es)
	}
	if d.Type.Elem == dtype.I1 {
		for i, b := range d.Data.Data {
			if b != 0 {
				d.Data.Data[i] = 1
			}
		}
	}
}

// denseResourceAttr parses dense_resource<key> : type. The bytes stand at the end of the file, so they are
// filled in when the file has been read.
func (p *parser) denseResourceAttr() hlo.Attr {
	at := p.tok.start
	p.advance()
	p.expect('<')
	var key string
	switch p.tok.kind {
	case tWord:
		key = p.word()
	case tString:
		key = unquote(p.src[p.tok.start:p.tok.end])
	default:
		p.fail("HLO009", "expected a resource key, found %s", p.describe())
	}
	p.advance()
	p.expect('>')
	p.expect(':')
	tt, ok := p.parseType().(*hlo.TensorType)
	if !ok || !tt.Static() {
		bail("HLO010", p.loc(at), "dense_resource has a static tensor type")
	}
	d := &hlo.DenseAttr{Type: tt}
	p.pendingRes = append(p.pendingRes, pendingResource{d, key, at})
	return d
}

type pendingResource struct {
	attr *hlo.DenseAttr
	key  string
	at   int
}

// fileMetadata parses {-# dialect_resources: { builtin: { key: "0x..." } } #-}.
func (p *parser) fileMetadata() {
	p.advance()
	for p.tok.kind != tFileMetaE {
		section := p.word()
		p.advance()
		p.expect(':')
		p.expect('{')
		for !p.isPunct('}') {
			p.advance() // dialect, or the key of an external resource
			p.expect(':')
			p.expect('{')
			for !p.isPunct('}') {
				key := p.text(p.tok)
				if p.tok.kind == tString {
					key = unquote(p.src[p.tok.start:p.tok.end])
				}
				p.advance()
				p.expect(':')
				if p.tok.kind == tString && section == "dialect_resources" {
					p.resources[key] = p.tok
				}
				if p.tok.kind == tEOF {
					p.fail("HLO001", "file metadata is never closed")
				}
				p.advance()
				if !p.accept(',') {
					break
				}
			}
			p.expect('}')
			if !p.accept(',') {
				break
			}
		}
		p.expect('}')
		if !p.accept(',') {
			break
		}
	}
	p.expectKind(tFileMetaE, "'#-}'")
}

// resolveResources fills the dense_resource attributes in. A blob is four bytes of alignment, then data.
func (p *parser) resolveResources() {
	for _, r := range p.pendingRes {
		t, ok := p.resources[r.key]
		if !ok {
			bail("HLO018", p.loc(r.at), "resource %q is not in the dialect_resources section of the file", r.key)
		}
		raw := p.src[t.start+1 : t.end-1]
		if len(raw) < 10 || raw[0] != '0' || raw[1]|0x20 != 'x' || len(raw)%2 != 0 {
			bail("HLO009", p.loc(t.start), "resource %q is no hex blob with an alignment", r.key)
		}
		raw = raw[10:]
		p.fillRaw(r.attr, p.numElements(r.attr.Type, r.at), len(raw)/2, t.start, func(dst []byte) {
			for i := range dst {
				hi, lo := raw[2*i], raw[2*i+1]
				if !isHex(hi) || !isHex(lo) {
					bail("HLO009", p.loc(t.start), "resource %q holds something other than hex digits", r.key)
				}
				dst[i] = hexVal(hi)<<4 | hexVal(lo)
			}
		})
	}
}

// denseWriter reads nested list literals into buf.
type denseWriter struct {
	p    *parser
	t    *hlo.TensorType
	buf  []byte
	off  int
	size int
}

func (w *denseWriter) list(dim int) {
	p := w.p
	at := p.tok.start
	p.expect('[')
	n := int64(0)
	for !p.isPunct(']') {
		if dim == len(w.t.Dims)-1 {
			if w.off+w.size > len(w.buf) {
				bail("HLO010", p.loc(at), "literal has more elements than %s", typeText(w.t))
			}
			w.element()
		} else {
			w.list(dim + 1)
		}
		n++
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
	if n != w.t.Dims[dim] {
		bail("HLO010", p.loc(at), "literal has %d entries in dimension %d, %s has %d", n, dim, typeText(w.t), w.t.Dims[dim])
	}
}

func (w *denseWriter) element() {
	p, e := w.p, w.t.Elem
	dst := w.buf[w.off : w.off+w.size]
	w.off += w.size
	if part, ok := complexPart(e); ok {
		p.expect('(')
		half := w.size / 2
		p.scalar(part, dst[:half])
		p.expect(',')
		p.scalar(part, dst[half:])
		p.expect(')')
		return
	}
	p.scalar(e, dst)
}

func complexPart(e dtype.Type) (dtype.Type, bool) {
	switch e {
	case dtype.C64:
		return dtype.F32, true
	case dtype.C128:
		return dtype.F64, true
	}
	return 0, false
}

// scalar reads one literal of type e into dst.
func (p *parser) scalar(e dtype.Type, dst []byte) {
	t := p.tok
	if t.kind == tWord {
		w := p.word()
		if e == dtype.I1 && (w == "true" || w == "false") {
			dst[0] = 0
			if w == "true" {
				dst[0] = 1
			}
			p.advance()
			return
		}
		p.fail("HLO009", "%q is no value of type %s", w, e)
	}
	neg := p.accept('-')
	t = p.tok
	if t.kind != tInt && t.kind != tFloat {
		p.fail("HLO009", "expected a value of type %s, found %s", e, p.describe())
	}
	lit := p.src[t.start:t.end]
	if e.IsFloat() {
		switch {
		case t.kind == tFloat:
			f, err := strconv.ParseFloat(string(lit), 64)
			if err != nil && !math.IsInf(f, 0) {
				p.fail("HLO009", "%s is no number", lit)
			}
			if neg {
				f = -f
			}
			putBits(dst, e.FloatBits(f))
		case len(lit) > 2 && lit[1]|0x20 == 'x':
			bits, err := strconv.ParseUint(string(lit[2:]), 16, 64)
			if err != nil || e.Bits() < 64 && bits>>e.Bits() != 0 {
				p.fail("HLO017", "%s does not fit the %d bits of %s", lit, e.Bits(), e)
			}
			if neg {
				p.fail("HLO009", "bits of a float have no sign")
			}
			putBits(dst, bits)
		default:
			p.failHint("HLO009", "write "+string(lit)+".0", "integer literal where a value of type %s is expected", e)
		}
		p.advance()
		return
	}
	if t.kind == tFloat {
		p.fail("HLO009", "%s is no value of type %s", lit, e)
	}
	v, ok := parseInt(string(lit), neg, e)
	if !ok {
		sign := ""
		if neg {
			sign = "-"
		}
		p.fail("HLO017", "%s%s does not fit %s", sign, lit, e)
	}
	putBits(dst, uint64(v))
	p.advance()
}

// putBits stores the low len(dst) bytes of v, little-endian.
func putBits(dst []byte, v uint64) {
	for i := range dst {
		dst[i] = byte(v >> (8 * i))
	}
}

func getBits(src []byte) uint64 {
	var v uint64
	for i, b := range src {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// denseText prints dense<...> without its type.
func denseText(b *strings.Builder, d *hlo.DenseAttr) {
	b.WriteString("dense<")
	es := d.Type.Elem.Size()
	switch n := len(d.Data.Data) / max(es, 1); {
	case d.Splat:
		scalarText(b, d.Type.Elem, d.Data.Data)
	case n == 0:
	case n > maxPrintedElements:
		b.WriteString("\"0x")
		const digits = "0123456789ABCDEF"
		b.Grow(2 * len(d.Data.Data))
		for _, x := range d.Data.Data {
			b.WriteByte(digits[x>>4])
			b.WriteByte(digits[x&15])
		}
		b.WriteByte('"')
	default:
		off := 0
		var rec func(dim int)
		rec = func(dim int) {
			if dim == len(d.Type.Dims) {
				scalarText(b, d.Type.Elem, d.Data.Data[off:off+es])
				off += es
				return
			}
			b.WriteByte('[')
			for i := int64(0); i < d.Type.Dims[dim]; i++ {
				if i > 0 {
					b.WriteString(", ")
				}
				rec(dim + 1)
			}
			b.WriteByte(']')
		}
		rec(0)
	}
	b.WriteByte('>')
}

// maxPrintedElements is the size from which constants are printed as hex, as MLIR does by default.
const maxPrintedElements = 100

func scalarText(b *strings.Builder, e dtype.Type, src []byte) {
	if part, ok := complexPart(e); ok {
		half := len(src) / 2
		b.WriteByte('(')
		scalarText(b, part, src[:half])
		b.WriteString(", ")
		scalarText(b, part, src[half:])
		b.WriteByte(')')
		return
	}
	bits := getBits(src)
	switch {
	case e == dtype.I1:
		b.WriteString(strconv.FormatBool(bits != 0))
	case e.IsFloat():
		b.WriteString(floatText(e, bits))
	case isUnsigned(e):
		b.WriteString(strconv.FormatUint(bits, 10))
	default:
		shift := 64 - 8*len(src)
		b.WriteString(strconv.FormatInt(int64(bits<<shift)>>shift, 10))
	}
}

// floatText prints a float so that reading it gives the same bits: a decimal if one does, else the bits.
func floatText(e dtype.Type, bits uint64) string {
	f := e.FloatOf(bits)
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		prec := 32
		if e == dtype.F64 {
			prec = 64
		}
		for _, s := range []string{strconv.FormatFloat(f, 'e', 6, 64), strconv.FormatFloat(f, 'e', -1, prec)} {
			if g, err := strconv.ParseFloat(s, 64); err == nil && e.FloatBits(g) == bits {
				if !strings.Contains(s, ".") { // MLIR floats have a point
					m, exp, _ := strings.Cut(s, "e")
					s = m + ".0e" + exp
				}
				return s
			}
		}
	}
	digits := max((e.Bits()+3)/4, 1)
	h := strings.ToUpper(strconv.FormatUint(bits, 16))
	return "0x" + strings.Repeat("0", max(0, digits-len(h))) + h
}
