package lower

import (
	"slices"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register(gather, "stablehlo.gather", "stablehlo.dynamic_gather")
}

// maxPoints is the most index vectors whose accesses are written out one by one.
const maxPoints = 64

// indexVectors describes the index operand of a gather or scatter.
type indexVectors struct {
	v      view    // the indices
	vecDim int     // dimension of the index vector, the rank if there is none
	batch  []int   // the other dimensions
	shape  []int64 // their extents
	n      int     // length of a vector
}

func vectors(v view, vecDim int64, n int) indexVectors {
	iv := indexVectors{v: v, vecDim: int(vecDim), n: n}
	for d, e := range v.shape {
		if d != iv.vecDim {
			iv.batch = append(iv.batch, d)
			iv.shape = append(iv.shape, e)
		}
	}
	return iv
}

// at is the position in the index tensor of component k of the vector of batch index b.
func (iv indexVectors) at(b []pelican.Expr, k int) []pelican.Expr {
	ix := make([]pelican.Expr, len(iv.v.shape))
	for i, d := range iv.batch {
		ix[d] = b[i]
	}
	if iv.vecDim < len(ix) {
		ix[iv.vecDim] = pelican.Const(int64(k))
	}
	return iv.v.at(ix)
}

// values lists the vectors of constant indices, in row-major order of the batch.
func (iv indexVectors) values(c *tensor.Tensor) [][]int64 {
	var out [][]int64
	_ = eachIndex(iv.shape, func(b []int64) error {
		vec := make([]int64, iv.n)
		for k := range vec {
			pos := int64(0)
			j := 0
			for d, e := range iv.v.shape {
				x := int64(k)
				if d != iv.vecDim {
					x = b[j]
					j++
				}
				pos = pos*e + x
			}
			vec[k] = clampedInt(c.Type, intAt(c, int(pos)))
		}
		out = append(out, vec)
		return nil
	})
	return out
}

// fit finds, for component k, a linear form of the batch index that gives all values.
func fit(vals [][]int64, shape []int64, k int) (func(b []pelican.Expr) pelican.Expr, bool) {
	c0 := vals[0][k]
	coef := make([]int64, len(shape))
	stride := int64(1)
	for d := len(shape) - 1; d >= 0; d-- {
		if shape[d] > 1 {
			coef[d] = vals[stride][k] - c0
		}
		stride *= shape[d]
	}
	i := 0
	ok := true
	_ = eachIndex(shape, func(b []int64) error {
		x := c0
		for d := range b {
			x += coef[d] * b[d]
		}
		ok = ok && x == vals[i][k]
		i++
		return nil
	})
	return func(b []pelican.Expr) pelican.Expr {
		e := pelican.Const(c0)
		for d := range b {
			e = pelican.Add(e, pelican.Mul(b[d], coef[d]))
		}
		return e
	}, ok
}

// gather reads result[r] = operand[start + batch + offset]. Constant starts that are linear in the batch index give a
// view, a few of any kind are copied one by one; the rest are read at run time.
func gather(l *lowerer, o *hlo.Op) error {
	g, ok := o.Attrs.Get("dimension_numbers").(*hlo.GatherDims)
	if !ok {
		return l.unsupported("dimension_numbers is missing")
	}
	x := l.in(o, 0)
	shape := o.Out(0).Dims
	sizes, ok := o.Ints("slice_sizes")
	if !ok && o.Name() == "stablehlo.dynamic_gather" {
		c := l.constOf(o.Operands[2])
		if c == nil {
			return l.unsupported("slice sizes are known only at run time")
		}
		for i := range x.shape {
			sizes = append(sizes, intAt(c, i))
		}
	}
	if len(sizes) != len(x.shape) {
		return l.unsupported("slice_sizes do not fit the operand")
	}
	if elems(shape) == 0 {
		l.set(o, 0, whole(l.tensor("gather", x.t.DType, shape)))
		return nil
	}
	iv := vectors(l.in(o, 1), g.IndexVectorDim, len(g.StartIndexMap))
	batchVars := func(r []pelican.Expr) []pelican.Expr {
		var b []pelican.Expr
		for d := range r {
			if !slices.Contains(g.OffsetDims, int64(d)) {
				b = append(b, r[d])
			}
		}
		return b
	}
	// base is the index without the starts.
	base := func(r []pelican.Expr) []pelican.Expr {
		b := batchVars(r)
		ix := make([]pelican.Expr, len(x.shape))
		k := 0
		for d := range ix {
			ix[d] = zero
			if i := slices.Index(g.OperandBatchingDims, int64(d)); i >= 0 {
				s := int(g.StartIndicesBatchingDims[i])
				if iv.vecDim < s {
					s--
				}
				ix[d] = b[s]
				continue
			}
			if slices.Contains(g.CollapsedSliceDims, int64(d)) {
				continue
			}
			ix[d] = r[g.OffsetDims[k]]
			k++
		}
		return ix
	}
	clamp := func(d int, s int64) int64 { return min(max(s, 0), x.shape[d]-sizes[d]) }
	r := dims(shape)
	if c := l.constOf(o.Operands[1]); c != nil {
		vals := iv.values(c)
		for _, v := range vals {
			for k := range v {
				v[k] = clamp(int(g.StartIndexMap[k]), v[k])
			}
		}
		ix := base(r)
		linear := true
		for k, d := range g.StartIndexMap {
			f, ok := fit(vals, iv.shape, k)
			linear = linear && ok
			ix[d] = pelican.Add(ix[d], f(batchVars(r)))
		}
		if linear {
			v, err := l.viewOf(x, shape, ix)
			l.set(o, 0, v)
			return err
		}
		if len(vals) <= maxPoints {
			return l.gatherPoints(o, x, g, iv, vals, base)
		}
		// The clamped starts as 32-bit constants.
		s := tensor.New(dtype.I32, int(elems(iv.shape)), iv.n)
		for i, v := range vals {
			for k := range v {
				writeI32(s, i*iv.n+k, v[k])
			}
		}
		w, err := l.reshaped(l.constTensor(s), append(append([]int64(nil), iv.shape...), int64(iv.n)))
		if err != nil {
			return err
		}
		iv = vectors(w, int64(len(iv.shape)), iv.n)
	}
	var err error
	if iv.v, err = l.index32(iv.v); err != nil {
		return err
	}
	if x, err = l.asWhole(x); err != nil {
		return err
	}
	acc := x.access(base(r))
	for k, d := range g.StartIndexMap {
		if hi := x.shape[d] - sizes[d]; hi > 0 {
			acc.Ind = append(acc.Ind, penguin.Indirect{Index: iv.v.t, At: iv.at(batchVars(r), k), Dim: int(d), Hi: hi})
		}
	}
	out := whole(l.tensor("gather", x.t.DType, shape))
	out.fresh = l.region
	l.inst("copy", axesOf(shape), 0, []penguin.Access{acc}, penguin.Access{T: out.t, Dims: out.idx}, nil)
	l.set(o, 0, out)
	return nil
}

// gatherPoints copies the slice of every index vector.
func (l *lowerer) gatherPoints(o *hlo.Op, x view, g *hlo.GatherDims, iv indexVectors, vals [][]int64, base func([]pelican.Expr) []pelican.Expr) error {
	shape := o.Out(0).Dims
	out := whole(l.tensor("gather", x.t.DType, shape))
	out.fresh = l.region
	l.set(o, 0, out)
	i := 0
	return eachIndex(iv.shape, func(b []int64) error {
		// One slice of the result: its batch dimensions have one value.
		sub := append([]int64(nil), shape...)
		start := make([]int64, len(shape))
		r := make([]pelican.Expr, len(shape))
		k := 0
		for d := range shape {
			if slices.Contains(g.OffsetDims, int64(d)) {
				r[d] = dim(d, shape[d])
				continue
			}
			sub[d], start[d], r[d] = 1, b[k], pelican.Const(b[k])
			k++
		}
		ix := base(r)
		for k, d := range g.StartIndexMap {
			ix[d] = pelican.AddConst(ix[d], vals[i][k])
		}
		i++
		return l.into(out.slice(start, nil, sub), "copy", nil, x.of(sub, ix))
	})
}

func writeI32(t *tensor.Tensor, i int, v int64) {
	for k := 0; k < 4; k++ {
		t.Data[4*i+k] = byte(v >> (8 * k))
	}
}
