package driver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/bir/birjson"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
	"github.com/alcadev/alca/internal/walrus"
)

// CompileOptions are the flags of everything that compiles.
type CompileOptions struct {
	Target     string
	OptLevel   int
	AutoCast   string // none, matmult or all
	SBUFBudget int64  // bytes per partition
	Passes     []string
	Disable    []string
	StopAfter  string
	PrintAfter []string
	DumpIR     string // folder
	VerifyEach bool
	Seed       int64
	SeedSet    bool // --seed was given: inputs are random even if a file of them is there
}

// Compiled is a program and the way it took.
type Compiled struct {
	Spec    *machine.Spec
	Module  *hlo.Module // after the hlo passes
	Ins     []Port
	Outs    []Port
	FanIn   map[string]int
	Work    Work
	Penguin *penguin.Module
	BIR     *bir.Module
	File    *neff.File
	NEFF    []byte // File, encoded
	Stats   *walrus.Stats
	Timings []pass.Timing
	Stopped bool // by --stop-after: what comes later is nil
}

// Work is what the program must at least do, for the roofline.
type Work struct {
	FLOPs   float64    `json:"flops"`
	Type    dtype.Type `json:"-"`
	IOBytes float64    `json:"io_bytes"`
}

// hooks watch a compilation. After a pass of a level exactly one of the modules is not nil.
type hooks struct {
	hlo     func(pass string, m *hlo.Module) error
	penguin func(pass string, m *penguin.Module) error
	bir     func(pass string, m *bir.Module) error
	neff    func(data []byte) error
}

func (o *CompileOptions) check() error {
	if err := checkTarget(o.Target, o.OptLevel); err != nil {
		return err
	}
	if !slices.Contains([]string{"none", "matmult", "all"}, o.AutoCast) {
		return Usagef("--auto-cast is none, matmult or all, not %q", o.AutoCast)
	}
	if o.SBUFBudget < 0 {
		return Usagef("--sbuf-budget is a number of bytes per partition, not %d", o.SBUFBudget)
	}
	for _, n := range slices.Concat(o.Disable, o.PrintAfter, []string{o.StopAfter}) {
		if n != "" && !knownPass(n) {
			return diag.Errorf("DRV025", diag.Loc{}, "there is no pass %q", n).WithHint("`alca passes` lists them")
		}
	}
	return nil
}

// Compile takes the text of a module through all stages.
func Compile(ctx context.Context, e *Env, src *Source, o CompileOptions) (*Compiled, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	e.Progress("reading")
	m, err := src.Parse()
	if err != nil {
		return nil, err
	}
	h := &hooks{}
	if o.VerifyEach {
		if h, err = verifyEach(ctx, e, src, m, o); err != nil {
			return nil, err
		}
	}
	return compileModule(ctx, e, m, o, h)
}

// entryOf returns the entry function, or a diagnostic.
func entryOf(m *hlo.Module) (*hlo.Func, error) {
	f := m.Entry()
	if f == nil || f.Body == nil {
		return nil, diag.Errorf("DRV005", m.Loc, "the module has no entry: neither @main nor exactly one public function with a body")
	}
	return f, nil
}

// compileModule compiles m, which it changes.
func compileModule(ctx context.Context, e *Env, m *hlo.Module, o CompileOptions, h *hooks) (*Compiled, error) {
	spec, err := machine.Lookup(o.Target)
	if err != nil {
		return nil, err
	}
	c := &Compiled{Spec: spec, Module: m}
	f, err := entryOf(m)
	if err != nil {
		return nil, err
	}
	if c.Ins, c.Outs, err = FuncPorts(f); err != nil {
		return nil, err
	}
	if err := checkCapacity(m, spec); err != nil {
		return nil, err
	}
	c.FanIn = FanIn(f)
	d := &dumper{e: e, o: o}
	p := &pipeline{ctx: ctx, e: e, o: o, c: c, h: h, d: d}
	stopped, err := p.run(p.runHLO)
	if err == nil && !stopped {
		stopped, err = p.runBackend()
		if diag.Code(err) == walrus.CodeSBUF && o.SBUFBudget > 0 {
			p.tileBudget = o.SBUFBudget
			stopped, err = p.runBackend()
		}
	}
	if err != nil {
		return nil, err
	}
	c.Stopped = stopped
	return c, nil
}

// runBackend takes the hlo module to its file.
func (p *pipeline) runBackend() (bool, error) {
	return p.run(p.runLower, p.runPenguin, p.runISel, p.runWalrus)
}

// run runs stages until one stops or fails.
func (p *pipeline) run(stages ...func() (bool, error)) (bool, error) {
	for _, stage := range stages {
		if err := p.ctx.Err(); err != nil {
			return false, err
		}
		if stopped, err := stage(); err != nil || stopped {
			return stopped, err
		}
	}
	return false, nil
}

// encode writes the file and reads it back: what runs is always what would ship.
func (c *Compiled) encode() error {
	var b bytes.Buffer
	if err := neff.Write(&b, c.File); err != nil {
		return err
	}
	c.NEFF = b.Bytes()
	return nil
}

// checkCapacity rejects programs no machine of this kind can hold or compute, before anything is allocated.
func checkCapacity(m *hlo.Module, spec *machine.Spec) error {
	return walkValues(m, func(v *hlo.Value, loc diag.Loc) error {
		t := hlo.TensorOf(v)
		if t == nil || !t.Static() {
			return nil
		}
		bytes := float64(t.Elem.Size())
		for _, d := range t.Dims {
			bytes *= float64(d)
		}
		if bytes > float64(spec.HBM.Bytes) {
			return diag.Errorf("DRV019", loc, "%s takes %.0f bytes; a core of %s has %d bytes of device memory",
				hlo.TypeString(t), bytes, spec.Name, spec.HBM.Bytes)
		}
		return nil
	})
}

// checkElements rejects element types the device has no arithmetic for.
func checkElements(m *hlo.Module, spec *machine.Spec) error {
	return walkValues(m, func(v *hlo.Value, loc diag.Loc) error {
		t := hlo.TensorOf(v)
		if t == nil {
			return nil
		}
		if t.Elem == dtype.F64 || t.Elem.IsComplex() {
			what := "element type " + t.Elem.String()
			if v.Def != nil {
				what = "result of " + v.Def.Name() + " of type " + hlo.TypeString(t)
			}
			return diag.Errorf("DRV018", loc, "%s: %s does not compute with %s", what, spec.Name, t.Elem).
				WithHint("convert the model to f32, bf16 or f16")
		}
		return nil
	})
}

// walkValues calls f for the arguments and results of all ops of a module.
func walkValues(m *hlo.Module, f func(v *hlo.Value, loc diag.Loc) error) error {
	var region func(r *hlo.Region) error
	region = func(r *hlo.Region) error {
		for _, b := range r.Blocks {
			for _, a := range b.Args {
				if err := f(a, a.Loc); err != nil {
					return err
				}
			}
			for _, op := range b.Ops {
				for _, v := range op.Results {
					if err := f(v, op.Loc); err != nil {
						return err
					}
				}
				for _, r := range op.Regions {
					if err := region(r); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	for _, fn := range m.Funcs {
		if fn.Body != nil {
			if err := region(fn.Body); err != nil {
				return err
			}
		}
	}
	return nil
}

// dumper writes IR to a folder and to standard error.
type dumper struct {
	e *Env
	o CompileOptions
	n int
}

// after dumps what print writes if the flags ask for it.
func (d *dumper) after(level, name, ext string, print func(w io.Writer) error) error {
	d.n++
	if slices.Contains(d.o.PrintAfter, name) {
		fmt.Fprintf(d.e.Err, "// after %s/%s\n", level, name)
		if err := print(d.e.Err); err != nil {
			return err
		}
	}
	if d.o.DumpIR == "" {
		return nil
	}
	if err := os.MkdirAll(d.o.DumpIR, 0o777); err != nil {
		return fileError(d.o.DumpIR, "write", err)
	}
	if d.n == 1 {
		if err := removeDumps(d.o.DumpIR); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := print(&b); err != nil {
		return err
	}
	return d.e.WriteFile(filepath.Join(d.o.DumpIR, fmt.Sprintf("%03d-%s-%s.%s", d.n, level, name, ext)), b.Bytes())
}

// dumpName is what after and birJSON call their files.
var dumpName = regexp.MustCompile(`^[0-9]{3,}-(hlo|penguin|bir)-.+\.(mlir|pir|txt|json)$`)

// removeDumps removes what an earlier compilation dumped into dir: it may have had more passes, or others.
func removeDumps(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return fileError(dir, "read", err)
	}
	for _, f := range list {
		if !f.Type().IsRegular() || !dumpName.MatchString(f.Name()) {
			continue
		}
		path := filepath.Join(dir, f.Name())
		if err := os.Remove(path); err != nil {
			return fileError(path, "remove", err)
		}
	}
	return nil
}

// birJSON writes the module that after has just dumped in the form that is read back; its constants go to .npy files
// beside it.
func (d *dumper) birJSON(name string, m *bir.Module) error {
	if d.o.DumpIR == "" {
		return nil
	}
	path := func(file string) string { return filepath.Join(d.o.DumpIR, file) }
	var b bytes.Buffer
	err := birjson.Write(&b, m, birjson.WriteOptions{Constant: func(file string, t *tensor.Tensor) error {
		var c bytes.Buffer
		if err := tensor.WriteNPY(&c, t); err != nil {
			return err
		}
		return d.e.WriteFile(path(file), c.Bytes())
	}})
	if err != nil {
		return err
	}
	return d.e.WriteFile(path(fmt.Sprintf("%03d-bir-%s.json", d.n, name)), b.Bytes())
}

func printHLO(m *hlo.Module) func(w io.Writer) error {
	return func(w io.Writer) error { return mlir.Print(w, m, mlir.Options{Locs: true}) }
}

// measure counts the floating-point operations of contractions and the bytes at the boundary.
func measure(m *hlo.Module, ins, outs []Port, autoCast string) Work {
	w := Work{Type: dtype.BF16}
	for _, p := range slices.Concat(ins, outs) {
		w.IOBytes += float64(p.elements() * p.Type.Size())
	}
	var region func(r *hlo.Region)
	region = func(r *hlo.Region) {
		for _, b := range r.Blocks {
			for _, op := range b.Ops {
				n := contractionTerms(op)
				if n > 0 {
					out, in := op.Out(0), op.In(0)
					elems, _ := out.NumElements()
					w.FLOPs += 2 * float64(elems) * n
					if in.Elem == dtype.F32 && autoCast == "none" {
						w.Type = dtype.F32
					}
				}
				for _, r := range op.Regions {
					region(r)
				}
			}
		}
	}
	if f := m.Entry(); f != nil && f.Body != nil {
		region(f.Body)
	}
	return w
}

// contractionTerms is the number of products summed for one result element of a dot or convolution, else 0.
func contractionTerms(op *hlo.Op) float64 {
	switch op.Name() {
	case "stablehlo.dot_general":
		d, ok := op.Attrs.Get("dot_dimension_numbers").(*hlo.DotDims)
		if !ok {
			return 0
		}
		n := 1.0
		for _, i := range d.LhsContract {
			n *= float64(op.In(0).Dims[i])
		}
		return n
	case "stablehlo.convolution":
		d, ok := op.Attrs.Get("dimension_numbers").(*hlo.ConvDims)
		if !ok {
			return 0
		}
		n := float64(op.In(1).Dims[d.KernelInFeature])
		for _, i := range d.KernelSpatial {
			n *= float64(op.In(1).Dims[i])
		}
		return n
	}
	return 0
}
