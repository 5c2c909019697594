package birjson

import (
	"bytes"
	"io"
	"reflect"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

// WriteOptions says where constants go.
type WriteOptions struct {
	// Constant stores the payload of a constant under the name that the JSON refers to. Nil leaves payloads out.
	Constant func(file string, t *tensor.Tensor) error
}

// Write writes m.
func Write(w io.Writer, m *bir.Module, opts WriteOptions) error {
	e := &writer{opts: opts}
	root := e.module(m)
	if e.err != nil {
		return e.err
	}
	var b bytes.Buffer
	encode(&b, root, 0)
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

type writer struct {
	opts WriteOptions
	axes []any // names of the enclosing loops' axes, outermost first
	in   *bir.Instr
	err  error
}

func (e *writer) fail(code, format string, args ...any) {
	if e.err != nil {
		return
	}
	d := diag.Errorf(code, diag.Loc{}, format, args...)
	if e.in != nil {
		d.Msg = e.in.NameOf() + ": " + d.Msg
	}
	e.err = d
}

func named(name string) object {
	return object{"name": name, "origin": "Internal", "optin_passes": []any{}}
}

func (e *writer) module(m *bir.Module) object {
	spec := machine.ByGen(m.Gen)
	if spec == nil {
		e.fail(CodeType, "module %q has no known target generation (%d)", m.Name, m.Gen)
		return nil
	}
	o := object{
		"version": int64(2), "name": m.Name, "arch": spec.Arch, "revision": "v1", "artifact_path": "", "artifact_info": object{},
		"attributes": attributes(m.Attrs), "nki_functions": object{}, "call_to_physical_memlocs": []any{},
	}
	if m.Name == "" {
		o["name"] = "module"
	}
	funcs, queues := []any{}, []any{}
	for _, f := range m.Funcs {
		funcs = append(funcs, e.function(f))
	}
	for _, q := range m.Queues {
		x := named(q.Name)
		x["type"], x["engine"], x["engine_id"], x["num_dma_engines"] = q.Type.String(), q.Engine.String(), int64(0), int64(q.Rings)
		x["semaphores"] = ints(q.Sems)
		x["blocks"] = e.blocks(q.Blocks)
		queues = append(queues, x)
	}
	o["functions"], o["dma_queues"] = funcs, queues
	return o
}

func attributes(list []bir.ModuleAttr) object {
	o := object{}
	for _, a := range list {
		o[a.Name] = plain(a.Value)
	}
	return o
}

// plain brings an attribute value to the types encode knows.
func plain(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []any:
		out := []any{}
		for _, x := range v {
			out = append(out, plain(x))
		}
		return out
	case map[string]any:
		out := object{}
		for k, x := range v {
			out[k] = plain(x)
		}
		return out
	}
	return v
}

func ints[T ~int | ~int64 | ~uint8](list []T) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = int64(x)
	}
	return out
}

func dims(list []bir.Dim) []any {
	out := make([]any, len(list))
	for i, d := range list {
		out[i] = []any{d.Step, d.Count}
	}
	return out
}

func (e *writer) dtype(t dtype.Type) string {
	n := bir.DTypeName(t)
	if n == "" {
		e.fail(CodeDType, "BIR has no element type %s", t)
	}
	return n
}

func (e *writer) function(f *bir.Func) object {
	e.in = nil
	o := named(f.Name)
	o["attributes"] = attributes(f.Attrs)
	alloc := []any{}
	for _, s := range f.Sets {
		alloc = append(alloc, e.set(s))
	}
	for _, r := range f.Regs {
		x := named(r.Name)
		x["storage"], x["engine"], x["numPhysicalRegs"] = "register", r.Engine.String(), int64(1)
		x["dtype"] = e.dtype(r.DType)
		if r.Num >= 0 {
			x["reg_num"] = int64(r.Num)
		}
		alloc = append(alloc, x)
	}
	o["allocations"] = alloc
	o["blocks"] = e.blocks(f.Blocks)
	return o
}

func (e *writer) set(s *bir.MemLocSet) object {
	o := named(s.Name)
	o["storage"], o["kind"], o["dtype"], o["tensor_shape"] = "memset", s.Kind.String(), e.dtype(s.DType), ints(s.Shape)
	o["partition_dim"], o["tensor_class"] = int64(-1), "NeuronTensor"
	if s.Kind == bir.Const || s.Kind == bir.ExternalInputParameter {
		o["tensor_class"] = "NeuronWeightTensor"
	}
	if s.IOName != "" {
		o["io_name"] = s.IOName
	}
	if s.Init != nil {
		file := s.Name + ".npy"
		o["file_name"] = file
		if e.opts.Constant != nil && e.err == nil {
			e.err = e.opts.Constant(file, s.Init)
		}
	}
	e.debug(o, s.Debug)
	locs, allocated := []any{}, len(s.Locs) > 0
	for _, l := range s.Locs {
		x := named(l.Name)
		x["type"], x["addr"], x["bank"], x["base"], x["dims"] = int64(l.Type), l.Addr, int64(l.Bank), int64(l.Base), ints(l.Dims)
		allocated = allocated && l.Allocated
		if l.Allocated {
			x["allocated"] = true
		}
		if l.Pinned {
			x["pinned"] = true
		}
		if l.Alias != nil {
			x["alias"] = []any{[]any{l.Alias.Set.Name, l.Alias.Name, int64(3)}}
		}
		switch l.Type {
		case bir.SB:
			o["partition_dim"], o["tensor_class"] = int64(0), "NeuronLocalTensor"
		case bir.PSUM:
			o["partition_dim"], o["tensor_class"] = int64(0), "NeuronPSUMTensor"
		}
		locs = append(locs, x)
	}
	if allocated {
		o["allocated"] = true
	}
	o["memorylocations"] = locs
	return o
}

func (e *writer) debug(o object, d *bir.DebugInfo) {
	if d == nil {
		return
	}
	x := object{}
	set := func(k, v string) {
		if v != "" {
			x[k] = v
		}
	}
	set("op_name", d.Op)
	set("profile_name", d.Name)
	set("file_name", d.Loc.File)
	if d.Loc.Line > 0 {
		x["line_no"], x["col_no"] = int64(d.Loc.Line), int64(d.Loc.Col)
	}
	if len(x) > 0 {
		o["debug"] = x
	}
}

func (e *writer) blocks(list []*bir.Block) []any {
	out := []any{}
	for _, b := range list {
		o := named(b.Name)
		if b.NoReorder {
			o["no_reorder"] = true
		}
		ins := make([]any, 0, len(b.Instrs))
		for _, in := range b.Instrs {
			ins = append(ins, e.instr(in))
			if e.err != nil {
				return out
			}
		}
		o["instructions"] = ins
		out = append(out, o)
	}
	return out
}

func deps(list []bir.Dep) []any {
	out := []any{}
	for _, d := range list {
		out = append(out, []any{d.On.NameOf(), d.Kind.String()})
	}
	return out
}

func (e *writer) instr(in *bir.Instr) object {
	e.in = in
	if in.Op.Info() == nil {
		e.fail(CodeOpcode, "unknown opcode %d", in.Op)
		return nil
	}
	o := named(in.NameOf())
	o["opcode"], o["engine"], o["engine_id"] = in.Op.String(), in.Engine.String(), int64(0)
	o["scheduled_start"], o["scheduled_end"] = in.Start, in.End
	o["ins"], o["outs"] = e.args(in.Ins), e.args(in.Outs)
	if len(in.Indirect) > 0 {
		o["indirection_ins"] = e.args(in.Indirect)
	}
	if len(in.Deps) > 0 {
		o["dependencies"] = deps(in.Deps)
	}
	if len(in.Carried) > 0 {
		o["loop_carried_dependencies"] = deps(in.Carried)
	}
	if in.Sync != nil {
		o["sync_info"] = sync(in.Sync)
	}
	if len(e.axes) > 0 {
		o["loopnest"] = append([]any(nil), e.axes...)
	}
	if len(in.Preds) > 0 {
		ps := []any{}
		for _, p := range in.Preds {
			ps = append(ps, object{"expr": e.expr(p.E), "ge": p.Ge})
		}
		o["predicates"] = ps
	}
	e.debug(o, in.Debug)
	n := len(e.axes)
	e.attrs(o, in)
	if in.Op.HasRegion() {
		o["blocks"] = e.blocks(in.Body)
	}
	e.axes = e.axes[:n]
	return o
}

func sync(s *bir.SyncInfo) object {
	o := object{}
	ref := func(event bool) string {
		if event {
			return "event"
		}
		return "semaphore"
	}
	if len(s.Waits) > 0 {
		ws := []any{}
		for _, w := range s.Waits {
			x := object{"ref_type": ref(w.Mode == bir.WaitEvent), "id": int64(w.ID), "mode": w.Mode.String()}
			if w.Mode == bir.WaitSemGEReg && w.Reg != nil {
				x["value_reg"] = w.Reg.Name
			} else {
				x["value"] = w.Value
			}
			ws = append(ws, x)
		}
		o["on_wait"] = ws
	}
	if len(s.Updates) > 0 {
		us := []any{}
		for _, u := range s.Updates {
			us = append(us, object{"ref_type": ref(u.Mode == bir.UpdEventSet), "id": int64(u.ID), "mode": u.Mode.String(), "value": u.Value})
		}
		o["on_update"] = us
	}
	return o
}

func (e *writer) args(list []bir.Arg) []any {
	out := make([]any, 0, len(list))
	for i := range list {
		a := &list[i]
		switch a.Kind {
		case bir.ArgAP:
			out = append(out, e.ap(a.AP))
		case bir.ArgReg:
			out = append(out, object{"kind": "register_access", "dtype": e.dtype(a.Reg.DType), "regref": a.Reg.Name})
		case bir.ArgImm:
			out = append(out, object{"kind": "imm_value", "dtype": e.dtype(a.Imm.Type), "value": immValue(a.Imm)})
		case bir.ArgImmList:
			vals, t := []any{}, dtype.F32
			for _, x := range a.List {
				t = x.Type
				vals = append(vals, immValue(x))
			}
			out = append(out, object{"kind": "imm_array", "dtype": e.dtype(t), "value_array": vals})
		default:
			e.fail(CodeForm, "operand of kind %d has no JSON form", a.Kind)
		}
	}
	return out
}

func immValue(x bir.Imm) any {
	if x.Type.IsFloat() {
		return sfloat(x.F)
	}
	return x.I
}

func (e *writer) ap(p *bir.AccessPattern) object {
	l := p.Loc
	o := object{"dtype": e.dtype(p.DType), "access_shape": []any{}, "memsetref": l.Set.Name}
	ap := dims(p.Free)
	row := int64(0)
	if l.OnChip() {
		row = l.RowElems(p.DType)
		if row*int64(p.DType.Size()) != l.PartitionBytes() {
			e.fail(CodeForm, "the row of %s is no whole number of %s", l.Name, p.DType)
			return nil
		}
		ap = append([]any{[]any{row, int64(p.NPart)}}, ap...)
	}
	o["ap"] = ap
	off := int64(p.Part)*row + p.Offset
	switch {
	case p.Reg != nil && p.Expr != nil:
		e.fail(CodeForm, "an address with both a loop axis and a register has no JSON form")
	case p.Reg != nil:
		o["kind"], o["regref"], o["is_regloc_offset"], o["const_ap_offset"], o["const_sub_tensor_id"] = "register_ap", p.Reg.Name, true, off, int64(-1)
	case p.Expr == nil:
		o["kind"], o["memref"], o["offset"] = "physical_ap", l.Name, off
	default:
		if len(l.Set.Locs) != 1 || len(l.Dims) == 0 || l.OnChip() && len(l.Dims) < 2 {
			e.fail(CodeForm, "a loop-dependent address in %s has no JSON form", l.Name)
			return nil
		}
		o["kind"] = "symbolic_ap"
		addrs := make([]any, len(l.Dims))
		for i := range addrs {
			addrs[i] = e.expr(pelican.Const(0))
		}
		if l.OnChip() {
			addrs[0] = e.expr(pelican.Const(int64(p.Part)))
		}
		addrs[len(addrs)-1] = e.expr(pelican.AddConst(p.Expr, p.Offset))
		o["addrs"] = addrs
	}
	return o
}

// attrs adds the opcode's own keys. Entering a loop extends the axis nest; the caller restores it.
func (e *writer) attrs(o object, in *bir.Instr) {
	switch a := in.Attrs.(type) {
	case nil:
		return
	case *bir.LoopAttrs:
		o["LoopAxis"] = object{"name": a.Axis, "lb": a.Lower, "ub": a.Upper, "stride": a.Stride}
		if a.Parallel {
			o["isParallel"] = true
		}
		if a.Unroll != 1 {
			o["unroll"] = int64(a.Unroll)
		}
		e.axes = append(e.axes, a.Axis)
		return
	case *bir.DynamicLoopAttrs:
		c := func(v int64) object { return e.expr(pelican.Const(v)) }
		ub := object{"kind": "AffExprKind", "c": a.UpperConst, "terms": []any{}}
		if a.UpperReg != nil {
			ub["terms"] = []any{object{"coeff": a.UpperCoef, "idx": object{"kind": "IntRuntimeValueKind", "regref": a.UpperReg.Name}}}
		}
		o["DynamicForLoopAxis"] = object{"name": a.Axis, "lb": c(a.Lower), "ub": ub, "stride": c(a.Stride)}
		if a.Parallel {
			o["isParallel"] = true
		}
		e.axes = append(e.axes, a.Axis)
		return
	case *bir.DoWhileAttrs:
		if a.Cond != nil {
			o["cond"] = object{"kind": "IntRuntimeValueKind", "regref": a.Cond.Name}
		}
		o["is_do_while"] = true
		return
	case *bir.BranchAttrs:
		if in.Op == bir.UnconditionalBranch {
			if a.True != nil {
				o["target"] = a.True.Name
			}
			return
		}
	}
	v := reflect.ValueOf(in.Attrs).Elem()
	for _, f := range bir.FieldsOf(v.Type()) {
		x := v.Field(f.Index)
		val := e.value(x)
		if f.Invert {
			val = !x.Bool()
		}
		if !f.Always && isDefault(f, x, val) {
			continue
		}
		o[f.Key] = val
	}
}

func isDefault(f bir.Field, x reflect.Value, val any) bool {
	if f.Default == "" {
		return x.IsZero()
	}
	switch v := val.(type) {
	case string:
		return v == f.Default
	case bool:
		return v == (f.Default == "true")
	}
	return false
}

// value converts an attribute field.
func (e *writer) value(x reflect.Value) any {
	if names := bir.EnumNames(x.Type()); names != nil {
		if i := x.Uint(); i < uint64(len(names)) {
			return names[i]
		}
		e.fail(CodeType, "%s has no member %d", x.Type().Name(), x.Uint())
		return nil
	}
	switch v := x.Interface().(type) {
	case bool:
		return v
	case string:
		return v
	case float32:
		return sfloat(v)
	case []float32:
		out := []any{}
		for _, f := range v {
			out = append(out, sfloat(f))
		}
		return out
	case []bir.Dim:
		return dims(v)
	case *bir.Queue:
		if v == nil {
			return nil
		}
		return v.Name
	case *bir.Block:
		if v == nil {
			return nil
		}
		return v.Name
	case []*bir.Instr:
		out := []any{}
		for _, in := range v {
			out = append(out, in.NameOf())
		}
		return out
	}
	switch x.Kind() {
	case reflect.Int, reflect.Int64, reflect.Int32:
		return x.Int()
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int64(x.Uint())
	case reflect.Slice, reflect.Array:
		out := make([]any, x.Len())
		for i := range out {
			out[i] = e.value(x.Index(i))
		}
		return out
	}
	e.fail(CodeForm, "attribute of type %s has no JSON form", x.Type())
	return nil
}

// expr writes an expression in version 2.
func (e *writer) expr(x pelican.Expr) object {
	if x == nil {
		e.fail(CodeForm, "missing expression")
		return nil
	}
	leaf := func(x pelican.Expr) object {
		if x.Kind() == pelican.KindRuntime {
			return object{"kind": "IntRuntimeValueKind", "regref": x.Name()}
		}
		return object{"kind": "AffIVKind", "axis": x.Name()}
	}
	affine := func(c int64, terms []pelican.Term) object {
		ts := []any{}
		for _, t := range terms {
			ts = append(ts, object{"coeff": t.Coef, "idx": leaf(t.X)})
		}
		return object{"kind": "AffExprKind", "c": c, "terms": ts}
	}
	switch x.Kind() {
	case pelican.KindInvalid:
		e.fail(CodeForm, "invalid expression")
		return nil
	case pelican.KindFloorDiv, pelican.KindMod:
		n, d := x.Div()
		kind := "FloorDivKind"
		if x.Kind() == pelican.KindMod {
			kind = "ModuloKind"
		}
		return object{"kind": kind, "numer": e.expr(n), "denom": d}
	}
	if c, terms, ok := pelican.AsLinear(x); ok {
		return affine(c, terms)
	}
	c, terms := x.Parts()
	var aff []pelican.Term
	var rest []any
	for _, t := range terms {
		switch {
		case t.X.IsLeaf():
			aff = append(aff, t)
		case t.Coef == 1:
			rest = append(rest, e.expr(t.X))
		default:
			rest = append(rest, object{"kind": "MultKind", "var": e.expr(t.X), "scale": t.Coef})
		}
	}
	if c == 0 && len(aff) == 0 && len(rest) == 1 {
		return rest[0].(object)
	}
	list := append([]any{affine(c, aff)}, rest...)
	return object{"kind": "SumKind", "n_terms": int64(len(list)), "terms": list}
}
