package eval

import (
	"github.com/alcadev/alca/internal/cpu"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.dot_general", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		d := o.Attrs.Get("dot_dimension_numbers").(*hlo.DotDims)
		return one(dotGeneral(in[0].T, in[1].T, d, o.Out(0).Elem)), nil
	})
	register("stablehlo.dot", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		n := int64(len(in[0].T.Shape))
		return one(dotGeneral(in[0].T, in[1].T, &hlo.DotDims{LhsContract: []int64{n - 1}, RhsContract: []int64{0}}, o.Out(0).Elem)), nil
	})
	register("stablehlo.convolution", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		w, err := hlo.ConvWindow(o)
		if err != nil {
			return nil, err
		}
		t, err := m.convolution(o, w, in[0].T, in[1].T)
		if err != nil {
			return nil, err
		}
		return one(t), nil
	})
}

// groupDims lists the dimensions of rank that are in neither list.
func freeDims(rank int, a, b []int64) []int {
	var out []int
	for i := range rank {
		in := false
		for _, x := range a {
			in = in || int(x) == i
		}
		for _, x := range b {
			in = in || int(x) == i
		}
		if !in {
			out = append(out, i)
		}
	}
	return out
}

func pick(shape []int, dims []int) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = shape[d]
	}
	return out
}

// dotGeneral brings both sides into [batch, row, k] and [batch, k, column] and multiplies batch by batch.
func dotGeneral(a, b *tensor.Tensor, d *hlo.DotDims, to dtype.Type) *tensor.Tensor {
	lb, lc, rb, rc := toInts(d.LhsBatch), toInts(d.LhsContract), toInts(d.RhsBatch), toInts(d.RhsContract)
	lf := freeDims(len(a.Shape), d.LhsBatch, d.LhsContract)
	rf := freeDims(len(b.Shape), d.RhsBatch, d.RhsContract)
	shape := append(append(pick(a.Shape, lb), pick(a.Shape, lf)...), pick(b.Shape, rf)...)
	x := transpose(a, append(append(append([]int(nil), lb...), lf...), lc...))
	y := transpose(b, append(append(append([]int(nil), rb...), rc...), rf...))
	nb, m, n, k := count(pick(a.Shape, lb)), count(pick(a.Shape, lf)), count(pick(b.Shape, rf)), count(pick(a.Shape, lc))
	switch {
	case to == dtype.C64:
		u, v, out := complexes64(x), complexes64(y), tensor.New(to, shape...)
		w := view[complex64](out)
		for i := range nb {
			cpu.MatMulC64(m, n, k, u[i*m*k:(i+1)*m*k], v[i*k*n:(i+1)*k*n], w[i*m*n:(i+1)*m*n])
		}
		return out
	case x.Type.IsComplex():
		return fromComplexes(to, shape, batched(nb, m, n, k, complexes(x), complexes(y)))
	case x.Type == dtype.F64 || y.Type == dtype.F64 || to == dtype.F64:
		return fromFloats(to, shape, batched(nb, m, n, k, floats(x), floats(y)))
	case x.Type.IsFloat() || y.Type.IsFloat() || to.IsFloat():
		return fromFloats32(to, shape, batched(nb, m, n, k, asF32(x), asF32(y)))
	case x.Type == dtype.I1:
		v := batched(nb, m, n, k, ints(x), ints(y))
		return fromInts(to, shape, v)
	}
	return fromInts(to, shape, batched(nb, m, n, k, ints(x), ints(y)))
}

// complexes64 returns the elements of a tensor as complex64.
func complexes64(t *tensor.Tensor) []complex64 {
	if t.Type == dtype.C64 {
		return view[complex64](t)
	}
	return view[complex64](convert(t, dtype.C64))
}

func asF32(t *tensor.Tensor) []float32 {
	if t.Type.IsFloat() {
		return floats32(t)
	}
	return floats32(convert(t, dtype.F32))
}

func batched[T float32 | float64 | int64 | complex128](nb, m, n, k int, x, y []T) []T {
	out := make([]T, nb*m*n)
	for i := range nb {
		cpu.MatMul(m, n, k, x[i*m*k:(i+1)*m*k], y[i*k*n:(i+1)*k*n], out[i*m*n:(i+1)*m*n])
	}
	return out
}

// convolution unrolls the windows of each group into the rows of a matrix and multiplies by the kernel.
func (m *machine) convolution(o *hlo.Op, w hlo.Window, a, k *tensor.Tensor) (*tensor.Tensor, error) {
	d := o.Attrs.Get("dimension_numbers").(*hlo.ConvDims)
	fg, bg := int(o.IntOr("feature_group_count", 1)), int(o.IntOr("batch_group_count", 1))
	// Input as [batch, feature, spatial], kernel as [out, in, spatial].
	x := transpose(a, append([]int{int(d.InBatch), int(d.InFeature)}, toInts(d.InSpatial)...))
	kk := transpose(k, append([]int{int(d.KernelOutFeature), int(d.KernelInFeature)}, toInts(d.KernelSpatial)...))
	rev := o.Bools("window_reversal", len(d.InSpatial))
	var flip []int
	for i, r := range rev {
		if r {
			flip = append(flip, 2+i)
		}
	}
	if len(flip) > 0 {
		kk = reverse(kk, flip)
	}
	nb, nf, spatial := x.Shape[0], x.Shape[1], x.Shape[2:]
	no, ni, win := kk.Shape[0], kk.Shape[1], kk.Shape[2:]
	outSp := make([]int, len(spatial))
	for i := range spatial {
		w.Size[i] = int64(win[i])
		outSp[i] = windowCount(spatial[i], w, i)
	}
	groups := fg * bg
	perB, perF, perO := nb/bg, nf/fg, no/groups
	np, nw := count(outSp), count(win)
	to := o.Out(0).Elem
	res := tensor.New(to, append([]int{perB, no}, outSp...)...)
	if np == 0 || nw == 0 || perF != ni {
		if perF != ni {
			return nil, errf(o, CodeShape, "kernel takes %d features a group, the input has %d", ni, perF)
		}
		return res, nil
	}
	if err := m.guardWindows(o, outSp, w.Size); err != nil {
		return nil, err
	}
	// Offsets of every tap at every output position, -1 in padding.
	str := strides(spatial)
	offs := make([]int32, np*nw)
	_ = eachIndex(outSp, func(pos []int, flat int) error {
		t := flat * nw
		return windowTaps(w, spatial, str, pos, func(off int) error {
			offs[t] = int32(off)
			t++
			return nil
		})
	})
	ns := count(spatial)
	size := x.Type.Size()
	esz := to.Size()
	for g := range groups {
		bgi, fgi := g%bg, g/bg
		if fg > 1 {
			bgi, fgi = 0, g
		}
		kg := &tensor.Tensor{Type: kk.Type, Shape: []int{perO, ni * nw}, Data: kk.Data[g*perO*ni*nw*kk.Type.Size() : (g+1)*perO*ni*nw*kk.Type.Size()]}
		for bi := range perB {
			if m.ctx.Err() != nil {
				return nil, m.ctx.Err()
			}
			// Columns: [ni*nw, np].
			cols := tensor.New(x.Type, ni*nw, np)
			for f := range ni {
				src := x.Data[(((bgi*perB+bi)*nf)+fgi*perF+f)*ns*size:]
				for t := range nw {
					row := cols.Data[(f*nw+t)*np*size:]
					for p := range np {
						if off := offs[p*nw+t]; off >= 0 {
							copy(row[p*size:(p+1)*size], src[int(off)*size:(int(off)+1)*size])
						}
					}
				}
			}
			r := dotGeneral(kg, cols, &hlo.DotDims{LhsContract: []int64{1}, RhsContract: []int64{0}}, to) // [perO, np]
			copy(res.Data[(bi*no+g*perO)*np*esz:], r.Data)
		}
	}
	// Back to the output's own dimension order.
	perm := make([]int, 2+len(outSp))
	perm[d.OutBatch], perm[d.OutFeature] = 0, 1
	for i, s := range d.OutSpatial {
		perm[s] = 2 + i
	}
	return transpose(res, perm), nil
}
