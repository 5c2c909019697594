package hlopb

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
)

// Read reads an HloModuleProto, or the one inside an HloProto or HloSnapshot. The module is not verified.
func Read(src []byte, file string) (m *hlo.Module, err error) {
	defer recoverTo(&err, file)
	body, ok := moduleBytes(src)
	if !ok {
		return nil, diag.Errorf(CodeModule, diag.Loc{File: file}, "the file holds no HLO module")
	}
	r := &reader{file: file, comps: map[int64]*hlo.Func{}, names: map[string]bool{}}
	return r.module(parse(body)), nil
}

func recoverTo(err *error, file string) {
	if r := recover(); r != nil {
		b, ok := r.(bail)
		if !ok {
			panic(r)
		}
		if d, ok := b.err.(*diag.Diagnostic); ok && !d.Loc.Known() {
			d.Loc.File = file
		}
		*err = b.err
	}
}

// Detect reports whether src is one of the messages Read takes.
func Detect(src []byte) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bail); !is {
				panic(r)
			}
			ok = false
		}
	}()
	if len(src) == 0 || src[0] != 0x0a {
		return false
	}
	_, ok = moduleBytes(src)
	return ok
}

// moduleBytes unwraps HloProto and HloSnapshot, whose first field is the message inside; that of a module is its
// name, and field 3 holds computations.
func moduleBytes(src []byte) ([]byte, bool) {
	for range 3 {
		m := parse(src)
		if c := m.bytes(3); len(c) > 0 && isModule(m) {
			return src, true
		}
		inner := m.bytes(1)
		if len(inner) == 0 {
			return nil, false
		}
		src = inner
	}
	return nil, false
}

// isModule reports whether the last field 3 is a computation: it has instructions with a name and an opcode.
func isModule(m msg) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bail); !is {
				panic(r)
			}
			ok = false
		}
	}()
	for _, i := range parse(m.bytes(3)).subs(2) {
		return i.str(2) != ""
	}
	return false
}

type reader struct {
	file  string
	comps map[int64]*hlo.Func
	names map[string]bool
	// calls are the ids of computations an op names, resolved when all are known.
	calls []pendingCall
}

type pendingCall struct {
	o   *hlo.Op
	ids []int64
}

func (r *reader) module(m msg) *hlo.Module {
	out := &hlo.Module{Name: m.str(1), Loc: diag.Loc{File: r.file}}
	if out.Name == "" {
		out.Name = "module"
	}
	entryID, entryName := m.int(6), m.str(2)
	var entry *hlo.Func
	for _, c := range m.subs(3) {
		f := r.computation(c)
		if r.comps[c.int(5)] != nil {
			fail(CodeModule, "two computations have id %d", c.int(5))
		}
		r.comps[c.int(5)] = f
		out.Funcs = append(out.Funcs, f)
		if c.int(5) == entryID && m.has(6) || !m.has(6) && f.Name == entryName {
			entry = f
		}
	}
	if len(out.Funcs) == 0 {
		fail(CodeModule, "the module has no computations")
	}
	if entry == nil {
		entry = out.Funcs[len(out.Funcs)-1]
	}
	entry.Private = false
	for _, p := range r.calls {
		r.resolve(p)
	}
	r.moduleAttrs(out, m)
	if err := hlotext.Finish(out); err != nil {
		panic(bail{err})
	}
	return out
}

func (r *reader) moduleAttrs(out *hlo.Module, m msg) {
	set := func(n string, a hlo.Attr) { out.Attrs = append(out.Attrs, hlo.NamedAttr{Name: n, Attr: a}) }
	if s, ok := m.sub(4); ok {
		t := &hlo.FuncType{}
		for _, p := range s.subs(1) {
			t.Ins = append(t.Ins, readShape(p, 0))
		}
		if res, ok := s.sub(2); ok {
			t.Outs = []hlo.Type{readShape(res, 0)}
			set("entry_computation_layout", hlo.TypeAttr{Type: t})
		}
	}
	if m.has(7) {
		set("is_scheduled", hlo.BoolAttr{Value: true})
	}
	if m.bool(11) {
		set("is_dynamic", hlo.BoolAttr{Value: true})
	}
	if m.bool(16) {
		set("use_auto_spmd_partitioning", hlo.BoolAttr{Value: true})
	}
	kinds := []string{"may-alias", "may-alias", "must-alias"}
	if s, ok := m.sub(8); ok {
		a := &hlo.Aliases{}
		for _, e := range s.subs(1) {
			k := e.int(4)
			if k < 0 || k > 2 {
				fail(CodeModule, "alias kind %d is unknown", k)
			}
			a.Entries = append(a.Entries, hlo.Alias{Output: e.ints(1), Param: e.int(2), Index: e.ints(3), Kind: kinds[k]})
		}
		set("input_output_alias", a)
	}
	if s, ok := m.sub(18); ok {
		a := &hlo.Aliases{Donor: true}
		for _, e := range s.subs(1) {
			a.Entries = append(a.Entries, hlo.Alias{Param: e.int(1), Index: e.ints(2)})
		}
		set("buffer_donor", a)
	}
	if s, ok := m.sub(19); ok {
		set("frontend_attributes", readStringMap(s))
	}
	if s, ok := m.sub(17); ok {
		f := &hlo.Frames{Files: s.strs(1), Funcs: s.strs(2)}
		for _, l := range s.subs(3) {
			f.Locs = append(f.Locs, hlo.FrameLoc{File: l.int(1), Func: l.int(2), Line: l.int(3), Col: l.int(4), EndLine: l.int(5), EndCol: l.int(6)})
		}
		for _, l := range s.subs(4) {
			f.Frames = append(f.Frames, [2]int64{l.int(1), l.int(2)})
		}
		if len(f.Frames) > 0 || len(f.Files) > 0 {
			set("stack_frame_index", f)
		}
	}
	for _, e := range m.subs(extField) {
		n, t := e.str(1), e.str(2)
		if n == "num_partitions" || n == "replica_count" {
			if a, ok := hlotext.ParseAttr("index", t); ok {
				set(n, a)
			}
			continue
		}
		set(n, hlo.Raw{Text: t})
	}
}

func (r *reader) computation(m msg) *hlo.Func {
	f := &hlo.Func{Name: m.str(1), Private: true, Loc: diag.Loc{File: r.file}}
	if f.Name == "" || r.names[f.Name] {
		fail(CodeModule, "a computation has no name, or the name %q of another", f.Name)
	}
	r.names[f.Name] = true
	byID := map[int64]*hlo.Value{}
	byNumber := map[int64]*hlo.Value{}
	numbered := map[int64]hlo.Attrs{}
	var ops []*hlo.Op
	var last *hlo.Value
	nameOf := map[int64]string{}
	type preds struct {
		attrs *hlo.Attrs
		ids   []int64
	}
	var controls []preds
	for _, im := range m.subs(2) {
		opcode := im.str(2)
		s, ok := im.sub(3)
		if !ok {
			fail(CodeShape, "instruction %s has no shape", im.str(1))
		}
		v := &hlo.Value{Name: im.str(1), Type: readShape(s, 0), Loc: diag.Loc{File: r.file}}
		id := im.int(35)
		if byID[id] != nil {
			fail(CodeModule, "two instructions have id %d", id)
		}
		nameOf[id] = v.Name
		o := &hlo.Op{Loc: v.Loc, Results: []*hlo.Value{v}}
		if opcode == "parameter" {
			r.attrs(o, opcode, im)
			hlotext.Canonical(opcode, o)
			n := im.int(9)
			if byNumber[n] != nil {
				fail(CodeModule, "computation %s has two parameters of number %d", f.Name, n)
			}
			v.Index = int(n)
			byNumber[n], numbered[n] = v, o.Attrs
		} else {
			if o.Def = hlo.Lookup("hlo." + opcode); o.Def == nil {
				fail(CodeOpcode, "instruction %s has the unknown opcode %q", v.Name, opcode)
			}
			v.Def = o
			for _, x := range im.ints(36) {
				in := byID[x]
				if in == nil {
					fail(CodeUndefined, "instruction %s of computation %s names operand %d, which is not defined before", v.Name, f.Name, x)
				}
				o.Operands = append(o.Operands, in)
			}
			r.attrs(o, opcode, im)
			if ids := im.ints(38); len(ids) > 0 {
				r.calls = append(r.calls, pendingCall{o, ids})
			} else {
				hlotext.Canonical(opcode, o)
			}
			ops = append(ops, o)
		}
		if ids := im.ints(37); len(ids) > 0 && opcode != "parameter" {
			controls = append(controls, preds{&o.Attrs, ids})
		}
		byID[id] = v
		last = v
	}
	for _, c := range controls {
		var a hlo.ArrayAttr
		for _, id := range c.ids {
			if byID[id] == nil {
				fail(CodeUndefined, "a control predecessor is instruction %d, which computation %s does not have", id, f.Name)
			}
			a.Elems = append(a.Elems, hlo.StringAttr{Value: nameOf[id]})
		}
		*c.attrs = append(*c.attrs, hlo.NamedAttr{Name: "control-predecessors", Attr: a})
	}
	root := last
	if m.has(6) {
		if root = byID[m.int(6)]; root == nil {
			fail(CodeUndefined, "the root of computation %s is instruction %d, which it does not have", f.Name, m.int(6))
		}
	}
	if root == nil {
		fail(CodeModule, "computation %s has no instructions", f.Name)
	}
	b := &hlo.Block{Ops: append(ops, &hlo.Op{Def: hlo.Lookup("func.return"), Operands: []*hlo.Value{root}, Loc: root.Loc})}
	for i := range int64(len(byNumber)) {
		v := byNumber[i]
		if v == nil {
			fail(CodeModule, "computation %s has %d parameters, but none of number %d", f.Name, len(byNumber), i)
		}
		b.Args = append(b.Args, v)
		f.ArgAttrs = append(f.ArgAttrs, numbered[i])
	}
	f.Params, f.Results = b.Args, []hlo.Type{root.Type}
	f.Body = &hlo.Region{Blocks: []*hlo.Block{b}}
	if t := m.str(8); t != "" && t != "main" {
		f.Attrs.Set("execution_thread", hlo.StringAttr{Value: t})
	}
	for _, e := range m.subs(extField) {
		f.Attrs.Set(e.str(1), hlo.Raw{Text: e.str(2)})
	}
	return f
}

// attrs reads the attributes of an instruction.
func (r *reader) attrs(o *hlo.Op, opcode string, m msg) {
	for i := range rows {
		if rows[i].fits(opcode) {
			if a := rows[i].read(m); a != nil {
				o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: rows[i].name, Attr: a})
			}
		}
	}
	for _, s := range specials {
		if m.has(s.num) {
			if a := s.read(m, opcode); a != nil {
				o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: s.name, Attr: a})
			}
		}
	}
	r.groups(o, m)
	if opcode == "iota" && o.Attrs.Get("iota_dimension") == nil {
		o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: "iota_dimension", Attr: hlo.IntOf(0)})
	}
	if opcode == "constant" {
		if l, ok := m.sub(8); ok {
			t := o.Results[0].Type
			if ls, ok := l.sub(1); ok && !hlo.Compatible(readShape(ls, 0), t) {
				fail(CodeLiteral, "constant %s has another shape than its literal", o.Results[0].Name)
			}
			if a := readLiteral(l, t, 0); a != nil {
				o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: "value", Attr: a})
			}
		}
		if o.Attrs.Get("value") == nil {
			o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: "elided", Attr: hlo.UnitAttr{}})
		}
	}
	if o.Attrs.Get("channel_id") == nil && m.int(45) > 0 {
		o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: "channel_id", Attr: hlo.IntOf(m.int(45))})
	}
	for _, e := range m.subs(extField) {
		n := e.str(1)
		a, ok := hlotext.ParseAttr(n, e.str(2))
		if !ok {
			fail(CodeModule, "attribute %s of instruction %s is malformed", n, o.Results[0].Name)
		}
		o.Attrs.Set(n, a)
	}
}

// groups reads replica groups in the current field or the old one.
func (r *reader) groups(o *hlo.Op, m msg) {
	g := &hlo.Groups{}
	lists := m.subs(49)
	if l, ok := m.sub(87); ok {
		if i, ok := l.sub(2); ok {
			g.Iota = &hlo.Iota{Dims: []int64{i.int(1), i.int(2)}, Reshape: i.ints(3)}
			if p := i.ints(4); !ascending(p) {
				g.Iota.Perm = p
			}
		} else {
			lists = l.subs(1)
		}
	}
	if g.Iota == nil {
		for _, s := range lists {
			g.List = append(g.List, s.ints(1))
		}
	}
	if g.Iota != nil || len(g.List) > 0 {
		o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: "replica_groups", Attr: g})
	}
}

// callAttrs says which attributes the called computations of an opcode fill, in the order of the protobuf.
func callAttrs(o *hlo.Op, n int) []string {
	switch op := o.Def.HLO.Opcode; op {
	case "while":
		return []string{"body", "condition"}
	case "select-and-scatter":
		return []string{"select", "scatter"}
	case "conditional":
		if t := hlo.TensorOf(o.Operands[0]); t != nil && t.Elem == dtype.I1 && n == 2 {
			return []string{"true_computation", "false_computation"}
		}
		return []string{"branch_computations"}
	default:
		if c := o.Def.HLO.Calls; len(c) > 0 {
			return c[:1]
		}
		return []string{"called_computations"}
	}
}

func (r *reader) resolve(p pendingCall) {
	var syms []hlo.Attr
	for _, id := range p.ids {
		f := r.comps[id]
		if f == nil {
			fail(CodeUndefined, "instruction %s names computation %d, which is not there", p.o.Results[0].Name, id)
		}
		syms = append(syms, hlo.SymbolAttr{Path: []string{f.Name}})
	}
	if p.o.Def.HLO.Opcode == "conditional" && len(p.o.Operands) == 0 {
		fail(CodeModule, "conditional %s has no operands", p.o.Results[0].Name)
	}
	names := callAttrs(p.o, len(syms))
	switch {
	case names[0] == "branch_computations" || names[0] == "called_computations":
		p.o.Attrs = append(p.o.Attrs, hlo.NamedAttr{Name: names[0], Attr: hlo.ArrayAttr{Elems: syms}})
	case len(syms) > len(names):
		fail(CodeModule, "instruction %s names %d computations, must name %d", p.o.Results[0].Name, len(syms), len(names))
	default:
		for i, s := range syms {
			p.o.Attrs = append(p.o.Attrs, hlo.NamedAttr{Name: names[i], Attr: s})
		}
	}
	hlotext.Canonical(p.o.Def.HLO.Opcode, p.o)
}
