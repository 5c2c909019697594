package eval

import (
	"slices"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// runScan applies a region to one slice of the inputs after the other, in the order of the dimension or against it, and
// hands its carries on. The outputs are put together from what the region returned for each slice.
func runScan(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	s, err := hlo.ScanOf(o)
	if err != nil {
		return nil, err
	}
	if s.Size < 0 && s.Inputs > 0 {
		s.Size = int64(in[0].T.Shape[s.Dim])
	}
	if s.Size < 0 {
		return nil, errf(o, CodeShape, "the number of steps is not known")
	}
	carries := slices.Clone(in[s.Inputs:])
	pieces := make([][]*tensor.Tensor, s.Outputs)
	for step := range int(s.Size) {
		at := step
		if s.Reverse {
			at = int(s.Size) - 1 - step
		}
		args := make([]Val, 0, len(in))
		for _, x := range in[:s.Inputs] {
			args = append(args, Val{T: sliceAt(x.T, s.Dim, at)})
		}
		out, err := m.block(o.Body(0), append(args, carries...), e)
		if err != nil {
			return nil, err
		}
		for i, p := range out[:s.Outputs] {
			pieces[i] = append(pieces[i], reshaped(p.T, slices.Insert(slices.Clone(p.T.Shape), s.Dim, 1)))
		}
		carries = out[s.Outputs:]
	}
	res := make([]Val, 0, len(o.Results))
	for i, p := range pieces {
		if len(p) == 0 {
			t := o.Out(i)
			if n, ok := t.NumElements(); !ok || n > 0 {
				return nil, errf(o, CodeShape, "result %d of no steps is %s", i, t)
			}
			res = append(res, Val{T: tensor.New(t.Elem, toInts(t.Dims)...)})
			continue
		}
		if s.Reverse {
			slices.Reverse(p)
		}
		res = append(res, Val{T: concat(p, s.Dim)})
	}
	return append(res, carries...), nil
}

// sliceAt is the slice of a at position i of dimension d, without that dimension.
func sliceAt(a *tensor.Tensor, d, i int) *tensor.Tensor {
	lo, hi, step := make([]int, len(a.Shape)), slices.Clone(a.Shape), make([]int, len(a.Shape))
	for k := range step {
		step[k] = 1
	}
	lo[d], hi[d] = i, i+1
	return reshaped(slice(a, lo, hi, step), slices.Delete(slices.Clone(a.Shape), d, d+1))
}
