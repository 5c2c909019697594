package exec

// Diagnostic codes of the simulator's execution part.
const (
	CodeUninit         = "SIM101" // read of memory nobody wrote
	CodeBounds         = "SIM102" // access outside a memory
	CodeStartPartition = "SIM103" // illegal start partition
	CodeEngineMemory   = "SIM104" // engine cannot reach the memory
	CodeShape          = "SIM105" // operand element or partition counts disagree
	CodeDType          = "SIM106" // illegal element type
	CodeUnsupported    = "SIM107" // instruction the simulator does not execute
	CodePSUMGroup      = "SIM108" // accumulation onto memory no matmul started
	CodeActTable       = "SIM109" // activation function not resident
	CodeVarSize        = "SIM110" // buffer and variable sizes differ
	CodeOperand        = "SIM111" // missing or malformed operand
	CodeIndex          = "SIM112" // gather or scatter index out of range
)
