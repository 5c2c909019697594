// Package alca compiles StableHLO programs for NeuronCore-class accelerators and runs them on a functional and
// timed model of the machine:
//
//	p, err := alca.Compile(ctx, moduleText, alca.Options{Target: "trn2", OptLevel: 2})
//	os.WriteFile("model.neff", p.NEFF(), 0o644)
//	r, err := p.Run(ctx, map[string]alca.Array{"x": {DType: "f32", Shape: []int{4}, Data: bytes}})
//	fmt.Println(r.TimeNs, r.Outputs["output0"])
//
// Errors are diagnostics with a stable code and, where there is one, a position in the text; their Error method
// prints both.
package alca

import (
	"context"

	"github.com/alcadev/alca/internal/driver"
)

// Options configure a compilation.
type Options struct {
	Target   string // trn1, trn2 or trn3
	OptLevel int    // 0, 1 or 2
	AutoCast string // none (the default), matmult or all: compute f32 in bf16
}

// Array is a row-major array of little-endian elements. DType is StableHLO's name, such as f32, bf16 or i1.
type Array = driver.Array

// Port is an argument or result of a program.
type Port struct {
	Name  string
	DType string
	Shape []int
}

// Program is a compiled program.
type Program struct{ p *driver.Program }

// Result is what a run computed, and how long it takes on the machine.
type Result struct {
	Outputs map[string]Array
	TimeNs  float64
	Cycles  int64
}

// Compile compiles the text of a StableHLO module.
func Compile(ctx context.Context, module []byte, o Options) (*Program, error) {
	if o.AutoCast == "" {
		o.AutoCast = "none"
	}
	p, err := driver.CompileText(ctx, module, driver.CompileOptions{Target: o.Target, OptLevel: o.OptLevel, AutoCast: o.AutoCast})
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

// Load reads a NEFF.
func Load(neff []byte) (*Program, error) {
	p, err := driver.LoadProgram(neff)
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

// NEFF returns the program as a file.
func (p *Program) NEFF() []byte { return p.p.NEFF }

// Inputs returns the arguments in order.
func (p *Program) Inputs() []Port { return ports(p.p.Ins) }

// Outputs returns the results in order.
func (p *Program) Outputs() []Port { return ports(p.p.Outs) }

func ports(in []driver.Port) []Port {
	out := make([]Port, len(in))
	for i, x := range in {
		out[i] = Port{Name: x.Name, DType: x.Type.String(), Shape: x.Shape}
	}
	return out
}

// Run executes the program on the simulated machine.
func (p *Program) Run(ctx context.Context, inputs map[string]Array) (*Result, error) {
	out, st, err := p.p.Run(ctx, inputs)
	if err != nil {
		return nil, err
	}
	return &Result{Outputs: out, TimeNs: st.TimeNs, Cycles: st.Cycles}, nil
}
