package driver

import (
	"context"
	"io"

	"github.com/alcadev/alca/internal/hlo"
	hloopt "github.com/alcadev/alca/internal/hlo/opt"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/penguin/lower"
	"github.com/alcadev/alca/internal/penguin/opt"
	"github.com/alcadev/alca/internal/tensor"
)

// hloPasses finds the passes of `alca opt`.
var hloPasses = hloopt.Registry()
var penguinPasses = opt.Registry()

func hloPipeline(level int) []string                    { return hloopt.Pipeline(level) }
func penguinPipeline(level int) []string                { return opt.Pipeline(level) }
func hasLower(d *hlo.OpDef) bool                        { return lower.Supports(d.Name) || hloopt.Decomposes(d.Name) }
func printPenguin(w io.Writer, m *penguin.Module) error { return penguin.Print(w, m) }
func execPenguin(ctx context.Context, m *penguin.Module, inputs map[string]*tensor.Tensor, isa bool) (map[string]*tensor.Tensor, error) {
	return penguin.Exec(ctx, m, inputs)
}
func lowerModule(m *hlo.Module, gen machine.Gen, o CompileOptions) (*penguin.Module, error) {
	return lower.Module(m, lower.Options{Gen: gen, AutoCast: o.AutoCast})
}
