package driver

import (
	"context"
	"fmt"
	"io"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/hlo"
	hloopt "github.com/alcadev/alca/internal/hlo/opt"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/penguin/isel"
	"github.com/alcadev/alca/internal/penguin/lower"
	"github.com/alcadev/alca/internal/penguin/opt"
	"github.com/alcadev/alca/internal/walrus"
)

// pipeline is one compilation under way.
type pipeline struct {
	ctx context.Context
	e   *Env
	o   CompileOptions
	c   *Compiled
	h   *hooks
	d   *dumper
	// tileBudget bounds the tiles that selection makes, 0 for what the machine has. The user's budget is for the
	// allocator, which spills; only when a single instruction exceeds it are tiles made for it, see compileModule.
	tileBudget int64
}

// runHLO runs the hlo passes.
func (p *pipeline) runHLO() (bool, error) {
	p.e.Progress("hlo passes ...")
	names := hloopt.Pipeline(p.o.OptLevel)
	if p.o.Passes != nil {
		names = p.o.Passes
	}
	ps, err := resolve(hloPasses, "hlo", names)
	if err != nil {
		return false, err
	}
	m := p.c.Module
	p.e.Note("stage-hlo.mlir", func() []byte { return dumpBytes(printHLO(m)) })
	if err := p.d.after("hlo", "input", "mlir", printHLO(m)); err != nil {
		return false, err
	}
	stopped, err := pass.Run(p.ctx, ps, m, pass.Options[*hlo.Module]{
		Level: "hlo", Disable: p.o.Disable, StopAfter: p.o.StopAfter, Timings: &p.c.Timings,
		After: func(name string, m *hlo.Module) error {
			if err := hlo.Verify(m); err != nil {
				return err
			}
			if err := p.d.after("hlo", name, "mlir", printHLO(m)); err != nil {
				return err
			}
			if p.h.hlo != nil {
				return p.h.hlo(name, m)
			}
			return nil
		},
	})
	if err != nil {
		return false, err
	}
	p.c.Work = measure(m, p.c.Ins, p.c.Outs, p.o.AutoCast)
	return stopped, checkElements(m, p.c.Spec)
}

// runLower turns hlo into op-level penguin.
func (p *pipeline) runLower() (bool, error) {
	p.e.Progress("lowering ...")
	return p.once("penguin", "lower", func() error {
		pm, err := lower.Module(p.c.Module, lower.Options{Gen: p.c.Spec.Gen, AutoCast: p.o.AutoCast})
		p.c.Penguin = pm
		return err
	}, func() error { return p.afterPenguin("lower") })
}

// runPenguin runs the op-level passes.
func (p *pipeline) runPenguin() (bool, error) {
	p.e.Progress("penguin passes ...")
	ps, err := penguinPasses.Resolve(opt.Pipeline(p.o.OptLevel))
	if err != nil {
		return false, err
	}
	return pass.Run(p.ctx, ps, p.c.Penguin, pass.Options[*penguin.Module]{
		Level: "penguin", Disable: p.o.Disable, StopAfter: p.o.StopAfter, Timings: &p.c.Timings,
		After: func(name string, m *penguin.Module) error { return p.afterPenguin(name) },
	})
}

func (p *pipeline) afterPenguin(name string) error {
	m := p.c.Penguin
	if err := penguin.Verify(m); err != nil {
		return fmt.Errorf("after pass %s: %w", name, err)
	}
	if err := p.d.after("penguin", name, "pir", func(w io.Writer) error { return penguin.Print(w, m) }); err != nil {
		return err
	}
	if p.h.penguin != nil {
		return p.h.penguin(name, m)
	}
	return nil
}

// runISel selects instructions and crosses over to BIR.
func (p *pipeline) runISel() (bool, error) {
	p.e.Progress("instruction selection ...")
	passes := isel.Passes(p.c.Spec, isel.Options{OptLevel: p.o.OptLevel, SBUFBudget: p.tileBudget})
	stopped, err := pass.Run(p.ctx, passes, p.c.Penguin, pass.Options[*penguin.Module]{
		Level: "isel", Disable: p.o.Disable, StopAfter: p.o.StopAfter, Timings: &p.c.Timings,
		After: func(name string, m *penguin.Module) error { return p.afterPenguin(name) },
	})
	if err != nil || stopped {
		return stopped, err
	}
	return p.once("bir", "to-bir", func() error {
		bm, err := isel.ToBIR(p.c.Penguin, p.c.Spec)
		if err != nil {
			return err
		}
		p.c.BIR = bm
		p.e.Note("stage-bir.txt", func() []byte { return dumpBytes(func(w io.Writer) error { return bir.Print(w, bm) }) })
		return bir.Verify(bm)
	}, func() error { return p.afterBIR("to-bir", p.c.BIR) })
}

func (p *pipeline) afterBIR(name string, m *bir.Module) error {
	if err := p.d.after("bir", name, "txt", func(w io.Writer) error { return bir.Print(w, m) }); err != nil {
		return err
	}
	if err := p.d.birJSON(name, m); err != nil {
		return err
	}
	if p.h.bir != nil {
		return p.h.bir(name, m)
	}
	return nil
}

// runWalrus runs the backend and encodes its file.
func (p *pipeline) runWalrus() (bool, error) {
	p.e.Progress("backend ...")
	f, stats, err := walrus.Compile(p.c.BIR, p.c.Spec, walrus.Options{
		OptLevel: p.o.OptLevel, SBUFBudget: p.o.SBUFBudget, Disable: p.o.Disable, StopAfter: p.o.StopAfter, Verify: true,
		Observe: p.afterBIR,
	})
	if err != nil {
		return false, err
	}
	p.c.Stats = stats
	for _, s := range stats.Passes {
		p.c.Timings = append(p.c.Timings, pass.Timing{Level: "walrus", Name: s.Name, Duration: s.Duration})
	}
	if f == nil {
		return true, nil
	}
	p.c.File = f
	return p.once("neff", "encode", p.c.encode, func() error {
		if p.h.neff != nil {
			return p.h.neff(p.c.NEFF)
		}
		return nil
	})
}

// once runs a step that is not part of a list as if it were a pipeline of one pass.
func (p *pipeline) once(level, name string, run, after func() error) (bool, error) {
	return pass.Run(p.ctx, []pass.Pass[struct{}]{{Name: name, Required: true, Run: func(struct{}) error { return run() }}}, struct{}{},
		pass.Options[struct{}]{Level: level, Disable: p.o.Disable, StopAfter: p.o.StopAfter, Timings: &p.c.Timings,
			After: func(string, struct{}) error { return after() }})
}

// steps are the passes that belong to no registry.
var steps = []pass.Info{
	{Level: "penguin", Name: "lower", Doc: "turn hlo ops into loop nests over tensors", Required: true},
	{Level: "bir", Name: "to-bir", Doc: "emit instructions and memory locations", Required: true},
	{Level: "neff", Name: "encode", Doc: "encode bundles and write the container", Required: true},
}
