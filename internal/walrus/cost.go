package walrus

import "github.com/alcadev/alca/internal/bir"

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
	for e, ns := range u.spec.DMAShares(in.DMAShape()) {
		d.shares[e] = ps(ns)
		d.most = max(d.most, d.shares[e])
	}
	return cost{busy: ps(trig), latency: d.start + d.most + ps(t.DMADone), dma: d}
}
