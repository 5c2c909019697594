package opt

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// Batch normalisation, per feature f, over the n other elements; computed in f32 and rounded once:
//
//	batch_norm_inference  =>  (x - mean) / sqrt(variance + epsilon) * scale + offset
//	batch_norm_training   =>  mean = sum(x)/n, variance = sum((x - mean)^2)/n, then as inference
//	batch_norm_grad       =>  offset' = sum(g), scale' = sum(g (x - mean)) / sqrt(variance + epsilon),
//	                          x' = scale/sqrt(v) (g - offset'/n - (x - mean) sum(g (x - mean)) / (n v)), v = variance + epsilon
func init() {
	decompositions["stablehlo.batch_norm_inference"] = batchNormInference
	decompositions["stablehlo.batch_norm_training"] = batchNormTraining
	decompositions["stablehlo.batch_norm_grad"] = batchNormGrad
}

// batchNorm holds what the three have in common.
type batchNorm struct {
	calc      // on tensors of the input's shape
	per  calc // on one value a feature
	in   []*hlo.Value
	axes []int64 // all but the feature's
	f    int64
	n    float64
	eps  float64
	elem dtype.Type // of the op
}

func newBatchNorm(b *hlo.Builder, o *hlo.Op) *batchNorm {
	t := o.In(0)
	n := &batchNorm{f: o.IntOr("feature_index", 0), n: 1, elem: t.Elem}
	if !t.Elem.IsFloat() {
		return nil
	}
	compute := t.Elem
	if compute.Bits() < 32 {
		compute = dtype.F32
	}
	for _, v := range o.Operands {
		n.in = append(n.in, b.Convert(v, compute))
	}
	n.calc, n.per = calcOn(b, n.in[0]), calcOn(b, n.in[1])
	for i, d := range t.Dims {
		if int64(i) != n.f {
			n.axes = append(n.axes, int64(i))
			n.n *= float64(d)
		}
	}
	eps, _ := o.Attrs.Get("epsilon").(hlo.FloatAttr)
	n.eps = float64(float32(eps.Value))
	return n
}

// wide spreads a value a feature over the input's shape.
func (n *batchNorm) wide(v *hlo.Value) *hlo.Value { return n.BroadcastInDim(v, n.t.Dims, n.f) }

func (n *batchNorm) sum(v *hlo.Value) *hlo.Value {
	return n.Reduce("stablehlo.add", v, math.Copysign(0, -1), n.axes...)
}

func (n *batchNorm) normalise(mean, variance, scale, offset *hlo.Value) *hlo.Value {
	d := n.per.f("sqrt", n.per.add(variance, n.eps))
	x := n.div(n.sub(n.in[0], n.wide(mean)), n.wide(d))
	return n.add(n.mul(x, n.wide(scale)), n.wide(offset))
}

// out rounds results to the op's element type.
func (n *batchNorm) out(v ...*hlo.Value) []*hlo.Value {
	for i := range v {
		v[i] = n.Convert(v[i], n.elem)
	}
	return v
}

func batchNormInference(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	n := newBatchNorm(b, o)
	if n == nil {
		return nil
	}
	return n.out(n.normalise(n.in[3], n.in[4], n.in[1], n.in[2]))
}

func batchNormTraining(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	n := newBatchNorm(b, o)
	if n == nil {
		return nil
	}
	mean := n.per.div(n.sum(n.in[0]), n.n)
	d := n.sub(n.in[0], n.wide(mean))
	variance := n.per.div(n.sum(n.mul(d, d)), n.n)
	return n.out(n.normalise(mean, variance, n.in[1], n.in[2]), mean, variance)
}

func batchNormGrad(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	n := newBatchNorm(b, o)
	if n == nil {
		return nil
	}
	x, scale, mean, variance, g := n.in[0], n.in[1], n.in[2], n.in[3], n.in[4]
	p := n.per
	d := n.sub(x, n.wide(mean))
	v := p.add(variance, n.eps)
	gradOffset, centred := n.sum(g), n.sum(n.mul(g, d))
	root := p.f("sqrt", v)
	inner := n.sub(n.sub(g, n.wide(p.div(gradOffset, n.n))), n.mul(d, n.wide(p.div(p.div(centred, n.n), v))))
	return n.out(n.mul(n.wide(p.div(scale, root)), inner), p.div(centred, root), gradOffset)
}
