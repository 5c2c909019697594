package walrus

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// legalize rewrites what the generation cannot encode:
//
//	gen2: Activation(x, bias=imm)  =>  Activation(x, bias=tile), one [128,1] tile a value, set at the start
//	gen2: ACT TensorCopy           =>  Activation(Copy)
//	GenericCopy, GenericRelu       =>  TensorCopy, Activation(Relu)
//	Select(p, a, b)                =>  TensorCopy(b), CopyPredicated(a under p)
func legalize(u *unit) error {
	bias := map[uint32]*bir.MemLoc{}
	var sets []*bir.Instr
	for _, b := range u.blocks {
		out := make([]*bir.Instr, 0, len(b.instrs))
		for _, in := range b.instrs {
			switch in.Op {
			case bir.GenericCopy:
				in.Op = bir.TensorCopy
				if in.Engine == machine.Unassigned {
					in.Engine = machine.DVE
				}
			case bir.GenericRelu:
				in.Op, in.Engine, in.Attrs = bir.Activation, machine.ACT, &bir.ActivationAttrs{Func: bir.ActRelu, Scale: 1}
			case bir.Select:
				cp := u.fn.NewInstr(bir.TensorCopy, in.Engine)
				cp.Debug, cp.Attrs = in.Debug, &bir.CopyAttrs{}
				cp.Ins, cp.Outs = []bir.Arg{in.Ins[2]}, []bir.Arg{in.Outs[0]}
				out = append(out, cp)
				in.Op, in.Attrs = bir.CopyPredicated, &bir.CopyPredicatedAttrs{}
				in.Ins = []bir.Arg{in.Ins[1], in.Ins[0]}
			}
			if u.spec.Gen == machine.Gen2 {
				if in.Op == bir.TensorCopy && in.Engine == machine.ACT {
					in.Op, in.Attrs = bir.Activation, &bir.ActivationAttrs{Func: bir.ActCopy, Scale: 1}
				}
				if in.Op == bir.Activation {
					u.biasTile(in, bias, &sets)
				}
			}
			out = append(out, in)
		}
		b.instrs = out
	}
	if len(sets) > 0 {
		u.blocks[0].instrs = append(sets, u.blocks[0].instrs...)
	}
	return nil
}

// biasTile replaces an immediate or missing bias by a constant tile.
func (u *unit) biasTile(in *bir.Instr, tiles map[uint32]*bir.MemLoc, sets *[]*bir.Instr) {
	var v float32
	if len(in.Ins) > 1 {
		if in.Ins[1].Kind != bir.ArgImm {
			return
		}
		v = immF32(&in.Ins[1].Imm)
	}
	bits := math.Float32bits(v)
	l := tiles[bits]
	if l == nil {
		l = u.fn.NewSet("bias_const_"+dtype.F32.String()+"_"+hex32(bits), bir.SB, bir.Internal, dtype.F32, 128, 1)
		tiles[bits] = l
		ms := u.fn.NewInstr(bir.Memset, machine.DVE)
		ms.Attrs = &bir.MemsetAttrs{Constant: bits}
		ms.Outs = []bir.Arg{bir.AP(bir.Whole(l))}
		*sets = append(*sets, ms)
	}
	src := in.Ins[0].AP
	part := 0
	if src.Loc.Type == bir.SB {
		part = src.Loc.Base + src.Part // inputs in SBUF start in one quadrant
	} else {
		part = (src.Loc.Base + src.Part) / 32 * 32
	}
	ap := bir.AP(&bir.AccessPattern{Loc: l, DType: dtype.F32, Part: part, NPart: src.NPart, Free: []bir.Dim{{Step: 1, Count: 1}}})
	if len(in.Ins) > 1 {
		in.Ins[1] = ap
	} else {
		in.Ins = append(in.Ins, ap)
	}
}

func hex32(v uint32) string {
	const digits = "0123456789abcdef"
	var b [8]byte
	for i := range b {
		b[i] = digits[v>>(28-4*i)&15]
	}
	return string(b[:])
}

// immF32 returns a constant as the fp32 value arithmetic uses.
func immF32(i *bir.Imm) float32 {
	if i.Type.IsFloat() {
		return float32(i.F)
	}
	return float32(i.I)
}
