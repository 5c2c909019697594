package eval

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func errfAt(code string, loc diag.Loc, format string, args ...any) error {
	return diag.Errorf(code, loc, format, args...)
}

// shapeRules give the result shape of ops whose row infers nothing, or whose shape is an operand: then the op
// becomes its static form too.
var shapeRules map[string]func(r *refiner, o *hlo.Op, fc facts) ([]int, error)

func init() {
	first := func(_ *refiner, o *hlo.Op, _ facts) ([]int, error) { return dimsOf(o, 0) }
	shapeRules = map[string]func(r *refiner, o *hlo.Op, fc facts) ([]int, error){
		"stablehlo.convert": first, "stablehlo.map": first, "chlo.constant_like": first, "stablehlo.uniform_quantize": first,
		"stablehlo.bitcast_convert": bitcastShape, "stablehlo.dot_general": dotShape, "stablehlo.dot": dotShape, "stablehlo.convolution": convShape,
		"stablehlo.get_dimension_size": func(_ *refiner, o *hlo.Op, fc facts) ([]int, error) {
			s, err := dimsOf(o, 0)
			if err == nil {
				t := fromInts(dtype.I32, nil, []int64{int64(s[o.IntOr("dimension", 0)])})
				fc.known[o.Results[0]] = t
				makeConstant(o, hlo.Tensor(dtype.I32), t)
			}
			return nil, err
		},
		"stablehlo.dynamic_broadcast_in_dim": func(r *refiner, o *hlo.Op, fc facts) ([]int, error) {
			return r.static(o, fc, "stablehlo.broadcast_in_dim", 1, "known_expanding_dimensions", "known_nonexpanding_dimensions")
		},
		"stablehlo.dynamic_iota": func(r *refiner, o *hlo.Op, fc facts) ([]int, error) { return r.static(o, fc, "stablehlo.iota", 0) },
		"stablehlo.dynamic_reshape": func(r *refiner, o *hlo.Op, fc facts) ([]int, error) {
			return r.static(o, fc, "stablehlo.reshape", 1)
		},
		"stablehlo.dynamic_pad": func(r *refiner, o *hlo.Op, fc facts) ([]int, error) {
			return r.withAttrs(o, fc, "stablehlo.pad", 2, "edge_padding_low", "edge_padding_high", "interior_padding")
		},
		"stablehlo.real_dynamic_slice": func(r *refiner, o *hlo.Op, fc facts) ([]int, error) {
			return r.withAttrs(o, fc, "stablehlo.slice", 1, "start_indices", "limit_indices", "strides")
		},
		"stablehlo.dynamic_gather": func(r *refiner, o *hlo.Op, fc facts) ([]int, error) {
			return r.withAttrs(o, fc, "stablehlo.gather", 2, "slice_sizes")
		},
		"stablehlo.dynamic_conv": func(r *refiner, o *hlo.Op, fc facts) ([]int, error) {
			p := fc.known[o.Operands[2]]
			if p == nil {
				return nil, nil
			}
			n := numElems(p) / 2
			o.Def, o.Operands = hlo.Lookup("stablehlo.convolution"), o.Operands[:2]
			o.Attrs.Set("padding", &hlo.DenseAttr{Type: hlo.Tensor(dtype.I64, int64(n), 2), Data: reshaped(convert(p, dtype.I64), []int{n, 2})})
			return convShape(r, o, fc)
		},
		"stablehlo.set_dimension_size": func(_ *refiner, o *hlo.Op, fc facts) ([]int, error) {
			s, err := dimsOf(o, 0)
			size := fc.known[o.Operands[1]]
			if err != nil || size == nil {
				return nil, err
			}
			d, n := o.IntOr("dimension", 0), intAt(size, 0)
			if n < 0 || n > int64(s[d]) {
				return nil, errf(o, CodeShape, "size %d exceeds dimension %d of extent %d", n, d, s[d])
			}
			lo, hi, step := make([]int64, len(s)), make([]int64, len(s)), make([]int64, len(s))
			for i := range s {
				hi[i], step[i] = int64(s[i]), 1
			}
			hi[d] = n
			s[d] = int(n)
			o.Def, o.Operands = hlo.Lookup("stablehlo.slice"), o.Operands[:1]
			o.Attrs = hlo.Attrs{{Name: "start_indices", Attr: intsAttr(lo)}, {Name: "limit_indices", Attr: intsAttr(hi)}, {Name: "strides", Attr: intsAttr(step)}}
			return s, nil
		},
	}
}

func intsAttr(v []int64) hlo.DenseArrayAttr { return hlo.DenseArrayAttr{Elem: dtype.I64, Values: v} }

// types refines the result types of o by its own rule or its row's.
func (r *refiner) types(o *hlo.Op, fc facts) error {
	switch o.Name() {
	case "stablehlo.while":
		for i, v := range o.Results {
			v.Type = o.Operands[i].Type
		}
		return r.sameTypes(o, o.Body(1))
	case "stablehlo.if", "stablehlo.case":
		for i, x := range o.Body(0).Terminator().Operands {
			o.Results[i].Type = x.Type
		}
		for k := range o.Regions {
			if err := r.sameTypes(o, o.Body(k)); err != nil {
				return err
			}
		}
		return nil
	}
	if rule := shapeRules[o.Name()]; rule != nil {
		s, err := rule(r, o, fc)
		if err != nil || s == nil {
			return err
		}
		return setShape(o, 0, s)
	}
	if o.Def.Infer == nil {
		return nil
	}
	ts, err := o.Def.Infer(o)
	if err != nil {
		return err
	}
	for i, t := range ts {
		if x, ok := t.(*hlo.TensorType); ok && i < len(o.Results) && x.Static() {
			if err := setShape(o, i, toInts(x.Dims)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameTypes checks that a block yields the op's result types.
func (r *refiner) sameTypes(o *hlo.Op, b *hlo.Block) error {
	for i, x := range b.Terminator().Operands {
		if a, c := hlo.TypeString(x.Type), hlo.TypeString(o.Results[i].Type); a != c {
			return errf(o, CodeRefine, "a region yields %s as value %d, must yield %s: the shape changes while it runs", a, i, c)
		}
	}
	return nil
}

// setShape states the static shape of result i.
func setShape(o *hlo.Op, i int, shape []int) error {
	t := hlo.TensorOf(o.Results[i])
	if t == nil {
		return nil
	}
	u := *t
	u.Bounds, u.Unranked, u.Dims = nil, false, make([]int64, len(shape))
	for k, d := range shape {
		u.Dims[k] = int64(d)
	}
	if !t.Unranked && !hlo.CompatibleShapes(t, &u) {
		return errf(o, CodeRefine, "result %d is stated as %s and refined to %s", i, t, &u)
	}
	o.Results[i].Type = &u
	return nil
}

// dimsOf is the shape of operand i, which must be static.
func dimsOf(o *hlo.Op, i int) ([]int, error) {
	t := o.In(i)
	if t == nil || !t.Static() {
		return nil, errf(o, CodeRefine, "operand %d has no static shape", i)
	}
	return toInts(t.Dims), nil
}

// static drops the shape operand k of o, which becomes op name; attributes that only describe run-time shapes go.
func (r *refiner) static(o *hlo.Op, fc facts, name string, k int, drop ...string) ([]int, error) {
	s := fc.known[o.Operands[k]]
	if s == nil {
		return nil, nil
	}
	shape, err := r.ev.shapeOperand(o, s)
	if err != nil {
		return nil, err
	}
	o.Def, o.Operands = hlo.Lookup(name), o.Operands[:k]
	for _, a := range drop {
		o.Attrs.Delete(a)
	}
	return shape, nil
}

// withAttrs makes operands from k on attributes of op name, and infers its shape.
func (r *refiner) withAttrs(o *hlo.Op, fc facts, name string, k int, attrs ...string) ([]int, error) {
	vals := make([]*tensor.Tensor, len(attrs))
	for i := range attrs {
		if vals[i] = fc.known[o.Operands[k+i]]; vals[i] == nil {
			return nil, nil
		}
	}
	o.Def, o.Operands = hlo.Lookup(name), o.Operands[:k]
	for i, a := range attrs {
		o.Attrs.Set(a, intsAttr(append([]int64(nil), ints(vals[i])...)))
	}
	ts, err := o.Def.Infer(o)
	if err != nil {
		return nil, err
	}
	t := ts[0].(*hlo.TensorType)
	if !t.Static() {
		return nil, nil
	}
	return toInts(t.Dims), nil
}

func bitcastShape(_ *refiner, o *hlo.Op, _ facts) ([]int, error) {
	s, err := dimsOf(o, 0)
	if err != nil {
		return nil, err
	}
	switch from, to := o.In(0).Elem.Bits(), o.Out(0).Elem.Bits(); {
	case from > to:
		s = append(s, from/to)
	case from < to && len(s) > 0:
		s = s[:len(s)-1]
	}
	return s, nil
}

func dotShape(_ *refiner, o *hlo.Op, _ facts) ([]int, error) {
	a, err := dimsOf(o, 0)
	if err != nil {
		return nil, err
	}
	b, err := dimsOf(o, 1)
	if err != nil {
		return nil, err
	}
	d, ok := o.Attrs.Get("dot_dimension_numbers").(*hlo.DotDims)
	if !ok {
		d = &hlo.DotDims{LhsContract: []int64{int64(len(a)) - 1}, RhsContract: []int64{0}}
	}
	out := pick(a, toInts(d.LhsBatch))
	out = append(out, pick(a, freeDims(len(a), d.LhsBatch, d.LhsContract))...)
	return append(out, pick(b, freeDims(len(b), d.RhsBatch, d.RhsContract))...), nil
}

func convShape(_ *refiner, o *hlo.Op, _ facts) ([]int, error) {
	a, err := dimsOf(o, 0)
	if err != nil {
		return nil, err
	}
	k, err := dimsOf(o, 1)
	if err != nil {
		return nil, err
	}
	w, err := hlo.ConvWindow(o)
	if err != nil {
		return nil, err
	}
	d := o.Attrs.Get("dimension_numbers").(*hlo.ConvDims)
	out := make([]int, len(a))
	out[d.OutBatch] = a[d.InBatch] / int(o.IntOr("batch_group_count", 1))
	out[d.OutFeature] = k[d.KernelOutFeature]
	for i, s := range d.OutSpatial {
		out[s] = windowCount(a[d.InSpatial[i]], w, i)
	}
	return out, nil
}
