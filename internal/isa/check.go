package isa

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
)

func codeOf(err error) string {
	if c := diag.Code(err); c != "" {
		return c
	}
	return CodeFormat
}

// sbufBytes is the capacity of a partition, isa.md 1.
func sbufBytes(gen machine.Gen) int64 {
	switch gen {
	case machine.Gen2:
		return 192 << 10
	case machine.Gen3:
		return 224 << 10
	}
	return 256 << 10
}

const psumBytes = PSUMBanks * PSUMBankLen

// Check reports the first rule of isa.md 13 that an instruction breaks on an engine of a generation.
func Check(in *Inst, eng machine.Engine, gen machine.Gen) error {
	if gen < machine.Gen2 || gen > machine.Gen4 {
		return errf(CodeArch, "generation %d has no instruction set", gen)
	}
	info := in.Info
	if eng == machine.AllEngines {
		return errf(CodeEngineAll, "%s on engine ALL must be cloned for each engine", info.Name)
	}
	if !info.On(eng, gen) {
		return errf(CodeEngine, "%s is not an instruction of engine %s on generation %d", info.Name, eng, gen)
	}
	if in.Satur && info.Code != OpQuantizeMX {
		return errf(CodeWordLen, "%s has no saturating form", info.Name)
	}
	if !in.Wait.Mode.Valid() {
		return errf(CodeWaitMode, "%s: wait mode %#02x is not defined", info.Name, uint8(in.Wait.Mode))
	}
	if !in.Update.Mode.Valid() {
		return errf(CodeUpdateMode, "%s: update mode %#02x is not defined", info.Name, uint8(in.Update.Mode))
	}
	if in.Wait.Mode == WaitSemGEReg && uint32(in.Wait.Value) > 63 {
		return errf(CodeRegID, "%s: wait register %d is above 63", info.Name, in.Wait.Value)
	}
	if info.Layout == nil {
		return nil
	}
	for i := range info.Layout.Fields {
		if err := checkField(in, &info.Layout.Fields[i], eng, gen); err != nil {
			return err
		}
	}
	if rule := opRules[info.Code]; rule != nil {
		return rule(in, eng, gen)
	}
	return nil
}

func checkField(in *Inst, f *Field, eng machine.Engine, gen machine.Gen) error {
	name := in.Info.Name
	v := in.Get(f.ID)
	switch f.Kind {
	case KDtype, KDtype0:
		if f.Kind == KDtype0 && v == 0 {
			return nil
		}
		if f.Nibble != 0 && v > 0xF {
			return errf(CodeDtypeNibble, "%s: %s %s does not fit a nibble", name, f.ID, DType(v))
		}
		if v < 0 || v > 0xFF || !DType(v).Valid(gen) {
			return errf(CodeDtype, "%s: %s %#02x is not a dtype of generation %d", name, f.ID, v, gen)
		}
	case KAlu:
		if v < 0 || v > 0xFF || !ALU(v).Valid(gen) {
			return errf(CodeAluOp, "%s: %s %#02x is not an ALU operation of generation %d", name, f.ID, v, gen)
		}
	case KAct:
		if v < 0 || v > 0xFF || !Act(v).Valid() {
			return errf(CodeActFunc, "%s: function %d is not defined", name, v)
		}
	case KAcc:
		if v < 0 || v > int64(AccLoad) {
			return errf(CodeAccCmd, "%s: accumulate command %d is not defined", name, v)
		}
	case KImmSrc:
		if v < 0 || v > int64(ImmRegister) {
			return errf(CodeImmSrc, "%s: %s %d is not an operand source", name, f.ID, v)
		}
	case KReg:
		if v < 0 || v > 63 {
			return errf(CodeRegID, "%s: register %d of %s is above 63", name, v, f.ID)
		}
	case KChan:
		if v < 1 || v > 128 {
			return errf(CodeChannels, "%s: %s is %d, must be in 1..128", name, f.ID, v)
		}
	case KImm:
		return checkImm(in, f, gen)
	case KAddr4:
		return checkAddr(in, f.ID, Addr(v), in.DType(f.Aux), eng, gen, in.Int(FNumActiveChannels))
	case KTensor:
		return checkTensor(in, f, eng, gen)
	case KMX:
		return checkMX(in, f)
	}
	return nil
}

func checkImm(in *Inst, f *Field, gen machine.Gen) error {
	v := uint32(in.Get(f.ID))
	switch ImmSrc(in.Get(f.Aux)) {
	case ImmRegister:
		if v > 63 {
			return errf(CodeRegID, "%s: register %d of %s is above 63", in.Info.Name, v, f.ID)
		}
	case ImmPointer:
		a := Addr(v)
		if a.IsReg() {
			if v&0x7FFFFF00 != 0 || a.Reg() > 63 {
				return errf(CodeAddrReg, "%s: pointer %s is not a register word", in.Info.Name, f.ID)
			}
			return nil
		}
		if err := checkRegion(in, f.ID, a, gen); err != nil {
			return errf(CodeImmSpace, "%w", err)
		}
	}
	return nil
}

func checkTensor(in *Inst, f *Field, eng machine.Engine, gen machine.Gen) error {
	name, t := in.Info.Name, in.Tensor(f.ID)
	if t.Kind == DescIndirect {
		return checkIndirect(in, f, gen)
	}
	if t.Kind != DescStatic || t.N != f.Rank {
		return errf(CodeRank, "%s: operand %s is not a %d-dimensional descriptor", name, f.ID, f.Rank)
	}
	for i := 0; i < int(t.N); i++ {
		if t.Num[i] == 0 {
			return errf(CodeCountZero, "%s: count %d of operand %s is 0", name, i, f.ID)
		}
	}
	n := partitionsOf(in, f.ID)
	d := operandDType(in, f.ID)
	if err := checkAddr(in, f.ID, t.Addr, d, eng, gen, n); err != nil {
		return err
	}
	if t.Addr.IsReg() || t.Addr.IsActive() {
		return nil
	}
	lo, hi := t.Reach()
	size := int64(d.Size())
	if size == 0 {
		size = 1
	}
	first, last := t.Addr.Offset()+lo*size, t.Addr.Offset()+(hi+1)*size
	limit := sbufBytes(gen)
	if t.Addr.IsPSUM() {
		limit = psumBytes
	}
	if first < 0 || last > limit {
		return errf(CodeAddrRegion, "%s: operand %s touches bytes %d..%d of its partition, which has %d", name, f.ID, first, last-1, limit)
	}
	return nil
}

func checkIndirect(in *Inst, f *Field, gen machine.Gen) error {
	name, t := in.Info.Name, in.Tensor(f.ID)
	if gen < machine.Gen4 {
		return errf(CodeIndirect, "%s: operand %s is indirect, which needs generation 4", name, f.ID)
	}
	if noIndirect[in.Info.Code] {
		return errf(CodeIndirect, "%s does not take indirect operands", name)
	}
	if t.Index.IsReg() || t.Addr.IsReg() || t.Addr&(addrIndirect|addrActive) != 0 {
		return errf(CodeIndirectDynamic, "%s: addresses of indirect operand %s must be static", name, f.ID)
	}
	if t.Num[0] == 0 {
		return errf(CodeCountZero, "%s: indirect operand %s has no indices", name, f.ID)
	}
	if !t.Addr.IsPSUM() && !t.Index.IsPSUM() && t.Addr.Partition()/32 != t.Index.Partition()/32 {
		return errf(CodeIndirectQuadrant, "%s: index and data of operand %s are in different quadrants", name, f.ID)
	}
	return checkRegion(in, f.ID, t.Addr, gen)
}

func checkMX(in *Inst, f *Field) error {
	name, t := in.Info.Name, in.Tensor(f.ID)
	if t.Kind != DescMX && t.Kind != DescMXIndirect {
		return errf(CodeMXNotX4, "%s: operand %s is not an MX descriptor", name, f.ID)
	}
	if t.Num[0] == 0 {
		return errf(CodeCountZero, "%s: operand %s has extent 0", name, f.ID)
	}
	if t.ScalePart&3 != 0 || t.ScalePart > 12 || t.Scale.IsPSUM() || t.Scale.IsReg() {
		return errf(CodeMXScale, "%s: scales of operand %s must be in SBUF at partition 0, 4, 8 or 12 of a quadrant", name, f.ID)
	}
	if t.Kind == DescMX && t.Dir != 1 && t.Dir != -1 {
		return errf(CodeStrideRange, "%s: step of operand %s must be 1 or -1", name, f.ID)
	}
	return nil
}

// checkAddr checks a static or register address against isa.md 3. n is the number of partitions, 0 when unknown.
func checkAddr(in *Inst, id FieldID, a Addr, d DType, eng machine.Engine, gen machine.Gen, n int) error {
	name := in.Info.Name
	if a.IsReg() {
		if uint32(a)&0x7FFFFF00 != 0 || a.Reg() > 63 {
			return errf(CodeAddrReg, "%s: operand %s has register word %#x", name, id, uint32(a))
		}
		return nil
	}
	if a.IsIndirect() {
		return errf(CodeIndirect, "%s: operand %s is indirect", name, id)
	}
	if al := alignOf(d); a.Bytes()%al != 0 {
		return errf(CodeAddrAlign, "%s: operand %s at %s is not aligned to %d bytes of %s", name, id, a, al, d)
	}
	if a.IsActive() {
		return nil
	}
	if a.IsPSUM() && eng == machine.Pool {
		return errf(CodeGpsimdPSUM, "%s: operand %s of GpSimd is in PSUM", name, id)
	}
	if err := checkRegion(in, id, a, gen); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	p := a.Partition()
	if p+n > 128 {
		return errf(CodeChannels, "%s: operand %s covers partitions %d..%d of 128", name, id, p, p+n-1)
	}
	if !StartPartitionOK(p, n) {
		return errf(CodeStartPartition, "%s: operand %s starts %d partitions at partition %d", name, id, n, p).
			WithHint("0 for more than 64 partitions, 0 or 64 for more than 32, else a multiple of 32")
	}
	return nil
}

// StartPartitionOK reports whether n partitions may start at partition p, isa.md 3.
func StartPartitionOK(p, n int) bool {
	switch {
	case n > 64:
		return p == 0
	case n > 32:
		return p == 0 || p == 64
	}
	return p == 0 || p == 32 || p == 64 || p == 96
}

func checkRegion(in *Inst, id FieldID, a Addr, gen machine.Gen) error {
	if a.IsPSUM() {
		if a.Offset() >= psumBytes {
			return errf(CodeAddrRegion, "%s: operand %s at byte %d of a PSUM partition of %d", in.Info.Name, id, a.Offset(), psumBytes)
		}
		return nil
	}
	if a.Bytes() >= PSUMBase {
		return errf(CodeAddrRegion, "%s: operand %s at %s is neither in SBUF nor in PSUM", in.Info.Name, id, a)
	}
	if a.Offset() >= sbufBytes(gen) {
		return errf(CodeAddrRegion, "%s: operand %s at byte %d of an SBUF partition of %d", in.Info.Name, id, a.Offset(), sbufBytes(gen))
	}
	return nil
}

// alignOf returns the alignment of a wire dtype, isa.md 3.
func alignOf(d DType) uint32 {
	switch d {
	case DTI16, DTU16, DTBF16, DTF16:
		return 2
	case DTI32, DTU32, DTF32, DTF32R:
		return 4
	case DTU64, DTI64:
		return 8
	}
	return 1
}
