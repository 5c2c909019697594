// Package sim runs compiled programs on a model of one core. Load takes a container (its bundles, descriptors,
// constants and IO tables, nothing else) and Program.Run executes it on the clock; LoadBIR runs BIR of any stage
// in program order, for debugging and translation validation.
//
//	p, err := sim.Load(file, machine.Trn2)
//	res, err := p.Run(ctx, map[string]*tensor.Tensor{"x": x}, sim.Options{})
//	y := res.Outputs["y"]
package sim

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/sim/exec"
	"github.com/alcadev/alca/internal/sim/timeline"
)

// Program is a loaded container. It is immutable and may be run many times.
type Program struct {
	spec *machine.Spec
	file *neff.File
	sub  *neff.Subgraph
	tl   *timeline.Program
	// actSets are the activation function sets the program loads by index.
	actSets []*bir.ActSet
}

// Load decodes a container for the given machine.
func Load(f *neff.File, spec *machine.Spec) (*Program, error) {
	if f.Gen != spec.Gen {
		want := "an unknown target"
		if s := machine.ByGen(f.Gen); s != nil {
			want = s.Name
		}
		return nil, diag.Errorf(CodeTarget, diag.Loc{}, "the program was compiled for %s, the machine is %s", want, spec.Name).
			WithHint("run it with --target %s", want)
	}
	if len(f.Subgraphs) != 1 {
		return nil, diag.Errorf(CodeProgram, diag.Loc{}, "the program is for %d cores; the simulator runs one", len(f.Subgraphs))
	}
	p := &Program{spec: spec, file: f, sub: f.Subgraphs[0]}
	p.tl = &timeline.Program{Spec: spec, Queues: map[string]*timeline.Queue{}}
	for _, v := range p.sub.Vars {
		if v.Kind != neff.VarStateBuffer && (v.Size < 0 || v.Size > spec.HBM.Bytes) {
			return nil, diag.Errorf(CodeProgram, diag.Loc{}, "variable %q of %d bytes exceeds the device memory of %d", v.Name, v.Size, spec.HBM.Bytes)
		}
	}
	p.actSets = []*bir.ActSet{}
	for _, e := range p.sub.Engines {
		for _, name := range e.ActSets {
			set := bir.FindActSet(name)
			if set == nil {
				return nil, diag.Errorf(CodeProgram, diag.Loc{}, "activation function set %q is unknown", name)
			}
			p.actSets = append(p.actSets, set)
		}
		if err := p.loadQueues(e); err != nil {
			return nil, err
		}
	}
	for _, e := range p.sub.Engines {
		if err := p.loadStream(e); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// loadQueues collects the descriptor blocks that an engine's triggers start.
func (p *Program) loadQueues(e *neff.Engine) error {
	for i := range e.DMA {
		d := &e.DMA[i]
		name := d.Queue
		if d.Instance != "" {
			name = d.Instance
		}
		q := p.tl.Queues[blockKey(e.Engine, name)]
		if q == nil {
			q = &timeline.Queue{Name: name, Blocks: map[int]*timeline.Block{}, Rings: 16}
			if s := p.sub.Queue(d.Queue); s != nil {
				q.Rings = s.NumQueues
			}
			p.tl.Queues[blockKey(e.Engine, name)] = q
		}
		b := q.Blocks[d.ID]
		if b == nil {
			b = &timeline.Block{}
			q.Blocks[d.ID] = b
		}
		x, err := p.transfer(&d.Desc)
		if err != nil {
			return err
		}
		b.Xfers = append(b.Xfers, x)
		if d.Semaphore >= 0 {
			b.Sems = append(b.Sems, timeline.SemAdd{ID: uint8(d.Semaphore), Value: int32(q.Rings)})
		}
		if d.Event >= 0 {
			return diag.Errorf(CodeDecode, diag.Loc{}, "queue %s: descriptors that set events have no simulator form", name)
		}
	}
	return nil
}

// blockKey names a queue as the triggers of one engine see it: descriptor lists belong to engines.
func blockKey(e machine.Engine, queue string) string { return e.String() + "/" + queue }

var xferOps = map[neff.DescOp]exec.XferOp{neff.DescCopy: exec.XferCopy, neff.DescCast: exec.XferCopy, neff.DescAdd: exec.XferAdd,
	neff.DescMin: exec.XferMin, neff.DescMax: exec.XferMax}

func (p *Program) transfer(d *neff.Desc) (exec.Xfer, error) {
	op, ok := xferOps[d.Op]
	if !ok || len(d.From) != 1 {
		return exec.Xfer{}, diag.Errorf(CodeDecode, diag.Loc{}, "descriptor operation %d with %d sources has no simulator form", d.Op, len(d.From))
	}
	src, err := p.side(&d.From[0])
	if err != nil {
		return exec.Xfer{}, err
	}
	dst, err := p.side(&d.To)
	return exec.Xfer{Src: src, Dst: dst, Op: op}, err
}

// side decodes one end of a descriptor. Sizes and steps are in bytes, innermost first; elements are of the side's
// type, plain bytes by default.
func (p *Program) side(s *neff.Side) (exec.Flat, error) {
	f := exec.Flat{Off: s.Off, DT: s.DType}
	if f.DT == dtype.Invalid {
		f.DT = dtype.U8
	}
	v := p.sub.Var(s.Var)
	if v == nil {
		return f, diag.Errorf(CodeProgram, diag.Loc{}, "descriptor names variable %d, which does not exist", s.Var)
	}
	if v.Kind != neff.VarStateBuffer {
		f.Space, f.Var = exec.DRAM, s.Var
	}
	if len(s.Sizes) == 0 || len(s.Sizes) != len(s.Steps) {
		return f, diag.Errorf(CodeProgram, diag.Loc{}, "descriptor on %q has %d sizes and %d steps", v.Name, len(s.Sizes), len(s.Steps))
	}
	size := int64(f.DT.Size())
	for i := len(s.Sizes) - 1; i >= 0; i-- {
		n, step := s.Sizes[i], s.Steps[i]
		if i == 0 {
			if n%size != 0 || step != 1 && n != size {
				return f, diag.Errorf(CodeProgram, diag.Loc{}, "descriptor on %q: innermost run of %d bytes, step %d, elements of %d", v.Name, n, step, size)
			}
			n, step = n/size, size
		}
		if n < 1 {
			return f, diag.Errorf(CodeProgram, diag.Loc{}, "descriptor on %q has count %d", v.Name, n)
		}
		f.Dims = append(f.Dims, exec.Walk{Step: step, Count: int(n)})
	}
	return f, nil
}

// loadStream decodes an engine's bundles.
func (p *Program) loadStream(e *neff.Engine) error {
	d := &bundleDecoder{eng: e.Engine, gen: p.spec.Gen, ocp: p.sub.FP8OCP, prog: p}
	stream := make([]timeline.Entry, 0, len(e.Code))
	var prev *isa.OpInfo
	for pc := range e.Code {
		in, err := isa.Decode(&e.Code[pc], prev, e.Engine, p.spec.Gen)
		if err == nil {
			prev = in.Info
			if in.Info == isa.ExtDirect2d {
				err = d.extend(&stream[len(stream)-1], &in)
				stream = append(stream, timeline.Entry{Kind: timeline.Skip, PC: pc})
			} else {
				var en timeline.Entry
				if en, err = d.entry(&in); err == nil {
					en.PC, en.Src = pc, p.source(e.Engine, pc)
					stream = append(stream, en)
				}
			}
		}
		if err != nil {
			return p.at(e.Engine, pc, err)
		}
	}
	p.tl.Streams[e.Engine] = stream
	return nil
}

// source returns what a bundle came from, if the container still knows.
func (p *Program) source(e machine.Engine, pc int) timeline.Source {
	_, s := p.file.Origin(e, pc)
	if s == nil {
		return timeline.Source{}
	}
	return timeline.Source{Loc: s.Loc, Op: s.Op}
}

// at adds the position of a bundle to an error.
func (p *Program) at(e machine.Engine, pc int, err error) error {
	d, ok := err.(*diag.Diagnostic)
	if !ok {
		return err
	}
	src := p.source(e, pc)
	if !d.Loc.Known() {
		d.Loc = src.Loc
	}
	return d.WithNote(src.Loc, "%s instruction %d", e, pc)
}
