// Package diag holds diagnostics: what went wrong, where, under which stable code, and what to do about it.
//
// A Diagnostic is an error value. Code that finds a problem returns one; it never prints and never panics:
//
//	return diag.Errorf("HLO031", loc, "dot_general: contracting dimensions differ: lhs dim %d is %d, rhs dim %d is %d", ...).
//		WithHint("did you mean contracting_dims = [1] x [1]?")
//
// Codes are three letters (the room: DRV HLO PEN NKI BIR ISA NEF SIM INV) and three digits.
package diag

import (
	"errors"
	"fmt"
	"strings"
)

// Severity orders diagnostics.
type Severity uint8

const (
	Error Severity = iota
	Warning
	Note
	Internal // an impossible state: a bug in alca, exit code 3
)

func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "note"
	case Internal:
		return "internal error"
	}
	return fmt.Sprintf("severity(%d)", uint8(s))
}

// Loc is a position in a source text. The zero Loc is "unknown". Line and Col start at 1; Col counts bytes.
type Loc struct {
	File string
	Line int
	Col  int
}

// Known reports whether the location says anything.
func (l Loc) Known() bool { return l.File != "" || l.Line > 0 }

func (l Loc) String() string {
	switch {
	case !l.Known():
		return "<unknown>"
	case l.Line == 0:
		return l.File
	case l.Col == 0:
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	case l.File == "":
		return fmt.Sprintf("%d:%d", l.Line, l.Col)
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Col)
}

// Related is a secondary remark of a diagnostic, such as where an operand was defined.
type Related struct {
	Loc Loc
	Msg string
}

// Diagnostic is an error with a stable code, a location and advice.
type Diagnostic struct {
	Code  string // "HLO031"
	Sev   Severity
	Loc   Loc
	Msg   string
	Hint  string
	Notes []Related
	Err   error // the cause, if any
}

// Errorf returns an error diagnostic. An argument that is an error is kept as the cause if formatted by %w.
func Errorf(code string, loc Loc, format string, args ...any) *Diagnostic {
	err := fmt.Errorf(format, args...)
	return &Diagnostic{Code: code, Sev: Error, Loc: loc, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// Internalf returns an internal-error diagnostic for a state that alca's own invariants exclude.
func Internalf(code string, loc Loc, format string, args ...any) *Diagnostic {
	d := Errorf(code, loc, format, args...)
	d.Sev = Internal
	return d
}

// WithHint returns d with advice added.
func (d *Diagnostic) WithHint(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// WithNote returns d with a secondary location added.
func (d *Diagnostic) WithNote(loc Loc, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Related{loc, fmt.Sprintf(format, args...)})
	return d
}

// Unwrap returns the cause.
func (d *Diagnostic) Unwrap() error { return d.Err }

// Error renders the diagnostic without source excerpt: "file:line:col: error: [CODE] message", then notes and hint.
func (d *Diagnostic) Error() string {
	var b strings.Builder
	if d.Loc.Known() {
		b.WriteString(d.Loc.String())
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "%s: [%s] %s", d.Sev, d.Code, d.Msg)
	for _, n := range d.Notes {
		b.WriteString("\n  note: ")
		b.WriteString(n.Msg)
		if n.Loc.Known() {
			fmt.Fprintf(&b, " (%s)", n.Loc)
		}
	}
	if d.Hint != "" {
		b.WriteString("\n  hint: ")
		b.WriteString(d.Hint)
	}
	return b.String()
}

// Code returns the code of the first Diagnostic in err's chain, or "".
func Code(err error) string {
	var d *Diagnostic
	if errors.As(err, &d) {
		return d.Code
	}
	return ""
}

// IsInternal reports whether err carries an internal-error diagnostic.
func IsInternal(err error) bool {
	var d *Diagnostic
	return errors.As(err, &d) && d.Sev == Internal
}
