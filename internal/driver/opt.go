package driver

import (
	"bytes"
	"context"
	"slices"
)

// OptOptions are the flags of `alca opt`.
type OptOptions struct {
	Passes, Disable, PrintAfter []string
	StopAfter                   string
	Generic, Locs               bool
	Emit                        string // stablehlo, hlo or hlopb
	Materialize                 bool   // write values of elided constants
	Output                      string
}

// check refuses names of passes that do not run.
func (o *OptOptions) check() error {
	for _, f := range []struct {
		flag  string
		names []string
	}{{"disable-pass", o.Disable}, {"stop-after", []string{o.StopAfter}}, {"print-after", o.PrintAfter}} {
		for _, n := range f.names {
			if n != "" && !slices.Contains(o.Passes, n) {
				return Usagef("--%s: %s is not among the passes of --passes", f.flag, n)
			}
		}
	}
	return nil
}

// Opt reads, transforms and prints a module, or each module of a file split at "// -----". A .pir file is a penguin
// module, with its own passes.
func Opt(ctx context.Context, e *Env, path string, o OptOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	src, err := e.ReadSource(path)
	if err != nil {
		return err
	}
	if isPIR(src.Path) {
		return optPIR(ctx, e, src, o)
	}
	// Without passes a module in the HLO form can be written as it is.
	ms, err := src.Modules(len(o.Passes) == 0 && hloForm(o.Emit))
	if err != nil {
		return err
	}
	for _, m := range ms {
		if err := runHLOPasses(ctx, e, m, o); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	if err := emitModules(&out, ms, o); err != nil {
		return err
	}
	return e.WriteFile(o.Output, out.Bytes())
}
