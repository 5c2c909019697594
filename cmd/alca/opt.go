package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		var o driver.OptOptions
		c := &cobra.Command{
			Use:   "opt FILE",
			Short: "Read a module, run passes over it, print it",
			Example: examples(`
				# check and normalise a module
				alca opt model.mlir
				# read HLO text, write StableHLO
				alca opt model.hlo -o model.mlir
				# run two passes and look at the result after each
				alca opt model.mlir --passes=fold-constants,hlo-cse --print-after=fold-constants
				# verify a penguin module and run one of its passes
				alca opt dump/008-penguin-lower.pir --passes=penguin-cse`),
			Args: cobra.ExactArgs(1),
			RunE: a.do(func(ctx context.Context, args []string) error {
				return driver.Opt(ctx, a.env, args[0], o)
			}),
		}
		f := c.Flags()
		f.StringSliceVar(&o.Passes, "passes", nil, "passes to run, in order: hlo passes, or penguin passes for a .pir file")
		f.StringSliceVar(&o.Disable, "disable-pass", nil, "passes of --passes to leave out")
		f.StringVar(&o.StopAfter, "stop-after", "", "end after this pass of --passes")
		f.StringSliceVar(&o.PrintAfter, "print-after", nil, "print the module to standard error after these passes")
		f.StringVar(&o.Emit, "emit", "stablehlo", "form of the output: stablehlo, hlo (HLO text), hlopb (HLO protobuf)")
		f.BoolVar(&o.Materialize, "materialize", false, "write the values alca gives to elided constants of HLO text")
		f.BoolVar(&o.Generic, "generic", false, "print ops in generic form")
		f.BoolVar(&o.Locs, "locs", false, "print the names of locations")
		f.StringVarP(&o.Output, "output", "o", "-", "file to write")
		return c
	})
}
