package eval

import (
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// The broadcasting ops of CHLO: bring the operands to one shape, then run the plain op.

func init() {
	for _, d := range hlo.Ops() {
		if rest, ok := strings.CutPrefix(d.Name, "chlo.broadcast_"); ok && rest != "select" {
			register(d.Name, broadcasting(rest))
		}
	}
	register("chlo.broadcast_select", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		ts, err := alignShapes(o, nil, in[0].T, in[1].T, in[2].T)
		if err != nil {
			return nil, err
		}
		return runSelect(m, o, []Val{{T: ts[0]}, {T: ts[1]}, {T: ts[2]}})
	})
	register("chlo.constant_like", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		shape := in[0].T.Shape
		ty := o.Out(0).Elem
		var v *tensor.Tensor
		switch a := o.Attrs.Get("value").(type) {
		case hlo.FloatAttr:
			v = convert(fromFloats(dtype.F64, nil, []float64{a.Value}), ty)
		case hlo.IntAttr:
			v = convert(fromInts(dtype.I64, nil, []int64{a.Value}), ty)
		case hlo.BoolAttr:
			v = convert(fromInts(dtype.I1, nil, []int64{int64(b2b(a.Value))}), ty)
		case *hlo.DenseAttr:
			v = dense(a)
		default:
			return nil, errf(o, CodeElem, "the value is no number")
		}
		return one(splat(v, shape)), nil
	})
}

func broadcasting(rest string) kernel {
	return func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		k := kernels["stablehlo."+rest]
		if k == nil {
			k = kernels["chlo."+rest]
		}
		if k == nil {
			return nil, errf(o, CodeUnsupported, "the evaluator does not support the op it broadcasts yet")
		}
		dims, _ := o.Ints("broadcast_dimensions")
		ts, err := alignShapes(o, dims, in[0].T, in[1].T)
		if err != nil {
			return nil, err
		}
		return k(m, o, []Val{{T: ts[0]}, {T: ts[1]}})
	}
}

// alignShapes broadcasts tensors to one shape: numpy-style, or by dims where ranks differ.
func alignShapes(o *hlo.Op, dims []int64, ts ...*tensor.Tensor) ([]*tensor.Tensor, error) {
	rank := 0
	for _, t := range ts {
		rank = max(rank, len(t.Shape))
	}
	place := make([][]int, len(ts)) // dimension of the result for each dimension of an operand
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1
	}
	for i, t := range ts {
		place[i] = make([]int, len(t.Shape))
		for k := range t.Shape {
			place[i][k] = rank - len(t.Shape) + k
		}
		if len(t.Shape) < rank && len(dims) == len(t.Shape) {
			place[i] = toInts(dims)
		}
		for k, d := range t.Shape {
			p := place[i][k]
			switch {
			case p < 0 || p >= rank:
				return nil, errf(o, CodeShape, "broadcast_dimensions holds %d, the rank is %d", p, rank)
			case shape[p] == 1:
				shape[p] = d
			case d != 1 && d != shape[p]:
				return nil, errf(o, CodeShape, "extents %d and %d do not broadcast", shape[p], d)
			}
		}
	}
	out := make([]*tensor.Tensor, len(ts))
	for i, t := range ts {
		out[i] = t
		if !sameInts(t.Shape, shape) {
			out[i] = broadcastInDim(t, place[i], shape)
		}
	}
	return out, nil
}
