package opt

import (
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
	"github.com/alcadev/alca/internal/pass"
)

// CodeToHLO marks an op that HLO cannot say.
const CodeToHLO = "HLO084"

var _ = diag.Explain(diag.Info{Code: CodeToHLO, Title: "StableHLO op without an HLO form", Unsupported: true,
	Text: "The op, or something its region uses from outside, cannot be written as HLO. Passes such as inline and decompose may turn it into ops that can."})

// toHLO turns StableHLO into the HLO form, which is what writers of HLO text and protobuf take:
//
//	regions                      =>  computations, named after the op
//	several results              =>  a tuple and its elements
//	while over n values          =>  while over a tuple, which also carries what the regions use from outside
//	if, case                     =>  conditional, whose branches are given what they use from outside
//	func.call                    =>  call
//	broadcast_in_dim of extent 1 =>  reshape, broadcast
//
// A region of another op may use constants from outside; they are copied into its computation.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "to-hlo", Doc: "StableHLO ops to HLO instructions", Run: ToHLO})
}

type toHLO struct {
	out   []*hlo.Func
	names map[string]bool
	rows  map[string]*hlo.OpDef // by StableHLO name
	sigs  map[string]*hlo.Func  // functions of the module
}

// ToHLO converts a module in place. Modules in the HLO form stay as they are.
func ToHLO(m *hlo.Module) error {
	if IsHLO(m) {
		return nil
	}
	c := &toHLO{names: map[string]bool{}, rows: map[string]*hlo.OpDef{}, sigs: map[string]*hlo.Func{}}
	for _, d := range hlo.Ops() {
		if d.HLO != nil && d.HLO.Stable != "" {
			c.rows[d.HLO.Stable] = d
		}
	}
	entry := m.Entry()
	if entry == nil || entry.Body == nil {
		return diag.Errorf(CodeToHLO, m.Loc, "the module has no entry function")
	}
	if len(m.Subs) > 0 {
		return diag.Errorf(CodeToHLO, m.Loc, "HLO has no nested modules")
	}
	for _, f := range m.Funcs {
		c.names[f.Name] = true
		c.sigs[f.Name] = f
	}
	for _, f := range m.Funcs {
		if f == entry || f.Body == nil {
			continue
		}
		if err := c.function(f, true); err != nil {
			return err
		}
	}
	if err := c.function(entry, false); err != nil {
		return err
	}
	var attrs hlo.Attrs
	for _, k := range []struct{ from, to string }{{"mhlo.num_replicas", "replica_count"}, {"mhlo.num_partitions", "num_partitions"}} {
		if a, ok := m.Attrs.Get(k.from).(hlo.IntAttr); ok && a.Value > 1 {
			attrs = append(attrs, hlo.NamedAttr{Name: k.to, Attr: hlo.IntOf(a.Value)})
		}
	}
	m.Funcs, m.Attrs = c.out, attrs
	if m.Name == "" {
		m.Name = "module_" + entry.Name
	}
	return hlotext.Finish(m)
}

// scope maps values of StableHLO to those of the computation being built.
type scope struct {
	to   map[*hlo.Value]*hlo.Value
	from map[*hlo.Value]*hlo.Op // constants of enclosing computations
	b    *hlo.Block
}

func (s *scope) get(v *hlo.Value) *hlo.Value { return s.to[v] }

// fresh makes a name for a computation.
func (c *toHLO) fresh(base string) string {
	n := base
	for i := 1; c.names[n]; i++ {
		n = base + "." + itoa(i)
	}
	c.names[n] = true
	return n
}

func (c *toHLO) function(f *hlo.Func, private bool) error {
	s := &scope{to: map[*hlo.Value]*hlo.Value{}, from: map[*hlo.Value]*hlo.Op{}, b: &hlo.Block{}}
	out := &hlo.Func{Name: f.Name, Private: private, Loc: f.Loc}
	for i, p := range f.Params {
		v := &hlo.Value{Type: p.Type, Index: i, Name: p.Name, Loc: p.Loc}
		s.to[p] = v
		s.b.Args = append(s.b.Args, v)
		var a hlo.Attrs
		if i < len(f.ArgAttrs) {
			if x, ok := f.ArgAttrs[i].Get("mhlo.sharding").(hlo.StringAttr); ok {
				if sh, ok := hlotext.ParseAttr("sharding", x.Value); ok {
					a = hlo.Attrs{{Name: "sharding", Attr: sh}}
				}
			}
		}
		out.ArgAttrs = append(out.ArgAttrs, a)
	}
	return c.finish(out, s, f.Body.Blocks[0])
}

// finish converts the ops of a block, the last of which returns, and adds the computation.
func (c *toHLO) finish(out *hlo.Func, s *scope, src *hlo.Block) error {
	for _, o := range src.Ops {
		if o.Def.Has(hlo.Terminator) {
			var vs []*hlo.Value
			for _, v := range o.Operands {
				vs = append(vs, s.get(v))
			}
			root := c.pack(s, o.Loc, vs)
			s.b.Ops = append(s.b.Ops, &hlo.Op{Def: hlo.Lookup("func.return"), Operands: []*hlo.Value{root}, Loc: o.Loc})
			out.Params = s.b.Args
			out.Results = []hlo.Type{root.Type}
			out.Body = &hlo.Region{Blocks: []*hlo.Block{s.b}}
			c.out = append(c.out, out)
			return nil
		}
		if err := c.op(s, o); err != nil {
			return err
		}
	}
	return diag.Errorf(CodeToHLO, out.Loc, "function @%s does not return", out.Name)
}

// emit appends an instruction.
func (c *toHLO) emit(s *scope, loc diag.Loc, opcode string, t hlo.Type, attrs hlo.Attrs, in ...*hlo.Value) *hlo.Value {
	o := &hlo.Op{Def: hlo.Lookup("hlo." + opcode), Operands: in, Attrs: attrs, Loc: loc}
	o.Results = []*hlo.Value{{Type: t, Def: o, Loc: loc}}
	hlotext.Canonical(opcode, o)
	s.b.Ops = append(s.b.Ops, o)
	return o.Results[0]
}

// pack is one value of several: a tuple, unless there is exactly one.
func (c *toHLO) pack(s *scope, loc diag.Loc, vs []*hlo.Value) *hlo.Value {
	if len(vs) == 1 {
		return vs[0]
	}
	return c.tuple(s, loc, vs)
}

func (c *toHLO) tuple(s *scope, loc diag.Loc, vs []*hlo.Value) *hlo.Value {
	t := &hlo.TupleType{}
	for _, v := range vs {
		t.Elems = append(t.Elems, v.Type)
	}
	return c.emit(s, loc, "tuple", t, nil, vs...)
}

// element is entry i of a tuple.
func (c *toHLO) element(s *scope, loc diag.Loc, v *hlo.Value, i int) *hlo.Value {
	t := v.Type.(*hlo.TupleType).Elems[i]
	return c.emit(s, loc, "get-tuple-element", t, hlo.Attrs{{Name: "index", Attr: hlo.IntOf(int64(i))}}, v)
}

// results is the type of one instruction for the results of o.
func results(o *hlo.Op) hlo.Type {
	if len(o.Results) == 1 {
		return o.Results[0].Type
	}
	t := &hlo.TupleType{}
	for _, v := range o.Results {
		t.Elems = append(t.Elems, v.Type)
	}
	return t
}

// bind makes v, or the elements of v, the results of o.
func (c *toHLO) bind(s *scope, o *hlo.Op, v *hlo.Value) {
	if len(o.Results) == 1 {
		s.to[o.Results[0]] = v
		return
	}
	for i, r := range o.Results {
		s.to[r] = c.element(s, o.Loc, v, i)
	}
}

// op converts one op.
func (c *toHLO) op(s *scope, o *hlo.Op) error {
	var in []*hlo.Value
	for _, v := range o.Operands {
		x := s.get(v)
		if x == nil {
			return diag.Errorf(CodeToHLO, o.Loc, "%s uses a value from outside its region, which HLO computations cannot see", o.Name())
		}
		in = append(in, x)
	}
	name := strings.TrimPrefix(o.Name(), "stablehlo.")
	switch name {
	case "constant":
		v := c.emit(s, o.Loc, "constant", o.Results[0].Type, hlo.Attrs{{Name: "value", Attr: o.Attrs.Get("value")}})
		s.to[o.Results[0]] = v
		s.from[o.Results[0]] = o
		return nil
	case "func.call":
		callee, _ := o.Str("callee")
		if f := c.sigs[callee]; f == nil || f.Body == nil {
			return diag.Errorf(CodeToHLO, o.Loc, "function @%s has no body", callee)
		}
		c.bind(s, o, c.emit(s, o.Loc, "call", results(o), hlo.Attrs{{Name: "to_apply", Attr: sym(callee)}}, in...))
		return nil
	case "while":
		return c.while(s, o, in)
	case "if", "case":
		return c.branches(s, o, in)
	case "broadcast_in_dim":
		return c.broadcast(s, o, in[0])
	case "create_token":
		s.to[o.Results[0]] = c.emit(s, o.Loc, "after-all", hlo.TokenType{}, nil)
		return nil
	case "rng":
		kind := "rng_" + strings.ToLower(o.Enum("rng_distribution"))
		s.to[o.Results[0]] = c.emit(s, o.Loc, "rng", o.Results[0].Type, hlo.Attrs{{Name: "distribution", Attr: hlo.EnumAttr{Kind: "distribution", Value: kind}}}, in[:2]...)
		return nil
	case "optimization_barrier":
		v := c.pack(s, o.Loc, in)
		c.bind(s, o, c.emit(s, o.Loc, "opt-barrier", v.Type, nil, v))
		return nil
	case "chlo.top_k":
		c.bind(s, o, c.emit(s, o.Loc, "topk", results(o), hlo.Attrs{{Name: "k", Attr: hlo.IntOf(o.IntOr("k", 0))}, {Name: "largest", Attr: hlo.BoolAttr{Value: true}}}, in...))
		return nil
	case "all_to_all":
		if o.IntOr("split_dimension", 0) != o.IntOr("concat_dimension", 0) || len(o.Results) != 1 {
			return diag.Errorf(CodeToHLO, o.Loc, "all_to_all with different split and concat dimensions")
		}
		a, err := c.groups(o)
		if err != nil {
			return err
		}
		a = append(a, hlo.NamedAttr{Name: "dimensions", Attr: hlo.IntList(o.IntOr("split_dimension", 0))})
		s.to[o.Results[0]] = c.emit(s, o.Loc, "all-to-all", o.Results[0].Type, a, in...)
		return nil
	}
	d := c.rows[o.Name()]
	if d == nil {
		return diag.Errorf(CodeToHLO, o.Loc, "%s has no HLO form", o.Name())
	}
	conv, plain := toHLOAttrs[name]
	var attrs hlo.Attrs
	if plain {
		var err error
		if attrs, err = conv(c, o); err != nil {
			return err
		}
	} else if len(o.Def.Attrs) > 0 && !ignorable(o) {
		return diag.Errorf(CodeToHLO, o.Loc, "%s has attributes that HLO has no place for", o.Name())
	}
	for i, r := range o.Regions {
		n, err := c.computation(s, o, r, name)
		if err != nil {
			return err
		}
		attrs = append(attrs, hlo.NamedAttr{Name: d.HLO.Calls[i], Attr: sym(n)})
	}
	if x, ok := o.Attrs.Get("mhlo.sharding").(hlo.StringAttr); ok {
		if sh, ok := hlotext.ParseAttr("sharding", x.Value); ok {
			attrs = append(attrs, hlo.NamedAttr{Name: "sharding", Attr: sh})
		}
	}
	if o.NameLoc != "" {
		attrs = append(attrs, hlo.NamedAttr{Name: "metadata", Attr: hlo.DictAttr{Entries: hlo.Attrs{{Name: "op_name", Attr: hlo.StringAttr{Value: o.NameLoc}}}}})
	}
	v := c.emit(s, o.Loc, d.HLO.Opcode, results(o), attrs, in...)
	if len(o.Results) > 0 {
		c.bind(s, o, v)
	}
	return nil
}

// ignorable reports whether what o's attributes say is a hint.
func ignorable(o *hlo.Op) bool {
	for _, a := range o.Attrs {
		if o.Def.Attr(a.Name) != nil && a.Name != "result_accuracy" {
			return false
		}
	}
	return true
}

func sym(n string) hlo.Attr { return hlo.SymbolAttr{Path: []string{n}} }

// outside lists the values regions use that are defined around them, in order of use.
func outside(rs []*hlo.Region) []*hlo.Value {
	inner := map[*hlo.Value]bool{}
	for _, r := range rs {
		hlo.WalkBlocks(r, func(b *hlo.Block) {
			for _, a := range b.Args {
				inner[a] = true
			}
			for _, o := range b.Ops {
				for _, v := range o.Results {
					inner[v] = true
				}
			}
		})
	}
	var out []*hlo.Value
	seen := map[*hlo.Value]bool{}
	for _, r := range rs {
		hlo.WalkOps(r, func(o *hlo.Op) {
			for _, v := range o.Operands {
				if !inner[v] && !seen[v] {
					seen[v] = true
					out = append(out, v)
				}
			}
		})
	}
	return out
}

// enter begins a computation of the given arguments, with the constants from outside that its region uses.
func (c *toHLO) enter(s *scope, used []*hlo.Value) *scope {
	n := &scope{to: map[*hlo.Value]*hlo.Value{}, from: map[*hlo.Value]*hlo.Op{}, b: &hlo.Block{}}
	for _, v := range used {
		if k := s.from[v]; k != nil {
			n.to[v] = c.emit(n, k.Loc, "constant", v.Type, hlo.Attrs{{Name: "value", Attr: k.Attrs.Get("value")}})
			n.from[v] = k
		}
	}
	return n
}

// computation converts a region whose arguments become parameters.
func (c *toHLO) computation(s *scope, o *hlo.Op, r *hlo.Region, name string) (string, error) {
	n := c.enter(s, outside([]*hlo.Region{r}))
	for i, a := range r.Blocks[0].Args {
		v := &hlo.Value{Type: a.Type, Index: i, Loc: a.Loc}
		n.to[a] = v
		n.b.Args = append(n.b.Args, v)
	}
	f := &hlo.Func{Name: c.fresh(name + "_region"), Private: true, Loc: o.Loc, ArgAttrs: make([]hlo.Attrs, len(n.b.Args))}
	return f.Name, c.finish(f, n, r.Blocks[0])
}

// variables are the values of used that are no constants.
func variables(s *scope, used []*hlo.Value) []*hlo.Value {
	var out []*hlo.Value
	for _, v := range used {
		if s.from[v] == nil {
			out = append(out, v)
		}
	}
	return out
}

// tupled converts a region to a computation of one tuple, whose first elements are the region's arguments and whose
// others are the values vars from outside. With carry the result repeats those.
func (c *toHLO) tupled(s *scope, o *hlo.Op, r *hlo.Region, name string, t hlo.Type, used, vars []*hlo.Value, carry bool) (string, error) {
	n := c.enter(s, used)
	p := &hlo.Value{Type: t, Loc: o.Loc}
	n.b.Args = []*hlo.Value{p}
	args := r.Blocks[0].Args
	for i, a := range append(append([]*hlo.Value(nil), args...), vars...) {
		n.to[a] = c.element(n, o.Loc, p, i)
	}
	f := &hlo.Func{Name: c.fresh(name), Private: true, Loc: o.Loc, ArgAttrs: make([]hlo.Attrs, 1)}
	src := r.Blocks[0]
	if carry {
		ret := src.Terminator()
		x := *ret
		x.Operands = append(append([]*hlo.Value(nil), ret.Operands...), vars...)
		b := *src
		b.Ops = append(append([]*hlo.Op(nil), src.Ops[:len(src.Ops)-1]...), &x)
		src = &b
	}
	// The result of a loop body is a tuple even of one element.
	if carry && len(src.Terminator().Operands) == 1 {
		return f.Name, c.finishTuple(f, n, src)
	}
	return f.Name, c.finish(f, n, src)
}

// finishTuple is finish for a computation whose result is a tuple of one element.
func (c *toHLO) finishTuple(out *hlo.Func, s *scope, src *hlo.Block) error {
	if err := c.finish(out, s, src); err != nil {
		return err
	}
	ret := s.b.Ops[len(s.b.Ops)-1]
	s.b.Ops = s.b.Ops[:len(s.b.Ops)-1]
	root := c.tuple(s, ret.Loc, ret.Operands)
	ret.Operands = []*hlo.Value{root}
	s.b.Ops = append(s.b.Ops, ret)
	out.Results = []hlo.Type{root.Type}
	return nil
}

func (c *toHLO) while(s *scope, o *hlo.Op, in []*hlo.Value) error {
	used := outside(o.Regions)
	vars := variables(s, used)
	for _, v := range vars {
		x := s.get(v)
		if x == nil {
			return diag.Errorf(CodeToHLO, o.Loc, "while uses a value HLO computations cannot see")
		}
		in = append(in, x)
	}
	init := c.tuple(s, o.Loc, in)
	cond, err := c.tupled(s, o, o.Regions[0], "while_cond", init.Type, used, vars, false)
	if err != nil {
		return err
	}
	body, err := c.tupled(s, o, o.Regions[1], "while_body", init.Type, used, vars, true)
	if err != nil {
		return err
	}
	v := c.emit(s, o.Loc, "while", init.Type, hlo.Attrs{{Name: "condition", Attr: sym(cond)}, {Name: "body", Attr: sym(body)}}, init)
	for i, r := range o.Results {
		s.to[r] = c.element(s, o.Loc, v, i)
	}
	return nil
}

func (c *toHLO) branches(s *scope, o *hlo.Op, in []*hlo.Value) error {
	var syms []hlo.Attr
	for i, r := range o.Regions {
		used := outside([]*hlo.Region{r})
		vars := variables(s, used)
		var vs []*hlo.Value
		for _, v := range vars {
			x := s.get(v)
			if x == nil {
				return diag.Errorf(CodeToHLO, o.Loc, "branch %d uses a value HLO computations cannot see", i)
			}
			vs = append(vs, x)
		}
		arg := c.tuple(s, o.Loc, vs)
		n, err := c.tupled(s, o, r, "branch", arg.Type, used, vars, false)
		if err != nil {
			return err
		}
		in = append(in, arg)
		syms = append(syms, sym(n))
	}
	c.bind(s, o, c.emit(s, o.Loc, "conditional", results(o), hlo.Attrs{{Name: "branch_computations", Attr: hlo.ArrayAttr{Elems: syms}}}, in...))
	return nil
}

// broadcast: HLO's has no extents that are repeated; they are reshaped away first.
func (c *toHLO) broadcast(s *scope, o *hlo.Op, v *hlo.Value) error {
	dims, _ := o.Ints("broadcast_dimensions")
	a, r := hlo.TensorOf(v), o.Out(0)
	if a == nil || r == nil || len(dims) != len(a.Dims) {
		return diag.Errorf(CodeToHLO, o.Loc, "broadcast_in_dim is malformed")
	}
	var kept, at []int64
	for i, d := range dims {
		if a.Dims[i] == r.Dims[d] {
			kept, at = append(kept, a.Dims[i]), append(at, d)
		}
	}
	if len(kept) < len(dims) {
		v = c.emit(s, o.Loc, "reshape", hlo.Tensor(a.Elem, kept...), nil, v)
	}
	// HLO wants the dimensions in increasing order.
	for i := range at {
		if i > 0 && at[i] < at[i-1] {
			perm := make([]int64, len(at))
			for k := range perm {
				perm[k] = int64(k)
			}
			sortBy(perm, func(x, y int64) bool { return at[x] < at[y] })
			nd, na := make([]int64, len(at)), make([]int64, len(at))
			for k, p := range perm {
				nd[k], na[k] = kept[p], at[p]
			}
			v = c.emit(s, o.Loc, "transpose", hlo.Tensor(a.Elem, nd...), hlo.Attrs{{Name: "dimensions", Attr: hlo.IntList(perm...)}}, v)
			at = na
			break
		}
	}
	s.to[o.Results[0]] = c.emit(s, o.Loc, "broadcast", r, hlo.Attrs{{Name: "dimensions", Attr: hlo.IntList(at...)}}, v)
	return nil
}

// groups are the attributes of a collective.
func (c *toHLO) groups(o *hlo.Op) (hlo.Attrs, error) {
	var out hlo.Attrs
	if d, ok := o.Attrs.Get("replica_groups").(*hlo.DenseAttr); ok && len(d.Type.Dims) == 2 {
		g := &hlo.Groups{}
		v := d.Ints()
		w := int(d.Type.Dims[1])
		for i := 0; w > 0 && i+w <= len(v); i += w {
			row := append([]int64(nil), v[i:i+w]...)
			for len(row) > 0 && row[len(row)-1] < 0 {
				row = row[:len(row)-1]
			}
			g.List = append(g.List, row)
		}
		out = append(out, hlo.NamedAttr{Name: "replica_groups", Attr: g})
	}
	if h, ok := o.Attrs.Get("channel_handle").(hlo.ChannelHandle); ok && h.Handle > 0 {
		out = append(out, hlo.NamedAttr{Name: "channel_id", Attr: hlo.IntOf(h.Handle)})
	}
	if o.Bool("use_global_device_ids") {
		out = append(out, hlo.NamedAttr{Name: "use_global_device_ids", Attr: hlo.BoolAttr{Value: true}})
	}
	return out, nil
}
