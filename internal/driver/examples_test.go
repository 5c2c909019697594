package driver

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
)

func exampleFiles(t testing.TB) []string {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.mlir"))
	if err != nil || len(files) < 7 {
		t.Fatalf("examples: %v, %v", files, err)
	}
	return files
}

// example is a program with its inputs and golden results.
type example struct {
	src     *Source
	module  *hlo.Module
	inputs  map[string]*tensor.Tensor
	want    map[string]*tensor.Tensor
	ins     []Port
	outs    []Port
	expFile string
}

func loadExample(t testing.TB, path string) *example {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x := &example{src: &Source{Path: path, Text: text}, expFile: Sibling(path, ".expected.npz")}
	if x.module, err = x.src.Parse(); err != nil {
		t.Fatal(err)
	}
	f, err := entryOf(x.module)
	if err != nil {
		t.Fatal(err)
	}
	if x.ins, x.outs, err = FuncPorts(f); err != nil {
		t.Fatal(err)
	}
	if x.inputs, err = LoadTensors(Sibling(path, ".inputs.npz"), x.ins, "inputs"); err != nil {
		t.Fatal(err)
	}
	if x.want, err = golden(context.Background(), x.module, x.inputs); err != nil {
		t.Fatal(err)
	}
	return x
}

// run compiles and simulates an example and checks its outputs.
func (x *example) run(t testing.TB, o CompileOptions) (*Compiled, *sim.Result) {
	t.Helper()
	ctx := context.Background()
	c, err := Compile(ctx, &Env{}, x.src, o)
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	res, err := execNEFF(ctx, c.NEFF, c.Spec, x.inputs, c.Outs, sim.Options{})
	if err != nil {
		t.Fatalf("simulate: %v", err)
	}
	for _, p := range x.outs {
		r := Compare(p.Name, res.Outputs[p.Name], x.want[p.Name], Tolerance(p.Type, o.AutoCast))
		if !r.OK {
			t.Errorf("%s: error %.3g of scale, tolerance %.3g: %s", p.Name, r.Error, r.Tolerance, r.Reason)
		}
		if r.NonFinite > 0 || r.Constant && p.elements() > 1 {
			t.Errorf("%s: constant %v, %d values are not finite", p.Name, r.Constant, r.NonFinite)
		}
	}
	return c, res
}

// TestExamples compiles every example for every target, and runs it from its NEFF. ALCA_MATRIX=full takes all
// levels; the short form is -O2 everywhere and -O0 on trn2.
func TestExamples(t *testing.T) {
	full := os.Getenv("ALCA_MATRIX") == "full"
	for _, path := range exampleFiles(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".mlir")
		t.Run(name, func(t *testing.T) {
			x := loadExample(t, path)
			ref, err := LoadTensors(x.expFile, x.outs, "expected outputs")
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range x.outs {
				tol := 1e-5
				if p.Type == dtype.BF16 {
					tol = Tolerance(p.Type, "none")
				}
				if r := Compare(p.Name, x.want[p.Name], ref[p.Name], tol); !r.OK {
					t.Errorf("evaluator against XLA, %s: error %.3g of scale: %s", p.Name, r.Error, r.Reason)
				}
			}
			for _, target := range []string{"trn1", "trn2", "trn3"} {
				times := map[int]float64{}
				for level := range 3 {
					if !full && level == 1 || !full && level == 0 && target != "trn2" {
						continue
					}
					_, res := x.run(t, CompileOptions{Target: target, OptLevel: level, AutoCast: "none"})
					times[level] = res.Stats.TimeNs
				}
				if t0, ok := times[0]; ok {
					t.Logf("%s: -O0 %.1f us, -O2 %.1f us (%.2f times)", target, t0/1e3, times[2]/1e3, t0/times[2])
					if times[2] >= t0 {
						t.Errorf("%s: -O2 takes %.0f ns, -O0 %.0f ns", target, times[2], t0)
					}
					if strings.HasPrefix(name, "transformer_block") && times[2] > t0/1.5 {
						t.Errorf("%s: -O2 takes %.0f ns, more than 1/1.5 of -O0 (%.0f ns)", target, times[2], t0)
					}
				}
			}
		})
	}
}

// TestRoofline bounds the simulated time of the transformer block on trn2.
func TestRoofline(t *testing.T) {
	x := loadExample(t, filepath.Join("..", "..", "examples", "transformer_block.mlir"))
	c, res := x.run(t, CompileOptions{Target: "trn2", OptLevel: 2, AutoCast: "none"})
	bound := c.Spec.Roofline(c.Work.FLOPs, c.Work.Type, c.Work.IOBytes)
	ratio := res.Stats.TimeNs / bound
	t.Logf("%.1f us, bound %.1f us, ratio %.2f", res.Stats.TimeNs/1e3, bound/1e3, ratio)
	if ratio < 1 || ratio > 10 {
		t.Errorf("simulated time is %.2f times the roofline bound, must be between 1 and 10", ratio)
	}
}

// TestSpill compiles with so little SBUF that allocation must spill.
func TestSpill(t *testing.T) {
	spilled := 0
	for _, path := range exampleFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".mlir"), func(t *testing.T) {
			x := loadExample(t, path)
			c, res := x.run(t, CompileOptions{Target: "trn2", OptLevel: 1, AutoCast: "none", SBUFBudget: 16384})
			t.Logf("%d locations spilled, %d stores, %d reloads, SBUF peak %d bytes a partition", c.Stats.Spilled, c.Stats.Saves, c.Stats.Reloads, res.Stats.SBUFPeak)
			if res.Stats.SBUFPeak > 16384 {
				t.Errorf("%d bytes of a partition are used, the budget is 16384", res.Stats.SBUFPeak)
			}
			spilled += c.Stats.Spilled
		})
	}
	if spilled == 0 {
		t.Error("no example spills, so the test shows nothing about spilling")
	}
}

// TestDeterministic compiles one text under two paths, with one processor and with two.
func TestDeterministic(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"transformer_block", "lenet"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", name+".mlir"))
		if err != nil {
			t.Fatal(err)
		}
		var first []byte
		for i, path := range []string{filepath.Join(dir, "a", "one.mlir"), filepath.Join(dir, "b", "two.mlir")} {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
			old := runtime.GOMAXPROCS(i + 1)
			e := &Env{}
			src, err := e.ReadSource(path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Compile(context.Background(), e, src, CompileOptions{Target: "trn2", OptLevel: 2, AutoCast: "none"})
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(c.NEFF, []byte("one.mlir")) || bytes.Contains(c.NEFF, []byte(dir)) {
				t.Errorf("%s: the path of the input is in the NEFF", name)
			}
			if first == nil {
				first = c.NEFF
			} else if !bytes.Equal(first, c.NEFF) {
				t.Errorf("%s: two compilations give different bytes", name)
			}
		}
	}
}

// TestEndToEndTime bounds the whole way of the transformer block.
func TestEndToEndTime(t *testing.T) {
	path := filepath.Join("..", "..", "examples", "transformer_block.mlir")
	start := time.Now()
	var out bytes.Buffer
	e := &Env{Out: &out, Err: &out}
	err := Run(context.Background(), e, path, RunOptions{CompileOptions: CompileOptions{Target: "trn2", OptLevel: 2, AutoCast: "none"}, Verify: true, Act: "exact"})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("end to end takes %v, at most 10 s are allowed", d)
	}
	if !strings.Contains(out.String(), "PASS: 1 outputs verified") {
		t.Errorf("report:\n%s", out.String())
	}
}
