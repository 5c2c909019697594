package isel

import (
	"slices"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// peephole rewrites straight-line ISA-level code until nothing changes:
//
//	copy(psum) -> v; op(v)                    =>  op(psum)                            evict with the first consumer
//	(x op0 s) -> v; (v op1 t)                 =>  (x op0 s) op1 t                     one tensor_scalar
//	x*s + t -> v; func(v)                     =>  func(scale=s, bias=t)               one activation
//	(x op0 s) -> v; v op1 y                   =>  scalar_tensor_tensor
//	func(x) -> v; reduce add over all of v    =>  activation with accumulator
//	max(x) -> m; every use is y - m           =>  -max(x) -> m; y + m                 so that m can be a bias
//
// A value is merged into its consumer only if that is its only reader, it reads exactly what was written, and
// nothing in between overwrites an operand. Instructions whose result nobody reads go.
func peephole(m *penguin.Module) error {
	for _, f := range m.Funcs {
		shared := sharedTiles(f)
		eachRun(&f.Body, func(run []*penguin.Inst) []*penguin.Inst {
			p := &peep{gen: m.Gen, shared: shared, ins: run}
			p.optimise()
			return p.ins
		})
		pruneTensors(f)
	}
	return nil
}

type peep struct {
	gen    machine.Gen
	shared map[*penguin.Tensor]bool // read outside this run
	ins    []*penguin.Inst          // nil: removed
	refs   map[*penguin.Tensor][]ref
	uses   [][]*penguin.Tensor // tensors whose refs name an instruction
}

// ref is one operand of an instruction.
type ref struct {
	at    int // position of the instruction
	acc   *penguin.Access
	write bool
	read  bool // both for read-modify-write outputs
}

func isa(in *penguin.Inst) *penguin.ISA { return in.Attrs.(*penguin.ISA) }

func (p *peep) index() {
	p.refs = map[*penguin.Tensor][]ref{}
	p.uses = make([][]*penguin.Tensor, len(p.ins))
	for i := range p.ins {
		p.note(i)
	}
}

// note enters the operands of instruction i into the index.
func (p *peep) note(i int) {
	in := p.ins[i]
	if in == nil {
		return
	}
	add := func(a *penguin.Access, write, read bool) {
		p.refs[a.T] = append(p.refs[a.T], ref{i, a, write, read})
		p.uses[i] = append(p.uses[i], a.T)
	}
	for k := range in.In {
		add(&in.In[k], false, true)
	}
	for k := range in.Out {
		rmw := in.Op.Name == "copy_predicated" || in.Op.Name == "matmul" && isa(in).Flags&1 == 0
		add(&in.Out[k], true, rmw)
	}
}

// mergeAt merges instruction i into its reader and brings the index up to date: a merge changes nothing but i
// and instructions that name its result. (Indexing anew after every merge takes time quadratic in the code.)
func (p *peep) mergeAt(i int) bool {
	at := []int{i}
	for _, r := range p.refs[p.ins[i].Out[0].T] {
		at = append(at, r.at)
	}
	if !p.merge(i) {
		return false
	}
	slices.Sort(at)
	for _, x := range slices.Compact(at) {
		p.drop(x)
		p.note(x)
	}
	return true
}

func (p *peep) optimise() {
	for round := 0; round < 12; round++ {
		p.index()
		p.negateMax()
		changed := p.dead()
		p.index()
		for i, in := range p.ins {
			if in == nil || len(in.Out) == 0 || in.Out[0].T.Space == penguin.DRAM {
				continue
			}
			if p.mergeAt(i) {
				changed = true
			}
		}
		if !changed {
			break
		}
	}
}

// dead removes instructions all of whose results are on-chip values that nobody reads.
func (p *peep) dead() bool {
	changed := false
	for i := len(p.ins) - 1; i >= 0; i-- {
		in := p.ins[i]
		if in == nil || len(in.Out) == 0 {
			continue
		}
		live := false
		for k := range in.Out {
			if in.Out[k].T.Space == penguin.DRAM || p.readAfter(&in.Out[k], i) {
				live = true
			}
		}
		if !live && p.private(in) {
			p.ins[i] = nil
			changed = true
			p.drop(i)
		}
	}
	return changed
}

// drop forgets the operands of instruction i.
func (p *peep) drop(i int) {
	for _, t := range p.uses[i] {
		p.refs[t] = slices.DeleteFunc(p.refs[t], func(r ref) bool { return r.at == i })
	}
	p.uses[i] = nil
}

// private reports whether the results of in are read in this run of code only.
func (p *peep) private(in *penguin.Inst) bool {
	for k := range in.Out {
		if p.shared[in.Out[k].T] {
			return false
		}
	}
	return true
}

func (p *peep) readAfter(a *penguin.Access, i int) bool {
	for _, r := range p.refs[a.T] {
		if r.read && r.at > i && overlap(a, r.acc) {
			return true
		}
	}
	return false
}

// overlap reports whether two tiles of one tensor may share an element.
func overlap(a, b *penguin.Access) bool {
	x, y := a.Tile, b.Tile
	if x.NP > 0 && y.NP > 0 && (x.P0+x.NP <= y.P0 || y.P0+y.NP <= x.P0) {
		return false
	}
	xl, xh := byteRange(a)
	yl, yh := byteRange(b)
	return xl <= yh && yl <= xh
}

func byteRange(a *penguin.Access) (lo, hi int64) {
	t := a.T.DType
	if a.Tile.DType != dtype.Invalid {
		t = a.Tile.DType
	}
	sz := int64(t.Size())
	lo, _ = splitConst(a.Tile.Off)
	hi = lo
	for _, d := range a.Tile.Free {
		if d.Step > 0 {
			hi += d.Step * (d.Count - 1)
		} else {
			lo += d.Step * (d.Count - 1)
		}
	}
	return lo * sz, hi*sz + sz - 1
}

// same reports whether two accesses name the same elements in the same order.
func same(a, b *penguin.Access) bool {
	x, y := a.Tile, b.Tile
	if a.T != b.T || x.P0 != y.P0 || x.NP != y.NP || x.DType != y.DType || len(x.Free) != len(y.Free) || x.Off != y.Off {
		return false
	}
	for i := range x.Free {
		if x.Free[i] != y.Free[i] {
			return false
		}
	}
	return true
}

// single returns the only reader of what instruction i writes to output 0 and the operand it reads it by. It
// requires that instruction i alone writes it and that the reader reads exactly it.
func (p *peep) single(i int) (c, k int, ok bool) {
	w := &p.ins[i].Out[0]
	if p.shared[w.T] {
		return 0, 0, false
	}
	c = -1
	for _, r := range p.refs[w.T] {
		if r.at == i || !overlap(w, r.acc) {
			continue
		}
		if r.write || r.at < i || c >= 0 || !same(w, r.acc) {
			return 0, 0, false
		}
		c = r.at
	}
	if c < 0 {
		return 0, 0, false
	}
	for k = range p.ins[c].In {
		if p.ins[c].In[k].T == w.T && same(w, &p.ins[c].In[k]) {
			return c, k, true
		}
	}
	return 0, 0, false
}

// clobbered reports whether an instruction strictly between i and j writes what a reads.
func (p *peep) clobbered(a *penguin.Access, i, j int) bool {
	for _, r := range p.refs[a.T] {
		if r.write && r.at > i && r.at < j && overlap(a, r.acc) {
			return true
		}
	}
	return false
}

// touched reports whether an instruction strictly between i and j reads or writes what a writes.
func (p *peep) touched(a *penguin.Access, i, j int) bool {
	for _, r := range p.refs[a.T] {
		if r.at > i && r.at < j && overlap(a, r.acc) {
			return true
		}
	}
	return false
}

// scalarArg is operand pos of a tensor_scalar or activation: a scalar or a per-partition access.
type scalarArg struct {
	imm *penguin.ISAImm
	acc *penguin.Access
}

func argAt(in *penguin.Inst, pos int) (scalarArg, bool) {
	k := pos
	for i := range isa(in).Imms {
		m := &isa(in).Imms[i]
		if m.Pos == pos {
			return scalarArg{imm: m}, true
		}
		if m.Pos < pos {
			k--
		}
	}
	if k < len(in.In) {
		return scalarArg{acc: &in.In[k]}, true
	}
	return scalarArg{}, false
}

// setArgs rebuilds the operand list of in: x, then the scalars, then a tile if y is not nil.
func setArgs(in *penguin.Inst, x penguin.Access, ss []scalarArg, y *penguin.Access) {
	acc := []penguin.Access{x}
	var imms []penguin.ISAImm
	for i, s := range ss {
		if s.imm != nil {
			m := *s.imm
			m.Pos = i + 1
			imms = append(imms, m)
		} else {
			acc = append(acc, *s.acc)
		}
	}
	if y != nil {
		acc = append(acc, *y)
	}
	in.In, isa(in).Imms = acc, imms
}

func floatOp(op string) bool { return op != "" && !penguin.BitOp(op) }

// merge tries to join instruction i into its reader.
func (p *peep) merge(i int) bool {
	in := p.ins[i]
	if in.Op.Name == "tensor_tensor" {
		return p.squareSum(i)
	}
	if in.Op.Name == "activation" && len(in.Out) == 1 && isa(in).Acc == "" && p.accumulate(i) {
		return true
	}
	switch in.Op.Name {
	case "tensor_copy", "tensor_scalar":
	default:
		return false
	}
	c, k, ok := p.single(i)
	if !ok {
		return false
	}
	for j := range in.In {
		if p.clobbered(&in.In[j], i, c) {
			return false
		}
	}
	use := p.ins[c]
	if in.Op.Name == "tensor_copy" {
		return p.forward(i, c, k)
	}
	at := isa(in)
	if at.Op1 != "" && use.Op.Name != "activation" || !floatOp(at.Op0) || in.Out[0].T.DType != dtype.F32 || in.Out[0].Tile.DType != dtype.Invalid {
		return false
	}
	s0, _ := argAt(in, 1)
	switch use.Op.Name {
	case "tensor_scalar":
		ut := isa(use)
		if k != 0 || ut.Op1 != "" || !floatOp(ut.Op0) || use.Engine != machine.DVE {
			return false
		}
		u0, _ := argAt(use, 1)
		if u0.acc != nil && p.ins[c] == use && same(u0.acc, &in.Out[0]) {
			return false
		}
		x := in.In[0]
		*ut = penguin.ISA{Op0: at.Op0, Rev0: at.Rev0, Op1: ut.Op0, Rev1: ut.Rev0}
		setArgs(use, x, []scalarArg{s0, u0}, nil)
	case "tensor_tensor":
		ut := isa(use)
		if use.Engine != machine.DVE || !floatOp(ut.Op0) || same(&use.In[0], &use.In[1]) {
			return false
		}
		x, y := in.In[0], use.In[1-k]
		if len(x.Tile.Free) > 2 || len(y.Tile.Free) > 2 || len(use.Out[0].Tile.Free) > 2 || onPSUM(&x) && onPSUM(&y) {
			return false
		}
		use.Op = penguin.ISAOp("scalar_tensor_tensor")
		*ut = penguin.ISA{Op0: at.Op0, Rev0: at.Rev0, Op1: ut.Op0, Rev1: k == 1}
		setArgs(use, x, []scalarArg{s0}, &y)
	case "activation":
		if k != 0 || !p.intoActivation(in, use, s0) {
			return false
		}
	default:
		return false
	}
	p.ins[i] = nil
	return true
}

func onPSUM(a *penguin.Access) bool { return a.T.Space == penguin.PSUM }

// intoActivation makes use compute func(x*scale + bias) with the scale and bias of in.
func (p *peep) intoActivation(in, use *penguin.Inst, s0 scalarArg) bool {
	ut, at := isa(use), isa(in)
	bias, _ := argAt(use, 1)
	if ut.Scale != 1 || len(use.In) > 2 || bias.imm == nil || bias.imm.F != 0 {
		return false
	}
	if at.Rev0 && at.Op0 != "mult" && at.Op0 != "add" || at.Rev1 && at.Op1 != "add" {
		return false
	}
	zero := scalarArg{imm: &penguin.ISAImm{Type: dtype.F32}}
	x := in.In[0]
	switch {
	case at.Op0 == "mult" && (at.Op1 == "" || at.Op1 == "add" || at.Op1 == "subtract"):
		b := zero
		if at.Op1 != "" {
			b, _ = argAt(in, 2)
			if at.Op1 == "subtract" {
				if b.imm == nil {
					return false
				}
				b = scalarArg{imm: &penguin.ISAImm{Type: dtype.F32, F: -b.imm.F}}
			}
		}
		if b.imm != nil && p.gen == machine.Gen2 && b.imm.F != 0 {
			return false
		}
		if s0.imm != nil {
			ut.Scale = s0.imm.F
			setArgs(use, x, []scalarArg{b}, nil)
		} else {
			setArgs(use, x, []scalarArg{b, s0}, nil)
		}
	case at.Op1 == "" && at.Op0 == "add" && (s0.acc != nil || p.gen != machine.Gen2):
		setArgs(use, x, []scalarArg{s0}, nil)
	case at.Op1 == "" && at.Op0 == "subtract" && !at.Rev0 && s0.imm != nil && p.gen != machine.Gen2:
		setArgs(use, x, []scalarArg{{imm: &penguin.ISAImm{Type: dtype.F32, F: -s0.imm.F}}}, nil)
	default:
		return false
	}
	return true
}

// forward lets the reader c of a copy read the copy's source, when the types are equal and c may read that memory.
// A copy out of PSUM takes its reader along to where it stands, so that the bank is free as soon as before.
func (p *peep) forward(i, c, k int) bool {
	in, use := p.ins[i], p.ins[c]
	src, dst := &in.In[0], &in.Out[0]
	if src.T.DType != dst.T.DType || src.Tile.DType != dtype.Invalid || dst.Tile.DType != dtype.Invalid {
		return false
	}
	if onPSUM(src) {
		switch use.Op.Name {
		case "tensor_tensor", "tensor_scalar", "activation", "scalar_tensor_tensor", "tensor_copy", "tensor_reduce":
		default:
			return false
		}
		if use.Engine == machine.Pool || use.Engine == machine.DMA || use.Engine == machine.PE {
			return false
		}
		for j := range use.In {
			if j != k && onPSUM(&use.In[j]) {
				return false
			}
		}
		// Move the reader up.
		for j := range use.In {
			if j != k && p.clobbered(&use.In[j], i, c) {
				return false
			}
		}
		for j := range use.Out {
			if p.touched(&use.Out[j], i, c) {
				return false
			}
		}
		use.In[k] = *src
		p.ins[i], p.ins[c] = use, nil
		return true
	}
	if use.Op.Name == "matmul" || use.Engine == machine.DMA || len(src.Tile.Free) > 2 || src.Tile.P0 != dst.Tile.P0 {
		return false
	}
	use.In[k] = *src
	p.ins[i] = nil
	return true
}

// squareSum makes x*x, read by nothing but a full row sum, an activation that keeps the sum. NeuronCore-v2 wants the
// bias of an activation in memory and is left alone.
func (p *peep) squareSum(i int) bool {
	in := p.ins[i]
	if p.gen == machine.Gen2 || isa(in).Op0 != "mult" || in.Engine != machine.DVE || !same(&in.In[0], &in.In[1]) || !isFloat32(&in.In[0]) || !isFloat32(&in.Out[0]) {
		return false
	}
	c, _, ok := p.single(i)
	if !ok || p.ins[c].Op.Name != "tensor_reduce" || isa(p.ins[c]).Op0 != "add" || tileElems(p.ins[c].Out[0].Tile) != 1 {
		return false
	}
	in.Op, in.Engine, in.In = penguin.ISAOp("activation"), machine.ACT, in.In[:1]
	in.Attrs = &penguin.ISA{Func: "Square", Scale: 1, Imms: []penguin.ISAImm{{Pos: 1, Type: dtype.F32}}}
	return true
}

// accumulate moves a full row sum of an activation's result into the activation's accumulator.
func (p *peep) accumulate(i int) bool {
	in := p.ins[i]
	w := &in.Out[0]
	if w.T.DType != dtype.F32 || w.Tile.DType != dtype.Invalid {
		return false
	}
	for _, r := range p.refs[w.T] {
		if r.write && r.at > i && overlap(w, r.acc) {
			return false
		}
		if r.at <= i || !same(w, r.acc) {
			continue
		}
		red := p.ins[r.at]
		if red == nil || red.Op.Name != "tensor_reduce" || isa(red).Op0 != "add" || isa(red).Negate || tileElems(red.Out[0].Tile) != 1 || red.Out[0].T.DType != dtype.F32 {
			continue
		}
		if p.touched(&red.Out[0], i, r.at) {
			continue
		}
		in.Out = append(in.Out, red.Out[0])
		isa(in).Acc = "ZeroAccumulate"
		p.ins[r.at] = nil
		return true
	}
	return false
}

func tileElems(t *penguin.Tile) int64 {
	n := int64(1)
	for _, d := range t.Free {
		n *= d.Count
	}
	return n
}

// negateMax turns a row maximum that is only ever subtracted into its negative, which can be added.
func (p *peep) negateMax() {
	var order []*penguin.Tensor
	seen := map[*penguin.Tensor]bool{}
	for _, in := range p.ins {
		if in != nil && in.Op.Name == "tensor_reduce" && isa(in).Op0 == "max" && !seen[in.Out[0].T] {
			seen[in.Out[0].T] = true
			order = append(order, in.Out[0].T)
		}
	}
	for _, t := range order {
		if p.shared[t] || t.Space == penguin.DRAM {
			continue
		}
		ok := true
		readers := 0
		for _, r := range p.refs[t] {
			in := p.ins[r.at]
			if r.write {
				ok = ok && in.Op.Name == "tensor_reduce" && isa(in).Op0 == "max" && !isa(in).Negate
				continue
			}
			readers++
			at := isa(in)
			s0, has := argAt(in, 1)
			ok = ok && in.Op.Name == "tensor_scalar" && at.Op0 == "subtract" && !at.Rev0 && has && s0.acc != nil && s0.acc.T == t && in.In[0].T != t
		}
		if !ok || readers == 0 {
			continue
		}
		for _, r := range p.refs[t] {
			if r.write {
				isa(p.ins[r.at]).Negate = true
			} else {
				isa(p.ins[r.at]).Op0 = "add"
			}
		}
	}
}
