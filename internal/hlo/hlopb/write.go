package hlopb

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
)

// Options choose what Write does.
type Options struct {
	Materialize bool // write values of elided constants
}

// Write returns m, which must be in the HLO form, as HloModuleProto.
func Write(m *hlo.Module, o Options) (out []byte, err error) {
	defer recoverTo(&err, "")
	w := &writer{opts: o, ids: map[*hlo.Value]int64{}, comps: map[string]int64{}, fusions: map[string]bool{}}
	return w.module(m), nil
}

type writer struct {
	opts    Options
	ids     map[*hlo.Value]int64
	next    int64
	comps   map[string]int64
	fusions map[string]bool
}

func (w *writer) module(m *hlo.Module) buf {
	for i, f := range m.Funcs {
		w.comps[f.Name] = int64(i + 1)
		if f.Body == nil {
			continue
		}
		for _, o := range f.Body.Blocks[0].Ops {
			if o.Def.HLO != nil && o.Def.HLO.Opcode == "fusion" {
				for _, n := range o.Callees() {
					w.fusions[n] = true
				}
			}
		}
	}
	entry := m.Entry()
	if entry == nil {
		fail(CodeWrite, "the module has no entry computation")
	}
	var out buf
	out.str(1, m.Name)
	out.str(2, entry.Name)
	sched := buf{}
	for _, f := range m.Funcs {
		c, order := w.computation(f)
		out.bytes(3, c)
		if !w.fusions[f.Name] {
			var seq, e buf
			seq.ints(1, order)
			e.int(1, w.comps[f.Name])
			e.bytes(2, seq)
			sched.bytes(1, e)
		}
	}
	out.int(6, w.comps[entry.Name])
	for _, a := range m.Attrs {
		w.moduleAttr(&out, a, sched)
	}
	return out
}

func (w *writer) moduleAttr(out *buf, a hlo.NamedAttr, sched buf) {
	switch x := a.Attr.(type) {
	case hlo.TypeAttr:
		if t, ok := x.Type.(*hlo.FuncType); ok && a.Name == "entry_computation_layout" {
			out.bytes(4, programShape(t.Ins, t.Outs[0], nil))
			return
		}
	case hlo.BoolAttr:
		switch a.Name {
		case "is_scheduled":
			if x.Value {
				out.bytes(7, sched)
			}
			return
		case "is_dynamic":
			out.bool(11, x.Value)
			return
		case "use_auto_spmd_partitioning":
			out.bool(16, x.Value)
			return
		}
	case *hlo.Aliases:
		var s buf
		for _, e := range x.Entries {
			var y buf
			if x.Donor {
				y.int(1, e.Param)
				y.ints(2, e.Index)
			} else {
				y.ints(1, e.Output)
				y.int(2, e.Param)
				y.ints(3, e.Index)
				y.int(4, map[string]int64{"may-alias": 1, "must-alias": 2}[e.Kind])
			}
			s.bytes(1, y)
		}
		if x.Donor {
			out.bytes(18, s)
		} else {
			out.bytes(8, s)
		}
		return
	case hlo.DictAttr:
		if a.Name == "frontend_attributes" {
			out.bytes(19, writeStringMap(x))
			return
		}
	case *hlo.Frames:
		var s buf
		for _, n := range x.Files {
			s.bytes(1, []byte(n))
		}
		for _, n := range x.Funcs {
			s.bytes(2, []byte(n))
		}
		for _, l := range x.Locs {
			var y buf
			for i, v := range []int64{l.File, l.Func, l.Line, l.Col, l.EndLine, l.EndCol} {
				y.int(num(i+1), v)
			}
			s.bytes(3, y)
		}
		for _, f := range x.Frames {
			var y buf
			y.int(1, f[0])
			y.int(2, f[1])
			s.bytes(4, y)
		}
		out.bytes(17, s)
		return
	}
	ext(out, a)
}

// ext keeps an attribute as text in alca's own field.
func ext(out *buf, a hlo.NamedAttr) {
	var e buf
	e.str(1, a.Name)
	e.str(2, hlotext.AttrString(a.Attr))
	out.bytes(extField, e)
}

func programShape(ins []hlo.Type, res hlo.Type, names []string) buf {
	var s buf
	for _, t := range ins {
		s.bytes(1, writeShape(t))
	}
	s.bytes(2, writeShape(res))
	for _, n := range names {
		s.bytes(3, []byte(n))
	}
	return s
}

func (w *writer) computation(f *hlo.Func) (buf, []int64) {
	if f.Body == nil || len(f.Body.Blocks) != 1 || len(f.Results) != 1 {
		panic(bail{diag.Errorf(CodeWrite, f.Loc, "function %s is no computation: it must have a body and one result", f.Name)})
	}
	b := f.Body.Blocks[0]
	ret := b.Terminator()
	if ret == nil || len(ret.Operands) != 1 {
		panic(bail{diag.Errorf(CodeWrite, f.Loc, "function %s must end with a return of one value", f.Name)})
	}
	names := hlotext.Names(f)
	byName := map[string]int64{}
	id := func(v *hlo.Value) int64 {
		w.next++
		w.ids[v] = w.next
		byName[names[v]] = w.next
		return w.next
	}
	var out buf
	var order []int64
	out.str(1, f.Name)
	var ins []hlo.Type
	var argNames []string
	for i, v := range f.Params {
		ins, argNames = append(ins, v.Type), append(argNames, names[v])
		var x buf
		x.str(1, names[v])
		x.str(2, "parameter")
		x.bytes(3, writeShape(v.Type))
		x.int(9, int64(i))
		if i < len(f.ArgAttrs) {
			w.attrs(&x, "parameter", f.ArgAttrs[i], nil)
		}
		n := id(v)
		x.int(35, n)
		order = append(order, n)
		out.bytes(2, x)
	}
	for _, o := range b.Ops {
		if o == ret {
			break
		}
		if o.Def.HLO == nil || len(o.Results) != 1 {
			panic(bail{diag.Errorf(CodeWrite, o.Loc, "%s is not in the HLO form", o.Name())})
		}
		v := o.Results[0]
		var x buf
		x.str(1, names[v])
		x.str(2, o.Def.HLO.Opcode)
		x.bytes(3, writeShape(v.Type))
		if o.Def.HLO.Opcode == "constant" {
			a := o.Attrs.Get("value")
			if a == nil && w.opts.Materialize {
				var err error
				if a, err = hlotext.Synthesize(o); err != nil {
					panic(bail{err})
				}
			}
			x.bytes(8, writeLiteral(a, v.Type))
		}
		w.attrs(&x, o.Def.HLO.Opcode, o.Attrs, byName)
		n := id(v)
		x.int(35, n)
		order = append(order, n)
		var in []int64
		for _, y := range o.Operands {
			in = append(in, w.ids[y])
		}
		x.ints(36, in)
		w.calls(&x, o)
		out.bytes(2, x)
	}
	out.bytes(4, programShape(ins, f.Results[0], argNames))
	out.int(5, w.comps[f.Name])
	out.int(6, w.ids[ret.Operands[0]])
	out.bool(7, w.fusions[f.Name])
	for _, a := range f.Attrs {
		if s, ok := a.Attr.(hlo.StringAttr); ok && a.Name == "execution_thread" {
			out.str(8, s.Value)
			continue
		}
		ext(&out, a)
	}
	return out, order
}

// calls writes the ids of called computations in the order the protobuf has.
func (w *writer) calls(x *buf, o *hlo.Op) {
	if len(o.Def.HLO.Calls) == 0 {
		return
	}
	var ids []int64
	add := func(a hlo.Attr) {
		if s, ok := a.(hlo.SymbolAttr); ok {
			ids = append(ids, w.comps[s.Path[0]])
		}
	}
	names := o.Def.HLO.Calls
	if o.Def.HLO.Opcode == "while" {
		names = []string{"body", "condition"}
	}
	for _, n := range names {
		switch a := o.Attrs.Get(n).(type) {
		case hlo.SymbolAttr:
			add(a)
		case hlo.ArrayAttr:
			for _, e := range a.Elems {
				add(e)
			}
		}
	}
	x.ints(38, ids)
}

// attrs writes attributes by the tables; what they do not know goes to alca's field as text.
func (w *writer) attrs(x *buf, opcode string, as hlo.Attrs, byName map[string]int64) {
	var t tree
	special := map[string]int{}
	for i, s := range specials {
		special[s.name] = i
	}
next:
	for _, a := range as {
		if a.Name == "value" || a.Name == "elided" || isCall(opcode, a.Name) {
			continue
		}
		for i := range rows {
			if rows[i].name == a.Name && rows[i].fits(opcode) {
				if b, ok := rows[i].payload(a.Attr); ok {
					t.add(rows[i].path, b)
					continue next
				}
			}
		}
		if i, ok := special[a.Name]; ok {
			if b, ok := specials[i].write(a.Attr); ok {
				t.add([]num{specials[i].num}, b)
				continue
			}
		}
		switch y := a.Attr.(type) {
		case *hlo.Groups:
			if b, ok := writeGroups(y); ok && a.Name == "replica_groups" {
				t.add([]num{87}, b)
				continue
			}
		case hlo.ArrayAttr:
			if a.Name == "control-predecessors" {
				var ids []int64
				for _, e := range y.Elems {
					s, _ := e.(hlo.StringAttr)
					if n := byName[s.Value]; n != 0 {
						ids = append(ids, n)
					}
				}
				var b buf
				b.ints(37, ids)
				t.add([]num{37}, b)
				continue
			}
		}
		var b buf
		ext(&b, a)
		t.add([]num{extField}, b)
	}
	t.write(x)
}

// isCall reports whether an attribute names computations, which have a field of their own.
func isCall(opcode, name string) bool {
	d := hlo.Lookup("hlo." + opcode)
	if d == nil {
		return false
	}
	for _, n := range d.HLO.Calls {
		if n == name {
			return true
		}
	}
	return false
}

func writeGroups(g *hlo.Groups) (buf, bool) {
	var l, w buf
	if g.Iota != nil {
		if len(g.Iota.Dims) != 2 {
			return nil, false
		}
		var x buf
		x.int(1, g.Iota.Dims[0])
		x.int(2, g.Iota.Dims[1])
		x.ints(3, g.Iota.Reshape)
		perm := g.Iota.Perm
		if len(perm) == 0 {
			for i := range g.Iota.Reshape {
				perm = append(perm, int64(i))
			}
		}
		x.ints(4, perm)
		l.bytes(2, x)
		w.bytes(87, l)
		return w, true
	}
	for _, r := range g.List {
		var x buf
		x.ints(1, r)
		l.bytes(1, x)
		w.bytes(49, x) // readers before the device list know only this field
	}
	w.bytes(87, l)
	return w, true
}
