package walrus

import (
	"slices"
	"sort"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
)

// Semaphores. An engine's counter rises by one at every instruction somebody waits for; engines complete in order, so
// a value proves all earlier instructions too. A DMA transfer has a slot of its trigger engine: its rings add up to
// a multiple of the ring count there. The control semaphores serve block boundaries (control.go).
const (
	semEngine = 0                        // + index in dataEngines
	semArrive = 5                        // engines that reached the boundary
	semGo     = 6                        // + index in dataEngines: the boundary is open
	semSlots  = semGo + len(dataEngines) // DMA slots, shared out among the engines that trigger
)

// maxSlots bounds the slots of an engine: more transfers than that in flight gain nothing.
const maxSlots = 112

// slotsFor returns how many DMA slots each of n trigger engines gets.
func (u *unit) slotsFor(n int) int { return min(maxSlots, (u.spec.Semaphores-semSlots)/max(1, n)) }

func engineIndex(e machine.Engine) int {
	for i, x := range dataEngines {
		if x == e {
			return i
		}
	}
	return -1
}

// assignSync gives instructions the semaphore waits and updates that enforce the dependence edges (synchronizer and
// alloc_semaphores of the vendor's list):
//
//	a: DVE   c: ACT, Flow on a, Anti on b      =>  a: DVE   b: DVE S[dve]++   c: ACT wait S[dve] >= n
//	b: DVE
//
// Walking the global order it knows for every engine what has provably completed when its next instruction issues: what
// its waits proved and, transitively, what the waited-for instructions knew. An edge to something known costs
// nothing; the others, latest producer first, become waits. On one engine only a data-path result read back by the
// next data-path instruction needs a wait: engines read and complete in order. A DMA takes a slot whose last
// transfer is known to be complete, or the one used longest ago and waits for it.
func assignSync(u *unit) error {
	p := &syncPlan{u: u, slot: map[*bir.Instr]slotUse{}}
	u.sync = p
	if err := p.shareSlots(); err != nil {
		return err
	}
	used := map[int]bool{}
	for _, b := range u.blocks {
		s := newSyncer(u, p, b)
		s.decide()
		s.number(used)
		p.finals = append(p.finals, s.finals())
	}
	u.stats.Semaphores = len(used)
	u.plan("waits", int64(u.stats.Waits), int64(u.stats.Waits), "waits")
	return nil
}

// syncPlan is what later passes need of the assignment.
type syncPlan struct {
	u      *unit
	slot   map[*bir.Instr]slotUse // of every DMA
	finals [][]bir.Wait           // per block: the values of the DMA slots once all its transfers are done

	slots int                   // of one trigger engine
	base  [len(dataEngines)]int // first slot of an engine, 0 if it triggers nothing
	sems  int                   // semaphores in use: ids below this
}

// shareSlots gives every engine that triggers transfers the same number of slots.
func (p *syncPlan) shareSlots() error {
	var used [len(dataEngines)]bool
	n := 0
	for _, b := range p.u.blocks {
		for _, in := range b.instrs {
			if isDMA(in) && !used[engineIndex(in.Engine)] {
				used[engineIndex(in.Engine)] = true
				n++
			}
		}
	}
	p.slots, p.sems = p.u.slotsFor(n), semSlots
	if p.slots < 1 {
		return diag.Errorf(CodeSemaphores, diag.Loc{}, "%d engines trigger transfers, the core has %d semaphores", n, p.u.spec.Semaphores)
	}
	for e := range used {
		if used[e] {
			p.base[e] = p.sems
			p.sems += p.slots
		}
	}
	return nil
}

// slotUse is the use of a DMA slot: the semaphore and which transfer on it this is, from 1.
type slotUse struct {
	sem int
	use int32
}

// know is what is proved complete: per engine the position of its last such instruction in the block's stream of
// that engine, per DMA slot the transfers.
type know []int32

func (k know) join(o know) {
	for i, v := range o {
		if v > k[i] {
			k[i] = v
		}
	}
}

type syncer struct {
	u      *unit
	p      *syncPlan
	b      *block
	pos    []int32 // by ID: position in its engine's stream, from 1
	state  [len(dataEngines)]know
	after  map[int32]know // by ID: what completion of the instruction proves
	needed map[int32]bool // by ID: instructions whose completion somebody waits for
	waits  map[int32][]*bir.Instr
	owner  []*bir.Instr // last transfer of a slot, indexed by semaphore
	uses   []int32
	next   [len(dataEngines)]int
}

func newSyncer(u *unit, p *syncPlan, b *block) *syncer {
	s := &syncer{u: u, p: p, b: b, pos: make([]int32, u.fn.NumIDs()), after: map[int32]know{}, needed: map[int32]bool{},
		waits: map[int32][]*bir.Instr{}, owner: make([]*bir.Instr, p.sems), uses: make([]int32, p.sems)}
	for i := range s.state {
		s.state[i] = make(know, p.sems)
	}
	return s
}

// known reports whether p is proved complete by k.
func (s *syncer) known(k know, p *bir.Instr) bool {
	if isDMA(p) {
		u := s.p.slot[p]
		return k[u.sem] >= u.use
	}
	return k[semEngine+engineIndex(p.Engine)] >= s.pos[p.ID]
}

// free reports edges that the hardware's order satisfies.
func implied(p, c *bir.Instr, kind bir.EdgeKind) bool {
	if p.Engine != c.Engine || isDMA(p) {
		return false
	}
	if isDMA(c) {
		// The transfer runs beside the engine: the producer must have completed, unless it ran in the sequencer.
		return isSequencer(p) && p.Op != bir.TensorSave
	}
	// A sequencer instruction is done before the next one issues; reads happen in order, completions too; the tensor
	// engine accumulates in order.
	return kind != bir.Flow || isSequencer(p) || isMatmul(p) && isMatmul(c)
}

// decide walks the global order and picks the waits.
func (s *syncer) decide() {
	var count [len(dataEngines)]int32
	seq := make([]int32, s.u.fn.NumIDs()) // by ID: global position, for sorting
	// An after-vector is only kept for instructions that later ones depend on.
	users := make([]int32, s.u.fn.NumIDs())
	for _, in := range s.b.instrs {
		for _, d := range in.Deps {
			users[d.On.ID]++
		}
	}
	preds := make([]bir.Dep, 0, 16)
	for n, in := range s.b.instrs {
		e := engineIndex(in.Engine)
		k := s.state[e]
		seq[in.ID] = int32(n)
		preds = append(preds[:0], in.Deps...)
		var use slotUse
		if isDMA(in) {
			var prev *bir.Instr
			if use, prev = s.slotFor(e, k); prev != nil {
				preds = append(preds, bir.Dep{On: prev, Kind: bir.Output})
			}
		}
		sort.SliceStable(preds, func(i, j int) bool { return seq[preds[i].On.ID] > seq[preds[j].On.ID] })
		for _, d := range preds {
			if implied(d.On, in, d.Kind) || s.known(k, d.On) {
				continue
			}
			s.waits[in.ID] = append(s.waits[in.ID], d.On)
			s.needed[d.On.ID] = true
			if a := s.after[d.On.ID]; a != nil {
				k.join(a)
			}
		}
		count[e]++
		s.pos[in.ID] = count[e]
		if isDMA(in) {
			s.p.slot[in] = use
			s.owner[use.sem], s.uses[use.sem] = in, use.use
			users[in.ID]++ // the slot's next owner may ask
			a := slices.Clone(k)
			a[use.sem] = use.use
			s.after[in.ID] = a
		} else if users[in.ID] > 0 {
			a := slices.Clone(k)
			a[semEngine+e] = count[e]
			s.after[in.ID] = a
		}
		for _, d := range in.Deps {
			if users[d.On.ID]--; users[d.On.ID] == 0 {
				delete(s.after, d.On.ID)
			}
		}
	}
}

// slotFor picks a DMA slot of engine e: one never used or known to be free, else the one used longest ago, whose last
// transfer must then be waited for.
func (s *syncer) slotFor(e int, k know) (slotUse, *bir.Instr) {
	first, slotsPer := s.p.base[e], s.p.slots
	start := s.next[e]
	pick := -1
	for i := range slotsPer {
		x := first + (start+i)%slotsPer
		if s.owner[x] == nil || k[x] >= s.uses[x] {
			pick = (start + i) % slotsPer
			break
		}
	}
	if pick < 0 {
		pick = start
	}
	s.next[e] = (pick + 1) % slotsPer
	x := first + pick
	prev := s.owner[x]
	if prev != nil && k[x] >= s.uses[x] {
		prev = nil
	}
	return slotUse{x, s.uses[x] + 1}, prev
}

// number turns the picks into values: only instructions somebody waits for count.
func (s *syncer) number(used map[int]bool) {
	var count [len(dataEngines)]int64
	value := make([]int64, s.u.fn.NumIDs())
	ring := int64(s.u.spec.DMAEngines)
	for _, in := range s.b.instrs {
		in.Sync = nil
		if !isDMA(in) && s.needed[in.ID] {
			e := engineIndex(in.Engine)
			count[e]++
			value[in.ID] = count[e]
			in.Sync = &bir.SyncInfo{Updates: []bir.Update{{Mode: bir.UpdSemInc, ID: semEngine + e, Value: 1}}}
			used[semEngine+e] = true
		}
		if isDMA(in) {
			use := s.p.slot[in]
			in.Sync = &bir.SyncInfo{Updates: []bir.Update{{Mode: bir.UpdSemAdd, ID: use.sem, Value: ring}}}
			used[use.sem] = true
		}
		ws := s.waits[in.ID]
		if len(ws) == 0 {
			continue
		}
		if in.Sync == nil {
			in.Sync = &bir.SyncInfo{}
		}
		best := map[int]int64{}
		for _, p := range ws {
			id, v := semEngine+engineIndex(p.Engine), value[p.ID]
			if isDMA(p) {
				use := s.p.slot[p]
				id, v = use.sem, int64(use.use)*ring
			}
			best[id] = max(best[id], v)
		}
		ids := make([]int, 0, len(best))
		for id := range best {
			ids = append(ids, id)
		}
		sort.Ints(ids)
		for _, id := range ids {
			in.Sync.Waits = append(in.Sync.Waits, bir.Wait{Mode: bir.WaitSemGE, ID: id, Value: best[id]})
		}
		s.u.stats.Waits += len(ids)
	}
}

// finals returns the waits that prove all transfers of the block complete.
func (s *syncer) finals() []bir.Wait {
	var out []bir.Wait
	for sem := semSlots; sem < s.p.sems; sem++ {
		if s.uses[sem] > 0 {
			out = append(out, bir.Wait{Mode: bir.WaitSemGE, ID: sem, Value: int64(s.uses[sem]) * int64(s.u.spec.DMAEngines)})
		}
	}
	return out
}
