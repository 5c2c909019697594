package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/tensor"
)

// CompileCommandOptions are the flags of `alca compile`.
type CompileCommandOptions struct {
	CompileOptions
	Output string
	Stats  bool
	JSON   bool
}

// CompileCommand compiles a module to a NEFF file.
func CompileCommand(ctx context.Context, e *Env, path string, o CompileCommandOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Output == "" {
		o.Output = "out.neff"
	}
	if err := CheckWritable(o.Output); err != nil {
		return err
	}
	src, err := e.ReadSource(path)
	if err != nil {
		return err
	}
	c, err := Compile(ctx, e, src, o.CompileOptions)
	if err != nil {
		return err
	}
	e.endProgress()
	// With the file on standard output, figures go to standard error.
	say := e.Out
	if o.Output == "-" {
		say = e.Err
	}
	if c.Stopped {
		fmt.Fprintf(e.Err, "stopped after %s: nothing is written\n", o.StopAfter)
		return nil
	}
	if err := e.WriteFile(o.Output, c.NEFF); err != nil {
		return err
	}
	if o.JSON {
		b, err := json.MarshalIndent(map[string]any{"target": c.Spec.Name, "neff_bytes": len(c.NEFF), "flops": c.Work.FLOPs,
			"io_bytes": c.Work.IOBytes, "compiler": c.Stats, "passes": c.Timings}, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(say, "%s\n", b)
		return nil
	}
	if o.Stats {
		fmt.Fprintf(say, "NEFF           %s\n", size(int64(len(c.NEFF))))
		printCompilerStats(say, c.Stats)
		for _, t := range c.Timings {
			fmt.Fprintf(say, "  %-10s %-28s %8.2f ms\n", t.Level, t.Name, float64(t.Duration.Microseconds())/1e3)
		}
	}
	return nil
}

// EvalOptions are the flags of `alca eval`.
type EvalOptions struct {
	Input, Output string
	Seed          int64
	SeedSet       bool // --seed was given: inputs are random even if a file of them is there
	JSON          bool
}

// Eval runs a module on the golden evaluator.
func Eval(ctx context.Context, e *Env, path string, o EvalOptions) error {
	if err := CheckWritable(o.Output); err != nil {
		return err
	}
	src, err := e.ReadSource(path)
	if err != nil {
		return err
	}
	m, err := src.Parse()
	if err != nil {
		return err
	}
	f, err := entryOf(m)
	if err != nil {
		return err
	}
	inPath := o.Input
	if inPath == "" && path != "-" && !o.SeedSet {
		inPath = Sibling(path, ".inputs.npz")
	}
	if inPath != "" {
		if m, err = bindShapes(ctx, m, f, inPath); err != nil {
			return err
		}
		if f, err = entryOf(m); err != nil {
			return err
		}
	}
	ins, outs, err := FuncPorts(f)
	if err != nil {
		var d *diag.Diagnostic
		if inPath == "" && asDiag(err, &d) && d.Code == "DRV010" {
			d.WithHint("--input can give the shapes: its tensors fix the unknown extents")
		}
		return err
	}
	var inputs map[string]*tensor.Tensor
	if inPath != "" {
		if inputs, err = LoadTensors(inPath, ins, "inputs"); err != nil {
			return err
		}
	} else {
		inputs = RandomInputs(ins, FanIn(f), o.Seed)
	}
	e.Progress("evaluating ...")
	got, err := golden(ctx, m, inputs)
	if err != nil {
		return err
	}
	e.endProgress()
	named := make([]tensor.Named, len(outs))
	for i, p := range outs {
		named[i] = tensor.Named{Name: p.Name, Tensor: got[p.Name]}
	}
	if o.Output != "" {
		var b bytes.Buffer
		if err := tensor.WriteNPZ(&b, named); err != nil {
			return err
		}
		if err := e.WriteFile(o.Output, b.Bytes()); err != nil {
			return err
		}
	}
	var ref map[string]*tensor.Tensor
	if exp := Sibling(path, ".expected.npz"); exp != "" && o.Input == "" && inPath != "" {
		if ref, err = LoadTensors(exp, outs, "expected outputs"); err != nil {
			return err
		}
	}
	var cs []Comparison
	ok := true
	for _, n := range named {
		if ref != nil {
			tol := Tolerance(n.Tensor.Type, "none")
			if n.Tensor.Type.Size() >= 4 && tol > 0 {
				tol = 1e-5
			}
			c := Compare(n.Name, n.Tensor, ref[n.Name], tol)
			ok = ok && c.OK
			cs = append(cs, c)
		}
	}
	// With the results on standard output, the summary goes to standard error.
	say := e.Out
	if o.Output == "-" {
		say = e.Err
	}
	switch {
	case o.JSON:
		b, err := json.MarshalIndent(map[string]any{"outputs": summaries(named), "reference": cs}, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(say, "%s\n", b)
	default:
		for _, s := range summaries(named) {
			fmt.Fprintf(say, "%s: %s  min %.6g  max %.6g  mean %.6g", s.Name, s.Type, s.Min, s.Max, s.Mean)
			if s.NonFinite > 0 {
				fmt.Fprintf(say, "  %d non-finite", s.NonFinite)
			}
			fmt.Fprintln(say)
		}
		if len(cs) > 0 {
			fmt.Fprintln(say)
			printComparisons(say, "evaluator against expected file", cs)
		}
	}
	if !ok {
		return ErrFailed
	}
	return nil
}

type summary struct {
	Name           string
	Type           string
	Min, Max, Mean float64 // of the finite elements
	NonFinite      int     `json:"non_finite"`
}

func summaries(ts []tensor.Named) []summary {
	var out []summary
	for _, t := range ts {
		s := summary{Name: t.Name, Type: Port{Type: t.Tensor.Type, Shape: t.Tensor.Shape}.String()[2:], NonFinite: nonFinite(t.Tensor)}
		n := 0
		for _, v := range values(t.Tensor) {
			if !finite(v) {
				continue
			}
			if n == 0 || v < s.Min {
				s.Min = v
			}
			if n == 0 || v > s.Max {
				s.Max = v
			}
			s.Mean += v
			n++
		}
		if n > 0 {
			s.Mean /= float64(n)
		}
		out = append(out, s)
	}
	return out
}

// NEFFInspect prints what a container holds.
func NEFFInspect(e *Env, path string, asJSON bool) error {
	f, err := openNEFF(path)
	if err != nil {
		return err
	}
	if !asJSON {
		f.Name = path
	}
	return neff.Inspect(e.Out, f, asJSON)
}

// NEFFDisasm prints the instruction streams of a container.
func NEFFDisasm(e *Env, path, engine string) error {
	f, err := openNEFF(path)
	if err != nil {
		return err
	}
	only := machine.Unassigned
	if engine != "" {
		for _, x := range neff.EngineOrder {
			if strings.EqualFold(x.String(), engine) {
				only = x
			}
		}
		if only == machine.Unassigned {
			return Usagef("--engine: there is no engine %q; engines are %v", engine, neff.EngineOrder)
		}
	}
	return neff.Disasm(e.Out, f, only)
}

func openNEFF(path string) (*neff.File, error) {
	data, err := readFile(path, maxSourceBytes)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, diag.Errorf("NEF001", diag.Loc{File: path}, "the file is empty; a NEFF is expected")
	}
	return readNEFF(data, path)
}
