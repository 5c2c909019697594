package machine

import "fmt"

// Engine is an execution engine of a physical core. The values are BIR's EngineType ordinals.
type Engine uint8

// The engines, machine.md 3.1.
const (
	Unassigned Engine = iota
	Pool              // GpSimd
	ACT               // Scalar
	PE                // Tensor
	DMA               // abstract placement on DMA queues
	DVE               // Vector
	SP                // Sync, sequencer only
	AllEngines        // pseudo engine for barriers and control flow
)

var engineNames = [...]string{"Unassigned", "Pool", "Activation", "PE", "DMA", "DVE", "SP", "ALL"}

// String returns BIR's name of the engine.
func (e Engine) String() string {
	if int(e) < len(engineNames) {
		return engineNames[e]
	}
	return fmt.Sprintf("Engine(%d)", uint8(e))
}

// Gen is a hardware generation.
type Gen uint8

// The code-generation targets.
const (
	Gen2 Gen = 2 // NeuronCore-v2: trn1, inf2
	Gen3 Gen = 3 // NeuronCore-v3: trn2
	Gen4 Gen = 4 // NeuronCore-v4: trn3
)
