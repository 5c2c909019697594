package bir

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Print writes a listing of m for people: storages, then blocks with one instruction a line, regions indented. It is
// not read back; BIR-JSON is.
func Print(w io.Writer, m *Module) error {
	p := printer{bufio.NewWriter(w)}
	fmt.Fprintf(p, "module %s gen%d\n", m.Name, m.Gen)
	for _, f := range m.Funcs {
		p.function(f)
	}
	for _, q := range m.Queues {
		fmt.Fprintf(p, "queue %s %s on %s, %d rings, semaphores %v\n", q.Name, q.Type, q.Engine, q.Rings, q.Sems)
		for _, b := range q.Blocks {
			p.block(b, "  ")
		}
	}
	return p.Flush()
}

type printer struct{ *bufio.Writer }

func (p printer) function(f *Func) {
	fmt.Fprintf(p, "function %s\n", f.Name)
	for _, s := range f.Sets {
		fmt.Fprintf(p, "  %s %s %s%v", s.Kind, s.Name, s.DType, s.Shape)
		if s.IOName != "" {
			fmt.Fprintf(p, " io=%s", s.IOName)
		}
		for _, l := range s.Locs {
			fmt.Fprintf(p, " in %s%v", l.Type, l.Dims)
			if l.Allocated {
				fmt.Fprintf(p, " at %s", l.place())
			}
			if l.Alias != nil {
				fmt.Fprintf(p, " alias %s", l.Alias.Name)
			}
		}
		p.WriteByte('\n')
	}
	for _, r := range f.Regs {
		fmt.Fprintf(p, "  register %s %s on %s", r.Name, r.DType, r.Engine)
		if r.Num >= 0 {
			fmt.Fprintf(p, " = R%d", r.Num)
		}
		p.WriteByte('\n')
	}
	for _, b := range f.Blocks {
		p.block(b, "  ")
	}
}

func (l *MemLoc) place() string {
	switch l.Type {
	case SB:
		return fmt.Sprintf("partition %d byte %d", l.Base, l.Addr)
	case PSUM:
		return fmt.Sprintf("partition %d bank %d byte %d", l.Base, l.Bank, l.Addr)
	}
	return fmt.Sprintf("byte %d", l.Addr)
}

func (p printer) block(b *Block, indent string) {
	fmt.Fprintf(p, "%s%s:\n", indent, b.Name)
	for _, in := range b.Instrs {
		p.WriteString(indent)
		p.WriteString("  ")
		p.WriteString(in.String())
		p.WriteByte('\n')
		for _, c := range in.Body {
			p.block(c, indent+"    ")
		}
	}
}

// String returns the instruction's line in a listing.
func (in *Instr) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %s", in.NameOf(), in.Engine, in.Op)
	writeArgs(&b, " ", in.Outs)
	if len(in.Outs) > 0 && len(in.Ins) > 0 {
		b.WriteString(" <-")
	}
	writeArgs(&b, " ", in.Ins)
	writeArgs(&b, " index ", in.Indirect)
	if in.Attrs != nil {
		writeAttrs(&b, in.Attrs)
	}
	for i, q := range in.Preds {
		b.WriteString([]string{" if ", " and "}[min(i, 1)])
		b.WriteString(q.E.String())
		b.WriteString(map[bool]string{true: " >= 0", false: " == 0"}[q.Ge])
	}
	for i, d := range in.Deps {
		b.WriteString([]string{" after ", ", "}[min(i, 1)])
		fmt.Fprintf(&b, "%s %s", d.On.NameOf(), d.Kind)
	}
	if s := in.Sync; s != nil {
		for _, w := range s.Waits {
			fmt.Fprintf(&b, " wait %s %d", w.Mode, w.ID)
			if w.Mode == WaitSemGEReg && w.Reg != nil {
				b.WriteString(" " + w.Reg.Name)
			} else if w.Mode != WaitEvent {
				fmt.Fprintf(&b, " %d", w.Value)
			}
		}
		for _, u := range s.Updates {
			fmt.Fprintf(&b, " update %s %d %d", u.Mode, u.ID, u.Value)
		}
	}
	if in.End > in.Start {
		fmt.Fprintf(&b, " at %d..%d", in.Start, in.End)
	}
	if in.Debug != nil && in.Debug.Op != "" {
		fmt.Fprintf(&b, " // %s %s", in.Debug.Op, in.Debug.Loc)
	}
	return b.String()
}

func writeArgs(b *strings.Builder, lead string, args []Arg) {
	for i := range args {
		b.WriteString(lead)
		lead = ", "
		b.WriteString(args[i].String())
	}
}

// String returns the operand's form in a listing.
func (a *Arg) String() string {
	switch a.Kind {
	case ArgAP:
		return a.AP.String()
	case ArgReg:
		if a.Reg == nil {
			return "<no register>"
		}
		return "%" + a.Reg.Name
	case ArgImm:
		return a.Imm.String()
	case ArgImmList:
		var s []string
		for _, x := range a.List {
			s = append(s, x.String())
		}
		return "[" + strings.Join(s, " ") + "]"
	}
	return fmt.Sprintf("<kind %d>", a.Kind)
}

// String returns the constant with its type.
func (x Imm) String() string {
	if x.Type.IsFloat() {
		return strconv.FormatFloat(x.F, 'g', -1, 32) + ":" + x.Type.String()
	}
	return strconv.FormatInt(x.I, 10) + ":" + x.Type.String()
}

// String returns "loc:dtype p0+np [step,count]... +offset".
func (p *AccessPattern) String() string {
	var b strings.Builder
	if p.Loc == nil {
		return "<no location>"
	}
	b.WriteString(p.Loc.Name)
	if p.Loc.Set == nil || p.DType != p.Loc.Set.DType {
		b.WriteString(":" + p.DType.String())
	}
	b.WriteByte('[')
	if p.Loc.OnChip() {
		fmt.Fprintf(&b, "P%d+%d", p.Part, p.NPart)
	}
	for i, d := range p.Free {
		if i > 0 || p.Loc.OnChip() {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d*%d", d.Step, d.Count)
	}
	if p.Offset != 0 {
		fmt.Fprintf(&b, " @%d", p.Offset)
	}
	if p.Expr != nil {
		fmt.Fprintf(&b, " @(%s)", p.Expr)
	}
	if p.Reg != nil {
		fmt.Fprintf(&b, " @%%%s", p.Reg.Name)
	}
	b.WriteByte(']')
	return b.String()
}

// writeAttrs lists the fields that differ from zero by their wire keys.
func writeAttrs(b *strings.Builder, a Attrs) {
	switch a := a.(type) {
	case *LoopAttrs:
		fmt.Fprintf(b, " %s = %d..%d step %d", a.Axis, a.Lower, a.Upper, a.Stride)
		return
	case *DynamicLoopAttrs:
		fmt.Fprintf(b, " %s = %d..%d", a.Axis, a.Lower, a.UpperConst)
		if a.UpperReg != nil {
			fmt.Fprintf(b, "+%d*%%%s", a.UpperCoef, a.UpperReg.Name)
		}
		fmt.Fprintf(b, " step %d", a.Stride)
		return
	case *DoWhileAttrs:
		if a.Cond != nil {
			fmt.Fprintf(b, " while %%%s", a.Cond.Name)
		}
		return
	}
	v := reflect.ValueOf(a)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return
	}
	v = v.Elem()
	for _, f := range FieldsOf(v.Type()) {
		x := v.Field(f.Index)
		if x.IsZero() {
			continue
		}
		switch val := x.Interface().(type) {
		case bool:
			b.WriteString(" " + f.Key)
			if f.Invert {
				b.WriteString("=false")
			}
		case *Queue:
			fmt.Fprintf(b, " %s=%s", f.Key, val.Name)
		case *Block:
			fmt.Fprintf(b, " %s=%s", f.Key, val.Name)
		case []*Instr:
			fmt.Fprintf(b, " %s=[", f.Key)
			for i, in := range val {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(in.NameOf())
			}
			b.WriteByte(']')
		default:
			fmt.Fprintf(b, " %s=%v", f.Key, val)
		}
	}
}
