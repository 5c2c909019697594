package bir

// Diagnostic codes of the verifier. Numbers below 3000 are the vendor's for the same rule; 3001-3015 are the
// placement and access-pattern rules A1-A15 of the machine model; the rest is ours.
const (
	CodeDType    = "BIR071"  // dtype not legal for the operand
	CodeLoop     = "BIR091"  // malformed loop
	CodeDoWhile  = "BIR119"  // do-while condition is not a register
	CodeOpcode   = "BIR157"  // unknown or abstract opcode in a block
	CodeMemory   = "BIR310"  // operand memory not reachable for the engine or opcode
	CodeGen      = "BIR366"  // opcode needs a later generation
	CodeEngine   = "BIR400"  // engine cannot execute the opcode
	CodeBackEdge = "BIR419"  // dependency on a later instruction
	CodeParts    = "BIR3001" // A1: more than 128 partitions
	CodeStart    = "BIR3002" // A2: illegal start partition
	CodeDim      = "BIR3005" // A5: dimension of an access pattern out of range
	CodeFree     = "BIR3006" // A6: too many elements in a partition
	CodeMatch    = "BIR3007" // A7: partition counts differ
	CodeTwoPSUM  = "BIR3008" // A8: both inputs in PSUM
	CodeQuadrant = "BIR3009" // A9: SBUF inputs start in different quadrants
	CodeBounds   = "BIR3013" // A13: access out of bounds
	CodeAttrs    = "BIR3020" // attributes of another opcode
	CodeOperands = "BIR3021" // wrong number or kind of operands
	CodeElems    = "BIR3022" // element counts differ
	CodeMatmul   = "BIR3023" // matmul shape
	CodeVector   = "BIR3024" // vector instruction's own limits
	CodeReduceOp = "BIR3025" // operation not legal as a reduction
	CodeBitOp    = "BIR3026" // bit operation on a float
	CodeSync     = "BIR3027" // illegal wait or update
	CodeControl  = "BIR3028" // illegal control flow
	CodePlace    = "BIR3029" // location outside its memory
	CodeAlias    = "BIR3030" // alias outside DRAM
	CodeAxis     = "BIR3031" // axis used outside its loop
	CodeDMA      = "BIR3032" // DMA limits
	CodeName     = "BIR3033" // duplicate or missing name
	CodeModule   = "BIR3034" // module without target or function
)
