package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		var o driver.CompileCommandOptions
		c := &cobra.Command{
			Use:   "compile FILE",
			Short: "Compile a module to a NEFF",
			Long: `Compile a module to a NEFF: StableHLO as MLIR text or portable bytecode, or HLO as text or
protobuf. The form is recognised by the content, not by the name.`,
			Example: examples(`
				alca compile model.mlir --target trn2 -O2 -o model.neff
				# look at every stage, and check each against the evaluator
				alca compile model.mlir --dump-ir=ir --verify-each -o model.neff
				alca compile - -o - < model.mlir > model.neff`),
			Args: cobra.ExactArgs(1),
		}
		f := c.Flags()
		compileFlags(f, &o.CompileOptions)
		f.StringVarP(&o.Output, "output", "o", "out.neff", "file to write, - for standard output")
		f.BoolVar(&o.Stats, "stats", false, "print what the passes did and how good their plans are")
		f.BoolVar(&o.JSON, "json", false, "print the statistics as JSON")
		c.RunE = a.do(func(ctx context.Context, args []string) error {
			o.SeedSet = f.Changed("seed")
			return driver.CompileCommand(ctx, a.env, args[0], o)
		})
		return c
	})
}
