package neff

import (
	"sort"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/alcadev/alca/internal/diag"
)

// Debug members, backend.md 24: one protobuf ir_debug_info a layer and engine. Layer k's parent ids are the ids of
// layer k-1. The source layer holds operations with their location, the backend layer instructions, the asm layer
// one record a bundle in PC order.

// Field numbers of ir_debug_info and instruction_debug_info.
const (
	irParentFile = 2
	irInstrs     = 3
	inID         = 1
	inName       = 2
	inParents    = 3
	inAttrs      = 7
	mapKey       = 1
	mapValue     = 2

	maxDebugName = 509
)

const sourceLayer = "debug_info_hlo1.dbg"

func debugPath(layer, stem string) string { return "debug_info_" + layer + "." + stem + ".dbg" }

// record is one instruction_debug_info. Ids count from 1, so that 0 parents mean none.
type record struct {
	id      uint64
	name    string
	parents []uint64
	attrs   map[string]string
}

func (r *record) marshal(b []byte) []byte {
	var m []byte
	m = protowire.AppendTag(m, inID, protowire.VarintType)
	m = protowire.AppendVarint(m, r.id)
	if r.name != "" {
		name := r.name
		if len(name) > maxDebugName {
			name = name[:maxDebugName]
		}
		m = protowire.AppendTag(m, inName, protowire.BytesType)
		m = protowire.AppendString(m, name)
	}
	if len(r.parents) > 0 {
		var p []byte
		for _, id := range r.parents {
			p = protowire.AppendVarint(p, id)
		}
		m = protowire.AppendTag(m, inParents, protowire.BytesType)
		m = protowire.AppendBytes(m, p)
	}
	keys := make([]string, 0, len(r.attrs))
	for k := range r.attrs {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		var e []byte
		e = protowire.AppendTag(e, mapKey, protowire.BytesType)
		e = protowire.AppendString(e, k)
		e = protowire.AppendTag(e, mapValue, protowire.BytesType)
		e = protowire.AppendString(e, r.attrs[k])
		m = protowire.AppendTag(m, inAttrs, protowire.BytesType)
		m = protowire.AppendBytes(m, e)
	}
	b = protowire.AppendTag(b, irInstrs, protowire.BytesType)
	return protowire.AppendBytes(b, m)
}

func layer(parent string, n int, rec func(i int) record) []byte {
	var b []byte
	if parent != "" {
		b = protowire.AppendTag(b, irParentFile, protowire.BytesType)
		b = protowire.AppendString(b, parent)
	}
	for i := range n {
		r := rec(i)
		b = r.marshal(b)
	}
	return b
}

// members encodes the debug layers.
func (d *Debug) members() []Extra {
	out := []Extra{{sourceLayer, layer("", len(d.Sources), func(i int) record {
		s := &d.Sources[i]
		a := map[string]string{}
		if s.Op != "" {
			a["op"] = s.Op
		}
		if s.Loc.File != "" {
			a["file"] = s.Loc.File
		}
		if s.Loc.Line != 0 {
			a["line"] = strconv.Itoa(s.Loc.Line)
		}
		if s.Loc.Col != 0 {
			a["col"] = strconv.Itoa(s.Loc.Col)
		}
		return record{id: uint64(i) + 1, name: s.Name, attrs: a}
	})}}
	// Every backend instruction goes to the file of the first engine that runs it.
	home := make([]int, len(d.Instrs))
	for i := range home {
		home[i] = -1
	}
	for e := range d.PCs {
		for _, k := range d.PCs[e] {
			if k >= 0 && int(k) < len(home) && home[k] < 0 {
				home[k] = e
			}
		}
	}
	perEngine := make([][]int, len(engineRows))
	for k, e := range home {
		if e >= 0 && e < len(perEngine) {
			perEngine[e] = append(perEngine[e], k)
		}
	}
	for e, r := range engineRows {
		list := perEngine[e]
		out = append(out, Extra{debugPath("backend3", r.stem), layer(sourceLayer, len(list), func(i int) record {
			in := &d.Instrs[list[i]]
			rec := record{id: uint64(list[i]) + 1, name: in.Name}
			if in.Opcode != "" {
				rec.attrs = map[string]string{"op": in.Opcode}
			}
			if in.Source >= 0 {
				rec.parents = []uint64{uint64(in.Source) + 1}
			}
			return rec
		})})
		var pcs []int32
		if e < len(d.PCs) {
			pcs = d.PCs[e]
		}
		out = append(out, Extra{debugPath("asm4", r.stem), layer(debugPath("backend3", r.stem), len(pcs), func(i int) record {
			rec := record{id: uint64(i) + 1}
			if pcs[i] >= 0 {
				rec.parents = []uint64{uint64(pcs[i]) + 1}
			}
			return rec
		})})
	}
	return out
}

// parseLayer decodes the records of one member.
func parseLayer(b []byte) ([]record, error) {
	var out []record
	bad := errf(CodeDebug, "debug member is not a valid message")
	err := fields(b, func(num protowire.Number, v []byte, _ uint64) error {
		if num != irInstrs {
			return nil
		}
		var r record
		err := fields(v, func(num protowire.Number, v []byte, u uint64) error {
			switch num {
			case inID:
				r.id = u
			case inName:
				r.name = string(v)
			case inParents:
				for len(v) > 0 {
					p, n := protowire.ConsumeVarint(v)
					if n < 0 {
						return bad
					}
					r.parents = append(r.parents, p)
					v = v[n:]
				}
			case inAttrs:
				var key, val string
				if err := fields(v, func(num protowire.Number, v []byte, _ uint64) error {
					switch num {
					case mapKey:
						key = string(v)
					case mapValue:
						val = string(v)
					}
					return nil
				}); err != nil {
					return err
				}
				if r.attrs == nil {
					r.attrs = map[string]string{}
				}
				r.attrs[key] = val
			}
			return nil
		})
		out = append(out, r)
		return err
	})
	return out, err
}

// fields calls fn for every field of a message: v for bytes, u for varints.
func fields(b []byte, fn func(num protowire.Number, v []byte, u uint64) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errf(CodeDebug, "debug member: %w", protowire.ParseError(n))
		}
		b = b[n:]
		var v []byte
		var u uint64
		switch typ {
		case protowire.VarintType:
			u, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			v, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return errf(CodeDebug, "debug member: %w", protowire.ParseError(n))
		}
		b = b[n:]
		if err := fn(num, v, u); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) readDebug(a *archive) error {
	if _, ok := a.data[sourceLayer]; !ok {
		return nil
	}
	load := func(name string) ([]record, error) {
		b, err := a.get(name)
		if err != nil {
			return nil, err
		}
		return parseLayer(b)
	}
	d := &Debug{}
	src, err := load(sourceLayer)
	if err != nil {
		return err
	}
	for i := range src {
		r := &src[i]
		if r.id != uint64(i)+1 {
			return errf(CodeDebug, "%s: record %d has id %d", sourceLayer, i, r.id)
		}
		s := Source{Op: r.attrs["op"], Name: r.name, Loc: diag.Loc{File: r.attrs["file"]}}
		s.Loc.Line, _ = strconv.Atoi(r.attrs["line"])
		s.Loc.Col, _ = strconv.Atoi(r.attrs["col"])
		d.Sources = append(d.Sources, s)
	}
	total := 0
	var layers [len(engineRows)][]record
	for e, row := range engineRows {
		if layers[e], err = load(debugPath("backend3", row.stem)); err != nil {
			return err
		}
		total += len(layers[e])
	}
	index := make(map[uint64]int32, total)
	var all []record
	for _, l := range layers {
		all = append(all, l...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].id < all[j].id })
	for i := range all {
		r := &all[i]
		in := InstrDebug{Name: r.name, Opcode: r.attrs["op"], Source: -1}
		if len(r.parents) > 0 {
			if r.parents[0] < 1 || r.parents[0] > uint64(len(d.Sources)) {
				return errf(CodeDebug, "instruction %d has unknown parent %d", r.id, r.parents[0])
			}
			in.Source = int32(r.parents[0] - 1)
		}
		index[r.id] = int32(i)
		d.Instrs = append(d.Instrs, in)
	}
	for _, row := range engineRows {
		recs, err := load(debugPath("asm4", row.stem))
		if err != nil {
			return err
		}
		pcs := make([]int32, len(recs))
		for i := range recs {
			pcs[i] = -1
			if len(recs[i].parents) > 0 {
				k, ok := index[recs[i].parents[0]]
				if !ok {
					return errf(CodeDebug, "%s: record %d has unknown parent %d", row.stem, i, recs[i].parents[0])
				}
				pcs[i] = k
			}
		}
		d.PCs = append(d.PCs, pcs)
	}
	f.Debug = d
	return nil
}
