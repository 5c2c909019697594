package machine

// DMASide describes one side of a transfer as runs of contiguous bytes.
type DMASide struct {
	OnChip         bool
	RunBytes       int64 // bytes of a contiguous run
	Runs           int64 // number of runs
	Partitions     int   // on chip: partitions spanned, 0 for one
	FirstPartition int
	PartitionStep  int64 // DRAM: bytes between what goes to consecutive partitions, if it matters
}

// DMAShape describes a transfer to the cost model.
type DMAShape struct {
	Src, Dst   DMASide
	Accumulate bool // combine with the destination
	Transpose  bool
	ElemBytes  int64 // of the source, for transposes
	Rows, Cols int64 // of the transposed matrix
}

// Bytes returns the bytes a transfer carries: those of the side with the wider type.
func (d *DMAShape) Bytes() int64 {
	return max(d.Src.RunBytes*d.Src.Runs, d.Dst.RunBytes*d.Dst.Runs)
}

// runs returns how many contiguous runs of at most limit bytes a side has.
func (s *DMASide) runs(limit int64) int64 {
	return max(1, s.Runs) * max(1, (s.RunBytes+limit-1)/limit)
}

// Descriptors returns the number of elementary descriptors of a transfer: contiguous on both sides and not longer
// than the hardware allows.
func (s *Spec) Descriptors(d DMAShape) int64 {
	if d.Transpose && s.Gen < Gen3 {
		return max(1, d.Bytes()/max(1, d.ElemBytes)) // no hardware: one descriptor an element (choice)
	}
	return max(d.Src.runs(s.MaxDescBytes), d.Dst.runs(s.MaxDescBytes))
}

// dmaFactor scales the rate of a DMA engine for transfers that are not plain copies.
func (s *Spec) dmaFactor(d *DMAShape) float64 {
	switch {
	case d.Transpose && s.Gen >= Gen3 && d.Src.OnChip && d.Dst.OnChip:
		return 0.5 // doc
	case d.Transpose && s.Gen >= Gen3:
		// The crossbar works on tiles of 16 rows by 128 columns of two bytes, or 64 of four (doc 0.9, choice for
		// the padded fraction).
		cols := int64(128)
		if d.ElemBytes == 4 {
			cols = 64
		}
		if d.Rows < 1 || d.Cols < 1 {
			return 0.9
		}
		pad := func(n, to int64) float64 { return float64(n) / float64((n+to-1)/to*to) }
		return 0.9 * pad(d.Rows, 16) * pad(d.Cols, cols)
	case d.Accumulate && !(s.Gen >= Gen4 && d.Dst.OnChip):
		return 0.5 // doc
	}
	return 1
}

// DMAShares returns how long each DMA engine of the core is busy with a transfer, in ns.
//
// Between DRAM and SBUF engine e carries partitions 8e..8e+7 of the SBUF side (doc); other transfers are split by
// rows of the destination, or by 64-byte pieces when there are fewer rows than engines (choice).
func (s *Spec) DMAShares(d DMAShape) (shares [16]float64) {
	t := &s.Timing
	desc := s.Descriptors(d)
	bytes := d.Bytes()
	length := float64(bytes) / float64(desc)
	perDesc := max(length, t.DescMin)/(t.BwDMA*s.dmaFactor(&d)) + t.DescOvh
	if t.FarStep > 0 && max(d.Src.PartitionStep, d.Dst.PartitionStep) >= t.FarStep {
		perDesc += t.DescFar
	}
	engines := s.DMAEngines
	if d.Src.OnChip != d.Dst.OnChip {
		chip := &d.Src
		if d.Dst.OnChip {
			chip = &d.Dst
		}
		parts := max(1, chip.Partitions)
		perPart := float64(desc) / float64(parts) * perDesc
		for p := chip.FirstPartition; p < chip.FirstPartition+parts; p++ {
			e := p * engines / MaxPartitions
			if e < 0 || e >= engines {
				e = engines - 1
			}
			shares[e] += perPart
		}
		return shares
	}
	rows := desc
	if rows < int64(engines) && bytes >= 64 {
		// Too few rows: cut the bytes.
		n := min(int64(engines), bytes/64)
		each := max(float64(bytes)/float64(n), t.DescMin)/(t.BwDMA*s.dmaFactor(&d)) + t.DescOvh
		for e := int64(0); e < n; e++ {
			shares[e] = each
		}
		return shares
	}
	for e := int64(0); e < int64(engines); e++ {
		lo, hi := e*rows/int64(engines), (e+1)*rows/int64(engines)
		shares[e] = float64(hi-lo) * perDesc
	}
	return shares
}

// DGEMode says who makes the descriptors of a transfer.
type DGEMode uint8

const (
	StaticDGE DGEMode = iota // prepared before launch
	SoftwareDGE
	HardwareDGE
)

// DMACost returns the cost of a transfer on idle DMA engines: II is the time the busiest engine needs, Latency the
// time from the trigger until a waiter may start.
func (s *Spec) DMACost(d DMAShape, mode DGEMode) Cost {
	shares := s.DMAShares(d)
	busy := 0.0
	for _, ns := range shares {
		busy = max(busy, ns)
	}
	start := s.Timing.DMAStartStatic
	switch mode {
	case SoftwareDGE:
		start = s.Timing.DMAStartSw
	case HardwareDGE:
		start = s.Timing.DMAStartHw
	}
	return Cost{II: busy, Latency: start + busy + s.Timing.DMADone, Speed: 1}
}
