package walrus

import (
	"slices"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/walrus/region"
)

// buildDeps computes the dependence edges of every block from access patterns, replacing all old edges:
//
//	a reads  x[0:4]      b: Flow on the writers of the bytes it reads that nothing overwrote in between,
//	b writes x[2:6]  =>     Anti on the readers and Output on the writers of the bytes it writes
//
// Per location it keeps the accesses that no later write covers, so a program whose tiles are rewritten as a whole
// costs a constant per access. Once locations have addresses, an access also meets the accesses of the location's
// predecessors: the locations whose bytes it reuses.
//
// Edges never cross blocks: a block boundary is a barrier (control.go).
func buildDeps(u *unit) error {
	n := 0
	for _, b := range u.blocks {
		d := newDepBuilder(u)
		for _, in := range b.instrs {
			d.visit(in)
			n += len(in.Deps)
		}
	}
	u.stats.Edges = n
	return nil
}

// locState is what is known of a location while walking a block.
type locState struct {
	loc           *bir.MemLoc
	writes, reads entryList
	prev          []*locState // earlier occupants of its bytes
	lastMM        *bir.Instr  // last matmul into it: accumulation groups stay contiguous
	base          int64       // address in the space's byte map
	span          extent
}

// extent is a box of partitions and bytes.
type extent struct {
	p0, p1 int
	b0, b1 int64
}

func (a extent) meets(b extent) bool {
	return a.p0 < b.p1 && b.p0 < a.p1 && a.b0 < b.b1 && b.b0 < a.b1
}

func (a extent) within(b extent) bool {
	return a.p0 >= b.p0 && a.p1 <= b.p1 && a.b0 >= b.b0 && a.b1 <= b.b1
}

type depBuilder struct {
	u      *unit
	locs   map[*bir.MemLoc]*locState
	spaces [3][]*locState // occupants of DRAM, SB, PSUM in order of first access
	mark   []int32        // per instruction ID: 1 + index of its edge in cur.Deps, if markFor matches
	owner  []int32
	cur    *bir.Instr
	buf    []access
	chains map[machine.Engine]*[rngState + 1]chain
	regs   map[regKey]*regState
}

type chain struct{ open, closed []*bir.Instr }

// regKey names a register: by number once numbered, since several share one.
type regKey struct {
	r   *bir.Register
	num int
	e   machine.Engine
}

type regState struct {
	write *bir.Instr
	reads []*bir.Instr
}

func newDepBuilder(u *unit) *depBuilder {
	n := u.fn.NumIDs()
	d := &depBuilder{u: u, locs: map[*bir.MemLoc]*locState{}, mark: make([]int32, n), owner: make([]int32, n),
		chains: map[machine.Engine]*[rngState + 1]chain{}, regs: map[regKey]*regState{}}
	for i := range d.owner {
		d.owner[i] = -1
	}
	return d
}

func spaceOf(t bir.MemType) int {
	switch t {
	case bir.SB:
		return 1
	case bir.PSUM:
		return 2
	}
	return 0
}

// boxOf is where an allocated location lies in its space.
func boxOf(l *bir.MemLoc) extent {
	switch l.Type {
	case bir.SB:
		return extent{l.Base, l.Base + int(l.Dims[0]), l.Addr, l.Addr + l.PartitionBytes()}
	case bir.PSUM:
		a := int64(l.Bank)*psumBankBytes + l.Addr
		return extent{l.Base, l.Base + int(l.Dims[0]), a, a + l.PartitionBytes()}
	}
	return extent{0, 1, l.Addr, l.Addr + l.Bytes()}
}

// state returns the location's state, entering it into its space at the first access.
func (d *depBuilder) state(l *bir.MemLoc) *locState {
	if s := d.locs[l]; s != nil {
		return s
	}
	s := &locState{loc: l}
	d.locs[l] = s
	if !l.Allocated || l.Type == bir.DRAM && l.Set.Kind != bir.Internal && l.Set.Kind != bir.InternalInterface {
		return s
	}
	s.span = boxOf(l)
	s.base = int64(s.span.p0)*partStep + s.span.b0
	sp := &d.spaces[spaceOf(l.Type)]
	k := 0
	for _, o := range *sp {
		if o.span.meets(s.span) {
			// What o itself has not overwritten of its predecessors is still there.
			for _, q := range append([]*locState{o}, o.prev...) {
				if q.writes.len()+q.reads.len() > 0 && q.span.meets(s.span) && !slices.Contains(s.prev, q) {
					s.prev = append(s.prev, q)
				}
			}
			if o.span.within(s.span) {
				continue
			}
		}
		(*sp)[k] = o
		k++
	}
	*sp = append((*sp)[:k], s)
	return s
}

// edge adds a dependence of the current instruction, keeping the strongest kind per pair.
func (d *depBuilder) edge(on *bir.Instr, k bir.EdgeKind) {
	in := d.cur
	if on == in {
		return
	}
	if d.owner[on.ID] == in.ID {
		if e := &in.Deps[d.mark[on.ID]]; e.Kind < k {
			e.Kind = k
		}
		return
	}
	d.owner[on.ID] = in.ID
	d.mark[on.ID] = int32(len(in.Deps))
	in.Deps = append(in.Deps, bir.Dep{On: on, Kind: k})
}

func (d *depBuilder) visit(in *bir.Instr) {
	d.cur = in
	in.Deps = in.Deps[:0]
	d.buf = accesses(d.buf[:0], in)
	for i := range d.buf {
		a := &d.buf[i]
		if a.read {
			s := d.state(a.loc)
			s.writes.each(&a.set, func(e *entry) bool {
				if e.in != in && e.set.Overlaps(&a.set) {
					d.edge(e.in, bir.Flow)
				}
				return false
			})
		}
	}
	for i := range d.buf {
		if a := &d.buf[i]; a.write {
			d.write(in, a)
		}
	}
	for i := range d.buf {
		if a := &d.buf[i]; a.read && !a.write {
			s := d.state(a.loc)
			s.reads.add(s.loc, entry{in: in, set: a.set})
		}
	}
	d.engineState(in)
	d.registers(in)
}

// write adds the Anti and Output edges of one output and drops what it covers.
func (d *depBuilder) write(in *bir.Instr, a *access) {
	s := d.state(a.loc)
	dynamic := a.arg != nil && (a.arg.Reg != nil || a.arg.Expr != nil) // covers nothing for sure
	if attrs, ok := in.Attrs.(*bir.MatmultAttrs); ok {
		if attrs.AccFlags&bir.AccFlagStart != 0 && s.lastMM != nil {
			d.edge(s.lastMM, bir.Ordered)
		}
		s.lastMM = in
	}
	d.against(&s.reads, a.set, bir.Anti, in, dynamic)
	d.against(&s.writes, a.set, bir.Output, in, dynamic)
	if len(s.prev) > 0 {
		abs := a.set.Shift(s.base)
		k := 0
		for _, o := range s.prev {
			rel := abs.Shift(-o.base)
			d.against(&o.reads, rel, bir.Anti, in, dynamic)
			d.against(&o.writes, rel, bir.Output, in, dynamic)
			if o.reads.len()+o.writes.len() > 0 {
				s.prev[k] = o
				k++
			}
		}
		s.prev = s.prev[:k]
	}
	s.writes.add(s.loc, entry{in: in, set: a.set})
}

// against adds an edge to every entry that meets set and drops the entries set covers.
func (d *depBuilder) against(list *entryList, set region.Set, kind bir.EdgeKind, in *bir.Instr, dynamic bool) {
	list.each(&set, func(e *entry) bool {
		if e.in == in || !e.set.Overlaps(&set) {
			return false
		}
		d.edge(e.in, kind)
		return !dynamic && set.Covers(&e.set)
	})
}

// engineState orders the users of an engine-private resource: a chain runs from an instruction that sets the resource
// to those that read it, and nothing else may touch the resource in between.
func (d *depBuilder) engineState(in *bir.Instr) {
	st, read, write := engineState(in)
	if st == noState {
		return
	}
	cs := d.chains[in.Engine]
	if cs == nil {
		cs = new([rngState + 1]chain)
		d.chains[in.Engine] = cs
	}
	c := &cs[st]
	for _, o := range c.open {
		d.edge(o, bir.Ordered)
	}
	if write && !read && len(in.Outs) == 2 {
		c.closed = append(c.closed, in) // sets and reads out in one instruction
		return
	}
	for _, o := range c.closed {
		d.edge(o, bir.Ordered)
	}
	if write && !read {
		c.open, c.closed = c.open[:0], c.closed[:0]
	}
	c.open = append(c.open, in)
}

// registers orders the uses of sequencer registers; each engine has its own copy.
func (d *depBuilder) registers(in *bir.Instr) {
	use := func(r *bir.Register) *regState {
		k := regKey{r, -1, in.Engine}
		if r.Num >= 0 {
			k = regKey{nil, r.Num, in.Engine}
		}
		s := d.regs[k]
		if s == nil {
			s = &regState{}
			d.regs[k] = s
		}
		return s
	}
	for _, r := range regReads(nil, in) {
		s := use(r)
		if s.write != nil {
			d.edge(s.write, bir.Flow)
		}
		s.reads = append(s.reads, in)
	}
	for i := range in.Outs {
		if a := &in.Outs[i]; a.Kind == bir.ArgReg {
			s := use(a.Reg)
			for _, o := range s.reads {
				if o != in {
					d.edge(o, bir.Anti)
				}
			}
			if s.write != nil {
				d.edge(s.write, bir.Output)
			}
			s.write, s.reads = in, s.reads[:0]
		}
	}
}

// regReads appends the registers an instruction reads, those in addresses included.
func regReads(dst []*bir.Register, in *bir.Instr) []*bir.Register {
	for _, list := range [3][]bir.Arg{in.Ins, in.Indirect, in.Outs} {
		for i := range list {
			if a := &list[i]; a.Kind == bir.ArgAP && a.AP.Reg != nil {
				dst = append(dst, a.AP.Reg)
			}
		}
	}
	for i := range in.Ins {
		if a := &in.Ins[i]; a.Kind == bir.ArgReg {
			dst = append(dst, a.Reg)
		}
	}
	return dst
}
