package opt

import (
	"slices"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/tensor"
)

// static-forms replaces ops of dynamic shapes by their static counterparts where the shape is known after all:
//
//	dynamic_reshape x, shape                   =>  reshape x              the result is static or shape is constant
//	dynamic_broadcast_in_dim, dynamic_iota     =>  broadcast_in_dim, iota    likewise
//	dynamic_pad, real_dynamic_slice            =>  pad, slice             the amounts are constant
//	dynamic_gather, dynamic_conv               =>  gather, convolution       likewise
//	get_dimension_size of a known extent       =>  constant
//	map with an elementwise body               =>  the body on whole tensors
//
// Integer arithmetic on constants of up to 64 elements is done on the way, since that is how shapes are computed, and
// result types that become static are carried on to the ops that follow. It declines regions' arguments: the types a
// loop carries stay as stated.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "static-forms", Doc: "replace ops of dynamic shapes by static ones where shapes are known",
		Required: true, Run: staticForms})
}

// staticRules holds the rule of each op that has one.
var staticRules = map[string]rule{
	"stablehlo.dynamic_reshape": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		t := knownShape(o, 1)
		if t == nil || !staticOperand(o, 0) {
			return nil
		}
		return one(b.Typed("stablehlo.reshape", t, nil, o.Operands[0]))
	},
	"stablehlo.dynamic_broadcast_in_dim": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		t := knownShape(o, 1)
		if t == nil || !staticOperand(o, 0) {
			return nil
		}
		return one(b.Typed("stablehlo.broadcast_in_dim", t, keep(o, "broadcast_dimensions"), o.Operands[0]))
	},
	"stablehlo.dynamic_iota": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		t := knownShape(o, 0)
		if t == nil {
			return nil
		}
		return one(b.Typed("stablehlo.iota", t, keep(o, "iota_dimension")))
	},
	"stablehlo.dynamic_pad": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		attrs := lists(o, 2, "edge_padding_low", "edge_padding_high", "interior_padding")
		if attrs == nil || !staticOperand(o, 0) {
			return nil
		}
		return one(b.Op("stablehlo.pad", attrs, o.Operands[0], o.Operands[1]))
	},
	"stablehlo.real_dynamic_slice": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		attrs := lists(o, 1, "start_indices", "limit_indices", "strides")
		if attrs == nil || !staticOperand(o, 0) {
			return nil
		}
		return one(b.Op("stablehlo.slice", attrs, o.Operands[0]))
	},
	"stablehlo.dynamic_gather": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		attrs := lists(o, 2, "slice_sizes")
		if attrs == nil || !staticOperand(o, 0) || !staticOperand(o, 1) {
			return nil
		}
		return one(b.Op("stablehlo.gather", append(keep(o, "dimension_numbers", "indices_are_sorted"), attrs...), o.Operands[0], o.Operands[1]))
	},
	"stablehlo.dynamic_conv":       staticConv,
	"stablehlo.get_dimension_size": dimensionSize,
	"stablehlo.map": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		if !static(o) {
			return nil
		}
		return lift(b, o.Body(0), o.Operands, o.Out(0).Dims)
	},
}

func staticForms(m *hlo.Module) error {
	// A shape that becomes known may make others known.
	for range 8 {
		changed, err := rewrite(m, func(o *hlo.Op) rule {
			if r := staticRules[o.Name()]; r != nil {
				return r
			}
			if computesShape(o) {
				return foldShape
			}
			return nil
		})
		if err != nil || !changed {
			return err
		}
		for _, f := range m.Funcs {
			if f.Body != nil {
				refineTypes(f)
			}
		}
	}
	return nil
}

const maxShapeElems = 64

// computesShape reports whether o yields a small vector of integers from constants of that kind.
func computesShape(o *hlo.Op) bool {
	if !o.Def.Has(hlo.Pure) || len(o.Operands) == 0 || len(o.Results) != 1 || !smallInts(o.Results[0]) {
		return false
	}
	for _, v := range o.Operands {
		if !smallInts(v) || constantOf(v) == nil {
			return false
		}
	}
	return true
}

func smallInts(v *hlo.Value) bool {
	t := hlo.TensorOf(v)
	if t == nil || t.Quant != nil || t.Index || !(t.Elem.IsInt() || t.Elem == dtype.I1) || len(t.Dims) > 1 {
		return false
	}
	n, ok := t.NumElements()
	return ok && n <= maxShapeElems
}

func foldShape(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	known := map[*hlo.Value]*hlo.DenseAttr{}
	for _, v := range o.Operands {
		known[v] = constantOf(v)
	}
	d := fold(o, known)
	if d == nil {
		return nil
	}
	return one(b.Op("stablehlo.constant", hlo.Attrs{{Name: "value", Attr: d}}))
}

// constantOf returns the elements of a value that a constant op defines, or nil.
func constantOf(v *hlo.Value) *hlo.DenseAttr {
	if v.Def == nil || v.Def.Name() != "stablehlo.constant" {
		return nil
	}
	d, _ := v.Def.Attrs.Get("value").(*hlo.DenseAttr)
	if d == nil || d.Data == nil || !d.Type.Static() || d.Type.Quant != nil {
		return nil
	}
	return d
}

// ints returns the elements of a small integer constant.
func ints(v *hlo.Value) ([]int64, bool) {
	d := constantOf(v)
	if d == nil || !d.Type.Elem.IsInt() {
		return nil, false
	}
	if n, ok := d.Type.NumElements(); !ok || n > maxShapeElems {
		return nil, false
	}
	return d.Ints(), true
}

// knownShape is the static type of the result, as stated or by the constant shape operand i.
func knownShape(o *hlo.Op, i int) *hlo.TensorType {
	t := o.Out(0)
	switch {
	case t == nil || t.Quant != nil || t.Encoding != nil:
		return nil
	case t.Static():
		return hlo.Tensor(t.Elem, t.Dims...)
	}
	dims, ok := ints(o.Operands[i])
	if !ok || slices.ContainsFunc(dims, func(d int64) bool { return d < 0 }) {
		return nil
	}
	return hlo.Tensor(t.Elem, dims...)
}

func staticOperand(o *hlo.Op, i int) bool {
	t := o.In(i)
	return t != nil && t.Static() && t.Quant == nil
}

// keep returns the named attributes of o.
func keep(o *hlo.Op, names ...string) hlo.Attrs {
	var out hlo.Attrs
	for _, n := range names {
		if a := o.Attrs.Get(n); a != nil {
			out = append(out, hlo.NamedAttr{Name: n, Attr: a})
		}
	}
	return out
}

// lists turns constant operands into list attributes; nil when one is not constant.
func lists(o *hlo.Op, first int, names ...string) hlo.Attrs {
	var out hlo.Attrs
	for i, n := range names {
		v, ok := ints(o.Operands[first+i])
		if !ok {
			return nil
		}
		out = append(out, hlo.NamedAttr{Name: n, Attr: hlo.IntList(v...)})
	}
	return out
}

func staticConv(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t := o.Out(0)
	pads, ok := ints(o.Operands[2])
	if !ok || t == nil || !t.Static() || !staticOperand(o, 0) || !staticOperand(o, 1) {
		return nil
	}
	var attrs hlo.Attrs
	for _, a := range o.Attrs {
		if a.Name != "padding" {
			attrs = append(attrs, a)
		}
	}
	var shape []int
	for _, d := range o.In(2).Dims {
		shape = append(shape, int(d))
	}
	attrs.Set("padding", hlo.DenseOf(int64s(pads, shape...)))
	return one(b.Typed("stablehlo.convolution", t, attrs, o.Operands[0], o.Operands[1]))
}

// int64s makes a tensor of 64-bit integers.
func int64s(v []int64, shape ...int) *tensor.Tensor {
	t := tensor.New(dtype.I64, shape...)
	for i, x := range v {
		hlo.PutNumber(t.Data[8*i:8*i+8], dtype.I64, float64(x))
	}
	return t
}

func dimensionSize(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t := o.In(0)
	d := o.IntOr("dimension", -1)
	if t == nil || t.Unranked || d < 0 || d >= int64(len(t.Dims)) || t.Dims[d] < 0 {
		return nil
	}
	return one(b.IntConst(t.Dims[d], dtype.I32))
}

// refineTypes gives results the static types that follow from their operands, and the function's results theirs.
func refineTypes(f *hlo.Func) {
	for _, o := range f.Body.Blocks[0].Ops {
		if o.Def.Infer == nil || len(o.Regions) > 0 {
			continue
		}
		types, err := o.Def.Infer(o)
		if err != nil || len(types) != len(o.Results) {
			continue // the verifier, which runs after every pass, reports it
		}
		for i, t := range types {
			o.Results[i].Type = narrower(o.Results[i].Type, t)
		}
	}
	if t := f.Body.Blocks[0].Terminator(); t != nil && len(t.Operands) == len(f.Results) {
		for i, v := range t.Operands {
			f.Results[i] = narrower(f.Results[i], v.Type)
		}
	}
}

// narrower returns known, if it is a static tensor type of what stated leaves open, else stated.
func narrower(stated, known hlo.Type) hlo.Type {
	s, ok := stated.(*hlo.TensorType)
	k, ok2 := known.(*hlo.TensorType)
	if !ok || !ok2 || s.Static() || !k.Static() || s.Encoding != nil || !hlo.Compatible(k, s) {
		return stated
	}
	c := *k
	c.Bounds, c.Quant = nil, s.Quant
	return &c
}
