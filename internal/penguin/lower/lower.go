package lower

import (
	"fmt"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

const (
	codeUnsupported = "PEN190"
	codeInternal    = "PEN199"
)

// Options steer lowering.
type Options struct {
	Gen      machine.Gen
	AutoCast string     // "", "none", "matmult" or "all"
	CastType dtype.Type // what AutoCast narrows fp32 to; Invalid: bf16
	// Checks, when not nil, receives the check ops of the module; their operands become outputs.
	Checks *[]Check
}

// handler lowers one op.
type handler func(l *lowerer, o *hlo.Op) error

// handlers maps op names to their lowering. It is filled by the init functions beside the handlers.
var handlers = map[string]handler{}

func register(h handler, names ...string) {
	for _, n := range names {
		handlers[n] = h
	}
}

// Supports reports whether the op called name has a lowering. Element types and attributes may still be refused.
func Supports(name string) bool { return handlers[name] != nil }

// lowerer is the state of one function.
type lowerer struct {
	opts    Options
	mod     *hlo.Module
	fn      *penguin.Func
	body    *[]penguin.Stmt
	op      *hlo.Op // being lowered
	env     map[*hlo.Value]view
	same    map[*hlo.Value]*hlo.Value // parameters and results of inlined calls
	uses    map[*hlo.Value]int
	donated map[*hlo.Value]bool // parameters whose buffer an output may take over
	consts  map[*hlo.Value]*constant
	splats  map[string]*penguin.Tensor
	// lift, when set, is the shape in which the scalar ops of a region (a reduction's body) are carried out.
	lift    []int64
	guard   *view // inside a branch taken at run time: whether it is
	pieces  int64 // instructions of ops that were cut
	region  int   // number of the innermost region that may run more or less often than its surroundings
	regions int   // numbers given
	nextID  int
	depth   int               // of inlined calls
	extra   []*penguin.Tensor // outputs that checks ask for
}

// Module lowers the entry function of m, with the functions it calls inlined.
func Module(m *hlo.Module, opts Options) (*penguin.Module, error) {
	f := m.Entry()
	if f == nil || f.Body == nil {
		return nil, diag.Errorf(codeUnsupported, m.Loc, "the module has no entry function with a body").
			WithHint("name it main, or leave only one function public")
	}
	l := &lowerer{
		opts: opts, mod: m, fn: &penguin.Func{Name: "main"},
		env: map[*hlo.Value]view{}, same: map[*hlo.Value]*hlo.Value{}, uses: map[*hlo.Value]int{}, donated: map[*hlo.Value]bool{},
		consts: map[*hlo.Value]*constant{}, splats: map[string]*penguin.Tensor{},
	}
	l.body = &l.fn.Body
	l.region, l.regions = 1, 1
	name := m.Name
	if name == "" {
		name = "module"
	}
	if err := l.entry(f); err != nil {
		return nil, err
	}
	pm := &penguin.Module{Name: clean(name), Gen: opts.Gen, Funcs: []*penguin.Func{l.fn}}
	prune(l.fn)
	return pm, nil
}

// clean makes a name of the text form.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		}
		return '_'
	}, s)
}

// elem is the element type in which values of hlo type t are kept.
func (l *lowerer) elem(t dtype.Type) dtype.Type {
	if l.opts.AutoCast == "all" && t == dtype.F32 {
		return l.castType()
	}
	return t
}

func (l *lowerer) castType() dtype.Type {
	if l.opts.CastType != dtype.Invalid {
		return l.opts.CastType
	}
	return dtype.BF16
}

func (l *lowerer) entry(f *hlo.Func) error {
	countUses(f.Body, l.uses)
	names := f.InputNames()
	for i, p := range f.Params {
		t, err := l.typeOf(p, p.Loc)
		if err != nil {
			return err
		}
		x := &penguin.Tensor{
			Name: fmt.Sprintf("arg_%d", i), DType: t.Elem, Shape: append([]int64(nil), t.Dims...),
			Kind: penguin.Input, IOName: names[i], Loc: p.Loc,
		}
		l.fn.Tensors = append(l.fn.Tensors, x)
		v := whole(x)
		if e := l.elem(t.Elem); e != t.Elem {
			if v, err = l.compute("convert", nil, e, t.Dims, v); err != nil {
				return err
			}
		}
		l.env[p] = v
		if f.ArgAttrs != nil && f.ArgAttrs[i].Get("tf.aliasing_output") != nil {
			l.donated[p] = true
		}
	}
	res, err := l.block(f.Body.Blocks[0])
	if err != nil {
		return err
	}
	return l.outputs(f, res)
}

// outputs makes the results of the function, each in a tensor of its own.
func (l *lowerer) outputs(f *hlo.Func, res []*hlo.Value) error {
	l.op = f.Body.Blocks[0].Terminator()
	names := f.OutputNames()
	var outs []*penguin.Tensor
	for i, r := range res {
		ty, err := l.typeOf(r, l.op.Loc)
		if err != nil {
			return err
		}
		v := l.env[r]
		io := penguin.Output | penguin.Input | penguin.Const
		switch {
		case v.t.DType != ty.Elem:
			if v, err = l.compute("convert", nil, ty.Elem, ty.Dims, v); err != nil {
				return err
			}
		case !v.isWhole() || v.t.Kind&io != 0:
			if v, err = l.copyOf(v); err != nil {
				return err
			}
		}
		v.t.Kind = penguin.Output
		v.t.IOName = names[i]
		v.t.Loc = l.op.Loc
		outs = append(outs, v.t)
	}
	for _, t := range l.extra {
		t.Kind = penguin.Output
		outs = append(outs, t)
	}
	// Inputs first, outputs last, in the order of the signature.
	var in, rest []*penguin.Tensor
	for _, t := range l.fn.Tensors {
		switch {
		case t.Kind&penguin.Input != 0:
			in = append(in, t)
		case t.Kind&penguin.Output == 0:
			rest = append(rest, t)
		}
	}
	l.fn.Tensors = append(append(in, rest...), outs...)
	return nil
}

// block lowers the ops of b and returns the operands of its terminator.
func (l *lowerer) block(b *hlo.Block) ([]*hlo.Value, error) {
	for _, o := range b.Ops {
		if o.Def.Has(hlo.Terminator) {
			return o.Operands, nil
		}
		if err := l.lowerOp(o); err != nil {
			return nil, err
		}
	}
	return nil, diag.Internalf(codeInternal, diag.Loc{}, "block without a terminator")
}

func (l *lowerer) lowerOp(o *hlo.Op) error {
	saved := l.op
	defer func() { l.op = saved }()
	l.op = o
	h := handlers[o.Name()]
	if h == nil {
		return diag.Errorf(codeUnsupported, o.Loc, "%s is not supported on the device yet", o.Name()).
			WithHint("`alca ops` lists what is; `alca eval` runs the module on the host")
	}
	for _, v := range o.Operands {
		if _, ok := v.Type.(hlo.TokenType); ok {
			continue
		}
		if _, err := l.typeOf(v, o.Loc); err != nil {
			return err
		}
	}
	for _, v := range o.Results {
		if _, ok := v.Type.(hlo.TokenType); ok {
			continue
		}
		if _, err := l.typeOf(v, o.Loc); err != nil {
			return err
		}
	}
	return h(l, o)
}

// typeOf returns the static tensor type of v, or why the device cannot hold it.
func (l *lowerer) typeOf(v *hlo.Value, loc diag.Loc) (*hlo.TensorType, error) {
	t := hlo.TensorOf(v)
	what := "value"
	if l.op != nil {
		what = l.op.Name()
	}
	switch {
	case t == nil:
		return nil, diag.Errorf(codeUnsupported, loc, "%s: type %s is not supported on the device", what, hlo.TypeString(v.Type))
	case !t.Static():
		return nil, diag.Errorf(codeUnsupported, loc, "%s: type %s has dimensions known only at run time", what, hlo.TypeString(v.Type)).
			WithHint("refine the module to static shapes first")
	case t.Quant != nil:
		return nil, diag.Errorf(codeUnsupported, loc, "%s: quantised type %s is not supported on the device yet", what, hlo.TypeString(v.Type))
	case t.Elem == dtype.F64 || t.Elem.IsComplex():
		return nil, diag.Errorf(codeUnsupported, loc, "%s: element type %v is not supported on the device", what, t.Elem).
			WithHint("compute in f32, or run `alca eval`")
	case t.Elem.Bits() < 8 && t.Elem != dtype.I1:
		return nil, diag.Errorf(codeUnsupported, loc, "%s: element type %v is not supported on the device", what, t.Elem)
	}
	if _, ok := t.NumElements(); !ok {
		return nil, diag.Errorf(codeUnsupported, loc, "%s: type %s is larger than the address space", what, hlo.TypeString(v.Type))
	}
	return t, nil
}

// in is operand i of o as a view.
func (l *lowerer) in(o *hlo.Op, i int) view { return l.env[o.Operands[i]] }

// set makes v the value of result i of o.
func (l *lowerer) set(o *hlo.Op, i int, v view) { l.env[o.Results[i]] = v }

// outShape is the shape of result i of o: its own, or that of the lifted region for scalars.
func (l *lowerer) outShape(o *hlo.Op, i int) []int64 {
	d := o.Out(i).Dims
	if l.lift != nil && len(d) == 0 {
		return l.lift
	}
	return d
}

func (l *lowerer) unsupported(format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(codeUnsupported, l.op.Loc, "%s: %s", l.op.Name(), fmt.Sprintf(format, args...))
}

func countUses(r *hlo.Region, uses map[*hlo.Value]int) {
	for _, b := range r.Blocks {
		for _, o := range b.Ops {
			for _, v := range o.Operands {
				uses[v]++
			}
			for _, s := range o.Regions {
				countUses(s, uses)
			}
		}
	}
}

// constTensor declares a constant. A tensor of equal elements becomes a scalar that is spread.
func (l *lowerer) constTensor(x *tensor.Tensor) view {
	shape := make([]int64, len(x.Shape))
	for i, d := range x.Shape {
		shape[i] = int64(d)
	}
	n := x.Type.Size()
	same := len(x.Data) >= n
	for i := n; i < len(x.Data) && same; i++ {
		same = x.Data[i] == x.Data[i-n]
	}
	if same {
		return l.constSplat(x.Type, x.Data[:n]).splatTo(shape)
	}
	if e := l.elem(x.Type); e != x.Type {
		x = narrow(x, e)
	}
	t := l.tensor("const", x.Type, shape)
	t.Kind = penguin.Const
	t.Init = x
	return whole(t)
}

// constSplat declares a scalar constant of the given bytes, once for each value.
func (l *lowerer) constSplat(t dtype.Type, data []byte) view {
	s := tensor.New(t)
	copy(s.Data, data)
	if e := l.elem(t); e != t {
		s = narrow(s, e)
	}
	key := fmt.Sprintf("%v %x", s.Type, s.Data)
	c := l.splats[key]
	if c == nil {
		c = l.tensor("const", s.Type, nil)
		c.Kind = penguin.Const
		c.Init = s
		l.splats[key] = c
	}
	return whole(c)
}

// narrow converts an fp32 constant.
func narrow(x *tensor.Tensor, t dtype.Type) *tensor.Tensor {
	out := tensor.New(t, x.Shape...)
	f := make([]float32, len(x.Data)/4)
	dtype.RowToF32(f, x.Data, x.Type)
	dtype.RowFromF32(out.Data, f, t)
	return out
}

// prune drops instructions whose result nothing reads, and tensors that no statement uses, inputs and outputs apart.
func prune(f *penguin.Func) {
	for {
		read := map[*penguin.Tensor]bool{}
		penguin.Walk(f.Body, func(s penguin.Stmt) {
			switch s := s.(type) {
			case *penguin.While:
				read[s.Pred] = true
			case *penguin.Inst:
				for _, list := range [][]penguin.Access{s.In, s.Out} {
					for i, a := range list {
						// Reading what is also written (in place) does not keep a tensor alive.
						if i < len(s.In) && &list[0] == &s.In[0] && a.T != s.Out[0].T {
							read[a.T] = true
						}
						for _, d := range a.Ind {
							read[d.Index] = true
						}
					}
				}
			}
		})
		n := 0
		f.Body = sweep(f.Body, read, &n)
		if n == 0 {
			break
		}
	}
	used := map[*penguin.Tensor]bool{}
	penguin.Walk(f.Body, func(s penguin.Stmt) {
		switch s := s.(type) {
		case *penguin.While:
			used[s.Pred] = true
		case *penguin.Inst:
			for _, list := range [][]penguin.Access{s.In, s.Out} {
				for _, a := range list {
					used[a.T] = true
					for _, d := range a.Ind {
						used[d.Index] = true
					}
				}
			}
		}
	})
	kept := f.Tensors[:0]
	for _, t := range f.Tensors {
		if used[t] || t.Kind&(penguin.Input|penguin.Output) != 0 {
			kept = append(kept, t)
		}
	}
	f.Tensors = kept
}

// sweep removes instructions that write only tensors nobody reads.
func sweep(body []penguin.Stmt, read map[*penguin.Tensor]bool, removed *int) []penguin.Stmt {
	kept := body[:0]
	for _, s := range body {
		switch s := s.(type) {
		case *penguin.While:
			s.Cond = sweep(s.Cond, read, removed)
			s.Body = sweep(s.Body, read, removed)
		case *penguin.Inst:
			if t := s.Out[0].T; !read[t] && t.Kind&penguin.Output == 0 {
				*removed++
				continue
			}
		}
		kept = append(kept, s)
	}
	return kept
}
