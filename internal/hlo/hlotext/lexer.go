package hlotext

import (
	"bytes"
	"strconv"

	"github.com/alcadev/alca/internal/diag"
)

// maxDepth bounds nesting of shapes, literals and braces.
const maxDepth = 256

// bail carries a diagnostic out of the recursive descent; Parse recovers it.
type bail struct{ err error }

// scanner reads tokens on demand: what a token is depends on where it stands (layouts, literals, dim labels).
type scanner struct {
	src       []byte
	pos       int
	line      int // 1-based, of pos
	lineStart int
	file      string
}

func (s *scanner) loc() diag.Loc {
	return diag.Loc{File: s.file, Line: s.line, Col: s.pos - s.lineStart + 1}
}

func (s *scanner) fail(code, format string, args ...any) {
	panic(bail{diag.Errorf(code, s.loc(), format, args...)})
}

// ws skips white space and comments.
func (s *scanner) ws() {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '\n':
			s.pos++
			s.line++
			s.lineStart = s.pos
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case c == '/' && s.at(1) == '/' || c == '#' && s.pos == s.lineStart: // test files begin lines with '#'
			if i := bytes.IndexByte(s.src[s.pos:], '\n'); i >= 0 {
				s.pos += i
			} else {
				s.pos = len(s.src)
			}
		case c == '/' && s.at(1) == '*':
			end := bytes.Index(s.src[s.pos+2:], []byte("*/"))
			if end < 0 {
				s.fail(CodeSyntax, "comment is not closed")
			}
			s.skipTo(s.pos + 2 + end + 2)
		default:
			return
		}
	}
}

// skipTo moves to a later position, counting lines.
func (s *scanner) skipTo(end int) {
	for i := s.pos; i < end; i++ {
		if s.src[i] == '\n' {
			s.line++
			s.lineStart = i + 1
		}
	}
	s.pos = end
}

// peek returns the next significant byte, 0 at the end.
func (s *scanner) peek() byte {
	s.ws()
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

// at returns the byte i beyond the position, 0 past the end.
func (s *scanner) at(i int) byte {
	if s.pos+i < len(s.src) {
		return s.src[s.pos+i]
	}
	return 0
}

func (s *scanner) accept(c byte) bool {
	if s.peek() == c && s.pos < len(s.src) {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) expect(c byte) {
	if !s.accept(c) {
		s.fail(CodeSyntax, "expected '%c', found %s", c, s.found())
	}
}

// found describes what stands at the position.
func (s *scanner) found() string {
	if s.pos >= len(s.src) {
		return "the end of the text"
	}
	end := s.pos
	for end < len(s.src) && end < s.pos+24 && s.src[end] != '\n' {
		end++
	}
	return strconv.Quote(string(s.src[s.pos:end]))
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c >= 0x80
}

// word reads a name without its %: letters, digits, '_', '.', '-'; "" if there is none. "->" ends it.
func (s *scanner) word() string {
	s.ws()
	start := s.pos
	for s.pos < len(s.src) && isNameByte(s.src[s.pos]) {
		if s.src[s.pos] == '-' && s.at(1) == '>' {
			break
		}
		s.pos++
	}
	return string(s.src[start:s.pos])
}

// name reads [%]name.
func (s *scanner) name() string {
	s.ws()
	s.accept('%')
	if s.at(0) == '"' {
		return s.str()
	}
	w := s.word()
	if w == "" {
		s.fail(CodeSyntax, "expected a name, found %s", s.found())
	}
	return w
}

// keyword accepts a word that stands alone.
func (s *scanner) keyword(w string) bool {
	s.ws()
	if !bytes.HasPrefix(s.src[s.pos:], []byte(w)) || isNameByte(s.at(len(w))) {
		return false
	}
	s.pos += len(w)
	return true
}

// acceptStr accepts a fixed text.
func (s *scanner) acceptStr(w string) bool {
	s.ws()
	if !bytes.HasPrefix(s.src[s.pos:], []byte(w)) {
		return false
	}
	s.pos += len(w)
	return true
}

func (s *scanner) int() int64 {
	s.ws()
	start := s.pos
	if s.at(0) == '-' || s.at(0) == '+' {
		s.pos++
	}
	for c := s.at(0); c >= '0' && c <= '9'; c = s.at(0) {
		s.pos++
	}
	v, err := strconv.ParseInt(string(s.src[start:s.pos]), 10, 64)
	if err != nil {
		s.pos = start
		s.fail(CodeSyntax, "expected a 64-bit integer, found %s", s.found())
	}
	return v
}

// str reads a quoted string and resolves its escapes.
func (s *scanner) str() string {
	s.ws()
	q := s.at(0)
	if q != '"' && q != '\'' {
		s.fail(CodeSyntax, "expected a string, found %s", s.found())
	}
	end := s.pos + 1
	plain := true
	for ; end < len(s.src) && s.src[end] != q; end++ {
		if s.src[end] == '\\' {
			plain = false
			end++
		}
	}
	if end >= len(s.src) {
		s.fail(CodeSyntax, "string is not closed")
	}
	raw := s.src[s.pos+1 : end]
	s.skipTo(end + 1)
	if plain {
		return string(raw)
	}
	return unescape(raw)
}

// unescape resolves C escapes; an unknown one stands for its character.
func unescape(raw []byte) string {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' || i+1 >= len(raw) {
			out = append(out, c)
			continue
		}
		i++
		switch c = raw[i]; {
		case c == 'n':
			out = append(out, '\n')
		case c == 't':
			out = append(out, '\t')
		case c == 'r':
			out = append(out, '\r')
		case c >= '0' && c <= '7':
			v := 0
			for k := 0; k < 3 && i < len(raw) && raw[i] >= '0' && raw[i] <= '7'; k++ {
				v = v*8 + int(raw[i]-'0')
				i++
			}
			i--
			out = append(out, byte(v))
		case c == 'x' && i+1 < len(raw):
			v, n := 0, 0
			for n < 2 && i+1+n < len(raw) {
				d, err := strconv.ParseUint(string(raw[i+1+n]), 16, 8)
				if err != nil {
					break
				}
				v, n = v*16+int(d), n+1
			}
			i += n
			out = append(out, byte(v))
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// quote is the inverse of unescape.
func quote(t string) string {
	out := make([]byte, 0, len(t)+2)
	out = append(out, '"')
	for i := range len(t) {
		switch c := t[i]; {
		case c == '"' || c == '\\' || c == '\'':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\t':
			out = append(out, '\\', 't')
		case c == '\r':
			out = append(out, '\\', 'r')
		case c < 0x20 || c >= 0x7f:
			out = append(out, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}

// balanced returns the end of the bracketed text that begins at from, strings respected; -1 when it is not closed.
func balanced(src []byte, from int) int {
	depth := 0
	for i := from; i < len(src); i++ {
		switch src[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
			if depth <= 0 {
				return i + 1
			}
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		}
	}
	return -1
}

// raw reads the text of a value nobody interprets: up to a comma, a closing bracket or the end of the line outside
// of brackets and strings.
func (s *scanner) raw() string {
	s.ws()
	start := s.pos
	for i := s.pos; ; {
		if i >= len(s.src) || bytes.IndexByte([]byte(",\n})]"), s.src[i]) >= 0 {
			t := string(bytes.TrimSpace(s.src[start:i]))
			s.skipTo(i)
			return t
		}
		switch s.src[i] {
		case '{', '[', '(':
			end := balanced(s.src, i)
			if end < 0 {
				s.fail(CodeSyntax, "bracket is not closed")
			}
			i = end
		case '"':
			for i++; i < len(s.src) && s.src[i] != '"'; i++ {
				if s.src[i] == '\\' {
					i++
				}
			}
			if i++; i > len(s.src) {
				s.fail(CodeSyntax, "string is not closed")
			}
		default:
			i++
		}
	}
}
