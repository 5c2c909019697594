package mlir

import (
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// structAttrs parses the bodies of the StableHLO attribute structs, after '<' and before '>'.
var structAttrs map[string]func(p *parser) hlo.Attr

func init() {
	structAttrs = map[string]func(p *parser) hlo.Attr{
		"dot":                  parseDotDims,
		"dot_algorithm":        parseDotAlgorithm,
		"conv":                 func(p *parser) hlo.Attr { return p.convDims() },
		"gather":               parseGatherDims,
		"scatter":              parseScatterDims,
		"channel_handle":       parseChannelHandle,
		"output_operand_alias": parseOutputOperandAlias,
		"type_extensions":      parseTypeExtensions,
		"bounds":               parseBounds,
	}
}

// structFields parses "name = value" entries separated by commas; each name must be a key of fields.
func (p *parser) structFields(what string, fields map[string]func()) {
	seen := map[string]bool{}
	for !p.isPunct('>') {
		name := p.word()
		f := fields[name]
		if p.tok.kind != tWord || f == nil {
			names := make([]string, 0, len(fields))
			for n := range fields {
				names = append(names, n)
			}
			p.failHint("HLO009", suggest(name, names), "#stablehlo.%s has no field %s", what, p.describe())
		}
		if seen[name] {
			p.fail("HLO007", "field %s is given twice", name)
		}
		seen[name] = true
		p.advance()
		p.expect('=')
		f()
		if !p.accept(',') {
			break
		}
	}
}

func (p *parser) into(v *int64) func()       { return func() { *v = p.int64() } }
func (p *parser) intoList(v *[]int64) func() { return func() { *v = p.intList() } }

func parseDotDims(p *parser) hlo.Attr {
	d := &hlo.DotDims{}
	p.structFields("dot", map[string]func(){
		"lhs_batching_dimensions":    p.intoList(&d.LhsBatch),
		"rhs_batching_dimensions":    p.intoList(&d.RhsBatch),
		"lhs_contracting_dimensions": p.intoList(&d.LhsContract),
		"rhs_contracting_dimensions": p.intoList(&d.RhsContract),
	})
	return d
}

func parseDotAlgorithm(p *parser) hlo.Attr {
	d := &hlo.DotAlgorithm{}
	typ := func(t *dtype.Type) func() {
		return func() {
			e, ok := elemByName(p.word())
			if !ok {
				p.fail("HLO009", "expected an element type, found %s", p.describe())
			}
			*t = e
			p.advance()
		}
	}
	p.structFields("dot_algorithm", map[string]func(){
		"lhs_precision_type":       typ(&d.LhsPrecision),
		"rhs_precision_type":       typ(&d.RhsPrecision),
		"accumulation_type":        typ(&d.Accumulation),
		"lhs_component_count":      p.into(&d.LhsComponents),
		"rhs_component_count":      p.into(&d.RhsComponents),
		"num_primitive_operations": p.into(&d.Primitives),
		"allow_imprecise_accumulation": func() {
			d.AllowImprecise = p.word() == "true"
			if !d.AllowImprecise && p.word() != "false" {
				p.fail("HLO009", "expected true or false, found %s", p.describe())
			}
			p.advance()
		},
	})
	return d
}

func parseGatherDims(p *parser) hlo.Attr {
	d := &hlo.GatherDims{}
	p.structFields("gather", map[string]func(){
		"offset_dims":                 p.intoList(&d.OffsetDims),
		"collapsed_slice_dims":        p.intoList(&d.CollapsedSliceDims),
		"operand_batching_dims":       p.intoList(&d.OperandBatchingDims),
		"start_indices_batching_dims": p.intoList(&d.StartIndicesBatchingDims),
		"start_index_map":             p.intoList(&d.StartIndexMap),
		"index_vector_dim":            p.into(&d.IndexVectorDim),
	})
	return d
}

func parseScatterDims(p *parser) hlo.Attr {
	d := &hlo.ScatterDims{}
	p.structFields("scatter", map[string]func(){
		"update_window_dims":            p.intoList(&d.UpdateWindowDims),
		"inserted_window_dims":          p.intoList(&d.InsertedWindowDims),
		"input_batching_dims":           p.intoList(&d.InputBatchingDims),
		"scatter_indices_batching_dims": p.intoList(&d.ScatterIndicesBatchingDims),
		"scatter_dims_to_operand_dims":  p.intoList(&d.ScatterDimsToOperandDims),
		"index_vector_dim":              p.into(&d.IndexVectorDim),
	})
	return d
}

func parseChannelHandle(p *parser) hlo.Attr {
	var c hlo.ChannelHandle
	p.structFields("channel_handle", map[string]func(){"handle": p.into(&c.Handle), "type": p.into(&c.Type)})
	return c
}

func parseOutputOperandAlias(p *parser) hlo.Attr {
	a := &hlo.OutputOperandAlias{}
	p.structFields("output_operand_alias", map[string]func(){
		"output_tuple_indices":  p.intoList(&a.OutputTuple),
		"operand_index":         p.into(&a.Operand),
		"operand_tuple_indices": p.intoList(&a.OperandTuple),
	})
	return a
}

func parseTypeExtensions(p *parser) hlo.Attr {
	var t hlo.TypeExtensions
	p.structFields("type_extensions", map[string]func(){"bounds": func() {
		p.expect('[')
		t.Bounds = p.boundList(']')
		p.expect(']')
	}})
	return t
}

func parseBounds(p *parser) hlo.Attr { return hlo.TypeExtensions{Bounds: p.boundList('>')} }

// boundList parses 16, ? up to the closing character.
func (p *parser) boundList(end byte) []int64 {
	bs := []int64{}
	for !p.isPunct(end) {
		if p.accept('?') {
			bs = append(bs, hlo.Dynamic)
		} else {
			bs = append(bs, p.int64())
		}
		if !p.accept(',') {
			break
		}
	}
	return bs
}

// convDims parses [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f].
func (p *parser) convDims() *hlo.ConvDims {
	d := &hlo.ConvDims{}
	d.InSpatial = p.convLayout("b", &d.InBatch, "f", &d.InFeature)
	// "]x[" : the x is a word of its own, since '[' ends it.
	if p.word() != "x" {
		p.fail("HLO009", "expected 'x' between the layouts of a convolution, found %s", p.describe())
	}
	p.advance()
	d.KernelSpatial = p.convLayout("i", &d.KernelInFeature, "o", &d.KernelOutFeature)
	p.expectKind(tArrow, "'->' before the output layout of a convolution")
	d.OutSpatial = p.convLayout("b", &d.OutBatch, "f", &d.OutFeature)
	return d
}

func (p *parser) convLayout(aName string, a *int64, bName string, b *int64) []int64 {
	start := p.tok.start
	p.expect('[')
	var spatial []int64
	seenA, seenB := false, false
	n := int64(0)
	at := map[int64]int64{}
	for ; !p.isPunct(']'); n++ {
		switch {
		case p.tok.kind == tWord && p.word() == aName && !seenA:
			*a, seenA = n, true
			p.advance()
		case p.tok.kind == tWord && p.word() == bName && !seenB:
			*b, seenB = n, true
			p.advance()
		case p.accept('?'):
			// The grammar also has ? for dimensions without a role; no StableHLO convolution can have one (HLO009).
			p.fail("HLO009", "unknown dimensions in convolution layouts are not supported")
		default:
			k := p.int64()
			if _, dup := at[k]; dup || k < 0 || k > maxRank {
				p.fail("HLO009", "spatial dimension %d is out of range or given twice", k)
			}
			at[k] = n
		}
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
	if !seenA || !seenB {
		bail("HLO009", p.loc(start), "convolution layout lacks dimension %q or %q", aName, bName)
	}
	spatial = make([]int64, len(at))
	for i := range spatial {
		pos, ok := at[int64(i)]
		if !ok {
			bail("HLO009", p.loc(start), "convolution layout lacks spatial dimension %d", i)
		}
		spatial[i] = pos
	}
	return spatial
}

// Printing of the structs.

type field struct {
	name string
	text string
}

func printFields(b *strings.Builder, head string, fs []field) {
	b.WriteString(head)
	b.WriteByte('<')
	first := true
	for _, f := range fs {
		if f.text == "" {
			continue
		}
		if !first {
			b.WriteString(", ")
		}
		first = false
		b.WriteString(f.name)
		b.WriteString(" = ")
		b.WriteString(f.text)
	}
	b.WriteByte('>')
}

// listOrNone prints a list, or nothing when it is empty, which leaves the field out.
func listOrNone(v []int64) string {
	if len(v) == 0 {
		return ""
	}
	return intListText(v)
}

func intListText(v []int64) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, x := range v {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(itoa(x))
	}
	b.WriteByte(']')
	return b.String()
}

func convText(d *hlo.ConvDims) string {
	layout := func(aName string, a int64, bName string, b int64, sp []int64) string {
		n := len(sp) + 2
		names := make([]string, n)
		put := func(i int64, s string) {
			if i >= 0 && i < int64(n) {
				names[i] = s
			}
		}
		put(a, aName)
		put(b, bName)
		for i, x := range sp {
			put(x, itoa(int64(i)))
		}
		return "[" + strings.Join(names, ", ") + "]"
	}
	return layout("b", d.InBatch, "f", d.InFeature, d.InSpatial) + "x" +
		layout("i", d.KernelInFeature, "o", d.KernelOutFeature, d.KernelSpatial) + "->" +
		layout("b", d.OutBatch, "f", d.OutFeature, d.OutSpatial)
}

func boundText(v []int64) string {
	s := make([]string, len(v))
	for i, x := range v {
		if x == hlo.Dynamic {
			s[i] = "?"
		} else {
			s[i] = itoa(x)
		}
	}
	return strings.Join(s, ", ")
}

func nonZero(v int64) string {
	if v == 0 {
		return ""
	}
	return itoa(v)
}

func structText(b *strings.Builder, a hlo.Attr) {
	switch a := a.(type) {
	case *hlo.DotDims:
		printFields(b, "#stablehlo.dot", []field{
			{"lhs_batching_dimensions", listOrNone(a.LhsBatch)},
			{"rhs_batching_dimensions", listOrNone(a.RhsBatch)},
			{"lhs_contracting_dimensions", listOrNone(a.LhsContract)},
			{"rhs_contracting_dimensions", listOrNone(a.RhsContract)},
		})
	case *hlo.DotAlgorithm:
		printFields(b, "#stablehlo.dot_algorithm", dotAlgorithmFields(a))
	case *hlo.ConvDims:
		b.WriteString("#stablehlo.conv<" + convText(a) + ">")
	case *hlo.GatherDims:
		printFields(b, "#stablehlo.gather", []field{
			{"offset_dims", listOrNone(a.OffsetDims)},
			{"collapsed_slice_dims", listOrNone(a.CollapsedSliceDims)},
			{"operand_batching_dims", listOrNone(a.OperandBatchingDims)},
			{"start_indices_batching_dims", listOrNone(a.StartIndicesBatchingDims)},
			{"start_index_map", listOrNone(a.StartIndexMap)},
			{"index_vector_dim", nonZero(a.IndexVectorDim)},
		})
	case *hlo.ScatterDims:
		printFields(b, "#stablehlo.scatter", []field{
			{"update_window_dims", listOrNone(a.UpdateWindowDims)},
			{"inserted_window_dims", listOrNone(a.InsertedWindowDims)},
			{"input_batching_dims", listOrNone(a.InputBatchingDims)},
			{"scatter_indices_batching_dims", listOrNone(a.ScatterIndicesBatchingDims)},
			{"scatter_dims_to_operand_dims", listOrNone(a.ScatterDimsToOperandDims)},
			{"index_vector_dim", nonZero(a.IndexVectorDim)},
		})
	case hlo.ChannelHandle:
		printFields(b, "#stablehlo.channel_handle", []field{{"handle", itoa(a.Handle)}, {"type", itoa(a.Type)}})
	case *hlo.OutputOperandAlias:
		printFields(b, "#stablehlo.output_operand_alias", []field{
			{"output_tuple_indices", intListText(a.OutputTuple)},
			{"operand_index", itoa(a.Operand)},
			{"operand_tuple_indices", intListText(a.OperandTuple)},
		})
	case hlo.TypeExtensions:
		b.WriteString("#stablehlo.bounds<" + boundText(a.Bounds) + ">")
	}
}

func dotAlgorithmFields(a *hlo.DotAlgorithm) []field {
	imprecise := "false"
	if a.AllowImprecise {
		imprecise = "true"
	}
	return []field{
		{"lhs_precision_type", a.LhsPrecision.String()},
		{"rhs_precision_type", a.RhsPrecision.String()},
		{"accumulation_type", a.Accumulation.String()},
		{"lhs_component_count", itoa(a.LhsComponents)},
		{"rhs_component_count", itoa(a.RhsComponents)},
		{"num_primitive_operations", itoa(a.Primitives)},
		{"allow_imprecise_accumulation", imprecise},
	}
}
