package driver

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

func TestGuard(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		name string
		f    func(ctx context.Context) error
		code int
		text string
	}{
		{"ok", func(context.Context) error { return nil }, ExitOK, ""},
		{"diagnostic", func(context.Context) error { return diag.Errorf("HLO031", diag.Loc{File: "f", Line: 2}, "bad shape") }, ExitError, "f:2: error: [HLO031] bad shape"},
		{"plain error", func(context.Context) error { return errors.New("plain") }, ExitError, "error: plain"},
		{"failed", func(context.Context) error { return ErrFailed }, ExitError, ""},
		{"usage", func(context.Context) error { return Usagef("bad flag") }, ExitUsage, "alca: bad flag"},
		{"interrupted", func(context.Context) error { return context.Canceled }, ExitInterrupted, "interrupted"},
		{"internal", func(context.Context) error { return diag.Internalf("BIR390", diag.Loc{}, "broken") }, ExitInternal, "internal error: [BIR390] broken"},
		{"panic", func(context.Context) error { var p *struct{ x int }; p.x = 1; return nil }, ExitInternal, "internal error: [DRV000] runtime error: invalid memory address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var errs strings.Builder
			e := &Env{Err: &errs}
			e.Note("input.mlir", func() []byte { return []byte("module {}") })
			e.Note("bad.txt", func() []byte { panic("cannot print") })
			if code := e.Guard(context.Background(), []string{"compile", "it's.mlir"}, c.f); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(errs.String(), c.text) {
				t.Errorf("printed %q, want %q", errs.String(), c.text)
			}
			_, dir, ok := strings.Cut(errs.String(), "a reproduction bundle is in ")
			if ok != (c.code == ExitInternal) {
				t.Fatalf("bundle: %q", errs.String())
			}
			if !ok {
				return
			}
			for name, want := range map[string]string{"command.txt": `alca 'compile' 'it'\''s.mlir'`, "input.mlir": "module {}", "error.txt": "", "version.json": `"go"`} {
				b, err := os.ReadFile(filepath.Join(strings.TrimSpace(dir), name))
				if err != nil || !strings.Contains(string(b), want) {
					t.Errorf("%s: %v %q", name, err, b)
				}
			}
		})
	}
}

func TestRender(t *testing.T) {
	src := &Source{Path: "dir/model.mlir", Text: []byte("first\n\t%0 = bad line\n" + strings.Repeat("x", 300) + "HERE" + strings.Repeat("y", 300) + "\n")}
	sources := map[string]*Source{SourceLabel: src}
	at := func(line, col int) diag.Loc { return diag.Loc{File: SourceLabel, Line: line, Col: col} }
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"excerpt", diag.Errorf("HLO031", at(2, 7), "bad").WithHint("do it right").WithNote(at(1, 1), "defined here"),
			"dir/model.mlir:2:7: error: [HLO031] bad\n    2 | \t%0 = bad line\n      | \t     ^\n  note: defined here (dir/model.mlir:1:1)\n  hint: do it right\n"},
		{"wrapped", fmt.Errorf("lower: %w", diag.Errorf("PEN190", at(1, 1), "no")), "dir/model.mlir:1:1: error: [PEN190] no\n    1 | first\n      | ^\n  note: during lower\n"},
		{"joined", errors.Join(errors.New("a"), diag.Errorf("DRV001", diag.Loc{File: "f"}, "b")), "error: a\nf: error: [DRV001] b\n"},
		{"beyond the end", diag.Errorf("HLO001", at(9, 1), "eof"), "dir/model.mlir:9:1: error: [HLO001] eof\n"},
	} {
		var b strings.Builder
		Render(&b, c.err, sources)
		if b.String() != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, b.String(), c.want)
		}
	}
	var b strings.Builder
	Render(&b, diag.Errorf("HLO001", at(3, 301), "long"), sources)
	lines := strings.Split(b.String(), "\n")
	if len(lines[1]) > 140 || !strings.Contains(lines[1], "HERE") || strings.Index(lines[1], "HERE") != strings.Index(lines[2], "^") {
		t.Errorf("long line:\n%s", b.String())
	}
}

var (
	nan, inf = math.NaN(), math.Inf(1)
	maxFloat = math.MaxFloat64
)

func f64s(v []float64) *tensor.Tensor {
	t := tensor.New(dtype.F64, len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint64(t.Data[8*i:], math.Float64bits(x))
	}
	return t
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want []float64
		tol       float64
		ok        bool
		err       float64
	}{
		{"equal", []float64{1, 2}, []float64{1, 2}, 0, true, 0},
		{"by scale", []float64{1, 200.001}, []float64{1, 200}, 1e-4, true, 5e-6},
		{"too far", []float64{1, 201}, []float64{1, 200}, 1e-4, false, 5e-3},
		{"nan equals nan", []float64{nan, 1}, []float64{nan, 1}, 0, true, 0},
		{"nan for a number", []float64{nan, 1}, []float64{2, 1}, 1, false, 0},
		{"infinity by sign", []float64{inf, 1}, []float64{-inf, 1}, 1, false, 0},
		{"zero scale", []float64{1e-9, 0}, []float64{0, 0}, 1e-5, false, maxFloat},
	} {
		r := Compare("x", f64s(c.got), f64s(c.want), c.tol)
		if r.OK != c.ok || r.Error < c.err*0.99 || r.Error > c.err*1.01 {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
