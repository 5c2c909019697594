package driver

import (
	"bytes"
	"context"
	"slices"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
)

// Array is a tensor as users of the public API see it.
type Array struct {
	DType string
	Shape []int
	Data  []byte // little-endian, row-major
}

// Program is a compiled program of the public API.
type Program struct {
	NEFF []byte
	Ins  []Port
	Outs []Port
	file *neff.File
	spec *machine.Spec
}

// CompileText compiles a module given as text.
func CompileText(ctx context.Context, text []byte, o CompileOptions) (p *Program, err error) {
	err = Recover(diag.Loc{}, func() error {
		c, err := Compile(ctx, &Env{}, &Source{Path: SourceLabel, Text: text}, o)
		if err != nil {
			return err
		}
		if p, err = LoadProgram(c.NEFF); err == nil {
			p.Ins, p.Outs = c.Ins, c.Outs
		}
		return err
	})
	return p, err
}

// LoadProgram reads a container.
func LoadProgram(data []byte) (*Program, error) {
	f, err := neff.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	p := &Program{NEFF: data, file: f, spec: machine.ByGen(f.Gen)}
	if p.spec == nil {
		return nil, diag.Errorf("DRV023", diag.Loc{}, "the NEFF is for a generation (%d) that is not simulated", f.Gen)
	}
	p.Ins, p.Outs = FilePorts(f)
	return p, nil
}

// Run executes the program.
func (p *Program) Run(ctx context.Context, inputs map[string]Array) (map[string]Array, sim.Stats, error) {
	ts := map[string]*tensor.Tensor{}
	for _, port := range p.Ins {
		a, ok := inputs[port.Name]
		t, known := dtype.Parse(a.DType)
		if !ok || !known || t != port.Type || !slices.Equal(a.Shape, port.Shape) || len(a.Data) != port.elements()*t.Size() {
			return nil, sim.Stats{}, diag.Errorf("DRV013", diag.Loc{}, "argument %s is missing or does not fit", port.Name).
				WithNote(diag.Loc{}, "the program's signature is\n%s", signature(p.Ins))
		}
		v := tensor.New(t, a.Shape...)
		copy(v.Data, a.Data)
		ts[port.Name] = v
	}
	if len(inputs) != len(p.Ins) {
		return nil, sim.Stats{}, diag.Errorf("DRV013", diag.Loc{}, "%d arguments are given, the program takes %d", len(inputs), len(p.Ins)).
			WithNote(diag.Loc{}, "the program's signature is\n%s", signature(p.Ins))
	}
	var res *sim.Result
	err := Recover(diag.Loc{}, func() (err error) {
		res, err = execFile(ctx, p.file, p.spec, ts, p.Outs, sim.Options{})
		return err
	})
	if err != nil {
		return nil, sim.Stats{}, err
	}
	out := map[string]Array{}
	for n, t := range res.Outputs {
		out[n] = Array{DType: t.Type.String(), Shape: t.Shape, Data: t.Data}
	}
	return out, res.Stats, nil
}
