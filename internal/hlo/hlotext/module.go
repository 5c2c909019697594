package hlotext

import (
	"strconv"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

// moduleAttr reads the value of a key of the HloModule line.
func (p *parser) moduleAttr(k string) {
	var a hlo.Attr
	switch k {
	case "is_scheduled", "is_dynamic", "use_auto_spmd_partitioning":
		a = hlo.BoolAttr{Value: p.bool()}
	case "num_partitions", "replica_count":
		a = hlo.IntOf(p.int())
	case "frontend_attributes":
		a = p.attr(k, fDict)
	case "entry_computation_layout":
		p.expect('{')
		t := &hlo.FuncType{}
		p.list('(', ')', func() { t.Ins = append(t.Ins, p.shape(0)) })
		if !p.acceptStr("->") {
			p.fail(CodeSyntax, "expected '->', found %s", p.found())
		}
		t.Outs = []hlo.Type{p.shape(0)}
		p.expect('}')
		a = hlo.TypeAttr{Type: t}
	case "input_output_alias":
		x := &hlo.Aliases{}
		p.list('{', '}', func() {
			e := hlo.Alias{Output: p.ints(), Kind: "may-alias"}
			p.expect(':')
			p.aliasSource(&e)
			x.Entries = append(x.Entries, e)
		})
		a = x
	case "buffer_donor":
		x := &hlo.Aliases{Donor: true}
		p.list('{', '}', func() {
			var e hlo.Alias
			p.aliasSource(&e)
			x.Entries = append(x.Entries, e)
		})
		a = x
	default:
		a = hlo.Raw{Text: p.raw()}
	}
	if p.m.Attrs.Get(k) != nil {
		p.fail(CodeTwice, "%s is given twice", k)
	}
	p.m.Attrs = append(p.m.Attrs, hlo.NamedAttr{Name: k, Attr: a})
}

// aliasSource reads (parameter, {index}, may-alias); donors have no kind. A lone number is an old form.
func (p *parser) aliasSource(e *hlo.Alias) {
	if p.peek() != '(' {
		e.Param = p.int()
		return
	}
	p.expect('(')
	e.Param = p.int()
	if p.accept(',') {
		e.Index = p.ints()
	}
	if p.accept(',') {
		e.Kind = p.word()
	}
	p.expect(')')
}

// frames reads the tables of source positions.
func (p *parser) frames() {
	var f hlo.Frames
	found := false
	strs := func(out *[]string) {
		found = true
		for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
			if id := p.int(); id != int64(len(*out)+1) {
				p.fail(CodeSyntax, "expected number %d, found %d", len(*out)+1, id)
			}
			*out = append(*out, p.str())
		}
	}
	record := func(each func(get func(string) int64)) {
		found = true
		for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
			p.int()
			d := p.meta().(hlo.DictAttr)
			each(func(k string) int64 {
				v, _ := d.Entries.Get(k).(hlo.IntAttr)
				return v.Value
			})
		}
	}
	for {
		switch {
		case p.keyword("FileNames"):
			strs(&f.Files)
		case p.keyword("FunctionNames"):
			strs(&f.Funcs)
		case p.keyword("FileLocations"):
			record(func(get func(string) int64) {
				f.Locs = append(f.Locs, hlo.FrameLoc{File: get("file_name_id"), Func: get("function_name_id"), Line: get("line"),
					EndLine: get("end_line"), Col: get("column"), EndCol: get("end_column")})
			})
		case p.keyword("StackFrames"):
			record(func(get func(string) int64) {
				parent := get("parent_frame_id")
				if parent > 0 { // printed one higher than stored
					parent--
				}
				f.Frames = append(f.Frames, [2]int64{get("file_location_id"), parent})
			})
		default:
			if found {
				p.m.Attrs = append(p.m.Attrs, hlo.NamedAttr{Name: "stack_frame_index", Attr: &f})
			}
			return
		}
	}
}

// Finish completes a module in the HLO form: computations that are named must exist and not call each other in a
// circle, only the entry may be called "main", and the layout of the entry is stated.
func Finish(m *hlo.Module) error {
	byName := make(map[string]*hlo.Func, len(m.Funcs))
	for _, f := range m.Funcs {
		byName[f.Name] = f
	}
	if f := byName["main"]; f != nil && f.Private {
		n := "main.0"
		for i := 1; byName[n] != nil; i++ {
			n = "main." + strconv.Itoa(i)
		}
		renameCalls(m, "main", n)
		delete(byName, "main")
		f.Name, byName[n] = n, f
	}
	if m.Attrs.Get("entry_computation_layout") == nil {
		if e := m.Entry(); e != nil {
			t := &hlo.FuncType{Outs: e.Results}
			for _, p := range e.Params {
				t.Ins = append(t.Ins, p.Type)
			}
			m.Attrs = append(m.Attrs, hlo.NamedAttr{Name: "entry_computation_layout", Attr: hlo.TypeAttr{Type: t}})
		}
	}
	out := m.Attrs[:0]
	for _, a := range m.Attrs {
		if d, ok := a.Attr.(hlo.DictAttr); ok {
			a.Attr = canonicalDict(a.Name, d)
		}
		if al, ok := a.Attr.(*hlo.Aliases); !isZero(a.Attr) && (!ok || len(al.Entries) > 0) {
			out = append(out, a)
		}
	}
	m.Attrs = out
	const active, done = 1, 2
	state := map[*hlo.Func]int{}
	type frame struct {
		f    *hlo.Func
		next []*hlo.Func
	}
	for _, root := range m.Funcs {
		if state[root] != 0 {
			continue
		}
		var stack []frame
		push := func(f *hlo.Func) error {
			state[f] = active
			next, err := callees(f, byName)
			stack = append(stack, frame{f, next})
			return err
		}
		if err := push(root); err != nil {
			return err
		}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.next) == 0 {
				state[top.f] = done
				stack = stack[:len(stack)-1]
				continue
			}
			f := top.next[0]
			top.next = top.next[1:]
			switch state[f] {
			case active:
				return diag.Errorf(CodeCycle, f.Loc, "computation %s calls itself, directly or through others", f.Name)
			case 0:
				if err := push(f); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func callees(f *hlo.Func, byName map[string]*hlo.Func) ([]*hlo.Func, error) {
	var out []*hlo.Func
	if f.Body == nil {
		return nil, nil
	}
	for _, o := range f.Body.Blocks[0].Ops {
		for _, n := range o.Callees() {
			c := byName[n]
			if c == nil {
				return nil, diag.Errorf(CodeUndefined, o.Loc, "%s names computation %s, which is not defined", o.Def.HLO.Opcode, n)
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// renameCalls lets every op that names computation from name to instead.
func renameCalls(m *hlo.Module, from, to string) {
	sym := func(a hlo.Attr) hlo.Attr {
		if s, ok := a.(hlo.SymbolAttr); ok && s.Path[0] == from {
			return hlo.SymbolAttr{Path: []string{to}}
		}
		return a
	}
	for _, f := range m.Funcs {
		hlo.WalkOps(f.Body, func(o *hlo.Op) {
			if o.Def.HLO == nil {
				return
			}
			for _, n := range o.Def.HLO.Calls {
				switch a := o.Attrs.Get(n).(type) {
				case hlo.SymbolAttr:
					o.Attrs.Set(n, sym(a))
				case hlo.ArrayAttr:
					var e []hlo.Attr
					for _, x := range a.Elems {
						e = append(e, sym(x))
					}
					o.Attrs.Set(n, hlo.ArrayAttr{Elems: e})
				}
			}
		})
	}
}
