package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		return &cobra.Command{
			Use:   "explain CODE",
			Short: "Say more about a diagnostic code",
			Example: examples(`
				alca explain HLO005
				alca explain list`),
			Args: cobra.ExactArgs(1),
			RunE: a.do(func(ctx context.Context, args []string) error {
				return driver.Explain(a.env, args[0])
			}),
		}
	})
}
