package eval

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.constant", runConstant)
	register("chlo.constant", runConstant)
	register("stablehlo.iota", func(_ *machine, o *hlo.Op, _ []Val) ([]Val, error) {
		return one(iota(o.Out(0).Elem, toInts(o.Out(0).Dims), int(o.IntOr("iota_dimension", 0)))), nil
	})
	register("stablehlo.reshape", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		return one(reshaped(in[0].T, toInts(o.Out(0).Dims))), nil
	})
	register("stablehlo.transpose", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		p, _ := o.Ints("permutation")
		return one(transpose(in[0].T, toInts(p))), nil
	})
	register("stablehlo.broadcast_in_dim", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		d, _ := o.Ints("broadcast_dimensions")
		if m.vector && len(o.Out(0).Dims) == 0 {
			return in, nil
		}
		return one(broadcastInDim(in[0].T, toInts(d), toInts(o.Out(0).Dims))), nil
	})
	register("stablehlo.broadcast", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a := in[0].T
		s, _ := o.Ints("broadcast_sizes")
		dims := make([]int, len(a.Shape))
		for i := range dims {
			dims[i] = len(s) + i
		}
		return one(broadcastInDim(a, dims, append(toInts(s), a.Shape...))), nil
	})
	register("stablehlo.concatenate", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		ts := make([]*tensor.Tensor, len(in))
		for i := range in {
			ts[i] = in[i].T
		}
		return one(concat(ts, int(o.IntOr("dimension", 0)))), nil
	})
	register("stablehlo.slice", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		lo, _ := o.Ints("start_indices")
		hi, _ := o.Ints("limit_indices")
		st, _ := o.Ints("strides")
		return one(slice(in[0].T, toInts(lo), toInts(hi), toInts(st))), nil
	})
	register("stablehlo.reverse", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		d, _ := o.Ints("dimensions")
		return one(reverse(in[0].T, toInts(d))), nil
	})
	register("stablehlo.pad", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		lo, _ := o.Ints("edge_padding_low")
		hi, _ := o.Ints("edge_padding_high")
		mid, _ := o.Ints("interior_padding")
		return one(pad(in[0].T, in[1].T, toInts(lo), toInts(hi), toInts(mid))), nil
	})
	register("stablehlo.dynamic_slice", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		size, _ := o.Ints("slice_sizes")
		return one(dynamicSlice(in[0].T, startIndices(in[1:], in[0].T.Shape, toInts(size)), toInts(size))), nil
	})
	register("stablehlo.dynamic_update_slice", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a, u := in[0].T, in[1].T
		start := startIndices(in[2:], a.Shape, u.Shape)
		out := clone(a)
		str := strides(a.Shape)
		copyND(out.Data, dot(start, str), str, u.Data, 0, strides(u.Shape), u.Shape, a.Type.Size())
		return one(out), nil
	})
}

func toInts(v []int64) []int {
	out := make([]int, len(v))
	for i := range v {
		out[i] = int(v[i])
	}
	return out
}

func dot(a, b []int) int {
	n := 0
	for i := range a {
		n += a[i] * b[i]
	}
	return n
}

func clone(t *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(t.Type, t.Shape...)
	copy(out.Data, t.Data)
	return out
}

func runConstant(_ *machine, o *hlo.Op, _ []Val) ([]Val, error) {
	d, ok := o.Attrs.Get("value").(*hlo.DenseAttr)
	if !ok || d.Data == nil {
		return nil, errf(o, CodeElem, "the constant has no data")
	}
	return one(dense(d)), nil
}

// dense returns the tensor of a dense attribute, splats expanded.
func dense(d *hlo.DenseAttr) *tensor.Tensor {
	shape := toInts(d.Type.Dims)
	if !d.Splat {
		return reshaped(d.Data, shape)
	}
	t := tensor.New(d.Data.Type, shape...)
	fill(t, d.Data.Data)
	return t
}

func iota(ty dtype.Type, shape []int, dim int) *tensor.Tensor {
	n := shape[dim]
	inner := count(shape[dim+1:])
	outer := count(shape[:dim])
	line := make([]int64, n)
	for i := range line {
		line[i] = int64(i)
	}
	seq := convert(fromInts(dtype.I64, []int{n}, line), ty)
	if ty.IsInt() {
		seq = fromInts(ty, []int{n}, line)
	}
	t := tensor.New(ty, shape...)
	size := ty.Size()
	pos := 0
	for range outer {
		for i := range n {
			e := seq.Data[i*size : (i+1)*size]
			for range inner {
				pos += copy(t.Data[pos:], e)
			}
		}
	}
	return t
}

func transpose(a *tensor.Tensor, perm []int) *tensor.Tensor {
	shape := make([]int, len(perm))
	src := make([]int, len(perm))
	str := strides(a.Shape)
	for i, p := range perm {
		shape[i], src[i] = a.Shape[p], str[p]
	}
	out := tensor.New(a.Type, shape...)
	copyND(out.Data, 0, strides(shape), a.Data, 0, src, shape, a.Type.Size())
	return out
}

func broadcastInDim(a *tensor.Tensor, dims, shape []int) *tensor.Tensor {
	out := tensor.New(a.Type, shape...)
	if numElems(a) == 1 {
		fill(out, a.Data)
		return out
	}
	src := make([]int, len(shape))
	str := strides(a.Shape)
	for i, d := range dims {
		if a.Shape[i] != 1 {
			src[d] = str[i]
		}
	}
	copyND(out.Data, 0, strides(shape), a.Data, 0, src, shape, a.Type.Size())
	return out
}

func concat(ts []*tensor.Tensor, dim int) *tensor.Tensor {
	shape := append([]int(nil), ts[0].Shape...)
	shape[dim] = 0
	for _, t := range ts {
		shape[dim] += t.Shape[dim]
	}
	out := tensor.New(ts[0].Type, shape...)
	str := strides(shape)
	at := 0
	for _, t := range ts {
		copyND(out.Data, at*str[dim], str, t.Data, 0, strides(t.Shape), t.Shape, t.Type.Size())
		at += t.Shape[dim]
	}
	return out
}

func slice(a *tensor.Tensor, lo, hi, step []int) *tensor.Tensor {
	shape := make([]int, len(lo))
	str := strides(a.Shape)
	src := make([]int, len(lo))
	for i := range lo {
		shape[i] = max(0, (hi[i]-lo[i]+step[i]-1)/step[i])
		src[i] = str[i] * step[i]
	}
	out := tensor.New(a.Type, shape...)
	copyND(out.Data, 0, strides(shape), a.Data, dot(lo, str), src, shape, a.Type.Size())
	return out
}

func reverse(a *tensor.Tensor, dims []int) *tensor.Tensor {
	str := strides(a.Shape)
	src := append([]int(nil), str...)
	off := 0
	for _, d := range dims {
		off += (a.Shape[d] - 1) * str[d]
		src[d] = -str[d]
	}
	out := tensor.New(a.Type, a.Shape...)
	copyND(out.Data, 0, str, a.Data, off, src, a.Shape, a.Type.Size())
	return out
}

// pad places the elements at low + i*(interior+1); what falls outside is cropped.
func pad(a, v *tensor.Tensor, lo, hi, mid []int) *tensor.Tensor {
	n := len(a.Shape)
	shape := make([]int, n)
	for i, d := range a.Shape {
		shape[i] = lo[i] + hi[i] + d + max(d-1, 0)*mid[i]
	}
	out := tensor.New(a.Type, shape...)
	fill(out, v.Data[:v.Type.Size()])
	// The kept rectangle: source elements first..last in each dimension.
	first, num := make([]int, n), make([]int, n)
	sStr, dStr := strides(a.Shape), strides(shape)
	dOff := 0
	step := make([]int, n)
	for i, d := range a.Shape {
		k := mid[i] + 1
		f := 0
		if lo[i] < 0 {
			f = (-lo[i] + k - 1) / k
		}
		l := d - 1 // greatest index with lo + l*k < shape
		if m := (shape[i] - 1 - lo[i]); m < 0 {
			l = -1
		} else {
			l = min(l, m/k)
		}
		first[i], num[i] = f, l-f+1
		if num[i] <= 0 {
			return out
		}
		dOff += (lo[i] + f*k) * dStr[i]
		step[i] = dStr[i] * k
	}
	copyND(out.Data, dOff, step, a.Data, dot(first, sStr), sStr, num, a.Type.Size())
	return out
}

// startIndices reads scalar start indices and clamps them so that a window of the given size fits.
func startIndices(in []Val, shape, size []int) []int {
	out := make([]int, len(in))
	for i, v := range in {
		k := intAt(v.T, 0)
		if v.T.Type == dtype.U64 && k < 0 {
			k = int64(shape[i])
		}
		out[i] = int(min(max(k, 0), int64(shape[i]-size[i])))
	}
	return out
}

func dynamicSlice(a *tensor.Tensor, start, size []int) *tensor.Tensor {
	str := strides(a.Shape)
	out := tensor.New(a.Type, size...)
	copyND(out.Data, 0, strides(size), a.Data, dot(start, str), str, size, a.Type.Size())
	return out
}
