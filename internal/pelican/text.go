package pelican

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the text form: "4*i + j//2 - (i + 1)%3 + 5". Parse reads it back.
func (e *Node) String() string { return string(e.Append(nil)) }

// Append appends the text form to b.
func (e *Node) Append(b []byte) []byte {
	switch e.kind {
	case KindInvalid:
		return append(b, "<invalid>"...)
	case KindConst:
		return strconv.AppendInt(b, e.c, 10)
	case KindVar, KindRuntime:
		return append(b, e.name...)
	case KindFloorDiv, KindMod:
		op := "//"
		if e.kind == KindMod {
			op = "%"
		}
		if e.x.kind == KindSum || e.x.kind == KindConst && e.x.c < 0 {
			b = append(b, '(')
			b = e.x.Append(b)
			b = append(b, ')')
		} else {
			b = e.x.Append(b)
		}
		b = append(b, op...)
		return strconv.AppendInt(b, e.c, 10)
	}
	for i, t := range e.terms {
		k := t.Coef
		switch {
		case i == 0 && k < 0:
			b = append(b, '-')
		case i > 0 && k < 0:
			b = append(b, " - "...)
		case i > 0:
			b = append(b, " + "...)
		}
		u := absU(k)
		if u != 1 {
			b = strconv.AppendUint(b, u, 10)
			b = append(b, '*')
		}
		if !t.X.IsLeaf() && (u != 1 || k < 0) {
			b = append(b, '(')
			b = t.X.Append(b)
			b = append(b, ')')
		} else {
			b = t.X.Append(b)
		}
	}
	switch {
	case e.c > 0:
		b = append(b, " + "...)
		b = strconv.AppendInt(b, e.c, 10)
	case e.c < 0:
		b = append(b, " - "...)
		b = strconv.AppendUint(b, absU(e.c), 10)
	}
	return b
}

// maxDepth bounds the nesting of parentheses, so that hostile text cannot exhaust the stack.
const maxDepth = 200

type parser struct {
	s     string
	pos   int
	depth int
	scope func(name string) Expr
}

// Parse reads an expression: integers, names, + - * (by a constant), // and % (by a positive constant) and
// parentheses. * // and % bind equally and associate to the left. scope resolves names and returns nil for unknown ones.
func Parse(s string, scope func(name string) Expr) (Expr, error) {
	p := &parser{s: s, scope: scope}
	e, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.skip(); p.pos < len(s) {
		return nil, p.errorf("unexpected %q", s[p.pos:])
	}
	return e, nil
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("expression %q, column %d: %s", p.s, p.pos+1, fmt.Sprintf(format, args...))
}

func (p *parser) skip() {
	for p.pos < len(p.s) && (p.s[p.pos] == ' ' || p.s[p.pos] == '\t') {
		p.pos++
	}
}

func (p *parser) take(op string) bool {
	p.skip()
	if strings.HasPrefix(p.s[p.pos:], op) {
		p.pos += len(op)
		return true
	}
	return false
}

func (p *parser) sum() (Expr, error) {
	e, err := p.product()
	for err == nil {
		var r Expr
		switch {
		case p.take("+"):
			if r, err = p.product(); err == nil {
				e = Add(e, r)
			}
		case p.take("-"):
			if r, err = p.product(); err == nil {
				e = Sub(e, r)
			}
		default:
			return e, nil
		}
		if err == nil && e.IsInvalid() {
			err = p.errorf("overflow")
		}
	}
	return nil, err
}

func (p *parser) product() (Expr, error) {
	e, err := p.unary()
	for err == nil {
		op := ""
		for _, o := range [...]string{"*", "//", "%"} {
			if p.take(o) {
				op = o
				break
			}
		}
		if op == "" {
			return e, nil
		}
		var r Expr
		if r, err = p.unary(); err != nil {
			break
		}
		rc, rok := r.Const()
		ec, eok := e.Const()
		switch {
		case op == "*" && rok:
			e = Mul(e, rc)
		case op == "*" && eok:
			e = Mul(r, ec)
		case op == "*":
			return nil, p.errorf("a product of two variables is not an index expression")
		case !rok || rc < 1:
			return nil, p.errorf("the divisor of %s must be a positive constant", op)
		case op == "//":
			e = FloorDiv(e, rc)
		default:
			e = Mod(e, rc)
		}
		if e.IsInvalid() {
			return nil, p.errorf("overflow")
		}
	}
	return nil, err
}

func (p *parser) unary() (Expr, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf("nested too deeply")
	}
	defer func() { p.depth-- }()
	if p.take("-") {
		e, err := p.unary()
		if err != nil {
			return nil, err
		}
		return Mul(e, -1), nil
	}
	if p.take("(") {
		e, err := p.sum()
		if err != nil {
			return nil, err
		}
		if !p.take(")") {
			return nil, p.errorf("expected )")
		}
		return e, nil
	}
	p.skip()
	start := p.pos
	for p.pos < len(p.s) && isNameByte(p.s[p.pos], p.pos == start) {
		p.pos++
	}
	if word := p.s[start:p.pos]; word != "" {
		if e := p.scope(word); e != nil {
			return e, nil
		}
		p.pos = start
		return nil, p.errorf("unknown name %q", word)
	}
	for p.pos < len(p.s) && p.s[p.pos] >= '0' && p.s[p.pos] <= '9' {
		p.pos++
	}
	v, err := strconv.ParseInt(p.s[start:p.pos], 10, 64)
	if err != nil {
		return nil, p.errorf("expected a number, a name or (")
	}
	return Const(v), nil
}

func isNameByte(c byte, first bool) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || !first && (c >= '0' && c <= '9' || c == '.' || c == '$')
}
