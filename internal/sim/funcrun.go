package sim

import (
	"context"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/sim/exec"
	"github.com/alcadev/alca/internal/tensor"
)

// BIRProgram is a BIR module ready to run in program order: one instruction after the other, whatever engine it
// is for, without semaphores or time. Locations that are not allocated yet get memory of their own, so modules
// of every stage run.
type BIRProgram struct {
	mod  *bir.Module
	spec *machine.Spec
}

// LoadBIR prepares a module.
func LoadBIR(m *bir.Module, spec *machine.Spec) (*BIRProgram, error) {
	if len(m.Funcs) == 0 {
		return nil, diag.Errorf(CodeProgram, diag.Loc{}, "module %s has no function", m.Name)
	}
	return &BIRProgram{m, spec}, nil
}

// birRun is one execution.
type birRun struct {
	ctx   context.Context
	f     *bir.Func
	st    *exec.State
	vars  map[*bir.MemLoc]int
	regs  map[*bir.Register]int64
	env   map[pelican.Expr]int64
	onVM  map[*bir.MemLoc]exec.Ref
	limit int64
	steps int64
}

// functionalBudget bounds the instructions of a run in program order.
const functionalBudget = 500_000_000

// Run executes the module's main function. Inputs and outputs are keyed by their names at the boundary.
func (p *BIRProgram) Run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	f := p.mod.Funcs[0]
	r := &birRun{ctx: ctx, f: f, vars: map[*bir.MemLoc]int{}, regs: map[*bir.Register]int64{}, env: map[pelican.Expr]int64{},
		onVM: map[*bir.MemLoc]exec.Ref{}, limit: functionalBudget}
	sbuf, psum := r.layout(p.spec)
	r.st = exec.NewState(p.mod.Gen, sbuf, psum)
	if err := r.bindDRAM(inputs); err != nil {
		return nil, err
	}
	if err := r.blocks(f.Blocks); err != nil {
		return nil, err
	}
	return r.outputs()
}

// layout gives every on-chip location a place: allocated ones their own, the others private space above all of
// them. It returns the row sizes the memories need.
func (r *birRun) layout(spec *machine.Spec) (sbuf, psum int) {
	sbuf, psum = spec.SBUF.BytesPerPartition, spec.PSUM.Banks*spec.PSUM.BankBytes
	bank := spec.PSUM.BankBytes
	next, nextP := int64(sbuf), int64(psum)
	for _, s := range r.f.Sets {
		for _, l := range s.Locs {
			ref := exec.Ref{Part: l.Base}
			switch l.Type {
			case bir.SB:
				ref.Off = l.Addr
				if !l.Allocated {
					ref.Part = 0
					ref.Off = next
					next += (l.PartitionBytes() + 63) &^ 63
				}
			case bir.PSUM:
				ref.Space = exec.PSUM
				ref.Off = int64(l.Bank*bank) + l.Addr
				if !l.Allocated {
					ref.Part = 0
					ref.Off = nextP
					nextP += (l.PartitionBytes() + int64(bank) - 1) / int64(bank) * int64(bank)
				}
			default:
				continue
			}
			r.onVM[l] = ref
		}
	}
	return int(next), int(nextP)
}

// bindDRAM makes variables for the DRAM locations and fills inputs and constants.
func (r *birRun) bindDRAM(inputs map[string]*tensor.Tensor) error {
	used := 0
	// A donated input and its output are one variable: the output's alias names the input.
	for pass := range 2 {
		for _, s := range r.f.Sets {
			for _, l := range s.Locs {
				if l.Type != bir.DRAM && l.Type != bir.MemUnallocated {
					continue
				}
				if (l.Alias != nil) != (pass == 1) {
					continue
				}
				if l.Alias != nil {
					v, ok := r.vars[l.Alias]
					if !ok {
						return diag.Errorf(CodeProgram, diag.Loc{}, "%s aliases %s, which is itself an alias", l.Name, l.Alias.Name)
					}
					r.vars[l] = v
					continue
				}
				v := r.st.AddVar(s.Name, l.Bytes())
				r.vars[l] = v
				switch {
				case s.Kind <= bir.ExternalInputState:
					t := inputs[s.IOName]
					if t == nil {
						return diag.Errorf(CodeInputs, diag.Loc{}, "no value for input %q", s.IOName)
					}
					if err := r.st.SetVar(v, t.Data); err != nil {
						return err
					}
					used++
				case s.Init != nil:
					if err := r.st.SetVar(v, s.Init.Data); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (r *birRun) outputs() (map[string]*tensor.Tensor, error) {
	out := map[string]*tensor.Tensor{}
	for _, s := range r.f.Sets {
		if s.Kind < bir.ExternalOutput || s.Kind > bir.ExternalOutputState {
			continue
		}
		b, err := r.st.ReadVar(r.vars[s.Locs[0]])
		if err != nil {
			return nil, err
		}
		t := &tensor.Tensor{Type: s.DType, Data: b}
		for _, d := range s.Shape {
			t.Shape = append(t.Shape, int(d))
		}
		out[s.IOName] = t
	}
	return out, nil
}

func (r *birRun) place(l *bir.MemLoc) (exec.Ref, error) {
	if ref, ok := r.onVM[l]; ok {
		return ref, nil
	}
	if v, ok := r.vars[l]; ok {
		return exec.Ref{Space: exec.DRAM, Var: v}, nil
	}
	return exec.Ref{}, errUnknown(l)
}

// offset evaluates the symbolic and run-time parts of a pattern's offset.
func (r *birRun) offset(p *bir.AccessPattern) (int64, error) {
	v := int64(0)
	if p.Expr != nil {
		x, err := pelican.Eval(p.Expr, pelican.MapEnv(r.env))
		if err != nil {
			return 0, err
		}
		v += x
	}
	if p.Reg != nil {
		v += r.regs[p.Reg]
	}
	return v, nil
}

// blocks runs a list of blocks with branches between them.
func (r *birRun) blocks(bs []*bir.Block) error {
	index := map[*bir.Block]int{}
	for i, b := range bs {
		index[b] = i
	}
	for i := 0; i < len(bs); {
		next, err := r.block(bs[i])
		if err != nil {
			return err
		}
		if next == nil {
			i++
			continue
		}
		j, ok := index[next]
		if !ok {
			return diag.Errorf(CodeProgram, diag.Loc{}, "branch to block %s of another region", next.Name)
		}
		i = j
	}
	return nil
}

// block runs a block and returns where it branches, nil to fall through.
func (r *birRun) block(b *bir.Block) (*bir.Block, error) {
	for _, in := range b.Instrs {
		r.steps++
		if r.steps > r.limit {
			return nil, diag.Errorf(CodeProgram, locOf(in), "more than %d instructions executed", r.limit)
		}
		if r.steps%1024 == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		ok, err := r.guard(in)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		next, err := r.instr(in)
		if err != nil {
			return nil, r.fault(in, err)
		}
		if next != nil {
			return next, nil
		}
	}
	return nil, nil
}

func (r *birRun) fault(in *bir.Instr, err error) error {
	d, ok := err.(*diag.Diagnostic)
	if !ok {
		return err
	}
	if !d.Loc.Known() {
		d.Loc = locOf(in)
	}
	if len(d.Notes) == 0 {
		op := ""
		if in.Debug != nil && in.Debug.Op != "" {
			op = ", from " + in.Debug.Op
		}
		d.WithNote(locOf(in), "instruction %s: %s on %s%s", in.NameOf(), in.Op, in.Engine, op)
	}
	return d
}

func (r *birRun) guard(in *bir.Instr) (bool, error) {
	for _, p := range in.Preds {
		v, err := pelican.Eval(p.E, pelican.MapEnv(r.env))
		if err != nil {
			return false, err
		}
		if p.Ge && v < 0 || !p.Ge && v != 0 {
			return false, nil
		}
	}
	return true, nil
}
