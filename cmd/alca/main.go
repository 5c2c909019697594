// Command alca compiles StableHLO programs for NeuronCore-class accelerators and runs them on a model of the
// machine. See `alca help`.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alcadev/alca/internal/driver"
)

func main() {
	os.Exit(run())
}

// run is main, for tests that call the command in-process.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	env := &driver.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Terminal: isTerminal(os.Stderr)}
	return env.Guard(ctx, os.Args[1:], func(ctx context.Context) error {
		return execute(ctx, env, os.Args[1:])
	})
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// execute parses the command line and runs the command it names. What cobra itself rejects is a usage error.
func execute(ctx context.Context, env *driver.Env, args []string) error {
	a := &app{env: env}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	if err := root.ExecuteContext(ctx); err != nil {
		return &driver.UsageError{Err: fmt.Errorf("%w\nRun 'alca help' or 'alca COMMAND --help' for usage", err)}
	}
	return a.err
}

// app carries the environment to the commands, and the error of the one that ran.
type app struct {
	env *driver.Env
	err error
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "alca",
		Short: "An open compiler and simulator for NeuronCore-class accelerators",
		Long: `alca compiles StableHLO programs for Trainium-class accelerators and runs the
result on a functional and timed model of the machine.`,
		Example: examples(`
			# compile a model, run it on a simulated Trainium2, compare with the golden evaluator
			alca run examples/transformer_block.mlir --target trn2 --verify
			# write the NEFF
			alca compile model.mlir --target trn1 -O2 -o model.neff`),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, c := range commands {
		root.AddCommand(c(a))
	}
	return root
}

// commands are the constructors of the subcommands; each file adds its own.
var commands []func(a *app) *cobra.Command

// do adapts a command's function: its error is kept apart from those of the command line.
func (a *app) do(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		a.err = f(c.Context(), args)
		return nil
	}
}

// examples removes the indentation of help text written inline.
func examples(s string) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = "  " + strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "\n")
}
