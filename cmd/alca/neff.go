package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		c := &cobra.Command{
			Use:   "neff",
			Short: "Look into a NEFF",
			Example: examples(`
				alca neff inspect model.neff
				alca neff disasm model.neff --engine PE`),
			Args: cobra.NoArgs,
			RunE: a.do(func(ctx context.Context, args []string) error {
				return driver.Usagef("neff needs a command: inspect or disasm")
			}),
		}
		var asJSON bool
		inspect := &cobra.Command{
			Use:     "inspect FILE.neff",
			Short:   "Print the header, the arguments and results, and what the streams hold",
			Example: examples(`alca neff inspect model.neff --json`),
			Args:    cobra.ExactArgs(1),
			RunE: a.do(func(ctx context.Context, args []string) error {
				return driver.NEFFInspect(a.env, args[0], asJSON)
			}),
		}
		inspect.Flags().BoolVar(&asJSON, "json", false, "print JSON")
		var engine string
		disasm := &cobra.Command{
			Use:     "disasm FILE.neff",
			Short:   "Print the instruction streams",
			Example: examples(`alca neff disasm model.neff --engine PE`),
			Args:    cobra.ExactArgs(1),
			RunE: a.do(func(ctx context.Context, args []string) error {
				return driver.NEFFDisasm(a.env, args[0], engine)
			}),
		}
		disasm.Flags().StringVar(&engine, "engine", "", "only this engine: PE, Activation, Pool, DVE or SP")
		c.AddCommand(inspect, disasm)
		return c
	})
}
