package penguin

import (
	"encoding/hex"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

// maxNest bounds the nesting of statements, so that hostile text cannot exhaust the stack.
const maxNest = 200

// Parse reads the text form of a module; file is its name in diagnostics.
func Parse(src []byte, file string) (*Module, error) {
	p := &textParser{lexer: lexer{src: src, file: file, line: 1}}
	p.next()
	m := p.module()
	if p.err == nil && p.kind != 0 {
		p.fail("%q after the module", p.tok)
	}
	if p.err != nil {
		return nil, p.err
	}
	return m, nil
}

type textParser struct {
	lexer
	tensors map[string]*Tensor
	insts   map[int]*Inst
	vars    []pelican.Expr // axes in scope, innermost last
	depth   int
}

func (p *textParser) is(tok string) bool { return p.err == nil && p.tok == tok && p.kind != 's' }

// take consumes tok if it is next.
func (p *textParser) take(tok string) bool {
	if !p.is(tok) {
		return false
	}
	p.next()
	return true
}

func (p *textParser) want(tok string) {
	if p.err == nil && !p.take(tok) {
		p.fail("%q where %q is expected", p.tok, tok)
	}
}

func (p *textParser) name() string {
	if p.kind != 'n' {
		p.fail("%q where a name is expected", p.tok)
		return ""
	}
	s := p.tok
	p.next()
	return s
}

func (p *textParser) str() string {
	if p.kind != 's' {
		p.fail("%q where a string is expected", p.tok)
		return ""
	}
	s := p.tok
	p.next()
	return s
}

func (p *textParser) int() int64 {
	v, err := strconv.ParseInt(p.tok, 10, 64)
	if p.kind != 'i' || err != nil {
		p.fail("%q where an integer is expected", p.tok)
		return 0
	}
	p.next()
	return v
}

func (p *textParser) small() int {
	v := p.int()
	if v < math.MinInt32 || v > math.MaxInt32 {
		p.fail("%d is out of range", v)
		return 0
	}
	return int(v)
}

func (p *textParser) module() *Module {
	m := &Module{}
	p.want("module")
	m.Name = p.name()
	p.want("gen")
	p.want("=")
	if g := p.int(); g < 0 || g > 255 {
		p.fail("generation %d", g)
	} else {
		m.Gen = machine.Gen(g)
	}
	p.want("{")
	for p.is("func") {
		m.Funcs = append(m.Funcs, p.function())
	}
	p.want("}")
	return m
}

func (p *textParser) function() *Func {
	p.want("func")
	f := &Func{Name: p.name()}
	p.want("{")
	p.tensors, p.insts = map[string]*Tensor{}, map[int]*Inst{}
	alias := map[*Tensor]string{}
	for p.is("tensor") {
		f.Tensors = append(f.Tensors, p.tensor(alias))
	}
	for _, t := range f.Tensors {
		if n, ok := alias[t]; ok {
			if t.Alias = p.tensors[n]; t.Alias == nil {
				p.fail("tensor %s is an alias of %s, which is not there", t.Name, n)
			}
			if t.Alias == t {
				p.fail("tensor %s is an alias of itself", t.Name)
			}
		}
	}
	for _, t := range f.Tensors {
		seen := 0
		for a := t; a != nil; a = a.Alias {
			if seen++; seen > len(f.Tensors) {
				p.fail("aliases of %s form a ring", t.Name)
				break
			}
		}
	}
	f.Body = p.stmts()
	for p.is("dep") {
		p.next()
		d := Dep{Src: p.ref()}
		p.want("->")
		d.Dst = p.ref()
		k := p.int()
		if k < 0 || k > 255 {
			p.fail("dependency kind %d", k)
		}
		d.Kind = DepKind(k)
		f.Deps = append(f.Deps, d)
	}
	p.want("}")
	return f
}

func (p *textParser) ref() *Inst {
	p.want("%")
	n := p.small()
	in := p.insts[n]
	if in == nil {
		p.fail("no instruction %%%d", n)
	}
	return in
}

func (p *textParser) dtype() dtype.Type {
	n := p.name()
	t, ok := dtype.Parse(n)
	if !ok {
		p.fail("element type %q", n)
	}
	return t
}

func (p *textParser) tensor(alias map[*Tensor]string) *Tensor {
	p.want("tensor")
	t := &Tensor{Name: p.name()}
	if p.tensors[t.Name] != nil {
		p.fail("tensor %s is there twice", t.Name)
	}
	p.tensors[t.Name] = t
	p.want(":")
	t.DType = p.dtype()
	p.want("[")
	for p.err == nil && !p.is("]") {
		n := p.int()
		if n < 0 {
			p.fail("extent %d", n)
		}
		t.Shape = append(t.Shape, n)
		if !p.take(",") {
			break
		}
	}
	p.want("]")
	for p.err == nil {
		switch {
		case p.take("kind"):
			p.want("=")
			for {
				n, found := p.name(), false
				for i, k := range kindNames {
					if k == n {
						t.Kind |= 1 << i
						found = true
					}
				}
				if !found {
					p.fail("kind %q", n)
				}
				if !p.take("|") {
					break
				}
			}
			continue
		case p.take("in"):
			n, found := p.name(), false
			for i, k := range spaceNames {
				if k == n {
					t.Space, found = Space(i), true
				}
			}
			if !found {
				p.fail("space %q", n)
			}
			continue
		case p.take("io"):
			t.IOName = p.str()
			continue
		case p.take("alias"):
			alias[t] = p.name()
			continue
		case p.take("copies"):
			t.Copies = p.small()
			continue
		case p.take("="):
			p.want("hex")
			p.init(t, p.str())
			continue
		}
		break
	}
	t.Loc = p.location()
	return t
}

func (p *textParser) init(t *Tensor, text string) {
	if p.err != nil {
		return
	}
	n, ok := t.Bytes()
	data, err := hex.DecodeString(text)
	if err != nil || !ok || int64(len(data)) != n {
		p.fail("initial value of %s does not have the %d bytes of its shape", t.Name, n)
		return
	}
	shape := make([]int, len(t.Shape))
	for i, d := range t.Shape {
		shape[i] = int(d)
	}
	t.Init = tensor.New(t.DType, shape...)
	copy(t.Init.Data, data)
}

func (p *textParser) location() diag.Loc {
	if !p.take("@") {
		return diag.Loc{}
	}
	l := diag.Loc{File: p.str()}
	p.want(":")
	l.Line = p.small()
	p.want(":")
	l.Col = p.small()
	return l
}

// use reads the name of a tensor.
func (p *textParser) use() *Tensor {
	t := p.tensors[p.tok]
	if p.kind != 'n' || t == nil {
		p.fail("no tensor %q", p.tok)
		return nil
	}
	p.next()
	return t
}

// stmts reads statements up to a closing brace or a dep.
func (p *textParser) stmts() []Stmt {
	if p.depth++; p.depth > maxNest {
		p.fail("statements nest deeper than %d", maxNest)
	}
	defer func() { p.depth-- }()
	var out []Stmt
	for p.err == nil {
		switch {
		case p.is("%"):
			out = append(out, p.inst())
		case p.take("for"):
			p.want("(")
			a := p.axis()
			p.want(")")
			p.vars = append(p.vars, a.Var)
			out = append(out, &Loop{Axis: a, Body: p.block()})
			p.vars = p.vars[:len(p.vars)-1]
		case p.take("while"):
			p.want("pred")
			w := &While{Pred: p.use()}
			p.want("{")
			p.want("cond")
			w.Cond = p.block()
			w.Body = p.stmts()
			p.want("}")
			w.Loc = p.location()
			out = append(out, w)
		case p.take("scope"):
			s := &Scope{Name: p.name()}
			s.NoReorder = p.take("no_reorder")
			s.Body = p.block()
			out = append(out, s)
		case p.take("cluster"):
			k := p.int()
			if k < 0 || k > 255 {
				p.fail("cluster kind %d", k)
			}
			c := &Cluster{Kind: ClusterKind(k)}
			p.want("{")
			for p.is("%") {
				c.Ops = append(c.Ops, p.inst())
			}
			p.want("}")
			out = append(out, c)
		default:
			return out
		}
	}
	return out
}

func (p *textParser) block() []Stmt {
	p.want("{")
	b := p.stmts()
	p.want("}")
	return b
}

func (p *textParser) axis() *Axis {
	a := &Axis{Name: p.name()}
	p.want(":")
	p.want("range")
	p.want("(")
	a.Lo = p.int()
	p.want(",")
	a.Hi = p.int()
	p.want(",")
	a.Step = p.int()
	p.want(")")
	if a.Step < 1 {
		p.fail("axis %s has step %d, must be positive", a.Name, a.Step)
	}
	n, found := p.name(), false
	for i, k := range axisNames {
		if k == n {
			a.Type, found = AxisType(i), true
		}
	}
	if !found {
		p.fail("axis type %q", n)
	}
	a.Var = pelican.NewVar(a.Name, a.Lo, a.Hi, a.Step)
	return a
}

func (p *textParser) expr(text string) pelican.Expr {
	if p.err != nil {
		return pelican.Const(0)
	}
	e, err := pelican.Parse(strings.TrimSpace(text), func(n string) pelican.Expr {
		for i := len(p.vars) - 1; i >= 0; i-- {
			if p.vars[i].Name() == n {
				return p.vars[i]
			}
		}
		return nil
	})
	if err != nil {
		p.fail("index expression: %v", err)
		return pelican.Const(0)
	}
	if e.IsInvalid() {
		p.fail("index expression %q has no value", text)
	}
	return e
}

// index reads "[" expressions "]".
func (p *textParser) index() []pelican.Expr {
	p.want("[")
	out := []pelican.Expr{}
	for p.err == nil && !p.is("]") {
		out = append(out, p.expr(p.until(",", "]")))
		if !p.take(",") {
			break
		}
	}
	p.want("]")
	return out
}

// inst reads an instruction. The axes stand after the accesses that use them, so they are read first.
func (p *textParser) inst() *Inst {
	p.want("%")
	in := &Inst{ID: p.small()}
	p.want("=")
	if p.kind == 'n' {
		if in.Op = Op(p.tok); in.Op == nil {
			in.Op = ISAOp(p.tok)
		}
	}
	if in.Op == nil {
		p.fail("no op %q", p.tok)
		return in
	}
	p.next()
	outer := len(p.vars)
	defer func() { p.vars = p.vars[:outer] }()
	mark := p.lexer
	if p.skipTo("for") {
		p.axes(in)
	}
	after := p.lexer
	if p.err != nil {
		return in
	}
	p.lexer = mark
	p.want("(")
	for p.err == nil && !p.is(")") {
		in.In = append(in.In, p.access())
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	p.want("->")
	for p.err == nil {
		in.Out = append(in.Out, p.access())
		if !p.take(",") {
			break
		}
	}
	if p.err != nil {
		return in
	}
	if p.is("for") {
		p.lexer = after
	}
	p.tail(in)
	if p.insts[in.ID] == nil {
		p.insts[in.ID] = in
	}
	return in
}

// skipTo moves to the name n on this line outside strings, if it is there.
func (p *textParser) skipTo(n string) bool {
	line := p.line
	for p.err == nil && p.kind != 0 && p.line == line {
		if p.kind == 'n' && p.tok == n {
			return true
		}
		if p.is("{") || p.is("@") {
			return false
		}
		p.next()
	}
	return false
}

func (p *textParser) axes(in *Inst) {
	p.want("for")
	p.want("(")
	reduced := false
	for p.err == nil {
		if p.take("|") {
			if reduced {
				p.fail("two bars in a list of axes")
			}
			reduced = true
		}
		a := p.axis()
		in.Axes = append(in.Axes, a)
		p.vars = append(p.vars, a.Var)
		if reduced {
			in.Reduce++
		}
		if !p.take(",") && !p.is("|") {
			break
		}
	}
	p.want(")")
}

func (p *textParser) access() Access {
	a := Access{T: p.use()}
	switch {
	case p.take("tile"):
		t := &Tile{}
		p.want("P")
		p.want("(")
		t.P0 = p.small()
		p.want(",")
		t.NP = p.small()
		p.want(")")
		for p.take("F") {
			p.want("(")
			f := StepCount{Step: p.int()}
			p.want(",")
			f.Count = p.int()
			p.want(")")
			t.Free = append(t.Free, f)
		}
		if p.take("+") {
			p.want("(")
			t.Off = p.expr(p.until(")"))
			p.want(")")
		}
		if p.take("as") {
			t.DType = p.dtype()
		}
		a.Tile = t
	case p.is("["):
		a.Dims = p.index()
	}
	for p.take("gather") {
		p.want("(")
		d := Indirect{Index: p.use()}
		d.At = p.index()
		p.want("dim")
		p.want("=")
		d.Dim = p.small()
		p.want("lo")
		p.want("=")
		d.Lo = p.int()
		p.want("hi")
		p.want("=")
		d.Hi = p.int()
		p.want(")")
		a.Ind = append(a.Ind, d)
	}
	return a
}

// tail reads what follows the accesses and axes of an instruction.
func (p *textParser) tail(in *Inst) {
	if p.is("{") {
		switch {
		case in.Op.ISA:
			in.Attrs = new(ISA)
		case in.Op.New != nil:
			in.Attrs = in.Op.New()
		default:
			p.fail("%s has no attributes", in.Op.Name)
			return
		}
		p.next()
		v := reflect.ValueOf(in.Attrs).Elem()
		for p.err == nil && !p.is("}") {
			n := p.name()
			f := v.FieldByName(n)
			if !f.IsValid() {
				p.fail("%s has no attribute %q", in.Op.Name, n)
				return
			}
			p.want("=")
			p.literal(f)
			if !p.take(",") {
				break
			}
		}
		p.want("}")
	}
	if p.take("if") {
		p.want("(")
		for p.err == nil {
			c := Pred{E: p.expr(p.until(" >= 0", " == 0"))}
			c.Ge = p.is(">=")
			p.next()
			p.want("0")
			in.Pred = append(in.Pred, c)
			if !p.take(",") {
				break
			}
		}
		p.want(")")
	}
	if p.take("on") {
		n, found := p.name(), false
		for e := machine.Unassigned; e <= machine.AllEngines; e++ {
			if e.String() == n {
				in.Engine, found = e, true
			}
		}
		if !found {
			p.fail("engine %q", n)
		}
	}
	if p.take("src") {
		in.Src = p.str()
	}
	if p.take("name") {
		in.Name = p.str()
	}
	in.Loc = p.location()
}

// literal reads an attribute value into v.
func (p *textParser) literal(v reflect.Value) {
	if p.err != nil {
		return
	}
	switch {
	case v.Type() == exprType:
		p.want("(")
		e := p.expr(p.until(")"))
		p.want(")")
		v.Set(reflect.ValueOf(e))
		return
	case v.Type() == dtypeType:
		v.SetUint(uint64(p.dtype()))
		return
	}
	bad := func() { p.fail("%q is no %v", p.tok, v.Type()) }
	switch v.Kind() {
	case reflect.String:
		v.SetString(p.str())
	case reflect.Bool:
		b, err := strconv.ParseBool(p.tok)
		if err != nil {
			bad()
			return
		}
		v.SetBool(b)
		p.next()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(p.tok, 10, 64)
		if err != nil || v.OverflowInt(i) {
			bad()
			return
		}
		v.SetInt(i)
		p.next()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		u, err := strconv.ParseUint(p.tok, 10, 64)
		if err != nil || v.OverflowUint(u) {
			bad()
			return
		}
		v.SetUint(u)
		p.next()
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(p.tok, 64)
		if err != nil {
			bad()
			return
		}
		v.SetFloat(f)
		p.next()
	case reflect.Slice:
		p.want("[")
		for p.err == nil && !p.is("]") {
			e := reflect.New(v.Type().Elem()).Elem()
			p.literal(e)
			v.Set(reflect.Append(v, e))
			if !p.take(",") {
				break
			}
		}
		p.want("]")
	case reflect.Struct:
		p.want("(")
		for i := 0; i < v.NumField(); i++ {
			if i > 0 {
				p.want(",")
			}
			p.literal(v.Field(i))
		}
		p.want(")")
	default:
		bad()
	}
}
