package isa

import (
	"fmt"
	"math"
)

// Addr is an ADDR4: an on-chip byte address or a register that holds one, isa.md 3.
type Addr uint32

const (
	addrMask     = 0x1FFFFFFF
	addrIndirect = Addr(1) << 29
	addrActive   = Addr(1) << 30
	addrReg      = Addr(1) << 31

	// SBUFPartitionStep and PSUMPartitionStep are the address distances between neighbouring partitions.
	SBUFPartitionStep = 0x40000
	PSUMPartitionStep = 0x8000
	// PSUMBase is where the PSUM window starts; PSUMWindow is its size.
	PSUMBase    = 0x2000000
	PSUMWindow  = 0x400000
	PSUMBankLen = 0x800
	PSUMBanks   = 8
)

// SBUFAddr returns the address of a byte of an SBUF partition.
func SBUFAddr(partition int, byteInPartition int64) Addr {
	return Addr(int64(partition)*SBUFPartitionStep + byteInPartition)
}

// PSUMAddr returns the address of a byte of a PSUM bank.
func PSUMAddr(partition, bank int, byteInBank int64) Addr {
	return Addr(PSUMBase + int64(partition)*PSUMPartitionStep + int64(bank)*PSUMBankLen + byteInBank)
}

// RegAddr returns the word for an address that a register holds at run time.
func RegAddr(reg int) Addr { return addrReg | Addr(reg) }

// Bytes returns the 29-bit byte address.
func (a Addr) Bytes() uint32 { return uint32(a) & addrMask }

// IsReg reports whether the word names a register; Reg is its id.
func (a Addr) IsReg() bool { return a&addrReg != 0 }

// Reg returns the register id of a word for which IsReg holds.
func (a Addr) Reg() int { return int(a & 0xFF) }

// IsIndirect and IsActive report the mode bits.
func (a Addr) IsIndirect() bool { return a&addrIndirect != 0 }
func (a Addr) IsActive() bool   { return a&addrActive != 0 }

// IsPSUM reports whether a static address lies in the PSUM window.
func (a Addr) IsPSUM() bool { return a.Bytes()-PSUMBase < PSUMWindow }

// Partition and Offset split a static address; the offset of a PSUM address counts from its bank 0.
func (a Addr) Partition() int {
	b := a.Bytes()
	if a.IsPSUM() {
		return int((b - PSUMBase) / PSUMPartitionStep)
	}
	return int(b / SBUFPartitionStep)
}

func (a Addr) Offset() int64 {
	b := a.Bytes()
	if a.IsPSUM() {
		return int64((b - PSUMBase) % PSUMPartitionStep)
	}
	return int64(b % SBUFPartitionStep)
}

func (a Addr) String() string {
	switch {
	case a.IsReg():
		return fmt.Sprintf("$r%d", a.Reg())
	case a.IsActive():
		return fmt.Sprintf("active:0x%x", a.Bytes())
	}
	return fmt.Sprintf("0x%x", a.Bytes())
}

// Addr8 is an ADDR8, the address of a DMA or collective operand, isa.md 6.
type Addr8 uint64

// AddrMode is the mode byte of an Addr8.
type AddrMode uint8

const (
	ModePhysical AddrMode = 0x10 // byte offset in a DRAM variable, or an on-chip address when the variable is 0
	ModeDGE      AddrMode = 0x20 // byte offset in the variable of a DGE table entry
	ModeDGEReg   AddrMode = 0x28 // offset in a register
	ModeRegPair  AddrMode = 0x04 // with ModeDGEReg: the register and its successor hold 64 bits
	ModeShape    AddrMode = 0x40 // with any mode: through the shape registers
)

// PhysAddr returns the address of a byte of a DRAM variable.
func PhysAddr(varID int, offset uint32) Addr8 { return newAddr8(ModePhysical, varID, offset) }

// OnChipAddr returns the DMA address of an on-chip location.
func OnChipAddr(a Addr) Addr8 { return newAddr8(ModePhysical, 0, a.Bytes()) }

// DGEAddr returns the address of a byte of the variable of a DGE table entry; DGERegAddr takes the offset from a
// register at run time.
func DGEAddr(entry int, offset uint32) Addr8 { return newAddr8(ModeDGE, entry, offset) }
func DGERegAddr(entry int, reg int) Addr8    { return newAddr8(ModeDGEReg, entry, uint32(reg)) }
func newAddr8(m AddrMode, v int, i uint32) Addr8 {
	return Addr8(i) | Addr8(v&0xFFFFFF)<<32 | Addr8(m)<<56
}

// Mode, Var and Imm split the address. Var is a variable id, or a table entry in the DGE modes.
func (a Addr8) Mode() AddrMode { return AddrMode(a >> 56) }
func (a Addr8) Var() int       { return int(a>>32) & 0xFFFFFF }
func (a Addr8) Imm() uint32    { return uint32(a) }

// IsOnChip reports whether the address names an SBUF location.
func (a Addr8) IsOnChip() bool { return a.Mode()&^ModeShape == ModePhysical && a.Var() == 0 }

func (a Addr8) String() string {
	var s string
	switch m := a.Mode() &^ ModeShape; {
	case m == ModePhysical && a.Var() == 0:
		s = fmt.Sprintf("0x%x", a.Imm())
	case m == ModePhysical:
		s = fmt.Sprintf("v%d+0x%x", a.Var(), a.Imm())
	case m == ModeDGE:
		s = fmt.Sprintf("dge%d+0x%x", a.Var(), a.Imm())
	case m&^ModeRegPair == ModeDGEReg:
		s = fmt.Sprintf("dge%d+$r%d", a.Var(), a.Imm())
	default:
		s = fmt.Sprintf("mode%#x:%d:%#x", uint8(a.Mode()), a.Var(), a.Imm())
	}
	if a.Mode()&ModeShape != 0 {
		s += "^T"
	}
	return s
}

// DescKind says which form an operand slot has.
type DescKind uint8

const (
	DescStatic     DescKind = iota // Addr, Step, Num
	DescIndirect                   // Index, Addr, Num[0] indices
	DescMX                         // Addr, Scale, ScalePart, Dir, Num[0] = k_extent
	DescMXIndirect                 // Index, Addr, Scale, ScalePart, Num[0] = indices x 4
)

// Tensor is a decoded operand slot. Dimension 0 is the innermost. N is the rank of the slot, not of the data: slots
// beyond the data's rank hold step 1, count 1.
type Tensor struct {
	Addr      Addr
	Step      [4]int16 // elements
	Num       [4]uint16
	N         uint8
	Kind      DescKind
	ScalePart uint8
	Dir       int8 // MX: +1 or -1
	Index     Addr // without the mode bits
	Scale     Addr
}

// Count returns the number of elements a partition contributes.
func (t *Tensor) Count() int64 {
	if t.Kind != DescStatic {
		return int64(t.Num[0])
	}
	n := int64(1)
	for i := 0; i < int(t.N); i++ {
		n *= int64(t.Num[i])
	}
	return n
}

// Reach returns the lowest and highest element offset that a static pattern touches.
func (t *Tensor) Reach() (lo, hi int64) {
	for i := 0; i < int(t.N); i++ {
		d := int64(t.Step[i]) * (int64(t.Num[i]) - 1)
		if d < 0 {
			lo += d
		} else {
			hi += d
		}
	}
	return
}

// Dim is a (step, count) pair in elements.
type Dim struct{ Step, Count int64 }

// Pack makes a static descriptor of the given slot rank from dims, outermost first. Dimensions of one element are
// dropped and neighbours that walk memory as one dimension are merged when the rank demands it.
func Pack(addr Addr, dims []Dim, rank int) (Tensor, error) {
	t := Tensor{Addr: addr, N: uint8(rank)}
	var buf [8]Dim
	d := buf[:0]
	for _, x := range dims {
		if x.Count < 1 {
			return t, errf(CodeCountZero, "count %d of a dimension is not positive", x.Count)
		}
		if x.Count > 1 {
			d = append(d, x)
		}
	}
	for len(d) > rank {
		if !mergeInnermost(&d) {
			return t, errf(CodeRank, "pattern has %d free dimensions, must be in range [1,%d]D", len(d), rank)
		}
	}
	for i := range t.Step[:rank] {
		t.Step[i], t.Num[i] = 1, 1
	}
	for i, x := range d {
		k := len(d) - 1 - i
		if x.Step < math.MinInt16 || x.Step > math.MaxInt16 {
			return t, errf(CodeStrideRange, "stride %d of dimension %d is outside -32768..32767 elements", x.Step, k)
		}
		if x.Count > math.MaxUint16 {
			return t, errf(CodeCountRange, "count %d of dimension %d is above 65535", x.Count, k)
		}
		t.Step[k], t.Num[k] = int16(x.Step), uint16(x.Count)
	}
	return t, nil
}

// mergeInnermost joins the innermost pair of neighbouring dimensions that one dimension can express.
func mergeInnermost(d *[]Dim) bool {
	s := *d
	for i := len(s) - 2; i >= 0; i-- {
		out, in := s[i], s[i+1]
		if out.Step == in.Step*in.Count && out.Count*in.Count <= math.MaxUint16 {
			s[i] = Dim{in.Step, out.Count * in.Count}
			*d = append(s[:i+1], s[i+2:]...)
			return true
		}
	}
	return false
}
