package eval

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Ops whose shapes are operands. Each checks the shape it is given, then runs the static kernel.

func init() {
	register("stablehlo.dynamic_broadcast_in_dim", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		shape, err := m.shapeOperand(o, in[1].T)
		if err != nil {
			return nil, err
		}
		d, _ := o.Ints("broadcast_dimensions")
		for i, k := range d {
			if k < 0 || int(k) >= len(shape) || in[0].T.Shape[i] != 1 && in[0].T.Shape[i] != shape[k] {
				return nil, errf(o, CodeShape, "operand of shape %v does not broadcast to %v by %v", in[0].T.Shape, shape, d)
			}
		}
		return one(broadcastInDim(in[0].T, toInts(d), shape)), nil
	})
	register("stablehlo.dynamic_iota", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		shape, err := m.shapeOperand(o, in[0].T)
		if err != nil {
			return nil, err
		}
		d := int(o.IntOr("iota_dimension", 0))
		if d < 0 || d >= len(shape) {
			return nil, errf(o, CodeShape, "iota_dimension is %d, the rank is %d", d, len(shape))
		}
		return one(iota(o.Out(0).Elem, shape, d)), nil
	})
	register("stablehlo.dynamic_reshape", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		shape, err := m.shapeOperand(o, in[1].T)
		if err != nil {
			return nil, err
		}
		if count(shape) != numElems(in[0].T) {
			return nil, errf(o, CodeShape, "operand of shape %v has another number of elements than %v", in[0].T.Shape, shape)
		}
		return one(reshaped(in[0].T, shape)), nil
	})
	register("stablehlo.dynamic_pad", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		if err := m.asStatic(o, "stablehlo.pad", 2, in, "edge_padding_low", "edge_padding_high", "interior_padding"); err != nil {
			return nil, err
		}
		return one(pad(in[0].T, in[1].T, vector(in[2].T), vector(in[3].T), vector(in[4].T))), nil
	})
	register("stablehlo.real_dynamic_slice", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		if err := m.asStatic(o, "stablehlo.slice", 1, in, "start_indices", "limit_indices", "strides"); err != nil {
			return nil, err
		}
		return one(slice(in[0].T, vector(in[1].T), vector(in[2].T), vector(in[3].T))), nil
	})
	register("stablehlo.dynamic_gather", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		if err := m.asStatic(o, "stablehlo.gather", 2, in, "slice_sizes"); err != nil {
			return nil, err
		}
		return one(gather(in[0].T, in[1].T, o.Attrs.Get("dimension_numbers").(*hlo.GatherDims), vector(in[2].T))), nil
	})
	register("stablehlo.dynamic_conv", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		w, err := hlo.ConvWindow(o)
		if err != nil {
			return nil, err
		}
		p := vector(in[2].T)
		if len(p) != 2*len(w.Pad) {
			return nil, errf(o, CodeShape, "padding has shape %v, must be [%d, 2]", in[2].T.Shape, len(w.Pad))
		}
		for i := range w.Pad {
			w.Pad[i] = [2]int64{int64(p[2*i]), int64(p[2*i+1])}
		}
		t, err := m.convolution(o, w, in[0].T, in[1].T)
		if err != nil {
			return nil, err
		}
		return one(t), nil
	})
	register("stablehlo.get_dimension_size", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		d := o.IntOr("dimension", 0)
		return one(fromInts(dtype.I32, nil, []int64{int64(in[0].T.Shape[d])})), nil
	})
	register("stablehlo.set_dimension_size", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a, d, n := in[0].T, int(o.IntOr("dimension", 0)), int(intAt(in[1].T, 0))
		if n < 0 || n > a.Shape[d] {
			return nil, errf(o, CodeShape, "size %d exceeds dimension %d of extent %d", n, d, a.Shape[d])
		}
		return one(span(a, d, 0, n)), nil
	})
	register("stablehlo.compute_reshape_shape", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		n, v := intAt(in[0].T, 0), append([]int64(nil), ints(in[1].T)...)
		known, at := int64(1), -1
		for i, d := range v {
			if d == -1 {
				at = i
			} else {
				known *= d
			}
		}
		if at >= 0 {
			if known == 0 || n%known != 0 {
				return nil, errf(o, CodeShape, "%d elements do not reshape to %v", n, v)
			}
			v[at] = n / known
		}
		return one(fromInts(in[1].T.Type, in[1].T.Shape, v)), nil
	})
}

// asStatic checks operands by the rules of the static op called name: operands from k on are its attributes. The
// rules do not trust sizes that are known at run time only.
func (m *machine) asStatic(o *hlo.Op, name string, k int, in []Val, attrs ...string) error {
	s := &hlo.Op{Def: hlo.Lookup(name), Loc: o.Loc}
	s.Attrs = append(s.Attrs, o.Attrs...)
	for _, v := range in[:k] {
		s.Operands = append(s.Operands, &hlo.Value{Type: &hlo.TensorType{Elem: v.T.Type, Dims: dims64(v.T.Shape)}})
	}
	for i, a := range attrs {
		s.Attrs.Set(a, intsAttr(append([]int64(nil), ints(in[k+i].T)...)))
	}
	types, err := s.Def.Infer(s)
	if err != nil {
		return err
	}
	s.Results = []*hlo.Value{{Type: types[0], Def: s}}
	if err := hlo.VerifyOp(s); err != nil {
		return err
	}
	return m.guardTypes(o, types)
}

func dims64(shape []int) []int64 {
	out := make([]int64, len(shape))
	for i, d := range shape {
		out[i] = int64(d)
	}
	return out
}

// recheck repeats the verifier's rules for an op with operands of dynamic types, now that their shapes are known:
// the kernels rely on them.
func (m *machine) recheck(o *hlo.Op, in []Val) error {
	dynamic := false
	for _, v := range o.Operands {
		t := hlo.TensorOf(v)
		dynamic = dynamic || t != nil && !t.Static()
	}
	switch o.Name() {
	case "func.call", "stablehlo.composite", "stablehlo.custom_call", "stablehlo.if", "stablehlo.case", "stablehlo.while":
		return nil // these pass values on
	}
	if !dynamic || o.Def.Infer == nil && o.Def.Verify == nil || m.vector {
		return nil
	}
	s := *o
	s.Operands = make([]*hlo.Value, len(o.Operands))
	for i, v := range o.Operands {
		s.Operands[i] = v
		if t := hlo.TensorOf(v); t != nil && in[i].T != nil {
			u := *t
			u.Dims, u.Bounds, u.Unranked = dims64(in[i].T.Shape), nil, false
			s.Operands[i] = &hlo.Value{Type: &u, Def: v.Def, Index: v.Index}
		}
	}
	if err := hlo.VerifyOp(&s); err != nil {
		return err
	}
	if s.Def.Infer == nil {
		return nil
	}
	types, err := s.Def.Infer(&s)
	if err != nil {
		return err
	}
	return m.guardTypes(o, types)
}

// guardTypes refuses results that are impossible or larger than the limit.
func (m *machine) guardTypes(o *hlo.Op, types []hlo.Type) error {
	for _, x := range types {
		t, ok := x.(*hlo.TensorType)
		if !ok || !t.Static() {
			continue
		}
		n, ok := t.NumElements()
		if !ok || n > 1<<50 {
			return errf(o, CodeShape, "the result has an impossible shape %v", t.Dims)
		}
		if err := m.guardCount(o, int(n), t.Elem); err != nil {
			return err
		}
	}
	return nil
}

// vector reads an integer tensor as a list.
func vector(t *tensor.Tensor) []int { return toInts(ints(t)) }

// mulSize multiplies extents; -1 stands for an impossible one.
func mulSize(n, d int) int {
	if n < 0 || d < 0 || d > 0 && n > (1<<50)/d {
		return -1
	}
	return n * d
}

// shapeOperand reads a shape given at run time and refuses what cannot be or exceeds the limits.
func (m *machine) shapeOperand(o *hlo.Op, t *tensor.Tensor) ([]int, error) {
	shape := vector(t)
	n := 1
	for _, d := range shape {
		if n = mulSize(n, d); n < 0 {
			return nil, errf(o, CodeShape, "the shape operand is %v", shape)
		}
	}
	if r := o.Out(0); r != nil && !r.Unranked {
		for i, d := range r.Dims {
			if i >= len(shape) || d >= 0 && int64(shape[i]) != d {
				return nil, errf(o, CodeShape, "the shape operand is %v, the result is stated as %s", shape, r)
			}
		}
	}
	return shape, m.guardCount(o, n, o.Out(0).Elem)
}

// guardCount refuses results of more bytes than the limit.
func (m *machine) guardCount(o *hlo.Op, n int, ty dtype.Type) error {
	limit := m.opt.MaxBytes
	if limit == 0 {
		limit = defaultMaxBytes
	}
	if int64(n) > limit/int64(ty.Size()) {
		return errf(o, CodeMemory, "a result of %d elements of %s exceeds the limit of %d bytes", n, ty, limit)
	}
	return nil
}
