package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	hloopt "github.com/alcadev/alca/internal/hlo/opt"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin/isel"
	"github.com/alcadev/alca/internal/penguin/opt"
	"github.com/alcadev/alca/internal/walrus"
)

// PassesOptions are the flags of `alca passes`.
type PassesOptions struct {
	Target   string
	OptLevel int
	JSON     bool
}

// passRow is a pass, and its place in the pipeline that was asked for (0: not part of it).
type passRow struct {
	Level    string `json:"level"`
	Name     string `json:"name"`
	Position int    `json:"position,omitempty"`
	Required bool   `json:"required,omitempty"`
	Doc      string `json:"doc"`
}

// allPasses lists the passes of all levels, those of a level's pipeline first and in its order.
func allPasses(level int) []passRow {
	var rows []passRow
	n := 0
	section := func(infos []pass.Info, pipeline []string) {
		byName := map[string]pass.Info{}
		for _, i := range infos {
			byName[i.Name] = i
		}
		in := map[string]bool{}
		for _, name := range pipeline {
			n++
			i := byName[name]
			rows = append(rows, passRow{i.Level, name, n, i.Required, i.Doc})
			in[name] = true
		}
		for _, i := range infos {
			if !in[i.Name] {
				rows = append(rows, passRow{i.Level, i.Name, 0, i.Required, i.Doc})
			}
		}
	}
	step := func(level string) {
		for _, s := range steps {
			if s.Level == level {
				section([]pass.Info{s}, []string{s.Name})
			}
		}
	}
	section(infos("hlo", hloPasses.List()), hloopt.Pipeline(level))
	step("penguin")
	section(infos("penguin", penguinPasses.List()), opt.Pipeline(level))
	section(isel.PassInfo(), isel.Pipeline(level))
	step("bir")
	section(walrus.Passes(), walrus.Pipeline(level))
	step("neff")
	return rows
}

func infos[M any](level string, ps []pass.Pass[M]) []pass.Info {
	out := make([]pass.Info, len(ps))
	for i, p := range ps {
		out[i] = pass.Info{Level: level, Name: p.Name, Doc: p.Doc, Required: p.Required}
	}
	return out
}

// knownPass reports whether any level has a pass of this name.
func knownPass(name string) bool {
	for _, r := range allPasses(2) {
		if r.Name == name {
			return true
		}
	}
	return false
}

// resolve finds passes of a level by the names that --passes gives.
func resolve[M any](r *pass.Registry[M], level string, names []string) ([]pass.Pass[M], error) {
	for _, n := range names {
		if _, ok := r.Lookup(n); ok {
			continue
		}
		for _, row := range allPasses(2) {
			if row.Name == n {
				return nil, diag.Errorf("DRV025", diag.Loc{}, "%s is a pass of level %s; --passes takes passes of level %s here", n, row.Level, level).
					WithHint("`alca passes` shows the level of each pass")
			}
		}
	}
	return r.Resolve(names)
}

// Passes prints the passes and the pipeline of a target and level.
func Passes(e *Env, o PassesOptions) error {
	if err := checkTarget(o.Target, o.OptLevel); err != nil {
		return err
	}
	rows := allPasses(o.OptLevel)
	if o.JSON {
		enc := json.NewEncoder(e.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	fmt.Fprintf(e.Out, "pipeline of %s at -O%d; passes without a number are not part of it, * cannot be disabled\n\n", o.Target, o.OptLevel)
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		pos, req := "", ""
		if r.Position > 0 {
			pos = fmt.Sprint(r.Position)
		}
		if r.Required {
			req = "*"
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\t%s\n", pos, r.Level, r.Name, req, r.Doc)
	}
	return w.Flush()
}

// runHLOPasses runs the passes of `alca opt`.
func runHLOPasses(ctx context.Context, e *Env, m *hlo.Module, o OptOptions) error {
	ps, err := resolve(hloPasses, "hlo", o.Passes)
	if err != nil {
		return err
	}
	d := &dumper{e: e, o: CompileOptions{PrintAfter: o.PrintAfter}}
	_, err = pass.Run(ctx, ps, m, pass.Options[*hlo.Module]{Level: "hlo", Disable: o.Disable, StopAfter: o.StopAfter,
		After: func(name string, m *hlo.Module) error {
			if err := hlo.Verify(m); err != nil {
				return err
			}
			return d.after("hlo", name, "mlir", printHLO(m))
		}})
	return err
}

func dumpBytes(print func(io.Writer) error) []byte {
	var b bytes.Buffer
	if err := print(&b); err != nil {
		fmt.Fprintf(&b, "\n// printing failed: %v\n", err)
	}
	return b.Bytes()
}
