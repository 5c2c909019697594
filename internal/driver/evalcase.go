package driver

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/tensor"
)

// hasEval reports whether the evaluator runs an op: by a kernel, or because it is structure.
func hasEval(d *hlo.OpDef) bool { return eval.Supports(d.Name) || d.Has(hlo.Terminator) }

// evalRun evaluates a function.
func evalRun(ctx context.Context, m *hlo.Module, fn string, args []*tensor.Tensor) ([]*tensor.Tensor, error) {
	return eval.Run(ctx, m, fn, args, eval.Options{})
}

// evalCase runs a self-checking program on the evaluator.
func evalCase(ctx context.Context, m *hlo.Module) error {
	f, err := entryOf(m)
	if err != nil {
		return err
	}
	if len(f.Params) > 0 {
		return dynamicCase(ctx, m, f)
	}
	checks, err := eval.RunChecks(ctx, m)
	if err != nil {
		return err
	}
	if len(checks) == 0 {
		return dynamicCase(ctx, m, f)
	}
	return eval.FirstFailure(checks)
}

// dynamicCase judges a program that states no expected value, as those with arguments do: with every dimension argument and
// every unknown extent set to 3, its shapes must refine to static ones, and the refined program must give what the
// original gives. A program whose shape checks forbid 3 gets 4.
func dynamicCase(ctx context.Context, m *hlo.Module, f *hlo.Func) error {
	first := refinedCase(ctx, m, f, 3)
	if first == nil || ctx.Err() != nil {
		return first
	}
	if refinedCase(ctx, m, f, 4) == nil {
		return nil
	}
	return first
}

func refinedCase(ctx context.Context, m *hlo.Module, f *hlo.Func, extent int64) error {
	names := f.InputNames()
	known := make([]eval.Known, len(f.Params))
	args := make([]*tensor.Tensor, len(f.Params))
	leading := true
	for i, p := range f.Params {
		t := hlo.TensorOf(p)
		if t == nil || t.Unranked {
			return diag.Errorf("DRV028", f.Loc, "argument %s is %s, which is not supported by the conformance runner", names[i], hlo.TypeString(p.Type))
		}
		u := *t
		u.Dims, u.Bounds = slices.Clone(t.Dims), nil
		shape := make([]int, len(u.Dims))
		for k, d := range u.Dims {
			if d < 0 {
				u.Dims[k] = extent
			}
			shape[k] = int(u.Dims[k])
		}
		known[i].Type = &u
		leading = leading && len(shape) == 0 && (t.Elem == dtype.I64 || t.Elem == dtype.I32)
		if leading && !hasAttr(f, i, "mhlo.sharding") {
			v := tensor.New(t.Elem)
			v.Data[0] = byte(extent)
			known[i].Value, args[i] = v, v
			continue
		}
		port := Port{Name: names[i], Type: t.Elem, Shape: shape}
		args[i] = RandomInputs([]Port{port}, nil, 0)[names[i]]
	}
	refined, err := eval.Refine(ctx, m, known)
	if err != nil {
		return err
	}
	want, err := eval.Run(ctx, m, "", args, eval.Options{})
	if err != nil {
		return err
	}
	got, err := eval.Run(ctx, refined, "", args, eval.Options{})
	if err != nil {
		return err
	}
	for i := range want {
		if got[i].Type != want[i].Type || !slices.Equal(got[i].Shape, want[i].Shape) || !bytes.Equal(got[i].Data, want[i].Data) {
			return diag.Errorf("DRV029", f.Loc, "result %d differs between the refined and the original program: %s", i, firstDifference(got[i], want[i]))
		}
	}
	return nil
}

func hasAttr(f *hlo.Func, i int, name string) bool {
	return i < len(f.ArgAttrs) && f.ArgAttrs[i].Get(name) != nil
}

func firstDifference(got, want *tensor.Tensor) string {
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Sprintf("%s%v and %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	for i := range got.Data {
		if got.Data[i] != want.Data[i] {
			return fmt.Sprintf("element %d", i/got.Type.Size())
		}
	}
	return "nothing"
}

// bindShapes gives a module whose arguments or results have unknown extents those of the tensors in an archive. Other
// modules are returned as they are.
func bindShapes(ctx context.Context, m *hlo.Module, f *hlo.Func, path string) (*hlo.Module, error) {
	dynamic := func(t hlo.Type) bool {
		tt, ok := t.(*hlo.TensorType)
		return ok && !tt.Static()
	}
	found := slices.ContainsFunc(f.Results, dynamic)
	for _, p := range f.Params {
		found = found || dynamic(p.Type)
	}
	if !found {
		return m, nil
	}
	arrays, err := tensor.ReadNPZFile(path)
	if err != nil {
		return m, nil // LoadTensors says what is wrong with it
	}
	names := f.InputNames()
	known := make([]eval.Known, len(f.Params))
	for i, p := range f.Params {
		k := slices.IndexFunc(arrays, func(a tensor.NamedArray) bool { return a.Name == names[i] })
		t := hlo.TensorOf(p)
		if k < 0 || t == nil || t.Unranked {
			return nil, diag.Errorf("DRV010", p.Loc, "%s has dynamic type %s, and %s holds no tensor that gives it a shape", names[i], hlo.TypeString(p.Type), path)
		}
		a := arrays[k].Array
		u := *t
		u.Dims, u.Bounds = nil, nil
		for _, d := range a.Tensor.Shape {
			u.Dims = append(u.Dims, int64(d))
		}
		fits := len(u.Dims) == len(t.Dims)
		for j := 0; fits && j < len(t.Dims); j++ {
			fits = t.Dims[j] < 0 || t.Dims[j] == u.Dims[j]
		}
		if !fits {
			return nil, diag.Errorf("DRV014", diag.Loc{File: path}, "%s has shape %v, the program takes %s", names[i], a.Tensor.Shape, hlo.TypeString(t))
		}
		known[i].Type = &u
		if !t.Elem.IsFloat() && !t.Elem.IsComplex() && len(a.Tensor.Data) <= 256 && a.As(t.Elem) { // it may be a shape
			known[i].Value = a.Tensor
		}
	}
	return eval.Refine(ctx, m, known)
}
