package lower

import (
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register(constantOp, "stablehlo.constant", "chlo.constant")
	register(iota, "stablehlo.iota", "stablehlo.dynamic_iota")
	register(broadcastInDim, "stablehlo.broadcast_in_dim", "stablehlo.dynamic_broadcast_in_dim")
	register(broadcast, "stablehlo.broadcast")
	register(reshape, "stablehlo.reshape", "stablehlo.dynamic_reshape")
	register(transpose, "stablehlo.transpose")
	register(reverse, "stablehlo.reverse")
	register(slice, "stablehlo.slice")
	register(concatenate, "stablehlo.concatenate")
	register(pad, "stablehlo.pad")
	register(dimensionSize, "stablehlo.get_dimension_size")
}

func constantOp(l *lowerer, o *hlo.Op) error {
	a, ok := o.Attrs.Get("value").(*hlo.DenseAttr)
	if !ok || a.Data == nil {
		return l.unsupported("its value is not a dense literal")
	}
	if a.Splat {
		l.set(o, 0, l.constSplat(a.Data.Type, a.Data.Data[:a.Data.Type.Size()]).splatTo(l.outShape(o, 0)))
		return nil
	}
	shape := make([]int, len(a.Type.Dims))
	for i, d := range a.Type.Dims {
		shape[i] = int(d)
	}
	l.set(o, 0, l.constTensor(&tensor.Tensor{Type: a.Data.Type, Shape: shape, Data: a.Data.Data}).splatTo(l.outShape(o, 0)))
	return nil
}

func iota(l *lowerer, o *hlo.Op) error {
	shape := o.Out(0).Dims
	d := o.IntOr("iota_dimension", 0)
	// One row is computed and spread over the other dimensions.
	row := []int64{shape[d]}
	out := whole(l.tensor("iota", l.elem(o.Out(0).Elem), row))
	l.inst("iota", axesOf(row), 0, nil, penguin.Access{T: out.t, Dims: out.idx}, &penguin.Iota{Value: dim(0, row[0])})
	if len(shape) > 1 {
		out = out.broadcast(shape, []int64{d})
	} else {
		out.fresh = l.region
	}
	l.set(o, 0, out)
	return nil
}

func broadcastInDim(l *lowerer, o *hlo.Op) error {
	to, ok := o.Ints("broadcast_dimensions")
	x := l.in(o, 0)
	if !ok || len(to) != len(x.shape) {
		return l.unsupported("broadcast_dimensions do not fit the operand")
	}
	l.set(o, 0, x.broadcast(o.Out(0).Dims, to))
	return nil
}

func broadcast(l *lowerer, o *hlo.Op) error {
	x := l.in(o, 0)
	shape := o.Out(0).Dims
	to := make([]int64, len(x.shape))
	for i := range to {
		to[i] = int64(len(shape) - len(to) + i)
	}
	l.set(o, 0, x.broadcast(shape, to))
	return nil
}

func reshape(l *lowerer, o *hlo.Op) error {
	v, err := l.reshaped(l.in(o, 0), o.Out(0).Dims)
	l.set(o, 0, v)
	return err
}

// reshaped renumbers v's elements in row-major order.
func (l *lowerer) reshaped(v view, shape []int64) (view, error) {
	if l.lift != nil && len(v.shape) != 0 && elems(v.shape) != elems(shape) {
		return view{}, l.unsupported("reshape inside a scalar region")
	}
	if elems(shape) == 0 {
		ix := make([]pelican.Expr, len(v.shape))
		for i := range ix {
			ix[i] = zero
		}
		return v.of(shape, ix), nil
	}
	return l.viewOf(v, shape, pelican.Delinearise(pelican.Flatten(dims(shape), shape), v.shape))
}

func used(shape []int64) []axis {
	var out []axis
	for _, a := range axesOf(shape) {
		if a.n > 1 {
			out = append(out, a)
		}
	}
	return out
}

func transpose(l *lowerer, o *hlo.Op) error {
	x := l.in(o, 0)
	perm, _ := o.Ints("permutation")
	shape := o.Out(0).Dims
	if len(perm) != len(x.shape) {
		return l.unsupported("permutation does not fit the operand")
	}
	l.set(o, 0, x.permute(perm, shape))
	return nil
}

// permute is the view whose dimension i is v's dimension perm[i].
func (v view) permute(perm, shape []int64) view {
	ix := make([]pelican.Expr, len(perm))
	for i, p := range perm {
		ix[p] = dim(i, shape[i])
	}
	return v.of(shape, ix)
}

func reverse(l *lowerer, o *hlo.Op) error {
	x := l.in(o, 0)
	which, _ := o.Ints("dimensions")
	ix := dims(x.shape)
	for _, d := range which {
		ix[d] = pelican.Sub(pelican.Const(max(x.shape[d]-1, 0)), ix[d])
	}
	v, err := l.viewOf(x, x.shape, ix)
	l.set(o, 0, v)
	return err
}

func slice(l *lowerer, o *hlo.Op) error {
	x := l.in(o, 0)
	start := o.IntsOr("start_indices", len(x.shape), 0)
	stride := o.IntsOr("strides", len(x.shape), 1)
	shape := o.Out(0).Dims
	ix := dims(shape)
	for i := range ix {
		ix[i] = pelican.AddConst(pelican.Mul(ix[i], stride[i]), start[i])
	}
	v, err := l.viewOf(x, shape, ix)
	l.set(o, 0, v)
	return err
}

// concatenate copies every operand to its place.
func concatenate(l *lowerer, o *hlo.Op) error {
	shape := o.Out(0).Dims
	d := o.IntOr("dimension", 0)
	var parts []view
	for i := range o.Operands {
		if v := l.in(o, i); elems(v.shape) > 0 {
			parts = append(parts, v)
		}
	}
	if len(parts) == 1 {
		parts[0].fresh = 0
		l.set(o, 0, parts[0])
		return nil
	}
	out := whole(l.tensor("concatenate", l.elem(o.Out(0).Elem), shape))
	out.fresh = l.region
	at := int64(0)
	for _, p := range parts {
		start := make([]int64, len(shape))
		start[d] = at
		if err := l.into(out.slice(start, nil, p.shape), "copy", nil, p); err != nil {
			return err
		}
		at += p.shape[d]
	}
	l.set(o, 0, out)
	return nil
}

func pad(l *lowerer, o *hlo.Op) error {
	x, val := l.in(o, 0), l.in(o, 1)
	n := len(x.shape)
	p := padding{o.IntsOr("edge_padding_low", n, 0), o.IntsOr("edge_padding_high", n, 0), o.IntsOr("interior_padding", n, 0)}
	v, err := l.padded(x, val, p)
	l.set(o, 0, v)
	return err
}

// padding says what surrounds and separates the elements of each dimension. Negative edges crop.
type padding struct{ low, high, interior []int64 }

func (p padding) none() bool {
	for i := range p.low {
		if p.low[i] != 0 || p.high[i] != 0 || p.interior[i] != 0 {
			return false
		}
	}
	return true
}

// padded is x with padding of the scalar val. A cropping without padding is a view.
func (l *lowerer) padded(x, val view, p padding) (view, error) {
	n := len(x.shape)
	shape := make([]int64, n) // of the result
	start := make([]int64, n) // first element of x that stays
	kept := make([]int64, n)  // elements of x that stay
	put := make([]int64, n)   // where the first of them goes
	step := make([]int64, n)  // distance of neighbours in the result
	fills := false
	for i, d := range x.shape {
		step[i] = p.interior[i] + 1
		full := max(0, d+max(0, d-1)*p.interior[i])
		shape[i] = full + p.low[i] + p.high[i]
		put[i] = p.low[i]
		if put[i] < 0 {
			start[i] = (-put[i] + step[i] - 1) / step[i]
			put[i] += start[i] * step[i]
		}
		if put[i] < shape[i] {
			kept[i] = max(0, min(d-start[i], (shape[i]-1-put[i])/step[i]+1))
		}
		if shape[i] < 0 {
			return view{}, l.unsupported("padding removes more than there is")
		}
		fills = fills || kept[i] != shape[i]
	}
	core := x.slice(start, nil, kept)
	if !fills {
		return core, nil
	}
	if elems(shape) == 0 {
		return whole(l.tensor("pad", x.t.DType, shape)), nil
	}
	out, err := l.filledWith(val, shape)
	if err != nil || elems(kept) == 0 {
		return out, err
	}
	return out, l.into(out.slice(put, step, kept), "copy", nil, core)
}

func dimensionSize(l *lowerer, o *hlo.Op) error {
	x := l.in(o, 0)
	d := o.IntOr("dimension", 0)
	if d < 0 || d >= int64(len(x.shape)) {
		return l.unsupported("dimension %d of %d", d, len(x.shape))
	}
	n := x.shape[d]
	l.set(o, 0, l.constSplat(o.Out(0).Elem, []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}))
	return nil
}
