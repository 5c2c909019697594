package timeline

import (
	"container/heap"
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim/exec"
)

// Ps is a time in picoseconds since the program started: integers keep the order of events exact.
type Ps int64

// FromNs converts nanoseconds.
func FromNs(ns float64) Ps { return Ps(ns*1000 + 0.5) }

// Ns converts to nanoseconds.
func (t Ps) Ns() float64 { return float64(t) / 1000 }

// Options bound and observe a run.
type Options struct {
	MaxEntries int64 // instructions issued, 0 for the default
	Trace      bool  // record slices
	Races      bool  // report conflicting accesses in flight
}

// defaultMaxEntries stops a program that loops for ever.
const defaultMaxEntries = 200_000_000

// Result is what a run measured.
type Result struct {
	End      Ps
	Issued   int64
	Busy     [machine.NumEngines]Ps // initiation intervals of what each engine ran
	DMABusy  Ps                     // summed over the DMA engines
	DMABytes int64
	HBMRead  int64
	HBMWrite int64
	FLOPs    float64
	Slices   []Slice
}

// Slice is one bar of the trace.
type Slice struct {
	Track      string
	Name       string
	Start, End Ps
	PC         int
	Op         string // of an instruction
	Bytes      int64  // of a transfer, over all the DMA engines that share it
	By         string // the engine that triggered a transfer
	Src        Source
}

type eventKind uint8

const (
	evUpdate eventKind = iota // apply semaphore updates
	evDMARead
	evDMADone
	evRetire // an in-flight instruction is done
	evTry    // an engine may issue
)

type event struct {
	at   Ps
	kind eventKind
	seq  int64
	eng  machine.Engine
	upd  Update
	dma  *transfer
	fl   *flight
}

type eventHeap []*event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	// At one instant completions take effect before anything new issues.
	if (h[i].kind == evTry) != (h[j].kind == evTry) {
		return h[j].kind == evTry
	}
	return h[i].seq < h[j].seq
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(*event)) }
func (h *eventHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

// engine is the state of one sequencer and its data path.
type engine struct {
	id      machine.Engine
	stream  []Entry
	pc      int
	free    Ps // issue slot
	done    Ps // completion of everything issued
	lsFree  Ps // PE: weight loads
	mmFree  Ps // PE: multiplies
	lsDone  Ps // PE: when the loaded tile is ready
	mmStart Ps // PE: start of the last multiply
	blocked bool
	halted  bool
	arrived bool // barrier update of the current entry already fired
	regs    [64]int64
	dmaOut  int // transfers it triggered that are in flight
	tryAt   Ps
	trying  bool
	issued  int64
}

type semaphore struct {
	value int32
	// When the value last changed and whether a DMA did it: a DMA's completion latency already covers the wait.
	history []semChange
}

type semChange struct {
	at    Ps
	value int32
	dma   bool
}

type runner struct {
	ctx     context.Context
	p       *Program
	st      *exec.State
	opt     Options
	eng     [machine.NumEngines]*engine
	order   []*engine
	sems    [256]semaphore
	events  [256]bool
	heap    eventHeap
	seq     int64
	now     Ps
	res     *Result
	dma     dmaState
	inAir   []*flight
	maxEnts int64
}

// Run executes the program on st and returns what it measured. An error is a diagnostic of the first faulting
// instruction.
func Run(ctx context.Context, p *Program, st *exec.State, opt Options) (*Result, error) {
	r := &runner{ctx: ctx, p: p, st: st, opt: opt, res: &Result{}, maxEnts: opt.MaxEntries}
	if r.maxEnts == 0 {
		r.maxEnts = defaultMaxEntries
	}
	r.dma.init(p.Spec)
	for i := range r.eng {
		if len(p.Streams[i]) == 0 {
			continue
		}
		e := &engine{id: machine.Engine(i), stream: p.Streams[i]}
		for k := range e.regs {
			e.regs[k] = -1 // what a register holds before it is written (semantics.md 10.3)
		}
		r.eng[i] = e
		r.order = append(r.order, e)
		r.try(e, 0)
	}
	for r.heap.Len() > 0 {
		ev := heap.Pop(&r.heap).(*event)
		r.now = ev.at
		if err := r.handle(ev); err != nil {
			return nil, err
		}
	}
	for _, e := range r.order {
		if !e.halted {
			return nil, r.deadlock()
		}
		r.res.End = max(r.res.End, e.done)
	}
	r.finish()
	return r.res, nil
}

func (r *runner) post(ev *event) {
	ev.seq = r.seq
	r.seq++
	heap.Push(&r.heap, ev)
}

// try asks an engine to look at its next entry at time t. One request is outstanding per engine.
func (r *runner) try(e *engine, t Ps) {
	if e.halted || e.trying && e.tryAt <= t {
		return
	}
	e.trying, e.tryAt = true, t
	r.post(&event{at: t, kind: evTry, eng: e.id})
}

func (r *runner) handle(ev *event) error {
	switch ev.kind {
	case evTry:
		e := r.eng[ev.eng]
		if !e.trying || e.tryAt != ev.at {
			return nil // superseded by an earlier request
		}
		e.trying = false
		return r.step(e)
	case evUpdate:
		return r.apply(ev.upd, ev.dma != nil)
	case evRetire:
		r.retire(ev.fl)
	case evDMARead:
		return r.dmaRead(ev.dma)
	case evDMADone:
		return r.dmaDone(ev.dma)
	}
	return nil
}

// apply changes a semaphore or event and wakes the engines that wait.
func (r *runner) apply(u Update, dma bool) error {
	switch u.Op {
	case SetEvent:
		if r.events[u.ID] {
			return diag.Errorf(CodeEvent, diag.Loc{}, "event %d is set while it is already set", u.ID)
		}
		r.events[u.ID] = true
	case ClearEvent:
		if !r.events[u.ID] {
			return diag.Errorf(CodeEvent, diag.Loc{}, "event %d is cleared while it is clear", u.ID)
		}
		r.events[u.ID] = false
	default:
		s := &r.sems[u.ID]
		if u.Op == Add {
			s.value += u.Value
		} else {
			s.value = u.Value
		}
		s.history = append(s.history, semChange{r.now, s.value, dma})
		if len(s.history) > 256 {
			s.history = append(s.history[:0], s.history[128:]...)
		}
	}
	for _, e := range r.order {
		if e.blocked {
			e.blocked = false
			r.try(e, r.now)
		}
	}
	return nil
}

// satisfied reports whether w holds now, and from when an engine may act on it.
func (r *runner) satisfied(e *engine, w Wait) (bool, Ps) {
	if w.Event {
		return r.events[w.ID], r.now
	}
	want := w.Value
	if w.Reg >= 0 {
		want = int32(e.regs[w.Reg])
	}
	s := &r.sems[w.ID]
	if w.Equal && s.value != want || !w.Equal && s.value < want {
		return false, 0
	}
	// The latest change that made it true counts.
	at, dma := Ps(0), true
	for i := len(s.history) - 1; i >= 0; i-- {
		h := s.history[i]
		if !w.Equal && h.value < want || w.Equal && h.value != want {
			break
		}
		at, dma = h.at, h.dma
	}
	if !dma {
		at += FromNs(r.p.Spec.Timing.TSem)
	}
	return true, at
}

// step issues the next entry of e if it can start now, else arranges to be called again.
func (r *runner) step(e *engine) error {
	if e.pc >= len(e.stream) {
		e.halted = true
		return nil
	}
	en := &e.stream[e.pc]
	start := max(r.now, e.free)
	if en.Kind == Barrier && !e.arrived && en.Update != nil {
		if start > r.now {
			r.try(e, start)
			return nil
		}
		e.arrived = true
		if err := r.apply(*en.Update, false); err != nil {
			return err
		}
	}
	for _, w := range en.Waits {
		ok, at := r.satisfied(e, w)
		if !ok {
			e.blocked = true
			return nil
		}
		start = max(start, at)
	}
	switch en.Kind {
	case LoadWeights:
		start = max(start, e.lsFree, e.mmStart)
	case Multiply:
		start = max(start, e.mmFree, e.lsDone)
	case Drain:
		if e.dmaOut > 0 {
			e.blocked = true
			return nil
		}
		start = max(start, e.done)
	}
	if start > r.now {
		r.try(e, start)
		return nil
	}
	r.res.Issued++
	e.issued++
	if r.res.Issued > r.maxEnts {
		return r.fault(e, en, diag.Errorf(CodeBudget, diag.Loc{}, "more than %d instructions issued", r.maxEnts))
	}
	if r.res.Issued%4096 == 0 && r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	for _, w := range en.Waits {
		if w.Event {
			r.events[w.ID] = false
		}
	}
	e.arrived = false
	if err := r.issue(e, en, start); err != nil {
		return r.fault(e, en, err)
	}
	if !e.halted {
		r.try(e, max(e.free, r.now))
	}
	return nil
}

// issue starts an entry at time start == now.
func (r *runner) issue(e *engine, en *Entry, start Ps) error {
	next := e.pc + 1
	var occupy, latency Ps
	t := &r.p.Spec.Timing
	switch en.Kind {
	case Data, LoadWeights, Multiply:
		c := r.cost(e, en)
		occupy, latency = FromNs(c.II), FromNs(c.Latency)
		if err := r.runData(e, en, start, latency); err != nil {
			return err
		}
	case Branch:
		taken, err := r.branch(e, en)
		if err != nil {
			return err
		}
		occupy = FromNs(t.TSeq)
		if taken {
			next, occupy = en.Ctl.Target, FromNs(t.TBranch)
			if next < 0 || next > len(e.stream) {
				return diag.Errorf(CodeBranch, diag.Loc{}, "branch to %d, the stream has %d instructions", next, len(e.stream))
			}
		}
		latency = occupy
	case RegMove, RegALU, RegLoad, RegStore:
		occupy = FromNs(t.TSeq)
		latency = occupy
		if err := r.register(e, en); err != nil {
			return err
		}
	case Trigger:
		occupy = FromNs(t.TTrigStatic)
		latency = occupy
		if err := r.trigger(e, en, start); err != nil {
			return err
		}
	case Direct:
		occ, err := r.direct(e, en, start)
		if err != nil {
			return err
		}
		occupy, latency = occ, occ
	case ResetSemaphores:
		occupy = FromNs(t.TSemOp)
		latency = occupy
		r.reset(en.Ctl)
	case Skip:
	case Halt:
		e.halted = true
	default: // Nop, Drain, Barrier, EventSemaphore, Rewind
		occupy = FromNs(t.TSemOp)
		latency = occupy
	}
	done := max(e.done, start+latency)
	e.done = done
	switch en.Kind {
	case LoadWeights:
		e.lsFree = start + occupy
		e.lsDone = start + occupy
		e.free = start
	case Multiply:
		e.mmFree, e.mmStart = start+occupy, start
		e.free = start
	default:
		e.free = start + occupy
	}
	r.res.Busy[e.id] += occupy
	r.slice(e, en, start, start+occupy)
	if u := en.Update; u != nil && en.Kind != Barrier {
		at := done
		if u.AtRead {
			at = start
		}
		r.post(&event{at: at, kind: evUpdate, upd: *u})
	}
	e.pc = next
	if e.pc >= len(e.stream) && !e.halted {
		e.halted = true
	}
	return nil
}

func (r *runner) slice(e *engine, en *Entry, start, end Ps) {
	if !r.opt.Trace || end <= start {
		return
	}
	track := e.id.String()
	if en.Kind == LoadWeights {
		track += " (load)"
	}
	op := kindNames[en.Kind]
	if en.Data != nil {
		op = en.Data.Op.String()
	}
	name := en.Src.Op
	if name == "" {
		name = op
	}
	r.res.Slices = append(r.res.Slices, Slice{Track: track, Name: name, Start: start, End: end, PC: en.PC, Op: op, Src: en.Src})
}

var kindNames = [...]string{"data", "load weights", "multiply", "nop", "drain", "barrier", "event/semaphore", "reset semaphores",
	"halt", "branch", "register move", "register ALU", "register load", "register store", "DMA trigger", "DMA", "queue", "extension"}

// fault adds position and source to an error of an instruction.
func (r *runner) fault(e *engine, en *Entry, err error) error {
	d, ok := err.(*diag.Diagnostic)
	if !ok {
		return err
	}
	if !d.Loc.Known() {
		d.Loc = en.Src.Loc
	}
	what := kindNames[en.Kind]
	if en.Data != nil {
		what = en.Data.Op.String()
	}
	src := ""
	if en.Src.Op != "" {
		src = ", from " + en.Src.Op
	}
	return d.WithNote(en.Src.Loc, "%s instruction %d: %s%s", e.id, en.PC, what, src)
}

// deadlock describes every engine that waits.
func (r *runner) deadlock() error {
	d := diag.Errorf(CodeDeadlock, diag.Loc{}, "deadlock after %.1f ns: no engine can go on and no transfer is in flight", r.now.Ns())
	for _, e := range r.order {
		if e.halted || e.pc >= len(e.stream) {
			continue
		}
		en := &e.stream[e.pc]
		var ws []string
		for _, w := range en.Waits {
			if ok, _ := r.satisfied(e, w); ok {
				continue
			}
			if w.Event {
				ws = append(ws, fmt.Sprintf("event %d", w.ID))
				continue
			}
			ws = append(ws, fmt.Sprintf("semaphore %d >= %d (it is %d; %s)", w.ID, w.Value, r.sems[w.ID].value, r.producers(w.ID)))
		}
		d.WithNote(en.Src.Loc, "%s stands at instruction %d and waits for %s", e.id, en.PC, strings.Join(ws, " and "))
	}
	return d
}

// producers names the engines whose remaining entries still update a semaphore.
func (r *runner) producers(id uint8) string {
	set := map[string]bool{}
	for _, e := range r.order {
		for i := e.pc; i < len(e.stream); i++ {
			if u := e.stream[i].Update; u != nil && u.ID == id && u.Op >= Add {
				set[e.id.String()] = true
			}
		}
	}
	if len(set) == 0 {
		return "nothing left updates it"
	}
	var names []string
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	return "still to be updated by " + strings.Join(names, ", ")
}
