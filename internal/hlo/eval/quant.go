package eval

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.uniform_quantize", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a := in[0].T
		if q := o.In(0).Quant; q != nil {
			a = dequantise(a, q)
		}
		return one(quantise(a, o.Out(0).Quant)), nil
	})
	register("stablehlo.uniform_dequantize", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		return one(dequantise(in[0].T, o.In(0).Quant)), nil
	})
}

// movesData are the ops that keep stored integers as they are.
var movesData = map[string]bool{
	"stablehlo.uniform_quantize": true, "stablehlo.uniform_dequantize": true, "stablehlo.constant": true, "stablehlo.reshape": true,
	"stablehlo.transpose": true, "stablehlo.broadcast_in_dim": true, "stablehlo.concatenate": true, "stablehlo.slice": true, "stablehlo.reverse": true,
	"stablehlo.dynamic_slice": true, "stablehlo.dynamic_update_slice": true, "stablehlo.gather": true, "stablehlo.pad": true, "stablehlo.select": true,
	"stablehlo.bitcast_convert": true, "stablehlo.dynamic_reshape": true, "stablehlo.dynamic_broadcast_in_dim": true, "stablehlo.get_dimension_size": true,
}

// quantised reports an op with a quantised operand or result.
func quantised(o *hlo.Op) bool {
	for _, v := range o.Operands {
		if t := hlo.TensorOf(v); t != nil && t.Quant != nil {
			return true
		}
	}
	for _, v := range o.Results {
		if t := hlo.TensorOf(v); t != nil && t.Quant != nil {
			return true
		}
	}
	return false
}

// quantParams returns scale and zero point for every element position along the quantised axis.
func quantParams(q *hlo.QuantType, shape []int) func(flat int) (scale float64, zero int64) {
	if q.Axis < 0 {
		s, z := q.Scales[0], int64(0)
		if len(q.ZeroPoints) > 0 {
			z = q.ZeroPoints[0]
		}
		return func(int) (float64, int64) { return s, z }
	}
	inner := count(shape[q.Axis+1:])
	n := shape[q.Axis]
	return func(flat int) (float64, int64) {
		k := flat / inner % n
		z := int64(0)
		if k < len(q.ZeroPoints) {
			z = q.ZeroPoints[k]
		}
		return q.Scales[k], z
	}
}

// dequantise: (q - zero_point) * scale in the expressed type.
func dequantise(a *tensor.Tensor, q *hlo.QuantType) *tensor.Tensor {
	v := ints(a)
	p := quantParams(q, a.Shape)
	out := make([]float64, len(v))
	for i := range v {
		s, z := p(i)
		if q.Expressed != dtype.F64 {
			out[i] = float64(float32(v[i]-z) * float32(s))
		} else {
			out[i] = float64(v[i]-z) * s
		}
	}
	return fromFloats(q.Expressed, a.Shape, out)
}

// quantise: clamp(round_even(x / scale) + zero_point) to the storage range; NaN gives stored 0, as the
// conversion of NaN to an integer does.
func quantise(a *tensor.Tensor, q *hlo.QuantType) *tensor.Tensor {
	v := floats(a)
	p := quantParams(q, a.Shape)
	lo, hi := q.Min, q.Max
	if q.DefaultMin {
		lo, hi = q.Storage.IntRange()
	}
	out := make([]int64, len(v))
	for i, x := range v {
		s, z := p(i)
		r := x / s
		if q.Expressed != dtype.F64 {
			r = float64(float32(x) / float32(s))
		}
		r = math.RoundToEven(r) + float64(z)
		switch {
		case r != r:
			out[i] = min(max(0, lo), hi)
		case r <= float64(lo):
			out[i] = lo
		case r >= float64(hi):
			out[i] = hi
		default:
			out[i] = int64(r)
		}
	}
	return fromInts(q.Storage, a.Shape, out)
}

// viaDequantised computes an op on quantised operands in the expressed type: dequantise, compute, quantise.
func (m *machine) viaDequantised(o *hlo.Op, in []Val, k kernel) ([]Val, error) {
	vals := make([]Val, len(in))
	for i, v := range in {
		vals[i] = v
		if q := o.In(i).Quant; q != nil {
			vals[i] = Val{T: dequantise(v.T, q)}
		}
	}
	// The kernel reads its result type from the op: give it the expressed one.
	c := *o
	c.Results = make([]*hlo.Value, len(o.Results))
	for i, r := range o.Results {
		x := *r
		if t := hlo.TensorOf(r); t != nil && t.Quant != nil {
			u := *t
			u.Elem, u.Quant = t.Quant.Expressed, nil
			x.Type = &u
		}
		c.Results[i] = &x
	}
	out, err := k(m, &c, vals)
	if err != nil {
		return nil, err
	}
	for i, r := range o.Results {
		if t := hlo.TensorOf(r); t != nil && t.Quant != nil && out[i].T.Type.IsFloat() {
			out[i] = Val{T: quantise(out[i].T, t.Quant)}
		}
	}
	return out, nil
}
