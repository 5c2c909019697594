// Package hlotext reads and writes HLO text, the form XLA dumps and its tools exchange:
//
//	HloModule double
//
//	ENTRY %main (x: f32[4]) -> f32[4] {
//	  %x = f32[4]{0} parameter(0)
//	  ROOT %y = f32[4]{0} add(%x, %x), metadata={op_name="double"}
//	}
//
// A module read here is in the HLO form: each instruction is an op "hlo.<opcode>" with HLO's own attributes and one
// result, which is a tuple where an instruction has several; each computation is a function, the entry the only
// public one; attributes such as to_apply, calls, condition and body name computations by symbol. Layouts are the
// encodings of tensor types. Package opt converts the form to StableHLO and back.
//
// Print writes a canonical text: attributes in a fixed order, parameters first, `%` before names. Reading it and
// printing again gives the same bytes.
package hlotext

import "github.com/alcadev/alca/internal/diag"

// Codes of the reader.
const (
	CodeSyntax    = "HLO060"
	CodeLimit     = "HLO061"
	CodeUndefined = "HLO062"
	CodeTwice     = "HLO063"
	CodeShape     = "HLO064"
	CodeParam     = "HLO065"
	CodeLiteral   = "HLO066"
	CodeOpcode    = "HLO067"
	CodeAttr      = "HLO068"
	CodeCycle     = "HLO069"
	CodeElided    = "HLO070"
	CodePrint     = "HLO071"
)

var _ = diag.Explain(
	diag.Info{Code: CodeSyntax, Title: "HLO text: syntax error", Text: "The text does not follow the grammar of HLO text at this place. A frequent cause is a file that was cut off."},
	diag.Info{Code: CodeLimit, Title: "HLO text exceeds a limit", Text: "Nesting, rank or size is beyond what alca accepts from a file."},
	diag.Info{Code: CodeUndefined, Title: "HLO: undefined name", Text: "An instruction or computation is named that is not defined above, or not at all."},
	diag.Info{Code: CodeTwice, Title: "HLO: name defined twice"},
	diag.Info{Code: CodeShape, Title: "HLO: malformed shape", Text: "A shape is an element type and extents, f32[2,3]{1,0}, or a tuple of shapes in parentheses."},
	diag.Info{Code: CodeParam, Title: "HLO: parameter numbers", Text: "The parameters of a computation must be numbered 0, 1, 2 and so on, each number once."},
	diag.Info{Code: CodeLiteral, Title: "HLO: literal does not fit its shape", Text: "The number of elements, their nesting or a value's form differs from what the shape of the constant says."},
	diag.Info{Code: CodeOpcode, Title: "HLO: unknown opcode", Text: "`alca ops` lists the opcodes alca reads, as hlo.<opcode>."},
	diag.Info{Code: CodeAttr, Title: "HLO: malformed attribute"},
	diag.Info{Code: CodeCycle, Title: "HLO: computations call each other in a circle"},
	diag.Info{Code: CodeElided, Title: "HLO: constant without its value", Text: "The text holds constant({...}): the printer left the value out. alca fills it with numbers that follow from the name and shape of the constant; --materialize writes them out, so that another tool can be given the same ones."},
	diag.Info{Code: CodePrint, Title: "HLO text cannot express this module", Text: "Only modules in the HLO form can be printed as HLO text; convert StableHLO first."},
)
