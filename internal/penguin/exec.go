package penguin

import (
	"context"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

const (
	codeExec  = "PEN198" // a program that the interpreter cannot run
	codeInput = "PEN197" // inputs that do not fit the program
)

// memory holds the bytes of each tensor, row-major. On chip a row is a partition.
type memory map[*Tensor][]byte

// Exec interprets the main function of m, at whichever level its statements are, on the named inputs, and returns
// the outputs by name.
func Exec(ctx context.Context, m *Module, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if len(m.Funcs) == 0 {
		return nil, diag.Errorf(codeExec, diag.Loc{}, "module %s has no function", m.Name)
	}
	f := m.Funcs[0]
	x := &interp{ctx: ctx, mem: memory{}, env: pelican.MapEnv{}, plans: map[*Inst]*plan{}}
	for _, t := range f.Tensors {
		if t.Kind&Input == 0 {
			continue
		}
		in := inputs[t.IOName]
		if in == nil {
			return nil, diag.Errorf(codeInput, t.Loc, "input %s is missing", t.IOName)
		}
		if in.Type != t.DType || !fits(in.Shape, t.Shape) {
			return nil, diag.Errorf(codeInput, t.Loc, "input %s is %v %v, must be %v %v", t.IOName, in.Type, in.Shape, t.DType, t.Shape)
		}
		b, err := x.mem.of(t)
		if err != nil {
			return nil, err
		}
		copy(b, in.Data)
	}
	if err := x.body(f.Body); err != nil {
		return nil, err
	}
	out := map[string]*tensor.Tensor{}
	for _, t := range f.Tensors {
		if t.Kind&Output == 0 {
			continue
		}
		shape := make([]int, len(t.Shape))
		for i, d := range t.Shape {
			shape[i] = int(d)
		}
		r := tensor.New(t.DType, shape...)
		b, err := x.mem.of(t)
		if err != nil {
			return nil, err
		}
		copy(r.Data, b)
		out[t.IOName] = r
	}
	return out, nil
}

func fits(a []int, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if int64(a[i]) != b[i] {
			return false
		}
	}
	return true
}

// maxExecBytes bounds one tensor of an interpreted program.
const maxExecBytes = 8 << 30

// of returns the bytes of t. Memory that was never written reads as all ones, which is NaN for floats.
func (m memory) of(t *Tensor) ([]byte, error) {
	for t.Alias != nil {
		t = t.Alias
	}
	b, ok := m[t]
	if ok {
		return b, nil
	}
	n, ok := t.Bytes()
	if !ok || n > maxExecBytes {
		return nil, diag.Errorf(codeExec, t.Loc, "tensor %s of %v %v is too large to interpret", t.Name, t.DType, t.Shape)
	}
	b = make([]byte, n)
	if t.Init != nil {
		copy(b, t.Init.Data)
	} else {
		for i := range b {
			b[i] = 0xFF
		}
	}
	m[t] = b
	return b, nil
}

// interp is a running program.
type interp struct {
	ctx   context.Context
	mem   memory
	env   pelican.MapEnv
	plans map[*Inst]*plan
}

func (x *interp) body(list []Stmt) error {
	for _, s := range list {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if err := x.stmt(s); err != nil {
			return err
		}
	}
	return nil
}

func (x *interp) stmt(s Stmt) error {
	switch s := s.(type) {
	case *Inst:
		return x.inst(s)
	case *Cluster:
		for _, in := range s.Ops {
			if err := x.inst(in); err != nil {
				return err
			}
		}
	case *Scope:
		return x.body(s.Body)
	case *Loop:
		for v := s.Axis.Lo; v < s.Axis.Hi; v += max(s.Axis.Step, 1) {
			x.env[s.Axis.Var] = v
			if err := x.body(s.Body); err != nil {
				return err
			}
		}
		delete(x.env, s.Axis.Var)
	case *While:
		for {
			if err := x.body(s.Cond); err != nil {
				return err
			}
			b, err := x.mem.of(s.Pred)
			if err != nil {
				return err
			}
			if isZero(b[:s.Pred.DType.Size()]) {
				return nil
			}
			if err := x.body(s.Body); err != nil {
				return err
			}
		}
	default:
		return diag.Internalf(codeExec, diag.Loc{}, "statement %T", s)
	}
	return nil
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func (x *interp) inst(in *Inst) error {
	for _, p := range in.Pred {
		v, err := pelican.Eval(p.E, x.env)
		if err != nil {
			return diag.Errorf(codeExec, in.Loc, "%s: predicate: %v", in.Op.Name, err)
		}
		if p.Ge && v < 0 || !p.Ge && v != 0 {
			return nil
		}
	}
	if in.Op.ISA {
		return isaMem(x.mem).exec(in, x.env)
	}
	p := x.plans[in]
	if p == nil {
		var err error
		if p, err = x.plan(in); err != nil {
			return err
		}
		x.plans[in] = p
	}
	return x.run(p)
}

// Bytes is the size of t's storage; false when it overflows.
func (t *Tensor) Bytes() (int64, bool) {
	n := int64(t.DType.Size())
	for _, d := range t.Shape {
		if d < 0 || d > 0 && n > (1<<62)/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// isIntHub reports types that the interpreter computes on as 64-bit integers; the others go through float64.
func isIntHub(t dtype.Type) bool { return t == dtype.I1 || t.IsInt() }
