package driver

import (
	"github.com/alcadev/alca/internal/hlo"
	hloopt "github.com/alcadev/alca/internal/hlo/opt"
	"github.com/alcadev/alca/internal/penguin/lower"
	"github.com/alcadev/alca/internal/penguin/opt"
)

// The passes of each level, found by name.
var (
	hloPasses     = hloopt.Registry()
	penguinPasses = opt.Registry()
)

// hasLower reports whether an op compiles: by a lowering of its own, in simpler ops, or as the end of a region that
// belongs to such an op.
func hasLower(d *hlo.OpDef) bool {
	return lower.Supports(d.Name) || hloopt.Decomposes(d.Name) || d.Has(hlo.Terminator)
}
