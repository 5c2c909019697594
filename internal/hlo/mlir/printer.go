package mlir

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/hlo"
)

// Options say how a module is printed. The zero value is the canonical form: custom assembly where an op has
// one, values numbered in order, names of locations on parameters only (they are the program's interface).
type Options struct {
	Generic bool // only the generic form of ops
	Locs    bool // loc("name") behind every op that has one
}

// Print writes m as text that Parse reads back as an equal module. Printing what was read back gives the
// same text again.
func Print(w io.Writer, m *hlo.Module, opts Options) error {
	bw := bufio.NewWriter(w)
	p := &printer{w: bw, opts: opts}
	p.module(m)
	return bw.Flush()
}

// Text is Print to a string.
func Text(m *hlo.Module) string {
	var b strings.Builder
	Print(&b, m, Options{})
	return b.String()
}

type printer struct {
	w      *bufio.Writer
	opts   Options
	indent int
	names  map[*hlo.Value]string
	nextV  int
	nextA  int
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

// str writes s; the buffered writer keeps the first error for Flush.
func (w *printer) str(s string) { w.w.WriteString(s) }

func (w *printer) newline() {
	w.w.WriteByte('\n')
	for i := 0; i < w.indent; i++ {
		w.w.WriteString("  ")
	}
}

func (w *printer) module(m *hlo.Module) {
	w.str("module")
	if m.Name != "" {
		w.str(" " + symbolText(m.Name))
	}
	if len(m.Attrs) > 0 {
		w.str(" attributes")
		w.attrDict(m.Attrs, nil)
	}
	w.str(" {")
	w.indent++
	for _, f := range m.Funcs {
		w.newline()
		w.function(f)
	}
	for _, s := range m.Subs {
		w.newline()
		w.module(s)
		w.w.Flush()
	}
	w.indent--
	if w.indent == 0 {
		w.str("\n}\n")
	} else {
		w.newline()
		w.str("}")
	}
}

func (w *printer) function(f *hlo.Func) {
	w.names, w.nextV, w.nextA = map[*hlo.Value]string{}, 0, 0
	w.str("func.func ")
	if f.Private {
		w.str("private ")
	}
	w.str(symbolText(f.Name) + "(")
	for i, v := range f.Params {
		if i > 0 {
			w.str(", ")
		}
		if f.Body != nil {
			w.nameArg(v)
			w.str(w.names[v] + ": ")
		}
		w.str(typeText(v.Type))
		if f.ArgAttrs != nil {
			w.attrDict(f.ArgAttrs[i], nil)
		}
		if v.Name != "" {
			w.str(" loc(" + quote(v.Name) + ")")
		}
	}
	w.str(")")
	if len(f.Results) > 0 {
		w.str(" -> ")
		_, isFunc := f.Results[0].(*hlo.FuncType)
		paren := len(f.Results) > 1 || f.ResAttrs != nil || isFunc
		if paren {
			w.str("(")
		}
		for i, t := range f.Results {
			if i > 0 {
				w.str(", ")
			}
			w.str(typeText(t))
			if f.ResAttrs != nil {
				w.attrDict(f.ResAttrs[i], nil)
			}
		}
		if paren {
			w.str(")")
		}
	}
	if len(f.Attrs) > 0 {
		w.str(" attributes")
		w.attrDict(f.Attrs, nil)
	}
	if f.Body != nil {
		w.str(" ")
		w.block(f.Body.Blocks[0])
	}
}

// block writes { ops } of a block whose arguments have been named by the caller.
func (w *printer) block(b *hlo.Block) {
	w.str("{")
	w.indent++
	for _, op := range b.Ops {
		w.newline()
		w.op(op)
	}
	w.indent--
	w.newline()
	w.str("}")
}

func (w *printer) op(op *hlo.Op) {
	if n := len(op.Results); n > 0 {
		base := "%" + strconv.Itoa(w.nextV)
		w.nextV++
		if n == 1 {
			w.names[op.Results[0]] = base
			w.str(base + " = ")
		} else {
			for i, r := range op.Results {
				w.names[r] = base + "#" + strconv.Itoa(i)
			}
			w.str(base + ":" + strconv.Itoa(n) + " = ")
		}
	}
	if w.opts.Generic || !w.pretty(op) {
		w.generic(op)
	}
	if w.opts.Locs && op.NameLoc != "" {
		w.str(" loc(" + quote(op.NameLoc) + ")")
	}
}

// pretty writes op in its custom assembly if it has one that can express it.
func (w *printer) pretty(op *hlo.Op) bool {
	f := formats[op.Def.Name]
	if f == nil {
		if !hasPlainForm(op) {
			return false
		}
		f = plainFormat
	}
	if f.printFn == nil && f.parseFn != nil {
		return false
	}
	return f.print(w, op)
}

// hasPlainForm tells which ops without a format of their own StableHLO writes as "op %a, %b : T".
func hasPlainForm(op *hlo.Op) bool { return op.Def.Has(hlo.Elementwise) && len(op.Regions) == 0 }

func (w *printer) generic(op *hlo.Op) {
	w.str(quote(op.Def.Name) + "(")
	w.values(op.Operands)
	w.str(")")
	if len(op.Regions) > 0 {
		w.str(" (")
		for i, r := range op.Regions {
			if i > 0 {
				w.str(", ")
			}
			w.region(r)
		}
		w.str(")")
	}
	w.attrDict(op.Attrs, nil)
	w.str(" : ")
	w.funcSig(op)
}

func (w *printer) region(r *hlo.Region) {
	w.str("{")
	w.indent++
	for i, b := range r.Blocks {
		if len(b.Args) > 0 {
			w.indent--
			w.newline()
			w.str("^bb" + strconv.Itoa(i) + "(")
			for j, a := range b.Args {
				if j > 0 {
					w.str(", ")
				}
				w.arg(a)
			}
			w.str("):")
			w.indent++
		}
		for _, op := range b.Ops {
			w.newline()
			w.op(op)
		}
	}
	w.indent--
	w.newline()
	w.str("}")
}

// arg writes "%arg3: T" of a block argument, naming it.
func (w *printer) arg(v *hlo.Value) {
	w.nameArg(v)
	w.str(w.names[v] + ": " + typeText(v.Type))
	if v.Name != "" {
		w.str(" loc(" + quote(v.Name) + ")")
	}
}

func (w *printer) nameArg(v *hlo.Value) {
	w.names[v] = "%arg" + strconv.Itoa(w.nextA)
	w.nextA++
}

func (w *printer) value(v *hlo.Value) {
	if n, ok := w.names[v]; ok {
		w.str(n)
		return
	}
	w.str("%<not defined>") // a broken module, which is printed to be looked at
}

func (w *printer) values(vs []*hlo.Value) {
	for i, v := range vs {
		if i > 0 {
			w.str(", ")
		}
		w.value(v)
	}
}

func (w *printer) typeList(ts []hlo.Type) {
	for i, t := range ts {
		if i > 0 {
			w.str(", ")
		}
		w.str(typeText(t))
	}
}

// results writes the result part of a function type.
func (w *printer) results(op *hlo.Op) {
	if len(op.Results) == 1 {
		if _, isFunc := op.Results[0].Type.(*hlo.FuncType); !isFunc {
			w.str(typeText(op.Results[0].Type))
			return
		}
	}
	w.str("(")
	for i, v := range op.Results {
		if i > 0 {
			w.str(", ")
		}
		w.str(typeText(v.Type))
	}
	w.str(")")
}

func (w *printer) funcSig(op *hlo.Op) {
	w.str("(")
	w.typeList(operandTypes(op))
	w.str(") -> ")
	w.results(op)
}

// attrDict writes " {a = 1 : i64}" of the attributes that elide does not name, or nothing.
func (w *printer) attrDict(as hlo.Attrs, elide []string) {
	first := true
	for _, a := range as {
		if contains(elide, a.Name) {
			continue
		}
		if first {
			w.str(" {")
		} else {
			w.str(", ")
		}
		first = false
		var b strings.Builder
		entryText(&b, a)
		w.str(b.String())
	}
	if !first {
		w.str("}")
	}
}

func (w *printer) attr(a hlo.Attr) {
	var b strings.Builder
	attrText(&b, a)
	w.str(b.String())
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
