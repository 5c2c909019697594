package hlotext

import (
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

// Options choose what Print writes.
type Options struct {
	Long        bool // operand shapes
	Materialize bool // values of elided constants
	NoMetadata  bool
}

// Print writes a module of the HLO form as text.
func Print(w io.Writer, m *hlo.Module, opts Options) error {
	p := &printer{opts: opts}
	p.header(m)
	entry := m.Entry()
	for _, f := range m.Funcs {
		if err := p.function(f, f == entry); err != nil {
			return err
		}
		if len(p.b) > 1<<16 {
			if _, err := w.Write(p.b); err != nil {
				return err
			}
			p.b = p.b[:0]
		}
	}
	_, err := w.Write(p.b)
	return err
}

type printer struct {
	b     []byte
	opts  Options
	names map[*hlo.Value]string
}

func (p *printer) str(s string) { p.b = append(p.b, s...) }
func (p *printer) int(v int64)  { p.b = strconv.AppendInt(p.b, v, 10) }

// moduleKeys is the order of the HloModule line; other keys follow as the source had them.
var moduleKeys = []string{"is_scheduled", "is_dynamic", "input_output_alias", "buffer_donor", "entry_computation_layout",
	"allow_spmd_sharding_propagation_to_parameters", "allow_spmd_sharding_propagation_to_output", "replica_count", "num_partitions",
	"use_auto_spmd_partitioning", "frontend_attributes"}

func (p *printer) header(m *hlo.Module) {
	p.str("HloModule ")
	p.name(m.Name)
	printed := map[string]bool{"stack_frame_index": true}
	put := func(k string) {
		if a := m.Attrs.Get(k); a != nil && !printed[k] {
			printed[k] = true
			p.str(", " + k + "=")
			p.attr(a)
		}
	}
	for _, k := range moduleKeys {
		put(k)
	}
	for _, a := range m.Attrs {
		put(a.Name)
	}
	p.str("\n\n")
	f, ok := m.Attrs.Get("stack_frame_index").(*hlo.Frames)
	if !ok || p.opts.NoMetadata {
		return
	}
	for _, t := range []struct {
		title string
		names []string
	}{{"FileNames", f.Files}, {"FunctionNames", f.Funcs}} {
		p.str(t.title + "\n")
		for i, n := range t.names {
			p.str(fmt.Sprintf("%d %s\n", i+1, quote(n)))
		}
		p.str("\n")
	}
	p.str("FileLocations\n")
	for i, l := range f.Locs {
		p.str(fmt.Sprintf("%d {file_name_id=%d function_name_id=%d line=%d end_line=%d column=%d end_column=%d}\n", i+1, l.File, l.Func, l.Line, l.EndLine, l.Col, l.EndCol))
	}
	p.str("\nStackFrames\n")
	for i, l := range f.Frames {
		p.str(fmt.Sprintf("%d {file_location_id=%d parent_frame_id=%d}\n", i+1, l[0], l[1]+1))
	}
	p.str("\n")
}

// name prints a name, quoted when it has characters a bare one cannot have.
func (p *printer) name(n string) {
	for i := range len(n) {
		if !isNameByte(n[i]) || n[i] == '-' && i+1 < len(n) && n[i+1] == '>' {
			p.str(quote(n))
			return
		}
	}
	p.str(n)
}

func (p *printer) ref(n string) {
	p.str("%")
	p.name(n)
}

// Names gives every value of f a name that no other has.
func Names(f *hlo.Func) map[*hlo.Value]string {
	out := map[*hlo.Value]string{}
	used := map[string]bool{}
	b := f.Body.Blocks[0]
	each := func(do func(v *hlo.Value, def string)) {
		for _, v := range f.Params {
			do(v, "p")
		}
		for _, o := range b.Ops {
			for _, v := range o.Results {
				base := o.Name()
				if o.Def.HLO != nil {
					base = o.Def.HLO.Opcode
				}
				do(v, base)
			}
		}
	}
	each(func(v *hlo.Value, _ string) {
		if v.Name != "" && !used[v.Name] {
			out[v], used[v.Name] = v.Name, true
		}
	})
	next := map[string]int{}
	each(func(v *hlo.Value, base string) {
		if out[v] != "" {
			return
		}
		if v.Name != "" {
			base = v.Name
		}
		for {
			next[base]++
			n := base + "." + strconv.Itoa(next[base])
			if !used[n] {
				out[v], used[n] = n, true
				return
			}
		}
	})
	return out
}

func (p *printer) function(f *hlo.Func, entry bool) error {
	if f.Body == nil || len(f.Body.Blocks) != 1 || len(f.Results) != 1 {
		return diag.Errorf(CodePrint, f.Loc, "function %s is no computation: it must have a body and one result", f.Name)
	}
	b := f.Body.Blocks[0]
	ret := b.Terminator()
	if ret == nil || len(ret.Operands) != 1 {
		return diag.Errorf(CodePrint, f.Loc, "function %s must end with a return of one value", f.Name)
	}
	p.names = Names(f)
	if entry {
		p.str("ENTRY ")
	}
	p.ref(f.Name)
	p.str(" (")
	for i, v := range f.Params {
		if i > 0 {
			p.str(", ")
		}
		p.name(p.names[v])
		p.str(": ")
		p.b = appendShape(p.b, v.Type)
	}
	p.str(") -> ")
	p.b = appendShape(p.b, f.Results[0])
	p.str(" {\n")
	for i, v := range f.Params {
		p.lhs(v, v == ret.Operands[0])
		p.str("parameter(")
		p.int(int64(i))
		p.str(")")
		if i < len(f.ArgAttrs) {
			p.attrs(f.ArgAttrs[i])
		}
		p.str("\n")
	}
	for _, o := range b.Ops {
		if o == ret {
			break
		}
		if o.Def.HLO == nil || len(o.Results) != 1 {
			return diag.Errorf(CodePrint, o.Loc, "%s is not in the HLO form", o.Name())
		}
		p.lhs(o.Results[0], o.Results[0] == ret.Operands[0])
		p.str(o.Def.HLO.Opcode)
		p.str("(")
		if o.Def.HLO.Opcode == "constant" {
			p.constant(o)
		}
		for i, x := range o.Operands {
			if i > 0 {
				p.str(", ")
				if i%5 == 0 {
					p.str("/*index=")
					p.int(int64(i))
					p.str("*/")
				}
			}
			if p.opts.Long {
				p.b = appendShape(p.b, x.Type)
				p.str(" ")
			}
			p.ref(p.names[x])
		}
		p.str(")")
		p.attrs(o.Attrs)
		p.str("\n")
	}
	p.str("}")
	for _, a := range f.Attrs {
		p.str(", " + a.Name + "=")
		p.attr(a.Attr)
	}
	p.str("\n\n")
	return nil
}

func (p *printer) lhs(v *hlo.Value, root bool) {
	p.str("  ")
	if root {
		p.str("ROOT ")
	}
	p.ref(p.names[v])
	p.str(" = ")
	p.b = appendShape(p.b, v.Type)
	p.str(" ")
}

func (p *printer) constant(o *hlo.Op) {
	a := o.Attrs.Get("value")
	if a == nil {
		if p.opts.Materialize {
			if d, err := Synthesize(o); err == nil {
				p.b = appendLiteral(p.b, d)
				return
			}
		}
		p.str("{...}")
		return
	}
	p.b = appendLiteral(p.b, a)
}

// attrs prints the attributes of an instruction in the order of the table.
func (p *printer) attrs(as hlo.Attrs) {
	if len(as) == 0 {
		return
	}
	sorted := append(hlo.Attrs(nil), as...)
	rank := func(n string) int {
		if r := attrRank[n]; r > 0 {
			return r
		}
		return 1 << 20
	}
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := rank(sorted[i].Name), rank(sorted[j].Name)
		return a < b || a == b && sorted[i].Name < sorted[j].Name
	})
	for _, a := range sorted {
		if a.Name == "value" || a.Name == "elided" || a.Name == "metadata" && p.opts.NoMetadata {
			continue
		}
		p.str(", ")
		p.str(a.Name)
		p.str("=")
		switch x := a.Attr.(type) {
		case hlo.DictAttr:
			if a.Name == "metadata" {
				p.meta(x)
				continue
			}
		case hlo.StringAttr:
			if a.Name == "backend_config" && strings.HasPrefix(x.Value, "{") && balanced([]byte(x.Value), 0) == len(x.Value) {
				p.str(x.Value)
				continue
			}
		case hlo.ArrayAttr:
			switch a.Name {
			case "slice":
				p.triples(x, "{", ", ", "}", func(v []int64) {
					p.str("[")
					p.int(v[0])
					p.str(":")
					p.int(v[1])
					if v[2] != 1 {
						p.str(":")
						p.int(v[2])
					}
					p.str("]")
				})
				continue
			case "padding":
				p.triples(x, "", "x", "", func(v []int64) {
					p.int(v[0])
					p.str("_")
					p.int(v[1])
					if v[2] != 0 {
						p.str("_")
						p.int(v[2])
					}
				})
				continue
			case "control-predecessors":
				p.str("{")
				for i, e := range x.Elems {
					if i > 0 {
						p.str(", ")
					}
					s, _ := e.(hlo.StringAttr)
					p.ref(s.Value)
				}
				p.str("}")
				continue
			}
		}
		p.attr(a.Attr)
	}
}

func (p *printer) triples(a hlo.ArrayAttr, open, sep, close string, each func([]int64)) {
	p.str(open)
	for i, e := range a.Elems {
		if i > 0 {
			p.str(sep)
		}
		if d, ok := e.(hlo.DenseArrayAttr); ok && len(d.Values) == 3 {
			each(d.Values)
		}
	}
	p.str(close)
}

// metaOrder is the order of metadata entries; others follow as the source had them.
var metaOrder = []string{"op_type", "op_name", "source_file", "source_line", "source_end_line", "source_column", "source_end_column",
	"stack_frame_id", "deduplicated_name", "scheduling_name"}

func (p *printer) meta(d hlo.DictAttr) {
	p.str("{")
	first := true
	put := func(a hlo.NamedAttr) {
		if !first {
			p.str(" ")
		}
		first = false
		p.str(a.Name + "=")
		p.attr(a.Attr)
	}
	known := map[string]bool{}
	for _, k := range metaOrder {
		known[k] = true
		if a := d.Entries.Get(k); a != nil {
			put(hlo.NamedAttr{Name: k, Attr: a})
		}
	}
	for _, a := range d.Entries {
		if !known[a.Name] {
			put(a)
		}
	}
	p.str("}")
}

// AttrString is the text of an attribute's value.
func AttrString(a hlo.Attr) string {
	p := &printer{}
	p.attr(a)
	return string(p.b)
}

// attr prints a value by its type.
func (p *printer) attr(a hlo.Attr) {
	switch a := a.(type) {
	case hlo.IntAttr:
		p.int(a.Value)
	case hlo.BoolAttr:
		p.b = strconv.AppendBool(p.b, a.Value)
	case hlo.UnitAttr:
		p.str("true")
	case hlo.FloatAttr:
		p.b = strconv.AppendFloat(p.b, a.Value, 'g', -1, 64)
	case hlo.StringAttr:
		p.str(quote(a.Value))
	case hlo.EnumAttr:
		p.str(a.Value)
	case hlo.Raw:
		p.str(a.Text)
	case hlo.SymbolAttr:
		p.ref(a.Path[0])
	case hlo.DenseArrayAttr:
		p.str("{")
		for i, v := range a.Values {
			if i > 0 {
				p.str(",")
			}
			if a.Elem.Bits() == 1 {
				p.b = strconv.AppendBool(p.b, v != 0)
			} else {
				p.int(v)
			}
		}
		p.str("}")
	case hlo.ArrayAttr:
		p.str("{")
		for i, e := range a.Elems {
			if i > 0 {
				p.str(", ")
			}
			p.attr(e)
		}
		p.str("}")
	case hlo.DictAttr:
		p.str("{")
		for i, e := range a.Entries {
			if i > 0 {
				p.str(",")
			}
			if plainKey(e.Name) {
				p.str(e.Name + "=")
			} else {
				p.str(quote(e.Name) + "=")
			}
			p.attr(e.Attr)
		}
		p.str("}")
	case hlo.TypeAttr:
		if f, ok := a.Type.(*hlo.FuncType); ok {
			p.str("{")
			p.b = appendShape(p.b, &hlo.TupleType{Elems: f.Ins})
			p.str("->")
			p.b = appendShape(p.b, f.Outs[0])
			p.str("}")
			return
		}
		p.b = appendShape(p.b, a.Type)
	case *hlo.HLOWindow:
		p.window(a)
	case *hlo.ConvDims:
		p.labels(a)
	case *hlo.Groups:
		p.groups(a)
	case *hlo.Sharding:
		p.sharding(a)
	case *hlo.OutputOperandAlias:
		p.b = appendInts(append(p.b, '{'), a.OutputTuple)
		p.str("}: (")
		p.int(a.Operand)
		p.b = appendInts(append(p.b, ", {"...), a.OperandTuple)
		p.str("})")
	case *hlo.Aliases:
		p.str("{ ")
		for i, e := range a.Entries {
			if i > 0 {
				p.str(", ")
			}
			if !a.Donor {
				p.b = appendInts(append(p.b, '{'), e.Output)
				p.str("}: ")
			}
			p.str("(")
			p.int(e.Param)
			p.b = appendInts(append(p.b, ", {"...), e.Index)
			p.str("}")
			if !a.Donor {
				p.str(", " + e.Kind)
			}
			p.str(")")
		}
		p.str(" }")
	}
}

func plainKey(k string) bool {
	for i := range len(k) {
		if !isNameByte(k[i]) {
			return false
		}
	}
	return k != ""
}

func (p *printer) window(w *hlo.HLOWindow) {
	p.str("{")
	first := true
	part := func(name string, def bool, f func(d hlo.WindowDim)) {
		if def {
			return
		}
		if !first {
			p.str(" ")
		}
		first = false
		p.str(name + "=")
		for i, d := range w.Dims {
			if i > 0 {
				p.str("x")
			}
			f(d)
		}
	}
	all := func(ok func(d hlo.WindowDim) bool) bool {
		for _, d := range w.Dims {
			if !ok(d) {
				return false
			}
		}
		return true
	}
	part("size", len(w.Dims) == 0, func(d hlo.WindowDim) { p.int(d.Size) })
	part("stride", all(func(d hlo.WindowDim) bool { return d.Stride == 1 }), func(d hlo.WindowDim) { p.int(d.Stride) })
	part("pad", all(func(d hlo.WindowDim) bool { return d.Low == 0 && d.High == 0 }), func(d hlo.WindowDim) {
		p.int(d.Low)
		p.str("_")
		p.int(d.High)
	})
	part("lhs_dilate", all(func(d hlo.WindowDim) bool { return d.LhsDilate == 1 }), func(d hlo.WindowDim) { p.int(d.LhsDilate) })
	part("rhs_dilate", all(func(d hlo.WindowDim) bool { return d.RhsDilate == 1 }), func(d hlo.WindowDim) { p.int(d.RhsDilate) })
	part("rhs_reversal", all(func(d hlo.WindowDim) bool { return !d.Reversal }), func(d hlo.WindowDim) {
		if d.Reversal {
			p.str("1")
		} else {
			p.str("0")
		}
	})
	p.str("}")
}

func (p *printer) labels(d *hlo.ConvDims) {
	part := func(a, b byte, x, y int64, sp []int64) {
		n := max(x, y)
		for _, s := range sp {
			n = max(n, s)
		}
		out := make([]byte, n+1)
		for i := range out {
			out[i] = '?'
		}
		out[x], out[y] = a, b
		for i, s := range sp {
			out[s] = byte('0' + i)
		}
		p.b = append(p.b, out...)
	}
	part('b', 'f', d.InBatch, d.InFeature, d.InSpatial)
	p.str("_")
	part('i', 'o', d.KernelInFeature, d.KernelOutFeature, d.KernelSpatial)
	p.str("->")
	part('b', 'f', d.OutBatch, d.OutFeature, d.OutSpatial)
}

func (p *printer) iota(a *hlo.Iota) {
	p.b = appendInts(append(p.b, "<=["...), a.Reshape)
	p.str("]")
	if len(a.Perm) > 0 {
		p.b = appendInts(append(p.b, "T("...), a.Perm)
		p.str(")")
	}
}

func (p *printer) groups(g *hlo.Groups) {
	if g.Iota != nil {
		p.b = append(appendInts(append(p.b, '['), g.Iota.Dims), ']')
		p.iota(g.Iota)
		return
	}
	p.str("{")
	for i, r := range g.List {
		if i > 0 {
			p.str(",")
		}
		p.b = append(appendInts(append(p.b, '{'), r), '}')
	}
	p.str("}")
}

func (p *printer) sharding(s *hlo.Sharding) {
	p.str("{")
	switch s.Kind {
	case "tuple":
		for i := range s.Tuple {
			if i > 0 {
				p.str(", ")
			}
			p.sharding(&s.Tuple[i])
		}
	case "maximal":
		p.b = appendInts(append(p.b, "maximal device="...), s.Devices)
	case "devices":
		p.b = append(appendInts(append(p.b, "devices=["...), s.Dims), ']')
		if s.Iota != nil {
			p.iota(s.Iota)
		} else {
			p.b = appendInts(p.b, s.Devices)
		}
		if s.ReplicateLast {
			p.str(" last_tile_dim_replicate")
		}
		if len(s.LastDims) > 0 {
			p.str(" last_tile_dims={" + strings.Join(s.LastDims, ", ") + "}")
		}
	default:
		p.str(s.Kind)
	}
	if s.Rest != "" {
		p.str(" " + s.Rest)
	}
	p.str("}")
}
