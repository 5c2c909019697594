package hlo

import (
	"strconv"

	"github.com/alcadev/alca/internal/diag"
)

// Verify checks a module: every op's row (counts, attributes, inferred types, its own rule), that values are
// defined before they are used, regions and their terminators, symbols and signatures. It returns the first
// fault as a diagnostic.
func Verify(m *Module) error {
	syms := map[string]*Func{}
	for _, f := range m.Funcs {
		if syms[f.Name] != nil {
			return diag.Errorf(CodeSymbol, f.Loc, "function @%s is defined twice", f.Name).WithNote(syms[f.Name].Loc, "the first definition")
		}
		syms[f.Name] = f
	}
	for _, f := range m.Funcs {
		if err := verifyFunc(f, syms); err != nil {
			return err
		}
	}
	for _, s := range m.Subs {
		if err := Verify(s); err != nil {
			return err
		}
	}
	return nil
}

// VerifyFunc checks one function; calls are not resolved.
func VerifyFunc(f *Func) error { return verifyFunc(f, nil) }

func verifyFunc(f *Func, syms map[string]*Func) error {
	if f.Body == nil {
		return nil
	}
	if len(f.Body.Blocks) != 1 {
		return diag.Errorf(CodeRegion, f.Loc, "function @%s has %d blocks, must have 1", f.Name, len(f.Body.Blocks))
	}
	b := f.Body.Blocks[0]
	if len(b.Args) != len(f.Params) {
		return diag.Errorf(CodeSignature, f.Loc, "function @%s has %d parameters, its body %d arguments", f.Name, len(f.Params), len(b.Args))
	}
	v := &verifier{syms: syms, defined: map[*Value]bool{}}
	if err := v.block(b); err != nil {
		return err
	}
	t := b.Terminator()
	if t == nil || !t.Def.Has(Terminator) {
		return diag.Errorf(CodeRegion, f.Loc, "function @%s must end with a return", f.Name)
	}
	if len(t.Operands) != len(f.Results) {
		return diag.Errorf(CodeSignature, t.Loc, "function @%s returns %d values, its signature has %d", f.Name, len(t.Operands), len(f.Results))
	}
	for i, x := range t.Operands {
		if !Compatible(x.Type, f.Results[i]) {
			return diag.Errorf(CodeSignature, t.Loc, "function @%s returns %s as value %d, its signature has %s", f.Name, TypeString(x.Type), i, TypeString(f.Results[i]))
		}
	}
	return nil
}

type verifier struct {
	syms    map[string]*Func
	defined map[*Value]bool
	scope   []*Value // defined values in order, to leave a region
}

func (v *verifier) define(x *Value) {
	v.defined[x] = true
	v.scope = append(v.scope, x)
}

func (v *verifier) block(b *Block) error {
	mark := len(v.scope)
	for _, a := range b.Args {
		v.define(a)
	}
	for i, o := range b.Ops {
		if o.Def.Has(Terminator) && i != len(b.Ops)-1 {
			return errf(o, CodeRegion, "a terminator must be the last op of its block")
		}
		if err := v.op(o); err != nil {
			return err
		}
	}
	for _, x := range v.scope[mark:] {
		delete(v.defined, x)
	}
	v.scope = v.scope[:mark]
	return nil
}

func (v *verifier) op(o *Op) error {
	for i, x := range o.Operands {
		if x == nil || !v.defined[x] {
			return errf(o, CodeDominance, "operand %d is used before it is defined", i)
		}
	}
	for _, r := range o.Regions {
		for _, b := range r.Blocks {
			if err := v.block(b); err != nil {
				return err
			}
		}
	}
	if err := VerifyOp(o); err != nil {
		return err
	}
	if err := rules(v.call, v.runParallel)(o); err != nil {
		return err
	}
	for _, x := range o.Results {
		v.define(x)
	}
	return nil
}

// call checks that a call or composite fits the function it names.
func (v *verifier) call(o *Op) error {
	if o.Def.HLO != nil {
		return v.hloCalls(o)
	}
	attr := ""
	switch o.Name() {
	case "func.call":
		attr = "callee"
	case "stablehlo.composite":
		attr = "decomposition"
	}
	if attr == "" || v.syms == nil {
		return nil
	}
	s, ok := o.Attrs.Get(attr).(SymbolAttr)
	if !ok || len(s.Path) == 0 {
		return errf(o, CodeAttr, "%s must name a function", attr)
	}
	f := v.syms[s.Path[0]]
	if f == nil {
		return errf(o, CodeSymbol, "there is no function @%s", s.Path[0])
	}
	if len(o.Operands) != len(f.Params) || len(o.Results) != len(f.Results) {
		return errf(o, CodeSignature, "@%s takes %d values and returns %d, here are %d and %d", f.Name, len(f.Params), len(f.Results), len(o.Operands), len(o.Results)).
			WithNote(f.Loc, "@%s is declared here", f.Name)
	}
	for i, p := range f.Params {
		if !Compatible(o.Operands[i].Type, p.Type) {
			return errf(o, CodeSignature, "argument %d of @%s is %s, must be %s", i, f.Name, TypeString(o.Operands[i].Type), TypeString(p.Type))
		}
	}
	for i, r := range f.Results {
		if !Compatible(r, o.Results[i].Type) {
			return errf(o, CodeSignature, "result %d of @%s is %s, here %s", i, f.Name, TypeString(r), TypeString(o.Results[i].Type))
		}
	}
	return nil
}

// VerifyOp checks one op against its row. Regions must have been checked before.
func VerifyOp(o *Op) error {
	d := o.Def
	if !d.In.OK(len(o.Operands)) {
		return errf(o, CodeArity, "%d operands, must have %s", len(o.Operands), d.In)
	}
	if !d.Out.OK(len(o.Results)) {
		return errf(o, CodeArity, "%d results, must have %s", len(o.Results), d.Out)
	}
	if !d.Regions.OK(len(o.Regions)) {
		return errf(o, CodeArity, "%d regions, must have %s", len(o.Regions), d.Regions)
	}
	for _, a := range d.Attrs {
		if !a.Optional && o.Attrs.Get(a.Name) == nil {
			return errf(o, CodeAttr, "attribute %s is missing", a.Name)
		}
	}
	if err := rules(verifyAttrs, verifyQuantTypes)(o); err != nil {
		return err
	}
	if d.Infer != nil {
		want, err := d.Infer(o)
		if err != nil {
			return err
		}
		if len(want) != len(o.Results) {
			return errf(o, CodeArity, "%d results, must have %d", len(o.Results), len(want))
		}
		for i, w := range want {
			if !Compatible(w, o.Results[i].Type) {
				return errf(o, CodeResult, "result %d is %s, must be %s", i, TypeString(o.Results[i].Type), TypeString(w))
			}
		}
	}
	if d.Verify != nil {
		return d.Verify(o)
	}
	return nil
}

// InferTypes returns the result types of o, or an error when its row cannot infer them.
func InferTypes(o *Op) ([]Type, error) {
	if o.Def.Infer == nil {
		return nil, errf(o, CodeResult, "result types cannot be inferred and must be stated")
	}
	return o.Def.Infer(o)
}

func (a Arity) String() string {
	switch {
	case a.Max < 0:
		return "at least " + strconv.Itoa(a.Min)
	case a.Min == a.Max:
		return strconv.Itoa(a.Min)
	}
	return strconv.Itoa(a.Min) + " to " + strconv.Itoa(a.Max)
}

// runParallel checks that a grid of programs is rectangular and takes and returns what the op does, and that queues of
// infeed values are functions of one tensor.
func (v *verifier) runParallel(o *Op) error {
	if o.Name() != "interpreter.run_parallel" || v.syms == nil {
		return nil
	}
	named := func(a Attr) (*Func, error) {
		s, ok := a.(SymbolAttr)
		if !ok || len(s.Path) == 0 {
			return nil, errf(o, CodeAttr, "programs and infeed must hold names of functions")
		}
		f := v.syms[s.Path[0]]
		if f == nil {
			return nil, errf(o, CodeSymbol, "there is no function @%s", s.Path[0])
		}
		return f, nil
	}
	rows, ok := o.Attrs.Get("programs").(ArrayAttr)
	if !ok || len(rows.Elems) == 0 {
		return errf(o, CodeAttr, "programs must be a list of lists of functions, and not empty")
	}
	width, ins, outs := -1, 0, 0
	for _, r := range rows.Elems {
		row, ok := r.(ArrayAttr)
		if !ok || width >= 0 && len(row.Elems) != width {
			return errf(o, CodeAttr, "programs must be lists of one length")
		}
		width = len(row.Elems)
		for _, e := range row.Elems {
			f, err := named(e)
			if err != nil {
				return err
			}
			ins, outs = ins+len(f.Params), outs+len(f.Results)
		}
	}
	if ins != len(o.Operands) || outs != len(o.Results) {
		return errf(o, CodeSignature, "the programs take %d values and return %d, here are %d and %d", ins, outs, len(o.Operands), len(o.Results))
	}
	if o.Attrs.Get("infeed") == nil {
		return nil
	}
	queue, ok := o.Attrs.Get("infeed").(ArrayAttr)
	if !ok || len(queue.Elems) == 0 {
		return errf(o, CodeAttr, "infeed must be a list of functions, and not empty")
	}
	for _, e := range queue.Elems {
		f, err := named(e)
		if err != nil {
			return err
		}
		if len(f.Results) != 1 {
			return errf(o, CodeSignature, "@%s feeds %d values, must feed one", f.Name, len(f.Results))
		}
		if _, ok := f.Results[0].(*TensorType); !ok {
			return errf(o, CodeSignature, "@%s feeds %s, must feed a tensor", f.Name, TypeString(f.Results[0]))
		}
	}
	return nil
}
