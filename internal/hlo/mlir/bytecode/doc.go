// Package bytecode reads MLIR bytecode that holds portable StableHLO programs (the VHLO dialect), as jax.export
// and torch-xla write, of every released version, and brings them to the current op set.
//
//	m, err := bytecode.Read(data, "model.mlir.bc")
//
// A file is a magic number, a version, a producer string and sections: strings, dialects and op names, attribute
// and type data with an offset table, resources, properties and the IR. Attributes and types are decoded on first
// use. The reader trusts nothing: every count and index is checked against what is left of the data.
package bytecode

// Magic opens every MLIR bytecode file.
const Magic = "ML\xefR"

// Diagnostic codes of the reader.
const (
	CodeFormat  = "HLO050" // malformed or truncated bytecode
	CodeVersion = "HLO051" // version newer than the reader knows
	CodeOp      = "HLO052" // op the reader does not know
	CodeAttr    = "HLO053" // attribute or type the reader does not know
)
