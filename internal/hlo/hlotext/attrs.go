package hlotext

import (
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// form is how an attribute is written and what it becomes.
type form uint8

const (
	fInt      form = iota // 3 -> IntAttr
	fBool                 // true -> BoolAttr
	fFloat                // 1e-5 -> FloatAttr
	fString               // "x" -> StringAttr
	fEnum                 // LT -> EnumAttr
	fInts                 // {0,1} -> DenseArrayAttr
	fBools                // {true,false} -> DenseArrayAttr of i1
	fSlices               // {[0:4], [1:9:2]} -> ArrayAttr of three integers
	fPads                 // 0_0_1x2_3 -> ArrayAttr of three integers
	fWindow               // {size=3x3 stride=2x2} -> *HLOWindow
	fLabels               // b01f_01io->b01f -> *ConvDims
	fComp                 // %name -> SymbolAttr
	fComps                // {%a, %b} -> ArrayAttr of SymbolAttr
	fGroups               // {{0,1},{2,3}} or [2,2]<=[4] -> *Groups
	fSharding             // {devices=[2,1]0,1} -> *Sharding
	fMeta                 // {op_name="x" source_line=3} -> DictAttr
	fDict                 // {k="v"} -> DictAttr of strings
	fInstrs               // {%a, %b} -> ArrayAttr of StringAttr
	fConfig               // "text" or {text} -> StringAttr
	fEnums                // {default,highest} -> ArrayAttr of EnumAttr
	fAliasing             // {{0}: (1, {})} -> ArrayAttr of *OutputOperandAlias
	fShapes               // {f32[2]{0}, f32[]} -> ArrayAttr of TypeAttr
	fShape                // f32[2] -> TypeAttr
	fRaw                  // kept as text
)

// attrRows lists the attributes of instructions in the order in which they are printed.
var attrRows = []struct {
	name string
	form form
}{
	{"dimensions", fInts}, {"index", fInt}, {"iota_dimension", fInt}, {"slice", fSlices}, {"dynamic_slice_sizes", fInts}, {"padding", fPads},
	{"window", fWindow}, {"dim_labels", fLabels}, {"feature_group_count", fInt}, {"batch_group_count", fInt}, {"padding_type", fEnum},
	{"lhs_batch_dims", fInts}, {"lhs_contracting_dims", fInts}, {"rhs_batch_dims", fInts}, {"rhs_contracting_dims", fInts},
	{"lhs_ragged_dims", fInts}, {"rhs_group_dims", fInts}, {"sparsity", fRaw},
	{"offset_dims", fInts}, {"collapsed_slice_dims", fInts}, {"start_index_map", fInts}, {"operand_batching_dims", fInts},
	{"start_indices_batching_dims", fInts}, {"update_window_dims", fInts}, {"inserted_window_dims", fInts},
	{"scatter_dims_to_operand_dims", fInts}, {"input_batching_dims", fInts}, {"scatter_indices_batching_dims", fInts},
	{"index_vector_dim", fInt}, {"slice_sizes", fInts}, {"indices_are_sorted", fBool}, {"unique_indices", fBool},
	{"channel_id", fInt}, {"replica_groups", fGroups}, {"source_target_pairs", fGroups}, {"use_global_device_ids", fBool},
	{"constrain_layout", fBool}, {"is_host_transfer", fBool}, {"exponent_bits", fInt}, {"mantissa_bits", fInt},
	{"direction", fEnum}, {"type", fEnum}, {"distribution", fEnum}, {"algorithm", fEnum}, {"delta", fInt}, {"fft_type", fEnum}, {"fft_length", fInts},
	{"epsilon", fFloat}, {"feature_index", fInt}, {"left_side", fBool}, {"lower", fBool}, {"unit_diagonal", fBool}, {"transpose_a", fEnum},
	{"is_stable", fBool}, {"k", fInt}, {"largest", fBool}, {"num_carries", fInt}, {"is_associative", fBool}, {"is_reverse", fBool}, {"is_composite", fBool},
	{"kind", fEnum}, {"calls", fComp}, {"to_apply", fComp}, {"condition", fComp}, {"body", fComp}, {"select", fComp}, {"scatter", fComp},
	{"true_computation", fComp}, {"false_computation", fComp}, {"branch_computations", fComps}, {"called_computations", fComps}, {"async_execution_thread", fString},
	{"custom_call_target", fString}, {"custom_call_has_side_effect", fBool}, {"operand_layout_constraints", fShapes}, {"schedule", fEnum}, {"api_version", fEnum},
	{"literal", fRaw}, {"output_to_operand_aliasing", fAliasing}, {"infeed_config", fString}, {"outfeed_config", fString}, {"outfeed_shape", fShape},
	{"cross_program_prefetch_index", fInt}, {"operand_precision", fEnums}, {"result_accuracy", fRaw}, {"domain", fRaw},
	{"parameter_replication", fBools}, {"sharding", fSharding}, {"frontend_attributes", fDict}, {"control-predecessors", fInstrs},
	{"statistics", fRaw}, {"origin", fRaw}, {"original_value", fRaw}, {"metadata", fMeta}, {"backend_config", fConfig},
}

var attrForms = func() map[string]form {
	out := map[string]form{}
	for _, r := range attrRows {
		out[r.name] = r.form
	}
	return out
}()

// attrRank is the place of an attribute in print order; those of the reader alone come last.
var attrRank = func() map[string]int {
	out := map[string]int{}
	for i, r := range attrRows {
		out[r.name] = i + 1
	}
	return out
}()

// attr reads the value of the attribute called name.
func (p *parser) attr(name string, f form) hlo.Attr {
	switch f {
	case fInt:
		return hlo.IntOf(p.int())
	case fBool:
		return hlo.BoolAttr{Value: p.bool()}
	case fFloat:
		w := p.numberText()
		v, err := strconv.ParseFloat(w, 32)
		if err != nil {
			p.fail(CodeAttr, "%s: %q is not a number", name, w)
		}
		// Held in single precision by XLA; the double is the one with the float's shortest digits.
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
		return hlo.FloatAttr{Value: v, Type: dtype.F32}
	case fString:
		return hlo.StringAttr{Value: p.str()}
	case fEnum:
		w := p.word()
		if w == "" {
			p.fail(CodeAttr, "%s: expected a word, found %s", name, p.found())
		}
		return hlo.EnumAttr{Kind: name, Value: w}
	case fInts:
		return hlo.DenseArrayAttr{Elem: dtype.I64, Values: p.ints()}
	case fBools:
		v := hlo.DenseArrayAttr{Elem: dtype.I1}
		p.list('{', '}', func() {
			x := int64(0)
			if p.bool() {
				x = 1
			}
			v.Values = append(v.Values, x)
		})
		return v
	case fSlices:
		var a hlo.ArrayAttr
		p.list('{', '}', func() {
			p.expect('[')
			v := []int64{p.int(), 0, 1}
			p.expect(':')
			v[1] = p.int()
			if p.accept(':') {
				v[2] = p.int()
			}
			p.expect(']')
			a.Elems = append(a.Elems, hlo.IntList(v...))
		})
		return a
	case fPads:
		return p.pads()
	case fWindow:
		return p.window()
	case fLabels:
		return p.labels()
	case fComp:
		return hlo.SymbolAttr{Path: []string{p.computationRef()}}
	case fComps:
		var a hlo.ArrayAttr
		p.list('{', '}', func() { a.Elems = append(a.Elems, hlo.SymbolAttr{Path: []string{p.computationRef()}}) })
		return a
	case fGroups:
		return p.groups()
	case fSharding:
		return p.sharding(0)
	case fMeta:
		return p.meta()
	case fDict:
		var d hlo.DictAttr
		p.expect('{')
		for !p.accept('}') {
			k := p.attrKey()
			p.expect('=')
			if p.peek() == '"' {
				d.Entries.Set(k, hlo.StringAttr{Value: p.str()})
			} else {
				d.Entries.Set(k, hlo.StringAttr{Value: p.raw()})
			}
			p.accept(',')
		}
		return d
	case fInstrs:
		var a hlo.ArrayAttr
		p.list('{', '}', func() { a.Elems = append(a.Elems, hlo.StringAttr{Value: p.name()}) })
		return a
	case fConfig:
		if c := p.peek(); c == '"' || c == '\'' {
			return hlo.StringAttr{Value: p.str()}
		}
		return hlo.StringAttr{Value: p.raw()}
	case fEnums:
		var a hlo.ArrayAttr
		p.list('{', '}', func() { a.Elems = append(a.Elems, hlo.EnumAttr{Kind: "precision", Value: p.word()}) })
		return a
	case fAliasing:
		var a hlo.ArrayAttr
		p.list('{', '}', func() {
			x := &hlo.OutputOperandAlias{OutputTuple: p.ints()}
			p.expect(':')
			p.expect('(')
			x.Operand = p.int()
			if p.accept(',') {
				x.OperandTuple = p.ints()
			}
			p.expect(')')
			a.Elems = append(a.Elems, x)
		})
		return a
	case fShapes:
		var a hlo.ArrayAttr
		p.list('{', '}', func() { a.Elems = append(a.Elems, hlo.TypeAttr{Type: p.shape(0)}) })
		return a
	case fShape:
		return hlo.TypeAttr{Type: p.shape(0)}
	}
	return hlo.Raw{Text: p.raw()}
}

// list reads items separated by commas between open and close.
func (p *parser) list(open, close byte, item func()) {
	p.expect(open)
	if p.accept(close) {
		return
	}
	for {
		item()
		if p.accept(close) {
			return
		}
		p.expect(',')
	}
}

func (p *parser) ints() []int64 {
	out := []int64{}
	p.list('{', '}', func() { out = append(out, p.int()) })
	return out
}

func (p *parser) bool() bool {
	switch w := p.word(); w {
	case "true", "1":
		return true
	case "false", "0":
		return false
	default:
		p.fail(CodeAttr, "expected true or false, found %q", w)
		return false
	}
}

func (p *parser) attrKey() string {
	if c := p.peek(); c == '"' {
		return p.str()
	}
	w := p.word()
	if w == "" {
		p.fail(CodeSyntax, "expected an attribute name, found %s", p.found())
	}
	return w
}

// token reads up to white space, a comma or a closing brace.
func (p *parser) token() string {
	p.ws()
	start := p.pos
	for p.pos < len(p.src) && !strings.ContainsRune(" \t\r\n,}", rune(p.src[p.pos])) {
		p.pos++
	}
	return string(p.src[start:p.pos])
}

func (p *parser) atoi(name, s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.fail(CodeAttr, "%s: %q is not a number", name, s)
	}
	return v
}

// pads reads 0_0_1x2_3: low, high and interior of each dimension.
func (p *parser) pads() hlo.Attr {
	var a hlo.ArrayAttr
	t := p.token()
	if t == "" {
		return a
	}
	for _, d := range strings.Split(t, "x") {
		f := strings.Split(d, "_")
		if len(f) != 2 && len(f) != 3 {
			p.fail(CodeAttr, "padding: %q is not low_high or low_high_interior", d)
		}
		v := []int64{p.atoi("padding", f[0]), p.atoi("padding", f[1]), 0}
		if len(f) == 3 {
			v[2] = p.atoi("padding", f[2])
		}
		a.Elems = append(a.Elems, hlo.IntList(v...))
	}
	return a
}

func (p *parser) window() hlo.Attr {
	w := &hlo.HLOWindow{}
	p.expect('{')
	for first := true; !p.accept('}'); first = false {
		k := p.attrKey()
		p.expect('=')
		parts := strings.Split(p.token(), "x")
		if first {
			for range parts {
				w.Dims = append(w.Dims, hlo.WindowDim{Size: 1, Stride: 1, RhsDilate: 1, LhsDilate: 1})
			}
		}
		if len(parts) != len(w.Dims) || len(parts) > maxRank {
			p.fail(CodeAttr, "window: %s has %d entries, others have %d", k, len(parts), len(w.Dims))
		}
		for i, s := range parts {
			d := &w.Dims[i]
			switch k {
			case "size":
				d.Size = p.atoi(k, s)
			case "stride":
				d.Stride = p.atoi(k, s)
			case "lhs_dilate":
				d.LhsDilate = p.atoi(k, s)
			case "rhs_dilate":
				d.RhsDilate = p.atoi(k, s)
			case "rhs_reversal":
				d.Reversal = p.atoi(k, s) != 0
			case "pad":
				lo, hi, ok := strings.Cut(s, "_")
				if !ok {
					p.fail(CodeAttr, "window: pad %q is not low_high", s)
				}
				d.Low, d.High = p.atoi(k, lo), p.atoi(k, hi)
			default:
				p.fail(CodeAttr, "window: there is no part %q", k)
			}
		}
		p.accept(',')
	}
	return w
}

// labels reads b01f_01io->b01f.
func (p *parser) labels() hlo.Attr {
	t := p.token()
	lhs, rest, ok1 := strings.Cut(t, "_")
	rhs, out, ok2 := strings.Cut(rest, "->")
	n := 0
	for _, c := range lhs {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	d := &hlo.ConvDims{InSpatial: make([]int64, n), KernelSpatial: make([]int64, n), OutSpatial: make([]int64, n)}
	part := func(s string, a, b byte, x, y *int64, sp []int64) bool {
		seen := 0
		for i := range len(s) {
			switch c := s[i]; {
			case c == a:
				*x, seen = int64(i), seen|1
			case c == b:
				*y, seen = int64(i), seen|2
			case c >= '0' && int(c-'0') < n && seen&(4<<(c-'0')) == 0:
				sp[c-'0'], seen = int64(i), seen|4<<(c-'0')
			case c == '?':
			default:
				return false
			}
		}
		return seen == 4<<n-1
	}
	if !ok1 || !ok2 || n > 9 || !part(lhs, 'b', 'f', &d.InBatch, &d.InFeature, d.InSpatial) ||
		!part(rhs, 'i', 'o', &d.KernelInFeature, &d.KernelOutFeature, d.KernelSpatial) ||
		!part(out, 'b', 'f', &d.OutBatch, &d.OutFeature, d.OutSpatial) {
		p.fail(CodeAttr, "dim_labels %q is malformed", t)
	}
	return d
}

func (p *parser) brackets() []int64 {
	var out []int64
	p.list('[', ']', func() { out = append(out, p.int()) })
	return out
}

// groups reads {{0,1},{2,3}} or [2,4]<=[4,2]T(1,0).
func (p *parser) groups() hlo.Attr {
	switch p.peek() {
	case '[':
		a := &hlo.Iota{Dims: p.brackets()}
		p.iota(a)
		return &hlo.Groups{Iota: a}
	case '{':
		g := &hlo.Groups{}
		p.list('{', '}', func() { g.List = append(g.List, p.ints()) })
		return g
	}
	return hlo.Raw{Text: p.raw()}
}

// iota reads <=[4,2]T(1,0).
func (p *parser) iota(a *hlo.Iota) {
	if !p.acceptStr("<=") {
		p.fail(CodeAttr, "expected '<=', found %s", p.found())
	}
	a.Reshape = p.brackets()
	if p.acceptStr("T(") {
		p.pos--
		plain := true
		p.list('(', ')', func() {
			v := p.int()
			plain = plain && v == int64(len(a.Perm))
			a.Perm = append(a.Perm, v)
		})
		if plain {
			a.Perm = nil
		}
	}
}

func (p *parser) sharding(depth int) *hlo.Sharding {
	if depth > maxDepth {
		p.fail(CodeLimit, "shardings nest deeper than %d", maxDepth)
	}
	s := &hlo.Sharding{}
	p.expect('{')
	if p.peek() == '{' || p.peek() == '}' {
		s.Kind = "tuple"
		if p.accept('}') {
			return s
		}
		for {
			s.Tuple = append(s.Tuple, *p.sharding(depth + 1))
			if p.accept('}') {
				return s
			}
			p.expect(',')
		}
	}
	for !p.accept('}') {
		start := p.pos
		switch w := p.word(); w {
		case "replicated", "maximal", "manual", "unknown", "unreduced":
			s.Kind = w
		case "device":
			p.expect('=')
			s.Devices = []int64{p.int()}
		case "devices":
			s.Kind = w
			p.expect('=')
			s.Dims = p.brackets()
			if p.peek() == '<' {
				s.Iota = &hlo.Iota{}
				p.iota(s.Iota)
				break
			}
			for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
				s.Devices = append(s.Devices, p.int())
				p.accept(',')
			}
		case "last_tile_dim_replicate":
			s.ReplicateLast = true
		case "last_tile_dims":
			p.expect('=')
			p.list('{', '}', func() {
				w := p.word()
				if w == "replicate" { // an older spelling
					w = "replicated"
				}
				s.LastDims = append(s.LastDims, w)
			})
		case "":
			p.fail(CodeAttr, "sharding: expected a word, found %s", p.found())
		default:
			if p.peek() == '=' {
				p.pos++
				if p.peek() == '{' {
					p.raw()
				} else {
					p.token()
				}
			} else if c := p.peek(); c >= '0' && c <= '9' { // shard_as 1
				p.int()
			}
			s.Rest = strings.TrimSpace(s.Rest + " " + string(p.src[start:p.pos]))
		}
		p.accept(',')
	}
	if s.Kind == "" {
		p.fail(CodeAttr, "sharding names no kind")
	}
	return s
}

// meta reads {op_name="x" source_line=3}.
func (p *parser) meta() hlo.Attr {
	var d hlo.DictAttr
	p.expect('{')
	for !p.accept('}') {
		k := p.attrKey()
		p.expect('=')
		switch c := p.peek(); {
		case c == '"':
			d.Entries = append(d.Entries, hlo.NamedAttr{Name: k, Attr: hlo.StringAttr{Value: p.str()}})
		case c >= '0' && c <= '9' || c == '-':
			d.Entries = append(d.Entries, hlo.NamedAttr{Name: k, Attr: hlo.IntOf(p.int())})
		case c == '{':
			end := balanced(p.src, p.pos)
			if end < 0 {
				p.fail(CodeSyntax, "bracket is not closed")
			}
			d.Entries = append(d.Entries, hlo.NamedAttr{Name: k, Attr: hlo.Raw{Text: string(p.src[p.pos:end])}})
			p.skipTo(end)
		default:
			d.Entries = append(d.Entries, hlo.NamedAttr{Name: k, Attr: hlo.Raw{Text: p.token()}})
		}
		p.accept(',')
	}
	return d
}
