package hlotext

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

// parser reads one module.
type parser struct {
	scanner
	m      *hlo.Module
	comps  map[string]*hlo.Func
	shapes map[string]hlo.Type
	entry  *hlo.Func
	nested int // depth of computations written inside attributes
	fresh  int // number of computations without a name
	elides int
}

// computation is the scope of instruction names.
type computation struct {
	f      *hlo.Func
	values map[string]*hlo.Value
	params map[int64]param
	root   *hlo.Value
	last   *hlo.Value
	ops    []*hlo.Op
	open   bool // operands that are not defined become parameters
}

type param struct {
	v     *hlo.Value
	attrs hlo.Attrs
}

// Parse reads the only module of src. The module is not verified.
func Parse(src []byte, file string) (*hlo.Module, error) {
	ms, err := ParseAll(src, file)
	if err != nil {
		return nil, err
	}
	if len(ms) != 1 {
		return nil, diag.Errorf(CodeSyntax, diag.Loc{File: file, Line: 1}, "the text holds %d modules, must hold one", len(ms))
	}
	return ms[0], nil
}

// ParseAll reads the modules of src, which lines of "// -----" separate. Parts that hold only comments are skipped.
func ParseAll(src []byte, file string) ([]*hlo.Module, error) {
	var out []*hlo.Module
	line := 1
	for start := 0; start <= len(src); {
		end := splitAt(src, start)
		part := src[start:end]
		m, err := parsePart(part, file, line)
		if err != nil {
			return nil, err
		}
		if m != nil {
			out = append(out, m)
		}
		line += bytes.Count(part, []byte{'\n'})
		start = end
		if start >= len(src) {
			break
		}
		// The separator itself is a comment and may stay in front of the next part.
		nl := bytes.IndexByte(src[start:], '\n')
		if nl < 0 {
			break
		}
		start += nl + 1
		line++
	}
	if len(out) == 0 {
		return nil, diag.Errorf(CodeSyntax, diag.Loc{File: file, Line: 1}, "the text holds no module")
	}
	return out, nil
}

// splitAt returns the start of the next separator line after from, or the end.
func splitAt(src []byte, from int) int {
	for i := from; i < len(src); {
		nl := bytes.IndexByte(src[i:], '\n')
		line := src[i:]
		if nl >= 0 {
			line = line[:nl]
		}
		if string(bytes.TrimSpace(line)) == "// -----" {
			return i
		}
		if nl < 0 {
			break
		}
		i += nl + 1
	}
	return len(src)
}

func parsePart(src []byte, file string, line int) (m *hlo.Module, err error) {
	p := &parser{scanner: scanner{src: src, line: line, file: file}, comps: map[string]*hlo.Func{}, shapes: map[string]hlo.Type{}}
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bail)
			if !ok {
				panic(r)
			}
			m, err = nil, b.err
		}
	}()
	if p.peek() == 0 && p.pos >= len(p.src) {
		return nil, nil
	}
	p.m = &hlo.Module{Loc: p.loc()}
	p.module()
	return p.m, nil
}

func (p *parser) module() {
	header := p.keyword("HloModule")
	if header {
		p.m.Name = p.name()
		p.accept(':') // some dumps end the name with one
		for p.accept(',') {
			k := p.attrKey()
			if p.accept('=') {
				p.moduleAttr(k)
			}
		}
		p.frames()
	}
	if !header && p.single() {
		c := p.newComputation("entry", p.loc())
		c.open = true
		p.instruction(c)
		p.finish(c)
		p.entry = c.f
	} else {
		for p.peek() != 0 || p.pos < len(p.src) {
			p.computation()
		}
	}
	if len(p.m.Funcs) == 0 {
		p.fail(CodeSyntax, "the module has no computation")
	}
	if p.entry == nil {
		p.entry = p.m.Funcs[len(p.m.Funcs)-1]
	}
	p.entry.Private = false
	if p.m.Name == "" {
		p.m.Name = "module_" + p.entry.Name
	}
	if err := Finish(p.m); err != nil {
		panic(bail{err})
	}
}

// single reports whether the text is one instruction rather than a list of computations.
func (p *parser) single() bool {
	at, line, ls := p.pos, p.line, p.lineStart
	defer func() { p.pos, p.line, p.lineStart = at, line, ls }()
	if p.keyword("ENTRY") {
		return false
	}
	if p.keyword("ROOT") || p.atShape() {
		return true
	}
	p.accept('%')
	return p.word() != "" && p.peek() == '='
}

func (p *parser) newComputation(name string, loc diag.Loc) *computation {
	if p.comps[name] != nil {
		panic(bail{diag.Errorf(CodeTwice, loc, "computation %s is defined twice", name).WithNote(p.comps[name].Loc, "the first definition")})
	}
	f := &hlo.Func{Name: name, Private: true, Loc: loc}
	p.comps[name] = f
	return &computation{f: f, values: map[string]*hlo.Value{}, params: map[int64]param{}}
}

// computation reads [ENTRY] [%]name [(params) -> shape] { instructions } [, attributes].
func (p *parser) computation() {
	loc := p.loc()
	entry := p.keyword("ENTRY")
	c := p.newComputation(p.name(), loc)
	if p.peek() == '(' {
		end := balanced(p.src, p.pos)
		if end < 0 {
			p.fail(CodeSyntax, "bracket is not closed")
		}
		p.skipTo(end)
		if !p.acceptStr("->") {
			p.fail(CodeSyntax, "expected '->', found %s", p.found())
		}
		p.shape(0)
	}
	p.body(c)
	for p.accept(',') {
		k := p.attrKey()
		p.expect('=')
		if p.peek() == '"' {
			c.f.Attrs.Set(k, hlo.StringAttr{Value: p.str()})
		} else {
			c.f.Attrs.Set(k, hlo.Raw{Text: p.raw()})
		}
	}
	if entry {
		if p.entry != nil {
			panic(bail{diag.Errorf(CodeTwice, loc, "computation %s is the second ENTRY", c.f.Name).WithNote(p.entry.Loc, "the first")})
		}
		p.entry = c.f
	}
}

// body reads { instructions } and completes the function.
func (p *parser) body(c *computation) {
	p.expect('{')
	for !p.accept('}') {
		if p.pos >= len(p.src) {
			p.fail(CodeSyntax, "computation %s is not closed", c.f.Name)
		}
		p.instruction(c)
	}
	p.finish(c)
}

// computationRef reads the name of a computation, or one that is written in place.
func (p *parser) computationRef() string {
	if p.peek() != '{' {
		return p.name()
	}
	if p.nested++; p.nested > maxDepth {
		p.fail(CodeLimit, "computations nest deeper than %d", maxDepth)
	}
	p.fresh++
	for p.comps[fmt.Sprintf("computation.%d", p.fresh)] != nil {
		p.fresh++
	}
	c := p.newComputation(fmt.Sprintf("computation.%d", p.fresh), p.loc())
	p.body(c)
	p.nested--
	return c.f.Name
}

// finish sorts the parameters and adds the function to the module.
func (p *parser) finish(c *computation) {
	f := c.f
	if c.root == nil {
		c.root = c.last
	}
	if c.root == nil {
		panic(bail{diag.Errorf(CodeSyntax, f.Loc, "computation %s is empty", f.Name)})
	}
	b := &hlo.Block{}
	for i := range len(c.params) {
		q, ok := c.params[int64(i)]
		if !ok {
			panic(bail{diag.Errorf(CodeParam, f.Loc, "computation %s has %d parameters, but none of number %d", f.Name, len(c.params), i)})
		}
		b.Args = append(b.Args, q.v)
		f.ArgAttrs = append(f.ArgAttrs, q.attrs)
	}
	ret := &hlo.Op{Def: hlo.Lookup("func.return"), Operands: []*hlo.Value{c.root}, Loc: c.root.Loc}
	b.Ops = append(c.ops, ret)
	f.Params = b.Args
	f.Results = []hlo.Type{c.root.Type}
	f.Body = &hlo.Region{Blocks: []*hlo.Block{b}}
	p.m.Funcs = append(p.m.Funcs, f)
}

// instruction reads [ROOT] [%]name = shape opcode(operands), attributes.
func (p *parser) instruction(c *computation) {
	p.ws()
	loc := p.loc()
	root := false
	if p.keyword("ROOT") {
		if root = p.peek() != '='; !root {
			p.pos -= len("ROOT")
			p.fail(CodeSyntax, "ROOT is no name")
		}
	}
	v := &hlo.Value{Loc: loc}
	if !(c.open && p.atShape()) {
		v.Name = p.name()
		p.expect('=')
	}
	if v.Name != "" && c.values[v.Name] != nil {
		panic(bail{diag.Errorf(CodeTwice, loc, "instruction %s is defined twice", v.Name).WithNote(c.values[v.Name].Loc, "the first definition")})
	}
	if p.atShape() {
		v.Type = p.shape(0)
	}
	p.rhs(c, v)
	if v.Name != "" {
		c.values[v.Name] = v
	}
	c.last = v
	if root {
		if c.root != nil {
			panic(bail{diag.Errorf(CodeTwice, loc, "computation %s has two ROOTs", c.f.Name).WithNote(c.root.Loc, "the first")})
		}
		c.root = v
	}
}

// callsNext reports whether an opcode with its bracket follows rather than a name.
func (p *parser) callsNext() bool {
	i := p.pos
	for i < len(p.src) && (p.src[i] >= 'a' && p.src[i] <= 'z' || p.src[i] == '-' || p.src[i] >= '0' && p.src[i] <= '9') {
		i++
	}
	return i > p.pos && i < len(p.src) && p.src[i] == '('
}

// rhs reads opcode(operands), attributes into v, whose type, name and place are known, and adds it to c.
func (p *parser) rhs(c *computation, v *hlo.Value) {
	loc := v.Loc
	p.ws()
	opLoc := p.loc()
	opcode := p.word()
	if opcode == "" {
		p.fail(CodeSyntax, "expected an opcode, found %s", p.found())
	}
	o := &hlo.Op{Results: []*hlo.Value{v}, Loc: loc}
	switch opcode {
	case "parameter":
		p.expect('(')
		n := p.int()
		p.expect(')')
		if v.Type == nil {
			panic(bail{diag.Errorf(CodeShape, loc, "a parameter needs a shape")})
		}
		p.attrs(o)
		Canonical(opcode, o)
		if old, ok := c.params[n]; ok || n < 0 {
			d := diag.Errorf(CodeParam, loc, "parameter number %d of computation %s is used twice or negative", n, c.f.Name)
			if ok {
				d = d.WithNote(old.v.Loc, "the first use")
			}
			panic(bail{d})
		}
		v.Index = int(n)
		c.params[n] = param{v, o.Attrs}
	default:
		def := hlo.Lookup("hlo." + opcode)
		base, sugar := "", ""
		if def == nil {
			for _, s := range []string{"-start", "-update", "-done"} {
				if b, ok := strings.CutSuffix(opcode, s); ok && hlo.Lookup("hlo."+b) != nil {
					base, sugar = b, s
					def = hlo.Lookup("hlo.async" + s)
				}
			}
		}
		if def == nil {
			panic(bail{diag.Errorf(CodeOpcode, opLoc, "unknown opcode %s", opcode)})
		}
		o.Def = def
		v.Def = o
		if opcode == "constant" {
			p.expect('(')
			if v.Type == nil {
				panic(bail{diag.Errorf(CodeShape, loc, "a constant needs a shape")})
			}
			if a := p.literal(v.Type, 0); a != nil {
				o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: "value", Attr: a})
			} else {
				o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: "elided", Attr: hlo.UnitAttr{}})
				p.elides++
			}
			p.expect(')')
		} else {
			p.operands(c, o)
		}
		p.attrs(o)
		if sugar == "-start" {
			p.wrapAsync(o, base)
		} else if sugar != "" {
			o.Attrs = without(o.Attrs, "calls")
		}
		Canonical(o.Def.HLO.Opcode, o)
		if v.Type == nil {
			p.inferType(o)
		}
		c.ops = append(c.ops, o)
	}
}

func without(a hlo.Attrs, name string) hlo.Attrs {
	a.Delete(name)
	return a
}

// inferType fills in a result shape the text leaves out.
func (p *parser) inferType(o *hlo.Op) {
	s, err := (*hlo.Op)(nil), error(nil)
	if o.Def.In.OK(len(o.Operands)) {
		s, err = o.Stable(nil)
	}
	if err == nil && s != nil && s.Def.In.OK(len(s.Operands)) {
		s.Results = nil
		var ts []hlo.Type
		if ts, err = hlo.InferTypes(s); err == nil && len(ts) == 1 {
			o.Results[0].Type = ts[0]
			return
		}
	}
	panic(bail{diag.Errorf(CodeShape, o.Loc, "%s needs a shape", o.Def.HLO.Opcode)})
}

// wrapAsync gives op-start, which stands for async-start of a computation that holds op alone, that computation.
func (p *parser) wrapAsync(o *hlo.Op, base string) {
	t, ok := o.Results[0].Type.(*hlo.TupleType)
	if !ok || len(t.Elems) < 2 {
		panic(bail{diag.Errorf(CodeShape, o.Loc, "%s-start must have a tuple of operands, results and context", base)})
	}
	p.fresh++
	for p.comps[fmt.Sprintf("async_computation.%d", p.fresh)] != nil {
		p.fresh++
	}
	c := p.newComputation(fmt.Sprintf("async_computation.%d", p.fresh), o.Loc)
	inner := &hlo.Op{Def: hlo.Lookup("hlo." + base), Loc: o.Loc, Results: []*hlo.Value{{Name: base, Type: t.Elems[1], Loc: o.Loc}}}
	inner.Results[0].Def = inner
	for i, x := range o.Operands {
		v := &hlo.Value{Name: fmt.Sprintf("param.%d", i), Type: x.Type, Index: i, Loc: o.Loc}
		c.params[int64(i)] = param{v: v}
		inner.Operands = append(inner.Operands, v)
	}
	var outer hlo.Attrs
	for _, a := range o.Attrs {
		switch a.Name {
		case "metadata", "sharding", "frontend_attributes", "control-predecessors", "backend_config", "async_execution_thread":
			outer = append(outer, a)
		default:
			inner.Attrs = append(inner.Attrs, a)
		}
	}
	Canonical(base, inner)
	c.ops, c.last = []*hlo.Op{inner}, inner.Results[0]
	p.finish(c)
	o.Attrs = append(outer, hlo.NamedAttr{Name: "calls", Attr: hlo.SymbolAttr{Path: []string{c.f.Name}}})
}

// operands reads ([shape] [%]name, ...).
func (p *parser) operands(c *computation, o *hlo.Op) {
	p.list('(', ')', func() {
		var t hlo.Type
		if p.atShape() {
			t = p.shape(0)
		}
		p.ws()
		loc := p.loc()
		if t != nil && p.callsNext() { // an instruction written in place
			if p.nested++; p.nested > maxDepth {
				p.fail(CodeLimit, "instructions nest deeper than %d", maxDepth)
			}
			v := &hlo.Value{Loc: loc, Type: t}
			p.rhs(c, v)
			p.nested--
			o.Operands = append(o.Operands, v)
			return
		}
		n := p.name()
		v := c.values[n]
		if v == nil && c.open && t != nil {
			v = &hlo.Value{Name: n, Type: t, Index: len(c.params), Loc: loc}
			c.params[int64(len(c.params))] = param{v: v}
			c.values[n] = v
		}
		if v == nil {
			panic(bail{diag.Errorf(CodeUndefined, loc, "instruction %s is not defined above in computation %s", n, c.f.Name)})
		}
		if t != nil && !hlo.Compatible(t, v.Type) {
			panic(bail{diag.Errorf(CodeShape, loc, "operand %s is written as %s, it is %s", n, ShapeString(t), ShapeString(v.Type)).
				WithNote(v.Loc, "defined here")})
		}
		o.Operands = append(o.Operands, v)
	})
}

// attrs reads the attributes behind an instruction.
func (p *parser) attrs(o *hlo.Op) {
	for p.accept(',') {
		loc := p.loc()
		k := p.attrKey()
		p.expect('=')
		f, ok := attrForms[k]
		if !ok {
			f = fRaw
		}
		if o.Attrs.Get(k) != nil {
			panic(bail{diag.Errorf(CodeTwice, loc, "attribute %s is given twice", k)})
		}
		o.Attrs = append(o.Attrs, hlo.NamedAttr{Name: k, Attr: p.attr(k, f)})
	}
}
