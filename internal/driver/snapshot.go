package driver

import (
	"bytes"
	"fmt"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo/hlopb"
	"github.com/alcadev/alca/internal/hlo/hlotext"
	"github.com/alcadev/alca/internal/tensor"
)

// SnapshotOptions are the flags of `alca snapshot-unpack`.
type SnapshotOptions struct {
	Module  string // file for the module's text
	Prefix  string // in front of the names of values
	Type    string // snapshot or decomposed
	Outputs bool   // write results too
}

// SnapshotUnpack writes the module of a snapshot as HLO text, and its arguments and results as .npy files.
func SnapshotUnpack(e *Env, path string, o SnapshotOptions) error {
	data, err := readFile(path, maxSourceBytes)
	if err != nil {
		return err
	}
	read := hlopb.ReadSnapshot
	switch o.Type {
	case "snapshot":
	case "decomposed":
		read = hlopb.ReadDecomposed
	default:
		return diag.Errorf("DRV032", diag.Loc{File: path}, "unsupported snapshot format %q: must be snapshot or decomposed", o.Type)
	}
	s, err := read(data, path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := hlotext.Print(&b, s.Module, hlotext.Options{}); err != nil {
		return err
	}
	if err := e.WriteFile(o.Module, b.Bytes()); err != nil {
		return err
	}
	write := func(name string, ts []*tensor.Tensor) error {
		for i, t := range ts {
			var b bytes.Buffer
			if err := tensor.WriteNPY(&b, t); err != nil {
				return err
			}
			if err := e.WriteFile(fmt.Sprintf("%s%s%d.npy", o.Prefix, name, i), b.Bytes()); err != nil {
				return err
			}
		}
		return nil
	}
	for p, args := range s.Args {
		name := "value_input"
		if len(s.Args) > 1 {
			name = fmt.Sprintf("partition%d_value_input", p)
		}
		if err := write(name, args); err != nil {
			return err
		}
	}
	if o.Outputs {
		return write("snapshot_output", s.Results)
	}
	return nil
}
