package driver

import (
	"bytes"
	"context"
	"path/filepath"
	"time"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
)

// RunOptions are the flags of `alca run`.
type RunOptions struct {
	CompileOptions
	TargetSet bool     // --target was given, so a NEFF must be for it
	Given     []string // flags given that matter to compilations only
	Input     string
	Output    string
	Save      string // write the NEFF here
	Verify    bool
	Tol       float64 // 0: by type
	Act       string
	Stats     bool
	JSON      bool
	Trace     string
}

// Run compiles a module if it is one, executes the NEFF on the simulated machine, and reports.
func Run(ctx context.Context, e *Env, path string, o RunOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Act != "exact" {
		return Usagef("--act: activation functions are exact in this version, not %q", o.Act)
	}
	if !(o.Tol >= 0) {
		return Usagef("--tol is a distance of at least 0, not %v", o.Tol)
	}
	// With one output on standard output, the report goes to standard error.
	say := e.Out
	for _, p := range []string{o.Output, o.Save, o.Trace} {
		if p == "-" {
			if say == e.Err {
				return Usagef("only one of --output, --save and --trace can be written to standard output")
			}
			say = e.Err
		}
		if err := CheckWritable(p); err != nil {
			return err
		}
	}
	begin := time.Now()
	rep := &RunReport{}
	data, err := e.readInput(path)
	if err != nil {
		return err
	}
	var module *hlo.Module // as read, for the golden result
	var fanIn map[string]int
	var encoded []byte
	var ins, outs []Port
	if IsNEFF(data.Text) {
		if o.Verify {
			return Usagef("--verify needs the module; a NEFF alone has no golden result")
		}
		if len(o.Given) > 0 {
			return Usagef("--%s cannot apply: %s is compiled already", o.Given[0], path)
		}
		encoded = data.Text
	} else {
		done := e.Stage("compile", &rep.Stages)
		c, err := Compile(ctx, e, data, o.CompileOptions)
		if err != nil {
			return err
		}
		done()
		if c.Stopped {
			return diag.Errorf("DRV027", diag.Loc{}, "--stop-after=%s leaves nothing to run", o.StopAfter)
		}
		encoded, fanIn, ins, outs = c.NEFF, c.FanIn, c.Ins, c.Outs
		rep.compiled(c)
		if module, err = data.Parse(); err != nil {
			return err
		}
	}

	file, err := readNEFF(encoded, path)
	if err != nil {
		return err
	}
	spec := machine.ByGen(file.Gen)
	if o.TargetSet {
		if spec, err = machine.Lookup(o.Target); err != nil {
			return err
		}
		if err := file.CheckTarget(spec.Gen); err != nil {
			return err
		}
	}
	if spec == nil {
		return diag.Errorf("DRV023", diag.Loc{File: path}, "the NEFF is for a generation (%d) that is not simulated", file.Gen)
	}
	rep.Target, rep.OptLevel = spec.Name, o.OptLevel

	if module == nil {
		ins, outs = FilePorts(file)
	}
	inPath := o.Input
	if inPath == "" && path != "-" && !o.SeedSet {
		inPath = Sibling(path, ".inputs.npz")
	}
	var inputs map[string]*tensor.Tensor
	if inPath != "" {
		if inputs, err = LoadTensors(inPath, ins, "inputs"); err != nil {
			return err
		}
		rep.Inputs = filepath.Base(inPath)
	} else {
		inputs = RandomInputs(ins, fanIn, o.Seed)
		rep.Inputs, rep.Seed = "random", &o.Seed
	}

	// Not before the inputs are known to fit: a run with bad inputs leaves no file.
	if o.Save != "" && module != nil {
		if err := e.WriteFile(o.Save, encoded); err != nil {
			return err
		}
	}

	done := e.Stage("simulate", &rep.Stages)
	res, err := execFile(ctx, file, spec, inputs, outs, sim.Options{Trace: o.Trace != ""})
	if err != nil {
		return err
	}
	done()
	rep.Sim = res.Stats
	rep.countNonFinite(res.Outputs, outs)

	if o.Verify {
		done := e.Stage("verify", &rep.Stages)
		if err := rep.verify(ctx, module, inputs, res.Outputs, outs, path, o); err != nil {
			return err
		}
		done()
	}
	if o.Output != "" {
		var b bytes.Buffer
		named := make([]tensor.Named, len(outs))
		for i, p := range outs {
			named[i] = tensor.Named{Name: p.Name, Tensor: res.Outputs[p.Name]}
		}
		if err := tensor.WriteNPZ(&b, named); err != nil {
			return err
		}
		if err := e.WriteFile(o.Output, b.Bytes()); err != nil {
			return err
		}
	}
	if o.Trace != "" {
		var b bytes.Buffer
		if err := sim.WriteTrace(&b, res.Slices); err != nil {
			return err
		}
		if err := e.WriteFile(o.Trace, b.Bytes()); err != nil {
			return err
		}
	}
	rep.Seconds = time.Since(begin).Seconds()
	e.endProgress()
	if err := rep.Print(say, o.JSON, o.Stats); err != nil {
		return err
	}
	if o.Verify && !rep.Passed() {
		return ErrFailed
	}
	return nil
}

// readInput reads a module text or a NEFF.
func (e *Env) readInput(path string) (*Source, error) { return e.ReadSource(path) }

// readNEFF decodes a container; its diagnostics name the file.
func readNEFF(data []byte, path string) (*neff.File, error) {
	f, err := neff.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		var d *diag.Diagnostic
		if asDiag(err, &d) && !d.Loc.Known() {
			d.Loc = diag.Loc{File: path}
		}
		return nil, err
	}
	return f, nil
}

// verify compares the device's results with the evaluator's, and the evaluator's with a committed file.
func (r *RunReport) verify(ctx context.Context, m *hlo.Module, inputs, got map[string]*tensor.Tensor, outs []Port, path string, o RunOptions) error {
	want, err := golden(ctx, m, inputs)
	if err != nil {
		return err
	}
	for _, p := range outs {
		tol := o.Tol
		if tol == 0 {
			tol = Tolerance(p.Type, o.AutoCast)
		}
		r.Outputs = append(r.Outputs, Compare(p.Name, got[p.Name], want[p.Name], tol))
	}
	if exp := Sibling(path, ".expected.npz"); exp != "" && r.Inputs != "random" && o.Input == "" {
		ref, err := LoadTensors(exp, outs, "expected outputs")
		if err != nil {
			return err
		}
		for _, p := range outs {
			tol := Tolerance(p.Type, "none")
			if p.Type.Size() >= 4 && tol > 0 {
				tol = 1e-5
			}
			r.Reference = append(r.Reference, Compare(p.Name, want[p.Name], ref[p.Name], tol))
		}
	}
	return nil
}
