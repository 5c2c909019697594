package isa

import (
	"math"

	"github.com/alcadev/alca/internal/machine"
)

// BundleSize is the length of every instruction.
const BundleSize = 64

// Bundle is one encoded instruction.
type Bundle [BundleSize]byte

// EngineSet is a set of machine engines, bit 1<<Engine.
type EngineSet uint8

const (
	engPE   = EngineSet(1) << machine.PE
	engACT  = EngineSet(1) << machine.ACT
	engPool = EngineSet(1) << machine.Pool
	engDVE  = EngineSet(1) << machine.DVE
	engSP   = EngineSet(1) << machine.SP
	engAny  = engPE | engACT | engPool | engDVE | engSP
)

// Has reports whether the set holds an engine.
func (s EngineSet) Has(e machine.Engine) bool { return s>>e&1 != 0 }

// OpInfo is a row of the opcode table.
type OpInfo struct {
	Code       Opcode
	Name       string
	Mnemonic   string
	Engines    EngineSet
	Engines3Up EngineSet // additional engines from gen3 on
	Engines4Up EngineSet // additional engines from gen4 on
	MinGen     machine.Gen
	MaxGen     machine.Gen
	Layout     *Layout // nil: opaque
}

// On reports whether an engine of a generation has the instruction.
func (o *OpInfo) On(e machine.Engine, gen machine.Gen) bool {
	s := o.Engines
	if gen >= machine.Gen3 {
		s |= o.Engines3Up
	}
	if gen >= machine.Gen4 {
		s |= o.Engines4Up
	}
	return gen >= o.MinGen && gen <= o.MaxGen && s.Has(e)
}

// The two forms of the extension bundle 0xDA. The opcode table has neither layout: the bundle before decides.
var (
	ExtDirect2d   = &OpInfo{Code: OpPseudoExtension, Name: "PseudoExtension", Mnemonic: "PSEUDO_EXTENSION", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layDirect2dExt}
	ExtCollective = &OpInfo{Code: OpPseudoExtension, Name: "PseudoExtension", Mnemonic: "PSEUDO_EXTENSION", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layCollectiveExt}
)

var opByCode [256]*OpInfo

func init() {
	for i := range opTable {
		opByCode[opTable[i].Code] = &opTable[i]
	}
}

// Lookup returns the row of an opcode, or nil.
func Lookup(op Opcode) *OpInfo { return opByCode[op] }

// Ops returns the opcode table in opcode order. It must not be changed.
func Ops() []OpInfo { return opTable }

func (op Opcode) String() string {
	if r := opByCode[op]; r != nil {
		return r.Name
	}
	return "opcode?"
}

// Wait is a condition tested before the instruction starts. With WaitSemGEReg, Value is a register id.
type Wait struct {
	Mode  WaitMode
	ID    uint8
	Value int32
}

// Update is a semaphore or event action of the instruction. Value is the amount where the mode takes one.
type Update struct {
	Mode  UpdateMode
	ID    uint8
	Value int32
}

// Inst is one decoded bundle. The zero Inst is invalid; use New, NewExt or a decoder.
type Inst struct {
	Info   *OpInfo
	Wait   Wait
	Update Update // of the sync band; an EventSemaphore has its own, see Updates
	Satur  bool   // bit 0 of the length byte, QuantizeMX
	Name   string // the KName field: queue or function
	Mask   *[32]byte
	Raw    *Bundle // opaque instructions only

	vals    [maxVals]int64
	tensors [maxTensors]Tensor
}

// New returns an instruction of an opcode with all fields zero, immediates marked as such. It panics on an opcode
// without a layout: those cannot be built.
func New(op Opcode) Inst {
	info := opByCode[op]
	if info == nil || info.Layout == nil {
		panic("isa.New: " + op.String() + " has no layout")
	}
	return NewInfo(info)
}

// NewInfo is New for a row, needed for ExtDirect2d and ExtCollective.
func NewInfo(info *OpInfo) Inst {
	in := Inst{Info: info}
	for _, f := range info.Layout.Fields {
		if f.Kind == KTensor || f.Kind == KMX {
			t := in.Tensor(f.ID)
			t.N = f.Rank
			for i := range t.Num[:f.Rank] {
				t.Step[i], t.Num[i] = 1, 1
			}
			if f.Kind == KMX {
				t.Kind, t.Dir, t.N = DescMX, 1, 1
			}
		}
	}
	return in
}

// Op returns the opcode.
func (in *Inst) Op() Opcode { return in.Info.Code }

// Has reports whether the instruction's layout has a field.
func (in *Inst) Has(f FieldID) bool { return in.Info.Layout != nil && in.Info.Layout.Has(f) }

// Get returns a scalar field; signed kinds are sign-extended, all others zero-extended. A field that the layout
// lacks is 0.
func (in *Inst) Get(f FieldID) int64 {
	if l := in.Info.Layout; l != nil {
		if i := l.index[f]; i >= 0 && int(i) < len(in.vals) {
			return in.vals[i]
		}
	}
	return 0
}

// Set writes a scalar field. It panics when the layout lacks the field: that is a bug of the caller, not bad input.
func (in *Inst) Set(f FieldID, v int64) {
	i := in.Info.Layout.index[f]
	if i < 0 {
		panic("isa: " + in.Info.Name + " has no field " + f.String())
	}
	in.vals[i] = v
}

// Typed views of scalar fields.
func (in *Inst) DType(f FieldID) DType   { return DType(in.Get(f)) }
func (in *Inst) ALU(f FieldID) ALU       { return ALU(in.Get(f)) }
func (in *Inst) Act(f FieldID) Act       { return Act(in.Get(f)) }
func (in *Inst) Acc(f FieldID) Acc       { return Acc(in.Get(f)) }
func (in *Inst) Src(f FieldID) ImmSrc    { return ImmSrc(in.Get(f)) }
func (in *Inst) Addr(f FieldID) Addr     { return Addr(in.Get(f)) }
func (in *Inst) Addr8(f FieldID) Addr8   { return Addr8(in.Get(f)) }
func (in *Inst) F32(f FieldID) float32   { return math.Float32frombits(uint32(in.Get(f))) }
func (in *Inst) Int(f FieldID) int       { return int(in.Get(f)) }
func (in *Inst) Uint32(f FieldID) uint32 { return uint32(in.Get(f)) }

// SetF32 writes the bits of a float.
func (in *Inst) SetF32(f FieldID, v float32) { in.Set(f, int64(math.Float32bits(v))) }

// SetDType, SetALU and SetAddr8 are Set with a typed value.
func (in *Inst) SetDType(f FieldID, d DType) { in.Set(f, int64(d)) }
func (in *Inst) SetALU(f FieldID, a ALU)     { in.Set(f, int64(a)) }
func (in *Inst) SetAddr8(f FieldID, a Addr8) { in.Set(f, int64(a)) }

// SetImm, SetImmF32, SetImmAddr and SetImmReg write a scalar operand and the field that names its source.
func (in *Inst) SetImm(f FieldID, bits uint32) { in.setImm(f, ImmImmediate, bits) }
func (in *Inst) SetImmF32(f FieldID, v float32) {
	in.setImm(f, ImmImmediate, math.Float32bits(v))
}
func (in *Inst) SetImmAddr(f FieldID, a Addr) { in.setImm(f, ImmPointer, uint32(a)) }
func (in *Inst) SetImmReg(f FieldID, reg int) { in.setImm(f, ImmRegister, uint32(reg)) }

func (in *Inst) setImm(f FieldID, src ImmSrc, bits uint32) {
	in.Set(f, int64(bits))
	in.Set(in.Info.Layout.Field(f).Aux, int64(src))
}

// Imm returns a scalar operand: its source and the raw bits, ADDR4 or register id.
func (in *Inst) Imm(f FieldID) (ImmSrc, uint32) {
	row := in.Info.Layout.Field(f)
	if row == nil || row.Kind != KImm {
		return ImmImmediate, 0
	}
	return ImmSrc(in.Get(row.Aux)), uint32(in.Get(f))
}

// Tensor returns an operand slot for reading or writing, nil if the layout lacks it.
func (in *Inst) Tensor(f FieldID) *Tensor {
	l := in.Info.Layout
	if l == nil {
		return nil
	}
	row := l.Field(f)
	if row == nil || row.Kind != KTensor && row.Kind != KMX {
		return nil
	}
	return &in.tensors[l.index[f]]
}

// SetTensor writes an operand slot.
func (in *Inst) SetTensor(f FieldID, t Tensor) {
	p := in.Tensor(f)
	if p == nil {
		panic("isa: " + in.Info.Name + " has no operand " + f.String())
	}
	*p = t
}

// SetPattern packs dims (outermost first) into an operand slot.
func (in *Inst) SetPattern(f FieldID, addr Addr, dims []Dim) error {
	row := in.Info.Layout.Field(f)
	if row == nil || row.Kind != KTensor {
		panic("isa: " + in.Info.Name + " has no operand " + f.String())
	}
	t, err := Pack(addr, dims, int(row.Rank))
	if err != nil {
		return err
	}
	in.tensors[in.Info.Layout.index[f]] = t
	return nil
}

// Waits returns all waits of the instruction, the second one of an EventSemaphore included.
func (in *Inst) Waits() []Wait {
	var w []Wait
	if in.Wait.Mode != WaitNone {
		w = append(w, in.Wait)
	}
	if in.Info.Layout == layEvent && in.Get(FWait1Mode) != 0 {
		w = append(w, Wait{WaitMode(in.Get(FWait1Mode)), uint8(in.Get(FWait1Idx)), int32(in.Get(FWait1Value))})
	}
	return w
}

// Updates returns all updates of the instruction, that of an EventSemaphore's body included.
func (in *Inst) Updates() []Update {
	var u []Update
	if in.Update.Mode != UpdateNone {
		u = append(u, in.Update)
	}
	if in.Info.Layout == layEvent && in.Get(FUpdateMode) != 0 {
		u = append(u, Update{UpdateMode(in.Get(FUpdateMode)), uint8(in.Get(FUpdateIdx)), int32(in.Get(FUpdateValue))})
	}
	return u
}

// NewEvent returns an EventSemaphore with up to two waits and one update.
func NewEvent(waits []Wait, update *Update) Inst {
	in := New(OpEventSemaphore)
	if len(waits) > 0 {
		in.Wait = waits[0]
	}
	if len(waits) > 1 {
		in.Set(FWait1Mode, int64(waits[1].Mode))
		in.Set(FWait1Idx, int64(waits[1].ID))
		in.Set(FWait1Value, int64(waits[1].Value))
	}
	if update != nil {
		in.Set(FUpdateMode, int64(update.Mode))
		in.Set(FUpdateIdx, int64(update.ID))
		in.Set(FUpdateValue, int64(update.Value))
	}
	return in
}
