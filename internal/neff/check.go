package neff

import (
	"encoding/binary"
	"sort"
	"unicode/utf8"

	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

// The limits of neff.md 4.1, 5 and 11.
const (
	maxDims        = 4
	maxSources     = 16
	maxRings       = 16
	maxTotalRings  = 11 * 16
	maxSemaphore   = 255
	sbufWindow     = isa.PSUMBase // the on-chip window that descriptors reach; PSUM lies beyond
	largeTensorMin = 1 << 32
)

// Check reports the first structural fault of a container: what would make a loader read or write the wrong place.
// Write refuses a File that fails and Read returns none.
func Check(f *File) error {
	if machine.ByGen(f.Gen) == nil {
		return errf(CodeTarget, "generation %d is not a target", f.Gen)
	}
	if f.LNC != 1 && f.LNC != 2 {
		return errf(CodeLNC, "lnc: logical core of %d physical cores", f.LNC)
	}
	if len(f.Subgraphs) != f.LNC {
		return errf(CodeLNC, "lnc: %d subgraphs for a logical core of %d", len(f.Subgraphs), f.LNC)
	}
	for _, s := range f.Subgraphs {
		if err := s.check(); err != nil {
			return err
		}
	}
	return checkIO(f)
}

func checkIO(f *File) error {
	vars := f.Subgraphs[0]
	seen := map[string]bool{}
	sizes := map[string]int64{}
	table := func(list []IO, kind VarKind) error {
		for i := range list {
			io := &list[i]
			if io.Name == "" || seen[io.Name] {
				return errf(CodeIO, "%s %d: name %q is empty or used twice", kind, i, io.Name)
			}
			seen[io.Name] = true
			n, ok := io.Size()
			if !ok {
				return errf(CodeIO, "%s %q: shape %v of %s has no size", kind, io.Name, io.Shape, io.DType)
			}
			sizes[io.Name] = n
			v := vars.VarNamed(io.Name)
			if v == nil {
				return errf(CodeIO, "%s %q has no variable", kind, io.Name)
			}
			if v.Kind != kind || v.Size != n {
				return errf(CodeIO, "%s %q: its variable is %s of %d bytes, want %d", kind, io.Name, v.Kind, v.Size, n)
			}
		}
		return nil
	}
	if err := table(f.Inputs, VarInput); err != nil {
		return err
	}
	if err := table(f.Outputs, VarOutput); err != nil {
		return err
	}
	aliased := map[string]bool{}
	for i := range f.Outputs {
		o := &f.Outputs[i]
		if o.Alias == "" {
			continue
		}
		in := f.input(o.Alias)
		switch {
		case in == nil:
			return errf(CodeIO, "output %q aliases unknown input %q", o.Name, o.Alias)
		case aliased[o.Alias]:
			return errf(CodeIO, "1 input aliasing to multiple outputs is not supported: %q", o.Alias)
		case in.DType != o.DType || sizes[o.Name] != sizes[o.Alias]:
			return errf(CodeIO, "output %q and its alias %q differ in type or size", o.Name, o.Alias)
		}
		aliased[o.Alias] = true
	}
	for _, s := range f.Subgraphs {
		for _, v := range s.Vars {
			if v.Kind == VarInput && f.input(v.Name) == nil || v.Kind == VarOutput && f.output(v.Name) == nil {
				return errf(CodeIO, "%s variable %q is not in the tensor map", v.Kind, v.Name)
			}
		}
	}
	return nil
}

func (f *File) input(name string) *IO {
	for i := range f.Inputs {
		if f.Inputs[i].Name == name {
			return &f.Inputs[i]
		}
	}
	return nil
}

func (f *File) output(name string) *IO {
	for i := range f.Outputs {
		if f.Outputs[i].Name == name {
			return &f.Outputs[i]
		}
	}
	return nil
}

// Size returns the bytes of the tensor; false when the shape is impossible.
func (io *IO) Size() (int64, bool) {
	n := int64(io.DType.Size())
	if n == 0 {
		return 0, false
	}
	return mulAll(n, io.Shape)
}

// mulAll multiplies n by non-negative factors; false on a negative factor or overflow.
func mulAll(n int64, factors []int64) (int64, bool) {
	for _, d := range factors {
		if d < 0 || d > 0 && n > (1<<62)/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

func (s *Subgraph) check() error {
	last := 0
	names := make(map[string]bool, len(s.Vars))
	byID := make(map[int]*Var, len(s.Vars))
	for _, v := range s.Vars {
		switch {
		case v.ID < 1 || v.ID > 0xFFFFFF || v.ID <= last:
			return errf(CodeVar, "variable %q: id %d must be in 1..16777215 and above that of its predecessor", v.Name, v.ID)
		case v.Name == "" || !utf8.ValidString(v.Name) || names[v.Name]:
			return errf(CodeVar, "variable %d: name %q is empty, not UTF-8 or used twice", v.ID, v.Name)
		case v.Size < 0 || v.Align < 0 || v.Align&(v.Align-1) != 0:
			return errf(CodeVar, "variable %q: size %d, alignment %d", v.Name, v.Size, v.Align)
		case v.Kind > VarDGETable:
			return errf(CodeVar, "variable %q: unknown kind %d", v.Name, v.Kind)
		case v.Kind == VarFile && int64(len(v.Data)) != v.Size:
			return errf(CodeVar, "variable %q has %d bytes, its file %d", v.Name, v.Size, len(v.Data))
		case v.Kind != VarFile && v.Data != nil:
			return errf(CodeVar, "variable %q: only constants have contents", v.Name)
		case v.Kind == VarVirtual && v.Offset < 0:
			return errf(CodeVar, "variable %q: offset %d", v.Name, v.Offset)
		}
		last = v.ID
		names[v.Name], byID[v.ID] = true, v
	}
	for _, v := range s.Vars {
		if v.Kind == VarPointer && byID[v.Ref] == nil {
			return errf(CodeVar, "variable %q refers to unknown variable %d", v.Name, v.Ref)
		}
		for _, id := range v.List {
			if byID[id] == nil {
				return errf(CodeVar, "table %q holds unknown variable %d", v.Name, id)
			}
		}
	}
	queues := make(map[string]*Queue, len(s.Queues))
	rings := 0
	for _, q := range s.Queues {
		if q.Name == "" || len(q.Name) > 31 || queues[q.Name] != nil {
			return errf(CodeQueue, "queue name %q is empty, longer than 31 bytes or used twice", q.Name)
		}
		if q.NumQueues < 1 || q.NumQueues > maxRings || q.Type > QueueDynamic {
			return errf(CodeQueue, "queue %q: type %s with %d rings, must be 1..16", q.Name, q.Type, q.NumQueues)
		}
		for _, id := range q.Semaphores {
			if id < 0 || id > maxSemaphore {
				return errf(CodeQueue, "queue %q: semaphore %d", q.Name, id)
			}
		}
		if q.Pinned && len(q.Semaphores) > 0 {
			return errf(CodeQueue, "Pinned weights queue should have no semaphore id: %q", q.Name)
		}
		queues[q.Name] = q
		rings += q.NumQueues
	}
	if rings > maxTotalRings {
		return errf(CodeQueue, "one NEFF can only use up to 11x16 number of DMA queues, this one has %d", rings)
	}
	if len(s.Engines) != len(EngineOrder) {
		return errf(CodeMember, "subgraph has %d engines, want %d", len(s.Engines), len(EngineOrder))
	}
	for i, e := range s.Engines {
		if e.Engine != EngineOrder[i] {
			return errf(CodeMember, "engine %s is out of order", e.Engine)
		}
		if err := s.checkEngine(e, queues, byID); err != nil {
			return err
		}
	}
	return nil
}

func (s *Subgraph) checkEngine(e *Engine, queues map[string]*Queue, vars map[int]*Var) error {
	stem := engineRows[0].stem
	for _, r := range engineRows {
		if r.engine == e.Engine {
			stem = r.stem
		}
	}
	ids := make(map[int]string)
	for i := range e.DMA {
		d := &e.DMA[i]
		q := queues[d.Queue]
		if q == nil {
			return errf(CodeQueue, "%s.json[%d]: unknown queue %q", stem, i, d.Queue)
		}
		if d.ID < 0 || int64(d.ID) > 0xFFFFFFFF || d.Semaphore < -1 || d.Semaphore > maxSemaphore || d.Event < -1 || d.Event > maxSemaphore {
			return errf(CodeDesc, "%s.json[%d]: id %d, semaphore %d, event %d", stem, i, d.ID, d.Semaphore, d.Event)
		}
		if was, ok := ids[d.ID]; ok && was != d.Queue {
			return errf(CodeDesc, "%s.json[%d]: block %d is on queues %q and %q", stem, i, d.ID, was, d.Queue)
		}
		ids[d.ID] = d.Queue
		if err := d.Desc.check(vars); err != nil {
			return errf(CodeDesc, "%s.json[%d]: %w", stem, i, err)
		}
	}
	triggered := make(map[int]bool)
	for pc := range e.Code {
		b := &e.Code[pc]
		if isa.Opcode(b[0]) != isa.OpPseudoDMATrigger {
			continue
		}
		id := int(binary.LittleEndian.Uint32(b[0x30:]))
		queue := cString(b[0x0C:0x2C])
		was, ok := ids[id]
		if !ok {
			return errf(CodeTrigger, "%s.bin bundle %d: trigger %d without descriptors", stem, pc, id)
		}
		if was != queue {
			return errf(CodeTrigger, "%s.bin bundle %d: trigger %d names queue %q, its descriptors %q", stem, pc, id, queue, was)
		}
		triggered[id] = true
	}
	if len(triggered) != len(ids) {
		var idle []int
		for id := range ids {
			if !triggered[id] {
				idle = append(idle, id)
			}
		}
		sort.Ints(idle)
		return errf(CodeTrigger, "%s.json: block %d has no trigger", stem, idle[0])
	}
	return nil
}

func (d *Desc) check(vars map[int]*Var) error {
	if d.Op > DescTranspose {
		return errf(CodeDesc, "unknown operation %d", d.Op)
	}
	if len(d.From) < 1 || len(d.From) > maxSources {
		return errf(CodeDesc, "%d sources, must be 1..16", len(d.From))
	}
	if len(d.From) > 1 && (d.Op == DescCopy || d.Op == DescCast || d.Op == DescTranspose) {
		return errf(CodeDesc, "%s takes one source, not %d", d.Op, len(d.From))
	}
	if err := d.To.check("to", vars); err != nil {
		return err
	}
	to := d.To.Elements()
	for i := range d.From {
		s := &d.From[i]
		if err := s.check("from", vars); err != nil {
			return err
		}
		if s.Elements() != to {
			return errf(CodeDesc, "descriptor size mismatch: %d elements of %s to %d elements of %s", s.Elements(), dtypeName(s.ElemType()), to, dtypeName(d.To.ElemType()))
		}
		if d.Op == DescCopy && s.Bytes() != d.To.Bytes() {
			return errf(CodeDesc, "descriptor size mismatch: copy of %d bytes to %d", s.Bytes(), d.To.Bytes())
		}
	}
	return nil
}

func (s *Side) check(end string, vars map[int]*Var) error {
	v := vars[s.Var]
	if v == nil {
		return errf(CodeDesc, "%s: unknown variable %d", end, s.Var)
	}
	if len(s.Sizes) < 1 || len(s.Sizes) > maxDims || len(s.Steps) != len(s.Sizes) {
		return errf(CodeDesc, "%s: %d sizes and %d steps, must be equal and in 1..4", end, len(s.Sizes), len(s.Steps))
	}
	if _, ok := mulAll(1, s.Sizes); !ok || s.Bytes() == 0 {
		return errf(CodeDesc, "%s: sizes %v", end, s.Sizes)
	}
	size := int64(s.ElemType().Size())
	if size == 0 || s.Bytes()%size != 0 || s.Off < 0 || s.Off > 1<<56 {
		return errf(CodeDesc, "%s: %d bytes at %d are no whole elements of %s", end, s.Bytes(), s.Off, dtypeName(s.ElemType()))
	}
	for i, st := range s.Steps {
		if st < -1<<40 || st > 1<<40 || s.Sizes[i] > 1<<40 {
			return errf(CodeDesc, "%s: step %d or size %d is out of range", end, st, s.Sizes[i])
		}
	}
	lo, hi := s.Reach()
	limit := v.Size
	if v.Kind.OnChip() {
		limit = min(limit, sbufWindow)
	}
	if lo < 0 || hi > limit {
		return errf(CodeDesc, "descriptor outside variable %q: bytes %d..%d of %d", v.Name, lo, hi-1, limit)
	}
	return nil
}
