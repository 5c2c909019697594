package driver

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/alcadev/alca/internal/hlo"
	hloopt "github.com/alcadev/alca/internal/hlo/opt"
)

// OpRow says what alca can do with an op.
type OpRow struct {
	Name   string `json:"name"`
	Infer  bool   `json:"infer"`
	Verify bool   `json:"verify"`
	Eval   bool   `json:"eval"`
	Lower  bool   `json:"lower"`
	Via    string `json:"via,omitempty"` // of the HLO form: the op it becomes
	Doc    string `json:"doc,omitempty"`
}

// OpRows lists the op table.
func OpRows() []OpRow {
	var rows []OpRow
	for _, d := range hlo.Ops() {
		r := OpRow{Name: d.Name, Infer: d.Infer != nil, Verify: true, Eval: hasEval(d), Lower: hasLower(d), Doc: d.Doc}
		if d.HLO != nil {
			via, ok := hloopt.ViaStableHLO(d)
			r.Via, r.Eval, r.Lower = via, ok, ok
			if twin := hlo.Lookup(via); twin != nil {
				r.Eval, r.Lower = hasEval(twin), hasLower(twin)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// OpsOptions are the flags of `alca ops`.
type OpsOptions struct{ JSON, Markdown bool }

// Ops prints the op table.
func Ops(e *Env, o OpsOptions) error {
	rows := OpRows()
	if o.Markdown {
		return opsMarkdown(e, rows)
	}
	if o.JSON {
		enc := json.NewEncoder(e.Out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(rows)
	}
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "op\tinfer\tverify\teval\tlower\t")
	mark := func(b bool) string {
		if b {
			return "yes"
		}
		return "-"
	}
	counts := [4]int{}
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", r.Name, mark(r.Infer), mark(r.Verify), mark(r.Eval), mark(r.Lower))
		for i, b := range []bool{r.Infer, r.Verify, r.Eval, r.Lower} {
			if b {
				counts[i]++
			}
		}
	}
	fmt.Fprintf(w, "%d ops\t%d\t%d\t%d\t%d\t\n", len(rows), counts[0], counts[1], counts[2], counts[3])
	return w.Flush()
}

// opsMarkdown prints docs/ops.md.
func opsMarkdown(e *Env, rows []OpRow) error {
	mark := func(b bool) string {
		if b {
			return "yes"
		}
		return "not yet"
	}
	infer := func(b bool) string {
		if b {
			return "yes"
		}
		return "stated"
	}
	fmt.Fprint(e.Out, `# Ops

Written by "alca ops --markdown". *infer*: result types follow from operands and attributes; "stated" ops carry
theirs in the text. *eval*: the golden evaluator computes it. *lower*: it compiles for the machine; element types
and attributes may still be refused with a diagnostic. An op that says "not yet" is answered with a diagnostic.
Terminators are part of the op or function that holds them. Modules of the HLO form are converted to StableHLO before
anything else: an "hlo." row says what holds for the op it becomes (in "alca ops --json" as "via").

| op | infer | verify | eval | lower |
| --- | --- | --- | --- | --- |
`)
	for _, r := range rows {
		if _, err := fmt.Fprintf(e.Out, "| %s | %s | %s | %s | %s |\n", r.Name, infer(r.Infer), mark(r.Verify), mark(r.Eval), mark(r.Lower)); err != nil {
			return err
		}
	}
	return nil
}
