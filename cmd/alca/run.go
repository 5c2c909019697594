package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		var o driver.RunOptions
		c := &cobra.Command{
			Use:   "run FILE",
			Short: "Execute a module or NEFF on the simulated machine",
			Long: `Compile FILE if it is a module, execute its NEFF on the simulated machine, and report the
time, the load of every engine, the traffic and the memory used. Inputs come from --input, else
from NAME.inputs.npz beside NAME.mlir, else they are random. With --verify the results are
compared with the golden evaluator, and the evaluator's with NAME.expected.npz if it is there.

An .npz file holds one array an argument, under the name of its location or else input0, input1
and so on; or one a result, output0, output1 and so on. bfloat16 is stored as items of two bytes
(dtype |V2), with a member NAME.npy.meta that says {"ml_dtype": "bfloat16"}; see
examples/README.md.`,
			Example: examples(`
				alca run examples/transformer_block.mlir --target trn2 --verify
				alca run model.mlir --input in.npz --output out.npz --stats
				# a timeline for https://ui.perfetto.dev
				alca run model.mlir --trace trace.json
				alca run model.neff --input in.npz --output out.npz`),
			Args: cobra.ExactArgs(1),
		}
		f := c.Flags()
		compileFlags(f, &o.CompileOptions)
		f.StringVar(&o.Input, "input", "", "arguments, an .npz file")
		f.StringVar(&o.Output, "output", "", "write the results to this .npz file")
		f.StringVarP(&o.Save, "save", "o", "", "write the NEFF to this file")
		f.BoolVar(&o.Verify, "verify", false, "compare the results with the golden evaluator")
		f.Float64Var(&o.Tol, "tol", 0, "tolerance of --verify relative to the largest value (0: by element type)")
		f.StringVar(&o.Act, "act", "exact", "activation functions: exact")
		f.BoolVar(&o.Stats, "stats", false, "also print the roofline bound and what the compiler did")
		f.BoolVar(&o.JSON, "json", false, "print the report as JSON")
		f.StringVar(&o.Trace, "trace", "", "write a Perfetto trace to this file")
		c.RunE = a.do(func(ctx context.Context, args []string) error {
			o.TargetSet, o.SeedSet = f.Changed("target"), f.Changed("seed")
			o.Given = compileOnly(f)
			return driver.Run(ctx, a.env, args[0], o)
		})
		return c
	})
}
