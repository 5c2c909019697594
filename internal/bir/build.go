package bir

import (
	"fmt"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// slabMax is the number of instructions allocated at a time in a large function.
const slabMax = 256

// NewInstr returns an instruction with the next identifier. It is not in any block yet.
func (f *Func) NewInstr(op Opcode, e machine.Engine) *Instr {
	if len(f.slab) == 0 {
		f.slab = make([]Instr, min(slabMax, 8+int(f.nextID)))
	}
	in := &f.slab[0]
	f.slab = f.slab[1:]
	in.ID, in.Op, in.Engine = f.nextID, op, e
	f.nextID++
	return in
}

// NumIDs returns one more than the greatest instruction identifier handed out.
func (f *Func) NumIDs() int { return int(f.nextID) }

// NewSet adds a set with one location of the same name and extents.
func (f *Func) NewSet(name string, t MemType, k TensorKind, dt dtype.Type, dims ...int64) *MemLoc {
	s := &MemLocSet{Name: name, Kind: k, DType: dt, Shape: append([]int64(nil), dims...)}
	l := &MemLoc{Set: s, Name: name, Type: t, Dims: append([]int64(nil), dims...)}
	s.Locs = []*MemLoc{l}
	f.Sets = append(f.Sets, s)
	return l
}

// NewReg adds a register that exists on engine e (or every engine).
func (f *Func) NewReg(name string, e machine.Engine, dt dtype.Type) *Register {
	r := &Register{Name: name, Engine: e, Num: -1, DType: dt}
	f.Regs = append(f.Regs, r)
	return r
}

// AP makes an operand of an access pattern.
func AP(p *AccessPattern) Arg { return Arg{Kind: ArgAP, AP: p} }

// ImmF makes a float32 constant operand.
func ImmF(v float32) Arg { return Arg{Kind: ArgImm, Imm: Imm{Type: dtype.F32, F: float64(v)}} }

// ImmI makes an int32 constant operand.
func ImmI(v int64) Arg { return Arg{Kind: ArgImm, Imm: Imm{Type: dtype.I32, I: v}} }

// RegArg makes a register operand.
func RegArg(r *Register) Arg { return Arg{Kind: ArgReg, Reg: r} }

// NameOf returns the instruction's name.
func (in *Instr) NameOf() string {
	if in.Name != "" {
		return in.Name
	}
	return fmt.Sprintf("I%d", in.ID)
}

// Elems returns the number of elements a pattern names in each partition (in all, in DRAM).
func (p *AccessPattern) Elems() int64 {
	n := int64(1)
	for _, d := range p.Free {
		n *= d.Count
	}
	return n
}

// PartitionBytes returns the bytes a location occupies in each partition.
func (l *MemLoc) PartitionBytes() int64 {
	n := int64(l.Set.DType.Size())
	for _, d := range l.Dims[min(1, len(l.Dims)):] {
		n *= d
	}
	return n
}

// Bytes returns the bytes of a DRAM location.
func (l *MemLoc) Bytes() int64 {
	n := int64(l.Set.DType.Size())
	for _, d := range l.Dims {
		n *= d
	}
	return n
}

// Walk calls f for every instruction of the blocks, nested ones included, in program order.
func Walk(blocks []*Block, f func(b *Block, in *Instr)) {
	for _, b := range blocks {
		for _, in := range b.Instrs {
			f(b, in)
			if in.Body != nil {
				Walk(in.Body, f)
			}
		}
	}
}
