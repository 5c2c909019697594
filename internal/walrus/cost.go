package walrus

import "github.com/alcadev/alca/internal/bir"

// cost is what scheduling needs of an instruction, in picoseconds: integers keep schedules identical on every host.
type cost struct {
	busy    int64 // until the engine may issue its next instruction
	latency int64 // until the result is visible
	dma     int64 // DMA: time the rings are occupied
}

func ps(ns float64) int64 { return int64(ns*1000 + 0.5) }

// costOf returns the cost of an instruction on its engine.
func (u *unit) costOf(in *bir.Instr) cost {
	c := in.Cost(u.spec)
	if !isDMA(in) {
		return cost{busy: ps(c.II), latency: ps(c.Latency)}
	}
	t := &u.spec.Timing
	trig := t.TTrigStatic
	switch in.Attrs.(*bir.DMAAttrs).DGE {
	case bir.DGESWDGE:
		trig = t.DGESwBase
	case bir.DGEHWDGE:
		trig = t.TTrigHw
	}
	// Our descriptors are dealt out to all rings, whatever partitions they cover.
	shape := in.DMAShape()
	n := float64(u.spec.Descriptors(shape))
	busy := n / float64(u.spec.DMAEngines) * (max(float64(shape.Bytes())/n, t.DescMin)/t.BwDMA + t.DescOvh)
	return cost{busy: ps(trig), latency: ps(c.Latency - c.II + busy), dma: ps(busy)}
}
