// Package isa is the binary instruction set: 64-byte bundles, one instruction stream an engine.
//
// Everything is driven by two tables. opTable says for each opcode its name, the engines and generations that have
// it, and its Layout; a Layout lists the fields of the bundle with offset, width and kind. Encoder, decoder,
// validator and disassembler walk these rows; none knows an opcode by name except for the rules of check.go.
//
// An Inst is one decoded bundle. Fields are read and written by FieldID:
//
//	in := isa.New(isa.OpTensorTensorArithOp)
//	in.Set(isa.FOp, int64(isa.AluAdd))
//	in.Set(isa.FNumActiveChannels, 128)
//	in.SetTensor(isa.FDst, dst)
//	in.Wait = isa.Wait{Mode: isa.WaitSemGE, ID: 5}
//	in.Value = 3
//	b, err := isa.Encode(&in, machine.DVE, machine.Gen3)
//
// and back, a whole stream at a time, because the meaning of 0xDA depends on the bundle before it:
//
//	insts, err := isa.DecodeStream(code, machine.DVE, machine.Gen3)
package isa
