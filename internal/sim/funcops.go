package sim

import (
	"encoding/binary"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/sim/exec"
)

// instr executes one instruction in program order and returns the block it branches to, if any.
func (r *birRun) instr(in *bir.Instr) (*bir.Block, error) {
	switch in.Op {
	case bir.Load, bir.Save, bir.DMACopy:
		x, err := decodeDMA(in, r.st.PartStride, r.offset, r.place)
		if err != nil {
			return nil, err
		}
		return nil, r.st.Transfer(&x)
	case bir.NoOp, bir.EventSemaphore, bir.GroupResetSemaphores, bir.AllEngineBarrier, bir.Drain, bir.SwitchQueueInstance,
		bir.ResetQueueInstance, bir.TensorCompletion, bir.BranchHint:
		return nil, nil // no data effect
	case bir.Loop:
		a := in.Attrs.(*bir.LoopAttrs)
		if a.Stride == 0 {
			return nil, diag.Errorf(CodeProgram, locOf(in), "loop %s has stride 0", a.Axis)
		}
		defer delete(r.env, a.Var)
		for i := a.Lower; a.Stride > 0 && i < a.Upper || a.Stride < 0 && i > a.Upper; i += a.Stride {
			r.env[a.Var] = i
			if err := r.blocks(in.Body); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case bir.DynamicForLoop:
		a := in.Attrs.(*bir.DynamicLoopAttrs)
		if a.Stride <= 0 || a.UpperReg == nil {
			return nil, diag.Errorf(CodeProgram, locOf(in), "dynamic loop %s needs a positive stride and a bound register", a.Axis)
		}
		defer delete(r.env, a.Var)
		hi := a.UpperConst + a.UpperCoef*r.regs[a.UpperReg]
		for i := a.Lower; i < hi; i += a.Stride {
			r.env[a.Var] = i
			if err := r.blocks(in.Body); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case bir.DoWhile:
		cond := in.Attrs.(*bir.DoWhileAttrs).Cond
		for {
			if err := r.blocks(in.Body); err != nil {
				return nil, err
			}
			if int32(r.regs[cond]) == 0 {
				return nil, nil
			}
			if r.steps++; r.steps > r.limit || r.ctx.Err() != nil {
				return nil, diag.Errorf(CodeProgram, locOf(in), "the loop was stopped after %d instructions", r.steps)
			}
		}
	case bir.RegisterMove, bir.RegisterAlu, bir.TensorLoad, bir.TensorSave:
		return nil, r.register(in)
	case bir.UnconditionalBranch:
		return in.Attrs.(*bir.BranchAttrs).True, nil
	case bir.CompareAndBranch:
		a := in.Attrs.(*bir.BranchAttrs)
		taken, err := r.compare(in, a.Compare)
		if err != nil {
			return nil, err
		}
		if taken {
			return a.True, nil
		}
		return a.False, nil
	}
	if !exec.Supports(in.Op) {
		return nil, diag.Errorf(CodeDecode, locOf(in), "the simulator does not execute %s", in.Op)
	}
	x, err := decodeBIR(in, r.offset, r.place)
	if err != nil {
		return nil, err
	}
	return nil, r.st.Run(x)
}

// value reads a register or immediate operand.
func (r *birRun) value(in *bir.Instr, i int) (int64, error) {
	if i >= len(in.Ins) {
		return 0, diag.Errorf(CodeProgram, locOf(in), "%s has %d operands, operand %d is missing", in.Op, len(in.Ins), i)
	}
	switch a := &in.Ins[i]; a.Kind {
	case bir.ArgReg:
		v, ok := r.regs[a.Reg]
		if !ok {
			v = -1 // what a register holds before it is written
		}
		return v, nil
	case bir.ArgImm:
		return a.Imm.I, nil
	}
	return 0, diag.Errorf(CodeProgram, locOf(in), "%s: operand %d is neither register nor immediate", in.Op, i)
}

func (r *birRun) register(in *bir.Instr) error {
	if in.Op == bir.TensorSave {
		v, err := r.value(in, 0)
		if err != nil {
			return err
		}
		ref, err := decodeAP(in.Outs[0].AP, r.offset, r.place)
		if err != nil {
			return err
		}
		var raw [8]byte
		binary.LittleEndian.PutUint64(raw[:], uint64(v))
		return r.st.Poke1(&ref, raw[:ref.Size])
	}
	if len(in.Outs) != 1 || in.Outs[0].Kind != bir.ArgReg {
		return diag.Errorf(CodeProgram, locOf(in), "%s needs one register result", in.Op)
	}
	dst := in.Outs[0].Reg
	switch in.Op {
	case bir.RegisterMove:
		v, err := r.value(in, 0)
		if err != nil {
			return err
		}
		r.regs[dst] = int64(int32(v))
	case bir.RegisterAlu:
		a := in.Attrs.(*bir.RegisterAluAttrs)
		x, err := r.value(in, 0)
		if err != nil {
			return err
		}
		y, err := r.value(in, 1)
		if err != nil {
			return err
		}
		f := exec.RegisterOp(a.Op)
		if f == nil {
			return diag.Errorf(CodeDecode, locOf(in), "registers cannot compute %s", a.Op)
		}
		v := f(x, y)
		if !a.Wide {
			v = int64(int32(v))
		}
		r.regs[dst] = v
	case bir.TensorLoad:
		ref, err := decodeAP(in.Ins[0].AP, r.offset, r.place)
		if err != nil {
			return err
		}
		raw, err := r.st.Peek1(&ref)
		if err != nil {
			return err
		}
		r.regs[dst] = exec.Extend(raw, ref.DT)
	}
	return nil
}

func (r *birRun) compare(in *bir.Instr, op bir.CompareOp) (bool, error) {
	a, err := r.value(in, 0)
	if err != nil {
		return false, err
	}
	b, err := r.value(in, 1)
	if err != nil {
		return false, err
	}
	a, b = int64(int32(a)), int64(int32(b))
	switch op {
	case bir.CmpISLTIMM, bir.CmpISLTREG:
		return a < b, nil
	case bir.CmpISLEIMM, bir.CmpISLEREG:
		return a <= b, nil
	case bir.CmpISEQIMM, bir.CmpISEQREG:
		return a == b, nil
	case bir.CmpISNEIMM, bir.CmpISNEREG:
		return a != b, nil
	case bir.CmpISGEIMM, bir.CmpISGEREG:
		return a >= b, nil
	case bir.CmpISGTIMM, bir.CmpISGTREG:
		return a > b, nil
	}
	return false, diag.Errorf(CodeProgram, locOf(in), "unsupported comparison %s", op)
}
