package opt

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/tensor"
)

// narrow64 computes 64-bit integers in 32 bits where an interval says that they fit; the device has no 64-bit integers
// and spells them out in halves:
//
//	%i = iota : tensor<8xi64>                 %i = iota : tensor<8xi32>
//	%j = add %i, splat 3 : tensor<8xi64>  =>  %j = add %i, splat 3 : tensor<8xi32>
//	compare LT, %j, %n : i64                  convert %j to i64 for those who need it
//
// Intervals come from constants, iota, narrower types, and arithmetic that stays below 2^31. Arguments, loop values and
// what is loaded from them are unknown and keep their type; so does the signature. Run-time start indices and gather and
// scatter indices are narrowed by themselves.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "narrow64", Doc: "compute 64-bit integers in 32 bits where they fit", Run: func(m *hlo.Module) error {
		n := &narrowing{known: map[*hlo.Value]interval{}, small: map[*hlo.Value]*hlo.Value{}}
		_, err := rewrite(m, func(*hlo.Op) rule { return n.op })
		return err
	}})
}

// interval holds the least and greatest value of the elements of an integer tensor.
type interval struct{ lo, hi int64 }

func (r interval) fits() bool { return r.lo >= math.MinInt32 && r.hi <= math.MaxInt32 }

func union(a, b interval) interval { return interval{min(a.lo, b.lo), max(a.hi, b.hi)} }

type narrowing struct {
	known map[*hlo.Value]interval
	small map[*hlo.Value]*hlo.Value // the 32-bit twin of a 64-bit value
}

func is64(v *hlo.Value) bool {
	t := hlo.TensorOf(v)
	return t != nil && !t.Index && t.Quant == nil && t.Static() && (t.Elem == dtype.I64 || t.Elem == dtype.U64)
}

// of returns what is known about v.
func (n *narrowing) of(v *hlo.Value) (interval, bool) {
	if r, ok := n.known[v]; ok {
		return r, true
	}
	t := hlo.TensorOf(v)
	if t == nil || t.Quant != nil || !(t.Elem.IsInt() || t.Elem == dtype.I1) || t.Elem == dtype.I64 || t.Elem == dtype.U64 {
		return interval{}, false
	}
	lo, hi := t.Elem.IntRange()
	return interval{lo, hi}, true
}

// twin returns v in 32 bits; the caller knows that it fits.
func (n *narrowing) twin(b *hlo.Builder, v *hlo.Value) *hlo.Value {
	if s := n.small[v]; s != nil {
		return s
	}
	// Not remembered: it may be computed in a region and wanted outside.
	if d := constantOf(v); d != nil {
		return b.Op("stablehlo.constant", hlo.Attrs{{Name: "value", Attr: constant32(d)}})
	}
	if o := v.Def; o != nil && o.Name() == "stablehlo.convert" && !is64(o.Operands[0]) {
		v = o.Operands[0] // it was widened
	}
	return b.Convert(v, dtype.I32)
}

// words64 are the elements stored in a constant of 64-bit integers: one for a splat.
func words64(d *hlo.DenseAttr) []int64 {
	out := make([]int64, len(d.Data.Data)/8)
	for i := range out {
		for k := 7; k >= 0; k-- {
			out[i] = out[i]<<8 | int64(d.Data.Data[8*i+k])
		}
	}
	return out
}

func constant32(d *hlo.DenseAttr) *hlo.DenseAttr {
	x := tensor.New(dtype.I32, d.Data.Shape...)
	x.Data = make([]byte, len(d.Data.Data)/2)
	for i, v := range words64(d) {
		for k := range 4 {
			x.Data[4*i+k] = byte(v >> (8 * k))
		}
	}
	return &hlo.DenseAttr{Type: hlo.Tensor(dtype.I32, d.Type.Dims...), Splat: d.Splat, Data: x}
}

// sameKind are the ops that mean the same on 32-bit integers, given that operands and results fit.
var sameKind = map[string]bool{}

func init() {
	for _, n := range []string{"abs", "add", "and", "broadcast_in_dim", "clamp", "compare", "concatenate", "convert", "divide", "iota", "maximum",
		"minimum", "multiply", "negate", "pad", "remainder", "reshape", "reverse", "select", "sign", "slice", "subtract", "transpose"} {
		sameKind["stablehlo."+n] = true
	}
}

// indexOperands are the first and last operand that hold indices of ops whose data keep their type.
func indexOperands(o *hlo.Op) (from, to int) {
	switch o.Name() {
	case "stablehlo.dynamic_slice":
		return 1, len(o.Operands)
	case "stablehlo.dynamic_update_slice":
		return 2, len(o.Operands)
	case "stablehlo.gather":
		return 1, 2
	case "stablehlo.scatter":
		k := len(o.Results)
		return k, k + 1
	}
	return 0, 0
}

func (n *narrowing) op(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	if from, to := indexOperands(o); to > from {
		return n.indices(b, o, from, to)
	}
	if !sameKind[o.Name()] || len(o.Results) != 1 || o.Out(0) == nil || !o.Out(0).Static() || o.Out(0).Quant != nil {
		return n.constant(o)
	}
	r, fits := interval{}, true // of the result
	if is64(o.Results[0]) {
		if r, fits = n.result(o); fits {
			n.known[o.Results[0]] = r
			fits = r.fits()
		}
	}
	wide := is64(o.Results[0])
	for _, v := range o.Operands {
		if is64(v) {
			x, ok := n.of(v)
			fits = fits && ok && x.fits()
			wide = true
		}
	}
	if !fits || !wide || o.Name() == "stablehlo.convert" && !is64(o.Operands[0]) {
		return nil
	}
	in := make([]*hlo.Value, len(o.Operands))
	for i, v := range o.Operands {
		in[i] = v
		if is64(v) {
			in[i] = n.twin(b, v)
		}
	}
	out := o.Out(0)
	e := out.Elem
	if is64(o.Results[0]) {
		e = dtype.I32
	}
	if o.Name() == "stablehlo.convert" && hlo.TensorOf(in[0]).Elem == e {
		if e == out.Elem {
			return one(in[0])
		}
		return one(n.back(b, in[0], out, r))
	}
	attrs := o.Attrs
	if o.Name() == "stablehlo.compare" {
		attrs = append(hlo.Attrs(nil), o.Attrs...)
		attrs.Delete("compare_type") // unsigned ones may have become signed
	}
	v := b.Typed(o.Name(), hlo.Tensor(e, out.Dims...), attrs, in...)
	if e == out.Elem {
		return one(v)
	}
	return one(n.back(b, v, out, r))
}

// back converts a 32-bit result to its type and remembers both.
func (n *narrowing) back(b *hlo.Builder, v *hlo.Value, t *hlo.TensorType, r interval) *hlo.Value {
	w := b.Convert(v, t.Elem)
	n.small[w], n.known[w] = v, r
	return w
}

// constant notes the interval of a constant, which stays as it is.
func (n *narrowing) constant(o *hlo.Op) []*hlo.Value {
	if o.Name() != "stablehlo.constant" || !is64(o.Results[0]) {
		return nil
	}
	d := constantOf(o.Results[0])
	if d == nil || len(d.Data.Data) == 0 {
		return nil
	}
	w := words64(d)
	r := interval{w[0], w[0]}
	for _, v := range w {
		r = union(r, interval{v, v})
	}
	if d.Type.Elem == dtype.I64 || r.lo >= 0 {
		n.known[o.Results[0]] = r
	}
	return nil
}

// indices narrows the index operands of o if all of them fit.
func (n *narrowing) indices(b *hlo.Builder, o *hlo.Op, from, to int) []*hlo.Value {
	for _, v := range o.Operands[from:to] {
		r, ok := n.of(v)
		if !is64(v) || !ok || !r.fits() {
			return nil
		}
	}
	c := hlo.CloneOp(o, map[*hlo.Value]*hlo.Value{})
	for i := from; i < to; i++ {
		c.Operands[i] = n.twin(b, o.Operands[i])
	}
	b.Block.Ops = append(b.Block.Ops, c)
	return c.Results
}
