// Package walrus is the backend: it turns the instruction program of bir into the per-engine bundle streams, DMA
// descriptors and tables of a NEFF.
//
// What comes in is legal in program order and knows no address, no engine queue and no semaphore. Compile runs the
// passes of one pipeline (pipelines.go is the only place where their order lives) over a unit, which holds the
// function as straight-line blocks:
//
//	x = Load(in)          DMA          after unroll, alloc, sched, dma, sync:
//	y = TensorScalar(x)   DVE            SP:  trigger qIn block 1; wait DVE>=1; trigger qOut block 2; wait; exit
//	Save(y)               DMA            DVE: wait sem[qIn slot 0] >= 16; tensor_scalar, DVE++; exit
//
// Dependences are edges on the consumer (Instr.Deps); an analysis computes them from access patterns, first on
// memory locations, after allocation on addresses. Allocation is by lifetime intervals (package pack), spilling by
// farthest next use. Every plan reports its value and its lower bound in Stats.
package walrus
