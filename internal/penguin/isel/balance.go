package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// balance moves work between the vector and the scalar engine so that both finish at about the same time. What
// either can do:
//
//	tensor_copy                           on both (NeuronCore-v2: DVE only)
//	x*s, x+t, x*s+t on fp32               tensor_scalar on DVE, activation(Identity, scale, bias) on ACT
//	x*x                                   tensor_tensor on DVE, activation(Square) on ACT
//
// Work is taken in program order; each piece goes to the engine with less work so far, its own included. Costs are
// the quick estimate of machine.md 13.3.
func balance(m *penguin.Module, spec *machine.Spec) error {
	for _, f := range m.Funcs {
		eachRun(&f.Body, func(run []*penguin.Inst) []*penguin.Inst {
			b := &balancer{gen: m.Gen}
			for _, in := range run {
				b.place(in)
			}
			return run
		})
	}
	return nil
}

type balancer struct {
	gen      machine.Gen
	dve, act float64 // ns of work placed
}

// work estimates the time of in on DVE and on ACT in ns.
func (b *balancer) work(in *penguin.Inst) (dve, act float64) {
	n := int64(1)
	sb, psum := 0, false
	for i := range in.In {
		e := tileElems(in.In[i].Tile)
		n = max(n, e)
		switch in.In[i].T.Space {
		case penguin.SBUF:
			if e > 1 {
				sb++
			}
		case penguin.PSUM:
			psum = true
		}
	}
	n = max(n, tileElems(in.Out[0].Tile))
	psum = psum || in.Out[0].T.Space == penguin.PSUM
	w := float64(n)
	switch in.Op.Name {
	case "tensor_tensor", "scalar_tensor_tensor", "copy_predicated":
		if sb > 1 {
			w *= 2
		}
	case "tensor_copy", "tensor_scalar":
		if b.gen != machine.Gen2 && !psum {
			w /= 2
		}
	case "reciprocal":
		w *= 8
	}
	fd, fa := 0.96, 1.2
	switch b.gen {
	case machine.Gen2:
		fd, fa = 1.12, 1.4
	case machine.Gen4:
		fd = 1.2
	}
	return max(64, w) / fd, max(64, float64(n)) / fa
}

func (b *balancer) place(in *penguin.Inst) {
	dve, act := b.work(in)
	form := b.flexible(in)
	if form == nil {
		switch in.Engine {
		case machine.DVE:
			b.dve += dve
		case machine.ACT:
			b.act += act
		}
		return
	}
	if b.act+act < b.dve+dve {
		form(true)
		b.act += act
	} else {
		form(false)
		b.dve += dve
	}
}

// flexible returns the rewrite to either engine, nil if in belongs to one.
func (b *balancer) flexible(in *penguin.Inst) func(onACT bool) {
	switch in.Op.Name {
	case "tensor_copy":
		if b.gen == machine.Gen2 || in.Engine == machine.Pool || len(in.In[0].Tile.Free) > 3 || len(in.Out[0].Tile.Free) > 3 {
			return nil
		}
		return func(onACT bool) {
			in.Engine = machine.DVE
			if onACT {
				in.Engine = machine.ACT
			}
		}
	case "tensor_scalar":
		if in.Engine != machine.DVE || !isFloat32(&in.In[0]) || b.gen == machine.Gen2 {
			return nil
		}
		p := &peep{gen: b.gen}
		id := *in
		at := penguin.ISA{Func: "Identity", Scale: 1, Imms: []penguin.ISAImm{{Pos: 1, Type: dtype.F32}}}
		id.Op, id.Attrs, id.Engine = penguin.ISAOp("activation"), &at, machine.ACT
		id.In = []penguin.Access{in.In[0]}
		s0, ok := argAt(in, 1)
		if !ok || !p.intoActivation(in, &id, s0) {
			return nil
		}
		return func(onACT bool) {
			if onACT {
				*in = id
			}
		}
	case "tensor_tensor":
		if isa(in).Op0 != "mult" || in.Engine != machine.DVE || !same(&in.In[0], &in.In[1]) || !isFloat32(&in.In[0]) || b.gen == machine.Gen2 {
			return nil
		}
		return func(onACT bool) {
			if onACT {
				in.Op, in.Engine, in.In = penguin.ISAOp("activation"), machine.ACT, in.In[:1]
				in.Attrs = &penguin.ISA{Func: "Square", Scale: 1, Imms: []penguin.ISAImm{{Pos: 1, Type: dtype.F32}}}
			}
		}
	}
	return nil
}

func isFloat32(a *penguin.Access) bool {
	return a.T.DType == dtype.F32 && a.Tile.DType == dtype.Invalid
}
