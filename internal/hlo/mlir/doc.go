// Package mlir reads and writes hlo modules as MLIR text: the grammar of the builtin, func, stablehlo, chlo,
// check and interpreter dialects, in custom ("pretty") and generic form.
//
//	m, err := mlir.Parse(src, "model.mlir")   // err is a *diag.Diagnostic with file, line and column
//	err = mlir.Print(os.Stdout, m, mlir.Options{})
//
// The reader is a recursive-descent parser over an on-demand lexer. Which ops exist comes from hlo's op table;
// how an op is spelled comes from the table in formats.go, which drives reading and writing alike. Attributes
// and types of other dialects are kept as text.
package mlir
