// Package eval is the golden evaluator: it computes what an hlo module means, element by element, bit for bit
// where the StableHLO specification leaves no choice. Every later stage is checked against it.
//
//	out, err := eval.Run(ctx, module, "main", args, eval.Options{})
//
// Floats narrower than f32 are computed in f32 (transcendental functions in f64) and rounded once; integers wrap;
// contractions accumulate over k ascending in f32, f64 for f64. Each op is one kernel in a table.
package eval

import (
	"context"
	"fmt"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Val is a run-time value: a tensor, a tuple or a token.
type Val struct {
	T     *tensor.Tensor
	Tuple []Val
	Token bool
}

// Options bound a run and collect what it observes.
type Options struct {
	MaxBytes int64    // largest tensor, 0 for the default of 8 GiB
	Checks   *[]Check // verdicts of check ops are appended here when not nil, else a failed check is an error
}

const defaultMaxBytes = 8 << 30

// Check is the verdict of one check op.
type Check struct {
	Op  string
	Loc diag.Loc
	OK  bool
	Msg string
}

// machine is one run.
type machine struct {
	ctx   context.Context
	mod   *hlo.Module
	opt   Options
	depth int
	steps int
	// vector lets elementwise kernels broadcast one-element operands: a region of scalar ops runs on whole vectors.
	vector bool
	probes map[string][]*tensor.Tensor
	seed   uint64   // state of the generator behind rng
	rank   *process // collectives: which process this is, nil outside run_parallel
}

type env map[*hlo.Value]Val

// kernel computes the results of an op from its operands.
type kernel func(m *machine, o *hlo.Op, in []Val) ([]Val, error)

var kernels = map[string]kernel{}

// register adds a kernel; each op has one.
func register(name string, k kernel) bool {
	if kernels[name] != nil {
		panic("kernel " + name + " registered twice")
	}
	kernels[name] = k
	return true
}

// Supports reports whether the op has a kernel or is control flow the evaluator runs itself.
func Supports(name string) bool { return kernels[name] != nil || control[name] != nil }

// Run evaluates function fn of m ("" for the entry). Arguments match the parameters in number and type.
func Run(ctx context.Context, m *hlo.Module, fn string, args []*tensor.Tensor, opt Options) ([]*tensor.Tensor, error) {
	f := m.Entry()
	if fn != "" {
		f = m.Func(fn)
	}
	if f == nil || f.Body == nil {
		return nil, diag.Errorf(CodeNoFunc, m.Loc, "the module has no function %q to evaluate", fn)
	}
	if len(args) != len(f.Params) {
		return nil, diag.Errorf(CodeArgs, f.Loc, "@%s takes %d arguments, got %d", f.Name, len(f.Params), len(args))
	}
	vals := make([]Val, len(args))
	for i, a := range args {
		t := hlo.TensorOf(f.Params[i])
		if t == nil || !fits(a, t) {
			return nil, diag.Errorf(CodeArgs, f.Loc, "argument %d of @%s is %s%v, must be %s", i, f.Name, a.Type, a.Shape, hlo.TypeString(f.Params[i].Type))
		}
		vals[i] = Val{T: a}
	}
	ev := &machine{ctx: ctx, mod: m, opt: opt, probes: map[string][]*tensor.Tensor{}}
	out, err := ev.call(f, vals)
	if err != nil {
		return nil, err
	}
	res := make([]*tensor.Tensor, len(out))
	for i := range out {
		if out[i].T == nil {
			return nil, diag.Errorf(CodeArgs, f.Loc, "result %d of @%s is not a tensor", i, f.Name)
		}
		res[i] = out[i].T
	}
	return res, nil
}

// fits reports whether a tensor may stand where type t is stated.
func fits(a *tensor.Tensor, t *hlo.TensorType) bool {
	if a.Type != t.Elem && !(t.Quant != nil && a.Type == t.Quant.Storage) {
		return false
	}
	if t.Unranked {
		return true
	}
	if len(a.Shape) != len(t.Dims) {
		return false
	}
	for i, d := range t.Dims {
		if d >= 0 && int64(a.Shape[i]) != d {
			return false
		}
		if d < 0 && i < len(t.Bounds) && t.Bounds[i] >= 0 && int64(a.Shape[i]) > t.Bounds[i] {
			return false
		}
	}
	return true
}

const maxDepth = 256

func (m *machine) call(f *hlo.Func, args []Val) ([]Val, error) {
	if m.depth++; m.depth > maxDepth {
		return nil, diag.Errorf(CodeDepth, f.Loc, "calls nest deeper than %d", maxDepth)
	}
	defer func() { m.depth-- }()
	return m.block(f.Body.Blocks[0], args, nil)
}

// block runs a block with the given arguments; outer values are visible through parent.
func (m *machine) block(b *hlo.Block, args []Val, parent env) ([]Val, error) {
	e := make(env, len(b.Args)+len(b.Ops)+len(parent))
	for k, v := range parent {
		e[k] = v
	}
	for i, a := range b.Args {
		e[a] = args[i]
	}
	last := lastUses(b)
	for i, o := range b.Ops {
		in := make([]Val, len(o.Operands))
		for k, v := range o.Operands {
			x, ok := e[v]
			if !ok {
				return nil, diag.Internalf(CodeInternal, o.Loc, "%s: operand %d has no value", o.Name(), k)
			}
			in[k] = x
		}
		if o.Def.Has(hlo.Terminator) {
			return in, nil
		}
		out, err := m.op(o, in, e)
		if err != nil {
			return nil, err
		}
		if len(out) != len(o.Results) {
			return nil, diag.Internalf(CodeInternal, o.Loc, "%s yields %d values, must yield %d", o.Name(), len(out), len(o.Results))
		}
		for k, r := range o.Results {
			e[r] = out[k]
		}
		for _, v := range last[i] {
			delete(e, v)
		}
	}
	return nil, diag.Internalf(CodeInternal, diag.Loc{}, "block without terminator")
}

// lastUses lists, for each op of a block, the block's own values that nothing uses afterwards, so that their
// memory can go.
func lastUses(b *hlo.Block) [][]*hlo.Value {
	out := make([][]*hlo.Value, len(b.Ops))
	if len(b.Ops) < 16 {
		return out
	}
	last := map[*hlo.Value]int{}
	var visit func(o *hlo.Op, i int)
	visit = func(o *hlo.Op, i int) {
		for _, v := range o.Operands {
			last[v] = i
		}
		for _, r := range o.Regions {
			for _, bb := range r.Blocks {
				for _, x := range bb.Ops {
					visit(x, i)
				}
			}
		}
	}
	for i, o := range b.Ops {
		visit(o, i)
	}
	for _, o := range b.Ops {
		for _, r := range o.Results {
			if i, ok := last[r]; ok {
				out[i] = append(out[i], r)
			}
		}
	}
	return out
}

// op evaluates one op.
func (m *machine) op(o *hlo.Op, in []Val, e env) ([]Val, error) {
	if m.steps++; m.steps%64 == 0 && m.ctx.Err() != nil {
		return nil, m.ctx.Err()
	}
	if err := m.recheck(o, in); err != nil {
		return nil, err
	}
	if c := control[o.Name()]; c != nil {
		return c(m, o, in, e)
	}
	k := kernels[o.Name()]
	if k == nil {
		return nil, diag.Errorf(CodeUnsupported, o.Loc, "the evaluator does not support %s yet", o.Name())
	}
	if err := m.guardSize(o); err != nil {
		return nil, err
	}
	if quantised(o) && !movesData[o.Name()] {
		return m.viaDequantised(o, in, k)
	}
	return k(m, o, in)
}

// guardSize refuses results that exceed the memory limit before anything is allocated.
func (m *machine) guardSize(o *hlo.Op) error {
	limit := m.opt.MaxBytes
	if limit == 0 {
		limit = defaultMaxBytes
	}
	for _, r := range o.Results {
		t := hlo.TensorOf(r)
		if t == nil || !t.Static() {
			continue
		}
		n, ok := t.NumElements()
		if !ok || n > limit/int64(t.Elem.Size()) {
			return diag.Errorf(CodeMemory, o.Loc, "%s: a result of type %s exceeds the limit of %d bytes", o.Name(), t, limit)
		}
	}
	return nil
}

// errf makes an evaluator diagnostic for o.
func errf(o *hlo.Op, code, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(code, o.Loc, "%s: %s", o.Name(), fmt.Sprintf(format, args...))
}

func one(t *tensor.Tensor) []Val { return []Val{{T: t}} }
