package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
)

// varTable gives every location its NEFF variable: inputs and outputs in signature order, constants, one scratch area
// for internal DRAM, the on-chip memory.
type varTable struct {
	sub     *neff.Subgraph
	id      map[*bir.MemLoc]int
	scratch int
	chip    int
}

// variables builds the table at first use.
func (u *unit) variables() *varTable {
	if u.vars != nil {
		return u.vars
	}
	t := &varTable{sub: neff.NewSubgraph(), id: map[*bir.MemLoc]int{}}
	u.vars = t
	add := func(l *bir.MemLoc, kind neff.VarKind) {
		v := t.sub.AddVar(neff.Var{Name: ioName(l.Set), Kind: kind, Size: l.Bytes(), DType: l.Set.DType, Shape: l.Set.Shape})
		t.id[l] = v.ID
		if kind == neff.VarFile && l.Set.Init != nil {
			v.Data = l.Set.Init.Data
		}
	}
	each := func(want func(bir.TensorKind) bool, kind neff.VarKind) {
		for _, s := range u.fn.Sets {
			for _, l := range s.Locs {
				if l.Type == bir.DRAM && want(s.Kind) {
					add(l, kind)
				}
			}
		}
	}
	each(func(k bir.TensorKind) bool { return k <= bir.ExternalInputState }, neff.VarInput)
	each(isOutput, neff.VarOutput)
	each(func(k bir.TensorKind) bool { return k == bir.Const }, neff.VarFile)
	var size int64
	for _, s := range u.fn.Sets {
		for _, l := range s.Locs {
			if l.Type == bir.DRAM && internalDRAM(l) && l.Allocated {
				size = max(size, l.Addr+l.Bytes())
			}
		}
	}
	if size > 0 {
		t.scratch = t.sub.AddVar(neff.Var{Name: "scratch", Kind: neff.VarTmp, Size: size, Align: 64}).ID
	}
	t.chip = t.sub.AddVar(neff.Var{Name: "sb", Kind: neff.VarStateBuffer, Size: int64(u.spec.SBUF.Partitions) * isa.SBUFPartitionStep}).ID
	return t
}

func ioName(s *bir.MemLocSet) string {
	if s.IOName != "" {
		return s.IOName
	}
	return s.Name
}

// varOf returns the variable of a DRAM location and the byte offset of the location in it.
func (u *unit) varOf(l *bir.MemLoc) (id int, off int64) {
	t := u.variables()
	l = rootLoc(l)
	if internalDRAM(l) {
		return t.scratch, l.Addr
	}
	return t.id[l], 0
}

// packageNEFF assembles the file.
func packageNEFF(u *unit) error {
	t := u.variables()
	f := &neff.File{Name: "file.neff", Gen: u.spec.Gen, LNC: 1, Subgraphs: []*neff.Subgraph{t.sub}, Debug: &neff.Debug{}}
	f.Features = u.features()
	for _, s := range u.fn.Sets {
		if len(s.Locs) == 0 || s.Locs[0].Type != bir.DRAM {
			continue
		}
		io := neff.IO{Name: ioName(s), DType: s.DType, Shape: s.Shape}
		switch {
		case s.Kind <= bir.ExternalInputState:
			f.Inputs = append(f.Inputs, io)
		case isOutput(s.Kind):
			if a := s.Locs[0].Alias; a != nil {
				io.Alias = ioName(a.Set)
			}
			f.Outputs = append(f.Outputs, io)
		}
	}
	for _, q := range u.mod.Queues {
		t.sub.Queues = append(t.sub.Queues, &neff.Queue{Name: q.Name, Type: neffQueueType(q.Type), NumQueues: q.Rings, Owner: q.Engine, Semaphores: q.Sems})
	}
	for _, x := range u.xfers {
		e := t.sub.Engine(x.in.Engine)
		from, to := t.chip, t.chip
		if x.src.Type == bir.DRAM {
			from, _ = u.varOf(x.src)
		}
		if x.dst.Type == bir.DRAM {
			to, _ = u.varOf(x.dst)
		}
		for i := range x.descs {
			d := neff.DMA{ID: x.id, Queue: x.queue.Name, Event: -1, Semaphore: -1, SectionStart: i == 0, Desc: x.descs[i]}
			d.Desc.From[0].Var, d.Desc.To.Var = from, to
			if i == len(x.descs)-1 {
				d.Semaphore = x.sem
			}
			e.DMA = append(e.DMA, d)
		}
	}
	for _, i := range u.actSets {
		e := t.sub.Engine(machine.ACT)
		e.ActSets = append(e.ActSets, bir.ActSets[i].Name)
	}
	if err := u.encodeStreams(f, t); err != nil {
		return err
	}
	u.out = f
	return nil
}

// features returns the incompatible features the program uses (neff.md 1.4).
func (u *unit) features() neff.Feature {
	var ft neff.Feature
	if u.spec.Gen > machine.Gen2 {
		ft |= neff.FeatDVEPerf
	}
	if u.spec.Gen > machine.Gen3 {
		ft |= neff.FeatLevel40
	}
	for _, b := range u.blocks {
		for _, in := range b.instrs {
			a, ok := in.Attrs.(*bir.DMAAttrs)
			if !ok || !isDMA(in) {
				continue
			}
			ft |= neff.FeatDGE
			if a.DGE == bir.DGEHWDGE {
				ft |= neff.FeatHardwareDGE
			}
			if in.Op == bir.IndirectLoad || in.Op == bir.IndirectSave {
				ft |= neff.FeatVectorDGE
			}
			if in.Ins[0].AP.DType != in.Outs[0].AP.DType {
				ft |= neff.FeatDGECast
			}
		}
	}
	for _, s := range u.fn.Sets {
		for _, l := range s.Locs {
			if l.Type == bir.DRAM && l.Bytes() > 4<<30 {
				ft |= neff.FeatLargeTensor
			}
		}
	}
	return ft
}

func neffQueueType(q bir.QueueType) neff.QueueType {
	switch q {
	case bir.QueueInput:
		return neff.QueueIn
	case bir.QueueOutput:
		return neff.QueueOut
	case bir.QueueEmbeddingUpdate:
		return neff.QueueEmbeddingUpdate
	case bir.QueueDynamic:
		return neff.QueueDynamic
	}
	return neff.QueueData
}

// encodeStreams turns the assembled instructions into bundles and records where each came from.
func (u *unit) encodeStreams(f *neff.File, t *varTable) error {
	type source struct {
		op, name string
		loc      diag.Loc
	}
	sources := map[source]int32{}
	instrs := map[*bir.Instr]int32{}
	for _, e := range neff.EngineOrder {
		st := &u.code.streams[engineIndex(e)]
		eng := t.sub.Engine(e)
		eng.Code = make([]isa.Bundle, len(st.insts))
		pcs := make([]int32, len(st.insts))
		for k := range st.insts {
			b, err := isa.Encode(&st.insts[k], e, u.spec.Gen)
			if err != nil {
				if st.from[k] != nil {
					return located(err, st.from[k])
				}
				return err
			}
			eng.Code[k] = b
			pcs[k] = -1
			in := st.from[k]
			if in == nil {
				continue
			}
			n, ok := instrs[in]
			if !ok {
				n = int32(len(f.Debug.Instrs))
				instrs[in] = n
				d := neff.InstrDebug{Name: in.NameOf(), Opcode: in.Op.String(), Source: -1}
				if in.Debug != nil {
					key := source{in.Debug.Op, in.Debug.Name, in.Debug.Loc}
					s, ok := sources[key]
					if !ok {
						s = int32(len(f.Debug.Sources))
						sources[key] = s
						f.Debug.Sources = append(f.Debug.Sources, neff.Source{Op: key.op, Name: key.name, Loc: key.loc})
					}
					d.Source = s
				}
				f.Debug.Instrs = append(f.Debug.Instrs, d)
			}
			pcs[k] = n
		}
		f.Debug.PCs = append(f.Debug.PCs, pcs)
	}
	return nil
}
