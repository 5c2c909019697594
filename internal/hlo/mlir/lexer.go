package mlir

import (
	"bytes"

	"github.com/alcadev/alca/internal/diag"
)

// kind classifies a token.
type kind uint8

const (
	tEOF kind = iota
	tWord
	tPercent // %name
	tAt      // @name or @"name"
	tCaret   // ^bb0
	tHash    // #name
	tBang    // !name
	tInt     // decimal or 0x hex digits, no sign
	tFloat
	tString
	tPunct // one of ( ) { } [ ] < > = : , ? + - * / | ;
	tArrow // ->
	tColon2
	tDots      // ...
	tFileMeta  // {-#
	tFileMetaE // #-}
)

// token is a slice of the source. For tPunct, ch is the character.
type token struct {
	kind       kind
	ch         byte
	start, end int
}

// lexer produces tokens on demand; the parser may move pos back to scan characters itself, which the
// dimension lists of tensor types ("4x0x8xf32") need.
type lexer struct {
	src  []byte
	file string
	pos  int

	// Positions are asked for in growing order almost always, so the last answer is the starting point.
	lastOff, lastLine, lastBOL int
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '$' || c == '.' }

// isSuffix holds for characters of names after %, @, #, ! and ^.
func isSuffix(c byte) bool { return isWord(c) || c == '-' }

func (l *lexer) at(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// loc translates an offset to a position.
func (l *lexer) loc(off int) diag.Loc {
	if off > len(l.src) {
		off = len(l.src)
	}
	if off < l.lastOff {
		if off >= l.lastBOL {
			return diag.Loc{File: l.file, Line: l.lastLine + 1, Col: off - l.lastBOL + 1}
		}
		// A short step back is common (a definition noted earlier on); only then is counting worth it.
		line := bytes.Count(l.src[:off], nl)
		bol := bytes.LastIndexByte(l.src[:off], '\n') + 1
		return diag.Loc{File: l.file, Line: line + 1, Col: off - bol + 1}
	}
	part := l.src[l.lastOff:off]
	if n := bytes.Count(part, nl); n > 0 {
		l.lastLine += n
		l.lastBOL = l.lastOff + bytes.LastIndexByte(part, '\n') + 1
	}
	l.lastOff = off
	return diag.Loc{File: l.file, Line: l.lastLine + 1, Col: off - l.lastBOL + 1}
}

// sigils are the characters that begin names.
var sigils = [256]kind{'%': tPercent, '@': tAt, '^': tCaret, '#': tHash, '!': tBang}

var nl = []byte{'\n'}

func (l *lexer) skipSpace() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			l.pos++
		case c == '/' && l.at(l.pos+1) == '/':
			i := bytes.IndexByte(l.src[l.pos:], '\n')
			if i < 0 {
				l.pos = len(l.src)
			} else {
				l.pos += i
			}
		default:
			return
		}
	}
}

// next scans one token. It bails out on characters that begin no token.
func (l *lexer) next() token {
	l.skipSpace()
	start := l.pos
	if start >= len(l.src) {
		return token{kind: tEOF, start: start, end: start}
	}
	c := l.src[start]
	mk := func(k kind, end int) token {
		l.pos = end
		return token{kind: k, ch: c, start: start, end: end}
	}
	switch {
	case isLetter(c):
		i := start + 1
		for i < len(l.src) && isWord(l.src[i]) {
			i++
		}
		return mk(tWord, i)
	case isDigit(c):
		return l.number(start)
	}
	switch c {
	case '%', '@', '^', '#', '!':
		if c == '#' && l.at(start+1) == '-' && l.at(start+2) == '}' {
			return mk(tFileMetaE, start+3)
		}
		if c == '@' && l.at(start+1) == '"' {
			return mk(tAt, l.stringEnd(start+1))
		}
		i := start + 1
		for i < len(l.src) && isSuffix(l.src[i]) {
			// "->" after a name without space is an arrow.
			if l.src[i] == '-' && l.at(i+1) == '>' {
				break
			}
			i++
		}
		if i == start+1 {
			bail("HLO002", l.loc(start), "%q begins a name, but none follows", c)
		}
		return mk(sigils[c], i)
	case '"':
		return mk(tString, l.stringEnd(start))
	case '-':
		if l.at(start+1) == '>' {
			return mk(tArrow, start+2)
		}
		return mk(tPunct, start+1)
	case ':':
		if l.at(start+1) == ':' {
			return mk(tColon2, start+2)
		}
		return mk(tPunct, start+1)
	case '{':
		if l.at(start+1) == '-' && l.at(start+2) == '#' {
			return mk(tFileMeta, start+3)
		}
		return mk(tPunct, start+1)
	case '.':
		if l.at(start+1) == '.' && l.at(start+2) == '.' {
			return mk(tDots, start+3)
		}
	case '(', ')', '}', '[', ']', '<', '>', '=', ',', '?', '+', '*', '/', '|', ';':
		return mk(tPunct, start+1)
	}
	bail("HLO002", l.loc(start), "unexpected character %q", c)
	panic("unreachable")
}

// number scans 12, 0x1F, 1.5, 1.5e-3 and 2.E+7. "1x2" is the integer 1 followed by a word, as in dimension
// lists, unless the digits are 0x and hex digits follow.
func (l *lexer) number(start int) token {
	i := start
	if l.src[i] == '0' && l.at(i+1)|0x20 == 'x' && isHex(l.at(i+2)) {
		i += 2
		for i < len(l.src) && isHex(l.src[i]) {
			i++
		}
		l.pos = i
		return token{kind: tInt, start: start, end: i}
	}
	for i < len(l.src) && isDigit(l.src[i]) {
		i++
	}
	k := tInt
	if l.at(i) == '.' {
		k = tFloat
		i++
		for i < len(l.src) && isDigit(l.src[i]) {
			i++
		}
		if l.at(i)|0x20 == 'e' {
			j := i + 1
			if l.at(j) == '+' || l.at(j) == '-' {
				j++
			}
			if isDigit(l.at(j)) {
				for isDigit(l.at(j)) {
					j++
				}
				i = j
			}
		}
	}
	l.pos = i
	return token{kind: k, start: start, end: i}
}

// stringEnd returns the offset after the string literal that begins at start.
func (l *lexer) stringEnd(start int) int {
	i := start + 1
	for i < len(l.src) {
		j := bytes.IndexAny(l.src[i:min(len(l.src), i+64)], "\"\\\n")
		if j < 0 {
			// Long literals (hex constants) hold none of the three for a long way.
			j = indexStringStop(l.src[i:])
			if j < 0 {
				break
			}
		}
		switch i += j; l.src[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		case '\n':
			bail("HLO002", l.loc(start), "string literal is not closed before the end of the line")
		}
	}
	bail("HLO002", l.loc(start), "string literal is not closed before the end of the file")
	panic("unreachable")
}

// indexStringStop returns the first index of a quote, backslash or newline, or -1.
func indexStringStop(b []byte) int {
	n := bytes.IndexByte(b, '"')
	if n < 0 {
		n = len(b)
	}
	if i := bytes.IndexByte(b[:n], '\\'); i >= 0 {
		n = i
	}
	if i := bytes.IndexByte(b[:n], '\n'); i >= 0 {
		n = i
	}
	if n == len(b) {
		return -1
	}
	return n
}

// text returns the source text of t.
func (l *lexer) text(t token) string { return string(l.src[t.start:t.end]) }

// unquote decodes a string literal with MLIR's escapes: \", \\, \n, \t and two hex digits.
func unquote(lit []byte) string {
	lit = lit[1 : len(lit)-1]
	if bytes.IndexByte(lit, '\\') < 0 {
		return string(lit)
	}
	out := make([]byte, 0, len(lit))
	for i := 0; i < len(lit); i++ {
		if lit[i] != '\\' || i+1 >= len(lit) {
			out = append(out, lit[i])
			continue
		}
		i++
		switch c := lit[i]; {
		case c == 'n':
			out = append(out, '\n')
		case c == 't':
			out = append(out, '\t')
		case isHex(c) && i+1 < len(lit) && isHex(lit[i+1]):
			out = append(out, hexVal(c)<<4|hexVal(lit[i+1]))
			i++
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

func hexVal(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// quote is the inverse of unquote.
func quote(s string) string {
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, len(s)+2)
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < 0x20 || c >= 0x7f:
			out = append(out, '\\', digits[c>>4], digits[c&15])
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}

// bailout carries a diagnostic from the point of failure to Parse; no panic leaves the package.
type bailout struct{ d *diag.Diagnostic }

func bail(code string, loc diag.Loc, format string, args ...any) {
	panic(bailout{diag.Errorf(code, loc, format, args...)})
}

func bailHint(code string, loc diag.Loc, hint, format string, args ...any) {
	panic(bailout{diag.Errorf(code, loc, format, args...).WithHint("%s", hint)})
}
