package birjson

import (
	"math"
	"reflect"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pelican"
)

// args reads operands.
func (r *reader) args(list []node) []bir.Arg {
	var out []bir.Arg
	for _, n := range list {
		var a bir.Arg
		switch kind := n.get("kind").str(); kind {
		case "physical_ap", "symbolic_ap", "symbolic_pwap", "register_ap":
			a = bir.AP(r.ap(n, kind))
		case "register_access":
			a = bir.RegArg(r.reg(n.get("regref")))
		case "imm_value":
			a = bir.Arg{Kind: bir.ArgImm, Imm: r.imm(n.get("value"), r.dtype(n.get("dtype")))}
		case "imm_array":
			a = bir.Arg{Kind: bir.ArgImmList}
			t := r.dtype(n.get("dtype"))
			for _, x := range n.get("value_array").elems() {
				a.List = append(a.List, r.imm(x, t))
			}
		default:
			n.fail(CodeForm, "unsupported argument kind %q", kind)
		}
		if r.err != nil {
			return out
		}
		out = append(out, a)
	}
	return out
}

func (r *reader) imm(n node, t dtype.Type) bir.Imm {
	if t.IsFloat() {
		return bir.Imm{Type: t, F: float64(n.float())}
	}
	return bir.Imm{Type: t, I: n.int64()}
}

func (r *reader) pattern(n node) []bir.Dim {
	var out []bir.Dim
	for _, d := range n.elems() {
		p := d.elems()
		if len(p) != 2 {
			d.mismatch("a pair [step, num]")
			return out
		}
		out = append(out, bir.Dim{Step: p[0].int64(), Count: p[1].integer(0, math.MaxInt32)})
	}
	return out
}

func (r *reader) ap(n node, kind string) *bir.AccessPattern {
	p := &bir.AccessPattern{DType: r.dtype(n.get("dtype"))}
	set := r.fn.sets[n.get("memsetref").str()]
	if r.err == nil && set == nil {
		n.get("memsetref").fail(CodeReference, "tensor %q does not exist", n.get("memsetref").v)
	}
	if r.err != nil {
		return p
	}
	p.Loc = set.Locs[0]
	if n.has("memref") {
		ref := n.get("memref")
		if p.Loc = r.fn.locs[ref.str()]; p.Loc == nil || p.Loc.Set != set {
			ref.fail(CodeReference, "location %q does not exist in %s", ref.v, set.Name)
			return p
		}
	} else if len(set.Locs) != 1 {
		n.fail(CodeForm, "a pattern over the several locations of %s is not supported", set.Name)
		return p
	}
	p.Free = r.pattern(n.get("ap"))
	row := int64(0)
	if p.Loc.OnChip() {
		if len(p.Free) == 0 || p.DType.Size() == 0 {
			n.fail(CodeType, "an on-chip pattern needs a partition dimension")
			return p
		}
		row = p.Loc.RowElems(p.DType)
		d := p.Free[0]
		if row < 1 || d.Count < 1 || d.Count > 128 || d.Count > 1 && d.Step != row {
			n.fail(CodeType, "partition dimension [%d, %d] does not fit rows of %d elements", d.Step, d.Count, row)
			return p
		}
		p.NPart, p.Free = int(d.Count), p.Free[1:]
	}
	place := func(off int64) {
		if row > 0 {
			p.Part, off = int(pelican.Floor(off, row)), pelican.Rem(off, row)
		}
		p.Offset = off
	}
	switch kind {
	case "physical_ap":
		place(n.intOr("offset", 0, math.MinInt64, math.MaxInt64))
	case "register_ap":
		key := "regref"
		if !n.has(key) {
			key = "reg_ap_offset"
		}
		p.Reg = r.reg(n.get(key))
		if !n.boolOr("is_regloc_offset", true) {
			n.fail(CodeForm, "absolute register addresses are not supported")
		}
		place(n.intOr("const_ap_offset", 0, math.MinInt64, math.MaxInt64))
	default:
		r.symbolic(n, p)
	}
	return p
}

// symbolic folds one address expression per dimension into the pattern's offset.
func (r *reader) symbolic(n node, p *bir.AccessPattern) {
	addrs := n.get("addrs").elems()
	dims := p.Loc.Dims
	if len(addrs) != len(dims) {
		n.fail(CodeType, "%d addresses for %d dimensions", len(addrs), len(dims))
		return
	}
	var e []pelican.Expr
	for _, a := range addrs {
		e = append(e, r.expr(a))
	}
	if r.err != nil {
		return
	}
	if p.Loc.OnChip() {
		c, ok := e[0].Const()
		if !ok || c < 0 || c > 127 {
			n.fail(CodeForm, "a start partition that depends on a loop is not supported")
			return
		}
		p.Part, e, dims = int(c), e[1:], dims[1:]
	}
	x := pelican.Flatten(e, dims)
	c, _ := x.Parts()
	if x = pelican.AddConst(x, -c); x.IsInvalid() {
		n.fail(CodeType, "the address overflows")
		return
	}
	p.Offset = c
	if !x.IsConst() {
		p.Expr = x
	}
}

// attrs fills the payload from the opcode's own keys and enters the axis of a loop.
func (r *reader) attrs(n node, in *bir.Instr, siblings []*bir.Block) {
	fn := r.fn
	block := func(key string, to **bir.Block) {
		ref := n.get(key)
		name := ref.str()
		for _, b := range siblings {
			if b.Name == name {
				*to = b
				return
			}
		}
		r.fn.later = append(r.fn.later, func() {
			if *to = fn.blocks[name]; *to == nil {
				ref.fail(CodeReference, "block %q does not exist", name)
			}
		})
	}
	switch a := in.Attrs.(type) {
	case nil:
		return
	case *bir.LoopAttrs:
		x := n.get("LoopAxis")
		a.Axis, a.Lower, a.Upper, a.Stride = x.get("name").str(), bound(x.get("lb")), bound(x.get("ub")), bound(x.get("stride"))
		if r.err == nil && a.Stride == 0 {
			x.fail(CodeType, "stride is zero")
		}
		a.Parallel, a.Unroll = n.boolOr("isParallel", false), int(n.intOr("unroll", 1, 0, math.MaxInt32))
		a.Var = pelican.NewVar(a.Axis, a.Lower, a.Upper, a.Stride)
		r.fn.axes = append(r.fn.axes, a.Var)
		return
	case *bir.DynamicLoopAttrs:
		r.dynamicAxis(n, a)
		return
	case *bir.DoWhileAttrs:
		c := n.get("cond")
		if k := c.strOr("kind", ""); k != "IntRuntimeValueKind" {
			c.fail(bir.CodeDoWhile, "the condition is no register")
			return
		}
		a.Cond = r.reg(c.get("regref"))
		if !n.boolOr("is_do_while", true) {
			n.fail("BIR141", "the loop is no do-while")
		}
		return
	case *bir.BranchAttrs:
		if in.Op == bir.UnconditionalBranch {
			block("target", &a.True)
			return
		}
	}
	v := reflect.ValueOf(in.Attrs).Elem()
	for _, f := range bir.FieldsOf(v.Type()) {
		x := v.Field(f.Index)
		if b, ok := x.Addr().Interface().(**bir.Block); ok {
			block(f.Key, b)
			continue
		}
		switch {
		case n.has(f.Key):
			r.value(n.get(f.Key), x, f)
		case f.Always && x.Kind() != reflect.Pointer:
			n.get(f.Key)
		case f.Default != "" && bir.EnumNames(x.Type()) != nil:
			for i, name := range bir.EnumNames(x.Type()) {
				if name == f.Default {
					x.SetUint(uint64(i))
				}
			}
		}
		if r.err != nil {
			return
		}
	}
}

// bound reads a loop bound; the limit keeps trip counts within 64 bits.
func bound(n node) int64 { return n.integer(-1<<53, 1<<53) }

func (r *reader) dynamicAxis(n node, a *bir.DynamicLoopAttrs) {
	x := n.get("DynamicForLoopAxis")
	a.Axis, a.Parallel = x.get("name").str(), n.boolOr("isParallel", false)
	constant := func(key string) int64 {
		e := r.expr(x.get(key))
		c, ok := e.Const()
		if r.err == nil && !ok {
			x.fail("BIR182", "%s is not constant", key)
		}
		return c
	}
	a.Lower, a.Stride = constant("lb"), constant("stride")
	ub := x.get("ub")
	c, terms, ok := pelican.AsLinear(r.expr(ub))
	if r.err != nil {
		return
	}
	if !ok || len(terms) != 1 || terms[0].X.Kind() != pelican.KindRuntime {
		ub.fail("BIR186", "the upper bound must have exactly one register term")
		return
	}
	a.UpperConst, a.UpperCoef = c, terms[0].Coef
	a.UpperReg = r.fn.regs[terms[0].X.Name()]
	a.Var = pelican.NewVar(a.Axis, a.Lower, math.MaxInt32, max(1, a.Stride))
	r.fn.axes = append(r.fn.axes, a.Var)
}

// value sets an attribute field.
func (r *reader) value(n node, x reflect.Value, f bir.Field) {
	if names := bir.EnumNames(x.Type()); names != nil {
		x.SetUint(uint64(n.enum(x.Type().Name(), names)))
		return
	}
	switch p := x.Addr().Interface().(type) {
	case *bool:
		*p = n.boolean() != f.Invert
		return
	case *string:
		*p = n.str()
		return
	case *float32:
		*p = n.float()
		return
	case *[]float32:
		for _, e := range n.elems() {
			*p = append(*p, e.float())
		}
		return
	case *[]bir.Dim:
		*p = r.pattern(n)
		return
	case **bir.Queue:
		name := n.str()
		r.later = append(r.later, func() {
			if *p = r.queues[name]; *p == nil {
				n.fail(CodeQueue, "queue %q does not exist", name)
			}
		})
		return
	case *[]*bir.Instr:
		for _, e := range n.elems() {
			name := e.str()
			r.later = append(r.later, func() {
				b := r.blocksOf[name]
				if b == nil {
					e.fail(CodeReference, "DMABlock %q does not exist", name)
				}
				*p = append(*p, b)
			})
		}
		return
	}
	switch x.Kind() {
	case reflect.Int, reflect.Int64:
		x.SetInt(n.int64())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		x.SetUint(uint64(n.integer(0, int64(1)<<x.Type().Bits()-1)))
	case reflect.Array:
		es := n.elems()
		if len(es) != x.Len() {
			n.fail(CodeType, "type mismatch: want %d elements", x.Len())
			return
		}
		for i, e := range es {
			r.value(e, x.Index(i), f)
		}
	case reflect.Slice:
		for _, e := range n.elems() {
			v := reflect.New(x.Type().Elem()).Elem()
			r.value(e, v, f)
			x.Set(reflect.Append(x, v))
		}
	default:
		n.fail(CodeForm, "attribute of type %s is not supported", x.Type())
	}
}

// axis finds an enclosing loop's variable, innermost first.
func (r *reader) axis(n node) pelican.Expr {
	name := n.str()
	for i := len(r.fn.axes) - 1; i >= 0; i-- {
		if r.fn.axes[i].Name() == name {
			return r.fn.axes[i]
		}
	}
	if r.err == nil {
		n.fail(CodeReference, "unknown axis %q", name)
	}
	return pelican.Invalid()
}

// expr reads an expression of the file's version.
func (r *reader) expr(n node) pelican.Expr {
	if r.err != nil {
		return pelican.Invalid()
	}
	var e pelican.Expr
	if n.has("kind") || r.version == 2 {
		e = r.exprV2(n)
	} else {
		e = r.exprV1(n)
	}
	if r.err == nil && e.IsInvalid() {
		n.fail(CodeType, "expression overflow or invalid denominator")
	}
	return e
}

func (r *reader) exprV2(n node) pelican.Expr {
	switch kind := n.get("kind").str(); kind {
	case "AffIVKind":
		return r.axis(n.get("axis"))
	case "IntRuntimeValueKind":
		reg := r.reg(n.get("regref"))
		if r.fn.runtime[reg] == nil {
			r.fn.runtime[reg] = pelican.NewRuntime(reg.Name, pelican.NegInf, pelican.PosInf)
		}
		return r.fn.runtime[reg]
	case "AffExprKind":
		xs := []pelican.Expr{pelican.Const(n.get("c").int64())}
		for _, t := range n.get("terms").elems() {
			xs = append(xs, pelican.Mul(r.expr(t.get("idx")), t.get("coeff").int64()))
		}
		return pelican.Add(xs...)
	case "SumKind":
		terms := n.get("terms").elems()
		if c := n.get("n_terms").int64(); r.err == nil && c != int64(len(terms)) {
			n.fail(CodeType, "n_terms is %d, there are %d terms", c, len(terms))
		}
		var xs []pelican.Expr
		for _, t := range terms {
			xs = append(xs, r.expr(t))
		}
		return pelican.Add(xs...)
	case "MultKind":
		return pelican.Mul(r.expr(n.get("var")), n.get("scale").int64())
	case "FloorDivKind":
		return pelican.FloorDiv(r.expr(n.get("numer")), n.get("denom").int64())
	case "ModuloKind":
		return pelican.Mod(r.expr(n.get("numer")), n.get("denom").int64())
	default:
		n.fail(CodeForm, "expression kind %q is not supported", kind)
	}
	return pelican.Invalid()
}

func (r *reader) exprV1(n node) pelican.Expr {
	xs := []pelican.Expr{pelican.Const(n.get("c").int64())}
	for _, t := range n.get("terms").elems() {
		xs = append(xs, pelican.Mul(r.axis(t.get("AxisLabel")), t.get("coef").int64()))
	}
	e := pelican.Add(xs...)
	switch op := n.strOr("op", ""); op {
	case "":
		return e
	case "Mod":
		return pelican.Mod(e, n.get("op_param").int64())
	case "Div":
		return pelican.FloorDiv(e, n.get("op_param").int64())
	default:
		n.fail(CodeForm, "expression operator %q is not supported", op)
	}
	return pelican.Invalid()
}
