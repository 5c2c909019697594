package neff

import "github.com/alcadev/alca/internal/diag"

// Diagnostic codes of the container. Our own rules count from 3000 (machine.md 0).
const (
	CodeTruncated = "NEF3000" // the file ends early
	CodeHeader    = "NEF3001" // a header field is impossible
	CodeVersion   = "NEF3002" // unknown format version
	CodeFeature   = "NEF3003" // unknown feature bit
	CodeHash      = "NEF3004" // contents do not match the hash
	CodeArchive   = "NEF3005" // broken or hostile archive
	CodeMember    = "NEF3006" // a required member is missing
	CodeJSON      = "NEF3007" // a JSON member does not parse
	CodeVar       = "NEF3008" // bad variable table entry
	CodeQueue     = "NEF3009" // bad queue
	CodeDesc      = "NEF3010" // bad descriptor
	CodeTrigger   = "NEF3011" // trigger and descriptor lists disagree
	CodeIO        = "NEF3012" // bad input or output table
	CodeTarget    = "NEF3013" // compiled for another target
	CodeLimit     = "NEF3014" // exceeds a limit of the reader
	CodeDebug     = "NEF3015" // a debug member does not parse
	CodeIOError   = "NEF3016" // the file cannot be opened, read or written
	CodeLNC       = "NEF3017" // logical core layout
)

func errf(code, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(code, diag.Loc{}, format, args...)
}
