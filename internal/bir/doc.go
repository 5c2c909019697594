// Package bir is the instruction IR between instruction selection and the encoder.
//
// A Module is the program of one core: functions of Blocks of Instrs, and DMA Queues. An Instr is one hardware
// instruction (or a macro form lowered before encoding, or a region such as a loop) with an opcode, the engine that
// runs it, operands and a payload of attributes. What differs between opcodes stands in one table, optable.go.
//
// An operand is a constant, a register, or an AccessPattern: elements of a MemLoc, a placement of a logical tensor
// (MemLocSet) in DRAM, SBUF or PSUM. Locations are virtual until an allocator sets their address. Dependence edges are
// stored on the later instruction; semaphores (Sync) appear when the backend has assigned them.
//
//	f := &bir.Func{Name: "main", Blocks: []*bir.Block{{Name: "Block1"}}}
//	x := f.NewSet("x", bir.DRAM, bir.ExternalInput, dtype.F32, 128, 512)
//	t := f.NewSet("t", bir.SB, bir.Internal, dtype.F32, 128, 512)
//	in := f.NewInstr(bir.Load, machine.DMA)
//	in.Attrs = &bir.DMAAttrs{}
//	in.Ins = []bir.Arg{bir.AP(bir.Whole(x))}
//	in.Outs = []bir.Arg{bir.AP(&bir.AccessPattern{Loc: t, DType: dtype.F32, NPart: 128, Free: []bir.Dim{{1, 512}}})}
//	f.Blocks[0].Instrs = append(f.Blocks[0].Instrs, in)
//
// Verify checks the rules of the IR, Print lists a module, package birjson stores and loads it, and Instr.Cost asks
// the machine model what an instruction takes. The fields of attribute structs carry their wire keys as tags.
package bir
