// Package gen makes random programs that are valid, finite and comparable between implementations: what an op
// computes from them does not hang on the last bit of a float unless the value is exact. Differential tests run
// them through every level of the compiler.
//
//	m := gen.Module(seed, gen.Options{Ops: 20})
//
// The same seed and options give the same program.
package gen

import (
	"math/rand/v2"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Options bound a program.
type Options struct {
	Ops     int   // number of steps, 0 for 12
	MaxDim  int64 // largest extent of a dimension, 0 for 9; some are taken around hardware limits
	Control bool  // loops and run-time slices too
}

// value is a value in scope. A value is exact when every implementation computes the same bits: inputs, integers,
// and what only moves or picks them.
type value struct {
	v     *hlo.Value
	t     *hlo.TensorType
	exact bool
}

type generator struct {
	r    *rand.Rand
	b    *hlo.Builder
	o    Options
	vals []value
}

// Module returns the program of a seed.
func Module(seed uint64, o Options) *hlo.Module {
	if o.Ops == 0 {
		o.Ops = 12
	}
	if o.MaxDim == 0 {
		o.MaxDim = 9
	}
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x5eed)), o: o}
	blk := &hlo.Block{}
	f := &hlo.Func{Name: "main", Body: &hlo.Region{Blocks: []*hlo.Block{blk}}}
	g.b = &hlo.Builder{Block: blk}
	for i := range 2 + g.r.IntN(3) {
		t := g.tensorType()
		v := &hlo.Value{Type: t, Index: i}
		blk.Args = append(blk.Args, v)
		g.vals = append(g.vals, value{v, t, true})
	}
	f.Params = blk.Args
	for range o.Ops {
		g.step()
	}
	// The last few values are results, so that nothing they need is dead.
	n := min(len(g.vals), 1+g.r.IntN(3))
	var out []*hlo.Value
	for _, x := range g.vals[len(g.vals)-n:] {
		out = append(out, x.v)
		f.Results = append(f.Results, x.t)
	}
	ret := &hlo.Op{Def: hlo.Lookup("func.return"), Operands: out}
	blk.Ops = append(blk.Ops, ret)
	return &hlo.Module{Funcs: []*hlo.Func{f}}
}

func (g *generator) dim() int64 {
	if g.r.IntN(12) == 0 { // around partition and tile limits
		return []int64{31, 32, 33, 64, 127, 128, 129, 130}[g.r.IntN(8)]
	}
	return 1 + g.r.Int64N(g.o.MaxDim)
}

func (g *generator) dims(rank int) []int64 {
	d := make([]int64, rank)
	n := int64(1)
	for i := range d {
		d[i] = g.dim()
		if n*d[i] > 40000 {
			d[i] = 1
		}
		n *= d[i]
	}
	return d
}

func (g *generator) tensorType() *hlo.TensorType {
	e := []dtype.Type{dtype.F32, dtype.F32, dtype.F32, dtype.I32, dtype.I1}[g.r.IntN(5)]
	return hlo.Tensor(e, g.dims(g.r.IntN(4))...)
}

// pick returns a random value that ok accepts; recent ones are likelier.
func (g *generator) pick(ok func(value) bool) (value, bool) {
	for range 12 {
		i := len(g.vals) - 1 - min(g.r.IntN(len(g.vals)), g.r.IntN(len(g.vals)))
		if ok(g.vals[i]) {
			return g.vals[i], true
		}
	}
	return value{}, false
}

func isFloat(v value) bool { return v.t.Elem == dtype.F32 }
func isInt(v value) bool   { return v.t.Elem == dtype.I32 }
func isPred(v value) bool  { return v.t.Elem == dtype.I1 }
func number(v value) bool  { return isFloat(v) || isInt(v) }

func (g *generator) add(v *hlo.Value, exact bool) {
	t := v.Type.(*hlo.TensorType)
	g.vals = append(g.vals, value{v, t, exact || t.Elem != dtype.F32})
}

// sameShape returns a value of the given type, broadcasting or making a constant when there is none.
func (g *generator) sameShape(t *hlo.TensorType) value {
	if v, ok := g.pick(func(v value) bool { return hlo.TypeString(v.t) == hlo.TypeString(t) }); ok && g.r.IntN(4) != 0 {
		return v
	}
	if v, ok := g.pick(func(v value) bool { return v.t.Elem == t.Elem && len(v.t.Dims) <= len(t.Dims) && g.embeds(v.t, t) }); ok {
		at := make([]int64, len(v.t.Dims))
		for i := range at {
			at[i] = int64(len(t.Dims) - len(at) + i)
		}
		return value{g.b.BroadcastInDim(v.v, t.Dims, at...), t, v.exact}
	}
	return value{g.constant(t), t, true}
}

// embeds reports whether a's dims equal t's trailing dims or are 1.
func (g *generator) embeds(a, t *hlo.TensorType) bool {
	for i, d := range a.Dims {
		if k := len(t.Dims) - len(a.Dims) + i; d != 1 && d != t.Dims[k] {
			return false
		}
	}
	return true
}

// constant makes a constant: a splat, or different elements when small.
func (g *generator) constant(t *hlo.TensorType) *hlo.Value {
	n, _ := t.NumElements()
	if n > 64 || g.r.IntN(2) == 0 {
		switch t.Elem {
		case dtype.F32:
			return g.b.Const(float64(g.r.IntN(17)-8)/4, t.Elem, t.Dims...)
		}
		lo, hi := -5, 6
		if t.Elem == dtype.I1 {
			lo, hi = 0, 2
		}
		return g.b.IntConst(int64(lo+g.r.IntN(hi-lo)), t.Elem, t.Dims...)
	}
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	x := tensor.New(t.Elem, shape...)
	s := t.Elem.Size()
	for i := range int(n) {
		v := float64(g.r.IntN(13) - 6)
		if t.Elem == dtype.F32 {
			v /= 2
		}
		if t.Elem == dtype.I1 {
			v = float64(g.r.IntN(2))
		}
		hlo.PutNumber(x.Data[i*s:], t.Elem, v)
	}
	return g.b.Dense(x)
}

// step appends one op; kinds that find no operands are skipped for another.
func (g *generator) step() {
	for range 20 {
		k := kinds[g.r.IntN(len(kinds))]
		if k.control && !g.o.Control {
			continue
		}
		if k.make(g) {
			return
		}
	}
}

// tensorOf makes the [n, 2] integer tensor of padding pairs.
func tensorOf(v []int64) *tensor.Tensor {
	t := tensor.New(dtype.I64, len(v)/2, 2)
	for i, x := range v {
		hlo.PutNumber(t.Data[8*i:], dtype.I64, float64(x))
	}
	return t
}
