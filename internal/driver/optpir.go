package driver

import (
	"bytes"
	"context"
	"io"
	"path/filepath"

	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin"
)

// isPIR reports a file that holds the text form of penguin.
func isPIR(path string) bool { return filepath.Ext(path) == ".pir" }

// optPIR reads a penguin module, verifies it, runs op-level passes over it and prints it.
func optPIR(ctx context.Context, e *Env, src *Source, o OptOptions) error {
	m, err := penguin.Parse(src.Text, src.Path)
	if err != nil {
		return err
	}
	if err := penguin.Verify(m); err != nil {
		return err
	}
	ps, err := resolve(penguinPasses, "penguin", o.Passes)
	if err != nil {
		return err
	}
	d := &dumper{e: e, o: CompileOptions{PrintAfter: o.PrintAfter}}
	_, err = pass.Run(ctx, ps, m, pass.Options[*penguin.Module]{Level: "penguin", Disable: o.Disable, StopAfter: o.StopAfter,
		After: func(name string, m *penguin.Module) error {
			if err := penguin.Verify(m); err != nil {
				return err
			}
			return d.after("penguin", name, "pir", func(w io.Writer) error { return penguin.Print(w, m) })
		}})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := penguin.Print(&out, m); err != nil {
		return err
	}
	return e.WriteFile(o.Output, out.Bytes())
}
