package isel

import (
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin"
)

// passTable is the order of the ISA-level passes and the lowest level that runs each.
var passTable = []struct {
	name, doc string
	level     int
	required  bool
	run       func(m *penguin.Module, spec *machine.Spec, o Options) error
}{
	{"select", "turn op-level instructions into instructions on tiles", 0, true, selectAll},
	{"peephole", "join instructions that hand a value to one reader", 1, false,
		func(m *penguin.Module, _ *machine.Spec, _ Options) error { return peephole(m) }},
	{"balance", "spread work that several engines can do by their load", 1, false,
		func(m *penguin.Module, spec *machine.Spec, _ Options) error { return balance(m, spec) }},
	{"minreg", "order code that does not fit so that fewer bytes are alive at once", 1, false, minreg},
}

// Passes returns the passes from op level to the code that ToBIR lowers, in order.
func Passes(spec *machine.Spec, o Options) []pass.Pass[*penguin.Module] {
	var out []pass.Pass[*penguin.Module]
	for _, p := range passTable {
		if o.OptLevel < p.level {
			continue
		}
		out = append(out, pass.Pass[*penguin.Module]{Name: p.name, Doc: p.doc, Required: p.required,
			Run: func(m *penguin.Module) error { return p.run(m, spec, o) }})
	}
	return out
}

// Pipeline returns the names of the passes of an optimisation level, in order.
func Pipeline(level int) []string {
	var out []string
	for _, p := range passTable {
		if level >= p.level {
			out = append(out, p.name)
		}
	}
	return out
}

// PassInfo lists the passes of this level.
func PassInfo() []pass.Info {
	var out []pass.Info
	for _, p := range passTable {
		out = append(out, pass.Info{Level: "isel", Name: p.name, Doc: p.doc, Required: p.required})
	}
	return out
}
