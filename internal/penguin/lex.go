package penguin

import (
	"strconv"

	"github.com/alcadev/alca/internal/diag"
)

const codeText = "PEN100" // malformed text form

// lexer cuts the text form into tokens: names, numbers, strings and punctuation.
type lexer struct {
	src  []byte
	file string
	pos  int
	line int
	bol  int // offset of the line's first byte
	tok  string
	kind byte // 'n' name, 'i' number, 's' string (tok is its value), 'p' punctuation, 0 end
	at   int  // offset of tok
	err  error
}

func (l *lexer) loc() diag.Loc { return diag.Loc{File: l.file, Line: l.line, Col: l.at - l.bol + 1} }

func (l *lexer) fail(format string, args ...any) {
	if l.err == nil {
		l.err = diag.Errorf(codeText, l.loc(), format, args...)
	}
	l.kind, l.tok = 0, ""
	l.pos = len(l.src)
}

func nameByte(c byte, first bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || !first && (c >= '0' && c <= '9' || c == '.')
}

// next reads the following token.
func (l *lexer) next() {
	if l.err != nil {
		return
	}
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if c == '\n' {
			l.line++
			l.bol = l.pos + 1
		} else if c == '/' && l.pos+1 < len(l.src) && l.src[l.pos+1] == '/' && (l.pos == 0 || l.src[l.pos-1] == '\n') {
			for l.pos < len(l.src) && l.src[l.pos] != '\n' {
				l.pos++
			}
			continue
		} else if c != ' ' && c != '\t' && c != '\r' {
			break
		}
		l.pos++
	}
	l.at = l.pos
	if l.pos >= len(l.src) {
		l.kind, l.tok = 0, ""
		return
	}
	c := l.src[l.pos]
	i := l.pos + 1
	switch {
	case nameByte(c, true):
		for i < len(l.src) && nameByte(l.src[i], false) {
			i++
		}
		l.kind = 'n'
	case c >= '0' && c <= '9' || (c == '-' || c == '+') && i < len(l.src) && (l.src[i] >= '0' && l.src[i] <= '9' || l.src[i] == 'I'):
		for i < len(l.src) && (nameByte(l.src[i], false) || (l.src[i] == '-' || l.src[i] == '+') && l.src[i-1] == 'e') {
			i++
		}
		l.kind = 'i'
	case c == '"':
		for i < len(l.src) && l.src[i] != '"' && l.src[i] != '\n' {
			if l.src[i] == '\\' {
				i++
			}
			i++
		}
		if i >= len(l.src) || l.src[i] != '"' {
			l.fail("string without an end")
			return
		}
		i++
		s, err := strconv.Unquote(string(l.src[l.pos:i]))
		if err != nil {
			l.fail("malformed string")
			return
		}
		l.kind, l.tok, l.pos = 's', s, i
		return
	default:
		if i < len(l.src) && (c == '-' && l.src[i] == '>' || (c == '>' || c == '=') && l.src[i] == '=') {
			i++
		}
		l.kind = 'p'
	}
	l.tok, l.pos = string(l.src[l.pos:i]), i
}

// until returns the raw text from the current token up to one of the stop strings outside parentheses, which then is
// the current token.
func (l *lexer) until(stops ...string) string {
	start, depth := l.at, 0
	for i := start; i < len(l.src) && l.src[i] != '\n' && l.src[i] != '{'; i++ {
		if depth == 0 {
			for _, s := range stops {
				if i+len(s) <= len(l.src) && string(l.src[i:i+len(s)]) == s {
					l.pos = i
					text := string(l.src[start:i])
					l.next()
					return text
				}
			}
		}
		switch l.src[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	l.fail("expression without an end")
	return ""
}
