package timeline

// Diagnostic codes of the timed part of the simulator.
const (
	CodeDeadlock  = "SIM201" // every unfinished engine waits and nothing is in flight
	CodeRace      = "SIM202" // two instructions in flight touch the same memory
	CodeEvent     = "SIM203" // event set twice or cleared while clear
	CodeBudget    = "SIM204" // instruction or time budget exhausted
	CodeBranch    = "SIM205" // branch target outside the stream
	CodeQueue     = "SIM206" // trigger names an unknown queue or block
	CodeRegister  = "SIM207" // register number out of range
	CodeDMABounds = "SIM208" // run-time DMA address outside its bound
)
