package sim

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/sim/exec"
	"github.com/alcadev/alca/internal/sim/timeline"
)

// entry decodes one bundle, synchronisation included.
func (d *bundleDecoder) entry(in *isa.Inst) (timeline.Entry, error) {
	var en timeline.Entry
	for _, w := range in.Waits() {
		x := timeline.Wait{ID: w.ID, Value: w.Value, Reg: -1}
		switch w.Mode {
		case isa.WaitSemGE:
		case isa.WaitSemEQ:
			x.Equal = true
		case isa.WaitSemGEReg:
			x.Reg = int(w.Value) & 63
		case isa.WaitEventSetThenClear:
			x.Event = true
		default:
			return en, diag.Errorf(CodeDecode, diag.Loc{}, "%s: wait mode 0x%02x has no simulator form", in.Info.Name, uint8(w.Mode))
		}
		en.Waits = append(en.Waits, x)
	}
	for _, u := range in.Updates() {
		if en.Update != nil {
			return en, diag.Errorf(CodeDecode, diag.Loc{}, "%s carries two updates", in.Info.Name)
		}
		x := &timeline.Update{ID: u.ID, AtRead: u.Mode&isa.UpdateComplete == 0}
		switch u.Mode.Op() {
		case isa.UpdateEventSet:
			x.Op = timeline.SetEvent
		case isa.UpdateEventClr:
			x.Op = timeline.ClearEvent
		case isa.UpdateInc:
			x.Op, x.Value = timeline.Add, 1
		case isa.UpdateDec:
			x.Op, x.Value = timeline.Add, -1
		case isa.UpdateAdd:
			x.Op, x.Value = timeline.Add, u.Value
		case isa.UpdateSub:
			x.Op, x.Value = timeline.Add, -u.Value
		case isa.UpdateWrite:
			x.Op, x.Value = timeline.Write, u.Value
		}
		en.Update = x
	}
	if f := dataDecoders[in.Op()]; f != nil {
		x := &exec.Instr{Engine: d.eng}
		if err := f(d, in, x); err != nil {
			return en, err
		}
		en.Data = x
		switch in.Op() {
		case isa.OpLdweights:
			en.Kind = timeline.LoadWeights
		case isa.OpMatmul:
			en.Kind = timeline.Multiply
		}
		return en, nil
	}
	f := controlDecoders[in.Op()]
	if f == nil {
		return en, diag.Errorf(CodeDecode, diag.Loc{}, "the simulator does not execute %s (0x%02x)", in.Info.Name, uint8(in.Op()))
	}
	return en, f(d, in, &en)
}

// simple returns a decoder for opcodes that are only a kind.
func simple(k timeline.Kind) func(*bundleDecoder, *isa.Inst, *timeline.Entry) error {
	return func(_ *bundleDecoder, _ *isa.Inst, en *timeline.Entry) error {
		en.Kind = k
		return nil
	}
}

// controlDecoders fills the entries of sequencer opcodes.
var controlDecoders = map[isa.Opcode]func(*bundleDecoder, *isa.Inst, *timeline.Entry) error{
	isa.OpNop:                      simple(timeline.Nop),
	isa.OpDrain:                    simple(timeline.Drain),
	isa.OpHalt:                     simple(timeline.Halt),
	isa.OpPseudoInst:               simple(timeline.Halt),
	isa.OpPseudoSyncBarrier:        simple(timeline.Barrier),
	isa.OpEventSemaphore:           simple(timeline.EventSemaphore),
	isa.OpPseudoDMARearm:           simple(timeline.Rewind),
	isa.OpPseudoDMASwapQueueSet:    simple(timeline.Rewind),
	isa.OpPseudoBranchPrefetchHint: simple(timeline.Nop),
	isa.OpMatchValueLoad: func(d *bundleDecoder, in *isa.Inst, en *timeline.Entry) (err error) {
		en.Kind = timeline.Nop
		d.vals, err = d.ref(in, isa.FVals, isa.FInDtype, in.Int(isa.FNumActiveChannels))
		return err
	},
	isa.OpEventSemaphoreRangeClear: func(_ *bundleDecoder, in *isa.Inst, en *timeline.Entry) error {
		en.Kind = timeline.ResetSemaphores
		en.Ctl = &timeline.Control{First: uint8(in.Int(isa.FRangeFirst)), Last: uint8(in.Int(isa.FRangeLast))}
		if in.Int(isa.FClearMode) == 2 {
			en.Ctl.Mask = in.Mask
		}
		return nil
	},
	isa.OpCompareBranch: func(_ *bundleDecoder, in *isa.Inst, en *timeline.Entry) error {
		en.Kind = timeline.Branch
		c := &timeline.Control{Target: in.Int(isa.FTargetPC), A: in.Int(isa.FLhsReg), B: in.Int(isa.FRhsReg), Imm: in.Get(isa.FImm)}
		op := isa.Cmp(in.Int(isa.FCompOp))
		c.UseImm = !op.IsReg()
		if !c.UseImm {
			op -= isa.CmpLTReg - isa.CmpLT
		}
		c.Cmp = [...]timeline.Compare{timeline.Always, timeline.LT, timeline.LE, timeline.EQ, timeline.NE, timeline.GE, timeline.GT}[op]
		t := in.DType(isa.FDtype)
		c.Unsigned = t == isa.DTU32 || t == isa.DTU16 || t == isa.DTU8
		en.Ctl = c
		return nil
	},
	isa.OpMove: func(_ *bundleDecoder, in *isa.Inst, en *timeline.Entry) error {
		en.Kind = timeline.RegMove
		en.Ctl = &timeline.Control{UseImm: in.Int(isa.FSrcMode) == 1, Imm: in.Get(isa.FImm), A: in.Int(isa.FSrcReg), Dst: in.Int(isa.FDstReg)}
		return nil
	},
	isa.OpAluOp: func(_ *bundleDecoder, in *isa.Inst, en *timeline.Entry) error {
		en.Kind = timeline.RegALU
		f := exec.RegisterOp(aluOf[in.ALU(isa.FOp)])
		if f == nil {
			return diag.Errorf(CodeDecode, diag.Loc{}, "registers cannot compute ALU operation 0x%02x", in.Int(isa.FOp))
		}
		en.Ctl = &timeline.Control{Alu: f, UseImm: in.Int(isa.FOperandMode) == 1, Imm: in.Get(isa.FImm), A: in.Int(isa.FSrc1Reg),
			B: in.Int(isa.FSrc2Reg), Dst: in.Int(isa.FDstReg)}
		return nil
	},
	isa.OpTensorLoad:        chipLoad(timeline.RegLoad),
	isa.OpTensorStore:       chipLoad(timeline.RegStore),
	isa.OpPseudoTensorLoad:  dramLoad(timeline.RegLoad),
	isa.OpPseudoTensorStore: dramLoad(timeline.RegStore),
	isa.OpPseudoDMATrigger: func(d *bundleDecoder, in *isa.Inst, en *timeline.Entry) error {
		en.Kind = timeline.Trigger
		key := blockKey(d.eng, in.Name)
		q := d.prog.tl.Queues[key]
		if q == nil || q.Blocks[in.Int(isa.FBlockID)] == nil {
			return diag.Errorf(CodeProgram, diag.Loc{}, "trigger names block %d of queue %q, which has no descriptors on this engine", in.Int(isa.FBlockID), in.Name)
		}
		en.Ctl = &timeline.Control{Queue: key, Block: in.Int(isa.FBlockID)}
		return nil
	},
	isa.OpPseudoDmaDirect2d: direct2d,
}

func chipLoad(k timeline.Kind) func(*bundleDecoder, *isa.Inst, *timeline.Entry) error {
	return func(d *bundleDecoder, in *isa.Inst, en *timeline.Entry) error {
		en.Kind = k
		a := uint64(in.Get(isa.FAddr))
		if a>>63 != 0 {
			return diag.Errorf(CodeDecode, diag.Loc{}, "%s with an address in registers has no simulator form", in.Info.Name)
		}
		r := d.place(isa.Addr(uint32(a)), in.DType(isa.FDtype), 1)
		en.Ctl = &timeline.Control{Ref: r, Dst: in.Int(isa.FReg), A: in.Int(isa.FReg)}
		return nil
	}
}

func dramLoad(k timeline.Kind) func(*bundleDecoder, *isa.Inst, *timeline.Entry) error {
	return func(d *bundleDecoder, in *isa.Inst, en *timeline.Entry) error {
		en.Kind = k
		r := exec.Ref{Space: exec.DRAM, Var: in.Int(isa.FVarID), Off: in.Get(isa.FVarOffset), DT: in.DType(isa.FDtype).Type(d.ocp), N: 1}
		r.Size = r.DT.Size()
		en.Ctl = &timeline.Control{Ref: r, Dst: in.Int(isa.FReg), A: in.Int(isa.FReg)}
		return nil
	}
}

// direct2d decodes a transfer described in the stream: num1 x num0 elements of elem_size contiguous bytes.
func direct2d(d *bundleDecoder, in *isa.Inst, en *timeline.Entry) error {
	en.Kind = timeline.Direct
	x := &timeline.DirectXfer{SrcReg: -1, DstReg: -1}
	var err error
	if x.Xfer.Src, x.SrcReg, err = d.side2d(in, isa.FSrc, isa.FSrcOffsetReg, isa.FSrcDtype, isa.FSrcElemSize,
		[2]isa.FieldID{isa.FSrcStep0, isa.FSrcStep1}, [2]isa.FieldID{isa.FSrcNum0, isa.FSrcNum1}); err != nil {
		return err
	}
	if x.Xfer.Dst, x.DstReg, err = d.side2d(in, isa.FDst, isa.FDstOffsetReg, isa.FDstDtype, isa.FDstElemSize,
		[2]isa.FieldID{isa.FDstStep0, isa.FDstStep1}, [2]isa.FieldID{isa.FDstNum0, isa.FDstNum1}); err != nil {
		return err
	}
	if inc := in.Int(isa.FSemIncrement); inc > 0 {
		x.Sem = &timeline.SemAdd{ID: uint8(in.Int(isa.FSemaphore)), Value: int32(inc)}
	}
	if in.Int(isa.FSyncCommand) == 1 {
		return diag.Errorf(CodeDecode, diag.Loc{}, "DMA transpose has no simulator form")
	}
	en.Ctl = &timeline.Control{Xfer: x}
	return nil
}

func (d *bundleDecoder) side2d(in *isa.Inst, addr, reg, dt, elem isa.FieldID, steps, nums [2]isa.FieldID) (exec.Flat, int, error) {
	a := in.Addr8(addr)
	f := exec.Flat{DT: in.DType(dt).Type(d.ocp), Off: int64(a.Imm())}
	r := -1
	if v := in.Int(reg); v&0x80 != 0 {
		r = v & 63
	}
	switch {
	case a.IsOnChip():
	case a.Mode() == isa.ModePhysical:
		f.Space, f.Var = exec.DRAM, a.Var()
	case a.Mode() == isa.ModeDGE || a.Mode() == isa.ModeDGEReg:
		t := d.prog.sub.Var(dgeVar(d.prog, a.Var()))
		if t == nil {
			return f, r, diag.Errorf(CodeProgram, diag.Loc{}, "DMA names entry %d of the address table, which does not exist", a.Var())
		}
		f.Space, f.Var = exec.DRAM, t.ID
		if a.Mode() == isa.ModeDGEReg {
			r, f.Off = int(a.Imm())&63, 0
		}
	default:
		return f, r, diag.Errorf(CodeDecode, diag.Loc{}, "DMA address mode 0x%02x has no simulator form", uint8(a.Mode()))
	}
	size := in.Int(elem)
	if size == 0 {
		size = 65536
	}
	es := f.DT.Size()
	if size%es != 0 {
		return f, r, diag.Errorf(CodeProgram, diag.Loc{}, "DMA element of %d bytes is not a multiple of %s", size, f.DT)
	}
	f.Dims = []exec.Walk{{Step: in.Get(steps[1]), Count: in.Int(nums[1])}, {Step: in.Get(steps[0]), Count: in.Int(nums[0])}, {Step: int64(es), Count: size / es}}
	return f, r, nil
}

// dgeVar resolves an entry of the address table.
func dgeVar(p *Program, entry int) int {
	for _, v := range p.sub.Vars {
		if len(v.List) > 0 && entry < len(v.List) {
			return v.List[entry]
		}
	}
	return -1
}

// extend applies the extension bundle that follows a DMA: run-time bounds, gather and scatter, accumulation.
func (d *bundleDecoder) extend(en *timeline.Entry, in *isa.Inst) error {
	if en.Ctl == nil || en.Ctl.Xfer == nil {
		return diag.Errorf(CodeProgram, diag.Loc{}, "%s does not follow a DMA", in.Info.Name)
	}
	x := en.Ctl.Xfer
	x.SrcLo, x.SrcHi = in.Get(isa.FSrcBoundLo), in.Get(isa.FSrcBoundHi)
	x.DstLo, x.DstHi = in.Get(isa.FDstBoundLo), in.Get(isa.FDstBoundHi)
	x.SkipOOB = in.Int(isa.FOobMode) == 1
	if in.Int(isa.FComputeOp) == 1 {
		x.Xfer.Op = exec.XferAdd
	}
	flags := in.Int(isa.FFlags)
	if dir := flags & 3; dir != 0 {
		x.Scatter = dir == 2
		a := in.Uint32(isa.FSrcIdxStartAddr)
		if x.Scatter {
			a = in.Uint32(isa.FDstIdxStartAddr)
		}
		dt := isa.DTI32
		if flags>>4&3 == 1 {
			dt = isa.DTU32
		}
		r := d.place(isa.Addr(a), dt, in.Int(isa.FNumIndices))
		x.Index = &r
	}
	return nil
}
