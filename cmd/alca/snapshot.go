package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		var o driver.SnapshotOptions
		c := &cobra.Command{
			Use:   "snapshot-unpack FILE",
			Short: "Write the module and the values of an HLO snapshot to files",
			Example: examples(`
				# model.hlo, value_input0.npy and so on, snapshot_output0.npy and so on
				alca snapshot-unpack run.snapshot.pb --dump-snapshot-outputs`),
			Args: cobra.ExactArgs(1),
			RunE: a.do(func(_ context.Context, args []string) error {
				return driver.SnapshotUnpack(a.env, args[0], o)
			}),
		}
		f := c.Flags()
		f.StringVar(&o.Module, "module", "model.hlo", "file for the module, as HLO text")
		f.StringVar(&o.Prefix, "output-prefix", "./", "what the names of value files begin with")
		f.StringVar(&o.Type, "snapshot-type", "snapshot", "snapshot or decomposed")
		f.BoolVar(&o.Outputs, "dump-snapshot-outputs", false, "write the results the snapshot holds")
		return c
	})
}
