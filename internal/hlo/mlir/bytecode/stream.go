package bytecode

import (
	"math/bits"

	"github.com/alcadev/alca/internal/diag"
)

// fault carries a diagnostic through the recursive decoders; Read recovers it.
type fault struct{ err *diag.Diagnostic }

// stream is a cursor over bytes. Its methods panic with a fault on malformed data.
type stream struct {
	b    []byte
	pos  int
	base int // position of b[0] in the file, for messages
	file string
}

func (s *stream) fail(code, format string, args ...any) {
	d := diag.Errorf(code, diag.Loc{File: s.file}, format, args...)
	panic(fault{d.WithNote(diag.Loc{}, "at byte %d", s.base+s.pos)})
}

func (s *stream) left() int { return len(s.b) - s.pos }

func (s *stream) byte() byte {
	if s.pos >= len(s.b) {
		s.fail(CodeFormat, "bytecode ends in the middle of a value")
	}
	s.pos++
	return s.b[s.pos-1]
}

func (s *stream) bytes(n int) []byte {
	if n < 0 || n > s.left() {
		s.fail(CodeFormat, "%d bytes wanted, %d left", n, s.left())
	}
	s.pos += n
	return s.b[s.pos-n : s.pos]
}

// varint reads a prefix varint: the trailing zeros of the first byte count the further bytes.
func (s *stream) varint() uint64 {
	b := s.byte()
	if b&1 != 0 {
		return uint64(b >> 1)
	}
	if b == 0 {
		p := s.bytes(8)
		v := uint64(0)
		for i, x := range p {
			v |= uint64(x) << (8 * i)
		}
		return v
	}
	n := bits.TrailingZeros8(b)
	v := uint64(b)
	for i, x := range s.bytes(n) {
		v |= uint64(x) << (8 * (i + 1))
	}
	return v >> (n + 1)
}

// svarint reads a zigzag-coded signed value.
func (s *stream) svarint() int64 {
	v := s.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// count reads a number of items of at least min bytes each and checks that they can be there.
func (s *stream) count(min int) int {
	v := s.varint()
	if min < 1 {
		min = 1
	}
	if v > uint64(s.left()/min) {
		s.fail(CodeFormat, "count %d exceeds the %d bytes left", v, s.left())
	}
	return int(v)
}

// flagged reads value<<1 | flag.
func (s *stream) flagged() (int, bool) {
	v := s.varint()
	if v>>1 > 1<<40 {
		s.fail(CodeFormat, "value %d is out of range", v>>1)
	}
	return int(v >> 1), v&1 != 0
}

// cstring reads up to a NUL.
func (s *stream) cstring() string {
	for i := s.pos; i < len(s.b); i++ {
		if s.b[i] == 0 {
			v := string(s.b[s.pos:i])
			s.pos = i + 1
			return v
		}
	}
	s.fail(CodeFormat, "unterminated string")
	return ""
}
