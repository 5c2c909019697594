package isel

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// inst emits one op-level instruction by the generic path.
func (s *selector) inst(in *penguin.Inst) error {
	if in.Op.ISA {
		*s.b.body = append(*s.b.body, in)
		return nil
	}
	s.b.src = in
	ps, err := nests(in)
	if err != nil {
		return err
	}
	for _, p := range ps {
		if empty(p.n) {
			continue
		}
		if err := s.piece(in, p); err != nil {
			return err
		}
	}
	return nil
}

func empty(n *nest) bool {
	for _, a := range n.ax {
		if a.n <= 0 {
			return true
		}
	}
	return false
}

func (s *selector) piece(in *penguin.Inst, p piece) error {
	name := in.Op.Name
	if r, ok := elementwise[name]; ok {
		return s.elementwise(in, p, r)
	}
	if h, ok := structural[name]; ok {
		return h(s, in, p)
	}
	return diag.Errorf("PEN190", in.Loc, "%s is not supported by the instruction selector", name)
}

// structural maps the op-level rows that are not elementwise to their emitters.
var structural = map[string]func(s *selector, in *penguin.Inst, p piece) error{
	"copy": func(s *selector, in *penguin.Inst, p piece) error {
		s.dmaOnly(p.n.in(0), p.n.out(0), p.n, p.ind[0], p.ind[1])
		return nil
	},
	"contract": func(s *selector, in *penguin.Inst, p piece) error {
		return s.contract(in, p.n, p.ind)
	},
}

// iota stores a linear form of the axes: POOL computes it from the tile's corner, a step for each free axis and one
// for the partition.
func (s *selector) iota(in *penguin.Inst, n *nest, val lin) error {
	// The value is one more access as far as axes are concerned.
	n.acc = append(n.acc, val)
	n.trim(nil)
	v, dst := &n.acc[len(n.acc)-1], n.out(0)
	part, rest := s.roles(n)
	return n.tiles(part, rest, maxPart, s.maxFree(), 4, func(t *tile) error {
		d := s.out(dst.t.DType, t)
		at := penguin.ISA{Base: v.at(t.box)}
		if len(part) > 0 {
			at.Channel = v.c[part[0]]
		}
		for _, a := range t.free {
			at.Pattern = append(at.Pattern, penguin.StepCount{Step: v.c[a], Count: t.n[a]})
		}
		if len(at.Pattern) == 0 {
			at.Pattern = []penguin.StepCount{{Step: 0, Count: 1}}
		}
		w := d
		if dst.t.DType != dtype.I32 {
			w = s.out(dtype.I32, t)
		}
		s.b.op("iota", machine.Pool, []view{w}, nil, at)
		if dst.t.DType != dtype.I32 {
			if dst.t.DType == dtype.U32 {
				w = w.as(dtype.U32)
			}
			s.b.copy(machine.DVE, d, w)
		}
		s.store(d, dst, t, nil)
		return nil
	})
}
