package driver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/pass"
)

// Exit codes.
const (
	ExitOK          = 0
	ExitError       = 1   // a diagnostic, or a check that failed
	ExitUsage       = 2   // bad command line
	ExitInternal    = 3   // a bug in alca; a reproduction bundle was written
	ExitInterrupted = 130 // by the user
)

// Env is what a command may touch of the outside world.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Err is a terminal: progress may be shown there

	mu      sync.Mutex
	sources map[string]*Source // by label
	bundle  []bundleFile       // for the reproduction bundle, in the order noted
	shown   bool               // a progress line stands on the terminal
}

type bundleFile struct {
	name string
	data func() []byte
}

// UsageError is a bad command line: exit code 2.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// ErrFailed ends a command with exit code 1 after it has said everything itself.
var ErrFailed = errors.New("failed")

// Guard runs f, prints its error and returns the exit code. A panic is an internal error.
func (e *Env) Guard(ctx context.Context, args []string, f func(ctx context.Context) error) int {
	err := func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = &panicError{value: r, stack: debug.Stack()}
			}
		}()
		return f(ctx)
	}()
	e.endProgress()
	var usage *UsageError
	var pe *panicError
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrFailed):
		return ExitError
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.Err, "interrupted")
		return ExitInterrupted
	case errors.As(err, &usage):
		fmt.Fprintf(e.Err, "alca: %v\n", err)
		return ExitUsage
	case errors.As(err, &pe):
		fmt.Fprintf(e.Err, "internal error: [DRV000] %v\n", pe.value)
		e.writeBundle(args, fmt.Sprintf("panic: %v\n\n%s", pe.value, pe.stack))
		return ExitInternal
	}
	e.Report(err)
	if diag.IsInternal(err) {
		e.writeBundle(args, err.Error())
		return ExitInternal
	}
	return ExitError
}

type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Recover turns a panic of f into an internal-error diagnostic, for work that must not end the process.
func Recover(loc diag.Loc, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if d, ok := r.(*diag.Diagnostic); ok {
				err = d
				return
			}
			err = diag.Internalf("DRV000", loc, "panic: %v%s", r, where(debug.Stack()))
		}
	}()
	return f()
}

// where finds the function that panicked in a stack trace, for one-line messages.
func where(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") {
			for j := i + 2; j+1 < len(lines); j += 2 {
				if strings.HasPrefix(lines[j], "runtime.") {
					continue
				}
				if f := strings.Fields(lines[j+1]); len(f) > 0 {
					return " at " + filepath.Base(f[0])
				}
			}
		}
	}
	return ""
}

// Note adds a file to the reproduction bundle should the command die. data is called then.
func (e *Env) Note(name string, data func() []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bundle = append(e.bundle, bundleFile{name, data})
}

// writeBundle writes what is needed to reproduce an internal error into a folder of its own.
func (e *Env) writeBundle(args []string, msg string) {
	sum := sha256.Sum256([]byte(msg + strings.Join(args, "\x00")))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("alca-crash-%x", sum[:6]))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		fmt.Fprintf(e.Err, "  note: no reproduction bundle: %v\n", err)
		return
	}
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	write := func(name string, data []byte) { os.WriteFile(filepath.Join(dir, name), data, 0o666) }
	write("command.txt", []byte("alca "+strings.Join(quoted, " ")+"\n"))
	write("error.txt", []byte(msg+"\n"))
	write("version.json", VersionJSON())
	for _, f := range e.bundle {
		func() {
			defer func() { recover() }() // the IR may be what is broken
			write(f.name, f.data())
		}()
	}
	fmt.Fprintf(e.Err, "  note: this is a bug in alca; a reproduction bundle is in %s\n", dir)
}

// Progress shows what is being done on a terminal, in place.
func (e *Env) Progress(format string, args ...any) {
	if !e.Terminal {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shown = true
	fmt.Fprintf(e.Err, "\r\x1b[K%s", fmt.Sprintf(format, args...))
}

func (e *Env) endProgress() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.shown {
		fmt.Fprint(e.Err, "\r\x1b[K")
		e.shown = false
	}
}

// Stage reports the beginning of a stage as progress and returns a function that notes its end.
func (e *Env) Stage(name string, times *[]StageTime) func() {
	e.Progress("%s ...", name)
	start := time.Now()
	return func() {
		if times != nil {
			*times = append(*times, StageTime{name, time.Since(start)})
		}
	}
}

// StageTime is the duration of a stage.
type StageTime struct {
	Name     string
	Duration time.Duration
}

// MarshalJSON names the unit of the duration.
func (t StageTime) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name     string  `json:"name"`
		Duration float64 `json:"duration_ms"`
	}{t.Name, pass.Millis(t.Duration)})
}
