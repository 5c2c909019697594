package sim

import "math"

// Diagnostic codes of the loaders.
const (
	CodeDecode  = "SIM001" // an instruction has no executable form
	CodeInputs  = "SIM002" // inputs do not match the program's signature
	CodeProgram = "SIM003" // the program is inconsistent
	CodeTarget  = "SIM004" // the program is for another target
)

func f32bits(v float32) uint32 { return math.Float32bits(v) }
