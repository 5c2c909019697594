package mlir

import (
	"math"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// attrDict parses { name = attr, flag, "quoted name" = attr }, the braces included.
func (p *parser) attrDict() hlo.Attrs {
	p.enter()
	defer p.leave()
	p.expect('{')
	var as hlo.Attrs
	for !p.isPunct('}') {
		at := p.tok
		var name string
		switch p.tok.kind {
		case tWord:
			name = p.text(p.tok)
		case tString:
			name = unquote(p.src[p.tok.start:p.tok.end])
		default:
			p.fail("HLO001", "expected an attribute name, found %s", p.describe())
		}
		p.advance()
		var v hlo.Attr = hlo.UnitAttr{}
		if p.accept('=') {
			v = p.parseAttr()
		}
		if as.Get(name) != nil {
			bail("HLO007", p.loc(at.start), "attribute %q is given twice", name)
		}
		as = append(as, hlo.NamedAttr{Name: name, Attr: v})
		if !p.accept(',') {
			break
		}
	}
	p.expect('}')
	return as
}

// optAttrDict parses a dictionary if one is there.
func (p *parser) optAttrDict() hlo.Attrs {
	if p.isPunct('{') {
		return p.attrDict()
	}
	return nil
}

// parseAttr parses one attribute value.
func (p *parser) parseAttr() hlo.Attr {
	p.enter()
	defer p.leave()
	t := p.tok
	switch t.kind {
	case tString:
		s := unquote(p.src[t.start:t.end])
		p.advance()
		if p.accept(':') {
			p.parseType() // a typed string; its type adds nothing here
		}
		return hlo.StringAttr{Value: s}
	case tInt, tFloat:
		return p.numberAttr()
	case tAt:
		return p.symbolAttr()
	case tHash:
		return p.hashAttr()
	case tBang:
		return hlo.TypeAttr{Type: p.parseType()}
	case tPunct:
		switch t.ch {
		case '-':
			return p.numberAttr()
		case '[':
			p.advance()
			a := hlo.ArrayAttr{}
			for !p.isPunct(']') {
				a.Elems = append(a.Elems, p.parseAttr())
				if !p.accept(',') {
					break
				}
			}
			p.expect(']')
			return a
		case '{':
			return hlo.DictAttr{Entries: p.attrDict()}
		case '(':
			return hlo.TypeAttr{Type: p.parseType()}
		}
	case tWord:
		switch w := p.word(); w {
		case "true", "false":
			p.advance()
			if p.accept(':') {
				p.parseType() // true : i1
			}
			return hlo.BoolAttr{Value: w == "true"}
		case "unit":
			p.advance()
			return hlo.UnitAttr{}
		case "dense":
			return p.denseAttr()
		case "dense_resource":
			return p.denseResourceAttr()
		case "array":
			return p.denseArrayAttr()
		case "affine_map", "affine_set", "strided", "sparse", "distinct", "loc":
			p.advance()
			if p.isPunct('[') { // distinct[0]<...>
				p.opaqueFrom(t.start)
			}
			if !p.isPunct('<') && !p.isPunct('(') {
				p.fail("HLO009", "expected '<' after %s", w)
			}
			return hlo.OpaqueAttr{Text: p.opaqueFrom(t.start)}
		}
		if p.atType() {
			return hlo.TypeAttr{Type: p.parseType()}
		}
		p.failHint("HLO009", suggest(p.word(), []string{"true", "false", "unit", "dense", "dense_resource", "array", "affine_map"}),
			"expected an attribute value, found %q", p.word())
	}
	p.fail("HLO009", "expected an attribute value, found %s", p.describe())
	return nil
}

func (p *parser) symbolAttr() hlo.SymbolAttr {
	s := hlo.SymbolAttr{Path: []string{p.symbolName()}}
	for p.tok.kind == tColon2 {
		p.advance()
		s.Path = append(s.Path, p.symbolName())
	}
	return s
}

// numberAttr parses a number with an optional type. Hexadecimal digits of a float type are its bits.
func (p *parser) numberAttr() hlo.Attr {
	at := p.tok.start
	neg := p.accept('-')
	t := p.tok
	if t.kind != tInt && t.kind != tFloat {
		p.fail("HLO009", "expected a number, found %s", p.describe())
	}
	lit := p.text(t)
	p.advance()
	var typ hlo.Type
	if p.accept(':') {
		typ = p.parseType()
	}
	name := ""
	if typ != nil {
		o, ok := typ.(hlo.OpaqueType)
		if !ok {
			bail("HLO009", p.loc(at), "a number has a scalar type")
		}
		name = o.Text
	}
	isHexLit := len(lit) > 1 && lit[1]|0x20 == 'x'
	elem, known := elemByName(name)
	if t.kind == tFloat || known && elem.IsFloat() {
		if name == "" {
			elem = dtype.F64
		} else if !known {
			return hlo.OpaqueAttr{Text: p.spanText(at)}
		} else if !elem.IsFloat() {
			bail("HLO009", p.loc(at), "%s is no value of type %s", lit, name)
		}
		if isHexLit {
			bits, err := strconv.ParseUint(lit[2:], 16, 64)
			if err != nil {
				bail("HLO017", p.loc(at), "%s does not fit 64 bits", lit)
			}
			return hlo.FloatAttr{Value: elem.FloatOf(bits), Type: elem}
		}
		if t.kind != tFloat {
			bailHint("HLO009", p.loc(at), "write "+lit+".0", "integer literal where a value of type %s is expected", name)
		}
		f, err := strconv.ParseFloat(lit, 64)
		if err != nil && math.IsInf(f, 0) {
			bail("HLO017", p.loc(at), "%s does not fit f64", lit)
		}
		if neg {
			f = -f
		}
		return hlo.FloatAttr{Value: f, Type: elem}
	}
	if name != "" && name != "index" && !known {
		return hlo.OpaqueAttr{Text: p.spanText(at)}
	}
	if name == "" || name == "index" {
		elem = dtype.I64
	}
	v, ok := parseInt(lit, neg, elem)
	if !ok {
		bail("HLO017", p.loc(at), "%s does not fit %s", p.spanText(at), elem)
	}
	return hlo.IntAttr{Value: v, Type: elem, Index: name == "index"}
}

func isUnsigned(t dtype.Type) bool { return t.IsInt() && !t.IsSigned() }

// parseInt converts digits to the value of an integer of type t; unsigned 64-bit values come back as bits.
// Like MLIR it also takes the unsigned spelling of a negative signless number (255 : i8).
func parseInt(lit string, neg bool, t dtype.Type) (int64, bool) {
	var u uint64
	var err error
	if len(lit) > 1 && lit[1]|0x20 == 'x' {
		u, err = strconv.ParseUint(lit[2:], 16, 64)
	} else {
		u, err = strconv.ParseUint(lit, 10, 64)
	}
	if err != nil {
		return 0, false
	}
	bits := uint(t.Bits())
	if t == dtype.I1 {
		bits = 1
	}
	if neg {
		if isUnsigned(t) && u != 0 || u > 1<<(bits-1) {
			return 0, false
		}
		return -int64(u), true
	}
	if bits < 64 && u >= 1<<bits {
		return 0, false
	}
	if !isUnsigned(t) && t != dtype.I1 && bits < 64 && u >= 1<<(bits-1) {
		return int64(u) - 1<<bits, true
	}
	return int64(u), true
}

// denseArrayAttr parses array<i64: 1, 2>.
func (p *parser) denseArrayAttr() hlo.Attr {
	start := p.tok.start
	p.advance()
	p.expect('<')
	w := p.word()
	e, ok := elemByName(w)
	if !ok {
		p.fail("HLO009", "expected the element type of a dense array, found %s", p.describe())
	}
	p.advance()
	a := hlo.DenseArrayAttr{Elem: e}
	if p.accept(':') {
		for {
			switch {
			case e == dtype.I1 && p.tok.kind == tWord:
				v := int64(0)
				switch p.word() {
				case "true":
					v = 1
				case "false":
				default:
					p.fail("HLO009", "expected true or false, found %s", p.describe())
				}
				p.advance()
				a.Values = append(a.Values, v)
			case e.IsFloat():
				at := p.tok.start
				f := p.float64()
				switch e {
				case dtype.F64:
					a.Values = append(a.Values, int64(math.Float64bits(f)))
				case dtype.F32:
					a.Values = append(a.Values, int64(math.Float32bits(float32(f))))
				default:
					bail("HLO009", p.loc(at), "dense arrays of %s are not supported", e)
				}
			default:
				a.Values = append(a.Values, p.intOf(e))
			}
			if !p.accept(',') {
				break
			}
		}
	}
	if !p.isPunct('>') {
		p.fail("HLO009", "expected '>' at the end of the array that begins at %s, found %s", p.loc(start), p.describe())
	}
	p.advance()
	return a
}

// hashAttr parses #alias, #dialect.name<...> and #dialect<...>.
func (p *parser) hashAttr() hlo.Attr {
	t := p.tok
	name := p.text(t)[1:]
	if a, ok := p.attrAliases[name]; ok {
		p.advance()
		return a
	}
	p.advance()
	dialect, rest, dotted := strings.Cut(name, ".")
	hlolike := dialect == "stablehlo" || dialect == "mhlo" || dialect == "chlo"
	if !p.isPunct('<') || p.tok.start != t.end {
		if dotted {
			return hlo.OpaqueAttr{Text: "#" + name}
		}
		bail("HLO014", p.loc(t.start), "attribute alias #%s is not defined", name)
	}
	if hlolike {
		if !dotted {
			if a := p.enumAttr(dialect); a != nil {
				return a
			}
		} else if dialect != "chlo" {
			if f := structAttrs[rest]; f != nil {
				p.advance()
				a := f(p)
				p.expect('>')
				return a
			}
		}
	}
	return hlo.OpaqueAttr{Text: p.opaqueFrom(t.start)}
}

// enumAttr parses <precision HIGHEST>; it returns nil, having consumed nothing, if the text has another form.
func (p *parser) enumAttr(dialect string) hlo.Attr {
	save, tok := p.pos, p.tok
	p.advance()
	kindTok := p.tok
	if p.tok.kind == tWord {
		p.advance()
		valTok := p.tok
		if p.tok.kind == tWord {
			p.advance()
			if p.accept('>') {
				k := p.text(kindTok)
				if dialect == "chlo" {
					k = "chlo." + k
				}
				return hlo.EnumAttr{Kind: k, Value: p.text(valTok)}
			}
		}
	}
	p.pos, p.tok = save, tok
	return nil
}

// opaqueFrom consumes one balanced bracket group that begins at the current token and returns the source
// text from start to its end, with runs of white space collapsed so that printing it again changes nothing.
func (p *parser) opaqueFrom(start int) string {
	open := p.tok
	var stack []byte
	for {
		switch p.tok.kind {
		case tEOF:
			bail("HLO001", p.loc(open.start), "bracket %q is never closed", open.ch)
		case tFileMeta: // "{-#" cannot be inside an attribute
			p.fail("HLO001", "unexpected %s", p.describe())
		case tPunct:
			switch c := p.tok.ch; c {
			case '(', '[', '{', '<':
				if len(stack) > maxDepth {
					p.fail("HLO004", "brackets are nested more than %d deep", maxDepth)
				}
				stack = append(stack, closerOf(c))
			case ')', ']', '}', '>':
				// ">=" inside affine constraints is no bracket.
				if c == '>' && p.lexer.at(p.tok.end) == '=' {
					break
				}
				if len(stack) == 0 || stack[len(stack)-1] != c {
					p.fail("HLO001", "unbalanced %q", c)
				}
				stack = stack[:len(stack)-1]
			}
		}
		end := p.tok.end
		p.advance()
		if len(stack) == 0 {
			return collapse(p.src[start:end])
		}
	}
}

func closerOf(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	}
	return '>'
}

// collapse replaces runs of white space and comments outside string literals by one space, and drops them
// next to brackets.
func collapse(b []byte) string {
	var out []byte
	inStr := false
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case inStr:
			out = append(out, c)
			if c == '\\' && i+1 < len(b) {
				i++
				out = append(out, b[i])
			} else if c == '"' {
				inStr = false
			}
		case c == '"':
			inStr = true
			out = append(out, c)
		case c == '/' && i+1 < len(b) && b[i+1] == '/':
			for i < len(b) && b[i] != '\n' {
				i++
			}
			i--
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			if len(out) > 0 && !strings.ContainsRune(" <([{", rune(out[len(out)-1])) {
				out = append(out, ' ')
			}
		case strings.IndexByte(">)]},", c) >= 0:
			for len(out) > 0 && out[len(out)-1] == ' ' && !(len(out) > 1 && out[len(out)-2] == '-') {
				out = out[:len(out)-1]
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// spanText is the source from start to the end of the last token consumed.
func (p *parser) spanText(start int) string { return collapse(p.src[start:p.lastEnd]) }

// intOf parses an integer of type t.
func (p *parser) intOf(t dtype.Type) int64 {
	at := p.tok.start
	neg := p.accept('-')
	if p.tok.kind != tInt {
		p.fail("HLO009", "expected a value of type %s, found %s", t, p.describe())
	}
	lit := p.text(p.tok)
	p.advance()
	v, ok := parseInt(lit, neg, t)
	if !ok {
		bail("HLO017", p.loc(at), "%s does not fit %s", p.spanText(at), t)
	}
	return v
}
