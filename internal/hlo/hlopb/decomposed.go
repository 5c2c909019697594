package hlopb

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/tensor"
)

// ReadDecomposed reads a snapshot whose arguments are kept beside it: the snapshot, the number of arguments and each
// of them, and perhaps the same for outputs. Every part has its length in front, as a literal of one u64 that is
// itself preceded by one byte of length.
func ReadDecomposed(src []byte, file string) (s *Snapshot, err error) {
	defer recoverTo(&err, file)
	d := &decomposed{rest: src}
	n := d.boxed()
	body := d.take(n)
	m, err := Read(body, file)
	if err != nil {
		return nil, err
	}
	s = &Snapshot{Module: m, Platform: parse(body).str(4), Args: [][]*tensor.Tensor{d.list()}}
	if len(d.rest) > 0 {
		s.Results = d.list()
	}
	if len(d.rest) > 0 {
		return nil, diag.Errorf(CodeModule, diag.Loc{File: file}, "%d bytes follow the outputs", len(d.rest))
	}
	return s, nil
}

type decomposed struct{ rest []byte }

// take cuts off the next n bytes.
func (d *decomposed) take(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		fail(CodeWire, "a part has %d bytes, only %d are left", n, len(d.rest))
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

// boxed reads a number.
func (d *decomposed) boxed() uint64 {
	n := d.take(1)[0]
	if n >= 128 {
		fail(CodeWire, "the length of a number is %d, must be less than 128", n)
	}
	v := parse(d.take(uint64(n))).ints(7)
	if len(v) == 0 {
		return 0
	}
	return uint64(v[0])
}

// list reads a count and as many literals.
func (d *decomposed) list() []*tensor.Tensor {
	var out []*tensor.Tensor
	n := d.boxed()
	if n > uint64(len(d.rest)) {
		fail(CodeWire, "there are %d values, but only %d bytes", n, len(d.rest))
	}
	for range n {
		out = leaves(parse(d.take(d.boxed())), out, 0)
	}
	return out
}
