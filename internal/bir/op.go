package bir

// Opcode is BIR's InstructionType; the values are its ordinals.
type Opcode uint8

// Attrs is the payload of an instruction: a pointer to the attribute struct of its opcode.
type Attrs interface{ birAttrs() }
