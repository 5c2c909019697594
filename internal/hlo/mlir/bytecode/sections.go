package bytecode

import (
	"fmt"
	"strings"
)

// section identifiers.
const (
	secStrings = iota
	secDialects
	secAttrTypes
	secOffsets
	secIR
	secResources
	secResourceOffsets
	secDialectVersions
	secProperties
	numSections
)

// entry is one attribute or type of the offset table, decoded on demand.
type entry struct {
	dialect string
	custom  bool
	data    []byte
	base    int
	busy    bool // being decoded: a cycle
	done    bool
	val     any
}

// file is a parsed container.
type file struct {
	name     string
	version  uint64
	producer string
	strings  []string
	dialects []string
	ops      []string // "vhlo.add_v1"
	attrs    []entry
	types    []entry
	props    [][]byte
	propBase []int
	ir       *stream
	depth    int
}

const maxVersion = 6

func (f *file) open(data []byte) {
	s := &stream{b: data, file: f.name}
	if len(data) < 4 || string(data[:4]) != Magic {
		s.fail(CodeFormat, "not MLIR bytecode: the magic number is missing")
	}
	s.pos = 4
	f.version = s.varint()
	f.producer = s.cstring()
	if f.version > maxVersion {
		s.fail(CodeVersion, "bytecode version %d (producer %s) is newer than %d", f.version, f.producer, maxVersion)
	}
	if v, ok := strings.CutPrefix(f.producer, "StableHLO_v"); ok && newer(v) {
		s.fail(CodeVersion, "producer %s is newer than the current version %s", f.producer, Current)
	}
	secs := f.sections(s)
	f.readStrings(secs[secStrings])
	f.readDialects(secs[secDialects])
	f.readOffsets(secs[secOffsets], secs[secAttrTypes])
	if p := secs[secProperties]; p != nil {
		n := p.count(1)
		for range n {
			size := p.count(1)
			f.propBase = append(f.propBase, p.base+p.pos)
			f.props = append(f.props, p.bytes(size))
		}
	}
	if secs[secIR] == nil {
		s.fail(CodeFormat, "there is no IR section")
	}
	f.ir = secs[secIR]
}

// Current is the StableHLO version this package writes and the newest it reads.
const Current = "1.20.0"

// newer reports a version after Current.
func newer(v string) bool {
	var a, b [3]int
	fmt.Sscanf(v, "%d.%d.%d", &a[0], &a[1], &a[2])
	fmt.Sscanf(Current, "%d.%d.%d", &b[0], &b[1], &b[2])
	for i := range 2 { // a patch release changes no format
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}

// section reads one section header and returns its data.
func (f *file) section(s *stream) (int, *stream) {
	h := s.byte()
	id := int(h & 0x7F)
	n := s.count(1)
	if h&0x80 != 0 {
		align := s.varint()
		if align == 0 || align > 1<<20 || align&(align-1) != 0 {
			s.fail(CodeFormat, "section %d has alignment %d", id, align)
		}
		for (s.base+s.pos)%int(align) != 0 {
			if s.byte() != 0xCB {
				s.fail(CodeFormat, "section %d is padded with something else", id)
			}
		}
	}
	at := s.base + s.pos
	return id, &stream{b: s.bytes(n), base: at, file: s.file}
}

func (f *file) sections(s *stream) [numSections]*stream {
	var out [numSections]*stream
	for s.left() > 0 {
		id, d := f.section(s)
		if id >= numSections || out[id] != nil {
			s.fail(CodeFormat, "section %d is unknown or stands twice", id)
		}
		out[id] = d
	}
	for _, id := range []int{secStrings, secDialects, secAttrTypes, secOffsets} {
		if out[id] == nil {
			s.fail(CodeFormat, "section %d is missing", id)
		}
	}
	return out
}

// readStrings: the lengths come in reverse order, the bytes in forward order.
func (f *file) readStrings(s *stream) {
	n := s.count(1)
	sizes := make([]int, n)
	for i := n - 1; i >= 0; i-- {
		sizes[i] = s.count(1)
		if sizes[i] == 0 {
			s.fail(CodeFormat, "string %d has no terminator", i)
		}
	}
	f.strings = make([]string, n)
	for i, k := range sizes {
		b := s.bytes(k)
		f.strings[i] = string(b[:k-1])
	}
}

func (f *file) str(s *stream, i int) string {
	if i < 0 || i >= len(f.strings) {
		s.fail(CodeFormat, "string %d of %d", i, len(f.strings))
	}
	return f.strings[i]
}

func (f *file) readDialects(s *stream) {
	n := s.count(1)
	names := make([]string, n)
	for i := range names {
		if f.version >= 1 {
			k, versioned := s.flagged()
			names[i] = f.str(s, k)
			if versioned {
				f.section(s)
			}
		} else {
			names[i] = f.str(s, int(s.varint()))
		}
	}
	if f.version >= 4 {
		s.varint() // total number of op names
	}
	for s.left() > 0 {
		d := int(s.varint())
		if d >= len(names) {
			s.fail(CodeFormat, "dialect %d of %d", d, len(names))
		}
		k := s.count(1)
		for range k {
			i := 0
			if f.version >= 5 {
				i, _ = s.flagged()
			} else {
				i = int(s.varint())
			}
			f.ops = append(f.ops, names[d]+"."+f.str(s, i))
		}
	}
	f.dialects = names
}

func (f *file) readOffsets(s, data *stream) {
	na, nt := s.count(1), s.count(1)
	read := func(n int) []entry {
		out := make([]entry, 0, n)
		for len(out) < n {
			d := int(s.varint())
			if d >= len(f.dialects) {
				s.fail(CodeFormat, "dialect %d of %d", d, len(f.dialects))
			}
			k := s.count(1)
			for range k {
				size, custom := s.flagged()
				at := data.base + data.pos
				out = append(out, entry{dialect: f.dialects[d], custom: custom, data: data.bytes(size), base: at})
			}
		}
		if len(out) != n {
			s.fail(CodeFormat, "%d attributes or types, %d announced", len(out), n)
		}
		return out
	}
	f.attrs = read(na)
	f.types = read(nt)
}
