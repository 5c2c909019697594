package sim

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/sim/exec"
)

// decodeBIR turns a BIR data-path instruction into its executable form. place says where a location lives.
func decodeBIR(in *bir.Instr, env envFunc, place func(*bir.MemLoc) (exec.Ref, error)) (*exec.Instr, error) {
	x := &exec.Instr{Op: in.Op, Engine: in.Engine}
	var scalars []exec.Scalar
	for i := range in.Ins {
		a := &in.Ins[i]
		switch a.Kind {
		case bir.ArgAP:
			r, err := decodeAP(a.AP, env, place)
			if err != nil {
				return nil, err
			}
			if scalarPosition(in, i) {
				scalars = append(scalars, exec.Scalar{Kind: exec.Pointer, Ptr: r})
				continue
			}
			x.In = append(x.In, r)
		case bir.ArgImm:
			scalars = append(scalars, exec.Scalar{Kind: exec.Immediate, Value: immBits(a.Imm)})
		case bir.ArgReg:
			scalars = append(scalars, exec.Scalar{Kind: exec.Register, Value: uint32(a.Reg.Num)})
		default:
			return nil, diag.Errorf(CodeDecode, locOf(in), "%s: operand %d has no executable form", in.Op, i)
		}
	}
	for i := range in.Outs {
		if in.Outs[i].Kind != bir.ArgAP {
			continue
		}
		r, err := decodeAP(in.Outs[i].AP, env, place)
		if err != nil {
			return nil, err
		}
		x.Out = append(x.Out, r)
	}
	f := attrDecoders[in.Op]
	if f == nil {
		if len(scalars) > 0 {
			return nil, diag.Errorf(CodeDecode, locOf(in), "%s takes no scalar operands", in.Op)
		}
		return x, nil
	}
	if err := f(x, in, scalars); err != nil {
		return nil, err
	}
	return x, nil
}

// envFunc gives the value of an axis or fails.
type envFunc func(e *bir.AccessPattern) (int64, error)

// scalarPosition reports whether input i of in is a scalar or per-partition operand rather than a tensor stream.
func scalarPosition(in *bir.Instr, i int) bool {
	switch in.Op {
	case bir.Activation, bir.RangeSelect, bir.TensorScalarCache:
		return i > 0
	case bir.TensorScalarPtr:
		a := in.Attrs.(*bir.TensorScalarPtrAttrs)
		return i == 1 || i == 2 && !a.ScalarTensorTensor
	case bir.CopyPredicated:
		return i == 2
	}
	return false
}

func immBits(v bir.Imm) uint32 {
	if v.Type.IsFloat() {
		return f32bits(float32(v.F))
	}
	return uint32(v.I)
}

func locOf(in *bir.Instr) diag.Loc {
	if in.Debug == nil {
		return diag.Loc{}
	}
	return in.Debug.Loc
}

// decodeAP places an access pattern.
func decodeAP(p *bir.AccessPattern, env envFunc, place func(*bir.MemLoc) (exec.Ref, error)) (exec.Ref, error) {
	r, err := place(p.Loc)
	if err != nil {
		return r, err
	}
	size := int64(p.DType.Size())
	off := p.Offset
	if p.Expr != nil || p.Reg != nil {
		v, err := env(p)
		if err != nil {
			return r, err
		}
		off += v
	}
	r.Off += off * size
	r.Part += p.Part
	r.NPart = p.NPart
	r.DT = p.DType
	r.Size = int(size)
	for _, d := range p.Free {
		r.Dims = append(r.Dims, exec.Walk{Step: d.Step * size, Count: int(d.Count)})
	}
	r.Normalise()
	return r, nil
}

// attrDecoders fill the op-specific fields from the attributes.
var attrDecoders = map[bir.Opcode]func(*exec.Instr, *bir.Instr, []exec.Scalar) error{
	bir.Matmult: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		a := in.Attrs.(*bir.MatmultAttrs)
		x.AccFlags = a.AccFlags
		if a.IsTranspose {
			x.PEMode = exec.PETranspose
		}
		if len(x.In) == 2 {
			x.K, x.M = x.In[1].NPart, x.In[1].N
		}
		return nil
	},
	bir.Activation: func(x *exec.Instr, in *bir.Instr, s []exec.Scalar) error {
		a := in.Attrs.(*bir.ActivationAttrs)
		x.Func, x.Acc, x.Reduce = a.Func, a.Acc, a.ReduceOp
		if a.Activate2 {
			return diag.Errorf(CodeDecode, locOf(in), "the two-operation form of Activation has no simulator form yet")
		}
		x.S[0] = exec.Scalar{Kind: exec.Immediate, Value: f32bits(a.Scale)}
		x.S[2] = exec.Scalar{Kind: exec.Immediate, Value: f32bits(a.Alpha)}
		if len(s) > 0 {
			x.S[1] = s[0]
		}
		if len(s) > 1 {
			x.S[0] = s[1]
		}
		return nil
	},
	bir.TensorReduce: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		a := in.Attrs.(*bir.TensorReduceAttrs)
		x.Alu[0], x.Negate = a.Op, a.Negate
		switch a.Axis {
		case bir.AxisC:
			x.Axes = exec.AxesPartition
		case bir.AxisXYZWC:
			x.Axes = exec.AxesAll
		default:
			n, free := int(a.Axis)+1, in.Ins[0].AP.Free
			x.Axes = 1
			for i := len(free) - n; i < len(free); i++ {
				if i >= 0 {
					x.Axes *= int(free[i].Count)
				}
			}
		}
		return nil
	},
	bir.Pool: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		x.PoolAvg = in.Attrs.(*bir.PoolAttrs).Func == bir.PoolAvg
		return nil
	},
	bir.TensorScalar: func(x *exec.Instr, in *bir.Instr, s []exec.Scalar) error {
		a := in.Attrs.(*bir.TensorScalarAttrs)
		x.Alu, x.Rev = [2]bir.AluOp{a.Op0, a.Op1}, [2]bool{a.Reverse0, a.Reverse1}
		x.S[0] = exec.Scalar{Kind: exec.Immediate, Value: f32bits(a.Const0)}
		x.S[1] = exec.Scalar{Kind: exec.Immediate, Value: f32bits(a.Const1)}
		return nil
	},
	bir.TensorScalarPtr: func(x *exec.Instr, in *bir.Instr, s []exec.Scalar) error {
		a := in.Attrs.(*bir.TensorScalarPtrAttrs)
		x.Alu, x.Rev = [2]bir.AluOp{a.Op0, a.Op1}, [2]bool{a.Reverse0, a.Reverse1}
		x.Acc, x.Negate = a.Acc, a.NegateSecondOutput
		copy(x.S[:2], s)
		switch {
		case a.TensorTensorScan:
			x.Mode = exec.TensorTensorScan
		case a.ScalarTensorTensor:
			x.Mode = exec.ScalarTensorTensor
		case a.TensorScalarAddr:
			x.Mode = exec.AddressMode
		}
		return nil
	},
	bir.TensorScalarCache: func(x *exec.Instr, in *bir.Instr, s []exec.Scalar) error {
		a := in.Attrs.(*bir.TensorScalarCacheAttrs)
		x.Alu, x.Rev = [2]bir.AluOp{a.Op0, a.Op1}, [2]bool{a.Reverse0, a.Reverse1}
		x.Acc = a.Acc
		copy(x.S[:2], s)
		if a.Mode != bir.TSCReduce {
			x.Mode = exec.Cumulative
		}
		return nil
	},
	bir.TensorTensor: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		x.Alu[0] = in.Attrs.(*bir.TensorTensorAttrs).Op
		return nil
	},
	bir.Iota: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		a := in.Attrs.(*bir.IotaAttrs)
		x.Base, x.ChanMul, x.Pattern = int32(a.Base), int32(a.ChannelMultiplier), walks(a.Pattern)
		return nil
	},
	bir.TensorScalarAffineSelect: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		a := in.Attrs.(*bir.AffineSelectAttrs)
		x.Base, x.ChanMul, x.Pattern = int32(a.Base), int32(a.ChannelMultiplier), walks(a.Pattern)
		x.Alu[0], x.Fill = a.Compare, f32bits(a.Fill)
		return nil
	},
	bir.RangeSelect: func(x *exec.Instr, in *bir.Instr, s []exec.Scalar) error {
		a := in.Attrs.(*bir.RangeSelectAttrs)
		x.Base, x.Alu, x.Acc, x.Fill = int32(a.Base), [2]bir.AluOp{a.Compare0, a.Compare1}, a.Acc, f32bits(a.Fill)
		copy(x.S[:2], s)
		return nil
	},
	bir.CopyPredicated: func(x *exec.Instr, in *bir.Instr, s []exec.Scalar) error {
		a := in.Attrs.(*bir.CopyPredicatedAttrs)
		x.Reverse, x.Acc = a.ReversePred, a.Acc
		if len(x.In) == 1 && len(s) > 0 { // the source is a scalar
			x.S[0] = s[0]
			s = s[1:]
		}
		if len(s) > 0 {
			x.S[1] = s[0]
		}
		return nil
	},
	bir.Memset: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		a := in.Attrs.(*bir.MemsetAttrs)
		if a.Mode != bir.MemsetConst {
			return diag.Errorf(CodeDecode, locOf(in), "Memset with random values has no simulator form yet")
		}
		x.Fill = a.Constant
		return nil
	},
	bir.MatchReplace:            decodeMatchReplace,
	bir.MaxIndexAndMatchReplace: decodeMatchReplace,
	bir.LoadActFuncSet: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		x.Set = in.Attrs.(*bir.LoadActFuncSetAttrs).Set
		return nil
	},
	bir.DveReadAccumulator: func(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
		x.Negate = in.Attrs.(*bir.DveReadAccumulatorAttrs).Negated
		return nil
	},
}

func decodeMatchReplace(x *exec.Instr, in *bir.Instr, _ []exec.Scalar) error {
	x.Fill = f32bits(in.Attrs.(*bir.MatchReplaceAttrs).Imm)
	return nil
}

func walks(ds []bir.Dim) []exec.Walk {
	var out []exec.Walk
	for _, d := range ds {
		out = append(out, exec.Walk{Step: d.Step, Count: int(d.Count)})
	}
	return out
}

// decodeDMA turns a Load, Save or DMACopy into a transfer.
func decodeDMA(in *bir.Instr, stride int64, env envFunc, place func(*bir.MemLoc) (exec.Ref, error)) (exec.Xfer, error) {
	var x exec.Xfer
	if len(in.Ins) != 1 || len(in.Outs) != 1 || in.Ins[0].Kind != bir.ArgAP || in.Outs[0].Kind != bir.ArgAP {
		return x, diag.Errorf(CodeDecode, locOf(in), "%s needs one source and one destination pattern", in.Op)
	}
	src, err := decodeAP(in.Ins[0].AP, env, place)
	if err != nil {
		return x, err
	}
	dst, err := decodeAP(in.Outs[0].AP, env, place)
	if err != nil {
		return x, err
	}
	x.Src, x.Dst = flat(&src, stride), flat(&dst, stride)
	if a, ok := in.Attrs.(*bir.DMAAttrs); ok && a != nil {
		switch a.Op {
		case bir.AluBypass:
		case bir.AluAdd:
			x.Op = exec.XferAdd
		case bir.AluMin:
			x.Op = exec.XferMin
		case bir.AluMax:
			x.Op = exec.XferMax
		default:
			return x, diag.Errorf(CodeDecode, locOf(in), "%s: a DMA cannot combine by %s", in.Op, a.Op)
		}
		if a.Mode == bir.CopyTranspose {
			return x, diag.Errorf(CodeDecode, locOf(in), "DMA transpose has no simulator form yet")
		}
	}
	return x, nil
}

// flat gives an operand as the DMA sees it: partitions are one more dimension.
func flat(r *exec.Ref, stride int64) exec.Flat {
	f := exec.Flat{Space: r.Space, Var: r.Var, Off: r.Off, DT: r.DT, Dims: r.Dims}
	if r.Space != exec.DRAM {
		f.Off += int64(r.Part) * stride
		f.Dims = append([]exec.Walk{{Step: stride, Count: r.NPart}}, r.Dims...)
	}
	return f
}

// errUnknown reports a location nobody placed.
func errUnknown(l *bir.MemLoc) error {
	return diag.Errorf(CodeDecode, diag.Loc{}, "memory location %s has no place", l.Name)
}
