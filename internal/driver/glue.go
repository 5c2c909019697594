package driver

import (
	"context"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

// hloPasses finds the passes of `alca opt`.
var hloPasses pass.Registry[*hlo.Module]

func hasEval(d *hlo.OpDef) bool  { return false }
func hasLower(d *hlo.OpDef) bool { return false }

func runHLOPasses(ctx context.Context, e *Env, m *hlo.Module, o OptOptions) error {
	ps, err := hloPasses.Resolve(o.Passes)
	if err != nil {
		return err
	}
	_, err = pass.Run(ctx, ps, m, pass.Options[*hlo.Module]{Level: "hlo", Disable: o.Disable, StopAfter: o.StopAfter})
	return err
}

func runCase(ctx context.Context, r *CaseResult, src []byte, o ConformOptions) error {
	m, err := (&Source{Text: src}).Parse()
	_ = m
	if err != nil {
		r.Status = Unparsed
	}
	return err
}

// PassesOptions are the flags of `alca passes`.
type PassesOptions struct {
	Target   string
	OptLevel int
	JSON     bool
}

// Passes lists passes.
func Passes(e *Env, o PassesOptions) error { return nil }
