package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

func encBNStats(g *gen, in *bir.Instr) error {
	op := map[bir.Opcode]isa.Opcode{bir.BNStats: isa.OpBatchNormStats2, bir.BNStatsAggregate: isa.OpBatchNormAggregate, bir.Max: isa.OpMax8}[in.Op]
	x := isa.New(op)
	if err := g.unary(&x, in); err != nil {
		return err
	}
	if in.Op == bir.BNStats {
		n := in.Ins[0].AP.Elems()
		x.SetF32(isa.FEvenCount, float32((n+1)/2))
		x.SetF32(isa.FOddCount, float32(n/2))
	}
	g.emit(x)
	return nil
}

func (g *gen) matchValues(in *bir.Instr) error {
	v, err := need(in, in.Ins, 0, "vals")
	if err != nil {
		return err
	}
	x := isa.New(isa.OpMatchValueLoad)
	x.Set(isa.FNumActiveChannels, int64(v.NPart))
	if err := wire(&x, isa.FInDtype, v.DType); err != nil {
		return err
	}
	if err := g.operand(&x, isa.FVals, v); err != nil {
		return err
	}
	g.emit(x)
	return nil
}

// second encodes the search half, whose source is operand 1.
func (g *gen) second(x *isa.Inst, in *bir.Instr) error {
	src, err := need(in, in.Ins, 1, "data")
	if err != nil {
		return err
	}
	if err := g.operand(x, isa.FSrc, src); err != nil {
		return err
	}
	if err := wire(x, isa.FInDtype, src.DType); err != nil {
		return err
	}
	return g.dst(x, in)
}

func encMaxIndex(g *gen, in *bir.Instr) error {
	if err := g.matchValues(in); err != nil {
		return err
	}
	x := isa.New(isa.OpFindIndex8)
	if err := g.second(&x, in); err != nil {
		return err
	}
	g.emit(x)
	return nil
}

func encMatchReplace(g *gen, in *bir.Instr) error {
	if err := g.matchValues(in); err != nil {
		return err
	}
	x := isa.New(isa.OpMatchReplace8)
	if err := g.second(&x, in); err != nil {
		return err
	}
	x.SetF32(isa.FReplaceValue, in.Attrs.(*bir.MatchReplaceAttrs).Imm)
	g.emit(x)
	return nil
}

func encShuffle(g *gen, in *bir.Instr) error {
	src, err := need(in, in.Ins, 0, "src")
	if err != nil {
		return err
	}
	dst, err := need(in, in.Outs, 0, "dst")
	if err != nil {
		return err
	}
	mask := new([32]byte)
	op := isa.OpStreamTranspose
	if a, ok := in.Attrs.(*bir.StreamShuffleAttrs); ok {
		op, *mask = isa.OpStreamShuffle, a.Mask
	} else {
		for i := range mask {
			mask[i] = byte(i)
		}
	}
	if op == isa.OpStreamShuffle || dst.NPart >= 32 {
		m := isa.New(isa.OpLoadMaskSelect)
		m.Mask = mask
		g.emit(m)
	}
	x := isa.New(op)
	if err := g.unary(&x, in); err != nil {
		return err
	}
	x.Set(isa.FNumActiveChannels, int64((max(src.NPart, dst.NPart)+31)/32*32))
	if op == isa.OpStreamTranspose {
		x.Set(isa.FTransposeCh, 1)
	}
	g.emit(x)
	return nil
}

// gatherChunk is the size of GpSimd's gather buffer in elements.
const gatherChunk = 512

func encGather(g *gen, in *bir.Instr) error {
	data, err := need(in, in.Ins, 0, "data")
	if err != nil {
		return err
	}
	index, err := need(in, in.Ins, 1, "index")
	if err != nil {
		return err
	}
	m := mergeDims(data.Free)
	if len(m) > 1 || len(m) == 1 && m[0].Step != 1 {
		return unsupported(in, "the table must be contiguous in each partition")
	}
	n := data.Elems()
	for base := int64(0); base < n; base += gatherChunk {
		size := min(gatherChunk, n-base)
		pb := isa.New(isa.OpPoolBufferLoad)
		part := *data
		part.Offset += base
		if err := g.operandDims(&pb, isa.FSrc, &part, []bir.Dim{{Step: 1, Count: size}}); err != nil {
			return err
		}
		if err := wire(&pb, isa.FDtype, data.DType); err != nil {
			return err
		}
		pb.Set(isa.FNumActiveChannels, int64(data.NPart))
		pb.Set(isa.FElementCount, size)
		pb.Set(isa.FDepthMask, 0x1FF)
		g.emit(pb)
		x := isa.New(isa.OpGather)
		if err := g.operand(&x, isa.FIndex, index); err != nil {
			return err
		}
		if err := wire(&x, isa.FIndexDtype, index.DType); err != nil {
			return err
		}
		if err := g.dst(&x, in); err != nil {
			return err
		}
		if base > 0 {
			x.Set(isa.FContinuation, 1)
		}
		x.Set(isa.FChunkBase, base)
		g.emit(x)
	}
	return nil
}

func encRangeSelect(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.RangeSelectAttrs)
	if !ok || len(in.Ins) < 3 {
		return unsupported(in, "malformed range select")
	}
	x := isa.New(isa.OpRangeSelect)
	if err := g.unary(&x, in); err != nil {
		return err
	}
	if err := setAcc(&x, a.Acc); err != nil {
		return err
	}
	for _, f := range []struct {
		id isa.FieldID
		op bir.AluOp
	}{{isa.FReduceOp, a.ReduceOp}, {isa.FCompOp0, a.Compare0}, {isa.FCompOp1, a.Compare1}} {
		if err := setALU(&x, f.id, f.op); err != nil {
			return err
		}
	}
	x.SetF32(isa.FRangeStart, float32(a.Base))
	x.SetF32(isa.FOnFalse, a.Fill)
	for i, f := range []isa.FieldID{isa.FBound0, isa.FBound1} {
		if err := g.scalar(&x, f, noType, &in.Ins[i+1], false); err != nil {
			return err
		}
	}
	g.emit(x)
	return g.readOut(in, isa.OpDveReadAccumulator, false)
}

// regType returns the wire type of register arithmetic.
func regType(t dtype.Type) isa.DType {
	switch t {
	case dtype.U32:
		return isa.DTU32
	case dtype.F32:
		return isa.DTF32
	}
	return isa.DTI32
}

func encRegisterMove(g *gen, in *bir.Instr) error {
	if len(in.Ins) != 1 || len(in.Outs) != 1 || in.Outs[0].Kind != bir.ArgReg {
		return unsupported(in, "malformed register move")
	}
	x := isa.New(isa.OpMove)
	x.Set(isa.FNumRegs, 1)
	x.SetDType(isa.FDtype, regType(in.Outs[0].Reg.DType))
	x.Set(isa.FDstReg, int64(in.Outs[0].Reg.Num))
	switch a := &in.Ins[0]; a.Kind {
	case bir.ArgImm:
		x.Set(isa.FSrcMode, 1)
		x.Set(isa.FImm, int64(int32(immInt(&a.Imm))))
	case bir.ArgReg:
		x.Set(isa.FSrcReg, int64(a.Reg.Num))
	default:
		return unsupported(in, "operand must be a register or a constant")
	}
	g.emit(x)
	return nil
}

func encRegisterAlu(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.RegisterAluAttrs)
	if !ok || len(in.Ins) != 2 || len(in.Outs) != 1 || in.Ins[0].Kind != bir.ArgReg || in.Outs[0].Kind != bir.ArgReg {
		return unsupported(in, "malformed register operation")
	}
	if a.Wide {
		return unsupported(in, "64-bit register arithmetic is not encoded yet")
	}
	x := isa.New(isa.OpAluOp)
	if err := setALU(&x, isa.FOp, a.Op); err != nil {
		return err
	}
	x.SetDType(isa.FSrcDtype, regType(in.Ins[0].Reg.DType))
	x.SetDType(isa.FDstDtype, regType(in.Outs[0].Reg.DType))
	x.Set(isa.FDstReg, int64(in.Outs[0].Reg.Num))
	x.Set(isa.FSrc1Reg, int64(in.Ins[0].Reg.Num))
	switch b := &in.Ins[1]; b.Kind {
	case bir.ArgImm:
		x.Set(isa.FOperandMode, 1)
		x.Set(isa.FImm, immInt(&b.Imm))
	case bir.ArgReg:
		x.Set(isa.FSrc2Reg, int64(b.Reg.Num))
	default:
		return unsupported(in, "second operand must be a register or a constant")
	}
	g.emit(x)
	return nil
}

func encTensorLoad(g *gen, in *bir.Instr) error {
	if len(in.Ins) != 1 || in.Ins[0].Kind != bir.ArgAP || len(in.Outs) != 1 || in.Outs[0].Kind != bir.ArgReg {
		return unsupported(in, "malformed register load")
	}
	return g.scalarMemory(in, in.Ins[0].AP, in.Outs[0].Reg, isa.OpPseudoTensorLoad, isa.OpTensorLoad)
}

func encTensorSave(g *gen, in *bir.Instr) error {
	if len(in.Ins) != 1 || in.Ins[0].Kind != bir.ArgReg || len(in.Outs) != 1 || in.Outs[0].Kind != bir.ArgAP {
		return unsupported(in, "malformed register store")
	}
	return g.scalarMemory(in, in.Outs[0].AP, in.Ins[0].Reg, isa.OpPseudoTensorStore, isa.OpTensorStore)
}

// scalarMemory moves one element between a register and memory.
func (g *gen) scalarMemory(in *bir.Instr, p *bir.AccessPattern, r *bir.Register, dram, chip isa.Opcode) error {
	if p.Reg != nil {
		return unsupported(in, "a run-time address")
	}
	if p.Loc.Type == bir.DRAM {
		x := isa.New(dram)
		if err := wire(&x, isa.FDtype, p.DType); err != nil {
			return err
		}
		id, off := g.u.varOf(p.Loc)
		off += p.Offset * int64(p.DType.Size())
		if off > 1<<32-1 {
			return unsupported(in, "a scalar beyond 4 GiB of its variable")
		}
		x.Set(isa.FNumElem0, 1)
		x.Set(isa.FNumElem1, 1)
		x.Set(isa.FVarID, int64(id))
		x.Set(isa.FVarOffset, off)
		x.Set(isa.FReg, int64(r.Num))
		g.emit(x)
		return nil
	}
	x := isa.New(chip)
	if err := wire(&x, isa.FDtype, p.DType); err != nil {
		return err
	}
	a, err := g.addr(p)
	if err != nil {
		return err
	}
	x.Set(isa.FNumElem0, 1)
	x.Set(isa.FNumElem1, 1)
	x.Set(isa.FAddr, int64(a.Bytes()))
	x.Set(isa.FReg, int64(r.Num))
	g.emit(x)
	return nil
}

func encNop(g *gen, in *bir.Instr) error {
	if in.Op == bir.Drain {
		x := isa.New(isa.OpDrain)
		x.Set(isa.FDrainCount, 1)
		g.emit(x)
		return nil
	}
	g.emit(isa.New(isa.OpNop))
	return nil
}

func encTrigger(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.DMATriggerAttrs)
	if !ok || a.Queue == nil || len(a.Blocks) == 0 {
		return unsupported(in, "a trigger must have a queue and a block")
	}
	for _, b := range a.Blocks {
		x := isa.New(isa.OpPseudoDMATrigger)
		x.Name = a.Queue.Name
		x.Set(isa.FBlockID, int64(b.Attrs.(*bir.DMABlockAttrs).ID))
		g.emit(x)
	}
	return nil
}

// direct is one side of a PseudoDmaDirect2d.
type direct struct{ addr, step0, step1, num0, num1, elem, reg, dt isa.FieldID }

var directSides = [2]direct{
	{isa.FSrc, isa.FSrcStep0, isa.FSrcStep1, isa.FSrcNum0, isa.FSrcNum1, isa.FSrcElemSize, isa.FSrcOffsetReg, isa.FSrcDtype},
	{isa.FDst, isa.FDstStep0, isa.FDstStep1, isa.FDstNum0, isa.FDstNum1, isa.FDstElemSize, isa.FDstOffsetReg, isa.FDstDtype},
}

// encDirect encodes a transfer whose descriptors a generator makes at run time.
func encDirect(g *gen, in *bir.Instr) error {
	attrs := in.Attrs.(*bir.DMAAttrs)
	if attrs.Mode != bir.CopyCopy {
		return unsupported(in, "DMA mode %s", attrs.Mode)
	}
	x := isa.New(isa.OpPseudoDmaDirect2d)
	x.Set(isa.FSyncCommand, isa.DMACopy)
	x.Set(isa.FSemaphore, int64(in.Sync.Updates[0].ID))
	x.Set(isa.FSemIncrement, in.Sync.Updates[0].Value)
	for i, p := range []*bir.AccessPattern{in.Ins[0].AP, in.Outs[0].AP} {
		if err := g.directSide(&x, in, directSides[i], p); err != nil {
			return err
		}
	}
	g.emit(x)
	switch attrs.Op {
	case bir.AluBypass:
	case bir.AluAdd:
		last := &g.pending[len(g.pending)-1]
		last.Set(isa.FSyncCommand, isa.DMACompute)
		e := isa.NewInfo(isa.ExtDirect2d)
		e.Set(isa.FFlags, 0x80)
		e.Set(isa.FComputeOp, 1)
		g.emit(e)
	default:
		return unsupported(in, "a generated DMA cannot combine with %s", attrs.Op)
	}
	return nil
}

func (g *gen) directSide(x *isa.Inst, in *bir.Instr, f direct, p *bir.AccessPattern) error {
	size := int64(p.DType.Size())
	s := sideWalk(p)
	dims := sideDims(s.dims, size)
	run := dims[len(dims)-1].Count
	dims = dims[:len(dims)-1]
	if len(dims) > 2 || run > 65536 {
		return unsupported(in, "a generated DMA takes two loops and a run of 65536 bytes on a side")
	}
	if p.Loc.Type == bir.DRAM {
		id, off := g.u.varOf(p.Loc)
		off += p.Offset * size
		if off < 0 || off > 1<<32-1 {
			return unsupported(in, "an offset beyond 4 GiB of its variable")
		}
		x.SetAddr8(f.addr, isa.PhysAddr(id, uint32(off)))
	} else {
		x.SetAddr8(f.addr, isa.OnChipAddr(isa.SBUFAddr(p.Loc.Base+p.Part, bytesAt(p))))
	}
	x.Set(f.num0, 1)
	x.Set(f.num1, 1)
	for k, fs := range [2][2]isa.FieldID{{f.step0, f.num0}, {f.step1, f.num1}} {
		if k < len(dims) {
			d := dims[len(dims)-1-k]
			x.Set(fs[0], d.Step)
			x.Set(fs[1], d.Count)
		}
	}
	x.Set(f.elem, run%65536)
	if err := wire(x, f.dt, p.DType); err != nil {
		return err
	}
	if p.Reg != nil {
		r := p.Reg.Num
		if size != 1 {
			var err error
			if r, err = g.scaled(p.Reg, size); err != nil {
				return err
			}
		}
		x.Set(f.reg, int64(0x80|r))
	}
	return nil
}

// encIndirect encodes a gather or scatter of rows: one index a partition of the index tile.
func encIndirect(g *gen, in *bir.Instr) error {
	side := 0
	indexed := ap(in.Ins, 0)
	if in.Op == bir.IndirectSave {
		side, indexed = 1, ap(in.Outs, 0)
	}
	idx := ap(in.Indirect, 0)
	if idx == nil && len(in.Ins) > 1 {
		idx = ap(in.Ins, 1)
	}
	if idx == nil || indexed == nil {
		return unsupported(in, "no index tile")
	}
	if in.Engine != machine.Pool {
		return unsupported(in, "an indirect DMA runs on GpSimd")
	}
	if err := encDirect(g, in); err != nil {
		return err
	}
	e := isa.NewInfo(isa.ExtDirect2d)
	fl := int64(0x80 | 1<<side)
	if idx.DType == dtype.U32 {
		fl |= 1 << 4
	}
	e.Set(isa.FFlags, fl)
	a, err := g.addr(idx)
	if err != nil {
		return err
	}
	e.Set([2]isa.FieldID{isa.FSrcIdxStartAddr, isa.FDstIdxStartAddr}[side], int64(a.Bytes()))
	e.Set(isa.FNumIndices, int64(idx.NPart))
	if at := in.Attrs.(*bir.DMAAttrs); at.OOBSkip {
		e.Set(isa.FOobMode, 1)
	}
	_, hi, _ := indexed.Extent()
	e.Set([2]isa.FieldID{isa.FSrcBoundHi, isa.FDstBoundHi}[side], max(indexed.Loc.Bytes(), hi))
	g.emit(e)
	return nil
}
