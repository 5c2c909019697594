package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func init() {
	commands = append(commands, func(a *app) *cobra.Command {
		o := driver.ConformOptions{}
		c := &cobra.Command{
			Use:   "conform PATH",
			Short: "Run self-checking programs of a file or folder and count the outcomes",
			Long: `Run every module of a file, or of every .mlir file below a folder (files are split at
"// -----"), at one level: parse, eval, penguin, bir or neff. A module passes when its check
ops and check.* custom calls hold. The last line on standard output is one JSON object with
the counts. The exit status is 0 when the run completed, whatever the counts.

In the counts, "eligible" are the modules that the level can be asked of: all of them at parse and
eval; for a device those of static shape and of element types it computes with. "disabled" counts
again, apart, the modules whose authors disabled running them (RUN-DISABLED in the file).`,
			Example: examples(`
				alca conform path/to/stablehlo/testdata --level eval
				alca conform path/to/stablehlo/testdata --level neff --target trn2 --timeout 20s --results results.jsonl`),
			Args: cobra.ExactArgs(1),
			RunE: a.do(func(ctx context.Context, args []string) error {
				return driver.Conform(ctx, a.env, args[0], o)
			}),
		}
		f := c.Flags()
		f.StringVar(&o.Level, "level", "eval", "parse, eval, penguin, bir or neff")
		f.StringVar(&o.Target, "target", "trn2", "trn1, trn2 or trn3")
		f.IntVarP(&o.OptLevel, "opt-level", "O", 2, "optimisation level 0, 1 or 2")
		f.DurationVar(&o.Timeout, "timeout", 20*time.Second, "limit for one module")
		f.StringVar(&o.Results, "results", "", "write one JSON line a module to this file")
		f.IntVar(&o.Jobs, "jobs", 0, "modules run at a time (0: as many as processors)")
		f.BoolVar(&o.Worker, "worker", false, "serve another alca process")
		f.MarkHidden("worker")
		f.StringVar(&o.Filter, "filter", "", "only files whose path contains this")
		return c
	})
}
