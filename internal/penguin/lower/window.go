package lower

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register(reduceWindow, "stablehlo.reduce_window")
	register(selectAndScatter, "stablehlo.select_and_scatter")
}

// maxMask bounds the masks that say which windows lie inside, one for each position of a window.
const maxMask = 1 << 22

// maxWindow bounds the window positions that are unrolled.
const maxWindow = 1024

func windowPadding(w hlo.Window) padding {
	n := len(w.Size)
	p := padding{make([]int64, n), make([]int64, n), make([]int64, n)}
	for i := range w.Size {
		p.low[i], p.high[i], p.interior[i] = w.Pad[i][0], w.Pad[i][1], w.BaseDilation[i]-1
	}
	return p
}

// reduceWindow reduces over the window positions of the input padded with the initial value.
func reduceWindow(l *lowerer, o *hlo.Op) error {
	n := len(o.Results)
	w, err := hlo.WindowOf(o, len(o.In(0).Dims))
	if err != nil {
		return err
	}
	shape := o.Out(0).Dims
	body := o.Body(0)
	xs, inits := make([]view, n), make([]view, n)
	simple := true
	ops := make([]string, n)
	for i := range xs {
		xs[i], inits[i] = l.in(o, i), l.in(o, n+i)
		var ok bool
		ops[i], ok = combineOf(body, i, n)
		simple = simple && ok && l.elem(o.Out(i).Elem) == xs[i].t.DType
	}
	if simple {
		for i := range xs {
			v, done, err := l.cumulative(ops[i], xs[i], inits[i], w)
			if !done && err == nil {
				v, err = l.windowReduction(ops[i], xs[i], inits[i], w, shape)
			}
			if err != nil {
				return err
			}
			l.set(o, i, v)
		}
		return nil
	}
	if elems(w.Size) > maxWindow {
		return l.unsupported("a window of %d elements with a reducer that is not a single op", elems(w.Size))
	}
	acc := make([]view, n)
	for i := range xs {
		if xs[i], err = l.padded(xs[i], inits[i], windowPadding(w)); err != nil {
			return err
		}
		acc[i] = inits[i].splatTo(shape)
	}
	err = eachIndex(w.Size, func(at []int64) error {
		args := append([]view(nil), acc...)
		for _, x := range xs {
			args = append(args, windowTap(x, w, at, shape))
		}
		acc, err = l.scalars(body, shape, args)
		return err
	})
	for i := range acc {
		l.set(o, i, acc[i])
	}
	return err
}

// windowTap is element at of every window of the padded x.
func windowTap(x view, w hlo.Window, at, shape []int64) view {
	start := make([]int64, len(at))
	for i := range at {
		start[i] = at[i] * w.Dilation[i]
	}
	return x.slice(start, w.Stride, shape)
}

// eachIndex visits the indices of an array of the given extents in row-major order.
func eachIndex(shape []int64, f func(at []int64) error) error {
	if elems(shape) == 0 {
		return nil
	}
	at := make([]int64, len(shape))
	for {
		if err := f(at); err != nil {
			return err
		}
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				break
			}
			at[d] = 0
		}
		if d < 0 {
			return nil
		}
	}
}

func (l *lowerer) windowReduction(op string, x, init view, w hlo.Window, shape []int64) (view, error) {
	var err error
	if p := windowPadding(w); !p.none() {
		if x, err = l.padded(x, init, p); err != nil {
			return view{}, err
		}
	}
	if elems(shape) == 0 {
		return whole(l.tensor("reduce", x.t.DType, shape)), nil
	}
	ix := make([]pelican.Expr, len(shape))
	axes := axesOf(shape)
	for i, n := range w.Size {
		r := axisVar("r", i, n)
		axes = append(axes, axis{r, n})
		ix[i] = pelican.Add(pelican.Mul(dim(i, shape[i]), w.Stride[i]), pelican.Mul(r, w.Dilation[i]))
	}
	return l.reduction(op, x, ix, axes, len(w.Size), init, shape)
}

// minScan is the shortest dimension on which a scan in steps beats summing every window by itself.
const minScan = 32

// cumulative recognises a window that covers everything up to (or from) each element of one dimension, and computes
// it in log n steps, the distance of the elements that are combined doubling. Narrow floats are combined in fp32.
func (l *lowerer) cumulative(op string, x, init view, w hlo.Window) (view, bool, error) {
	d := -1
	for i, n := range w.Size {
		switch {
		case w.Stride[i] != 1 || w.Dilation[i] != 1 || w.BaseDilation[i] != 1:
			return view{}, false, nil
		case n == 1 && w.Pad[i] == [2]int64{}:
		case d < 0 && n == x.shape[i] && n >= minScan && w.Pad[i][0]+w.Pad[i][1] == n-1 && (w.Pad[i][0] == 0 || w.Pad[i][1] == 0):
			d = i
		default:
			return view{}, false, nil
		}
	}
	bits, ok := l.splat(init)
	if d < 0 || !ok || !isIdentity(op, x.t.DType, bits) {
		return view{}, false, nil
	}
	backward := w.Pad[d][0] == 0
	flip := func(v view) view {
		ix := dims(v.shape)
		ix[d] = pelican.Sub(pelican.Const(v.shape[d]-1), ix[d])
		return v.of(v.shape, ix)
	}
	if backward {
		x = flip(x)
	}
	part := func(v view, start, n int64) view {
		st := make([]int64, len(v.shape))
		st[d] = start
		shape := append([]int64(nil), v.shape...)
		shape[d] = n
		return v.slice(st, nil, shape)
	}
	t := x.t.DType
	if t.IsFloat() && t != dtype.F32 {
		var err error
		if x, err = l.compute("convert", nil, dtype.F32, x.shape, x); err != nil {
			return view{}, true, err
		}
	}
	n := x.shape[d]
	for s := int64(1); s < n; s *= 2 {
		next := whole(l.tensor("scan", x.t.DType, x.shape))
		if err := l.into(part(next, 0, s), "copy", nil, part(x, 0, s)); err != nil {
			return view{}, true, err
		}
		if err := l.into(part(next, s, n-s), op, nil, part(x, 0, n-s), part(x, s, n-s)); err != nil {
			return view{}, true, err
		}
		x = next
	}
	if x.t.DType != t {
		var err error
		if x, err = l.compute("convert", nil, t, x.shape, x); err != nil {
			return view{}, true, err
		}
	}
	if backward {
		x = flip(x)
	}
	return x, true, nil
}

// selectAndScatter finds the winner of every window by folding the select region over the window positions, and then
// lets each position in turn contribute the source elements of the windows it won. Positions of one turn are distinct
// elements as long as windows advance, so a turn is an elementwise op on a strided view of the result:
//
//	won = 0; best = x[s*stride]; for w = 1, 2, ...: take = !select(best, x[s*stride+w]); best, won = take ? ...
//	for w: out[s*stride+w] = scatter(out[s*stride+w], source[s]) where won[s] == w
func selectAndScatter(l *lowerer, o *hlo.Op) error {
	x, src, init := l.in(o, 0), l.in(o, 1), l.in(o, 2)
	w, err := hlo.WindowOf(o, len(x.shape))
	if err != nil {
		return err
	}
	if elems(w.Size) > maxWindow {
		return l.unsupported("a window of %d elements", elems(w.Size))
	}
	p := windowPadding(w)
	if !p.none() && elems(src.shape) > maxMask {
		return l.unsupported("padding around %d windows", elems(src.shape))
	}
	zeroOf := l.constSplat(x.t.DType, make([]byte, 8))
	px, err := l.padded(x, zeroOf, p)
	if err != nil {
		return err
	}
	shape := src.shape
	valid := func(at []int64) view {
		if p.none() {
			return l.constSplat(dtype.I1, []byte{1}).splatTo(shape)
		}
		return l.insideMask(w, at, x.shape, shape)
	}
	var best, won, have view
	k := int32(0)
	index := func(k int32) view {
		return l.constSplat(dtype.I32, []byte{byte(k), byte(k >> 8), byte(k >> 16), byte(k >> 24)})
	}
	err = eachIndex(w.Size, func(at []int64) error {
		tap, in := windowTap(px, w, at, shape), valid(at)
		if k == 0 {
			best, won, have = tap, index(0).splatTo(shape), in
			k++
			return nil
		}
		sel, err := l.scalars(o.Body(0), shape, []view{best, tap})
		if err != nil {
			return err
		}
		// Keep the accumulator where select says so and it holds an element, or where the tap is padding.
		keep := sel[0]
		if _, all := l.splat(have); !all || !isTrue(l, have) {
			if keep, err = l.compute("and", nil, dtype.I1, shape, keep, have); err != nil {
				return err
			}
		}
		if !isTrue(l, in) {
			out, err := l.compute("not", nil, dtype.I1, shape, in)
			if err != nil {
				return err
			}
			if keep, err = l.compute("or", nil, dtype.I1, shape, keep, out); err != nil {
				return err
			}
			if have, err = l.compute("or", nil, dtype.I1, shape, have, in); err != nil {
				return err
			}
		} else {
			have = in
		}
		if best, err = l.compute("select", nil, best.t.DType, shape, keep, best, tap); err != nil {
			return err
		}
		won, err = l.compute("select", nil, dtype.I32, shape, keep, won, index(k))
		k++
		return err
	})
	if err != nil {
		return err
	}
	acc, err := l.filledWith(init, px.shape)
	if err != nil {
		return err
	}
	eq := func(d string, a, b view) (view, error) {
		return l.compute("compare", compareAttr(d), dtype.I1, shape, a, b)
	}
	// From the last position to the first: an element then receives its windows in their order, as the reference sums.
	last := make([]int64, len(w.Size))
	err = eachIndex(w.Size, func(back []int64) error {
		for i := range back {
			last[i] = w.Size[i] - 1 - back[i]
		}
		at := last
		k--
		mine, err := eq("EQ", won, index(k))
		if err != nil {
			return err
		}
		if !isTrue(l, have) {
			if mine, err = l.compute("and", nil, dtype.I1, shape, mine, have); err != nil {
				return err
			}
		}
		old := windowTap(acc, w, at, shape)
		sum, err := l.scalars(o.Body(1), shape, []view{old, src})
		if err != nil {
			return err
		}
		return l.into(old, "select", nil, mine, sum[0], old)
	})
	if err != nil {
		return err
	}
	crop := padding{make([]int64, len(p.low)), make([]int64, len(p.low)), p.interior}
	for i := range p.low {
		crop.low[i], crop.high[i] = -p.low[i], -p.high[i]
	}
	res, err := l.padded(acc, init, crop)
	l.set(o, 0, res)
	return err
}

// isTrue reports a constant view that is 1 everywhere.
func isTrue(l *lowerer, v view) bool {
	bits, ok := l.splat(v)
	return ok && bits == 1
}

// insideMask tells, for every window, whether its element at lies on the unpadded input.
func (l *lowerer) insideMask(w hlo.Window, at, in, shape []int64) view {
	s := make([]int, len(shape))
	for i, n := range shape {
		s[i] = int(n)
	}
	m := tensor.New(dtype.I1, s...)
	i := 0
	_ = eachIndex(shape, func(p []int64) error {
		ok := true
		for d := range p {
			x := p[d]*w.Stride[d] + at[d]*w.Dilation[d] - w.Pad[d][0]
			ok = ok && x >= 0 && x < in[d]
		}
		if ok {
			m.Data[i] = 1
		}
		i++
		return nil
	})
	return l.constTensor(m)
}
