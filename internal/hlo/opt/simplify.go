package opt

import (
	"slices"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

// simplify removes ops that do nothing and joins pairs of shape ops:
//
//	convert, reshape, broadcast_in_dim, transpose, slice, pad, concatenate that keep their operand  =>  operand
//	transpose(transpose(x, p), q)      =>  transpose(x, p∘q)
//	reshape(reshape(x))                =>  reshape(x)
//	broadcast_in_dim(broadcast_in_dim(x, d), e)  =>  broadcast_in_dim(x, e∘d)
//	integer x + 0, x * 1, x - 0, x & -1, x | 0   =>  x
//
// It declines identities of floats (x + 0.0 changes -0.0), and dynamic and quantised types.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "simplify", Doc: "remove ops that do nothing, join pairs of shape ops", Run: func(m *hlo.Module) error {
		for _, body := range m.Bodies() {
			simplify(body)
		}
		return nil
	}})
}

func simplify(body *hlo.Region) {
	by := hlo.Subst{}
	hlo.WalkBlocks(body, func(b *hlo.Block) {
		keep := b.Ops[:0]
		for _, o := range b.Ops {
			for i, v := range o.Operands {
				o.Operands[i] = by.Get(v)
			}
			join(o)
			if v := same(o); v != nil {
				by[o.Results[0]] = v
				continue
			}
			keep = append(keep, o)
		}
		b.Ops = keep
	})
	by.Apply(body) // nested blocks come first, so that they still read what an outer one has dropped
}

// plain reports whether all values of o are static tensors of ordinary elements.
func plain(o *hlo.Op) bool {
	for _, vs := range [][]*hlo.Value{o.Operands, o.Results} {
		for _, v := range vs {
			t := hlo.TensorOf(v)
			if t == nil || !t.Static() || t.Quant != nil || t.Encoding != nil {
				return false
			}
		}
	}
	return true
}

func sameType(a, b *hlo.Value) bool {
	x, y := hlo.TensorOf(a), hlo.TensorOf(b)
	return x.Elem == y.Elem && x.Index == y.Index && slices.Equal(x.Dims, y.Dims)
}

// same returns the value that o only repeats, or nil.
func same(o *hlo.Op) *hlo.Value {
	if len(o.Results) != 1 || len(o.Operands) == 0 || !plain(o) || !sameType(o.Operands[0], o.Results[0]) {
		return nil
	}
	x := o.Operands[0]
	switch o.Name() {
	case "stablehlo.convert", "stablehlo.reshape", "stablehlo.bitcast_convert", "stablehlo.slice":
		return x // a slice that keeps its shape keeps everything
	case "stablehlo.concatenate":
		if len(o.Operands) == 1 {
			return x
		}
	case "stablehlo.broadcast_in_dim":
		if d, _ := o.Ints("broadcast_dimensions"); identity(d) {
			return x
		}
	case "stablehlo.transpose":
		if d, _ := o.Ints("permutation"); identity(d) {
			return x
		}
	case "stablehlo.add", "stablehlo.subtract", "stablehlo.or", "stablehlo.xor", "stablehlo.shift_left":
		if isInt(o, 1, 0) {
			return x
		}
	case "stablehlo.multiply", "stablehlo.divide":
		if isInt(o, 1, 1) {
			return x
		}
	case "stablehlo.and":
		if isInt(o, 1, -1) {
			return x
		}
	}
	return nil
}

func identity(d []int64) bool {
	for i, x := range d {
		if x != int64(i) {
			return false
		}
	}
	return true
}

// isInt reports whether operand i is an integer splat of value v. For booleans -1 is true.
func isInt(o *hlo.Op, i int, v int64) bool {
	def := o.Operands[i].Def
	if def == nil || def.Name() != "stablehlo.constant" {
		return false
	}
	d, ok := def.Attrs.Get("value").(*hlo.DenseAttr)
	if !ok || !d.Splat || !(d.Type.Elem.IsInt() || d.Type.Elem == dtype.I1) {
		return false
	}
	for k, b := range d.Data.Data {
		want := byte(v >> (8 * k))
		if d.Type.Elem == dtype.I1 {
			want &= 1
		}
		if b != want {
			return false
		}
	}
	return true
}

// join makes o read through a shape op of the same kind before it.
func join(o *hlo.Op) {
	if len(o.Operands) != 1 || len(o.Results) != 1 || o.Operands[0].Def == nil || o.Operands[0].Def.Def != o.Def {
		return
	}
	in := o.Operands[0].Def
	if !plain(o) || !plain(in) {
		return
	}
	name := ""
	switch o.Name() {
	case "stablehlo.reshape":
		o.Operands[0] = in.Operands[0]
		return
	case "stablehlo.transpose":
		name = "permutation"
	case "stablehlo.broadcast_in_dim":
		name = "broadcast_dimensions"
	default:
		return
	}
	outer, ok1 := o.Ints(name)
	inner, ok2 := in.Ints(name)
	if !ok1 || !ok2 {
		return
	}
	var d []int64
	if name == "permutation" { // result dim i is outer's operand dim outer[i], which is inner's operand dim inner[outer[i]]
		for _, p := range outer {
			d = append(d, inner[p])
		}
	} else { // operand dim i goes to inner[i], and that to outer[inner[i]]
		d = []int64{}
		for _, p := range inner {
			d = append(d, outer[p])
		}
	}
	// Attributes may be shared with a copy of the op.
	attrs := slices.Clone(o.Attrs)
	attrs.Set(name, hlo.DenseArrayAttr{Elem: dtype.I64, Values: d})
	o.Attrs, o.Operands[0] = attrs, in.Operands[0]
}
