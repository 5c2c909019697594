package bytecode

import (
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

// rawOp is an op as the file has it, before the upgrade to the current op set.
type rawOp struct {
	name     string // "add", without dialect and version
	version  int
	dialect  string
	loc      location
	attrs    map[string]any
	keys     []string
	results  []*hlo.Value
	operands []*hlo.Value
	regions  []*rawRegion
}

type rawRegion struct{ blocks []*rawBlock }

type rawBlock struct {
	args []*hlo.Value
	ops  []*rawOp
}

// scope numbers the values of a region: they take the numbers start..end-1, after all values of the enclosing
// regions it may see. A use may come before its definition, so values are made on first mention.
type scope struct {
	vals *[]*hlo.Value // shared with the enclosing regions, unless isolated
	next int           // the number of the next definition
	end  int           // one past the region's own numbers
}

func newScope() *scope { return &scope{vals: new([]*hlo.Value)} }

func (sc *scope) get(s *stream, i uint64) *hlo.Value {
	if i >= uint64(sc.end) {
		s.fail(CodeFormat, "value %d of %d", i, sc.end)
	}
	for uint64(len(*sc.vals)) <= i {
		*sc.vals = append(*sc.vals, &hlo.Value{})
	}
	return (*sc.vals)[i]
}

// Read decodes a file. name stands in diagnostics.
func Read(data []byte, name string) (m *hlo.Module, err error) {
	f := &file{name: name}
	defer func() {
		if r := recover(); r != nil {
			ft, ok := r.(fault)
			if !ok {
				panic(r)
			}
			m, err = nil, ft.err
		}
	}()
	f.open(data)
	s := f.ir
	n, args := s.flagged()
	if n != 1 || args {
		s.fail(CodeFormat, "the file holds %d top-level ops, must hold one module", n)
	}
	top := f.op(s, newScope(), 0)
	if top.name != "module" {
		s.fail(CodeFormat, "the top-level op is %s, not a module", top.name)
	}
	return f.module(s, top), nil
}

const maxRegionDepth = 200

// op decodes one op. Operands refer to values of the scope.
func (f *file) op(s *stream, sc *scope, depth int) *rawOp {
	if depth > maxRegionDepth {
		s.fail(CodeFormat, "regions nest deeper than %d", maxRegionDepth)
	}
	i := s.varint()
	if i >= uint64(len(f.ops)) {
		s.fail(CodeFormat, "op name %d of %d", i, len(f.ops))
	}
	o := &rawOp{attrs: map[string]any{}}
	o.dialect, o.name, o.version = splitName(f.ops[i])
	mask := s.byte()
	o.loc, _ = f.attr(s, int(s.varint())).(location)
	if mask&0x01 != 0 {
		d, ok := f.attr(s, int(s.varint())).(hlo.DictAttr)
		if !ok {
			s.fail(CodeFormat, "the attributes of %s are no dictionary", o.name)
		}
		for _, a := range d.Entries {
			o.set(a.Name, f.rawAttr(a.Attr))
		}
	}
	if mask&0x40 != 0 {
		f.properties(s, o, int(s.varint()))
	}
	if mask&0x02 != 0 {
		n := s.count(1)
		for k := range n {
			v := sc.get(s, uint64(sc.next))
			sc.next++
			v.Type, v.Index = f.typ(s, int(s.varint())), k
			o.results = append(o.results, v)
		}
	}
	if mask&0x04 != 0 {
		for range s.count(1) {
			o.operands = append(o.operands, sc.get(s, s.varint()))
		}
	}
	if mask&0x08 != 0 && s.count(1) > 0 {
		s.fail(CodeFormat, "%s has successor blocks", o.name)
	}
	if mask&0x20 != 0 {
		useLists(s, len(o.results))
	}
	if mask&0x10 != 0 {
		n, isolated := s.flagged()
		if n > s.left() {
			s.fail(CodeFormat, "%s has %d regions", o.name, n)
		}
		rs, rsc := s, sc
		if isolated {
			rsc = newScope()
			if f.version >= 2 && n > 0 {
				var id int
				if id, rs = f.section(s); id != secIR {
					s.fail(CodeFormat, "the regions of %s are in section %d", o.name, id)
				}
			}
		}
		for range n {
			o.regions = append(o.regions, f.region(rs, rsc, depth+1))
		}
	}
	return o
}

// rawAttr undoes asAttr for the dictionaries of artefacts without properties.
func (f *file) rawAttr(a hlo.Attr) any {
	if e, ok := a.(hlo.EnumAttr); ok {
		return enum{e.Kind, e.Value}
	}
	return a
}

func (o *rawOp) set(name string, v any) {
	if _, ok := o.attrs[name]; !ok {
		o.keys = append(o.keys, name)
	}
	o.attrs[name] = v
}

// splitName cuts "vhlo.add_v1" into its parts.
func splitName(full string) (dialect, name string, version int) {
	dialect, name, _ = strings.Cut(full, ".")
	if i := strings.LastIndex(name, "_v"); i >= 0 && dialect == "vhlo" {
		if v, err := strconv.Atoi(name[i+2:]); err == nil {
			return dialect, name[:i], v
		}
	}
	return dialect, name, 1
}

// properties reads the attribute references of an op with properties: one a name, in alphabetical order.
func (f *file) properties(s *stream, o *rawOp, i int) {
	if i >= len(f.props) {
		s.fail(CodeFormat, "properties %d of %d", i, len(f.props))
	}
	d := &stream{b: f.props[i], base: f.propBase[i], file: f.name}
	if o.dialect == "builtin" { // optional attributes: 0, or the reference with a flag
		for _, n := range []string{"sym_name", "sym_visibility"} {
			if d.left() == 0 {
				break
			}
			if k, ok := d.flagged(); ok {
				o.set(n, f.attr(d, k))
			}
		}
		return
	}
	names, ok := propertyNames(o.name, o.version)
	if !ok {
		s.fail(CodeOp, "op %s.%s_v%d of producer %s is unknown", o.dialect, o.name, o.version, f.producer)
	}
	for _, n := range names {
		if d.left() == 0 {
			d.fail(CodeFormat, "%s_v%d has fewer properties than the %d of its version", o.name, o.version, len(names))
		}
		o.set(n, f.attrRef(d))
	}
	if d.left() != 0 {
		d.fail(CodeOp, "%s_v%d has more properties than the %d this reader knows", o.name, o.version, len(names))
	}
}

func (f *file) region(s *stream, sc *scope, depth int) *rawRegion {
	r := &rawRegion{}
	nb := s.count(1)
	if nb == 0 {
		return r
	}
	nv := s.varint()
	if nv > uint64(s.left())*4+16 {
		s.fail(CodeFormat, "a region announces %d values", nv)
	}
	inner := &scope{vals: sc.vals, next: sc.end, end: sc.end + int(nv)}
	if len(*sc.vals) > sc.end { // left over from a region beside this one
		*sc.vals = (*sc.vals)[:sc.end]
	}
	for range nb {
		r.blocks = append(r.blocks, f.block(s, inner, depth))
	}
	if inner.next != inner.end {
		s.fail(CodeFormat, "a region defines %d values, announced %d", inner.next-sc.end, nv)
	}
	return r
}

func (f *file) block(s *stream, sc *scope, depth int) *rawBlock {
	b := &rawBlock{}
	n, args := s.flagged()
	if args {
		for k := range s.count(1) {
			v := sc.get(s, uint64(sc.next))
			sc.next++
			v.Index = k
			if f.version >= 4 {
				t, hasLoc := s.flagged()
				v.Type = f.typ(s, t)
				if hasLoc {
					v.Loc, v.Name = f.argLoc(s)
				}
			} else {
				v.Type = f.typ(s, int(s.varint()))
				v.Loc, v.Name = f.argLoc(s)
			}
			b.args = append(b.args, v)
		}
		if f.version >= 3 && s.byte() != 0 {
			useLists(s, len(b.args))
		}
	}
	if n > s.left() {
		s.fail(CodeFormat, "a block has %d ops, %d bytes are left", n, s.left())
	}
	for range n {
		b.ops = append(b.ops, f.op(s, sc, depth))
	}
	return b
}

func (f *file) argLoc(s *stream) (diag.Loc, string) {
	l, _ := f.attr(s, int(s.varint())).(location)
	return l.loc, l.name
}

// useLists skips use-list orders.
func useLists(s *stream, results int) {
	n := 1
	if results > 1 {
		n = s.count(1)
	}
	for range n {
		if results > 1 {
			s.varint()
		}
		k, _ := s.flagged()
		if k > s.left() {
			s.fail(CodeFormat, "a use list has %d entries", k)
		}
		for range k {
			s.varint()
		}
	}
}
