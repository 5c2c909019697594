package penguin

import "github.com/alcadev/alca/internal/diag"

// Codes of the verifier, spec penguin 21.
const (
	codePred       = "PEN110"
	codeExpr       = "PEN111"
	codeAbsent     = "PEN120"
	codeMalformed  = "PEN121"
	codePartitions = "PEN141"
	codeStart      = "PEN142"
	codeMemory     = "PEN145"
	codeCounts     = "PEN146"
	codeFreeDims   = "PEN182"
)

var _ = diag.Explain(
	diag.Info{Code: codeText, Title: "malformed penguin text", Text: "A .pir file does not follow the text form: the message says what stands where something else is expected."},
	diag.Info{Code: codePred, Title: "illegal predicate", Text: "Predicates of an instruction are affine in its axes and the loops around it."},
	diag.Info{Code: codeExpr, Title: "index expression without a value", Text: "A divisor is not positive, or a constant overflows 64 bits."},
	diag.Info{Code: codeAbsent, Title: "instruction absent on this target"},
	diag.Info{Code: codeMalformed, Title: "malformed penguin program", Text: "An invariant of the IR does not hold: operand counts, element types, ranks or bounds. A pass that leaves it so is at fault."},
	diag.Info{Code: codePartitions, Title: "too many partitions", Text: "An on-chip tensor or tile has more than the 128 partitions of SBUF and PSUM."},
	diag.Info{Code: codeStart, Title: "start partition illegal for the partition count", Text: "More than 64 partitions start at 0, more than 32 at 0 or 64, others at a multiple of 32."},
	diag.Info{Code: codeMemory, Title: "operand in a memory that the engine does not reach"},
	diag.Info{Code: codeCounts, Title: "partition counts of operands differ"},
	diag.Info{Code: codeFreeDims, Title: "access pattern with more than four free dimensions"},
	diag.Info{Code: "PEN190", Title: "operation not supported on the device", Unsupported: true, Text: "Lowering or instruction selection has no rule for this op, element type or attribute. The evaluator may still run the module: alca eval."},
	diag.Info{Code: codeInput, Title: "input does not fit the program"},
	diag.Info{Code: codeExec, Title: "penguin program that the interpreter cannot run"},
	diag.Info{Code: "PEN199", Title: "internal error of the middle end"},
)
