package driver

import (
	"context"
	"fmt"
	"slices"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/penguin/opt"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
)

// runCase runs one module at the level asked for. It sets what it learns in r; the error decides the rest.
func runCase(ctx context.Context, r *CaseResult, text []byte, o ConformOptions) error {
	src := &Source{Text: text}
	m, err := src.Parse()
	if err != nil {
		r.Status = Unparsed
		return err
	}
	r.Eligible = eligible(m)
	switch {
	case o.Level == "parse":
		return nil
	case o.Level == "eval":
		return evalCase(ctx, m)
	case !r.Eligible:
		r.Status = Ineligible
		return nil
	}
	return deviceCase(ctx, src, o)
}

// deviceTypes are the element types a device case may have.
var deviceTypes = []dtype.Type{dtype.I1, dtype.I8, dtype.I16, dtype.I32, dtype.I64, dtype.U8, dtype.U16, dtype.U32, dtype.U64,
	dtype.F16, dtype.BF16, dtype.F32}

// eligible reports whether a module is asked of a device: all shapes static, arguments of the program with a
// value, all element types, those of constants included, among deviceTypes.
func eligible(m *hlo.Module) bool {
	f := m.Entry()
	if f == nil || len(f.Params) > 0 || len(m.Subs) > 0 {
		return false
	}
	ok := true
	check := func(t hlo.Type) {
		tt, isTensor := t.(*hlo.TensorType)
		ok = ok && isTensor && tt.Static() && tt.Quant == nil && !tt.Index && slices.Contains(deviceTypes, tt.Elem)
	}
	for _, fn := range m.Funcs {
		for _, p := range fn.Params {
			check(p.Type)
		}
	}
	walkValues(m, func(v *hlo.Value, loc diag.Loc) error {
		check(v.Type)
		return nil
	})
	return ok
}

// checkOp describes one check of a program.
type checkOp struct {
	op     *hlo.Op
	actual int // index of the device output that is checked
}

// deviceCase compiles the program without its checks, returning what they check, runs it at the level asked
// for, and applies the checks to the device's values. What a call of @inputs yields is passed as arguments, so
// that the program cannot be folded away.
func deviceCase(ctx context.Context, src *Source, o ConformOptions) error {
	// Golden side: the checked and the expected values, and the inputs.
	gold, err := src.Parse()
	if err != nil {
		return err
	}
	goldChecks, err := stripChecks(gold, true)
	if err != nil {
		return err
	}
	dev, err := src.Parse()
	if err != nil {
		return err
	}
	devChecks, err := stripChecks(dev, false)
	if err != nil {
		return err
	}
	inputs, err := hoistInputs(ctx, dev)
	if err != nil {
		return err
	}
	if err := hlo.Verify(dev); err != nil {
		return diag.Internalf("DRV000", diag.Loc{}, "the program without its checks does not verify: %w", err)
	}
	gf, err := entryOf(gold)
	if err != nil {
		return err
	}
	want, err := evalRun(ctx, gold, gf.Name, nil)
	if err != nil {
		return err
	}
	got, err := runDevice(ctx, dev, inputs, o)
	if err != nil {
		return err
	}
	for i, c := range devChecks {
		actual := got[fmt.Sprintf("output%d", c.actual)]
		if actual == nil {
			return diag.Internalf("DRV000", c.op.Loc, "checked value %d is no output", i)
		}
		var expect *tensor.Tensor // nil: the check holds its constant
		if k := goldChecks[i].actual; k >= 0 {
			expect = want[k]
		}
		if err := eval.ApplyCheck(c.op, actual, expect); err != nil {
			return err
		}
	}
	return nil
}

// stripChecks removes the checks of the entry function and makes it return, in their place, the checked values
// (expected false) or the expected values (true).
func stripChecks(m *hlo.Module, expected bool) ([]checkOp, error) {
	f, err := entryOf(m)
	if err != nil {
		return nil, err
	}
	b := f.Body.Blocks[0]
	var checks []checkOp
	var rets []*hlo.Value
	var keep []*hlo.Op
	seen := map[*hlo.Value]int{}
	for _, op := range b.Ops {
		if !eval.IsCheck(op) {
			keep = append(keep, op)
			continue
		}
		if len(op.Results) > 0 { // check.eq as a custom call: its result may only be returned
			for _, u := range b.Ops {
				if !u.Def.Has(hlo.Terminator) && slices.Contains(u.Operands, op.Results[0]) {
					return nil, diag.Errorf("DRV028", op.Loc, "programs that compute with the verdict of a check are not supported at device levels")
				}
			}
		}
		v := op.Operands[0]
		if expected {
			if len(op.Operands) < 2 {
				checks = append(checks, checkOp{op, -1}) // a constant: the op has it
				continue
			}
			v = op.Operands[1]
		}
		n, ok := seen[v]
		if !ok {
			n = len(rets)
			seen[v] = n
			rets = append(rets, v)
		}
		checks = append(checks, checkOp{op, n})
	}
	if len(checks) == 0 {
		return nil, diag.Errorf("DRV028", f.Loc, "programs without a check are not supported at device levels")
	}
	term := keep[len(keep)-1]
	term.Operands = rets
	b.Ops = keep
	f.Results, f.ResAttrs = nil, nil
	for _, v := range rets {
		f.Results = append(f.Results, v.Type)
	}
	// A program whose body still holds checks in nested regions or other functions is not one we can judge.
	bad := false
	eachOp(m, func(op *hlo.Op) { bad = bad || eval.IsCheck(op) })
	if bad {
		return nil, diag.Errorf("DRV028", f.Loc, "checks inside of regions or called functions are not supported at device levels")
	}
	return checks, nil
}

// eachOp calls f for every op of a module.
func eachOp(m *hlo.Module, f func(op *hlo.Op)) {
	var region func(r *hlo.Region)
	region = func(r *hlo.Region) {
		for _, b := range r.Blocks {
			for _, op := range b.Ops {
				f(op)
				for _, r := range op.Regions {
					region(r)
				}
			}
		}
	}
	for _, fn := range m.Funcs {
		if fn.Body != nil {
			region(fn.Body)
		}
	}
}

// hoistInputs replaces calls of @inputs in the entry by parameters and returns their values.
func hoistInputs(ctx context.Context, m *hlo.Module) (map[string]*tensor.Tensor, error) {
	f, err := entryOf(m)
	if err != nil {
		return nil, err
	}
	inputs := map[string]*tensor.Tensor{}
	b := f.Body.Blocks[0]
	var keep []*hlo.Op
	for _, op := range b.Ops {
		callee, _ := op.Attrs.Get("callee").(hlo.SymbolAttr)
		if op.Name() != "func.call" || len(callee.Path) != 1 || callee.Path[0] != "inputs" || len(op.Operands) > 0 {
			keep = append(keep, op)
			continue
		}
		vals, err := evalRun(ctx, m, "inputs", nil)
		if err != nil {
			return nil, err
		}
		for i, r := range op.Results {
			r.Def, r.Index, r.Name = nil, len(f.Params), ""
			inputs[fmt.Sprintf("input%d", len(f.Params))] = vals[i]
			f.Params = append(f.Params, r)
		}
	}
	b.Ops, b.Args, f.ArgAttrs = keep, f.Params, nil
	// Values nobody reads any more cost nothing on the device, but functions of unreadable types would.
	m.Funcs = slices.DeleteFunc(m.Funcs, func(g *hlo.Func) bool { return g != f && !called(m, g.Name) })
	return inputs, nil
}

func called(m *hlo.Module, name string) bool {
	found := false
	eachOp(m, func(op *hlo.Op) {
		for _, a := range op.Attrs {
			if s, ok := a.Attr.(hlo.SymbolAttr); ok && s.Path[len(s.Path)-1] == name {
				found = true
			}
		}
	})
	return found
}

// runDevice compiles as far as the level needs and executes there.
func runDevice(ctx context.Context, m *hlo.Module, inputs map[string]*tensor.Tensor, o ConformOptions) (map[string]*tensor.Tensor, error) {
	e := &Env{}
	co := CompileOptions{Target: o.Target, OptLevel: o.OptLevel, AutoCast: "none"}
	switch o.Level {
	case "penguin":
		co.StopAfter = "lower"
		if p := opt.Pipeline(o.OptLevel); len(p) > 0 {
			co.StopAfter = p[len(p)-1]
		}
	case "bir":
		co.StopAfter = "to-bir"
	}
	c, err := compileModule(ctx, e, m, co, &hooks{})
	if err != nil {
		return nil, err
	}
	switch o.Level {
	case "penguin":
		return penguin.Exec(ctx, c.Penguin, inputs)
	case "bir":
		prog, err := sim.LoadBIR(c.BIR, c.Spec)
		if err != nil {
			return nil, err
		}
		got, err := prog.Run(ctx, inputs)
		restoreBools(got, c.Outs)
		return got, err
	}
	res, err := execNEFF(ctx, c.NEFF, c.Spec, inputs, c.Outs, sim.Options{})
	if err != nil {
		return nil, err
	}
	return res.Outputs, nil
}
