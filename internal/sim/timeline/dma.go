package timeline

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim/exec"
)

// dmaState is the shared DMA hardware of a core: its engines serve their shares in order of arrival.
type dmaState struct {
	free []Ps // per DMA engine
	dge  []Ps // per descriptor-generation unit
}

func (d *dmaState) init(spec *machine.Spec) {
	d.free = make([]Ps, spec.DMAEngines)
	d.dge = make([]Ps, max(1, spec.DGEUnits))
}

// transfer is a set of descriptors in flight.
type transfer struct {
	owner *engine
	xfers []exec.Xfer
	sems  []SemAdd
	src   Source
	pc    int
	end   Ps
	count bool // it counts towards its engine's Drain
}

// start schedules a transfer whose first byte moves at time first.
func (r *runner) start(e *engine, xs []exec.Xfer, sems []SemAdd, src Source, pc int, first Ps) error {
	t := &transfer{owner: e, xfers: xs, sems: sems, src: src, pc: pc, count: true}
	e.dmaOut++
	r.post(&event{at: first, kind: evDMARead, dma: t})
	return nil
}

// dmaRead is the moment the data starts to move: the transfer's shares queue on the DMA engines.
func (r *runner) dmaRead(t *transfer) error {
	spec := r.p.Spec
	end := r.now
	for i := range t.xfers {
		x := &t.xfers[i]
		shares := spec.DMAShares(shape(x))
		for k, ns := range shares {
			if ns == 0 {
				continue
			}
			b := max(r.now, r.dma.free[k])
			f := b + FromNs(ns)
			r.dma.free[k] = f
			r.res.DMABusy += f - b
			end = max(end, f)
			if r.opt.Trace {
				r.res.Slices = append(r.res.Slices, Slice{Track: dmaTrack(k), Name: dmaName(t), Start: b, End: f, PC: t.pc, Bytes: x.Src.Bytes(), By: t.owner.id.String(), Src: t.src})
			}
		}
		n := x.Src.Bytes()
		r.res.DMABytes += n
		if x.Src.Space == exec.DRAM {
			r.res.HBMRead += n
		}
		if x.Dst.Space == exec.DRAM {
			r.res.HBMWrite += x.Dst.Bytes()
		}
	}
	t.end = end + FromNs(spec.Timing.DMADone)
	if r.opt.Races {
		f := &flight{who: "DMA triggered by " + t.owner.id.String(), eng: machine.DMA, src: t.src, until: t.end}
		for i := range t.xfers {
			f.reads = append(f.reads, t.xfers[i].Src.Region())
			f.writes = append(f.writes, t.xfers[i].Dst.Region())
		}
		if err := r.launch(f); err != nil {
			return err
		}
	}
	for i := range t.xfers {
		if err := r.st.Transfer(&t.xfers[i]); err != nil {
			return r.dmaFault(t, err)
		}
	}
	r.post(&event{at: t.end, kind: evDMADone, dma: t})
	return nil
}

func dmaTrack(k int) string {
	return "DMA " + string([]byte{'0' + byte(k/10), '0' + byte(k%10)})
}

func dmaName(t *transfer) string {
	if t.src.Op != "" {
		return t.src.Op
	}
	return "transfer"
}

func (r *runner) dmaFault(t *transfer, err error) error {
	d, ok := err.(*diag.Diagnostic)
	if !ok {
		return err
	}
	if !d.Loc.Known() {
		d.Loc = t.src.Loc
	}
	return d.WithNote(t.src.Loc, "transfer triggered by %s instruction %d", t.owner.id, t.pc)
}

// dmaDone makes the transfer's completion visible.
func (r *runner) dmaDone(t *transfer) error {
	t.owner.dmaOut--
	t.owner.done = max(t.owner.done, r.now)
	r.res.End = max(r.res.End, r.now)
	if t.owner.blocked {
		t.owner.blocked = false
		r.try(t.owner, r.now)
	}
	for _, s := range t.sems {
		if err := r.apply(Update{Op: Add, ID: s.ID, Value: s.Value}, true); err != nil {
			return err
		}
	}
	return nil
}

// trigger starts the descriptors of a block.
func (r *runner) trigger(e *engine, en *Entry, start Ps) error {
	q := r.p.Queues[en.Ctl.Queue]
	if q == nil {
		return diag.Errorf(CodeQueue, diag.Loc{}, "trigger of unknown queue %q", en.Ctl.Queue)
	}
	b := q.Blocks[en.Ctl.Block]
	if b == nil {
		return diag.Errorf(CodeQueue, diag.Loc{}, "queue %q has no block %d", en.Ctl.Queue, en.Ctl.Block)
	}
	src := b.Src
	if src.Op == "" {
		src = en.Src
	}
	return r.start(e, b.Xfers, b.Sems, src, en.PC, start+FromNs(r.p.Spec.Timing.DMAStartStatic))
}

// direct starts a transfer whose addresses may come from registers. Software descriptor generation occupies
// GpSimd, hardware generation one of the units. It returns how long the sequencer is busy.
func (r *runner) direct(e *engine, en *Entry, start Ps) (Ps, error) {
	x := *en.Ctl.Xfer
	t := &r.p.Spec.Timing
	var err error
	if x.Xfer.Src.Off, err = r.dynamic(e, x.Xfer.Src.Off, x.SrcReg, x.SrcLo, x.SrcHi); err != nil {
		return 0, err
	}
	if x.Xfer.Dst.Off, err = r.dynamic(e, x.Xfer.Dst.Off, x.DstReg, x.DstLo, x.DstHi); err != nil {
		return 0, err
	}
	xs := []exec.Xfer{x.Xfer}
	if x.Index != nil {
		if xs, err = r.indirect(&x); err != nil {
			return 0, err
		}
	}
	var sems []SemAdd
	if x.Sem != nil {
		sems = []SemAdd{*x.Sem}
	}
	first, occupy := start, Ps(0)
	if e.id == machine.Pool {
		occupy = FromNs(t.DGESwBase + t.DGESwPerDesc*float64(r.p.Spec.Descriptors(shape(&x.Xfer))))
		first += FromNs(t.DMAStartSw)
	} else {
		unit := 0
		for k := range r.dma.dge {
			if r.dma.dge[k] < r.dma.dge[unit] {
				unit = k
			}
		}
		b := max(start, r.dma.dge[unit])
		r.dma.dge[unit] = b + FromNs(t.DGEHwOccupancy)
		occupy = FromNs(t.TTrigHw)
		first = b + FromNs(t.DMAStartHw)
	}
	return occupy, r.start(e, xs, sems, en.Src, en.PC, first)
}

// dynamic adds a register to an offset and checks the run-time bound.
func (r *runner) dynamic(e *engine, off int64, reg int, lo, hi int64) (int64, error) {
	if reg < 0 {
		return off, nil
	}
	off += e.regs[reg&63]
	if hi > lo && (off < lo || off >= hi) {
		return 0, diag.Errorf(CodeDMABounds, diag.Loc{}, "run-time DMA address %d is outside %d..%d", off, lo, hi)
	}
	return off, nil
}

// indirect expands a gather or scatter into one transfer per index: on the indirect side the outer element i is
// at base + index[i]*step.
func (r *runner) indirect(x *DirectXfer) ([]exec.Xfer, error) {
	idx, err := r.st.Indices(x.Index)
	if err != nil {
		return nil, err
	}
	ind, other := &x.Xfer.Src, &x.Xfer.Dst
	lo, hi := x.SrcLo, x.SrcHi
	if x.Scatter {
		ind, other, lo, hi = other, ind, x.DstLo, x.DstHi
	}
	if len(ind.Dims) == 0 || len(other.Dims) == 0 || ind.Dims[0].Count != len(idx) || other.Dims[0].Count != len(idx) {
		return nil, diag.Errorf(CodeDMABounds, diag.Loc{}, "indirect DMA: %d indices do not match the transfer's outer dimension", len(idx))
	}
	var out []exec.Xfer
	for i, v := range idx {
		y := x.Xfer
		a, b := &y.Src, &y.Dst
		if x.Scatter {
			a, b = b, a
		}
		a.Off = ind.Off + v*ind.Dims[0].Step
		a.Dims = ind.Dims[1:]
		b.Off = other.Off + int64(i)*other.Dims[0].Step
		b.Dims = other.Dims[1:]
		if hi > lo && (a.Off < lo || a.Off+a.Bytes() > hi) {
			if x.SkipOOB {
				continue
			}
			return nil, diag.Errorf(CodeDMABounds, diag.Loc{}, "indirect DMA: index %d addresses byte %d, outside %d..%d", v, a.Off, lo, hi)
		}
		out = append(out, y)
	}
	return out, nil
}

// shape describes a transfer to the cost model.
func shape(x *exec.Xfer) machine.DMAShape {
	return machine.DMAShape{Src: side(&x.Src), Dst: side(&x.Dst), Accumulate: x.Op != exec.XferCopy}
}

// side measures one side: contiguous run length, number of runs, and the partitions it spans on chip.
func side(f *exec.Flat) machine.DMASide {
	s := machine.DMASide{OnChip: f.Space != exec.DRAM, RunBytes: int64(f.DT.Size()), Runs: 1}
	run := true
	for i := len(f.Dims) - 1; i >= 0; i-- {
		d := f.Dims[i]
		if d.Count == 1 {
			continue
		}
		if run && d.Step == s.RunBytes {
			s.RunBytes *= int64(d.Count)
			continue
		}
		run = false
		s.Runs *= int64(d.Count)
		if s.OnChip && d.Step%exec.PartStride == 0 && d.Step != 0 {
			s.Partitions = d.Count
		}
	}
	if s.OnChip {
		s.FirstPartition = int(f.Off / exec.PartStride)
	}
	return s
}
