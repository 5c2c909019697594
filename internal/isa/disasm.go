package isa

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Disasm returns the text of an instruction: mnemonic, sync, named scalars that are not zero, operands.
func Disasm(in *Inst) string {
	var b strings.Builder
	b.WriteString(in.Info.Mnemonic)
	if in.Raw != nil {
		fmt.Fprintf(&b, " raw=%x", in.Raw[:])
	}
	for _, w := range in.Waits() {
		b.WriteByte(' ')
		b.WriteString(w.String())
	}
	for _, u := range in.Updates() {
		b.WriteByte(' ')
		b.WriteString(u.String())
	}
	if in.Satur {
		b.WriteString(" saturate")
	}
	l := in.Info.Layout
	if l == nil {
		return b.String()
	}
	for i := range l.Fields {
		f := &l.Fields[i]
		if l == layEvent {
			break // shown as waits and updates
		}
		if s := f.text(in); s != "" {
			fmt.Fprintf(&b, " %s=%s", f.ID, s)
		}
	}
	return b.String()
}

// String renders a wait as "$S[5]>=36".
func (w Wait) String() string {
	switch w.Mode {
	case WaitSemGE:
		return fmt.Sprintf("$S[%d]>=%d", w.ID, w.Value)
	case WaitSemGEReg:
		return fmt.Sprintf("$S[%d]>=$r%d", w.ID, w.Value)
	case WaitSemEQ:
		return fmt.Sprintf("$S[%d]==%d", w.ID, w.Value)
	case WaitSemDec:
		return fmt.Sprintf("$S[%d]>=%d--", w.ID, w.Value)
	case WaitEventSetThenClear:
		return fmt.Sprintf("$E[%d]", w.ID)
	}
	return fmt.Sprintf("wait%#02x[%d]", uint8(w.Mode), w.ID)
}

// String renders an update as "$S[5]++@complete".
func (u Update) String() string {
	when := "@read"
	if u.Mode&UpdateComplete != 0 {
		when = "@complete"
	}
	switch u.Mode | UpdateComplete {
	case UpdateEventSet:
		return fmt.Sprintf("$E[%d]=1%s", u.ID, when)
	case UpdateEventClr:
		return fmt.Sprintf("$E[%d]=0%s", u.ID, when)
	case UpdateInc:
		return fmt.Sprintf("$S[%d]++%s", u.ID, when)
	case UpdateDec:
		return fmt.Sprintf("$S[%d]--%s", u.ID, when)
	case UpdateAdd:
		return fmt.Sprintf("$S[%d]+=%d%s", u.ID, u.Value, when)
	case UpdateSub:
		return fmt.Sprintf("$S[%d]-=%d%s", u.ID, u.Value, when)
	case UpdateWrite:
		return fmt.Sprintf("$S[%d]=%d%s", u.ID, u.Value, when)
	}
	return fmt.Sprintf("update%#02x[%d]", uint8(u.Mode), u.ID)
}

// text renders a field, "" when there is nothing to say.
func (f *Field) text(in *Inst) string {
	v := in.Get(f.ID)
	switch f.Kind {
	case KTensor, KMX:
		t := in.Tensor(f.ID)
		return t.text(operandDType(in, f.ID))
	case KName:
		return strconv.Quote(in.Name)
	case KMask:
		if in.Mask == nil {
			return ""
		}
		return fmt.Sprintf("%x", in.Mask[:])
	case KAddr8:
		return Addr8(v).String()
	case KAddr4:
		return Addr(v).String()
	case KImm:
		return immText(ImmSrc(in.Get(f.Aux)), uint32(v))
	case KImmSrc:
		return ""
	case KAlu:
		return ALU(v).String()
	case KAct:
		return Act(v).String()
	case KAcc:
		if v == 0 {
			return ""
		}
		return Acc(v).String()
	case KF32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case KReg:
		if v == 0 && (strings.HasSuffix(f.ID.String(), "_hi") || f.ID == FSrc2Reg) {
			return ""
		}
		return fmt.Sprintf("$r%d", v)
	case KDtype, KDtype0:
		if v == 0 {
			return ""
		}
		return DType(v).String()
	}
	if f.ID == FCompOp && in.Info.Layout == layBranch {
		return Cmp(v).String()
	}
	if v == 0 {
		return ""
	}
	return strconv.FormatInt(v, 10)
}

func immText(src ImmSrc, v uint32) string {
	switch src {
	case ImmPointer:
		return "*" + Addr(v).String()
	case ImmRegister:
		return fmt.Sprintf("$r%d", v)
	}
	f := math.Float32frombits(v)
	if v == 0 || math.Abs(float64(f)) > 1e-30 {
		return strconv.FormatFloat(float64(f), 'g', -1, 32)
	}
	return fmt.Sprintf("%#x", v)
}

func (t *Tensor) text(d DType) string {
	switch t.Kind {
	case DescIndirect:
		return fmt.Sprintf("%s@%s.indirect(%s)[%d]", d, t.Addr, t.Index, t.Num[0])
	case DescMX, DescMXIndirect:
		s := fmt.Sprintf("$MX[%s,%s,%d]@[%d][%d]", t.Addr, t.Scale, t.ScalePart, t.Dir, t.Num[0])
		if t.Kind == DescMXIndirect {
			s += fmt.Sprintf(".indirect(%s)", t.Index)
		}
		return s
	}
	var st, nu strings.Builder
	for i := 0; i < int(t.N); i++ {
		if i > 0 {
			st.WriteByte(',')
			nu.WriteByte(',')
		}
		fmt.Fprintf(&st, "%d", t.Step[i])
		fmt.Fprintf(&nu, "%d", t.Num[i])
	}
	return fmt.Sprintf("%s@%s[%s][%s]", d, t.Addr, st.String(), nu.String())
}
