package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		var o driver.OpsOptions
		c := &cobra.Command{
			Use:   "ops",
			Short: "List the ops alca knows and what it can do with each",
			Long: `List the op table. For each op: whether result types are inferred, the op is verified,
evaluated, and lowered to the machine. An "hlo." row says what holds for the StableHLO op it
becomes.`,
			Example: examples(`
				alca ops
				alca ops --json`),
			Args: cobra.NoArgs,
			RunE: a.do(func(ctx context.Context, args []string) error {
				return driver.Ops(a.env, o)
			}),
		}
		c.Flags().BoolVar(&o.JSON, "json", false, "print one JSON array")
		c.Flags().BoolVar(&o.Markdown, "markdown", false, "print the table of docs/ops.md")
		return c
	})
}
