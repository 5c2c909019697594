package sim

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim/exec"
)

// bundleDecoder turns the bundles of one engine into stream entries. Sequences that belong together (a parameter
// load and the operation that uses it, an operation and its accumulator read-out) stay separate entries, as the
// engine executes them.
type bundleDecoder struct {
	eng  machine.Engine
	gen  machine.Gen
	ocp  bool
	vals exec.Ref // operand of the last MatchValueLoad
	prog *Program
}

// aluOf and the maps below are the inverse of the encoder's tables.
var (
	aluOf = map[isa.ALU]bir.AluOp{isa.AluIntAdd: bir.AluAdd, isa.AluIntMult: bir.AluMult, isa.AluIntSubtract: bir.AluSubtract, isa.AluIntDivide: bir.AluDivide}
	actOf = map[isa.Act]bir.ActFunc{}
	accOf = map[isa.Acc]bir.AccType{isa.AccIdle: bir.AccIdle, isa.AccZero: bir.AccZero, isa.AccAdd: bir.AccAddAccumulate,
		isa.AccZeroAccumulate: bir.AccZeroAccumulate, isa.AccLoad: bir.AccLoadAccumulate}
)

func init() {
	for op := bir.AluBypass; op <= bir.AluModInt; op++ {
		if w, err := isa.ALUFromBIR(int(op)); err == nil {
			aluOf[w] = op
		}
	}
	for f := bir.ActIdentity; f < bir.ActUnknown; f++ {
		if w, err := isa.ActFromBIR(int(f)); err == nil {
			actOf[w] = f
		}
	}
}

// ref decodes a static descriptor of n partitions.
func (d *bundleDecoder) ref(in *isa.Inst, f, dt isa.FieldID, n int) (exec.Ref, error) {
	t := in.Tensor(f)
	if t == nil || t.Kind != isa.DescStatic || t.Addr.IsReg() || t.Addr.IsActive() {
		return exec.Ref{}, diag.Errorf(CodeDecode, diag.Loc{}, "%s: operand %s has a form the simulator does not execute", in.Info.Name, f)
	}
	r := d.place(t.Addr, in.DType(dt), n)
	size := int64(r.DT.Size())
	for i := int(t.N) - 1; i >= 0; i-- {
		r.Dims = append(r.Dims, exec.Walk{Step: int64(t.Step[i]) * size, Count: int(t.Num[i])})
	}
	r.Normalise()
	return r, nil
}

// place resolves an on-chip address.
func (d *bundleDecoder) place(a isa.Addr, dt isa.DType, n int) exec.Ref {
	r := exec.Ref{Part: a.Partition(), Off: a.Offset(), NPart: n, DT: dt.Type(d.ocp)}
	if a.IsPSUM() {
		r.Space = exec.PSUM
	}
	r.Size = r.DT.Size()
	r.N = 1
	return r
}

// scalar decodes a scalar operand; pointers name one element a partition.
func (d *bundleDecoder) scalar(in *isa.Inst, f isa.FieldID, dt isa.DType, n int) exec.Scalar {
	src, v := in.Imm(f)
	switch src {
	case isa.ImmImmediate:
		return exec.Scalar{Kind: exec.Immediate, Value: v}
	case isa.ImmRegister:
		return exec.Scalar{Kind: exec.Register, Value: v}
	}
	if dt == 0 {
		dt = isa.DTF32
	}
	return exec.Scalar{Kind: exec.Pointer, Ptr: d.place(isa.Addr(v), dt, n)}
}

// refs decodes several operands of one partition count.
func (d *bundleDecoder) refs(in *isa.Inst, n int, fields ...isa.FieldID) ([]exec.Ref, error) {
	var out []exec.Ref
	for i := 0; i < len(fields); i += 2 {
		r, err := d.ref(in, fields[i], fields[i+1], n)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// dataDecoders fills the executable form of each data-path opcode.
var dataDecoders = map[isa.Opcode]func(*bundleDecoder, *isa.Inst, *exec.Instr) error{
	isa.OpLdweights: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op = bir.Matmult
		x.In, err = d.refs(in, in.Int(isa.FNumActiveRows), isa.FWeights, isa.FInDtype)
		if err == nil && in.Int(isa.FBgTranspose) != 0 {
			err = diag.Errorf(CodeDecode, diag.Loc{}, "Ldweights in transpose mode has no simulator form")
		}
		return err
	},
	isa.OpMatmul: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op = bir.Matmult
		x.K, x.M = in.Int(isa.FNumActiveRows), in.Int(isa.FNumActiveCols)
		if x.In, err = d.refs(in, x.K, isa.FMoving, isa.FInDtype); err != nil {
			return err
		}
		x.AccFlags = uint8(in.Int(isa.FAccFlags))
		if in.Int(isa.FPeMode) == 3 {
			x.PEMode = exec.PETranspose
		}
		t := in.Tensor(isa.FDst)
		dt := isa.DTF32
		if v := in.DType(isa.FDstDtype); v != 0 {
			dt = v
		}
		if x.PEMode == exec.PETranspose && d.gen >= machine.Gen3 {
			dt = in.DType(isa.FInDtype) // refined at run time by the stationary operand
		}
		r := d.place(t.Addr, dt, x.M)
		for i := int(t.N) - 1; i >= 0; i-- {
			r.Dims = append(r.Dims, exec.Walk{Step: int64(t.Step[i]) * int64(r.Size), Count: int(t.Num[i])})
		}
		r.Normalise()
		x.Out = []exec.Ref{r}
		return nil
	},
	isa.OpActivate: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op = bir.Activation
		n := in.Int(isa.FNumActiveChannels)
		if err = d.inOut(in, x, n, isa.FInDtype); err != nil {
			return err
		}
		f, ok := actOf[in.Act(isa.FFunc)]
		if !ok {
			return diag.Errorf(CodeDecode, diag.Loc{}, "unknown activation function %d", in.Int(isa.FFunc))
		}
		x.Func, x.Acc, x.Reduce = f, accOf[in.Acc(isa.FAccCmd)], bir.AluAdd
		x.S[0] = d.scalar(in, isa.FScale, isa.DTF32, n)
		x.S[1] = d.scalar(in, isa.FBias, in.DType(isa.FBiasDtype), n)
		x.S[2] = d.scalar(in, isa.FAlpha, isa.DTF32, n)
		return nil
	},
	isa.OpActivationTableLoad: func(_ *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
		x.Op, x.Set = bir.LoadActFuncSet, in.Int(isa.FActTblSel)
		return nil
	},
	isa.OpActivationReadAccumulator:   readAcc(bir.ActivationReadAccumulator),
	isa.OpDveReadAccumulator:          readAcc(bir.DveReadAccumulator),
	isa.OpTensorScalarArithOp:         tensorScalar(bir.TensorScalarPtr, exec.Plain),
	isa.OpTensorScalarBitvecOp:        tensorScalar(bir.TensorScalarPtr, exec.Plain),
	isa.OpTensorScalarCacheReduce:     tensorScalar(bir.TensorScalarPtr, exec.Plain),
	isa.OpTensorScalarCacheCumulative: tensorScalar(bir.TensorScalarCache, exec.Cumulative),
	isa.OpScalarTensorTensorArith:     scalarTensorTensor(exec.ScalarTensorTensor),
	isa.OpScalarTensorTensorBitvec:    scalarTensorTensor(exec.ScalarTensorTensor),
	isa.OpTensorTensorScanArith:       scalarTensorTensor(exec.TensorTensorScan),
	isa.OpTensorTensorArithOp:         tensorTensor,
	isa.OpTensorTensorBitvecOp:        tensorTensor,
	isa.OpTensorScalarAddr: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
		x.Op, x.Mode = bir.TensorScalarPtr, exec.AddressMode
		n := in.Int(isa.FNumActiveChannels)
		if err := d.inOut(in, x, n, isa.FInDtype); err != nil {
			return err
		}
		x.S[0] = d.scalar(in, isa.FScalar0, in.DType(isa.FScalar0Dtype), n)
		x.S[1] = d.scalar(in, isa.FScalar1, in.DType(isa.FScalar1Dtype), n)
		return d.ops(in, x)
	},
	isa.OpCopyPredicated: copyPredicated,
	isa.OpCastPredicated: copyPredicated,
	isa.OpCopyPredicatedScalar: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op = bir.CopyPredicated
		n := in.Int(isa.FNumActiveChannels)
		if x.In, err = d.refs(in, n, isa.FMask, isa.FMaskDtype); err != nil {
			return err
		}
		x.Reverse = in.Int(isa.FReverse)&1 != 0
		x.S[0] = d.scalar(in, isa.FScalar0, in.DType(isa.FSrcDtype), n)
		x.Out, err = d.refs(in, n, isa.FDst, isa.FOutDtype)
		return err
	},
	isa.OpSelectReduce: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op = bir.CopyPredicated
		n := in.Int(isa.FNumActiveChannels)
		if x.In, err = d.refs(in, n, isa.FSrc, isa.FSrcDtype, isa.FMask, isa.FMaskDtype); err != nil {
			return err
		}
		x.Reverse, x.Acc = in.Int(isa.FReverse)&1 != 0, accOf[in.Acc(isa.FAccCmd)]
		x.S[1] = d.scalar(in, isa.FFalseValue, in.DType(isa.FFalseDtype), n)
		x.Out, err = d.refs(in, n, isa.FDst, isa.FOutDtype)
		return err
	},
	isa.OpCopy:       plain(bir.TensorCopy),
	isa.OpCast:       plain(bir.TensorCopy),
	isa.OpReciprocal: plain(bir.Reciprocal),
	isa.OpMemset: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op, x.Fill = bir.Memset, in.Uint32(isa.FFill)
		x.Out, err = d.refs(in, in.Int(isa.FNumActiveChannels), isa.FDst, isa.FDtype)
		return err
	},
	isa.OpPool: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
		x.Op, x.PoolAvg = bir.Pool, in.Int(isa.FFunc) == 2
		return d.inOut(in, x, in.Int(isa.FNumActiveChannels), isa.FInDtype)
	},
	isa.OpTensorReduceArithOp:   tensorReduce,
	isa.OpTensorReduceBitvecOp:  tensorReduce,
	isa.OpCrossLaneReduceArith:  crossLane,
	isa.OpCrossLaneReduceBitvec: crossLane,
	isa.OpIota: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op = bir.Iota
		d.pattern(in, x)
		x.Out, err = d.refs(in, in.Int(isa.FNumActiveChannels), isa.FDst, isa.FOutDtype)
		return err
	},
	isa.OpTensorScalarAffineSelect: affineSelect,
	isa.OpRangeSelect: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
		x.Op = bir.RangeSelect
		n := in.Int(isa.FNumActiveChannels)
		if err := d.inOut(in, x, n, isa.FInDtype); err != nil {
			return err
		}
		x.Alu = [2]bir.AluOp{aluOf[in.ALU(isa.FCompOp0)], aluOf[in.ALU(isa.FCompOp1)]}
		x.Base, x.Fill, x.Acc = int32(in.F32(isa.FRangeStart)), in.Uint32(isa.FOnFalse), accOf[in.Acc(isa.FAccCmd)]
		x.S[0], x.S[1] = d.scalar(in, isa.FBound0, isa.DTF32, n), d.scalar(in, isa.FBound1, isa.DTF32, n)
		return nil
	},
	isa.OpBatchNormStats2:    plain(bir.BNStats),
	isa.OpBatchNormAggregate: plain(bir.BNStatsAggregate),
	isa.OpMax8:               plain(bir.Max),
	isa.OpFindIndex8: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
		x.Op = bir.MaxIndex
		if err := d.inOut(in, x, in.Int(isa.FNumActiveChannels), isa.FInDtype); err != nil {
			return err
		}
		x.In = []exec.Ref{d.vals, x.In[0]}
		return nil
	},
	isa.OpMatchReplace8: func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
		x.Op, x.Fill = bir.MatchReplace, in.Uint32(isa.FReplaceValue)
		if err := d.inOut(in, x, in.Int(isa.FNumActiveChannels), isa.FInDtype); err != nil {
			return err
		}
		x.In = []exec.Ref{d.vals, x.In[0]}
		return nil
	},
	isa.OpStreamTranspose: plain(bir.StreamTranspose),
}

// inOut decodes the usual source and destination.
func (d *bundleDecoder) inOut(in *isa.Inst, x *exec.Instr, n int, inDT isa.FieldID) (err error) {
	if x.In, err = d.refs(in, n, isa.FSrc, inDT); err != nil {
		return err
	}
	x.Out, err = d.refs(in, n, isa.FDst, isa.FOutDtype)
	return err
}

func (d *bundleDecoder) ops(in *isa.Inst, x *exec.Instr) error {
	for i, f := range []isa.FieldID{isa.FOp0, isa.FOp1} {
		op, ok := aluOf[in.ALU(f)]
		if !ok {
			return diag.Errorf(CodeDecode, diag.Loc{}, "%s: ALU operation 0x%02x is unknown", in.Info.Name, in.Int(f))
		}
		x.Alu[i] = op
		x.Rev[i] = in.Int(isa.FReverse)>>i&1 != 0
	}
	return nil
}

func plain(op bir.Opcode) func(*bundleDecoder, *isa.Inst, *exec.Instr) error {
	return func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
		x.Op = op
		return d.inOut(in, x, in.Int(isa.FNumActiveChannels), isa.FInDtype)
	}
}

func readAcc(op bir.Opcode) func(*bundleDecoder, *isa.Inst, *exec.Instr) error {
	return func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op, x.Negate = op, in.Int(isa.FNegated) != 0
		x.Out, err = d.refs(in, in.Int(isa.FNumActiveChannels), isa.FDst, isa.FDtype)
		return err
	}
}

func tensorScalar(op bir.Opcode, mode exec.Mode) func(*bundleDecoder, *isa.Inst, *exec.Instr) error {
	return func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
		x.Op, x.Mode = op, mode
		n := in.Int(isa.FNumActiveChannels)
		if err := d.inOut(in, x, n, isa.FInDtype); err != nil {
			return err
		}
		x.Acc = accOf[in.Acc(isa.FAccCmd)]
		x.S[0] = d.scalar(in, isa.FImm0, in.DType(isa.FImm0Dtype), n)
		x.S[1] = d.scalar(in, isa.FImm1, in.DType(isa.FImm1Dtype), n)
		return d.ops(in, x)
	}
}

func scalarTensorTensor(mode exec.Mode) func(*bundleDecoder, *isa.Inst, *exec.Instr) error {
	return func(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
		x.Op, x.Mode = bir.TensorScalarPtr, mode
		n := in.Int(isa.FNumActiveChannels)
		if x.In, err = d.refs(in, n, isa.FSrc0, isa.FSrc0Dtype, isa.FSrc1, isa.FSrc1Dtype); err != nil {
			return err
		}
		if x.Out, err = d.refs(in, n, isa.FDst, isa.FOutDtype); err != nil {
			return err
		}
		x.Acc = accOf[in.Acc(isa.FAccCmd)]
		x.S[0] = d.scalar(in, isa.FImm0, in.DType(isa.FImm0Dtype), n)
		return d.ops(in, x)
	}
}

func tensorTensor(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
	x.Op = bir.TensorTensor
	n := in.Int(isa.FNumActiveChannels)
	if x.In, err = d.refs(in, n, isa.FSrc0, isa.FIn0Dtype, isa.FSrc1, isa.FIn1Dtype); err != nil {
		return err
	}
	if x.Out, err = d.refs(in, n, isa.FDst, isa.FOutDtype); err != nil {
		return err
	}
	op, ok := aluOf[in.ALU(isa.FOp)]
	if !ok {
		return diag.Errorf(CodeDecode, diag.Loc{}, "TensorTensor: ALU operation 0x%02x is unknown", in.Int(isa.FOp))
	}
	x.Alu[0] = op
	return nil
}

func copyPredicated(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
	x.Op, x.Reverse = bir.CopyPredicated, in.Int(isa.FReverse)&1 != 0
	n := in.Int(isa.FNumActiveChannels)
	if x.In, err = d.refs(in, n, isa.FSrc, isa.FSrcDtype, isa.FMask, isa.FMaskDtype); err != nil {
		return err
	}
	x.Out, err = d.refs(in, n, isa.FDst, isa.FOutDtype)
	return err
}

// tensorReduce: the axis byte counts the reduced slots, innermost first.
func tensorReduce(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
	x.Op, x.Negate = bir.TensorReduce, in.Int(isa.FNegated) != 0
	t := in.Tensor(isa.FSrc)
	x.Axes = 1
	for i := 0; i < in.Int(isa.FAxis)-1 && i < int(t.N); i++ {
		x.Axes *= int(t.Num[i])
	}
	op, ok := aluOf[in.ALU(isa.FOp)]
	if !ok {
		return diag.Errorf(CodeDecode, diag.Loc{}, "TensorReduce: ALU operation 0x%02x is unknown", in.Int(isa.FOp))
	}
	x.Alu[0] = op
	return d.inOut(in, x, in.Int(isa.FNumActiveChannels), isa.FInDtype)
}

// crossLaneOps are the reduce_cmd values of the cross-lane opcodes (isa.md 7.8).
var crossLaneOps = [...]bir.AluOp{bir.AluAdd, bir.AluAverage, bir.AluMax, bir.AluBitwiseOr, bir.AluBitwiseAnd, bir.AluBitwiseXor}

func crossLane(d *bundleDecoder, in *isa.Inst, x *exec.Instr) (err error) {
	x.Op, x.Axes = bir.TensorReduce, exec.AxesAll
	if in.Int(isa.FChannelOnly) != 0 {
		x.Axes = exec.AxesPartition
	}
	k := in.Int(isa.FReduceCmd)
	if k >= len(crossLaneOps) {
		return diag.Errorf(CodeDecode, diag.Loc{}, "cross-lane reduction %d is unknown", k)
	}
	x.Alu[0] = crossLaneOps[k]
	if x.In, err = d.refs(in, in.Int(isa.FNumActiveChannels), isa.FSrc, isa.FInDtype); err != nil {
		return err
	}
	x.Out, err = d.refs(in, 1, isa.FDst, isa.FOutDtype)
	return err
}

// pattern decodes the index expression of Iota and affine select; the fields are innermost first.
func (d *bundleDecoder) pattern(in *isa.Inst, x *exec.Instr) {
	x.Base, x.ChanMul = int32(in.Get(isa.FOffset)), int32(in.Get(isa.FChannelMultiplier))
	steps := [...]isa.FieldID{isa.FStep3, isa.FStep2, isa.FStep1, isa.FStep0}
	nums := [...]isa.FieldID{isa.FNum3, isa.FNum2, isa.FNum1, isa.FNum0}
	for i := range steps {
		if n := in.Int(nums[i]); n > 1 {
			x.Pattern = append(x.Pattern, exec.Walk{Step: in.Get(steps[i]), Count: n})
		}
	}
}

// affineSelect: source, destination and pattern share one loop nest.
func affineSelect(d *bundleDecoder, in *isa.Inst, x *exec.Instr) error {
	x.Op = bir.TensorScalarAffineSelect
	d.pattern(in, x)
	op, ok := aluOf[in.ALU(isa.FCmpOp)]
	if !ok {
		return diag.Errorf(CodeDecode, diag.Loc{}, "affine select: comparison 0x%02x is unknown", in.Int(isa.FCmpOp))
	}
	x.Alu[0], x.Fill = op, in.Uint32(isa.FOnFalse)
	n := in.Int(isa.FNumActiveChannels)
	side := func(addr, dt isa.FieldID, steps [3]isa.FieldID) exec.Ref {
		r := d.place(in.Addr(addr), in.DType(dt), n)
		size := int64(r.Size)
		nums := [3]isa.FieldID{isa.FNum0, isa.FNum1, isa.FNum2}
		if k := in.Int(isa.FNum3); k > 1 { // the spare axis continues the third
			r.Dims = append(r.Dims, exec.Walk{Step: in.Get(steps[2]) * in.Get(isa.FNum2) * size, Count: k})
		}
		for i := 2; i >= 0; i-- {
			r.Dims = append(r.Dims, exec.Walk{Step: in.Get(steps[i]) * size, Count: in.Int(nums[i])})
		}
		r.Normalise()
		return r
	}
	x.In = []exec.Ref{side(isa.FSrcAddr, isa.FInDtype, [3]isa.FieldID{isa.FSrcStep0, isa.FSrcStep1, isa.FSrcStep2})}
	x.Out = []exec.Ref{side(isa.FDstAddr, isa.FOutDtype, [3]isa.FieldID{isa.FDstStep0, isa.FDstStep1, isa.FDstStep2})}
	return nil
}
