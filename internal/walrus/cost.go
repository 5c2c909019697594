package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
)

// cost is what scheduling needs of an instruction, in picoseconds: integers keep schedules identical on every host.
type cost struct {
	busy    int64 // until the engine may issue its next instruction
	latency int64 // until the result is visible
	dma     *dmaCost
}

// dmaCost is the part of a transfer's cost that the DMA engines bear.
type dmaCost struct {
	start  int64 // from the trigger until the first byte may move
	shares [16]int64
	most   int64
}

func ps(ns float64) int64 { return int64(ns*1000 + 0.5) }

// costOf returns the cost of an instruction on its engine.
func (u *unit) costOf(in *bir.Instr) cost {
	if !isDMA(in) {
		c := in.Cost(u.spec)
		return cost{busy: ps(c.II), latency: ps(c.Latency)}
	}
	t := &u.spec.Timing
	trig, first := t.TTrigStatic, t.DMAStartStatic
	switch in.Attrs.(*bir.DMAAttrs).DGE {
	case bir.DGESWDGE:
		trig, first = t.DGESwBase, t.DMAStartSw
	case bir.DGEHWDGE:
		trig, first = t.TTrigHw, t.DMAStartHw
	}
	d := &dmaCost{start: ps(first)}
	var shares [16]float64
	for _, shape := range u.dmaShapes(in) {
		for e, ns := range u.spec.DMAShares(shape) {
			shares[e] += ns
		}
	}
	for e, ns := range shares {
		d.shares[e] = ps(ns)
		d.most = max(d.most, d.shares[e])
	}
	return cost{busy: ps(trig), latency: d.start + d.most + ps(t.DMADone), dma: d}
}

// dmaShapes describes the descriptors a transfer will have; one with a run-time address is described as a whole.
func (u *unit) dmaShapes(in *bir.Instr) []machine.DMAShape {
	src, dst := in.Ins[0].AP, in.Outs[0].AP
	if src.Reg != nil || dst.Reg != nil {
		return []machine.DMAShape{in.DMAShape()}
	}
	descs, err := u.descriptors(in, neff.DescCopy)
	if err != nil {
		return []machine.DMAShape{in.DMAShape()}
	}
	combine := in.DMAShape().Accumulate
	out := make([]machine.DMAShape, len(descs))
	for i := range descs {
		out[i] = machine.DMAShape{Src: shapeSide(&descs[i].From[0], src), Dst: shapeSide(&descs[i].To, dst), Accumulate: combine}
	}
	return out
}

// shapeSide measures one side of a descriptor as the machine model counts it: contiguous runs, and partitions on chip.
func shapeSide(s *neff.Side, p *bir.AccessPattern) machine.DMASide {
	m := machine.DMASide{OnChip: p.Loc.Type != bir.DRAM, RunBytes: s.Sizes[0], Runs: 1}
	for i := 1; i < len(s.Sizes); i++ {
		m.Runs *= s.Sizes[i]
		if m.OnChip && s.Steps[i]%isa.SBUFPartitionStep == 0 {
			m.Partitions = int(s.Sizes[i])
		}
	}
	if m.OnChip {
		m.FirstPartition = int(s.Off / isa.SBUFPartitionStep)
	}
	return m
}
