// Package birjson writes and reads BIR as JSON.
//
// The writer is canonical: keys sorted, two-space indent, fields with their default left out. Reading what it
// wrote and writing that again gives the same bytes. The reader accepts version 1 and 2 of the expression encoding;
// every error names the place in the file, such as functions[main]/Block1/mm.ins[1].memref.
package birjson

// Diagnostic codes of the reader and writer.
const (
	CodeSyntax    = "BIR3040" // not JSON, or a duplicate key
	CodeMissing   = "BIR3041" // missing key
	CodeType      = "BIR3042" // value of the wrong type or range
	CodeReference = "BIR495"  // name that resolves to nothing
	CodeQueue     = "BIR466"  // queue that does not exist
	CodeVersion   = "BIR3043" // unsupported version
	CodeDType     = "BIR071"  // element type BIR does not have
	CodeOpcode    = "BIR157"  // unknown opcode
	CodeForm      = "BIR3044" // legal BIR that one of the two sides cannot express
)
