package machine

import (
	"fmt"

	"github.com/alcadev/alca/internal/dtype"
)

// Mem is a memory an operand may live in.
type Mem uint8

const (
	NoMem Mem = iota
	SBUFMem
	PSUMMem
	DRAMMem
)

func (m Mem) String() string { return [...]string{"none", "SBUF", "PSUM", "DRAM"}[m&3] }

// MaxPartitions is the partition count of SBUF and PSUM (doc).
const MaxPartitions = 128

// MaxFreeDims is the greatest number of free dimensions of an on-chip access pattern (doc).
const MaxFreeDims = 4

// CheckPartitions applies the placement rules for n partitions from start: at most 128; 65-128 start at 0, 33-64 at
// 0 or 64, up to 32 at a multiple of 32 (doc).
func CheckPartitions(start, n int) error {
	switch {
	case n < 1:
		return fmt.Errorf("an access needs at least one partition")
	case n > MaxPartitions:
		return fmt.Errorf("size of partition dimension %d exceeds architecture limitation of %d", n, MaxPartitions)
	case start < 0 || start+n > MaxPartitions:
		return fmt.Errorf("partitions %d..%d do not exist", start, start+n-1)
	case n > 64 && start != 0, n > 32 && start%64 != 0, start%32 != 0:
		return fmt.Errorf("illegal start partition %d for %d partitions", start, n)
	}
	return nil
}

// Quadrant returns the 32-partition group of a partition.
func Quadrant(p int) int { return p / 32 }

// CanRead and CanWrite report what an engine's data path reaches (doc): the tensor engine reads SBUF and writes
// PSUM, GpSimd and DMA do not see PSUM, DMA alone sees DRAM.
func CanRead(e Engine, m Mem) bool {
	switch e {
	case PE:
		return m == SBUFMem
	case ACT, DVE:
		return m == SBUFMem || m == PSUMMem
	case Pool:
		return m == SBUFMem
	case DMA:
		return m == SBUFMem || m == DRAMMem
	}
	return false
}

// CanWrite is CanRead for destinations.
func CanWrite(e Engine, m Mem) bool {
	if e == PE {
		return m == PSUMMem
	}
	return CanRead(e, m)
}

// dtypeEngines is the documented support table. Entries are the first generation, 0 for never.
type dtypeRow struct{ pe, act, dve, pool, dma Gen }

var dtypeEngines = map[dtype.Type]dtypeRow{
	dtype.F32:       {Gen2, Gen2, Gen2, Gen2, Gen2},
	dtype.TF32:      {Gen2, Gen2, Gen2, Gen2, Gen2},
	dtype.BF16:      {Gen2, Gen2, Gen2, Gen2, Gen2},
	dtype.F16:       {Gen2, Gen2, Gen2, Gen2, Gen2},
	dtype.F8E4M3:    {Gen2, Gen2, Gen2, Gen2, Gen2},
	dtype.F8E5M2:    {Gen2, Gen2, Gen2, Gen2, Gen2},
	dtype.F8E3M4:    {Gen2, Gen2, Gen2, Gen2, Gen2},
	dtype.F8E4M3FN:  {Gen4, Gen4, Gen4, Gen4, Gen4},
	dtype.F8E8M0FNU: {0, Gen4, Gen4, Gen4, 0},
	dtype.I1:        {0, Gen2, Gen2, Gen2, Gen2}, // stored as uint8
	dtype.U8:        {Gen2, Gen2, Gen2, Gen2, Gen2},
	dtype.I8:        {0, Gen2, Gen2, Gen2, Gen2},
	dtype.I16:       {0, Gen2, Gen2, Gen2, Gen2},
	dtype.U16:       {0, Gen2, Gen2, Gen2, Gen2},
	dtype.I32:       {0, Gen2, Gen2, Gen2, Gen2},
	dtype.U32:       {0, Gen2, Gen2, Gen2, Gen2},
	dtype.I64:       {0, 0, 0, 0, Gen2}, // copies only
	dtype.U64:       {0, 0, 0, 0, Gen2},
}

// Supports reports whether operands of type t are legal on engine e.
func (s *Spec) Supports(e Engine, t dtype.Type) bool {
	r, ok := dtypeEngines[t]
	if !ok {
		return false
	}
	var g Gen
	switch e {
	case PE:
		g = r.pe
	case ACT:
		g = r.act
	case DVE:
		g = r.dve
	case Pool:
		g = r.pool
	case DMA:
		g = r.dma
	}
	return g != 0 && s.Gen >= g
}

// OnDevice reports whether any engine handles t.
func (s *Spec) OnDevice(t dtype.Type) bool { return s.Supports(DMA, t) || s.Supports(DVE, t) }

// SBUFAddr returns the engine-local address of a byte of SBUF.
func (s *Spec) SBUFAddr(partition, off int) (uint32, error) {
	if partition < 0 || partition >= s.SBUF.Partitions || off < 0 || off >= s.SBUF.BytesPerPartition {
		return 0, fmt.Errorf("partition %d byte %d is outside SBUF", partition, off)
	}
	return uint32(partition*s.SBUF.Stride + off), nil
}

// PSUMAddr returns the engine-local address of a byte of PSUM.
func (s *Spec) PSUMAddr(partition, bank, off int) (uint32, error) {
	if partition < 0 || partition >= s.PSUM.Partitions || bank < 0 || off < 0 || bank*s.PSUM.BankBytes+off >= s.PSUM.BytesPerPartition() {
		return 0, fmt.Errorf("partition %d bank %d byte %d is outside PSUM", partition, bank, off)
	}
	return s.PSUM.Base + uint32(partition*s.PSUM.Stride+bank*s.PSUM.BankBytes+off), nil
}

// The windows of the engine-local address space (notes); they are larger than the memories.
const (
	sbufWindow = 0x02000000
	psumWindow = 0x00400000
)

// Decode splits an engine-local address.
func (s *Spec) Decode(addr uint32) (m Mem, partition, off int, err error) {
	switch {
	case addr < sbufWindow:
		m, partition, off = SBUFMem, int(addr)/s.SBUF.Stride, int(addr)%s.SBUF.Stride
		if off >= s.SBUF.BytesPerPartition {
			return 0, 0, 0, fmt.Errorf("address 0x%x: byte %d is beyond the %d bytes of an SBUF partition", addr, off, s.SBUF.BytesPerPartition)
		}
	case addr-s.PSUM.Base < psumWindow:
		a := int(addr - s.PSUM.Base)
		m, partition, off = PSUMMem, a/s.PSUM.Stride, a%s.PSUM.Stride
		if off >= s.PSUM.BytesPerPartition() {
			return 0, 0, 0, fmt.Errorf("address 0x%x: byte %d is beyond the %d bytes of a PSUM partition", addr, off, s.PSUM.BytesPerPartition())
		}
	default:
		return 0, 0, 0, fmt.Errorf("address 0x%x is neither SBUF nor PSUM", addr)
	}
	return m, partition, off, nil
}
