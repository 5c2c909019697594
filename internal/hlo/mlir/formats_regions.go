package mlir

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// reduce:
//
//	(%a init: %z) applies stablehlo.add across dimensions = [1] {attrs} : sig
//	(%a init: %z), (%b init: %y) across dimensions = [1] {attrs} : sig
//	 reducer(%x: T, %y: T) (%u: U, %v: U) { ... }

func parseReduce(p *parser, o *opState) {
	var inits []*hlo.Value
	var initAt []int
	for {
		p.expect('(')
		p.operand(o)
		p.expectWord("init")
		p.expect(':')
		v, at := p.use()
		inits, initAt = append(inits, v), append(initAt, at)
		p.expect(')')
		if !p.accept(',') {
			break
		}
	}
	n := len(inits)
	o.op.Operands, o.useAt = append(o.op.Operands, inits...), append(o.useAt, initAt...)
	var applied *hlo.OpDef
	var appliedAt int
	if p.acceptWord("applies") {
		if n != 1 {
			p.fail("HLO001", "'applies' is for reductions of one operand")
		}
		appliedAt = p.tok.start
		switch p.tok.kind {
		case tWord:
			applied = p.lookupOp(p.word())
		case tString:
			applied = p.lookupOp(unquote(p.src[p.tok.start:p.tok.end]))
		default:
			p.fail("HLO001", "expected the op to apply, found %s", p.describe())
		}
		p.advance()
	}
	p.expectWord("across")
	p.expectWord("dimensions")
	p.expect('=')
	o.op.Attrs.Set("dimensions", hlo.DenseArrayAttr{Elem: dtype.I64, Values: p.intList()})
	dict.parse(p, o)
	sig.parse(p, o)

	if applied != nil {
		elem := o.op.Operands[1].Type
		args := []*hlo.Value{{Type: elem, Loc: p.loc(appliedAt)}, {Type: elem, Index: 1, Loc: p.loc(appliedAt)}}
		op := &hlo.Op{Def: applied, Operands: []*hlo.Value{args[0], args[1]}, Loc: p.loc(appliedAt)}
		op.Results = []*hlo.Value{{Type: elem, Def: op, Loc: op.Loc}}
		ret := &hlo.Op{Def: p.lookupOp("stablehlo.return"), Operands: op.Results, Loc: op.Loc}
		o.op.Regions = []*hlo.Region{{Blocks: []*hlo.Block{{Args: args, Ops: []*hlo.Op{op, ret}}}}}
		return
	}
	p.expectWord("reducer")
	mark := len(p.undo)
	args := make([]*hlo.Value, 2*n)
	for i := 0; i < n; i++ {
		at := p.tok.start
		pair := p.blockArgs()
		if len(pair) != 2 {
			bail("HLO012", p.loc(at), "a reducer takes two arguments for each operand, not %d", len(pair))
		}
		pair[0].Index, pair[1].Index = i, n+i
		args[i], args[n+i] = pair[0], pair[1]
	}
	o.op.Regions = []*hlo.Region{p.regionBody(args)}
	p.leaveScope(mark)
}

// appliedOp returns the name of the op a reducer consists of, or "".
func appliedOp(op *hlo.Op) string {
	b := op.Body(0)
	if len(op.Operands) != 2 || len(b.Args) != 2 || len(b.Ops) != 2 {
		return ""
	}
	in, ret := b.Ops[0], b.Ops[1]
	if !commutative[in.Def.Name] || len(in.Attrs) > 0 || len(in.Operands) != 2 || in.Operands[0] != b.Args[0] || in.Operands[1] != b.Args[1] ||
		ret.Def.Name != "stablehlo.return" || len(ret.Operands) != 1 || ret.Operands[0] != in.Results[0] || len(ret.Attrs) > 0 {
		return ""
	}
	for _, v := range []*hlo.Value{b.Args[0], b.Args[1], in.Results[0]} {
		if !sameType(v.Type, op.Operands[1].Type) {
			return ""
		}
	}
	return in.Def.Name
}

// commutative are the ops StableHLO's printer shortens reducers to.
var commutative = map[string]bool{"stablehlo.add": true, "stablehlo.multiply": true, "stablehlo.maximum": true,
	"stablehlo.minimum": true, "stablehlo.and": true, "stablehlo.or": true, "stablehlo.xor": true}

func printReduce(w *printer, op *hlo.Op) bool {
	n := len(op.Operands) / 2
	if n == 0 || len(op.Operands)%2 != 0 || !hasI64Array(op, "dimensions") || len(op.Regions) != 1 || len(op.Body(0).Args) != 2*n {
		return false
	}
	w.str(op.Def.Name)
	for i := 0; i < n; i++ {
		if i > 0 {
			w.str(", ")
		}
		w.str("(")
		w.value(op.Operands[i])
		w.str(" init: ")
		w.value(op.Operands[n+i])
		w.str(")")
	}
	applied := appliedOp(op)
	if applied != "" {
		w.str(" applies " + applied)
	}
	w.str(" across dimensions = " + intListText(op.Attrs.Get("dimensions").(hlo.DenseArrayAttr).Values))
	w.attrDict(op.Attrs, []string{"dimensions"})
	w.str(" : ")
	w.funcSig(op)
	if applied != "" {
		return true
	}
	w.newline()
	w.str(" reducer")
	b := op.Body(0)
	for i := 0; i < n; i++ {
		if i > 0 {
			w.str(" ")
		}
		w.str("(")
		w.arg(b.Args[i])
		w.str(", ")
		w.arg(b.Args[n+i])
		w.str(")")
	}
	w.str(" ")
	w.block(b)
	return true
}

// while: (%i = %0, %j = %1) : T, U [attributes {..}] cond {..} do {..}.

func parseWhile(p *parser, o *opState) {
	p.expect('(')
	var names []token
	for !p.isPunct(')') {
		names = append(names, p.expectKind(tPercent, "an iteration argument such as %iterArg"))
		p.expect('=')
		p.operand(o)
		if !p.accept(',') {
			break
		}
	}
	p.expect(')')
	if p.accept(':') {
		o.results = p.typeList()
	}
	p.checkOperandTypes(o, o.results)
	if p.acceptWord("attributes") {
		o.op.Attrs = p.attrDict()
	}
	for _, w := range []string{"cond", "do"} {
		p.expectWord(w)
		mark := len(p.undo)
		args := make([]*hlo.Value, len(names))
		for i, t := range names {
			args[i] = &hlo.Value{Type: o.results[i], Index: i, Loc: p.loc(t.start)}
			p.define(p.text(t)[1:], &group{vals: args[i : i+1], at: t.start})
		}
		p.enter()
		o.op.Regions = append(o.op.Regions, p.regionBody(args))
		p.leave()
		p.leaveScope(mark)
	}
}

func printWhile(w *printer, op *hlo.Op) bool {
	if len(op.Regions) != 2 || len(op.Operands) != len(op.Results) {
		return false
	}
	cond, body := op.Body(0), op.Body(1)
	if len(cond.Args) != len(op.Operands) || len(body.Args) != len(op.Operands) {
		return false
	}
	for i, v := range op.Operands {
		for _, u := range []*hlo.Value{op.Results[i], cond.Args[i], body.Args[i]} {
			if !sameType(u.Type, v.Type) {
				return false
			}
		}
	}
	w.str(op.Def.Name + "(")
	for i, v := range op.Operands {
		if i > 0 {
			w.str(", ")
		}
		w.nameArg(cond.Args[i])
		w.names[body.Args[i]] = w.names[cond.Args[i]] // both regions use one spelling
		w.value(cond.Args[i])
		w.str(" = ")
		w.value(v)
	}
	w.str(")")
	if len(op.Operands) > 0 {
		w.str(" : ")
		w.typeList(operandTypes(op))
	}
	if len(op.Attrs) > 0 {
		w.str(" attributes")
		w.attrDict(op.Attrs, nil)
	}
	w.newline()
	w.str(" cond ")
	w.block(cond)
	w.str(" do ")
	w.block(body)
	return true
}

// scan: (%a, %b) inits(%c) dimension=0 [is_reverse=..] {region} : sig. Only read; it is written generically.

func parseScan(p *parser, o *opState) {
	p.parenOperands(o)
	n := len(o.op.Operands)
	p.expectWord("inits")
	p.parenOperands(o)
	o.op.Attrs.Set("operandSegmentSizes", hlo.DenseArrayAttr{Elem: dtype.I32, Values: []int64{int64(n), int64(len(o.op.Operands) - n)}})
	for p.tok.kind == tWord && p.word() != "attributes" {
		name := p.word()
		p.advance()
		p.expect('=')
		switch {
		case p.acceptWord("true"):
			o.op.Attrs.Set(name, hlo.BoolAttr{Value: true})
		case p.acceptWord("false"):
			o.op.Attrs.Set(name, hlo.BoolAttr{})
		default:
			o.op.Attrs.Set(name, hlo.IntAttr{Value: p.int64(), Type: dtype.I64})
		}
		p.accept(',')
	}
	if p.acceptWord("attributes") {
		for _, a := range p.attrDict() {
			o.op.Attrs.Set(a.Name, a.Attr)
		}
	}
	o.op.Regions = []*hlo.Region{p.region(nil)}
	sig.parse(p, o)
}
