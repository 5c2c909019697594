package hlotext

import (
	"sort"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// always lists, for an opcode, attributes that are written even when they hold their default.
var always = map[string][]string{
	"broadcast": {"dimensions"}, "reduce": {"dimensions"}, "transpose": {"dimensions"}, "reverse": {"dimensions"}, "sort": {"dimensions"},
	"get-tuple-element": {"index"}, "iota": {"iota_dimension"}, "dynamic-slice": {"dynamic_slice_sizes"}, "slice": {"slice"},
	"gather":           {"offset_dims", "collapsed_slice_dims", "start_index_map", "index_vector_dim", "slice_sizes"},
	"scatter":          {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "index_vector_dim"},
	"reduce-precision": {"exponent_bits", "mantissa_bits"}, "fft": {"fft_type", "fft_length"}, "rng-bit-generator": {"algorithm"},
	"batch-norm-training": {"epsilon", "feature_index"}, "batch-norm-inference": {"epsilon", "feature_index"}, "batch-norm-grad": {"epsilon", "feature_index"},
	"custom-call": {"custom_call_target"},
}

// explicit are attributes whose presence means something even when they are zero or empty.
var explicit = map[string]bool{"operand_layout_constraints": true, "cross_program_prefetch_index": true, "parameter_replication": true, "value": true,
	"elided": true, "sharding": true}

// zeroEnums are the first values of enumerations, which stand for "not given".
var zeroEnums = map[string]bool{"PADDING_INVALID": true, "SCHEDULE_NONE": true, "API_VERSION_UNSPECIFIED": true, "RNG_INVALID": true, "TRANSPOSE_INVALID": true}

// Canonical brings the attributes of an instruction to the form in which all readers leave them: defaults that mean
// nothing are dropped, those that are always written are there. Text and protobuf of one module then give equal ops.
func Canonical(opcode string, o *hlo.Op) {
	keep := always[opcode]
	must := func(n string) bool {
		for _, k := range keep {
			if k == n {
				return true
			}
		}
		return false
	}
	out := o.Attrs[:0]
	for _, a := range o.Attrs {
		if d, ok := a.Attr.(hlo.DictAttr); ok {
			a.Attr = canonicalDict(a.Name, d)
		}
		if n := a.Name; n == "feature_group_count" || n == "batch_group_count" {
			if i, ok := a.Attr.(hlo.IntAttr); ok && i.Value <= 1 {
				continue
			}
		}
		if a.Name == "to_apply" && opcode == "custom-call" {
			a = hlo.NamedAttr{Name: "called_computations", Attr: hlo.ArrayAttr{Elems: []hlo.Attr{a.Attr}}}
		}
		if a.Name == "calls" && (opcode == "async-update" || opcode == "async-done") {
			continue
		}
		if isZero(a.Attr) && !explicit[a.Name] && !must(a.Name) {
			continue
		}
		out = append(out, a)
	}
	for _, n := range keep {
		if out.Get(n) == nil {
			out = append(out, hlo.NamedAttr{Name: n, Attr: zeroOf(n)})
		}
	}
	if opcode == "conditional" && len(o.Operands) == 3 {
		if b, ok := out.Get("branch_computations").(hlo.ArrayAttr); ok && len(b.Elems) == 2 {
			if t := hlo.TensorOf(o.Operands[0]); t != nil && t.Elem == dtype.I1 {
				out.Delete("branch_computations")
				out = append(out, hlo.NamedAttr{Name: "true_computation", Attr: b.Elems[0]}, hlo.NamedAttr{Name: "false_computation", Attr: b.Elems[1]})
			}
		}
	}
	o.Attrs = out
	if d, ok := out.Get("metadata").(hlo.DictAttr); ok {
		if s, ok := d.Entries.Get("op_name").(hlo.StringAttr); ok {
			o.NameLoc = s.Value
		}
	}
}

// canonicalDict drops zero entries of metadata and sorts other dictionaries by key.
func canonicalDict(name string, d hlo.DictAttr) hlo.DictAttr {
	if name != "metadata" {
		e := append(hlo.Attrs(nil), d.Entries...)
		sort.SliceStable(e, func(i, j int) bool { return e[i].Name < e[j].Name })
		return hlo.DictAttr{Entries: e}
	}
	var out hlo.DictAttr
	for _, e := range d.Entries {
		if !isZero(e.Attr) {
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

func isZero(a hlo.Attr) bool {
	switch a := a.(type) {
	case hlo.IntAttr:
		return a.Value == 0
	case hlo.BoolAttr:
		return !a.Value
	case hlo.FloatAttr:
		return a.Value == 0
	case hlo.StringAttr:
		return a.Value == ""
	case hlo.EnumAttr:
		return zeroEnums[a.Value]
	case hlo.DenseArrayAttr:
		return len(a.Values) == 0
	case hlo.ArrayAttr:
		return len(a.Elems) == 0
	case hlo.DictAttr:
		return len(a.Entries) == 0
	case *hlo.Groups:
		return a.Iota == nil && len(a.List) == 0
	case *hlo.HLOWindow:
		return len(a.Dims) == 0
	case hlo.Raw:
		return a.Text == ""
	}
	return false
}

func zeroOf(name string) hlo.Attr {
	switch attrForms[name] {
	case fInt:
		return hlo.IntOf(0)
	case fFloat:
		return hlo.FloatAttr{Type: dtype.F32}
	case fString:
		return hlo.StringAttr{}
	case fSlices:
		return hlo.ArrayAttr{}
	case fEnum:
		return hlo.EnumAttr{Kind: name, Value: map[string]string{"fft_type": "FFT", "algorithm": "rng_default"}[name]}
	}
	return hlo.IntList()
}

// ParseAttr reads the text of an attribute of an instruction, as AttrString writes it; false when it is malformed.
func ParseAttr(name, text string) (a hlo.Attr, ok bool) {
	p := &parser{scanner: scanner{src: []byte(text), line: 1}, comps: map[string]*hlo.Func{}, shapes: map[string]hlo.Type{}, m: &hlo.Module{}}
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bail); !is {
				panic(r)
			}
			a, ok = nil, false
		}
	}()
	f, known := attrForms[name]
	if !known {
		f = fRaw
	}
	a = p.attr(name, f)
	return a, p.peek() == 0 && p.pos >= len(p.src) && len(p.m.Funcs) == 0
}
