package hlopb

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Snapshot is a module together with the arguments of one run and its result.
type Snapshot struct {
	Module *hlo.Module
	// Args has one list a partition; a snapshot of an optimised module has one.
	Args     [][]*tensor.Tensor
	Results  []*tensor.Tensor // leaves of the result, nil when the snapshot has none
	Platform string
}

// ReadSnapshot reads an HloSnapshot, or an HloUnoptimizedSnapshot, whose module is not wrapped and which has the
// inputs of every partition. Tuples are spread into their leaves.
func ReadSnapshot(src []byte, file string) (s *Snapshot, err error) {
	defer recoverTo(&err, file)
	m, err := Read(src, file)
	if err != nil {
		return nil, err
	}
	s = &Snapshot{Module: m}
	top := parse(src)
	inner := parse(top.bytes(1))
	if _, ok := inner.sub(1); ok && !isModule(inner) { // HloProto
		var args []*tensor.Tensor
		for _, l := range top.subs(2) {
			args = leaves(l, args, 0)
		}
		s.Args = [][]*tensor.Tensor{args}
		if r, ok := top.sub(3); ok {
			s.Results = leaves(r, nil, 0)
		}
		s.Platform = top.str(4)
		return s, nil
	}
	if !isModule(inner) {
		return nil, diag.Errorf(CodeModule, diag.Loc{File: file}, "the file is a module, not a snapshot")
	}
	for _, p := range top.subs(2) {
		var args []*tensor.Tensor
		for _, l := range p.subs(1) {
			args = leaves(l, args, 0)
		}
		s.Args = append(s.Args, args)
	}
	return s, nil
}

// leaves appends the arrays of a literal to out.
func leaves(m msg, out []*tensor.Tensor, depth int) []*tensor.Tensor {
	if depth > maxDepth {
		fail(CodeLimit, "literals nest deeper than %d", maxDepth)
	}
	s, ok := m.sub(1)
	if !ok {
		fail(CodeLiteral, "a literal has no shape")
	}
	switch t := readShape(s, 0).(type) {
	case *hlo.TupleType:
		for _, p := range m.subs(10) {
			out = leaves(p, out, depth+1)
		}
	case *hlo.TensorType:
		x := readTensor(m, t)
		if x == nil {
			fail(CodeLiteral, "literal of shape %s has no values", shapeText(t))
		}
		out = append(out, x)
	}
	return out
}
