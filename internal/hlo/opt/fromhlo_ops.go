package opt

import (
	"slices"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/tensor"
)

// hloRule converts one instruction.
type hloRule func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error)

// hloRules are the opcodes that are not one op of the same shape.
var hloRules map[string]hloRule

func init() {
	first := func(_ *fromHLO, _ *hlo.Builder, _ *hlo.Op, in []*tree) (*tree, error) { return in[0], nil }
	part := func(i int) hloRule {
		return func(_ *fromHLO, _ *hlo.Builder, _ *hlo.Op, in []*tree) (*tree, error) { return in[0].part(i), nil }
	}
	second := func(_ *fromHLO, _ *hlo.Builder, _ *hlo.Op, in []*tree) (*tree, error) {
		if in[0] != nil && !in[0].tuple {
			return in[0], nil
		}
		return in[0].part(1), nil
	}
	callAttr := func(attr string) hloRule {
		return func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
			n, _ := o.Str(attr)
			return c.call(b, o, n, in)
		}
	}
	hloRules = map[string]hloRule{
		"tuple": func(_ *fromHLO, _ *hlo.Builder, _ *hlo.Op, in []*tree) (*tree, error) { return tupleOf(in...), nil },
		"get-tuple-element": func(_ *fromHLO, _ *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
			return in[0].part(int(o.IntOr("index", 0))), nil
		},
		"copy": first, "add-dependency": first, "domain": first, "all-reduce-done": first, "async-update": first,
		"call": callAttr("to_apply"), "fusion": callAttr("calls"),
		"while": (*fromHLO).while, "conditional": (*fromHLO).conditional,
		"constant": (*fromHLO).constant, "bitcast": (*fromHLO).bitcast, "scatter": (*fromHLO).scatter,
		"rng": (*fromHLO).rng, "topk": (*fromHLO).topK, "all-to-all": (*fromHLO).allToAll, "dynamic-reshape": (*fromHLO).dynamicReshape,
		"async-start": func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
			n, _ := o.Str("calls")
			r, err := c.call(b, o, n, in)
			return tupleOf(tupleOf(in...), r), err
		},
		"async-done": part(1), "all-gather-done": second, "collective-permute-done": second, "copy-done": part(0),
		"copy-start": func(_ *fromHLO, _ *hlo.Builder, _ *hlo.Op, in []*tree) (*tree, error) {
			return tupleOf(in[0], in[0]), nil
		},
		"all-reduce-start": func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
			// Some dumps give the operand and the result, others the results alone.
			t := o.Results[0].Type
			if tt, ok := t.(*hlo.TupleType); ok && len(in) == 1 && len(tt.Elems) == 2 {
				t = tt.Elems[1]
			}
			return c.started(b, o, in, "hlo.all-reduce", t)
		},
		"all-gather-start":         startPair("hlo.all-gather"),
		"collective-permute-start": startPair("hlo.collective-permute"),
		"send": func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
			t := b.Ops("stablehlo.send", tupleOf(in...).leaves(), transfer(o), nil, hlo.TokenType{})
			return tupleOf(in[0], nil, leaf(t[0])), nil
		},
		"send-done": part(2),
		"recv": func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
			tt, ok := o.Results[0].Type.(*hlo.TupleType)
			if !ok || len(tt.Elems) != 3 {
				return nil, diag.Errorf(CodeFromHLO, o.Loc, "recv must yield (data, context, token)")
			}
			vs := b.Ops("stablehlo.recv", in[0].leaves(), transfer(o), nil, append(c.flat(tt.Elems[0], nil), hlo.TokenType{})...)
			data, _ := build(tt.Elems[0], vs[:len(vs)-1])
			return tupleOf(data, nil, leaf(vs[len(vs)-1])), nil
		},
		"recv-done": func(_ *fromHLO, _ *hlo.Builder, _ *hlo.Op, in []*tree) (*tree, error) {
			return tupleOf(in[0].part(0), in[0].part(2)), nil
		},
		"infeed": func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
			vs := tupleOf(in...).leaves()
			if len(vs) == 0 {
				vs = []*hlo.Value{b.Typed("stablehlo.create_token", hlo.TokenType{}, nil)}
			}
			var a hlo.Attrs
			if s, ok := o.Attrs.Get("infeed_config").(hlo.StringAttr); ok {
				a = hlo.Attrs{{Name: "infeed_config", Attr: s}}
			}
			t, _ := build(o.Results[0].Type, b.Ops("stablehlo.infeed", vs, a, nil, c.flat(o.Results[0].Type, nil)...))
			return t, nil
		},
		"outfeed": func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
			vs := tupleOf(in...).leaves()
			if len(in) == 1 {
				vs = append(vs, b.Typed("stablehlo.create_token", hlo.TokenType{}, nil))
			}
			var a hlo.Attrs
			if s, ok := o.Attrs.Get("outfeed_config").(hlo.StringAttr); ok {
				a = hlo.Attrs{{Name: "outfeed_config", Attr: s}}
			}
			return leaf(b.Ops("stablehlo.outfeed", vs, a, nil, hlo.TokenType{})[0]), nil
		},
	}
}

func transfer(o *hlo.Op) hlo.Attrs {
	kind := int64(1) // device to device
	host := o.Bool("is_host_transfer")
	if host {
		if kind = 2; o.Def.HLO.Opcode == "recv" {
			kind = 3
		}
	}
	return hlo.Attrs{{Name: "channel_handle", Attr: hlo.ChannelHandle{Handle: o.IntOr("channel_id", 0), Type: kind}},
		{Name: "is_host_transfer", Attr: hlo.BoolAttr{Value: host}}}
}

// op converts one instruction.
func (c *fromHLO) op(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	if r := hloRules[o.Def.HLO.Opcode]; r != nil {
		return r(c, b, o, in)
	}
	return c.plain(b, o, in)
}

// plain converts an instruction to the op of its row.
func (c *fromHLO) plain(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	s, err := o.Stable(nil)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, diag.Errorf(CodeFromHLO, o.Loc, "%s has no StableHLO form", o.Def.HLO.Opcode)
	}
	vs, err := c.complete(tupleOf(in...), o.Loc, o.Def.HLO.Opcode)
	if err != nil {
		return nil, err
	}
	var regions []*hlo.Region
	if s.Def.Regions.Max != 0 {
		for _, n := range o.Callees() {
			r, err := c.region(n)
			if err != nil {
				return nil, err
			}
			regions = append(regions, r)
		}
	}
	types := c.flat(o.Results[0].Type, nil)
	if len(types) == 0 {
		if o.Def.HLO.Opcode == "custom-call" {
			typedConfig(s)
		}
		if s.Def.Has(hlo.Effect) || o.Def.HLO.Opcode == "custom-call" {
			x, err := hlo.NewOp(s.Def.Name, o.Loc, vs, s.Attrs, regions)
			if err != nil {
				return nil, err
			}
			b.Block.Ops = append(b.Block.Ops, x)
		}
		return tupleOf(), nil
	}
	if o.Def.HLO.Opcode == "custom-call" {
		typedConfig(s)
	}
	if sh, ok := o.Attrs.Get("sharding").(*hlo.Sharding); ok && o.Def.HLO.Opcode == "custom-call" {
		s.Attrs = append(s.Attrs, hlo.NamedAttr{Name: "mhlo.sharding", Attr: hlo.StringAttr{Value: hlotext.AttrString(sh)}})
	}
	t, _ := build(o.Results[0].Type, b.Ops(s.Def.Name, vs, s.Attrs, regions, types...))
	return t, nil
}

// started runs the op behind a -start at once.
func (c *fromHLO) started(b *hlo.Builder, o *hlo.Op, in []*tree, row string, result hlo.Type) (*tree, error) {
	x := *o
	x.Def = hlo.Lookup(row)
	x.Results = []*hlo.Value{{Type: result, Def: &x, Loc: o.Loc}}
	return c.plain(b, &x, in)
}

// startPair is a -start whose value is the operand, the result and context.
func startPair(row string) hloRule {
	return func(c *fromHLO, b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
		tt, ok := o.Results[0].Type.(*hlo.TupleType)
		if !ok || len(tt.Elems) < 2 {
			return c.started(b, o, in, row, o.Results[0].Type)
		}
		r, err := c.started(b, o, in, row, tt.Elems[1])
		x := in[0]
		if len(in) > 1 {
			x = tupleOf(in...)
		}
		return tupleOf(x, r), err
	}
}

func (c *fromHLO) while(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	vs, err := c.complete(in[0], o.Loc, "while")
	if err != nil {
		return nil, err
	}
	var regions []*hlo.Region
	for _, n := range o.Callees() {
		r, err := c.region(n)
		if err != nil {
			return nil, err
		}
		regions = append(regions, r)
	}
	types := c.flat(o.Results[0].Type, nil)
	if len(types) == 0 {
		return tupleOf(), nil
	}
	t, _ := build(o.Results[0].Type, b.Ops("stablehlo.while", vs, nil, regions, types...))
	return t, nil
}

// conditional: the branches see the values of their operand directly.
func (c *fromHLO) conditional(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	if in[0] == nil || in[0].v == nil {
		return nil, diag.Errorf(CodeFromHLO, o.Loc, "conditional without a selector")
	}
	var regions []*hlo.Region
	for i, n := range o.Callees() {
		f := c.funcs[n]
		if f == nil || len(f.Params) != 1 {
			return nil, diag.Errorf(CodeFromHLO, o.Loc, "branch %s must have one parameter", n)
		}
		r, err := c.finish(f, &hlo.Block{}, map[*hlo.Value]*tree{f.Params[0]: in[i+1]})
		if err != nil {
			return nil, err
		}
		regions = append(regions, r)
	}
	name := "stablehlo.case"
	if t := hlo.TensorOf(in[0].v); t != nil && t.Elem == dtype.I1 {
		name = "stablehlo.if"
	}
	types := c.flat(o.Results[0].Type, nil)
	if len(types) == 0 {
		return tupleOf(), nil
	}
	t, _ := build(o.Results[0].Type, b.Ops(name, []*hlo.Value{in[0].v}, nil, regions, types...))
	return t, nil
}

func (c *fromHLO) constant(b *hlo.Builder, o *hlo.Op, _ []*tree) (*tree, error) {
	a := o.Attrs.Get("value")
	if a == nil {
		var err error
		if a, err = hlotext.Synthesize(o); err != nil {
			return nil, err
		}
	}
	return c.literal(b, o, a, o.Results[0].Type)
}

func (c *fromHLO) literal(b *hlo.Builder, o *hlo.Op, a hlo.Attr, t hlo.Type) (*tree, error) {
	switch a := a.(type) {
	case *hlo.DenseAttr:
		x := *a
		ty, ok := c.clean(a.Type).(*hlo.TensorType)
		if !ok {
			return nil, diag.Errorf(CodeFromHLO, o.Loc, "constant is malformed")
		}
		x.Type = ty
		return leaf(b.Op("stablehlo.constant", hlo.Attrs{{Name: "value", Attr: &x}})), nil
	case hlo.ArrayAttr:
		tt, ok := t.(*hlo.TupleType)
		if !ok || len(tt.Elems) != len(a.Elems) {
			return nil, diag.Errorf(CodeFromHLO, o.Loc, "constant is malformed")
		}
		out := &tree{tuple: true}
		for i, e := range a.Elems {
			p, err := c.literal(b, o, e, tt.Elems[i])
			if err != nil {
				return nil, err
			}
			out.parts = append(out.parts, p)
		}
		return out, nil
	}
	if _, ok := t.(hlo.TokenType); ok {
		return leaf(b.Typed("stablehlo.create_token", hlo.TokenType{}, nil)), nil
	}
	if _, ok := t.(*hlo.TensorType); ok { // an elided part of a tuple
		x := &hlo.Op{Def: o.Def, Results: []*hlo.Value{{Type: t, Name: o.Results[0].Name}}, Loc: o.Loc}
		v, err := hlotext.Synthesize(x)
		if err != nil {
			return nil, err
		}
		return c.literal(b, o, v, t)
	}
	return nil, diag.Errorf(CodeFromHLO, o.Loc, "constant is malformed")
}

// order is the permutation from logical to physical dimensions, most major first.
func order(t *hlo.TensorType) []int64 {
	n := len(t.Dims)
	out := make([]int64, n)
	l, _ := t.Encoding.(*hlo.Layout)
	for i := range out {
		out[i] = int64(i)
		if l != nil && len(l.MinorToMajor) == n {
			out[i] = l.MinorToMajor[n-1-i]
		}
	}
	return out
}

// bitcast reinterprets memory: the operand in its layout, read in the layout of the result.
func (c *fromHLO) bitcast(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	a, r := o.In(0), o.Out(0)
	if a == nil || r == nil || !a.Static() || !r.Static() || in[0] == nil || in[0].v == nil {
		return in[0], nil
	}
	v := b.Transpose(in[0].v, order(a)...)
	ro := order(r)
	phys := make([]int64, len(ro))
	inv := make([]int64, len(ro))
	for i, d := range ro {
		phys[i] = r.Dims[d]
		inv[d] = int64(i)
	}
	if a.Elem != r.Elem {
		x, y := int64(a.Elem.Bits()), int64(r.Elem.Bits())
		n, _ := a.NumElements()
		switch {
		case x == y:
			v = b.Typed("stablehlo.bitcast_convert", hlo.Tensor(r.Elem, hlo.TensorOf(v).Dims...), nil, v)
		case x < y && y%x == 0 && n%(y/x) == 0:
			v = b.Reshape(v, n/(y/x), y/x)
			v = b.Typed("stablehlo.bitcast_convert", hlo.Tensor(r.Elem, n/(y/x)), nil, v)
		case x > y && x%y == 0:
			v = b.Reshape(v, n)
			v = b.Typed("stablehlo.bitcast_convert", hlo.Tensor(r.Elem, n, x/y), nil, v)
		default:
			return nil, diag.Errorf(CodeFromHLO, o.Loc, "bitcast from %s to %s", a, r)
		}
	}
	if !slices.Equal(phys, hlo.TensorOf(v).Dims) {
		v = b.Reshape(v, phys...)
	}
	return leaf(b.Transpose(v, inv...)), nil
}

// scatter moves the start of an update window that does not fit far outside, so that all its elements are dropped:
// HLO drops such a window whole. Windows of one element need nothing.
func (c *fromHLO) scatter(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	n := (len(in) - 1) / 2
	vs := tupleOf(in...).leaves()
	s, err := o.Stable(nil)
	if err != nil {
		return nil, err
	}
	d, _ := s.Attrs.Get("scatter_dimension_numbers").(*hlo.ScatterDims)
	if d == nil || len(vs) != len(in) {
		return c.plain(b, o, in)
	}
	operand, index, update := hlo.TensorOf(vs[0]), hlo.TensorOf(vs[n]), hlo.TensorOf(vs[n+1])
	if operand == nil || index == nil || update == nil || !operand.Static() || !index.Static() || !update.Static() {
		return c.plain(b, o, in)
	}
	// Window extents of operand dimensions.
	window := make([]int64, len(operand.Dims))
	skip := map[int64]bool{}
	for _, x := range append(append([]int64(nil), d.InsertedWindowDims...), d.InputBatchingDims...) {
		skip[x] = true
	}
	k := 0
	for i := range window {
		window[i] = 1
		if !skip[int64(i)] && k < len(d.UpdateWindowDims) {
			window[i] = update.Dims[d.UpdateWindowDims[k]]
			k++
		}
	}
	limits := make([]int64, len(d.ScatterDimsToOperandDims))
	need := false
	for i, x := range d.ScatterDimsToOperandDims {
		limits[i] = operand.Dims[x] - window[x]
		need = need || window[x] > 1
		if limits[i] < 0 {
			return c.plain(b, o, in)
		}
	}
	_, hi := index.Elem.IntRange()
	if !need || len(limits) == 0 {
		return c.plain(b, o, in)
	}
	for _, l := range limits {
		if l > hi {
			return c.plain(b, o, in)
		}
	}
	idx := vs[n]
	at := []int64{}
	if d.IndexVectorDim < int64(len(index.Dims)) {
		at = []int64{d.IndexVectorDim}
	}
	var last *hlo.Value
	if len(at) == 1 {
		t := hloInts(index.Elem, limits)
		last = b.BroadcastInDim(b.Dense(t), index.Dims, at...)
	} else {
		last = b.IntConst(limits[0], index.Elem, index.Dims...)
	}
	ok := b.Compare("LE", idx, last)
	if index.Elem.IsSigned() {
		ok = b.Op("stablehlo.and", nil, ok, b.Compare("GE", idx, b.IntConst(0, index.Elem, index.Dims...)))
	}
	if len(at) == 1 { // all entries of an index vector
		red := b.Ops("stablehlo.reduce", []*hlo.Value{ok, b.Const(1, dtype.I1)}, hlo.Attrs{{Name: "dimensions", Attr: hlo.IntList(at...)}},
			[]*hlo.Region{b.BinaryRegion("stablehlo.and", dtype.I1)})[0]
		var keep []int64
		for i := range index.Dims {
			if int64(i) != at[0] {
				keep = append(keep, int64(i))
			}
		}
		ok = b.BroadcastInDim(red, index.Dims, keep...)
	}
	far := b.IntConst(hi, index.Elem, index.Dims...)
	in = append([]*tree(nil), in...)
	in[n] = leaf(b.Select(ok, idx, far))
	return c.plain(b, o, in)
}

func (c *fromHLO) rng(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	r := o.Out(0)
	vs := tupleOf(in...).leaves()
	if r == nil || !r.Static() || len(vs) < 2 {
		return nil, diag.Errorf(CodeFromHLO, o.Loc, "rng needs a static result")
	}
	shape := b.Dense(hloInts(dtype.I64, r.Dims))
	kind := strings.TrimPrefix(strings.ToUpper(o.Enum("distribution")), "RNG_")
	return leaf(b.Typed("stablehlo.rng", c.clean(r), hlo.Attrs{{Name: "rng_distribution", Attr: hlo.EnumAttr{Kind: "rng_distribution", Value: kind}}}, vs[0], vs[1], shape)), nil
}

func (c *fromHLO) topK(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	x := in[0].v
	types := c.flat(o.Results[0].Type, nil)
	if x == nil || len(types) != 2 || o.Attrs.Get("largest") != nil && !o.Bool("largest") {
		return nil, diag.Errorf(CodeFromHLO, o.Loc, "topk of the smallest elements")
	}
	vs := b.Ops("chlo.top_k", []*hlo.Value{x}, hlo.Attrs{{Name: "k", Attr: hlo.IntOf(o.IntOr("k", 0))}}, nil, types...)
	return tupleOf(leaf(vs[0]), leaf(vs[1])), nil
}

// allToAll: with dimensions, one operand that is split; without, operand i goes to member i of the group.
func (c *fromHLO) allToAll(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	g, err := hlo.ReplicaGroups(o)
	if err != nil {
		return nil, err
	}
	attrs := func(dim, count int64) hlo.Attrs {
		a := hlo.Attrs{{Name: "split_dimension", Attr: hlo.IntOf(dim)}, {Name: "concat_dimension", Attr: hlo.IntOf(dim)},
			{Name: "split_count", Attr: hlo.IntOf(count)}, {Name: "replica_groups", Attr: g}}
		if id := o.IntOr("channel_id", 0); id > 0 {
			a = append(a, hlo.NamedAttr{Name: "channel_handle", Attr: hlo.ChannelHandle{Handle: id, Type: 1}})
		}
		return a
	}
	vs, err := c.complete(tupleOf(in...), o.Loc, "all-to-all")
	if err != nil {
		return nil, err
	}
	if d, ok := o.Ints("dimensions"); ok {
		if len(d) != 1 || len(g.Type.Dims) != 2 || g.Type.Dims[1] == 0 {
			return nil, diag.Errorf(CodeFromHLO, o.Loc, "all-to-all needs one dimension and replica groups")
		}
		types := c.flat(o.Results[0].Type, nil)
		t, _ := build(o.Results[0].Type, b.Ops("stablehlo.all_to_all", vs, attrs(d[0], g.Type.Dims[1]), nil, types...))
		return t, nil
	}
	n := int64(len(vs))
	parts := make([]*hlo.Value, n)
	for i, v := range vs {
		t := hlo.TensorOf(v)
		if t == nil || !t.Static() {
			return nil, diag.Errorf(CodeFromHLO, o.Loc, "all-to-all needs static operands")
		}
		parts[i] = b.Reshape(v, append([]int64{1}, t.Dims...)...)
	}
	all := b.Op("stablehlo.concatenate", hlo.Attrs{{Name: "dimension", Attr: hlo.IntOf(0)}}, parts...)
	all = b.Ops("stablehlo.all_to_all", []*hlo.Value{all}, attrs(0, n), nil, all.Type)[0]
	out := &tree{tuple: true}
	for i, v := range vs {
		dims := hlo.TensorOf(v).Dims
		lo, hi, st := make([]int64, len(dims)+1), append([]int64{int64(i) + 1}, dims...), make([]int64, len(dims)+1)
		lo[0] = int64(i)
		for k := range st {
			st[k] = 1
		}
		s := b.Op("stablehlo.slice", hlo.Attrs{{Name: "start_indices", Attr: hlo.IntList(lo...)}, {Name: "limit_indices", Attr: hlo.IntList(hi...)},
			{Name: "strides", Attr: hlo.IntList(st...)}}, all)
		out.parts = append(out.parts, leaf(b.Reshape(s, dims...)))
	}
	if _, ok := o.Results[0].Type.(*hlo.TupleType); !ok {
		return out.part(0), nil
	}
	return out, nil
}

func (c *fromHLO) dynamicReshape(b *hlo.Builder, o *hlo.Op, in []*tree) (*tree, error) {
	vs := tupleOf(in...).leaves()
	if len(vs) < 2 {
		return nil, diag.Errorf(CodeFromHLO, o.Loc, "dynamic-reshape needs extents")
	}
	var parts []*hlo.Value
	for _, v := range vs[1:] {
		parts = append(parts, b.Reshape(v, 1))
	}
	shape := b.Op("stablehlo.concatenate", hlo.Attrs{{Name: "dimension", Attr: hlo.IntOf(0)}}, parts...)
	return leaf(b.Typed("stablehlo.dynamic_reshape", c.clean(o.Results[0].Type), nil, vs[0], shape)), nil
}

// hloInts is a one-dimensional tensor of integers.
func hloInts(t dtype.Type, v []int64) *tensor.Tensor {
	x := tensor.New(t, len(v))
	size := t.Size()
	for i, n := range v {
		for k := range size {
			x.Data[i*size+k] = byte(n >> (8 * k))
		}
	}
	return x
}

// configKey holds a configuration of a typed custom call that is no dictionary.
const configKey = "hlo.backend_config"

// typedConfig turns the configuration of a typed custom call, which HLO keeps as text, into the dictionary it is.
func typedConfig(o *hlo.Op) {
	s, ok := o.Attrs.Get("backend_config").(hlo.StringAttr)
	if !ok || o.IntOr("api_version", 1) != 4 {
		return
	}
	if strings.HasPrefix(s.Value, "{") {
		if m, err := mlir.Parse([]byte("module attributes {a.c = "+s.Value+"} {\n}\n"), ""); err == nil {
			if d, ok := m.Attrs.Get("a.c").(hlo.DictAttr); ok {
				o.Attrs.Set("backend_config", d)
				return
			}
		}
	}
	o.Attrs.Set("backend_config", hlo.DictAttr{Entries: hlo.Attrs{{Name: configKey, Attr: s}}})
}
