package driver

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/hlo/gen"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
)

// TestDifferential runs random programs as NEFFs on the simulator against the evaluator. ALCA_SEEDS=first:count
// runs others than the few of a normal test run.
func TestDifferential(t *testing.T) {
	first, n := uint64(0), uint64(40)
	if s := os.Getenv("ALCA_SEEDS"); s != "" {
		for i := range s {
			if s[i] == ':' {
				a, err1 := strconv.ParseUint(s[:i], 10, 64)
				b, err2 := strconv.ParseUint(s[i+1:], 10, 64)
				if err1 != nil || err2 != nil {
					t.Fatalf("ALCA_SEEDS=%q is not first:count", s)
				}
				first, n = a, b
			}
		}
	}
	unsupported, failed := 0, 0
	for seed := first; seed < first+n; seed++ {
		switch err := differential(seed); {
		case err == nil:
		case isUnsupported(err):
			unsupported++
			t.Logf("seed %d: %v", seed, err)
		default:
			failed++
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	t.Logf("seeds %d to %d: %d diverge, %d are not supported on the device", first, first+n-1, failed, unsupported)
	if unsupported > int(n)/4 {
		t.Errorf("%d of %d programs are not supported", unsupported, n)
	}
}

// differential compiles and runs one program and compares every output.
func differential(seed uint64) error {
	m := gen.Module(seed, gen.Options{Ops: 6 + int(seed%12), Control: seed%3 == 0})
	return compareNEFF(seed, []byte(mlir.Text(m)), m)
}

// compareNEFF compiles text and compares what it computes with the evaluator's results for golden.
func compareNEFF(seed uint64, text []byte, golden *hlo.Module) error {
	ins, _, err := FuncPorts(golden.Entry())
	if err != nil {
		return err
	}
	return compareNEFFOn(RandomInputs(ins, nil, int64(seed)), seed, text, golden)
}

// compareNEFFOn is compareNEFF on given inputs; the seed chooses target and optimisation level.
func compareNEFFOn(inputs map[string]*tensor.Tensor, seed uint64, text []byte, golden *hlo.Module) error {
	ins, outs, err := FuncPorts(golden.Entry())
	if err != nil {
		return err
	}
	args := make([]*tensor.Tensor, len(ins))
	for i, p := range ins {
		args[i] = inputs[p.Name]
	}
	ctx := context.Background()
	want, err := eval.Run(ctx, golden, "", args, eval.Options{})
	if err != nil {
		return err
	}
	spec := machine.All()[seed%3]
	opt := CompileOptions{Target: spec.Name, OptLevel: int(seed/3) % 3, AutoCast: "none"}
	if seed%7 == 0 {
		opt.SBUFBudget = 16384
	}
	p, err := CompileText(ctx, text, opt)
	if err != nil {
		return err
	}
	prog, err := sim.Load(p.file, spec)
	if err != nil {
		return err
	}
	res, err := prog.Run(ctx, inputs, sim.Options{})
	if err != nil {
		return err
	}
	for i, o := range outs {
		got := res.Outputs[o.Name]
		if got != nil && got.Type != want[i].Type && got.Type.Size() == 1 && want[i].Type.Size() == 1 {
			got.Type = want[i].Type // booleans are bytes on the device
		}
		c := Compare(o.Name, got, want[i], Tolerance(want[i].Type, "none"))
		if !c.OK {
			return errors.New(spec.Name + " -O" + strconv.Itoa(opt.OptLevel) + ": " + o.Name + ": " + c.Reason + "\n" + string(text))
		}
	}
	return nil
}

// A comparison that cannot fail proves nothing: a program with one op exchanged must be told from the original.
func TestDifferentialNotices(t *testing.T) {
	swap := map[string]string{"stablehlo.add": "stablehlo.subtract", "stablehlo.maximum": "stablehlo.minimum", "stablehlo.tanh": "stablehlo.logistic",
		"stablehlo.and": "stablehlo.or", "stablehlo.negate": "stablehlo.abs"}
	changed, noticed := 0, 0
	for seed := uint64(0); changed < 12; seed++ {
		m := gen.Module(seed, gen.Options{Ops: 5})
		text := []byte(mlir.Text(m))
		before := goldenOf(t, seed, m)
		ops := m.Funcs[0].Body.Blocks[0].Ops
		found := false
		for i := len(ops) - 1; i >= 0 && !found; i-- { // the last such op is most likely a result
			if to := swap[ops[i].Name()]; to != "" {
				ops[i].Def, found = hlo.Lookup(to), true
			}
		}
		if !found || same(before, goldenOf(t, seed, m)) {
			continue
		}
		changed++
		if err := compareNEFF(seed, text, m); err != nil {
			noticed++
		}
	}
	if noticed != changed {
		t.Errorf("%d of %d changed programs are noticed", noticed, changed)
	}
}

// goldenOf evaluates a program on the inputs of a seed.
func goldenOf(t *testing.T, seed uint64, m *hlo.Module) []*tensor.Tensor {
	t.Helper()
	ins, _, err := FuncPorts(m.Entry())
	if err != nil {
		t.Fatal(err)
	}
	inputs := RandomInputs(ins, nil, int64(seed))
	args := make([]*tensor.Tensor, len(ins))
	for i, p := range ins {
		args[i] = inputs[p.Name]
	}
	out, err := eval.Run(context.Background(), m, "", args, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// same reports results that a comparison within tolerance cannot tell apart.
func same(a, b []*tensor.Tensor) bool {
	for i := range a {
		if c := Compare("", a[i], b[i], Tolerance(a[i].Type, "none")); !c.OK {
			return false
		}
	}
	return true
}
