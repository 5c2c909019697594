package walrus

import (
	"fmt"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
)

// spillSBUF makes the SBUF locations fit: it walks every block in program order with a budget of bytes and, where the
// budget is exceeded, takes out the location whose next use is farthest (weighted by what moving it costs), stores it
// to a DRAM home if it changed since it was last stored, and loads it again before its next use:
//
//	w(t) ... gap ... r(t)  =>  w(t) Save(t -> home) ... gap ... Load(home -> t') r(t')
//
// A location filled only by loads from memory nobody writes has its home already: the loads are repeated. A gap that
// ends in a write of everything costs nothing. Locations used in several blocks stay where they are.
//
// The walk counts bytes and ignores fragmentation, so it repeats with a smaller budget until the packing fits.
func (u *unit) spillSBUF(lts []*lifetime) error {
	immutable := u.immutableDRAM()
	budget := u.sbufCapacity
	var last error
	for try := range spillTries + 1 {
		s := newSpiller(u, lts, budget, immutable)
		if s.everywhere = try == spillTries; s.everywhere {
			s.budget = u.sbufCapacity
		}
		if err := s.run(); err != nil {
			if try == 0 || s.everywhere {
				return err // one instruction alone is too big
			}
			continue
		}
		reqs := s.requests()
		r := place(reqs, u.sbufCapacity, u.searchNodes()/16, false)
		if r.Fits {
			u.plan("sbuf", r.Height, r.LowerBound, "bytes per partition")
			u.plan("sbuf spill", s.movedBytes, 0, "bytes")
			s.apply(reqs, r.Offsets)
			return nil
		}
		last = diag.Errorf(CodeSBUF, diag.Loc{}, "SBUF tiles need %d bytes per partition after spilling, the budget is %d", r.Height, u.sbufCapacity)
		budget -= max(budget/24, 64)
	}
	return last
}

// spillTries is how often the walk repeats with a smaller budget. The last try keeps nothing beyond the instruction
// that uses it, which leaves nothing to fragment.
const spillTries = 12

// immutableDRAM returns the DRAM locations no instruction writes.
func (u *unit) immutableDRAM() map[*bir.MemLoc]bool {
	written := map[*bir.MemLoc]bool{}
	var buf []access
	for _, b := range u.blocks {
		for _, in := range b.instrs {
			buf = accesses(buf[:0], in)
			for i := range buf {
				if buf[i].write {
					written[buf[i].loc] = true
				}
			}
		}
	}
	m := map[*bir.MemLoc]bool{}
	for _, s := range u.fn.Sets {
		for _, l := range s.Locs {
			if l.Type == bir.DRAM && !written[rootLoc(l)] && (s.Kind <= bir.ExternalInputState || s.Kind == bir.Const) {
				m[l] = true
			}
		}
	}
	return m
}

type spiller struct {
	u          *unit
	everywhere bool // nothing stays beyond its instruction
	budget     int64
	immutable  map[*bir.MemLoc]bool
	vars       map[*bir.MemLoc]*spillVar
	order      []*spillVar // spillable, in order of first access
	held       []*lifetime // not spillable
	out        [][]*bir.Instr
	patches    []patch
	places     []*residence
	newLocs    []*bir.MemLoc
	pos        int // position in the new program
	spilled    int
	saves      int
	loads      int

	movedBytes int64
	nextName   int
}

type patch struct {
	arg *bir.Arg
	loc *bir.MemLoc
}

// residence is one stay of a location in SBUF.
type residence struct {
	loc        *bir.MemLoc
	size       int64
	align      int64
	start, end int
}

// spillVar is a spillable location during the walk.
type spillVar struct {
	loc   *bir.MemLoc
	size  int64
	uses  []int // instruction positions in its block
	kills []bool
	next  int        // index into uses
	cur   *residence // nil: not in SBUF
	home  *bir.MemLoc
	dirty bool
	data  contents
	fills []*bir.Instr // the loads that filled it, while nothing else wrote it
	ever  bool         // spilled at least once
}

func newSpiller(u *unit, lts []*lifetime, budget int64, immutable map[*bir.MemLoc]bool) *spiller {
	s := &spiller{u: u, budget: budget, immutable: immutable, vars: map[*bir.MemLoc]*spillVar{}}
	for _, t := range lts {
		if t.block < 0 || t.loc.Pinned || !t.writeFirst {
			s.held = append(s.held, t)
			continue
		}
		size, _ := sbufRequestSize(t.loc)
		v := &spillVar{loc: t.loc, size: size}
		s.vars[t.loc] = v
		s.order = append(s.order, v)
	}
	var buf []access
	for _, b := range u.blocks {
		for i, in := range b.instrs {
			buf = accesses(buf[:0], in)
			for k := range buf {
				v := s.vars[buf[k].loc]
				if v == nil || buf[k].loc.Type != bir.SB {
					continue
				}
				if n := len(v.uses); n == 0 || v.uses[n-1] != i {
					v.uses = append(v.uses, i)
					v.kills = append(v.kills, true)
				}
				if buf[k].read || buf[k].arg.Reg != nil {
					v.kills[len(v.kills)-1] = false
				}
			}
		}
	}
	return s
}

// run walks all blocks.
func (s *spiller) run() error {
	heldAt := func(from, to int) int64 {
		var sum int64
		for _, t := range s.held {
			if t.start < to && t.end > from {
				n, _ := sbufRequestSize(t.loc)
				sum += n
			}
		}
		return sum
	}
	pos := 0
	for bi, b := range s.u.blocks {
		free := s.budget - heldAt(pos, pos+len(b.instrs)+1)
		if err := s.block(bi, b, free); err != nil {
			return err
		}
		pos += len(b.instrs) + 1
		s.pos++
	}
	return nil
}

func (s *spiller) emit(list *[]*bir.Instr, in *bir.Instr) {
	*list = append(*list, in)
	s.pos++
}

// block rewrites one block within free bytes.
func (s *spiller) block(bi int, b *block, free int64) error {
	var out []*bir.Instr
	var resident []*spillVar // in order of entry
	var used int64
	var buf []access
	drop := func(v *spillVar) {
		v.cur = nil
		used -= v.size
		for k, r := range resident {
			if r == v {
				resident = append(resident[:k], resident[k+1:]...)
				break
			}
		}
	}
	for i, in := range b.instrs {
		buf = accesses(buf[:0], in)
		var need []*spillVar
		var needBytes, missing int64
		for k := range buf {
			v := s.vars[buf[k].loc]
			if v == nil || buf[k].loc.Type != bir.SB || containsVar(need, v) {
				continue
			}
			need = append(need, v)
			needBytes += v.size
			if v.cur == nil {
				missing += v.size
			}
		}
		if needBytes > free {
			return diag.Errorf(CodeSBUF, locOf(in), "%s: %s needs %d bytes per partition of SBUF at once, the budget leaves %d", in.NameOf(), in.Op, needBytes, free).
				WithHint("raise --sbuf-budget")
		}
		for used+missing > free {
			v := s.victim(resident, need, i)
			if v == nil {
				return internalf("spilling: nothing to evict for %s", in.NameOf())
			}
			s.evict(&out, v)
			drop(v)
		}
		for _, v := range need {
			if v.cur != nil {
				continue
			}
			fresh := !v.ever && v.data.empty() || v.kills[v.next] && v.covered(buf)
			s.enter(&out, v, fresh)
			used += v.size
			resident = append(resident, v)
		}
		// Point the operands at the current residence.
		for _, list := range [3][]bir.Arg{in.Ins, in.Indirect, in.Outs} {
			for k := range list {
				if a := &list[k]; a.Kind == bir.ArgAP {
					if v := s.vars[a.AP.Loc]; v != nil && v.cur.loc != v.loc {
						s.patches = append(s.patches, patch{a, v.cur.loc})
					}
				}
			}
		}
		s.emit(&out, in)
		for k := range buf {
			if v := s.vars[buf[k].loc]; v != nil && buf[k].loc.Type == bir.SB && buf[k].write {
				s.wrote(v, in, &buf[k])
			}
		}
		for _, v := range need {
			v.cur.end = s.pos
			if v.next++; v.next == len(v.uses) {
				drop(v)
			}
		}
		if s.everywhere {
			for _, v := range append([]*spillVar(nil), resident...) {
				s.evict(&out, v)
				drop(v)
			}
		}
	}
	s.out = append(s.out, out)
	return nil
}

func containsVar(list []*spillVar, v *spillVar) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// covered reports whether the writes of one instruction replace everything v holds.
func (v *spillVar) covered(buf []access) bool {
	for k := range buf {
		if buf[k].loc == v.loc && buf[k].write && v.data.coveredBy(&buf[k]) {
			return true
		}
	}
	return false
}

// victim picks what leaves: the greatest distance to the next use per cost of moving. A DMA costs about two
// microseconds before its bytes count (machine.md 12.6), so small tiles are poor victims.
func (s *spiller) victim(resident, need []*spillVar, at int) *spillVar {
	var best *spillVar
	var bestScore float64
	for _, v := range resident {
		if containsVar(need, v) {
			continue
		}
		cost := 2000 + float64(v.size)*0.35
		if v.dirty && len(v.fills) == 0 {
			cost *= 2
		}
		if v.kills[v.next] {
			cost /= 8
		}
		score := float64(v.uses[v.next]-at) * float64(v.size) / cost
		if best == nil || score > bestScore {
			best, bestScore = v, score
		}
	}
	return best
}

// evict ends v's residence, storing it if its DRAM home is stale.
func (s *spiller) evict(out *[]*bir.Instr, v *spillVar) {
	v.ever = true
	s.spilled++
	if len(v.fills) > 0 || !v.dirty {
		return
	}
	if v.home == nil {
		v.home = s.newDRAM(v.loc)
	}
	for _, p := range v.data.patterns(v.loc.Set) {
		in := s.dma(bir.Save, v)
		in.Ins = []bir.Arg{bir.AP(p.on(v.cur.loc))}
		in.Outs = []bir.Arg{bir.AP(p.home(v.home, v.loc))}
		s.emit(out, in)
		s.saves++
		s.movedBytes += p.bytes()
	}
	v.cur.end = s.pos
	v.dirty = false
}

// enter starts a residence of v and fills it unless fresh.
func (s *spiller) enter(out *[]*bir.Instr, v *spillVar, fresh bool) {
	size, align := sbufRequestSize(v.loc)
	r := &residence{loc: v.loc, size: size, align: align, start: s.pos}
	if v.ever || !v.data.empty() {
		s.nextName++
		l := *v.loc
		l.Name = fmt.Sprintf("%s_Reload%d", v.loc.Name, s.nextName)
		set := *v.loc.Set
		set.Name = l.Name
		set.Locs = []*bir.MemLoc{&l}
		l.Set = &set
		s.newLocs = append(s.newLocs, &l)
		r.loc = &l
	}
	v.cur = r
	s.places = append(s.places, r)
	if fresh {
		v.data, v.fills, v.dirty = contents{}, nil, false
		return
	}
	if len(v.fills) > 0 {
		for _, f := range v.fills {
			in := s.dma(f.Op, v)
			*in.Attrs.(*bir.DMAAttrs) = *f.Attrs.(*bir.DMAAttrs)
			src, dst := *f.Ins[0].AP, *f.Outs[0].AP
			dst.Loc = r.loc
			in.Ins, in.Outs = []bir.Arg{bir.AP(&src)}, []bir.Arg{bir.AP(&dst)}
			s.emit(out, in)
			s.loads++
			s.movedBytes += dst.Elems() * int64(dst.NPart) * int64(dst.DType.Size())
		}
		return
	}
	for _, p := range v.data.patterns(v.loc.Set) {
		in := s.dma(bir.Load, v)
		in.Ins = []bir.Arg{bir.AP(p.home(v.home, v.loc))}
		in.Outs = []bir.Arg{bir.AP(p.on(r.loc))}
		s.emit(out, in)
		s.loads++
		s.movedBytes += p.bytes()
	}
}

// wrote records that in wrote the bytes of a in v.
func (s *spiller) wrote(v *spillVar, in *bir.Instr, a *access) {
	if !a.read && a.arg.Reg == nil && v.data.coveredBy(a) {
		v.data, v.fills = contents{}, nil
	}
	if in.Op == bir.Load && s.immutable[in.Ins[0].AP.Loc] && in.Attrs.(*bir.DMAAttrs).Op == bir.AluBypass &&
		in.Ins[0].AP.Reg == nil && in.Outs[0].AP.Reg == nil && (v.data.empty() || len(v.fills) > 0) && len(v.fills) < 8 {
		v.fills = append(v.fills, in)
	} else {
		v.fills = nil
	}
	v.data.add(a)
	v.dirty = true
}

func (s *spiller) dma(op bir.Opcode, v *spillVar) *bir.Instr {
	in := s.u.fn.NewInstr(op, machine.DMA)
	in.Attrs = &bir.DMAAttrs{DGE: bir.DGENone}
	in.Debug = v.loc.Set.Debug
	return in
}

func (s *spiller) newDRAM(of *bir.MemLoc) *bir.MemLoc {
	s.nextName++
	name := fmt.Sprintf("%s_SpillSave%d", of.Name, s.nextName)
	set := &bir.MemLocSet{Name: name, Kind: bir.Internal, DType: of.Set.DType, Shape: of.Dims, Debug: of.Set.Debug}
	l := &bir.MemLoc{Set: set, Name: name, Type: bir.DRAM, Dims: of.Dims}
	set.Locs = []*bir.MemLoc{l}
	s.newLocs = append(s.newLocs, l)
	return l
}

// requests returns the packing problem of the rewritten program.
func (s *spiller) requests() []request {
	reqs := make([]request, 0, len(s.places)+len(s.held))
	for _, r := range s.places {
		reqs = append(reqs, request{loc: r.loc, start: r.start, end: max(r.end, r.start+1), size: r.size, align: r.align})
	}
	for _, t := range s.held {
		size, align := sbufRequestSize(t.loc)
		q := request{loc: t.loc, start: 0, end: s.pos + 1, size: size, align: align}
		if t.loc.Pinned {
			q.fixed, q.offset = true, t.loc.Addr
		}
		reqs = append(reqs, q)
	}
	return reqs
}

// apply commits the rewriting and the addresses.
func (s *spiller) apply(reqs []request, off []int64) {
	for _, p := range s.patches {
		ap := *p.arg.AP
		ap.Loc = p.loc
		p.arg.AP = &ap
	}
	for i, q := range reqs {
		q.loc.Addr, q.loc.Allocated = off[i], true
	}
	for _, l := range s.newLocs {
		s.u.fn.Sets = append(s.u.fn.Sets, l.Set)
	}
	for bi, b := range s.u.blocks {
		b.instrs = s.out[bi]
	}
	seen := 0
	for _, v := range s.order {
		if v.ever {
			seen++
		}
	}
	s.u.stats.Spilled += seen
	s.u.stats.Saves += s.saves
	s.u.stats.Reloads += s.loads
}
