package driver

import (
	"bytes"
	"context"
	"fmt"

	"github.com/alcadev/alca/internal/hlo/mlir"
)

// OptOptions are the flags of `alca opt`.
type OptOptions struct {
	Passes, Disable, PrintAfter []string
	StopAfter                   string
	Generic, Locs               bool
	Output                      string
}

// Opt reads, transforms and prints a module, or each module of a file split at "// -----". A .pir file is a penguin
// module, with its own passes.
func Opt(ctx context.Context, e *Env, path string, o OptOptions) error {
	src, err := e.ReadSource(path)
	if err != nil {
		return err
	}
	if isPIR(src.Path) {
		return optPIR(ctx, e, src, o)
	}
	var out bytes.Buffer
	for i, part := range mlir.Split(src.Text) {
		m, err := (&Source{Path: src.Path, Text: part.Src}).Parse()
		if err != nil {
			return err
		}
		if err := runHLOPasses(ctx, e, m, o); err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(&out, "\n// -----")
		}
		if err := mlir.Print(&out, m, mlir.Options{Generic: o.Generic, Locs: o.Locs}); err != nil {
			return err
		}
	}
	return e.WriteFile(o.Output, out.Bytes())
}
