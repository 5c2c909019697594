package driver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alcadev/alca/internal/diag"
)

// Report prints err to the error stream: diagnostics with the source line they are about.
func (e *Env) Report(err error) {
	e.endProgress()
	e.mu.Lock()
	defer e.mu.Unlock()
	Render(e.Err, err, e.sources)
}

// Render writes err. A joined error is written part by part.
func Render(w io.Writer, err error, sources map[string]*Source) {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		for _, x := range j.Unwrap() {
			Render(w, x, sources)
		}
		return
	}
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		fmt.Fprintf(w, "error: %v\n", err)
		return
	}
	// What wraps the diagnostic says during which step it came up.
	prefix := ""
	if full, own := err.Error(), d.Error(); full != own {
		prefix = strings.TrimSuffix(strings.TrimSuffix(full, own), ": ")
	}
	if d.Loc.Known() {
		fmt.Fprintf(w, "%s: ", showLoc(d.Loc, sources))
	}
	code := d.Code
	if i, ok := diag.LookupCode(d.Code); ok && i.Alias != "" {
		code += " " + i.Alias
	}
	fmt.Fprintf(w, "%s: [%s] %s\n", d.Sev, code, d.Msg)
	excerpt(w, d.Loc, sources)
	if prefix != "" && prefix != err.Error() {
		fmt.Fprintf(w, "  note: during %s\n", prefix)
	}
	for _, n := range d.Notes {
		fmt.Fprintf(w, "  note: %s", n.Msg)
		if n.Loc.Known() {
			fmt.Fprintf(w, " (%s)", showLoc(n.Loc, sources))
		}
		fmt.Fprintln(w)
	}
	if d.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", d.Hint)
	}
}

// showLoc puts the path of a source in the place of its label.
func showLoc(l diag.Loc, sources map[string]*Source) string {
	if s := sources[l.File]; s != nil {
		l.File = s.Path
	}
	return l.String()
}

const excerptWidth = 110 // columns of a long source line that are shown

// excerpt prints the line of l with a caret below the column.
func excerpt(w io.Writer, l diag.Loc, sources map[string]*Source) {
	s := sources[l.File]
	if s == nil || l.Line < 1 {
		return
	}
	text := s.Text
	for i := 1; i < l.Line; i++ {
		n := bytes.IndexByte(text, '\n')
		if n < 0 {
			return
		}
		text = text[n+1:]
	}
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		text = text[:n]
	}
	line := strings.TrimRight(string(text), "\r")
	col := max(l.Col-1, 0)
	if col > len(line) {
		col = len(line)
	}
	start, lead, tail := 0, "", ""
	if len(line) > excerptWidth {
		if col > excerptWidth/2 {
			start = min(col-excerptWidth/2, len(line)-excerptWidth)
			lead = "..."
		}
		for start > 0 && !utf8.RuneStart(line[start]) {
			start--
		}
		end := min(len(line), start+excerptWidth)
		for end < len(line) && !utf8.RuneStart(line[end]) {
			end++
		}
		if end < len(line) {
			tail = "..."
		}
		line, col = line[start:end], col-start
	}
	var pad strings.Builder
	for _, r := range line[:col] {
		if r == '\t' {
			pad.WriteByte('\t')
		} else {
			pad.WriteByte(' ')
		}
	}
	num := strconv.Itoa(l.Line)
	fmt.Fprintf(w, "%5s | %s%s%s\n", num, lead, line, tail)
	if l.Col > 0 {
		fmt.Fprintf(w, "%5s | %s%s^\n", "", strings.Repeat(" ", len(lead)), pad.String())
	}
}
