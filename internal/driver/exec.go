package driver

import (
	"bytes"
	"context"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
)

// execNEFF decodes a container and runs it. outs are the results as the module states them: a container has no
// tag for i1, whose values are bytes there.
func execNEFF(ctx context.Context, data []byte, spec *machine.Spec, inputs map[string]*tensor.Tensor, outs []Port, o sim.Options) (*sim.Result, error) {
	f, err := neff.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return execFile(ctx, f, spec, inputs, outs, o)
}

func execFile(ctx context.Context, f *neff.File, spec *machine.Spec, inputs map[string]*tensor.Tensor, outs []Port, o sim.Options) (*sim.Result, error) {
	prog, err := sim.Load(f, spec)
	if err != nil {
		return nil, err
	}
	res, err := prog.Run(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	restoreBools(res.Outputs, outs)
	return res, nil
}

// restoreBools gives byte tensors that stand for booleans their type back.
func restoreBools(ts map[string]*tensor.Tensor, outs []Port) {
	for _, p := range outs {
		if t := ts[p.Name]; t != nil && p.Type == dtype.I1 && t.Type == dtype.U8 {
			t.Type = dtype.I1
		}
	}
}
