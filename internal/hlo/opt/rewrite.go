package opt

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// rule appends ops to b that compute the results of o and returns those, or returns nil to keep o. What it appended
// before returning nil is dropped.
type rule func(b *hlo.Builder, o *hlo.Op) []*hlo.Value

// one is the result of a rule for an op of one result.
func one(v *hlo.Value) []*hlo.Value { return []*hlo.Value{v} }

// rewriter applies rules to the ops of a module, once each, in order; what a rule emits is not visited again.
type rewriter struct {
	find    func(o *hlo.Op) rule
	subst   hlo.Subst
	changed bool
}

// rewrite applies the rules that find names to every op of m. It reports whether any applied.
func rewrite(m *hlo.Module, find func(o *hlo.Op) rule) (bool, error) {
	changed := false
	for _, r := range m.Bodies() {
		w := &rewriter{find: find, subst: hlo.Subst{}}
		if err := w.region(r); err != nil {
			return false, err
		}
		changed = changed || w.changed
	}
	return changed, nil
}

func (w *rewriter) region(r *hlo.Region) error {
	for _, b := range r.Blocks {
		if err := w.block(b); err != nil {
			return err
		}
	}
	return nil
}

func (w *rewriter) block(b *hlo.Block) error {
	ops := b.Ops
	b.Ops = make([]*hlo.Op, 0, len(ops))
	for _, o := range ops {
		for i, v := range o.Operands {
			o.Operands[i] = w.subst.Get(v)
		}
		for _, r := range o.Regions {
			if err := w.region(r); err != nil {
				return err
			}
		}
		f := w.find(o)
		if f == nil {
			b.Ops = append(b.Ops, o)
			continue
		}
		mark := len(b.Ops)
		bld := &hlo.Builder{Block: b, Loc: o.Loc, NameLoc: o.NameLoc}
		res := f(bld, o)
		if bld.Err != nil {
			return bld.Err
		}
		if res == nil {
			b.Ops = append(b.Ops[:mark], o)
			continue
		}
		for i, v := range res {
			w.subst[o.Results[i]] = v
		}
		w.changed = true
	}
	return nil
}

// static reports whether all operands and results of o are tensors of known extents without quantisation.
func static(o *hlo.Op) bool {
	ok := func(v *hlo.Value) bool {
		t := hlo.TensorOf(v)
		return t != nil && t.Static() && t.Quant == nil && t.Encoding == nil
	}
	for _, v := range o.Operands {
		if !ok(v) {
			return false
		}
	}
	for _, v := range o.Results {
		if !ok(v) {
			return false
		}
	}
	return true
}

// wide runs f on the operands of o in f32 when they are narrower floats, and rounds its result to what o yields: the
// ops in between are not to round to the narrow type.
func wide(b *hlo.Builder, o *hlo.Op, f func(x ...*hlo.Value) *hlo.Value) []*hlo.Value {
	in := make([]*hlo.Value, len(o.Operands))
	for i, v := range o.Operands {
		in[i] = v
		if e := o.In(i).Elem; e.IsFloat() && e.Bits() < 32 {
			in[i] = b.Convert(v, dtype.F32)
		}
	}
	return one(b.Convert(f(in...), o.Out(0).Elem))
}

// shapeOf returns the extents of v.
func shapeOf(v *hlo.Value) []int64 { return hlo.TensorOf(v).Dims }

// iotaDims is 0, 1, ... n-1.
func iotaDims(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}
