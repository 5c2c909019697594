package timeline

import (
	"encoding/binary"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/sim/exec"
)

// branch evaluates a condition.
func (r *runner) branch(e *engine, en *Entry) (bool, error) {
	c := en.Ctl
	if c.Cmp == Always {
		return true, nil
	}
	a, b := int64(int32(e.regs[c.A&63])), c.Imm
	if !c.UseImm {
		b = int64(int32(e.regs[c.B&63]))
	}
	if c.Unsigned {
		a, b = int64(uint32(a)), int64(uint32(b))
	}
	switch c.Cmp {
	case LT:
		return a < b, nil
	case LE:
		return a <= b, nil
	case EQ:
		return a == b, nil
	case NE:
		return a != b, nil
	case GE:
		return a >= b, nil
	}
	return a > b, nil
}

// register executes moves, arithmetic, loads and stores of sequencer registers.
func (r *runner) register(e *engine, en *Entry) error {
	c := en.Ctl
	switch en.Kind {
	case RegMove:
		v := c.Imm
		if !c.UseImm {
			v = e.regs[c.A&63]
		}
		e.regs[c.Dst&63] = int64(int32(v))
	case RegALU:
		b := c.Imm
		if !c.UseImm {
			b = e.regs[c.B&63]
		}
		v := c.Alu(e.regs[c.A&63], b)
		if !c.Wide {
			v = int64(int32(v))
		}
		e.regs[c.Dst&63] = v
	case RegLoad:
		if c.Ref.DT.Size() > 4 {
			return diag.Errorf(CodeRegister, diag.Loc{}, "register load of %s: at most 32 bits", c.Ref.DT)
		}
		raw, err := r.st.Peek1(&c.Ref)
		if err != nil {
			return err
		}
		e.regs[c.Dst&63] = exec.Extend(raw, c.Ref.DT)
	case RegStore:
		var raw [8]byte
		binary.LittleEndian.PutUint64(raw[:], uint64(e.regs[c.A&63]))
		return r.st.Poke1(&c.Ref, raw[:c.Ref.DT.Size()])
	}
	return nil
}

// reset zeroes the semaphores of a range or mask.
func (r *runner) reset(c *Control) {
	zero := func(id int) {
		s := &r.sems[id]
		s.value = 0
		s.history = append(s.history, semChange{r.now, 0, false})
	}
	if c.Mask != nil {
		for id := range 256 {
			if c.Mask[id>>3]>>(id&7)&1 != 0 {
				zero(id)
			}
		}
		return
	}
	for id := int(c.First); id <= int(c.Last); id++ {
		zero(id)
	}
}
