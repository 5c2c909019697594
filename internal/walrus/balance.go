package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// engineChoices returns the engines besides its own that compute the same bits for an instruction. All data paths
// compute in fp32, so plain arithmetic and copies may move; what is native on one engine (32-bit integers on GpSimd,
// functions on the scalar engine) may not.
func (u *unit) engineChoices(in *bir.Instr) []machine.Engine {
	if len(in.Outs) != 1 {
		return nil
	}
	onlySBUF, ints := true, true
	for _, list := range [2][]bir.Arg{in.Ins, in.Outs} {
		for i := range list {
			a := &list[i]
			switch {
			case a.Kind == bir.ArgReg:
				return nil
			case a.Kind != bir.ArgAP:
				continue
			case a.AP.Reg != nil:
				return nil // registers belong to an engine
			}
			onlySBUF = onlySBUF && a.AP.Loc.Type == bir.SB
			ints = ints && (a.AP.DType == dtype.I32 || a.AP.DType == dtype.U32)
		}
	}
	var out []machine.Engine
	choose := func(e machine.Engine, ok bool) {
		if ok && e != in.Engine {
			out = append(out, e)
		}
	}
	scalar := u.spec.Gen >= machine.Gen3 // the scalar engine copies and scales from gen3 on
	switch a := in.Attrs.(type) {
	case *bir.TensorTensorAttrs:
		if in.Engine == machine.DVE || in.Engine == machine.Pool {
			plain := !bitvec(a.Op) && !ints && a.Op != bir.AluPow // power is GpSimd's
			choose(machine.DVE, plain)
			choose(machine.Pool, plain && onlySBUF)
		}
	case *bir.TensorScalarPtrAttrs:
		if a.ScalarTensorTensor || a.TensorTensorScan || a.TensorScalarAddr || a.ApplyTranspose || a.Acc != bir.AccIdle || bitvec(a.Op0, a.Op1) || oneEngine(a.Op0) || oneEngine(a.Op1) {
			return nil
		}
		affine := !a.Reverse0 && !a.Reverse1 && (a.Op0 == bir.AluMult && (a.Op1 == bir.AluAdd || a.Op1 == bir.AluBypass) || a.Op0 == bir.AluAdd && a.Op1 == bir.AluBypass)
		choose(machine.DVE, true)
		choose(machine.ACT, scalar && affine)
		choose(machine.Pool, onlySBUF)
	case *bir.CopyAttrs:
		if in.Op == bir.TensorCopy {
			choose(machine.DVE, true)
			choose(machine.ACT, scalar)
			choose(machine.Pool, onlySBUF)
		}
	case *bir.MemsetAttrs:
		if a.Mode == bir.MemsetConst {
			choose(machine.DVE, true)
			choose(machine.Pool, onlySBUF)
		}
	}
	return out
}

// oneEngine reports the scalar operations that only one engine has (semantics.md 4.1).
func oneEngine(op bir.AluOp) bool { return op == bir.AluRsqrt || op == bir.AluAbs || op == bir.AluPow }

// choice is an engine an instruction may run on and what it costs there.
type choice struct {
	e    machine.Engine
	cost cost
}

// choices returns the alternatives of an instruction, its own engine first.
func (u *unit) choices(in *bir.Instr) []choice {
	alts := u.engineChoices(in)
	if len(alts) == 0 {
		return nil
	}
	own := in.Engine
	out := make([]choice, 0, len(alts)+1)
	for _, e := range append([]machine.Engine{own}, alts...) {
		in.Engine = e
		out = append(out, choice{e, u.costOf(in)})
	}
	in.Engine = own
	return out
}
