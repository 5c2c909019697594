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
		lo, hi, mid := vector(in[2].T), vector(in[3].T), vector(in[4].T)
		a := in[0].T
		n := 1
		for i, d := range a.Shape {
			if mid[i] < 0 {
				return nil, errf(o, CodeShape, "interior padding %d of dimension %d is negative", mid[i], i)
			}
			if n = mulSize(n, lo[i]+hi[i]+d+max(d-1, 0)*mid[i]); n < 0 {
				return nil, errf(o, CodeShape, "padding of dimension %d gives an impossible extent", i)
			}
		}
		if err := m.guardCount(o, n, a.Type); err != nil {
			return nil, err
		}
		return one(pad(a, in[1].T, lo, hi, mid)), nil
	})
	register("stablehlo.real_dynamic_slice", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a, lo, hi, step := in[0].T, vector(in[1].T), vector(in[2].T), vector(in[3].T)
		for i, d := range a.Shape {
			if lo[i] < 0 || hi[i] < lo[i] || hi[i] > d || step[i] < 1 {
				return nil, errf(o, CodeShape, "bounds [%d:%d:%d] do not fit dimension %d of extent %d", lo[i], hi[i], step[i], i, d)
			}
		}
		return one(slice(a, lo, hi, step)), nil
	})
	register("stablehlo.dynamic_gather", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		g, ok := o.Attrs.Get("dimension_numbers").(*hlo.GatherDims)
		if !ok {
			return nil, errf(o, CodeShape, "dimension_numbers is missing")
		}
		sizes := vector(in[2].T)
		for i, d := range in[0].T.Shape {
			if i >= len(sizes) || sizes[i] < 0 || sizes[i] > d {
				return nil, errf(o, CodeShape, "slice sizes %v do not fit an operand of shape %v", sizes, in[0].T.Shape)
			}
		}
		return one(gather(in[0].T, in[1].T, g, sizes)), nil
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
