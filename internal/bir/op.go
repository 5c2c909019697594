package bir

import (
	"reflect"

	"github.com/alcadev/alca/internal/machine"
)

// Opcode is BIR's InstructionType; the values are its ordinals.
type Opcode uint8

// Role says what becomes of an opcode.
type Role uint8

const (
	RoleAbstract Role = 1 << iota // never stored in a block
	RoleMachine                   // reaches the encoder
	RoleLowered                   // must be lowered before encoding
	RoleRegion                    // owns nested blocks
	RoleMeta                      // no machine code
)

// OpInfo is a row of the instruction table.
type OpInfo struct {
	Name      string
	Role      Role
	Engines   []machine.Engine // engines that may execute it, default first
	MinGen    machine.Gen
	Ins, Outs string       // operands, for documentation and diagnostics
	New       func() Attrs // a fresh payload, nil when the opcode has none

	attrType reflect.Type // of what New makes
}

// Info returns the row of an opcode, or nil if the ordinal is out of range.
func (o Opcode) Info() *OpInfo {
	if o >= numOpcodes {
		return nil
	}
	return &opTable[o]
}

// String returns the wire name.
func (o Opcode) String() string {
	if i := o.Info(); i != nil {
		return i.Name
	}
	return enumName("Opcode", nil, int(o))
}

// Opcodes returns every opcode in ordinal order.
func Opcodes() []Opcode {
	out := make([]Opcode, numOpcodes)
	for i := range out {
		out[i] = Opcode(i)
	}
	return out
}

// ParseOpcode returns the opcode called name.
func ParseOpcode(name string) (Opcode, bool) {
	for i := range opTable {
		if opTable[i].Name == name {
			return Opcode(i), true
		}
	}
	return 0, false
}

// IsDMA reports the opcodes that the DMA engines execute.
func (o Opcode) IsDMA() bool {
	switch o {
	case DMA, Load, Save, DMACopy, ReadVarAddr, GenericIndirectLoad, IndirectLoad, GenericIndirectSave, IndirectSave, IndirectSaveAccumulate, DMATrigger:
		return true
	}
	return false
}

// IsMatmul reports the matmul family.
func (o Opcode) IsMatmul() bool {
	return o == MatmultBase || o == Matmult || o == MatmultSparse || o == MatmultMx
}

// Attrs is the payload of an instruction: a pointer to the attribute struct of its opcode.
type Attrs interface{ birAttrs() }

// IsTerminator reports the opcodes that end a block.
func (o Opcode) IsTerminator() bool {
	switch o {
	case Terminator, CompareAndBranch, UnconditionalBranch, Return, Exit, Break:
		return true
	}
	return false
}

// HasRegion reports the opcodes that own nested blocks.
func (o Opcode) HasRegion() bool { return o >= Loop && o <= DoWhile }

// NewAttrs returns a fresh payload for the opcode with the defaults of its fields, nil when it has none.
func (o Opcode) NewAttrs() Attrs {
	if i := o.Info(); i != nil && i.New != nil {
		return i.New()
	}
	return nil
}

func init() {
	for i := range opTable {
		if r := &opTable[i]; r.New != nil {
			r.attrType = reflect.TypeOf(r.New())
		}
	}
}
