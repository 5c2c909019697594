package opt

import (
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

// decompose replaces ops that lowering does not know by ops it does; decompositions is the list. Each rule stands
// with its formula. They apply to static shapes; float formulas to f32 and narrower, computed in f32 and rounded once.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "decompose", Doc: "express ops by simpler ones", Required: true, Run: decompose})
}

// decompositions holds the rule of each op that has one. Files beside this one fill it.
var decompositions = map[string]rule{
	"chlo.square": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		return one(b.Op("stablehlo.multiply", nil, o.Operands[0], o.Operands[0]))
	},
	"chlo.constant": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		return one(b.Op("stablehlo.constant", o.Attrs))
	},
	"chlo.constant_like": constantLike,
	"chlo.conj": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		if o.Out(0).Elem.IsComplex() {
			return nil
		}
		return one(o.Operands[0])
	},
	"stablehlo.custom_call": annotation,
	"stablehlo.broadcast": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		sizes, _ := o.Ints("broadcast_sizes")
		at := iotaDims(len(o.In(0).Dims))
		for i := range at {
			at[i] += int64(len(sizes))
		}
		return one(b.BroadcastInDim(o.Operands[0], o.Out(0).Dims, at...))
	},
	"stablehlo.get_dimension_size": func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		return one(b.IntConst(o.In(0).Dims[o.IntOr("dimension", 0)], dtype.I32))
	},
}

// decomposing adds a rule for float ops of at most 32 bits, computed in f32.
func decomposing(name string, f func(c calc, x ...*hlo.Value) *hlo.Value) {
	decompositions[name] = func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		if !deviceFloat(o.In(0).Elem) {
			return nil
		}
		return wide(b, o, func(x ...*hlo.Value) *hlo.Value { return f(calcOn(b, x[0]), x...) })
	}
}

func decompose(m *hlo.Module) error {
	// A decomposition may emit ops that have one themselves; they get simpler at each step.
	for range 8 {
		changed, err := rewrite(m, func(o *hlo.Op) rule {
			r := decompositions[o.Name()]
			if r == nil || !static(o) {
				return nil
			}
			return r
		})
		if err != nil || !changed {
			return err
		}
	}
	return nil
}

// annotations are targets of custom calls that say where a value lives or is split, and return it.
var annotations = map[string]bool{"Sharding": true, "annotate_device_placement": true, "LayoutConstraint": true,
	"xla.sdy.FuncResultSharding": true, "AwsNeuronTransferWithStaticRing": true}

// annotation: a custom call of that kind on one device  =>  its operand
func annotation(_ *hlo.Builder, o *hlo.Op) []*hlo.Value {
	name, _ := o.Str("call_target_name")
	if !annotations[name] || len(o.Operands) != 1 || len(o.Results) != 1 || !hlo.Compatible(o.Operands[0].Type, o.Results[0].Type) {
		return nil
	}
	return one(o.Operands[0])
}

func constantLike(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t := o.Out(0)
	switch a := o.Attrs.Get("value").(type) {
	case hlo.FloatAttr:
		return one(b.Const(a.Value, t.Elem, t.Dims...))
	case hlo.IntAttr:
		if t.Elem.IsInt() {
			return one(b.IntConst(a.Value, t.Elem, t.Dims...))
		}
		return one(b.Const(float64(a.Value), t.Elem, t.Dims...))
	case hlo.BoolAttr:
		v := 0.0
		if a.Value {
			v = 1
		}
		return one(b.Const(v, t.Elem, t.Dims...))
	}
	return nil
}

func init() {
	for _, d := range hlo.Ops() {
		if rest, ok := strings.CutPrefix(d.Name, "chlo.broadcast_"); ok {
			decompositions[d.Name] = broadcasting(rest)
		}
	}
}

// broadcasting spreads the operands to the result's shape and applies the plain op:
//
//	chlo.broadcast_add %x, %y  =>  stablehlo.add(broadcast_in_dim %x, broadcast_in_dim %y)
//
// Dimensions align at the last one, or as broadcast_dimensions says where the ranks differ.
func broadcasting(rest string) rule {
	name := "stablehlo." + rest
	if hlo.Lookup(name) == nil {
		name = "chlo." + rest
	}
	return func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		shape := o.Out(0).Dims
		in := make([]*hlo.Value, len(o.Operands))
		for i, v := range o.Operands {
			d := shapeOf(v)
			at := iotaDims(len(d))
			for k := range at {
				at[k] += int64(len(shape) - len(d))
			}
			if dims, ok := o.Ints("broadcast_dimensions"); ok && len(d) < len(shape) && len(dims) == len(d) {
				at = dims
			}
			in[i] = spread(b, v, shape, at)
		}
		var attrs hlo.Attrs
		for _, a := range o.Attrs {
			if a.Name == "broadcast_dimensions" {
				continue
			}
			if e, ok := a.Attr.(hlo.EnumAttr); ok {
				a.Attr = hlo.EnumAttr{Kind: a.Name, Value: e.Value} // the enum of the plain op's dialect
			}
			attrs = append(attrs, a)
		}
		return one(b.Op(name, attrs, in...))
	}
}

// spread broadcasts v to shape unless it has it.
func spread(b *hlo.Builder, v *hlo.Value, shape, at []int64) *hlo.Value {
	if sameInts(shapeOf(v), shape) {
		return v
	}
	return b.BroadcastInDim(v, shape, at...)
}

func sameInts(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Decomposes reports whether the op called name is expressed by simpler ones, or inlined, before lowering.
func Decomposes(name string) bool {
	return decompositions[name] != nil || staticRules[name] != nil || name == "func.call" || name == "stablehlo.composite"
}
