package opt

import (
	"fmt"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
	"github.com/alcadev/alca/internal/pass"
)

// Codes of the conversion between the HLO form and StableHLO.
const (
	CodeFromHLO      = "HLO082"
	CodeFromHLOLimit = "HLO083"
)

var _ = diag.Explain(
	diag.Info{Code: CodeFromHLO, Title: "HLO instruction without a StableHLO form", Unsupported: true,
		Text: "The instruction can be read and written, but StableHLO has no op, nor a combination alca knows, that means the same."},
	diag.Info{Code: CodeFromHLOLimit, Title: "HLO computations nest too deep or expand too far"},
)

// fromHLO turns a module of the HLO form, as readers of HLO text and protobuf make it, into StableHLO:
//
//	%r = (f32[], s32[]) reduce(..), to_apply=%f   =>  %r:2 = stablehlo.reduce with the body of %f as its region
//	tuple, get-tuple-element                      =>  nothing: every value of a tuple is a value of its own
//	while over a tuple, conditional               =>  stablehlo.while over its leaves, stablehlo.if or case
//	call, fusion                                  =>  func.call; the inline pass expands it
//	async-start, all-gather-start, copy-start ... =>  the op at once; the -done is its result
//	bitcast between layouts                       =>  transpose, reshape, transpose
//	constant({...})                               =>  the value the reader's rule gives
//
// Layouts are dropped: values are row-major. A scatter's update window that does not fit is dropped whole, as HLO
// says, where StableHLO drops single elements. An entry that returns a tuple returns its leaves. Modules without
// ops of the HLO form stay as they are.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "from-hlo", Doc: "HLO instructions to StableHLO ops", Run: FromHLO})
}

// IsHLO reports whether m is in the HLO form.
func IsHLO(m *hlo.Module) bool {
	for _, f := range m.Funcs {
		if f.Body == nil {
			continue
		}
		for _, o := range f.Body.Blocks[0].Ops {
			if o.Def.HLO != nil {
				return true
			}
		}
	}
	// A computation may hold parameters only; the reader leaves the name of a layout on them.
	return m.Attrs.Get("entry_computation_layout") != nil
}

const (
	maxFromHLODepth = 1000
	maxFromHLOOps   = 8 << 20
)

// tree is the value of an HLO instruction: one StableHLO value, or the parts of a tuple.
type tree struct {
	v     *hlo.Value
	parts []*tree
	tuple bool
}

func leaf(v *hlo.Value) *tree        { return &tree{v: v} }
func tupleOf(parts ...*tree) *tree   { return &tree{tuple: true, parts: parts} }
func (t *tree) leaves() []*hlo.Value { return t.appendLeaves(nil) }
func (t *tree) part(i int) *tree {
	if t == nil || !t.tuple || i >= len(t.parts) {
		return nil
	}
	return t.parts[i]
}

func (t *tree) appendLeaves(out []*hlo.Value) []*hlo.Value {
	if t == nil {
		return out
	}
	if !t.tuple {
		return append(out, t.v)
	}
	for _, p := range t.parts {
		out = p.appendLeaves(out)
	}
	return out
}

type fromHLO struct {
	m     *hlo.Module
	funcs map[string]*hlo.Func // computations
	made  map[string]*hlo.Func // functions made of those that calls name
	out   []*hlo.Func
	types map[hlo.Type]hlo.Type
	depth int
	ops   int
}

// FromHLO converts a module in place.
func FromHLO(m *hlo.Module) error {
	if !IsHLO(m) {
		return nil
	}
	c := &fromHLO{m: m, funcs: map[string]*hlo.Func{}, made: map[string]*hlo.Func{}, types: map[hlo.Type]hlo.Type{}}
	for _, f := range m.Funcs {
		c.funcs[f.Name] = f
	}
	entry := m.Entry()
	if entry == nil {
		return diag.Errorf(CodeFromHLO, m.Loc, "the module has no entry computation")
	}
	f, err := c.function(entry)
	if err != nil {
		return err
	}
	f.Private = false
	f.Name = "main"
	shardingAttrs(entry, f)
	m.Funcs = append(c.out, f)
	var attrs hlo.Attrs
	for _, k := range []struct{ from, to string }{{"num_partitions", "mhlo.num_partitions"}, {"replica_count", "mhlo.num_replicas"}} {
		if a, ok := m.Attrs.Get(k.from).(hlo.IntAttr); ok {
			attrs = append(attrs, hlo.NamedAttr{Name: k.to, Attr: hlo.IntAttr{Value: a.Value, Type: dtype.I32}})
		}
	}
	m.Attrs = attrs
	return nil
}

// shardingAttrs keeps the shardings and aliases of array parameters as attributes of the arguments.
func shardingAttrs(from, to *hlo.Func) {
	if len(from.Params) != len(to.Params) {
		return
	}
	any := false
	attrs := make([]hlo.Attrs, len(to.Params))
	for i := range from.ArgAttrs {
		if s, ok := from.ArgAttrs[i].Get("sharding").(*hlo.Sharding); ok {
			attrs[i] = hlo.Attrs{{Name: "mhlo.sharding", Attr: hlo.StringAttr{Value: hlotext.AttrString(s)}}}
			any = true
		}
	}
	if any {
		to.ArgAttrs = attrs
	}
}

// clean drops layouts from a type.
func (c *fromHLO) clean(t hlo.Type) hlo.Type {
	x, ok := t.(*hlo.TensorType)
	if !ok || x.Encoding == nil {
		return t
	}
	if n := c.types[t]; n != nil {
		return n
	}
	n := *x
	n.Encoding = nil
	c.types[t] = &n
	return &n
}

// fresh makes a tree of new values of type t: arguments of a block.
func (c *fromHLO) fresh(t hlo.Type, loc diag.Loc, name string, args *[]*hlo.Value) *tree {
	if tt, ok := t.(*hlo.TupleType); ok {
		out := &tree{tuple: true}
		for i, e := range tt.Elems {
			n := name
			if n != "" {
				n = fmt.Sprintf("%s.%d", name, i)
			}
			out.parts = append(out.parts, c.fresh(e, loc, n, args))
		}
		return out
	}
	v := &hlo.Value{Type: c.clean(t), Index: len(*args), Loc: loc, Name: name}
	*args = append(*args, v)
	return leaf(v)
}

// flat lists the leaves of a type.
func (c *fromHLO) flat(t hlo.Type, out []hlo.Type) []hlo.Type {
	if tt, ok := t.(*hlo.TupleType); ok {
		for _, e := range tt.Elems {
			out = c.flat(e, out)
		}
		return out
	}
	return append(out, c.clean(t))
}

// build arranges values as type t says.
func build(t hlo.Type, vs []*hlo.Value) (*tree, []*hlo.Value) {
	if tt, ok := t.(*hlo.TupleType); ok {
		out := &tree{tuple: true}
		for _, e := range tt.Elems {
			var p *tree
			p, vs = build(e, vs)
			out.parts = append(out.parts, p)
		}
		return out, vs
	}
	if len(vs) == 0 {
		return nil, nil
	}
	return leaf(vs[0]), vs[1:]
}

// function converts a computation to a function of the leaves of its parameters.
func (c *fromHLO) function(f *hlo.Func) (*hlo.Func, error) {
	out := &hlo.Func{Name: f.Name, Private: true, Loc: f.Loc}
	b := &hlo.Block{}
	env := map[*hlo.Value]*tree{}
	for _, p := range f.Params {
		env[p] = c.fresh(p.Type, p.Loc, p.Name, &b.Args)
	}
	root, err := c.body(f, b, env)
	if err != nil {
		return nil, err
	}
	vs, err := c.complete(root, f.Loc, f.Name)
	if err != nil {
		return nil, err
	}
	for _, v := range vs {
		out.Results = append(out.Results, v.Type)
	}
	b.Ops = append(b.Ops, &hlo.Op{Def: hlo.Lookup("func.return"), Operands: vs, Loc: f.Loc})
	out.Params = b.Args
	out.Body = &hlo.Region{Blocks: []*hlo.Block{b}}
	return out, nil
}

// complete returns the leaves of t, all of which must exist.
func (c *fromHLO) complete(t *tree, loc diag.Loc, what string) ([]*hlo.Value, error) {
	vs := t.leaves()
	for _, v := range vs {
		if v == nil {
			return nil, diag.Errorf(CodeFromHLO, loc, "%s uses a part of an asynchronous value that has no StableHLO form", what)
		}
	}
	if t == nil {
		return nil, diag.Errorf(CodeFromHLO, loc, "%s uses a value that has no StableHLO form", what)
	}
	return vs, nil
}

// body converts the ops of a computation into b and returns its root.
func (c *fromHLO) body(f *hlo.Func, b *hlo.Block, env map[*hlo.Value]*tree) (*tree, error) {
	if c.depth++; c.depth > maxFromHLODepth {
		return nil, diag.Errorf(CodeFromHLOLimit, f.Loc, "computations nest deeper than %d", maxFromHLODepth)
	}
	defer func() { c.depth-- }()
	for _, o := range f.Body.Blocks[0].Ops {
		if o.Def.HLO == nil {
			return env[o.Operands[0]], nil // the return
		}
		if c.ops++; c.ops > maxFromHLOOps {
			return nil, diag.Errorf(CodeFromHLOLimit, f.Loc, "the module has more than %d ops once computations stand where they are used", maxFromHLOOps)
		}
		in := make([]*tree, len(o.Operands))
		for i, v := range o.Operands {
			in[i] = env[v]
		}
		bld := &hlo.Builder{Block: b, Loc: o.Loc, NameLoc: o.NameLoc}
		t, err := c.op(bld, o, in)
		if err == nil {
			err = bld.Err
		}
		if err != nil {
			return nil, err
		}
		if t != nil && !t.tuple && t.v != nil && t.v.Name == "" {
			t.v.Name = o.Results[0].Name
		}
		env[o.Results[0]] = t
	}
	return nil, diag.Errorf(CodeFromHLO, f.Loc, "computation %s has no root", f.Name)
}

// region converts a computation to a region whose arguments are the leaves of its parameters.
func (c *fromHLO) region(name string) (*hlo.Region, error) {
	f := c.funcs[name]
	if f == nil || f.Body == nil {
		return nil, diag.Errorf(CodeFromHLO, c.m.Loc, "there is no computation %s", name)
	}
	b := &hlo.Block{}
	env := map[*hlo.Value]*tree{}
	for _, p := range f.Params {
		env[p] = c.fresh(p.Type, p.Loc, p.Name, &b.Args)
	}
	return c.finish(f, b, env)
}

// finish converts the body of f into b and ends the region.
func (c *fromHLO) finish(f *hlo.Func, b *hlo.Block, env map[*hlo.Value]*tree) (*hlo.Region, error) {
	root, err := c.body(f, b, env)
	if err != nil {
		return nil, err
	}
	vs, err := c.complete(root, f.Loc, f.Name)
	if err != nil {
		return nil, err
	}
	b.Ops = append(b.Ops, &hlo.Op{Def: hlo.Lookup("stablehlo.return"), Operands: vs, Loc: f.Loc})
	return &hlo.Region{Blocks: []*hlo.Block{b}}, nil
}

// call appends a func.call of the function made of a computation.
func (c *fromHLO) call(b *hlo.Builder, o *hlo.Op, name string, in []*tree) (*tree, error) {
	f := c.made[name]
	src := c.funcs[name]
	if f == nil {
		if src == nil || src.Body == nil {
			return nil, diag.Errorf(CodeFromHLO, o.Loc, "there is no computation %s", name)
		}
		var err error
		if f, err = c.function(src); err != nil {
			return nil, err
		}
		if f.Name == "main" {
			f.Name = "main.0"
		}
		c.made[name] = f
		c.out = append(c.out, f)
	}
	vs, err := c.complete(tupleOf(in...), o.Loc, name)
	if err != nil {
		return nil, err
	}
	if len(f.Results) == 0 {
		return tupleOf(), nil
	}
	res := b.Ops(`func.call`, vs, hlo.Attrs{{Name: "callee", Attr: hlo.SymbolAttr{Path: []string{f.Name}}}}, nil, f.Results...)
	t, _ := build(src.Results[0], res)
	return t, nil
}
