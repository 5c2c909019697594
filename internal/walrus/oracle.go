package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
)

// checkSync replays the semaphores of every block and verifies that each dependence edge, of the unreduced graph, is
// enforced, and that nothing waits for ever. It shares no code with assignSync.
func checkSync(u *unit) error {
	for _, b := range u.blocks {
		if err := replay(b.instrs); err != nil {
			return err
		}
	}
	return nil
}

// event is the completion of an instruction and what surely completed before it.
type event struct {
	in   *bir.Instr
	done clock
}

// clock is what surely completed: per engine a count, since engines complete in order; of each DMA a bit.
type clock struct {
	engine [machine.NumEngines]int32
	dma    []uint64
}

func (c *clock) copy() clock { return clock{c.engine, append([]uint64(nil), c.dma...)} }

func (c *clock) join(o *clock) {
	for i, v := range o.engine {
		c.engine[i] = max(c.engine[i], v)
	}
	for i, v := range o.dma {
		c.dma[i] |= v
	}
}

func (c *clock) has(dma int32) bool { return c.dma[dma/64]>>(dma%64)&1 != 0 }

// bump is one increment of a semaphore: the value it reaches and what is known then.
type bump struct {
	value int64
	by    *event
}

// replay runs the engines' streams. A semaphore that one engine increments proves, at value v, the increment that
// reached v; one that transfers increment proves a transfer only if each was triggered after the previous one was
// known complete, which is checked.
func replay(instrs []*bir.Instr) error {
	streams := map[machine.Engine][]*bir.Instr{}
	var engines []machine.Engine
	pos := map[*bir.Instr]int32{} // in the engine's stream from 1; of DMAs among DMAs from 0
	dmas := int32(0)
	seq := map[*bir.Instr]int{}
	for n, in := range instrs {
		seq[in] = n
		if streams[in.Engine] == nil {
			engines = append(engines, in.Engine)
		}
		streams[in.Engine] = append(streams[in.Engine], in)
		if pos[in] = int32(len(streams[in.Engine])); isDMA(in) {
			pos[in] = dmas
			dmas++
		}
	}
	sems := map[int][]bump{}
	state := map[machine.Engine]*clock{}
	next := map[machine.Engine]int{}
	for _, e := range engines {
		state[e] = &clock{dma: make([]uint64, dmas/64+1)}
	}
	value := func(id int) int64 {
		if s := sems[id]; len(s) > 0 {
			return s[len(s)-1].value
		}
		return 0
	}
	for left := len(instrs); left > 0; {
		moved := false
		for _, e := range engines {
			for next[e] < len(streams[e]) {
				in := streams[e][next[e]]
				ready := true
				if in.Sync != nil {
					for _, w := range in.Sync.Waits {
						ready = ready && value(w.ID) >= w.Value
					}
				}
				if !ready {
					break
				}
				k := state[e]
				if in.Sync != nil {
					for _, w := range in.Sync.Waits {
						for _, b := range sems[w.ID] {
							if b.value <= w.Value {
								k.join(&b.by.done)
							}
						}
					}
				}
				if err := checkEdges(in, k, pos, seq); err != nil {
					return err
				}
				ev := &event{in: in, done: k.copy()}
				if isDMA(in) {
					ev.done.dma[pos[in]/64] |= 1 << (pos[in] % 64)
				} else {
					ev.done.engine[e] = pos[in]
				}
				if in.Sync != nil {
					for _, up := range in.Sync.Updates {
						if s := sems[up.ID]; isDMA(in) && len(s) > 0 && !k.has(pos[s[len(s)-1].by.in]) {
							return internalf("sync: %s reuses the slot of %s, which may still be running", in.NameOf(), s[len(s)-1].by.in.NameOf())
						}
						sems[up.ID] = append(sems[up.ID], bump{value(up.ID) + up.Value, ev})
					}
				}
				next[e]++
				left--
				moved = true
			}
		}
		if !moved {
			for _, e := range engines {
				if next[e] < len(streams[e]) {
					return internalf("sync: deadlock, %s on %s waits for ever", streams[e][next[e]].NameOf(), e)
				}
			}
		}
	}
	return nil
}

// checkEdges verifies the dependences of an instruction that is about to issue knowing k.
func checkEdges(in *bir.Instr, k *clock, pos map[*bir.Instr]int32, seq map[*bir.Instr]int) error {
	for _, d := range in.Deps {
		p := d.On
		ok := false
		switch {
		case isDMA(p):
			ok = k.has(pos[p])
		case k.engine[p.Engine] >= pos[p]:
			ok = true
		case p.Engine == in.Engine && seq[p] < seq[in]:
			// In-order issue: enough for what the sequencer finished, for reads before writes, and for writes before
			// writes of the same pipeline; a value must have been written before the data path reads it back.
			pipelined := d.Kind != bir.Flow || isMatmul(p) && isMatmul(in)
			ok = isSequencer(p) || pipelined && !isDMA(in)
		}
		if !ok {
			return internalf("sync: the %s dependence of %s (%s on %s) on %s (%s on %s) is not enforced", kindName(d.Kind),
				in.NameOf(), in.Op, in.Engine, p.NameOf(), p.Op, p.Engine)
		}
	}
	return nil
}

func kindName(k bir.EdgeKind) string {
	switch k {
	case bir.Flow:
		return "Flow"
	case bir.Anti:
		return "Anti"
	case bir.Output:
		return "Output"
	}
	return "Ordered"
}
