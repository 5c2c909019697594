package eval

import (
	"math"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Batch normalisation, in f64 and rounded once.

func init() {
	register("stablehlo.batch_norm_inference", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		b := newBatchNorm(o, in[0].T)
		return one(b.tensor(b.normalise(floats(in[3].T), floats(in[4].T), floats(in[1].T), floats(in[2].T)))), nil
	})
	register("stablehlo.batch_norm_training", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		b := newBatchNorm(o, in[0].T)
		mean := b.mean(func(i, _ int) float64 { return b.x[i] })
		variance := b.mean(func(i, f int) float64 { return (b.x[i] - mean[f]) * (b.x[i] - mean[f]) })
		return []Val{{T: b.tensor(b.normalise(mean, variance, floats(in[1].T), floats(in[2].T)))},
			{T: b.perFeature(mean)}, {T: b.perFeature(variance)}}, nil
	})
	register("stablehlo.batch_norm_grad", runBatchNormGrad)
}

type batchNorm struct {
	like    *tensor.Tensor
	x       []float64
	feature []int32 // of each element
	n       int     // features
	eps     float64
}

func newBatchNorm(o *hlo.Op, a *tensor.Tensor) *batchNorm {
	d := int(o.IntOr("feature_index", 0))
	eps, _ := o.Attrs.Get("epsilon").(hlo.FloatAttr)
	b := &batchNorm{like: a, x: floats(a), n: a.Shape[d], eps: eps.Value, feature: make([]int32, numElems(a))}
	inner := count(a.Shape[d+1:])
	for i := range b.feature {
		b.feature[i] = int32(i / inner % b.n)
	}
	return b
}

// mean averages v over each feature.
func (b *batchNorm) mean(v func(i, feature int) float64) []float64 {
	out := b.sum(v)
	per := float64(len(b.x)) / float64(b.n)
	for f := range out {
		out[f] /= per
	}
	return out
}

func (b *batchNorm) sum(v func(i, feature int) float64) []float64 {
	out := make([]float64, b.n)
	for i, f := range b.feature {
		out[f] += v(i, int(f))
	}
	return out
}

func (b *batchNorm) normalise(mean, variance, scale, offset []float64) []float64 {
	out := make([]float64, len(b.x))
	for i, f := range b.feature {
		out[i] = (b.x[i]-mean[f])/math.Sqrt(variance[f]+b.eps)*scale[f] + offset[f]
	}
	return out
}

func (b *batchNorm) tensor(v []float64) *tensor.Tensor {
	return fromFloats(b.like.Type, b.like.Shape, v)
}

func (b *batchNorm) perFeature(v []float64) *tensor.Tensor {
	return fromFloats(b.like.Type, []int{b.n}, v)
}

// runBatchNormGrad: operands are the input, scale, mean, variance and the gradient of the output.
func runBatchNormGrad(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	b := newBatchNorm(o, in[0].T)
	scale, mean, variance, g := floats(in[1].T), floats(in[2].T), floats(in[3].T), floats(in[4].T)
	per := float64(len(b.x)) / float64(b.n)
	gradOffset := b.sum(func(i, _ int) float64 { return g[i] })
	centred := b.sum(func(i, f int) float64 { return g[i] * (b.x[i] - mean[f]) })
	gradScale := make([]float64, b.n)
	for f := range gradScale {
		gradScale[f] = centred[f] / math.Sqrt(variance[f]+b.eps)
	}
	gradIn := make([]float64, len(b.x))
	for i, f := range b.feature {
		v := variance[f] + b.eps
		gradIn[i] = scale[f] / math.Sqrt(v) / per * (per*g[i] - gradOffset[f] - (b.x[i]-mean[f])*centred[f]/v)
	}
	return []Val{{T: b.tensor(gradIn)}, {T: b.perFeature(gradScale)}, {T: b.perFeature(gradOffset)}}, nil
}
