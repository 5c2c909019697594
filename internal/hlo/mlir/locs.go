package mlir

import (
	"fmt"

	"github.com/alcadev/alca/internal/hlo"
)

// location is a parsed loc(...). Only what alca shows is kept: the name nearest to the op, else a position.
type location struct {
	name  string // "jit(f)/dot_general", or "" if none is known
	where string // "model.py:12:3"
	alias string // to be looked up, "" if complete
	child *location
}

// pendingLoc is an op or value whose location may name aliases that stand at the end of the file.
type pendingLoc struct {
	loc *location
	op  *hlo.Op
	val *hlo.Value
}

// trailingLoc parses loc(...) if it follows.
func (p *parser) trailingLoc() *location {
	if p.word() != "loc" {
		return nil
	}
	p.advance()
	p.expect('(')
	l := p.locationBody()
	p.expect(')')
	return l
}

func (p *parser) skipTrailingLoc() { p.trailingLoc() }

// locationBody parses what stands inside loc(...).
func (p *parser) locationBody() *location {
	p.enter()
	defer p.leave()
	switch p.tok.kind {
	case tHash:
		a := p.text(p.tok)[1:]
		p.advance()
		return &location{alias: a}
	case tString:
		s := unquote(p.src[p.tok.start:p.tok.end])
		p.advance()
		if p.accept(':') { // "file":line:col [to [line2]:col2]
			line := p.int64()
			col := int64(0)
			if p.accept(':') {
				col = p.int64()
			}
			if p.acceptWord("to") {
				if !p.isPunct(':') {
					p.int64()
				}
				p.expect(':')
				p.int64()
			}
			return &location{where: fmt.Sprintf("%s:%d:%d", s, line, col)}
		}
		l := &location{name: s}
		if p.accept('(') {
			l.child = p.locationBody()
			p.expect(')')
		}
		return l
	case tPunct:
		if p.isPunct('?') {
			p.advance()
			return &location{}
		}
	case tWord:
		switch w := p.word(); w {
		case "unknown":
			p.advance()
			return &location{}
		case "callsite":
			p.advance()
			p.expect('(')
			l := p.locationBody()
			p.expectWord("at")
			p.locationBody()
			p.expect(')')
			return l
		case "fused":
			p.advance()
			if p.accept('<') {
				p.parseAttr()
				p.expect('>')
			}
			p.expect('[')
			l := &location{}
			for !p.isPunct(']') {
				if part := p.locationBody(); l.child == nil && *part != (location{}) { // the first that says something
					l.child = part
				}
				if !p.accept(',') {
					break
				}
			}
			p.expect(']')
			return l
		case "loc": // loc(loc("x")) does not occur, but nested wrapping is harmless
			p.advance()
			p.expect('(')
			l := p.locationBody()
			p.expect(')')
			return l
		}
		// Other dialects' location attributes.
		start := p.tok.start
		p.advance()
		if p.isPunct('<') || p.isPunct('(') {
			p.opaqueFrom(start)
		}
		return &location{}
	}
	p.fail("HLO009", "expected a location, found %s", p.describe())
	return nil
}

// resolve follows aliases and children down to the first name; without one it gives the first position.
func (p *parser) resolve(l *location) (name, where string) {
	for depth := 0; l != nil && depth < 2*maxDepth; depth++ {
		if l.alias != "" {
			l = p.locAliases[l.alias]
			continue
		}
		if l.name != "" {
			return l.name, ""
		}
		if where == "" {
			where = l.where
		}
		l = l.child
	}
	return "", where
}

// resolveLocs sets the names of ops and arguments once all aliases are known.
func (p *parser) resolveLocs() {
	for _, x := range p.pendingLocs {
		name, where := p.resolve(x.loc)
		if x.val != nil {
			x.val.Name = name
			continue
		}
		if name == "" {
			name = where
		}
		x.op.NameLoc = name
	}
}
