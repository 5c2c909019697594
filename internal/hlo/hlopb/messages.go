package hlopb

import (
	"strconv"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
)

func shapeText(t hlo.Type) string { return hlotext.ShapeString(t) }

func parseShapeText(s string) (hlo.Type, bool) {
	a, ok := hlotext.ParseAttr("outfeed_shape", s)
	t, is := a.(hlo.TypeAttr)
	return t.Type, ok && is
}

func formatFloat32(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }
func parseFloat(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}

// field pairs reader and writer of an attribute that is a message of its own.
type special struct {
	name  string
	num   num
	read  func(m msg, opcode string) hlo.Attr
	write func(a hlo.Attr) (buf, bool) // the whole field or fields, tags included
}

var specials = []special{
	{"slice", 17, func(m msg, _ string) hlo.Attr {
		return triples(m.subs(17), func(s msg) []int64 {
			st := s.int(3)
			if st == 0 {
				st = 1
			}
			return []int64{s.int(1), s.int(2), st}
		})
	}, func(a hlo.Attr) (buf, bool) { return writeTriples(17, a) }},
	{"padding", 21, func(m msg, _ string) hlo.Attr {
		p, _ := m.sub(21)
		return triples(p.subs(1), func(s msg) []int64 { return []int64{s.int(1), s.int(2), s.int(3)} })
	}, func(a hlo.Attr) (buf, bool) {
		x, ok := writeTriples(1, a)
		var w buf
		w.bytes(21, x)
		return w, ok
	}},
	{"window", 15, readWindow, writeWindow},
	{"dim_labels", 16, readLabels, writeLabels},
	{"source_target_pairs", 52, func(m msg, _ string) hlo.Attr {
		g := &hlo.Groups{}
		for _, s := range m.subs(52) {
			g.List = append(g.List, []int64{s.int(1), s.int(2)})
		}
		return g
	}, func(a hlo.Attr) (buf, bool) {
		g, ok := a.(*hlo.Groups)
		var w buf
		if ok && g.Iota == nil {
			for _, p := range g.List {
				if len(p) != 2 {
					return nil, false
				}
				var x buf
				x.int(1, p[0])
				x.int(2, p[1])
				w.bytes(52, x)
			}
		}
		return w, ok && g.Iota == nil
	}},
	{"operand_layout_constraints", 56, func(m msg, opcode string) hlo.Attr {
		if opcode != "custom-call" || !m.bool(56) {
			return nil
		}
		var a hlo.ArrayAttr
		for _, s := range m.subs(57) {
			a.Elems = append(a.Elems, hlo.TypeAttr{Type: readShape(s, 0)})
		}
		return a
	}, func(a hlo.Attr) (buf, bool) {
		arr, ok := a.(hlo.ArrayAttr)
		var w buf
		w.bool(56, true)
		for _, e := range arr.Elems {
			t, is := e.(hlo.TypeAttr)
			if !is {
				return nil, false
			}
			w.bytes(57, writeShape(t.Type))
		}
		return w, ok
	}},
	{"output_to_operand_aliasing", 74, func(m msg, _ string) hlo.Attr {
		var a hlo.ArrayAttr
		for _, s := range m.subs(74) {
			a.Elems = append(a.Elems, &hlo.OutputOperandAlias{OutputTuple: s.ints(1), Operand: s.int(2), OperandTuple: s.ints(3)})
		}
		return a
	}, func(a hlo.Attr) (buf, bool) {
		arr, ok := a.(hlo.ArrayAttr)
		var w buf
		for _, e := range arr.Elems {
			x, is := e.(*hlo.OutputOperandAlias)
			if !is {
				return nil, false
			}
			var y buf
			y.ints(1, x.OutputTuple)
			y.int(2, x.Operand)
			y.ints(3, x.OperandTuple)
			w.bytes(74, y)
		}
		return w, ok
	}},
	{"outfeed_shape", 29, func(m msg, _ string) hlo.Attr {
		s, _ := m.sub(29)
		return hlo.TypeAttr{Type: readShape(s, 0)}
	}, func(a hlo.Attr) (buf, bool) {
		t, ok := a.(hlo.TypeAttr)
		var w buf
		if ok {
			w.bytes(29, writeShape(t.Type))
		}
		return w, ok
	}},
	{"operand_precision", 51, func(m msg, _ string) hlo.Attr {
		s, _ := m.sub(51)
		var a hlo.ArrayAttr
		for _, v := range s.ints(1) {
			if v < 0 || v >= int64(len(precisions)) {
				fail(CodeModule, "operand precision %d is unknown", v)
			}
			a.Elems = append(a.Elems, hlo.EnumAttr{Kind: "precision", Value: precisions[v]})
		}
		return a
	}, func(a hlo.Attr) (buf, bool) {
		arr, ok := a.(hlo.ArrayAttr)
		var v []int64
		for _, e := range arr.Elems {
			x, _ := e.(hlo.EnumAttr)
			k := int64(-1)
			for i, p := range precisions {
				if p == x.Value {
					k = int64(i)
				}
			}
			if k < 0 {
				return nil, false
			}
			v = append(v, k)
		}
		var x, w buf
		x.ints(1, v)
		w.bytes(51, x)
		return w, ok
	}},
	{"parameter_replication", 61, func(m msg, _ string) hlo.Attr {
		s, _ := m.sub(61)
		return hlo.DenseArrayAttr{Elem: dtype.I1, Values: s.ints(1)}
	}, func(a hlo.Attr) (buf, bool) {
		d, ok := a.(hlo.DenseArrayAttr)
		var x, w buf
		x.ints(1, d.Values)
		w.bytes(61, x)
		return w, ok
	}},
	{"cross_program_prefetch_index", 80, func(m msg, _ string) hlo.Attr { return hlo.IntOf(m.int(80)) }, func(a hlo.Attr) (buf, bool) {
		i, ok := a.(hlo.IntAttr)
		var w buf
		w.varint(80, uint64(i.Value))
		return w, ok
	}},
	{"sharding", 40, func(m msg, _ string) hlo.Attr {
		s, _ := m.sub(40)
		return readSharding(s, 0)
	}, func(a hlo.Attr) (buf, bool) {
		s, ok := a.(*hlo.Sharding)
		if !ok {
			return nil, false
		}
		x, ok := writeSharding(s)
		var w buf
		w.bytes(40, x)
		return w, ok
	}},
	{"frontend_attributes", 68, func(m msg, _ string) hlo.Attr {
		s, _ := m.sub(68)
		return readStringMap(s)
	}, func(a hlo.Attr) (buf, bool) {
		d, ok := a.(hlo.DictAttr)
		var w buf
		w.bytes(68, writeStringMap(d))
		return w, ok
	}},
	{"metadata", 7, func(m msg, _ string) hlo.Attr {
		s, _ := m.sub(7)
		return readMeta(s)
	}, func(a hlo.Attr) (buf, bool) {
		d, ok := a.(hlo.DictAttr)
		x, ok2 := writeMeta(d)
		var w buf
		w.bytes(7, x)
		return w, ok && ok2
	}},
}

func triples(ms []msg, f func(msg) []int64) hlo.Attr {
	var a hlo.ArrayAttr
	for _, s := range ms {
		a.Elems = append(a.Elems, hlo.IntList(f(s)...))
	}
	return a
}

func writeTriples(n num, a hlo.Attr) (buf, bool) {
	arr, ok := a.(hlo.ArrayAttr)
	var w buf
	for _, e := range arr.Elems {
		d, is := e.(hlo.DenseArrayAttr)
		if !is || len(d.Values) != 3 {
			return nil, false
		}
		var x buf
		for i, v := range d.Values {
			x.int(num(i+1), v)
		}
		w.bytes(n, x)
	}
	return w, ok
}

func readWindow(m msg, _ string) hlo.Attr {
	w, _ := m.sub(15)
	out := &hlo.HLOWindow{}
	one := func(v int64) int64 { // a missing factor is one
		if v == 0 {
			return 1
		}
		return v
	}
	for _, d := range w.subs(1) {
		out.Dims = append(out.Dims, hlo.WindowDim{Size: d.int(1), Stride: one(d.int(2)), Low: d.int(3), High: d.int(4), RhsDilate: one(d.int(5)),
			LhsDilate: one(d.int(6)), Reversal: d.bool(7)})
	}
	return out
}

func writeWindow(a hlo.Attr) (buf, bool) {
	win, ok := a.(*hlo.HLOWindow)
	if !ok {
		return nil, false
	}
	var x, w buf
	for _, d := range win.Dims {
		var y buf
		for i, v := range []int64{d.Size, d.Stride, d.Low, d.High, d.RhsDilate, d.LhsDilate} {
			y.int(num(i+1), v)
		}
		y.bool(7, d.Reversal)
		x.bytes(1, y)
	}
	w.bytes(15, x)
	return w, true
}

func readLabels(m msg, _ string) hlo.Attr {
	c, _ := m.sub(16)
	d := &hlo.ConvDims{KernelInFeature: c.int(3), KernelOutFeature: c.int(4), KernelSpatial: c.ints(6), InBatch: c.int(7), InFeature: c.int(8),
		OutBatch: c.int(9), OutFeature: c.int(10), InSpatial: c.ints(11), OutSpatial: c.ints(12)}
	n := len(d.InSpatial)
	if len(d.KernelSpatial) != n || len(d.OutSpatial) != n || n > 9 {
		fail(CodeModule, "convolution dimension numbers do not fit together")
	}
	for _, l := range [][]int64{append([]int64{d.InBatch, d.InFeature}, d.InSpatial...), append([]int64{d.KernelInFeature, d.KernelOutFeature}, d.KernelSpatial...),
		append([]int64{d.OutBatch, d.OutFeature}, d.OutSpatial...)} {
		seen := map[int64]bool{}
		for _, v := range l {
			if v < 0 || v > 64 || seen[v] {
				fail(CodeModule, "convolution dimension numbers do not fit together")
			}
			seen[v] = true
		}
	}
	return d
}

func writeLabels(a hlo.Attr) (buf, bool) {
	d, ok := a.(*hlo.ConvDims)
	if !ok {
		return nil, false
	}
	var x, w buf
	x.int(3, d.KernelInFeature)
	x.int(4, d.KernelOutFeature)
	x.ints(6, d.KernelSpatial)
	x.int(7, d.InBatch)
	x.int(8, d.InFeature)
	x.int(9, d.OutBatch)
	x.int(10, d.OutFeature)
	x.ints(11, d.InSpatial)
	x.ints(12, d.OutSpatial)
	w.bytes(16, x)
	return w, true
}

// shardingKinds are the numbers of OpSharding.Type.
var shardingKinds = []string{"replicated", "maximal", "tuple", "devices", "manual", "unknown", "unreduced"}

func readSharding(m msg, depth int) *hlo.Sharding {
	if depth > maxDepth {
		fail(CodeLimit, "shardings nest deeper than %d", maxDepth)
	}
	word := func(k int64) string {
		if k < 0 || k >= int64(len(shardingKinds)) {
			fail(CodeModule, "sharding type %d is unknown", k)
		}
		return shardingKinds[k]
	}
	s := &hlo.Sharding{Kind: word(m.int(1)), Rest: m.str(extField)}
	switch s.Kind {
	case "tuple":
		for _, t := range m.subs(5) {
			s.Tuple = append(s.Tuple, *readSharding(t, depth+1))
		}
	case "maximal":
		s.Devices = m.ints(4)
		if len(s.Devices) > 1 {
			s.Devices = s.Devices[:1]
		} else if len(s.Devices) == 0 {
			s.Devices = []int64{0}
		}
	case "devices":
		s.Dims = m.ints(3)
		if r := m.ints(9); len(r) > 0 {
			s.Iota = &hlo.Iota{Reshape: r}
			if p := m.ints(10); !ascending(p) {
				s.Iota.Perm = p
			}
		} else {
			s.Devices = m.ints(4)
		}
		s.ReplicateLast = m.bool(6)
		for _, k := range m.ints(8) {
			s.LastDims = append(s.LastDims, word(k))
		}
	}
	if m.bool(11) && s.Rest == "" {
		w := "shard_as "
		if m.int(13) == 1 {
			w = "shard_like "
		}
		s.Rest = w + strconv.FormatInt(m.int(12), 10)
	}
	return s
}

// ascending reports the identity permutation, which text leaves out.
func ascending(p []int64) bool {
	for i, v := range p {
		if v != int64(i) {
			return false
		}
	}
	return true
}

func writeSharding(s *hlo.Sharding) (buf, bool) {
	var w buf
	kind := func(n string) int64 {
		for i, k := range shardingKinds {
			if k == n {
				return int64(i)
			}
		}
		return -1
	}
	k := kind(s.Kind)
	if k < 0 {
		return nil, false
	}
	w.int(1, k)
	w.ints(3, s.Dims)
	if s.Kind == "maximal" {
		w.ints(3, []int64{1})
	}
	w.ints(4, s.Devices)
	for i := range s.Tuple {
		x, ok := writeSharding(&s.Tuple[i])
		if !ok {
			return nil, false
		}
		w.bytes(5, x)
	}
	w.bool(6, s.ReplicateLast)
	var last []int64
	for _, d := range s.LastDims {
		if d == "replicate" {
			d = "replicated"
		}
		v := kind(d)
		if v < 0 {
			return nil, false
		}
		last = append(last, v)
	}
	w.ints(8, last)
	if s.Iota != nil {
		w.ints(9, s.Iota.Reshape)
		perm := s.Iota.Perm
		if len(perm) == 0 {
			for i := range s.Iota.Reshape {
				perm = append(perm, int64(i))
			}
		}
		w.ints(10, perm)
	}
	w.str(extField, s.Rest)
	return w, true
}

func readStringMap(m msg) hlo.DictAttr {
	var d hlo.DictAttr
	for _, e := range m.subs(1) {
		d.Entries.Set(e.str(1), hlo.StringAttr{Value: e.str(2)})
	}
	return d
}

func writeStringMap(d hlo.DictAttr) buf {
	var w buf
	for _, e := range d.Entries {
		s, _ := e.Attr.(hlo.StringAttr)
		var x buf
		x.str(1, e.Name)
		x.str(2, s.Value)
		w.bytes(1, x)
	}
	return w
}

// metaFields are the fields of OpMetadata.
var metaFields = []struct {
	name string
	num  num
	str  bool
}{
	{"op_type", 1, true}, {"op_name", 2, true}, {"source_file", 3, true}, {"source_line", 4, false}, {"source_end_line", 17, false},
	{"source_column", 18, false}, {"source_end_column", 19, false}, {"deduplicated_name", 12, true}, {"stack_frame_id", 15, false}, {"scheduling_name", 16, true},
}

func readMeta(m msg) hlo.DictAttr {
	var d hlo.DictAttr
	for _, f := range metaFields {
		if !m.has(f.num) {
			continue
		}
		if f.str {
			d.Entries = append(d.Entries, hlo.NamedAttr{Name: f.name, Attr: hlo.StringAttr{Value: m.str(f.num)}})
		} else {
			d.Entries = append(d.Entries, hlo.NamedAttr{Name: f.name, Attr: hlo.IntOf(m.int(f.num))})
		}
	}
	return d
}

func writeMeta(d hlo.DictAttr) (buf, bool) {
	var w buf
	n := 0
	for _, f := range metaFields {
		switch a := d.Entries.Get(f.name).(type) {
		case hlo.StringAttr:
			w.str(f.num, a.Value)
			n++
		case hlo.IntAttr:
			w.int(f.num, a.Value)
			n++
		}
	}
	return w, n == len(d.Entries)
}
