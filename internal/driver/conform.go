package driver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

// ConformOptions are the flags of `alca conform`.
type ConformOptions struct {
	Level    string
	Target   string
	OptLevel int
	Timeout  time.Duration
	Results  string
	Jobs     int
	Filter   string
	// Worker makes this process answer requests on standard input instead, see worker.
	Worker bool
}

// Status is the outcome of a case.
type Status string

const (
	Passed      Status = "passed"
	Failed      Status = "failed"      // wrong value, crash, or an error that is not "unsupported"
	Unsupported Status = "unsupported" // a diagnostic says that alca does not do this
	TimedOut    Status = "timeout"
	Ineligible  Status = "ineligible" // not asked of a device: dynamic shapes, f64, tokens, ...
	Unparsed    Status = "unparsed"
)

// CaseResult is the line of a module in the results file.
type CaseResult struct {
	File     string  `json:"file"`
	Index    int     `json:"index"` // of the module in the file
	Line     int     `json:"line"`
	Level    string  `json:"level"`
	Status   Status  `json:"status"`
	Disabled bool    `json:"disabled,omitempty"` // its authors disabled running it
	Eligible bool    `json:"eligible"`
	Code     string  `json:"code,omitempty"`
	Message  string  `json:"message,omitempty"`
	Seconds  float64 `json:"seconds"`
}

// Counts sum results.
type Counts struct {
	Total       int `json:"total"`
	Parsed      int `json:"parsed"`
	Eligible    int `json:"eligible"`
	Passed      int `json:"passed"`
	Failed      int `json:"failed"`
	Unsupported int `json:"unsupported"`
	Timeout     int `json:"timeout"`
}

func (c *Counts) add(r *CaseResult) {
	c.Total++
	if r.Status != Unparsed {
		c.Parsed++
	}
	if r.Eligible {
		c.Eligible++
	}
	switch r.Status {
	case Passed:
		c.Passed++
	case Failed, Unparsed:
		c.Failed++
	case Unsupported:
		c.Unsupported++
	case TimedOut:
		c.Timeout++
	}
}

// Summary is the last line a run prints.
type Summary struct {
	Level  string `json:"level"`
	Target string `json:"target,omitempty"`
	Counts
	Disabled Counts `json:"disabled"`
}

// conformLevels are the levels, and whether they are those of a device.
var conformLevels = map[string]bool{"parse": false, "eval": false, "penguin": true, "bir": true, "neff": true}

// Conform runs all cases of a file or folder.
func Conform(ctx context.Context, e *Env, path string, o ConformOptions) error {
	device, ok := conformLevels[o.Level]
	if !ok {
		return Usagef("--level is parse, eval, penguin, bir or neff, not %q", o.Level)
	}
	if err := checkTarget(o.Target, o.OptLevel); err != nil {
		return err
	}
	if o.Worker {
		return worker(ctx, e, o)
	}
	files, err := conformFiles(path, o.Filter)
	if err != nil {
		return err
	}
	var cases []CaseResult
	for _, f := range files {
		src, err := readFile(f, maxSourceBytes)
		if err != nil {
			return err
		}
		for i, p := range mlir.Split(src) {
			cases = append(cases, CaseResult{File: f, Index: i, Line: p.FirstLine, Level: o.Level, Disabled: bytes.Contains(src, []byte("RUN-DISABLED"))})
		}
	}
	if err := runCases(ctx, e, cases, o); err != nil {
		return err
	}
	if o.Results != "" {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		for i := range cases {
			if err := enc.Encode(&cases[i]); err != nil {
				return err
			}
		}
		if err := e.WriteFile(o.Results, b.Bytes()); err != nil {
			return err
		}
	}
	s := Summary{Level: o.Level}
	if device {
		s.Target = o.Target
	}
	reasons := map[string]int{}
	for i := range cases {
		s.Counts.add(&cases[i])
		if cases[i].Disabled {
			s.Disabled.add(&cases[i])
		}
		if r := &cases[i]; r.Status == Failed || r.Status == Unsupported || r.Status == Unparsed {
			reasons[fmt.Sprintf("%-11s %s %s", r.Status, r.Code, firstWords(r.Message))]++
		}
	}
	e.endProgress()
	printReasons(e.Out, reasons)
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%s\n", line)
	return nil
}

// printReasons lists the most frequent ways of not passing.
func printReasons(w io.Writer, reasons map[string]int) {
	var rs []string
	for r := range reasons {
		rs = append(rs, r)
	}
	sort.Slice(rs, func(i, j int) bool {
		if reasons[rs[i]] != reasons[rs[j]] {
			return reasons[rs[i]] > reasons[rs[j]]
		}
		return rs[i] < rs[j]
	})
	for i, r := range rs {
		if i == 15 {
			fmt.Fprintf(w, "      and %d other reasons\n", len(rs)-i)
			break
		}
		fmt.Fprintf(w, "%5d %s\n", reasons[r], r)
	}
}

// firstWords shortens a message to what groups well: one line, numbers dropped.
func firstWords(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= '0' && c <= '9' {
			if i == 0 || !(s[i-1] >= '0' && s[i-1] <= '9') {
				b.WriteByte('N')
			}
			continue
		}
		b.WriteByte(s[i])
	}
	s = b.String()
	if len(s) > 100 {
		s = s[:100] + "..."
	}
	return s
}

func conformFiles(path, filter string) ([]string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, fileError(path, "read", err)
	}
	if !st.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && strings.HasSuffix(p, ".mlir") && strings.Contains(p, filter) {
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		return nil, fileError(path, "read", err)
	}
	if len(files) == 0 {
		return nil, diag.Errorf("DRV001", diag.Loc{File: path}, "no .mlir files below this folder")
	}
	return files, nil // WalkDir goes in lexical order
}

// runCases fills the outcomes in. Modules run in child processes, so that one that exhausts memory or stack,
// or does not end, takes nothing with it but its own result.
func runCases(ctx context.Context, e *Env, cases []CaseResult, o ConformOptions) error {
	jobs := o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	jobs = min(jobs, max(len(cases), 1))
	work := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done, passed := 0, 0
	var first error
	for range jobs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c := &child{o: o, errOut: io.Discard}
			defer c.stop()
			for i := range work {
				err := c.run(ctx, &cases[i])
				mu.Lock()
				if err != nil && first == nil {
					first = err
				}
				done++
				if cases[i].Status == Passed {
					passed++
				}
				mu.Unlock()
				e.Progress("%d of %d modules, %d passed", done, len(cases), passed)
			}
		}()
	}
	for i := range cases {
		if ctx.Err() != nil {
			break
		}
		work <- i
	}
	close(work)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return first
}

// child is a worker process and the pipes to it.
type child struct {
	o      ConformOptions
	errOut io.Writer
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

func (c *child) start() error {
	self, err := exec.LookPath(os.Args[0])
	if err != nil {
		if self, err = os.Executable(); err != nil {
			return err
		}
	}
	c.stderr.Reset()
	c.cmd = exec.Command(self, "conform", "--worker", "--level", c.o.Level, "--target", c.o.Target,
		fmt.Sprintf("-O%d", c.o.OptLevel), "--timeout", c.o.Timeout.String(), "-")
	c.cmd.Stderr = &c.stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.out = bufio.NewReaderSize(out, 1<<16)
	return c.cmd.Start()
}

func (c *child) stop() {
	if c.cmd != nil {
		c.in.Close()
		c.cmd.Process.Kill()
		c.cmd.Wait()
		c.cmd = nil
	}
}

// run has the child do one case. Only failing to start a child is an error.
func (c *child) run(ctx context.Context, r *CaseResult) error {
	if c.cmd == nil {
		if err := c.start(); err != nil {
			return diag.Errorf("DRV002", diag.Loc{}, "cannot start a worker process: %w", err)
		}
	}
	start := time.Now()
	req, _ := json.Marshal(r)
	type answer struct {
		line []byte
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		if _, err := c.in.Write(append(req, '\n')); err != nil {
			got <- answer{nil, err}
			return
		}
		line, err := c.out.ReadBytes('\n')
		got <- answer{line, err}
	}()
	// The worker ends a case at its time limit; the extra time is for those that do not listen.
	limit := time.NewTimer(c.o.Timeout + 2*time.Second)
	defer limit.Stop()
	select {
	case a := <-got:
		if a.err == nil && json.Unmarshal(a.line, r) == nil {
			return nil
		}
		c.cmd.Wait()
		c.cmd = nil
		r.Status, r.Code, r.Message = Failed, "DRV000", "the worker process died: "+lastPanic(c.stderr.String())
	case <-limit.C:
		c.stop()
		r.Status, r.Code, r.Message = TimedOut, "DRV024", fmt.Sprintf("not done after %s", c.o.Timeout)
	case <-ctx.Done():
		c.stop()
		return ctx.Err()
	}
	r.Seconds = time.Since(start).Seconds()
	return nil
}

func lastPanic(s string) string {
	for _, l := range strings.Split(s, "\n") {
		if strings.HasPrefix(l, "panic:") || strings.HasPrefix(l, "fatal error:") || strings.HasPrefix(l, "runtime:") {
			return l
		}
	}
	return strings.TrimSpace(s[:min(len(s), 200)])
}

// worker answers one request a line until its input ends.
func worker(ctx context.Context, e *Env, o ConformOptions) error {
	in := bufio.NewReaderSize(e.In, 1<<16)
	var lastFile string
	var parts []mlir.Part
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var r CaseResult
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if r.File != lastFile {
			src, err := readFile(r.File, maxSourceBytes)
			if err != nil {
				return err
			}
			lastFile, parts = r.File, mlir.Split(src)
		}
		if r.Index >= len(parts) {
			return diag.Internalf("DRV000", diag.Loc{File: r.File}, "file changed while it was run")
		}
		start := time.Now()
		cctx, cancel := context.WithTimeout(ctx, o.Timeout)
		err = Recover(diag.Loc{File: r.File}, func() error { return runCase(cctx, &r, parts[r.Index].Src, o) })
		timedOut := cctx.Err() != nil
		cancel()
		r.Seconds = time.Since(start).Seconds()
		r.conclude(err, timedOut)
		out, _ := json.Marshal(&r)
		if _, err := e.Out.Write(append(out, '\n')); err != nil {
			return err
		}
	}
}

// conclude turns the error of a case into its status, unless that is set.
func (r *CaseResult) conclude(err error, timedOut bool) {
	if err == nil {
		if r.Status == "" {
			r.Status = Passed
		}
		return
	}
	r.Code, r.Message = diag.Code(err), err.Error()
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		r.Message = d.Msg
		if d.Loc.Line > 0 {
			r.Message = fmt.Sprintf("%s (line %d)", d.Msg, d.Loc.Line)
		}
	}
	switch {
	case r.Status != "":
	case timedOut || errors.Is(err, context.DeadlineExceeded):
		r.Status, r.Code = TimedOut, "DRV024"
	case isUnsupported(err):
		r.Status = Unsupported
	default:
		r.Status = Failed
	}
}
