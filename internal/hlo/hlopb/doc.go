// Package hlopb reads and writes HLO as protobuf: HloModuleProto, HloProto around it, and HloSnapshot, which adds
// arguments and results. The field numbers are the public ones of OpenXLA; the wire format is handled by tables of
// this package, one row an attribute, without generated code. Modules are in the HLO form (see package hlotext).
//
// What HloModuleProto has no field for, such as num_partitions, is kept in a field of alca's own that other readers
// skip, so that text, protobuf and text again give the same module.
package hlopb

import "github.com/alcadev/alca/internal/diag"

// Codes of the reader and writer.
const (
	CodeWire      = "HLO090"
	CodeModule    = "HLO091"
	CodeLimit     = "HLO092"
	CodeUndefined = "HLO093"
	CodeLiteral   = "HLO094"
	CodeShape     = "HLO095"
	CodeOpcode    = "HLO096"
	CodeWrite     = "HLO097"
)

var _ = diag.Explain(
	diag.Info{Code: CodeWire, Title: "malformed protobuf", Text: "The bytes are no protobuf message at this place. A frequent cause is a file that was cut off."},
	diag.Info{Code: CodeModule, Title: "malformed HLO module in protobuf", Text: "A computation without instructions, without a root, with a gap in its parameter numbers, or a module without computations."},
	diag.Info{Code: CodeLimit, Title: "HLO protobuf exceeds a limit"},
	diag.Info{Code: CodeUndefined, Title: "HLO protobuf: unknown id", Text: "An operand, root, control predecessor or computation is named by an id nothing has, or that comes later."},
	diag.Info{Code: CodeLiteral, Title: "HLO protobuf: literal does not fit its shape"},
	diag.Info{Code: CodeShape, Title: "HLO protobuf: malformed shape"},
	diag.Info{Code: CodeOpcode, Title: "HLO protobuf: unknown opcode"},
	diag.Info{Code: CodeWrite, Title: "module cannot be written as HLO protobuf", Text: "Only modules in the HLO form can; convert StableHLO first."},
)
