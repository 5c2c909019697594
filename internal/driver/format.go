package driver

import (
	"bytes"
	"fmt"
	"io"
	"regexp"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlopb"
	"github.com/alcadev/alca/internal/hlo/hlotext"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/hlo/mlir/bytecode"
	hloopt "github.com/alcadev/alca/internal/hlo/opt"
)

// format is a form in which modules are stored. It is found from the content, never from the name of a file.
type format struct {
	name   string
	doc    string
	detect func(src []byte) bool
	// read returns the modules of a text or file; most forms hold one.
	read  func(src []byte, file string) ([]*hlo.Module, error)
	isHLO bool // modules are in the HLO form
}

func oneModule(read func([]byte, string) (*hlo.Module, error)) func([]byte, string) ([]*hlo.Module, error) {
	return func(src []byte, file string) ([]*hlo.Module, error) {
		m, err := read(src, file)
		return []*hlo.Module{m}, err
	}
}

// formats in the order in which they are tried; the last takes what no other does.
var formats = []format{
	{name: "bytecode", doc: "portable artefact", read: oneModule(bytecode.Read),
		detect: func(src []byte) bool { return bytes.HasPrefix(src, []byte(bytecode.Magic)) }},
	{name: "hlo", doc: "HLO text", detect: hlotext.Detect, read: hlotext.ParseAll, isHLO: true},
	{name: "hlopb", doc: "HLO protobuf", detect: hlopb.Detect, read: oneModule(hlopb.Read), isHLO: true},
	{name: "stablehlo", doc: "MLIR text", detect: func([]byte) bool { return true }, read: readMLIR},
}

func readMLIR(src []byte, file string) ([]*hlo.Module, error) {
	var out []*hlo.Module
	for _, part := range mlir.Split(src) {
		m, err := mlir.Parse(part.Src, file)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// formatOf finds the form of src.
func formatOf(src []byte) *format {
	for i := range formats {
		if formats[i].detect(src) {
			return &formats[i]
		}
	}
	return &formats[len(formats)-1]
}

// How the dumps of the lower levels begin, none of which is a module.
var (
	penguinHead = regexp.MustCompile(`^\s*module \S+ gen=\d`)
	birHead     = regexp.MustCompile(`^\s*(module \S+ gen\d|\{\s*"arch": "gen)`)
)

// checkLevel refuses a dump of a level below hlo.
func (s *Source) checkLevel() error {
	head := s.Text[:min(len(s.Text), 1024)]
	switch {
	case penguinHead.Match(head):
		return diag.Errorf("HLO003", diag.Loc{File: SourceLabel}, "this is a penguin module; a StableHLO or HLO module is expected").
			WithHint("`alca opt FILE.pir` reads penguin modules")
	case birHead.Match(head):
		return diag.Errorf("HLO003", diag.Loc{File: SourceLabel}, "this is BIR; a StableHLO or HLO module is expected")
	}
	return nil
}

// Modules reads and verifies all modules of src. Those in the HLO form stay in it when keepHLO is set, else they
// become StableHLO.
func (s *Source) Modules(keepHLO bool) ([]*hlo.Module, error) {
	if err := s.checkLevel(); err != nil {
		return nil, err
	}
	f := formatOf(s.Text)
	ms, err := f.read(s.Text, SourceLabel)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		if err := hlo.Verify(m); err != nil {
			return nil, err
		}
		if f.isHLO && !keepHLO {
			if err := hloopt.FromHLO(m); err != nil {
				return nil, err
			}
			if err := hlo.Verify(m); err != nil {
				return nil, err
			}
		}
	}
	return ms, nil
}

// Parse reads and verifies the only module of src, as StableHLO.
func (s *Source) Parse() (*hlo.Module, error) {
	if err := s.checkLevel(); err != nil {
		return nil, err
	}
	if f := formatOf(s.Text); f.name == "stablehlo" { // a line "// -----" is a comment there
		m, err := mlir.Parse(s.Text, SourceLabel)
		if err != nil {
			return nil, err
		}
		return m, hlo.Verify(m)
	}
	ms, err := s.Modules(false)
	if err != nil {
		return nil, err
	}
	if len(ms) != 1 {
		return nil, diag.Errorf("DRV030", diag.Loc{File: SourceLabel, Line: 1}, "the file holds %d modules, this command takes one", len(ms))
	}
	return ms[0], nil
}

// hloForm reports whether a form of output is made of instructions of the HLO form.
func hloForm(emit string) bool { return emit == "hlo" || emit == "hlopb" }

// toHLO brings m to the HLO form. Ops HLO lacks, such as most of CHLO, are decomposed when there are any.
func toHLO(m *hlo.Module) error {
	err := hloopt.ToHLO(m)
	if diag.Code(err) != hloopt.CodeToHLO {
		return err
	}
	ps, perr := hloPasses.Resolve([]string{"inline", "decompose"})
	if perr != nil {
		return perr
	}
	for _, p := range ps {
		if perr := p.Run(m); perr != nil {
			return perr
		}
	}
	return hloopt.ToHLO(m)
}

// emitModules writes modules in the named form.
func emitModules(w io.Writer, ms []*hlo.Module, o OptOptions) error {
	for i, m := range ms {
		if i > 0 {
			if _, err := fmt.Fprintln(w, "\n// -----"); err != nil {
				return err
			}
		}
		var err error
		if hloForm(o.Emit) {
			if err := toHLO(m); err != nil {
				return err
			}
		}
		switch o.Emit {
		case "", "stablehlo":
			err = mlir.Print(w, m, mlir.Options{Generic: o.Generic, Locs: o.Locs})
		case "hlo":
			err = hlotext.Print(w, m, hlotext.Options{Materialize: o.Materialize})
		case "hlopb":
			if len(ms) > 1 {
				return diag.Errorf("DRV030", diag.Loc{}, "there are %d modules; a protobuf file holds one", len(ms))
			}
			var b []byte
			if b, err = hlopb.Write(m, hlopb.Options{Materialize: o.Materialize}); err == nil {
				_, err = w.Write(b)
			}
		default:
			err = diag.Errorf("DRV031", diag.Loc{}, "--emit=%s: must be one of stablehlo, hlo, hlopb", o.Emit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// warnElided says that constants of an HLO text have lost their values and what stands for them.
func (e *Env) warnElided(src *Source) {
	mark := []byte("constant({...})")
	n := bytes.Count(src.Text, mark)
	if n == 0 || e.Err == nil || formatOf(src.Text).name != "hlo" {
		return
	}
	line := 1 + bytes.Count(src.Text[:bytes.Index(src.Text, mark)], []byte{'\n'})
	d := diag.Errorf(hlotext.CodeElided, diag.Loc{File: SourceLabel, Line: line}, "%d constants have no value in the text; numbers that follow from their names and shapes stand for them", n)
	d.Sev = diag.Warning
	e.Report(d.WithHint("alca opt --emit=hlo --materialize writes them out"))
}
