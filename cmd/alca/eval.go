package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		var o driver.EvalOptions
		c := &cobra.Command{
			Use:   "eval FILE",
			Short: "Run a module on the golden evaluator",
			Long: `Run a module on the golden evaluator: StableHLO as MLIR text or portable bytecode, or HLO as
text or protobuf. Inputs come from --input, else from NAME.inputs.npz beside the module, else they
are random.`,
			Example: examples(`
				alca eval examples/mlp.mlir
				alca eval model.mlir --input in.npz --output golden.npz`),
			Args: cobra.ExactArgs(1),
		}
		f := c.Flags()
		f.StringVar(&o.Input, "input", "", "arguments, an .npz file")
		f.StringVar(&o.Output, "output", "", "write the results to this .npz file")
		f.Int64Var(&o.Seed, "seed", 0, "seed of random inputs; given, NAME.inputs.npz is not used")
		f.BoolVar(&o.JSON, "json", false, "print the summary as JSON")
		c.RunE = a.do(func(ctx context.Context, args []string) error {
			o.SeedSet = f.Changed("seed")
			return driver.Eval(ctx, a.env, args[0], o)
		})
		return c
	})
}
