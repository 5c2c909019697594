package opt

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

// defs knows who writes and reads each tensor of a function.
type defs struct {
	writers map[*penguin.Tensor][]*penguin.Inst
	readers map[*penguin.Tensor][]*penguin.Inst // one entry for each operand
	pinned  map[*penguin.Tensor]bool            // read by something other than an instruction's operand
	alias   map[*penguin.Tensor]bool            // another tensor writes its storage
	list    map[*penguin.Inst]int               // the straight-line list an instruction stands in
}

func collect(f *penguin.Func) *defs {
	d := &defs{map[*penguin.Tensor][]*penguin.Inst{}, map[*penguin.Tensor][]*penguin.Inst{}, map[*penguin.Tensor]bool{}, map[*penguin.Tensor]bool{}, map[*penguin.Inst]int{}}
	n := 0
	eachList(&f.Body, func(body *[]penguin.Stmt) {
		n++
		for _, s := range *body {
			switch s := s.(type) {
			case *penguin.Inst:
				d.list[s] = n
				for i := range s.In {
					d.readers[s.In[i].T] = append(d.readers[s.In[i].T], s)
					d.pin(&s.In[i])
				}
				for i := range s.Out {
					d.writers[s.Out[i].T] = append(d.writers[s.Out[i].T], s)
					d.pin(&s.Out[i])
				}
			case *penguin.While:
				d.pinned[s.Pred] = true
			}
		}
	})
	for _, t := range f.Tensors {
		if t.Alias != nil {
			d.alias[t.Alias] = true
			d.alias[t] = true
		}
	}
	return d
}

func (d *defs) pin(a *penguin.Access) {
	for _, x := range a.Ind {
		d.pinned[x.Index] = true
	}
}

// eachList visits every straight-line statement list of body, the inner ones first.
func eachList(body *[]penguin.Stmt, f func(body *[]penguin.Stmt)) {
	for _, s := range *body {
		switch s := s.(type) {
		case *penguin.Loop:
			eachList(&s.Body, f)
		case *penguin.Scope:
			eachList(&s.Body, f)
		case *penguin.While:
			eachList(&s.Cond, f)
			eachList(&s.Body, f)
		}
	}
	f(body)
}

// eachFunc runs f over the functions of m.
func eachFunc(f func(fn *penguin.Func) error) func(m *penguin.Module) error {
	return func(m *penguin.Module) error {
		for _, fn := range m.Funcs {
			if err := f(fn); err != nil {
				return err
			}
		}
		return nil
	}
}

// remove deletes the instructions that gone names.
func remove(f *penguin.Func, gone map[*penguin.Inst]bool) {
	eachList(&f.Body, func(body *[]penguin.Stmt) {
		keep := (*body)[:0]
		for _, s := range *body {
			if in, ok := s.(*penguin.Inst); ok && gone[in] {
				continue
			}
			keep = append(keep, s)
		}
		*body = keep
	})
}

// constant reports whether t is written by nobody or by one instruction, once, before anything reads it.
func (d *defs) stable(t *penguin.Tensor) bool {
	return !d.alias[t] && (len(d.writers[t]) == 0 || len(d.writers[t]) == 1 && t.Kind&penguin.Input == 0)
}

// value returns the instruction that alone defines t, each element by its own point, nil if there is none: its
// output access names the dimensions of t by distinct axes in full.
func (d *defs) value(t *penguin.Tensor) *penguin.Inst {
	if len(d.writers[t]) != 1 || !d.stable(t) {
		return nil
	}
	in := d.writers[t][0]
	if len(in.Out) != 1 || len(in.Pred) > 0 || in.Op.Group == penguin.Update || !identity(in) {
		return nil
	}
	return in
}

// identity reports whether the output access of in is [a0, a1, ...] over whole dimensions.
func identity(in *penguin.Inst) bool {
	o := &in.Out[0]
	if len(o.Ind) > 0 || len(o.Dims) != len(o.T.Shape) {
		return false
	}
	used := map[pelican.Expr]bool{}
	for k, e := range o.Dims {
		if o.T.Shape[k] == 1 {
			if c, ok := e.Const(); ok && c == 0 {
				continue
			}
		}
		ok := false
		for _, a := range in.Axes[:len(in.Axes)-in.Reduce] {
			if a.Var == e && a.Lo == 0 && a.Step == 1 && a.Hi == o.T.Shape[k] && !used[e] {
				used[e], ok = true, true
			}
		}
		if !ok {
			return false
		}
	}
	for _, a := range in.Axes[:len(in.Axes)-in.Reduce] {
		if !used[a.Var] && a.Hi-a.Lo > 1 {
			return false
		}
	}
	return true
}

// pointwise reports whether operand k of in, whose output is an identity, reads the element at the same position of
// a tensor of the same shape.
func pointwise(in *penguin.Inst, k int) bool {
	a, o := &in.In[k], &in.Out[0]
	if len(a.Ind) > 0 || len(a.Dims) != len(o.Dims) {
		return false
	}
	for i := range a.Dims {
		if a.Dims[i] != o.Dims[i] || a.T.Shape[i] != o.T.Shape[i] {
			return false
		}
	}
	return true
}

// scalar returns the value of a float constant all of whose elements are equal.
func scalar(t *penguin.Tensor) (float64, bool) {
	if t.Kind&penguin.Const == 0 || t.Init == nil || !t.DType.IsFloat() || t.DType.Size() > 4 {
		return 0, false
	}
	sz := t.DType.Size()
	d := t.Init.Data
	if len(d) < sz {
		return 0, false
	}
	for i := sz; i < len(d); i++ {
		if d[i] != d[i-sz] {
			return 0, false
		}
	}
	var f [1]float32
	if !dtype.RowToF32(f[:], d[:sz], t.DType) {
		return 0, false
	}
	return float64(f[0]), true
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(b) }
