package walrus

import (
	"container/heap"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
)

// schedule orders every block by list scheduling on the machine's cost functions: among the instructions an engine
// could start next it takes the one with the longest path of latencies behind it.
//
//	time   SP         DVE      PE
//	0      load a
//	70     load b
//	1370              f(a)                    the critical path first, loads as early as their bytes are free
//	1500                       g(b)
//
// DMAs get their trigger engine here: the sync engine unless it is behind. The scalar engine keeps to the resident
// function set while it has work for it, since a switch costs as much as many instructions. The result is a global
// order by start time; each engine sees its own instructions in that order.
func schedule(u *unit) error {
	var total, bound int64
	for _, b := range u.blocks {
		if b.b.NoReorder {
			u.assignTriggers(b)
			continue
		}
		s, err := bestSchedule(u, b)
		if err != nil {
			return err
		}
		s.apply()
		total += s.makespan
		bound += s.bound()
	}
	u.makespan = total
	u.plan("schedule", total/1000, bound/1000, "ns")
	return nil
}

// The greedy choice is sensitive to near ties, so level 2 repeats it with perturbed path lengths, as often as the
// program is small, and keeps the shortest schedule. The perturbations are fixed: the result is too.
const (
	scheduleTries  = 16
	scheduleEffort = 40000 // instructions scheduled in all tries together
)

func bestSchedule(u *unit, b *block) (*scheduler, error) {
	tries := 1
	if u.opt.OptLevel > 1 {
		tries = max(1, min(scheduleTries, scheduleEffort/max(1, len(b.instrs))))
	}
	if u.quick {
		tries = min(tries, 2)
	}
	costs := make([]cost, len(b.instrs))
	for i, in := range b.instrs {
		costs[i] = u.costOf(in)
	}
	var best *scheduler
	for k := range tries {
		s := newScheduler(u, b, costs)
		s.perturb(k)
		if err := s.run(); err != nil {
			return nil, err
		}
		if best == nil || s.makespan < best.makespan {
			best = s
		}
	}
	return best, nil
}

// perturb changes the path lengths by up to a few percent; try 0 leaves them.
func (s *scheduler) perturb(try int) {
	if try == 0 {
		return
	}
	x := uint64(try) * 0x9E3779B97F4A7C15
	for i := range s.nodes {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		h := s.nodes[i].height
		s.nodes[i].height = h - h*int64(x%64)/int64(512+256*(try%4))
	}
}

// programOrder keeps every block as it is; only the trigger engines of DMAs are chosen.
func programOrder(u *unit) error {
	for _, b := range u.blocks {
		u.assignTriggers(b)
	}
	return nil
}

// assignTriggers puts DMAs without an engine on the sync engine.
func (u *unit) assignTriggers(b *block) {
	for _, in := range b.instrs {
		if isDMA(in) && in.Engine == machine.DMA {
			in.Engine = machine.SP
		}
	}
}

type node struct {
	in     *bir.Instr
	e      machine.Engine // where it runs; DMA until a trigger engine is chosen
	start  int64
	end    int64
	cost   cost
	height int64
	ready  int64 // when its last predecessor is done
	preds  int
	succs  []int32
	idx    int32
	set    int // activation set needed, -1 none
	alts   []choice
}

type scheduler struct {
	u        *unit
	b        *block
	nodes    []node
	free     [machine.NumEngines]int64
	done     [machine.NumEngines]int64   // completion of the last instruction: engines complete in order
	dmaFree  [16]int64                   // when each DMA engine is idle
	issued   [machine.NumEngines][]int64 // completion of the transfers an engine triggered, in order
	slots    int                         // transfers an engine may have in flight
	backlog  [machine.NumEngines]int64   // busy time of what is queued for an engine
	avail    [machine.NumEngines]nodeHeap
	pending  [machine.NumEngines]nodeHeap
	actSet   int
	toCome   [bir.ActUnknown + 1]int // activations not yet scheduled, by function
	order    []int32
	makespan int64
}

// nodeHeap is a heap of node indexes; byReady orders by ready time, otherwise by height. Ties go to program order.
type nodeHeap struct {
	s       *scheduler
	byReady bool
	idx     []int32
}

func (h *nodeHeap) Len() int { return len(h.idx) }
func (h *nodeHeap) Less(i, j int) bool {
	a, b := &h.s.nodes[h.idx[i]], &h.s.nodes[h.idx[j]]
	if h.byReady {
		if a.ready != b.ready {
			return a.ready < b.ready
		}
	}
	if a.height != b.height {
		return a.height > b.height
	}
	return a.idx < b.idx
}
func (h *nodeHeap) Swap(i, j int) { h.idx[i], h.idx[j] = h.idx[j], h.idx[i] }
func (h *nodeHeap) Push(x any)    { h.idx = append(h.idx, x.(int32)) }
func (h *nodeHeap) Pop() any {
	n := len(h.idx) - 1
	x := h.idx[n]
	h.idx = h.idx[:n]
	return x
}

func newScheduler(u *unit, b *block, costs []cost) *scheduler {
	s := &scheduler{u: u, b: b, actSet: -1, slots: u.slotsFor(len(triggerEngines)), nodes: make([]node, len(b.instrs))}
	at := make([]int32, u.fn.NumIDs())
	for i, in := range b.instrs {
		at[in.ID] = int32(i)
		s.nodes[i] = node{in: in, e: in.Engine, cost: costs[i], idx: int32(i), set: -1}
		if a, ok := in.Attrs.(*bir.ActivationAttrs); ok && !a.Func.Hardwired() {
			s.nodes[i].set = int(a.Func)
			s.toCome[a.Func]++
		}
		if u.opt.OptLevel > 1 {
			s.nodes[i].alts = u.choices(in)
		}
	}
	for i := range s.nodes {
		for _, d := range s.nodes[i].in.Deps {
			p := at[d.On.ID]
			s.nodes[p].succs = append(s.nodes[p].succs, int32(i))
			s.nodes[i].preds++
		}
	}
	for i := len(s.nodes) - 1; i >= 0; i-- {
		n := &s.nodes[i]
		var h int64
		for _, q := range n.succs {
			h = max(h, s.nodes[q].height+s.delay(n, &s.nodes[q]))
		}
		n.height = max(h, n.cost.latency)
	}
	for e := range s.avail {
		s.avail[e] = nodeHeap{s: s}
		s.pending[e] = nodeHeap{s: s, byReady: true}
	}
	return s
}

// delay is the time from the start of p until its successor q may start.
func (s *scheduler) delay(p, q *node) int64 {
	if isMatmul(p.in) && isMatmul(q.in) {
		return p.cost.busy // accumulation is pipelined
	}
	if p.e == q.e && !isDMA(p.in) {
		for _, d := range q.in.Deps {
			if d.On == p.in && d.Kind != bir.Flow {
				return p.cost.busy // engines complete in order
			}
		}
	}
	if isDMA(p.in) {
		return p.cost.latency
	}
	return p.cost.latency + ps(s.u.spec.Timing.TSem)
}

// bound is a lower bound of the makespan: the critical path, and the busy time of each engine and of the rings.
func (s *scheduler) bound() int64 {
	var b int64
	var dma [16]int64
	var busy [machine.NumEngines]int64
	for i := range s.nodes {
		n := &s.nodes[i]
		b = max(b, n.height)
		if d := n.cost.dma; d != nil {
			for e, x := range d.shares {
				dma[e] += x
			}
		} else {
			busy[n.e] += n.cost.busy
		}
	}
	for _, x := range dma {
		b = max(b, x)
	}
	for _, x := range busy {
		b = max(b, x)
	}
	return b
}

// moveGain is what another engine must save (ps) before an instruction leaves the one chosen for it.
const moveGain = 40_000

// push queues a node whose predecessors are scheduled, on the engine that would finish it first.
func (s *scheduler) push(i int32) {
	n := &s.nodes[i]
	if len(n.alts) > 0 {
		finish := func(c *choice) int64 { return max(n.ready, s.free[c.e]+s.backlog[c.e]) + c.cost.latency }
		best := 0
		for k := 1; k < len(n.alts); k++ {
			gain := int64(0)
			if best == 0 {
				gain = moveGain
			}
			if finish(&n.alts[k])+gain < finish(&n.alts[best]) {
				best = k
			}
		}
		n.e, n.cost = n.alts[best].e, n.alts[best].cost
	}
	s.backlog[n.e] += n.cost.busy
	heap.Push(&s.pending[n.e], i)
}

// triggerEngines are the engines that may start static DMAs, in order of preference with the lead (in ps) another
// engine must have to be preferred: the data path of the later ones would wait behind the trigger.
var triggerEngines = []struct {
	e    machine.Engine
	lead int64
}{{machine.SP, 0}, {machine.Pool, 200_000}}

func (s *scheduler) run() error {
	for i := range s.nodes {
		if s.nodes[i].preds == 0 {
			s.push(int32(i))
		}
	}
	s.order = make([]int32, 0, len(s.nodes))
	for len(s.order) < len(s.nodes) {
		// The engine that can start an instruction first goes next; ties go to the lower engine number.
		best, bestStart := machine.Engine(0), int64(1)<<62
		var bestTrig machine.Engine
		for l := machine.Pool; l <= machine.SP; l++ {
			clock, trig := s.free[l], l
			if l == machine.DMA {
				clock, trig = s.trigger()
			}
			for p := &s.pending[l]; p.Len() > 0 && s.nodes[p.idx[0]].ready <= clock; {
				heap.Push(&s.avail[l], heap.Pop(p))
			}
			var start int64
			switch {
			case s.avail[l].Len() > 0:
				start = clock
			case s.pending[l].Len() > 0:
				start = s.nodes[s.pending[l].idx[0]].ready
			default:
				continue
			}
			if start < bestStart {
				best, bestStart, bestTrig = l, start, trig
			}
		}
		if bestStart == int64(1)<<62 {
			return internalf("scheduler: no instruction is ready, %d of %d done", len(s.order), len(s.nodes))
		}
		i := s.pick(best, bestStart)
		s.commit(i, bestStart, bestTrig)
	}
	return nil
}

// apply writes the schedule into the block.
func (s *scheduler) apply() {
	out := make([]*bir.Instr, 0, len(s.order))
	for _, i := range s.order {
		n := &s.nodes[i]
		n.in.Engine, n.in.Start, n.in.End = n.e, n.start/1000, n.end/1000
		out = append(out, n.in)
	}
	s.b.instrs = out
}

// trigger returns when the next DMA trigger could issue and on which engine.
func (s *scheduler) trigger() (int64, machine.Engine) {
	best, at := machine.SP, s.canTrigger(machine.SP)
	for _, t := range triggerEngines[1:] {
		if x := s.canTrigger(t.e); x+t.lead < at {
			best, at = t.e, x
		}
	}
	return at, best
}

// canTrigger returns when engine e could trigger a transfer: with all its slots in use it waits for the oldest.
func (s *scheduler) canTrigger(e machine.Engine) int64 {
	at := s.free[e]
	if n := len(s.issued[e]); n >= s.slots {
		at = max(at, s.issued[e][n-s.slots])
	}
	return at
}

// pick takes the instruction of a lane that starts at the given time.
func (s *scheduler) pick(l machine.Engine, start int64) int32 {
	h := &s.avail[l]
	for p := &s.pending[l]; p.Len() > 0 && s.nodes[p.idx[0]].ready <= start; {
		heap.Push(h, heap.Pop(p))
	}
	if l != machine.ACT || s.actSet < 0 {
		return heap.Pop(h).(int32)
	}
	// Stay with the resident set if any of the best few can.
	var skipped []int32
	pick := int32(-1)
	for len(skipped) < 24 && h.Len() > 0 {
		i := heap.Pop(h).(int32)
		n := &s.nodes[i]
		if n.set < 0 || bir.ActSets[s.actSet].Has(bir.ActFunc(n.set)) {
			pick = i
			break
		}
		skipped = append(skipped, i)
	}
	if pick < 0 {
		pick, skipped = skipped[0], skipped[1:]
	}
	for _, i := range skipped {
		heap.Push(h, i)
	}
	return pick
}

// commit starts node i on its engine.
func (s *scheduler) commit(i int32, start int64, trig machine.Engine) {
	n := &s.nodes[i]
	e := n.e
	s.backlog[e] -= n.cost.busy
	if e == machine.DMA {
		n.e = trig
		e = trig
		start = max(start, s.canTrigger(e))
	}
	busy := n.cost.busy
	if n.set >= 0 {
		s.toCome[n.set]--
	}
	if n.set >= 0 && (s.actSet < 0 || !bir.ActSets[s.actSet].Has(bir.ActFunc(n.set))) {
		// The table load issues before the activation waits for its operands.
		s.actSet = s.setFor(bir.ActFunc(n.set))
		start = max(start, s.free[e]+ps(s.u.spec.Timing.ActTableLoad))
	}
	done := start + n.cost.latency
	if d := n.cost.dma; d != nil {
		end := start + d.start
		for e, x := range d.shares {
			if x > 0 {
				s.dmaFree[e] = max(s.dmaFree[e], start+d.start) + x
				end = max(end, s.dmaFree[e])
			}
		}
		done = end + ps(s.u.spec.Timing.DMADone)
		s.issued[e] = append(s.issued[e], done)
	} else {
		done = max(done, s.done[e])
		s.done[e] = done
	}
	s.free[e] = start + busy
	n.start, n.end = start, done
	s.makespan = max(s.makespan, done)
	s.order = append(s.order, i)
	for _, q := range n.succs {
		m := &s.nodes[q]
		r := done
		if d := s.delay(n, m); d == n.cost.busy {
			r = start + d
		} else if !isDMA(n.in) {
			r += ps(s.u.spec.Timing.TSem)
		}
		m.ready = max(m.ready, r)
		if m.preds--; m.preds == 0 {
			s.push(q)
		}
	}
}

// setFor is the set with f that serves most of the activations still to come.
func (s *scheduler) setFor(f bir.ActFunc) int {
	best, most := 0, -1
	for i := range bir.ActSets {
		if !bir.ActSets[i].Has(f) {
			continue
		}
		n := 0
		for _, g := range bir.ActSets[i].Funcs {
			n += s.toCome[g]
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}
