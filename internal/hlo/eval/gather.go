package eval

import (
	"sort"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.gather", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		g, ok := o.Attrs.Get("dimension_numbers").(*hlo.GatherDims)
		if !ok {
			return nil, errf(o, CodeShape, "dimension_numbers is missing")
		}
		sizes, _ := o.Ints("slice_sizes")
		return one(gather(in[0].T, in[1].T, g, toInts(sizes))), nil
	})
}

// indexVector reads entry k of the index vector at batch position b.
type indexer struct {
	t     *tensor.Tensor
	str   []int
	vec   int // dimension of the index vectors, rank when they are scalars
	batch []int
}

func newIndexer(t *tensor.Tensor, vec int64) indexer {
	x := indexer{t: t, str: strides(t.Shape), vec: int(vec)}
	for i, d := range t.Shape {
		if i != x.vec {
			x.batch = append(x.batch, d)
		}
	}
	return x
}

// at returns entry k of the vector at batch index b, as a value that orders like the index type.
func (x *indexer) at(b []int, k int) int64 {
	off, j := 0, 0
	for i := range x.t.Shape {
		if i == x.vec {
			off += k * x.str[i]
			continue
		}
		off += b[j] * x.str[i]
		j++
	}
	v := intAt(x.t, off)
	if x.t.Type == dtype.U64 && v < 0 {
		return 1<<63 - 1
	}
	return v
}

// gather follows the StableHLO specification; start indices are clamped so that slices fit.
func gather(a, idx *tensor.Tensor, g *hlo.GatherDims, sizes []int) *tensor.Tensor {
	x := newIndexer(idx, g.IndexVectorDim)
	dropped := map[int]bool{}
	for _, d := range g.CollapsedSliceDims {
		dropped[int(d)] = true
	}
	for _, d := range g.OperandBatchingDims {
		dropped[int(d)] = true
	}
	var window, windowDims []int
	for i, s := range sizes {
		if !dropped[i] {
			window, windowDims = append(window, s), append(windowDims, i)
		}
	}
	offset := map[int]bool{}
	for _, d := range g.OffsetDims {
		offset[int(d)] = true
	}
	rank := len(x.batch) + len(window)
	shape := make([]int, rank)
	w, b := 0, 0
	for i := range shape {
		if offset[i] {
			shape[i] = window[w]
			w++
		} else {
			shape[i] = x.batch[b]
			b++
		}
	}
	out := tensor.New(a.Type, shape...)
	if len(out.Data) == 0 {
		return out
	}
	oStr, aStr := strides(shape), strides(a.Shape)
	var batchStr, winStr []int
	for i := range shape {
		if offset[i] {
			winStr = append(winStr, oStr[i])
		} else {
			batchStr = append(batchStr, oStr[i])
		}
	}
	srcStr := pick(aStr, windowDims)
	size := a.Type.Size()
	_ = eachIndex(x.batch, func(bi []int, _ int) error {
		off := 0
		for k, d := range g.StartIndexMap {
			v := min(max(x.at(bi, k), 0), int64(a.Shape[d]-sizes[d]))
			off += int(v) * aStr[d]
		}
		for i, d := range g.OperandBatchingDims {
			s := int(g.StartIndicesBatchingDims[i])
			if int64(s) > g.IndexVectorDim {
				s--
			}
			off += bi[s] * aStr[d]
		}
		copyND(out.Data, dot(bi, batchStr), winStr, a.Data, off, srcStr, window, size)
		return nil
	})
	return out
}

// runScatter combines update elements into their places in row-major order; places out of bounds are dropped.
func runScatter(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	n := (len(in) - 1) / 2
	s := o.Attrs.Get("scatter_dimension_numbers").(*hlo.ScatterDims)
	x := newIndexer(in[n].T, s.IndexVectorDim)
	upd := in[n+1].T
	shape := in[0].T.Shape
	str := strides(shape)
	isWin := map[int]bool{}
	for _, d := range s.UpdateWindowDims {
		isWin[int(d)] = true
	}
	skip := map[int]bool{}
	for _, d := range s.InsertedWindowDims {
		skip[int(d)] = true
	}
	for _, d := range s.InputBatchingDims {
		skip[int(d)] = true
	}
	var winDims []int
	for i := range shape {
		if !skip[i] {
			winDims = append(winDims, i)
		}
	}
	out := make([]*tensor.Tensor, n)
	for i := range out {
		out[i] = convert(clone(in[i].T), o.Out(i).Elem)
	}
	b := o.Body(0)
	op := simpleBody(b)
	overwrite := len(b.Ops) == 1 && n == 1 && len(b.Ops[0].Operands) == 1 && b.Ops[0].Operands[0] == b.Args[1]
	batch := make([]int, 0, len(upd.Shape))
	err := eachIndex(upd.Shape, func(ui []int, flat int) error {
		batch = batch[:0]
		w := 0
		at := make([]int64, len(shape))
		for i, v := range ui {
			if isWin[i] {
				at[winDims[w]] = int64(v)
				w++
			} else {
				batch = append(batch, v)
			}
		}
		for k, d := range s.ScatterDimsToOperandDims {
			at[d] += x.at(batch, k)
		}
		for i, d := range s.InputBatchingDims {
			k := int(s.ScatterIndicesBatchingDims[i])
			if int64(k) > s.IndexVectorDim {
				k--
			}
			at[d] += int64(batch[k])
		}
		off := 0
		for d, v := range at {
			if v < 0 || v >= int64(shape[d]) {
				return nil
			}
			off += int(v) * str[d]
		}
		switch {
		case overwrite:
			setElem(out[0], off, elem(upd, flat))
			return nil
		case n == 1 && op != "" && out[0].Type == upd.Type:
			r, err := binaries[op].apply(o, elem(out[0], off), elem(upd, flat))
			if err != nil {
				return err
			}
			setElem(out[0], off, r)
			return nil
		}
		args := make([]Val, 2*n)
		for i := range n {
			args[i] = Val{T: clone(elem(out[i], off))}
			args[n+i] = Val{T: convert(elem(in[n+1+i].T, flat), out[i].Type)}
		}
		r, err := m.scalars(b, args, e)
		if err != nil {
			return err
		}
		for i := range n {
			setElem(out[i], off, r[i].T)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	res := make([]Val, n)
	for i := range res {
		res[i] = Val{T: out[i]}
	}
	return res, nil
}

// runSort sorts lines along a dimension, always stably.
func runSort(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	shape := in[0].T.Shape
	if len(shape) == 0 {
		return in, nil
	}
	dim := int(o.IntOr("dimension", -1))
	if dim < 0 {
		dim += len(shape)
	}
	n := shape[dim]
	str := strides(shape)
	out := make([]*tensor.Tensor, len(in))
	for i := range in {
		out[i] = tensor.New(in[i].T.Type, shape...)
	}
	outer := append([]int(nil), shape...)
	outer[dim] = 1
	b := o.Body(0)
	keys, err := m.sortKeys(b, in, e)
	if err != nil {
		return nil, err
	}
	err = eachIndex(outer, func(idx []int, _ int) error {
		base := dot(idx, str)
		at := func(k int) int { return base + k*str[dim] }
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		var fail error
		less := func(i, j int) bool {
			args := make([]Val, 0, 2*len(in))
			for _, v := range in {
				args = append(args, Val{T: elem(v.T, at(i))}, Val{T: elem(v.T, at(j))})
			}
			r, err := m.scalars(b, args, e)
			if err != nil {
				if fail == nil {
					fail = err
				}
				return false
			}
			return r[0].T.Data[0] != 0
		}
		if keys != nil {
			less = func(i, j int) bool { return keys(at(i), at(j)) }
		}
		sort.SliceStable(order, func(i, j int) bool { return fail == nil && less(order[i], order[j]) })
		if fail != nil {
			return fail
		}
		for i := range in {
			for k, from := range order {
				setElem(out[i], at(k), elem(in[i].T, at(from)))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	res := make([]Val, len(out))
	for i := range res {
		res[i] = Val{T: out[i]}
	}
	return res, nil
}
