package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		var asJSON bool
		c := &cobra.Command{
			Use:     "version",
			Short:   "Print the version of this binary",
			Example: examples(`alca version --json`),
			Args:    cobra.NoArgs,
			RunE: a.do(func(ctx context.Context, args []string) error {
				if asJSON {
					_, err := a.env.Out.Write(driver.VersionJSON())
					return err
				}
				v := driver.GetVersion()
				fmt.Fprintf(a.env.Out, "alca %s", v.Version)
				if v.Revision != "" {
					fmt.Fprintf(a.env.Out, " (%.12s)", v.Revision)
				}
				fmt.Fprintf(a.env.Out, " %s %s/%s\n", v.Go, v.OS, v.Arch)
				return nil
			}),
		}
		c.Flags().BoolVar(&asJSON, "json", false, "print all there is to know as JSON")
		return c
	})
}
