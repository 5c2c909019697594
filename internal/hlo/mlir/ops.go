package mlir

import (
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

// opState is an op under construction.
type opState struct {
	op       *hlo.Op
	start    int   // offset of the op's name
	useAt    []int // offsets of the operands
	nresults int   // what the left-hand side names, -1 if there is none
	results  []hlo.Type
}

// lhs is one entry of the left-hand side: %name or %name:count.
type lhs struct {
	name  string
	count int
	at    int
}

// Scopes.

func (p *parser) define(name string, g *group) {
	if old := p.values[name]; old != nil {
		d := diag.Errorf("HLO007", p.loc(g.at), "%%%s is defined twice", name).WithNote(p.loc(old.at), "first defined here")
		panic(bailout{d})
	}
	p.undo = append(p.undo, name)
	p.values[name] = g
}

// leaveScope forgets what was defined since mark.
func (p *parser) leaveScope(mark int) {
	for _, name := range p.undo[mark:] {
		delete(p.values, name) // names are unique among the scopes that see each other
	}
	p.undo = p.undo[:mark]
}

// isolated runs f with no outer values visible.
func (p *parser) isolated(f func()) {
	values, undo := p.values, p.undo
	p.values, p.undo = map[string]*group{}, nil
	f()
	p.values, p.undo = values, undo
}

// use parses %name or %name#n and returns the value it stands for.
func (p *parser) use() (*hlo.Value, int) {
	t := p.tok
	if t.kind != tPercent {
		p.fail("HLO001", "expected a value such as %%0, found %s", p.describe())
	}
	name := p.text(t)[1:]
	g := p.values[name]
	if g == nil {
		near := make([]string, 0, 8)
		for n := range p.values {
			if editDistance(name, n) <= 1 {
				near = append(near, n)
			}
		}
		hint := ""
		if len(name) > 2 {
			if s := suggest(name, near); s != "" {
				hint = strings.Replace(s, "mean ", "mean %", 1)
			}
		}
		p.failHint("HLO006", hint, "%%%s is not defined here", name)
	}
	p.advance()
	n := 0
	if p.tok.kind == tHash && p.tok.start == t.end {
		v, err := strconv.Atoi(p.text(p.tok)[1:])
		if err != nil || v < 0 || v >= len(g.vals) {
			p.fail("HLO006", "%%%s has %d results, %s is not one of them", name, len(g.vals), p.describe())
		}
		n = v
		p.advance()
	}
	return g.vals[n], t.start
}

func (p *parser) operand(o *opState) {
	v, at := p.use()
	o.op.Operands = append(o.op.Operands, v)
	o.useAt = append(o.useAt, at)
}

// operands parses %a, %b, ... of any number, and a comma after them if something else follows it.
func (p *parser) operands(o *opState) {
	for p.tok.kind == tPercent {
		p.operand(o)
		if !p.accept(',') {
			break
		}
	}
}

// checkOperandTypes compares stated operand types with those of the values.
func (p *parser) checkOperandTypes(o *opState, ts []hlo.Type) {
	if len(ts) != len(o.op.Operands) {
		bail("HLO012", p.loc(o.start), "%s has %d operands but %d operand types", o.op.Def.Name, len(o.op.Operands), len(ts))
	}
	for i, t := range ts {
		v := o.op.Operands[i]
		if sameType(v.Type, t) {
			continue
		}
		d := diag.Errorf("HLO011", p.loc(o.useAt[i]), "operand %d of %s has type %s, but %s is stated here",
			i, o.op.Def.Name, typeText(v.Type), typeText(t)).WithNote(v.Loc, "the value is defined here")
		panic(bailout{d})
	}
}

// op parses one operation of a block.
func (p *parser) op(b *hlo.Block) {
	p.enter()
	defer p.leave()
	var names []lhs
	total := -1
	if p.tok.kind == tPercent {
		total = 0
		for {
			t := p.expectKind(tPercent, "a result name such as %0")
			l := lhs{name: p.text(t)[1:], count: 1, at: t.start}
			if p.accept(':') {
				at := p.tok.start
				n := p.int64()
				if n < 1 || n > maxResults {
					bail("HLO013", p.loc(at), "%d is no number of results", n)
				}
				l.count = int(n)
			}
			names = append(names, l)
			total += l.count
			if !p.accept(',') {
				break
			}
		}
		p.expect('=')
	}
	o := &opState{op: &hlo.Op{Loc: p.loc(p.tok.start)}, start: p.tok.start, nresults: total}
	switch p.tok.kind {
	case tString:
		o.op.Def = p.lookupOp(unquote(p.src[p.tok.start:p.tok.end]))
		p.advance()
		p.genericOp(o)
	case tWord:
		o.op.Def = p.lookupOp(p.word())
		p.advance()
		if f := formats[o.op.Def.Name]; f != nil {
			f.parse(p, o)
		} else {
			plainFormat.parse(p, o)
		}
	default:
		p.fail("HLO001", "expected an operation, found %s", p.describe())
	}
	if l := p.trailingLoc(); l != nil {
		p.pendingLocs = append(p.pendingLocs, pendingLoc{loc: l, op: o.op})
	}
	if total >= 0 && total != len(o.results) {
		bail("HLO013", p.loc(names[0].at), "%s has %d results, %d are named", o.op.Def.Name, len(o.results), total)
	}
	vals := make([]hlo.Value, len(o.results))
	o.op.Results = make([]*hlo.Value, len(o.results))
	for i, t := range o.results {
		vals[i] = hlo.Value{Type: t, Def: o.op, Index: i, Loc: o.op.Loc}
		o.op.Results[i] = &vals[i]
	}
	k := 0
	for _, l := range names {
		p.define(l.name, &group{vals: o.op.Results[k : k+l.count], at: l.at})
		k += l.count
	}
	b.Ops = append(b.Ops, o.op)
}

// shortNames are the ops that module text spells without their dialect, inside functions.
var shortNames = map[string]string{"return": "func.return", "call": "func.call"}

// lookupOp returns the table row of name; mhlo names are those of stablehlo.
func (p *parser) lookupOp(name string) *hlo.OpDef {
	if s, ok := shortNames[name]; ok {
		name = s
	}
	if d := hlo.Lookup(name); d != nil {
		return d
	}
	if rest, ok := strings.CutPrefix(name, "mhlo."); ok {
		if d := hlo.Lookup("stablehlo." + rest); d != nil {
			return d
		}
	}
	var all []string
	for _, d := range hlo.Ops() {
		all = append(all, d.Name)
	}
	hint := suggest(name, all)
	if hint == "" && !strings.Contains(name, ".") {
		hint = suggest("stablehlo."+name, all)
	}
	p.failHint("HLO005", hint, "unknown op %q", name)
	return nil
}

// genericOp parses (operands) <{props}> ({regions}) {attrs} : (types) -> types.
func (p *parser) genericOp(o *opState) {
	p.expect('(')
	for !p.isPunct(')') {
		p.operand(o)
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
	if p.isPunct('[') {
		p.fail("HLO019", "operations with successor blocks are not supported")
	}
	o.op.Attrs = p.optProps()
	if p.accept('(') {
		for {
			o.op.Regions = append(o.op.Regions, p.region(nil))
			if !p.accept(',') {
				break
			}
		}
		p.expect(')')
	}
	for _, a := range p.optAttrDict() {
		o.op.Attrs.Set(a.Name, a.Attr)
	}
	p.expect(':')
	ins := p.typeListParen()
	p.expectKind(tArrow, "'->'")
	o.results = p.resultTypes()
	p.checkOperandTypes(o, ins)
}

// region parses { [^bb0(%a: T, ...):] ops }. If args is given it is what the entry block takes.
func (p *parser) region(args []*hlo.Value) *hlo.Region {
	p.enter()
	defer p.leave()
	mark := len(p.undo)
	defer p.leaveScope(mark)
	return p.regionBody(args)
}

// regionBody is region for callers that have defined args in a scope of their own.
func (p *parser) regionBody(args []*hlo.Value) *hlo.Region {
	open := p.tok.start
	p.expect('{')
	b := &hlo.Block{Args: args}
	if p.tok.kind == tCaret {
		if len(args) > 0 {
			p.fail("HLO019", "the entry block of this region already has its arguments")
		}
		p.advance()
		if p.isPunct('(') {
			b.Args = p.blockArgs()
		}
		p.expect(':')
	}
	for !p.isPunct('}') {
		switch p.tok.kind {
		case tEOF:
			d := diag.Errorf("HLO001", p.loc(p.tok.start), "expected '}', found the end of the file").WithNote(p.loc(open), "the region begins here")
			panic(bailout{d})
		case tCaret:
			p.fail("HLO019", "regions of several blocks are not supported")
		}
		p.op(b)
	}
	p.advance()
	return &hlo.Region{Blocks: []*hlo.Block{b}}
}

// blockArgs parses (%a: T loc(...), %b: U) and defines the names.
func (p *parser) blockArgs() []*hlo.Value {
	p.expect('(')
	var args []*hlo.Value
	for !p.isPunct(')') {
		t := p.expectKind(tPercent, "a block argument such as %arg0")
		p.expect(':')
		v := &hlo.Value{Type: p.parseType(), Index: len(args), Loc: p.loc(t.start)}
		args = append(args, v)
		p.define(p.text(t)[1:], &group{vals: []*hlo.Value{v}, at: t.start})
		if l := p.trailingLoc(); l != nil {
			p.pendingLocs = append(p.pendingLocs, pendingLoc{loc: l, val: v})
		}
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
	return args
}

// function parses what follows func.func: [public|private] @name(params) [-> results] [attributes {..}] [body].
func (p *parser) function(start int) *hlo.Func {
	f := &hlo.Func{Loc: p.loc(start)}
	if p.acceptWord("private") {
		f.Private = true
	} else if p.acceptWord("nested") {
		f.Private = true
	} else {
		p.acceptWord("public")
	}
	f.Name = p.symbolName()
	p.isolated(func() {
		p.expect('(')
		hasArgAttrs, named := false, false
		for !p.isPunct(')') {
			v := &hlo.Value{Index: len(f.Params), Loc: p.loc(p.tok.start)}
			if t := p.tok; t.kind == tPercent {
				named = true
				p.advance()
				p.expect(':')
				v.Type = p.parseType()
				p.define(p.text(t)[1:], &group{vals: []*hlo.Value{v}, at: t.start})
			} else {
				if named {
					p.fail("HLO001", "expected a parameter such as %%arg0, found %s", p.describe())
				}
				v.Type = p.parseType()
			}
			as := p.optAttrDict()
			hasArgAttrs = hasArgAttrs || len(as) > 0
			f.ArgAttrs = append(f.ArgAttrs, as)
			if l := p.trailingLoc(); l != nil {
				p.pendingLocs = append(p.pendingLocs, pendingLoc{loc: l, val: v})
			}
			f.Params = append(f.Params, v)
			if !p.accept(',') {
				break
			}
		}
		p.expect(')')
		if !hasArgAttrs {
			f.ArgAttrs = nil
		}
		if p.tok.kind == tArrow {
			p.advance()
			p.functionResults(f)
		}
		if p.acceptWord("attributes") {
			f.Attrs = p.attrDict()
		}
		if p.isPunct('{') {
			if !named && len(f.Params) > 0 {
				p.fail("HLO001", "function @%s has a body, so its parameters need names", f.Name)
			}
			f.Body = p.regionBody(f.Params)
		}
	})
	p.skipTrailingLoc()
	return f
}

// functionResults parses T or (T {attrs}, U {attrs}).
func (p *parser) functionResults(f *hlo.Func) {
	if !p.accept('(') {
		f.Results = []hlo.Type{p.parseType()}
		return
	}
	has := false
	for !p.isPunct(')') {
		f.Results = append(f.Results, p.parseType())
		as := p.optAttrDict()
		has = has || len(as) > 0
		f.ResAttrs = append(f.ResAttrs, as)
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
	if !has {
		f.ResAttrs = nil
	}
}

// genericFunction parses what follows "func.func": () <{function_type = .., sym_name = ..}> ({..}) : () -> ().
func (p *parser) genericFunction(start int) *hlo.Func {
	f := &hlo.Func{Loc: p.loc(start)}
	p.expect('(')
	p.expect(')')
	attrs := p.optProps()
	p.isolated(func() {
		p.expect('(')
		f.Body = p.region(nil)
		p.expect(')')
	})
	attrs = append(attrs, p.optAttrDict()...)
	p.expect(':')
	p.typeListParen()
	p.expectKind(tArrow, "'->'")
	p.resultTypes()
	p.skipTrailingLoc()

	f.Name = takeString(&attrs, "sym_name")
	if f.Name == "" {
		bail("HLO009", p.loc(start), "func.func lacks attribute sym_name")
	}
	f.Private = takeString(&attrs, "sym_visibility") == "private"
	ta, _ := attrs.Get("function_type").(hlo.TypeAttr)
	ft, ok := ta.Type.(*hlo.FuncType)
	if !ok {
		bail("HLO009", p.loc(start), "func.func lacks attribute function_type")
	}
	attrs.Delete("function_type")
	f.ArgAttrs = takeDicts(&attrs, "arg_attrs", len(ft.Ins))
	f.ResAttrs = takeDicts(&attrs, "res_attrs", len(ft.Outs))
	f.Attrs, f.Results = attrs, ft.Outs
	entry := f.Body.Blocks[0]
	if len(entry.Args) == 0 && len(entry.Ops) == 0 { // a declaration
		f.Body = nil
		for i, t := range ft.Ins {
			f.Params = append(f.Params, &hlo.Value{Type: t, Index: i, Loc: f.Loc})
		}
		return f
	}
	f.Params = entry.Args
	if len(f.Params) != len(ft.Ins) {
		bail("HLO012", p.loc(start), "function_type has %d parameters, the entry block %d", len(ft.Ins), len(f.Params))
	}
	for i, t := range ft.Ins {
		if !sameType(t, f.Params[i].Type) {
			bail("HLO011", f.Params[i].Loc, "parameter %d has type %s, function_type says %s", i, typeText(f.Params[i].Type), typeText(t))
		}
	}
	return f
}

// takeDicts turns an array of n dictionaries into n attribute lists.
func takeDicts(as *hlo.Attrs, name string, n int) []hlo.Attrs {
	arr, ok := as.Get(name).(hlo.ArrayAttr)
	if !ok || len(arr.Elems) != n {
		return nil
	}
	as.Delete(name)
	out := make([]hlo.Attrs, n)
	for i, e := range arr.Elems {
		if d, ok := e.(hlo.DictAttr); ok {
			out[i] = d.Entries
		}
	}
	return out
}
