package lower

import (
	"context"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// constant is what is known about a value: its elements, or (nil) that they are not known.
type constant struct{ t *tensor.Tensor }

// maxConst is the most elements a value may have to be computed at compile time.
const maxConst = 1 << 16

// constOf returns the elements of v when they follow from constants, nil otherwise.
func (l *lowerer) constOf(v *hlo.Value) *tensor.Tensor {
	if c := l.consts[v]; c != nil {
		return c.t
	}
	c := &constant{}
	l.consts[v] = c
	c.t = l.evalConst(v)
	return c.t
}

func (l *lowerer) evalConst(v *hlo.Value) *tensor.Tensor {
	if s := l.same[v]; s != nil {
		return l.constOf(s)
	}
	o := v.Def
	if o == nil || !o.Def.Has(hlo.Pure) || len(o.Regions) > 0 || handlers[o.Name()] == nil {
		return nil
	}
	t := hlo.TensorOf(v)
	if t == nil || !t.Static() {
		return nil
	}
	if n, ok := t.NumElements(); !ok || n > maxConst || n == 0 {
		return nil
	}
	for _, x := range o.Operands {
		if l.constOf(x) == nil {
			return nil
		}
	}
	// The op is lowered by itself and interpreted.
	s := &lowerer{
		mod: l.mod, fn: &penguin.Func{Name: "main"}, op: o, region: 1, regions: 1,
		env: map[*hlo.Value]view{}, same: map[*hlo.Value]*hlo.Value{}, uses: map[*hlo.Value]int{},
		consts: map[*hlo.Value]*constant{}, splats: map[string]*penguin.Tensor{},
	}
	s.body = &s.fn.Body
	for _, x := range o.Operands {
		s.env[x] = s.constTensor(l.constOf(x))
		s.consts[x] = l.consts[x]
	}
	if s.lowerOp(o) != nil {
		return nil
	}
	r, err := s.copyOf(s.env[v])
	if err != nil {
		return nil
	}
	r.t.Kind, r.t.IOName = penguin.Output, "r"
	out, err := penguin.Exec(context.Background(), &penguin.Module{Name: "const", Funcs: []*penguin.Func{s.fn}}, nil)
	if err != nil {
		return nil
	}
	return out["r"]
}

// forget drops what is known about the values defined in r.
func (l *lowerer) forget(r *hlo.Region) {
	for _, b := range r.Blocks {
		for _, a := range b.Args {
			delete(l.consts, a)
		}
		for _, o := range b.Ops {
			for _, v := range o.Results {
				delete(l.consts, v)
			}
			for _, s := range o.Regions {
				l.forget(s)
			}
		}
	}
}

// intAt is element i of an integer tensor.
func intAt(t *tensor.Tensor, i int) int64 {
	n := t.Type.Size()
	u := bitsOf(t.Data[i*n : (i+1)*n])
	if sh := uint(64 - 8*n); t.Type.IsSigned() {
		return int64(u<<sh) >> sh
	}
	return int64(u)
}
