package driver

import (
	"context"
	"fmt"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
)

// verifyEach makes hooks that run the program after every pass and compare with the module as it was read.
// The first pass whose results differ ends the compilation. Inputs are the sibling file's, else random.
func verifyEach(ctx context.Context, e *Env, src *Source, m *hlo.Module, o CompileOptions) (*hooks, error) {
	spec, err := machine.Lookup(o.Target)
	if err != nil {
		return nil, err
	}
	f, err := entryOf(m)
	if err != nil {
		return nil, err
	}
	ins, outs, err := FuncPorts(f)
	if err != nil {
		return nil, err
	}
	if err := checkCapacity(m, spec); err != nil {
		return nil, err
	}
	var inputs map[string]*tensor.Tensor
	if p := Sibling(src.Path, ".inputs.npz"); p != "" && !o.SeedSet {
		if inputs, err = LoadTensors(p, ins, "inputs"); err != nil {
			return nil, err
		}
	} else {
		inputs = RandomInputs(ins, FanIn(f), o.Seed)
	}
	e.Progress("verify: evaluating the module as read ...")
	want, err := golden(ctx, m, inputs)
	if err != nil {
		return nil, err
	}
	check := func(level, name string, got map[string]*tensor.Tensor, err error) error {
		if err != nil {
			d := diag.Errorf("DRV017", diag.Loc{}, "the program cannot be run after pass %s of level %s: %w", name, level, err)
			return d
		}
		for _, p := range outs {
			c := Compare(p.Name, got[p.Name], want[p.Name], Tolerance(p.Type, o.AutoCast))
			if !c.OK {
				return diag.Errorf("DRV017", diag.Loc{}, "pass %s of level %s changes the result: %s is off by %.3g of its scale, tolerance %.3g; %s",
					name, level, p.Name, c.Error, c.Tolerance, c.Reason).
					WithHint("look at the IR before and after it with --dump-ir=DIR")
			}
		}
		fmt.Fprintf(e.Err, "verified after %s/%s\n", level, name)
		return nil
	}
	return &hooks{
		hlo: func(name string, m *hlo.Module) error {
			got, err := golden(ctx, m, inputs)
			return check("hlo", name, got, err)
		},
		penguin: func(name string, m *penguin.Module) error {
			got, err := penguin.Exec(ctx, m, inputs)
			return check("penguin", name, got, err)
		},
		bir: func(name string, m *bir.Module) error {
			if afterDMALowering[name] {
				return nil
			}
			prog, err := sim.LoadBIR(m, spec)
			if err != nil {
				return check("bir", name, nil, err)
			}
			got, err := prog.Run(ctx, inputs)
			restoreBools(got, outs)
			return check("bir", name, got, err)
		},
		neff: func(data []byte) error {
			res, err := execNEFF(ctx, data, spec, inputs, outs, sim.Options{})
			if err != nil {
				return check("neff", "encode", nil, err)
			}
			return check("neff", "encode", res.Outputs, nil)
		},
	}, nil
}

// golden evaluates the entry of m.
func golden(ctx context.Context, m *hlo.Module, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	f, err := entryOf(m)
	if err != nil {
		return nil, err
	}
	names := f.InputNames()
	args := make([]*tensor.Tensor, len(names))
	for i, n := range names {
		if args[i] = inputs[n]; args[i] == nil {
			return nil, diag.Errorf("DRV013", f.Loc, "there is no value for argument %s", n)
		}
	}
	res, err := evalRun(ctx, m, f.Name, args)
	if err != nil {
		return nil, err
	}
	out := map[string]*tensor.Tensor{}
	for i, n := range f.OutputNames() {
		out[n] = res[i]
	}
	return out, nil
}

// afterDMALowering are the backend passes behind which transfers are triggers and descriptors, which only the
// machine's own simulation executes; the NEFF is checked instead.
var afterDMALowering = map[string]bool{"lower_dma": true, "codegen": true, "neff_packager": true}
