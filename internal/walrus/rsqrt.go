package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
)

// smallRsqrtElems is the size up to which GpSimd, at four cycles an element, is no slower than the scalar engine.
const smallRsqrtElems = 64

// isSmallRsqrt reports an activation rsqrt(scale*x + bias) that GpSimd can compute: in SBUF, without accumulation.
func isSmallRsqrt(in *bir.Instr) bool {
	a, ok := in.Attrs.(*bir.ActivationAttrs)
	if !ok || in.Op != bir.Activation || a.Func != bir.ActRsqrt || a.Acc != bir.AccIdle || a.Activate2 || len(in.Outs) != 1 || len(in.Ins) > 2 {
		return false
	}
	for _, list := range [2][]bir.Arg{in.Ins, in.Outs} {
		for i := range list {
			if p := list[i].AP; list[i].Kind == bir.ArgAP && (p.Loc.Type != bir.SB || p.Reg != nil || p.Elems() > smallRsqrtElems) {
				return false
			}
		}
	}
	// The intermediate value lives in the output, in its type.
	return in.Outs[0].AP.DType.Size() == 4 && in.Outs[0].AP.DType.IsFloat()
}

func (u *unit) smallRsqrt() bool {
	for _, b := range u.blocks {
		for _, in := range b.instrs {
			if isSmallRsqrt(in) {
				return true
			}
		}
	}
	return false
}

// moveRsqrt replaces small reciprocal square roots of the scalar engine, each of which may cost two table loads:
//
//	Activation(y <- rsqrt(s*x + b))  =>  TensorScalar(y <- x*s + b); TensorScalar(y <- rsqrt(y)) on GpSimd
func (u *unit) moveRsqrt() {
	for _, b := range u.blocks {
		out := make([]*bir.Instr, 0, len(b.instrs))
		for _, in := range b.instrs {
			if !isSmallRsqrt(in) {
				out = append(out, in)
				continue
			}
			a := in.Attrs.(*bir.ActivationAttrs)
			src := in.Ins[0]
			bias := len(in.Ins) > 1 && !(in.Ins[1].Kind == bir.ArgImm && immF32(&in.Ins[1].Imm) == 0)
			if a.Scale != 1 || bias {
				pre := u.fn.NewInstr(bir.TensorScalarPtr, machine.DVE)
				pre.Debug = in.Debug
				pre.Attrs = &bir.TensorScalarPtrAttrs{Op0: bir.AluMult}
				pre.Ins, pre.Outs = []bir.Arg{src, bir.ImmF(a.Scale)}, []bir.Arg{in.Outs[0]}
				if bias {
					pre.Attrs = &bir.TensorScalarPtrAttrs{Op0: bir.AluMult, Op1: bir.AluAdd}
					pre.Ins = append(pre.Ins, in.Ins[1])
				}
				out = append(out, pre)
				src = in.Outs[0]
			}
			r := u.fn.NewInstr(bir.TensorScalarPtr, machine.Pool)
			r.Debug = in.Debug
			r.Attrs = &bir.TensorScalarPtrAttrs{Op0: bir.AluRsqrt}
			r.Ins, r.Outs = []bir.Arg{src, bir.ImmF(0)}, []bir.Arg{in.Outs[0]}
			out = append(out, r)
		}
		b.instrs = out
	}
}
