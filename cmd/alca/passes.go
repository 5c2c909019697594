package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		var o driver.PassesOptions
		c := &cobra.Command{
			Use:   "passes",
			Short: "List the passes and the pipeline of a target and level",
			Example: examples(`
				alca passes
				alca passes --target trn1 -O0`),
			Args: cobra.NoArgs,
			RunE: a.do(func(ctx context.Context, args []string) error {
				return driver.Passes(a.env, o)
			}),
		}
		f := c.Flags()
		f.StringVar(&o.Target, "target", "trn2", "trn1, trn2 or trn3")
		f.IntVarP(&o.OptLevel, "opt-level", "O", 2, "optimisation level 0, 1 or 2")
		f.BoolVar(&o.JSON, "json", false, "print JSON")
		return c
	})
}
