// Package machine describes the NeuronCore generations as data: geometry, limits, clocks, legality rules and
// cost formulas. There is one struct, Spec, with three values; no code is written for a particular generation.
//
//	spec, err := machine.Lookup("trn2")
//	c := spec.Cost(machine.Work{Engine: machine.DVE, Class: machine.TensorScalar, N: 512, In: dtype.BF16, Out: dtype.BF16})
//	c.II       // ns until the engine can start its next instruction
//	c.Latency  // ns until the result is visible
//
// The scheduler and the simulated timeline call the same cost functions. Times are nanoseconds, cycles belong to a
// named engine's clock. The source of each number is named beside it: "doc" is the vendor's public documentation,
// "fig" a device profile printed in it, "notes" third-party notes, "choice" a decision of this project.
package machine
