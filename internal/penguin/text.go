package penguin

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pelican"
)

// The text form, file extension .pir: one statement a line, braces for nesting. Parse reads what Print writes, and
// printing that again gives the same text.
//
//	module m gen=3 {
//	 func main {
//	  tensor x : f32 [2,3] kind=Input in dram io "x"
//	  tensor c : f32 [] kind=Const in dram = hex "0000803f"
//	  tensor y : f32 [2,3] kind=Output in dram io "output0"
//	  %0 = add(x[i, j], c[]) -> y[i, j] for (i: range(0,2,1) Parallel, j: range(0,3,1) Parallel) @"m.mlir":3:4
//	 }
//	}
//
// Reduced axes follow a bar: for (i: ... | k: ...). An ISA-level operand is
//
//	NAME tile P(start,count) F(step,count)... +(offset) as TYPE
//
// and a run-time part of an index is gather(INDEX[position] dim=0 lo=0 hi=5) after the access.

var kindNames = []string{"Input", "Output", "Const", "InternalIO", "NonLocal"}
var spaceNames = []string{"dram", "sbuf", "psum"}
var axisNames = []string{"Default", "Parallel", "Sequential", "Shard", "Thread", "Block", "CCRank", "Interleave", "SPMD"}

// String is the list of flags, "Input|NonLocal".
func (k KindFlags) String() string {
	var out []string
	for i, n := range kindNames {
		if k&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return strings.Join(out, "|")
}

func (s Space) String() string {
	if int(s) < len(spaceNames) {
		return spaceNames[s]
	}
	return fmt.Sprintf("Space(%d)", uint8(s))
}

func (t AxisType) String() string {
	if int(t) < len(axisNames) {
		return axisNames[t]
	}
	return fmt.Sprintf("AxisType(%d)", uint8(t))
}

// Print writes the text form of m.
func Print(w io.Writer, m *Module) error {
	p := &printer{w: bufio.NewWriter(w)}
	p.line(0, "module %s gen=%d {", m.Name, m.Gen)
	for _, f := range m.Funcs {
		p.line(1, "func %s {", f.Name)
		for _, t := range f.Tensors {
			p.tensor(t)
		}
		p.body(2, f.Body)
		for _, d := range f.Deps {
			p.line(2, "dep %%%d -> %%%d %d", d.Src.ID, d.Dst.ID, d.Kind)
		}
		p.line(1, "}")
	}
	p.line(0, "}")
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

// String is the text form of one instruction.
func (in *Inst) String() string {
	p := &printer{}
	return p.inst(in)
}

type printer struct {
	w   *bufio.Writer
	err error
}

func (p *printer) line(depth int, format string, args ...any) {
	for range depth {
		p.w.WriteByte(' ')
	}
	fmt.Fprintf(p.w, format, args...)
	p.w.WriteByte('\n')
}

func ints(list []int64) string {
	s := make([]string, len(list))
	for i, v := range list {
		s[i] = strconv.FormatInt(v, 10)
	}
	return "[" + strings.Join(s, ",") + "]"
}

func exprs(list []pelican.Expr) string {
	s := make([]string, len(list))
	for i, e := range list {
		s[i] = e.String()
	}
	return strings.Join(s, ", ")
}

func (p *printer) tensor(t *Tensor) {
	s := fmt.Sprintf("tensor %s : %v %s", t.Name, t.DType, ints(t.Shape))
	if t.Kind != 0 {
		s += " kind=" + t.Kind.String()
	}
	s += " in " + t.Space.String()
	if t.IOName != "" {
		s += " io " + strconv.Quote(t.IOName)
	}
	if t.Alias != nil {
		s += " alias " + t.Alias.Name
	}
	if t.Copies != 0 {
		s += fmt.Sprintf(" copies %d", t.Copies)
	}
	if t.Init != nil {
		s += " = hex \"" + hex.EncodeToString(t.Init.Data) + "\""
	}
	p.line(2, "%s", s+locText(t.Loc))
}

func locText(l diag.Loc) string {
	if !l.Known() {
		return ""
	}
	return fmt.Sprintf(" @%s:%d:%d", strconv.Quote(l.File), l.Line, l.Col)
}

func axisText(a *Axis) string {
	return fmt.Sprintf("%s: range(%d,%d,%d) %v", a.Name, a.Lo, a.Hi, a.Step, a.Type)
}

func (p *printer) body(depth int, list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Inst:
			p.line(depth, "%s", p.inst(s))
		case *Loop:
			p.line(depth, "for (%s) {", axisText(s.Axis))
			p.body(depth+1, s.Body)
			p.line(depth, "}")
		case *While:
			p.line(depth, "while pred %s {", s.Pred.Name)
			p.line(depth+1, "cond {")
			p.body(depth+2, s.Cond)
			p.line(depth+1, "}")
			p.body(depth+1, s.Body)
			p.line(depth, "}%s", locText(s.Loc))
		case *Scope:
			no := ""
			if s.NoReorder {
				no = " no_reorder"
			}
			p.line(depth, "scope %s%s {", s.Name, no)
			p.body(depth+1, s.Body)
			p.line(depth, "}")
		case *Cluster:
			p.line(depth, "cluster %d {", s.Kind)
			for _, in := range s.Ops {
				p.line(depth+1, "%s", p.inst(in))
			}
			p.line(depth, "}")
		default:
			p.err = diag.Internalf(codeExec, diag.Loc{}, "no text form for statement %T", s)
		}
	}
}

func (p *printer) inst(in *Inst) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%d = %s(", in.ID, in.Op.Name)
	for i := range in.In {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(in.In[i].String())
	}
	b.WriteString(") -> ")
	for i := range in.Out {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(in.Out[i].String())
	}
	if len(in.Axes) > 0 {
		b.WriteString(" for (")
		for i, a := range in.Axes {
			switch {
			case i == len(in.Axes)-in.Reduce:
				b.WriteString("| ")
			case i > 0:
				b.WriteString(", ")
			}
			b.WriteString(axisText(a))
			if i+1 == len(in.Axes)-in.Reduce && in.Reduce > 0 {
				b.WriteByte(' ')
			}
		}
		b.WriteString(")")
	}
	if in.Attrs != nil && !reflect.ValueOf(in.Attrs).IsNil() {
		b.WriteString(" {" + p.attrs(reflect.ValueOf(in.Attrs).Elem()) + "}")
	}
	if len(in.Pred) > 0 {
		b.WriteString(" if (")
		for i, c := range in.Pred {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(c.E.String())
			if c.Ge {
				b.WriteString(" >= 0")
			} else {
				b.WriteString(" == 0")
			}
		}
		b.WriteString(")")
	}
	if in.Engine != 0 {
		fmt.Fprintf(&b, " on %v", in.Engine)
	}
	if in.Src != "" {
		b.WriteString(" src " + strconv.Quote(in.Src))
	}
	if in.Name != "" {
		b.WriteString(" name " + strconv.Quote(in.Name))
	}
	b.WriteString(locText(in.Loc))
	return b.String()
}

// String is the text form of an access.
func (a Access) String() string {
	var b strings.Builder
	b.WriteString(a.T.Name)
	switch {
	case a.Tile != nil:
		fmt.Fprintf(&b, " tile P(%d,%d)", a.Tile.P0, a.Tile.NP)
		for _, f := range a.Tile.Free {
			fmt.Fprintf(&b, " F(%d,%d)", f.Step, f.Count)
		}
		if a.Tile.Off != nil {
			b.WriteString(" +(" + a.Tile.Off.String() + ")")
		}
		if a.Tile.DType != dtype.Invalid {
			fmt.Fprintf(&b, " as %v", a.Tile.DType)
		}
	case len(a.Dims) > 0 || len(a.T.Shape) == 0:
		b.WriteString("[" + exprs(a.Dims) + "]")
	}
	for _, d := range a.Ind {
		fmt.Fprintf(&b, " gather(%s[%s] dim=%d lo=%d hi=%d)", d.Index.Name, exprs(d.At), d.Dim, d.Lo, d.Hi)
	}
	return b.String()
}

var exprType = reflect.TypeFor[pelican.Expr]()
var dtypeType = reflect.TypeFor[dtype.Type]()

// attrs prints the fields of a payload that are not zero.
func (p *printer) attrs(v reflect.Value) string {
	var out []string
	for i := 0; i < v.NumField(); i++ {
		if f := v.Field(i); !f.IsZero() {
			out = append(out, v.Type().Field(i).Name+"="+p.literal(f))
		}
	}
	return strings.Join(out, ", ")
}

func (p *printer) literal(v reflect.Value) string {
	switch {
	case v.Type() == exprType:
		return "(" + v.Interface().(pelican.Expr).String() + ")"
	case v.Type() == dtypeType:
		return dtype.Type(v.Uint()).String()
	}
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Slice:
		s := make([]string, v.Len())
		for i := range s {
			s[i] = p.literal(v.Index(i))
		}
		return "[" + strings.Join(s, ", ") + "]"
	case reflect.Struct:
		s := make([]string, v.NumField())
		for i := range s {
			s[i] = p.literal(v.Field(i))
		}
		return "(" + strings.Join(s, ", ") + ")"
	}
	p.err = diag.Internalf(codeExec, diag.Loc{}, "no text form for attribute type %v", v.Type())
	return "?"
}
