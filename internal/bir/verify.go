package bir

import (
	"errors"
	"fmt"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
)

// maxErrors bounds what Verify reports.
const maxErrors = 20

type verifier struct {
	spec   *machine.Spec
	fn     *Func
	in     *Instr
	axes   []pelican.Expr
	pos    []int32 // by instruction ID: position in its block plus one, once seen
	blocks map[*Block]bool
	errs   []error
}

// Verify checks the rules that belong to BIR itself and returns all violations found, up to a limit, joined.
//
// It holds at any stage: addresses are checked where they are assigned, and semaphores where there are any.
func Verify(m *Module) error {
	spec := machine.ByGen(m.Gen)
	if spec == nil {
		return diag.Errorf(CodeModule, diag.Loc{}, "module %q has no known target generation (%d)", m.Name, m.Gen)
	}
	if len(m.Funcs) == 0 {
		return diag.Errorf(CodeModule, diag.Loc{}, "module %q has no function", m.Name)
	}
	v := &verifier{spec: spec}
	for _, f := range m.Funcs {
		v.function(f)
	}
	for _, q := range m.Queues {
		for _, b := range q.Blocks {
			for _, in := range b.Instrs {
				if in.Op != DMABlock {
					v.in = in
					v.errorf(CodeControl, "queue %s holds an instruction that is no DMABlock", q.Name)
				}
			}
		}
	}
	return errors.Join(v.errs...)
}

// errorf reports a violation by the current instruction.
func (v *verifier) errorf(code, format string, args ...any) {
	if len(v.errs) >= maxErrors {
		return
	}
	msg := fmt.Sprintf(format, args...)
	var loc diag.Loc
	if v.in != nil {
		msg = fmt.Sprintf("%s (%s): %s", v.in.NameOf(), v.in.Op, msg)
		if v.in.Debug != nil {
			loc = v.in.Debug.Loc
		}
	}
	v.errs = append(v.errs, diag.Errorf(code, loc, "%s", msg))
}

func (v *verifier) full() bool { return len(v.errs) >= maxErrors }

func (v *verifier) function(f *Func) {
	v.fn, v.in = f, nil
	names := make(map[string]bool, len(f.Sets)+len(f.Regs))
	name := func(n string) {
		if n == "" || names[n] {
			v.errorf(CodeName, "function %s: storage name %q is empty or used twice", f.Name, n)
		}
		names[n] = true
	}
	for _, s := range f.Sets {
		name(s.Name)
		for _, l := range s.Locs {
			v.location(l)
		}
	}
	for _, r := range f.Regs {
		name(r.Name)
		if r.Num >= 64 {
			v.errorf(CodePlace, "register %s has number %d of 64", r.Name, r.Num)
		}
	}
	v.pos = make([]int32, f.nextID)
	v.blocks = map[*Block]bool{}
	markBlocks(v.blocks, f.Blocks)
	v.blockList(f.Blocks)
}

func markBlocks(set map[*Block]bool, bs []*Block) {
	for _, b := range bs {
		set[b] = true
		for _, in := range b.Instrs {
			if in.Body != nil {
				markBlocks(set, in.Body)
			}
		}
	}
}

// location checks the shape of a location and, once it is allocated, its place.
func (v *verifier) location(l *MemLoc) {
	bad := func(code, format string, args ...any) {
		v.errorf(code, "location %s: %s", l.Name, fmt.Sprintf(format, args...))
	}
	for _, d := range l.Dims {
		if d < 0 {
			bad(CodePlace, "negative extent %d", d)
			return
		}
	}
	if l.Alias != nil && (l.Type != DRAM || l.Alias.Type != DRAM) {
		bad(CodeAlias, "alias must be in DRAM")
	}
	if !l.OnChip() {
		if l.Type == DRAM && l.Allocated && (l.Addr < 0 || l.Addr+l.Bytes() > v.spec.HBM.Bytes) {
			bad(CodePlace, "bytes %d..%d are outside the %d bytes of HBM", l.Addr, l.Addr+l.Bytes(), v.spec.HBM.Bytes)
		}
		return
	}
	if len(l.Dims) == 0 {
		bad(CodeParts, "no partition dimension")
		return
	}
	if l.Dims[0] < 1 || l.Dims[0] > machine.MaxPartitions {
		bad(CodeParts, "Size of partition dimension %d exceeds architecture limitation of %d.", l.Dims[0], machine.MaxPartitions)
		return
	}
	bytes := l.PartitionBytes()
	size := int64(v.spec.SBUF.BytesPerPartition)
	if l.Type == PSUM {
		size = int64(v.spec.PSUM.BytesPerPartition())
	}
	if bytes > size {
		bad(CodePlace, "%d bytes per partition exceed the %d of %s", bytes, size, l.Type.Mem())
		return
	}
	if !l.Allocated {
		return
	}
	if err := machine.CheckPartitions(l.Base, int(l.Dims[0])); err != nil {
		bad(CodeStart, "%v", err)
	}
	addr := l.Addr
	if l.Type == PSUM {
		if l.Bank < 0 || l.Bank >= v.spec.PSUM.Banks {
			bad(CodePlace, "bank %d of %d", l.Bank, v.spec.PSUM.Banks)
			return
		}
		addr += int64(l.Bank * v.spec.PSUM.BankBytes)
	}
	if l.Addr < 0 || addr+bytes > size {
		bad(CodePlace, "bytes %d..%d are outside the %d of a %s partition", addr, addr+bytes, size, l.Type.Mem())
	}
	if s := int64(l.Set.DType.Size()); s > 0 && addr%s != 0 {
		bad(CodePlace, "address %d is not a multiple of the element size %d", addr, s)
	}
}

func (v *verifier) blockList(bs []*Block) {
	for _, b := range bs {
		for i, in := range b.Instrs {
			if v.full() {
				return
			}
			v.in = in
			if in.ID < 0 || int(in.ID) >= len(v.pos) || v.pos[in.ID] != 0 {
				v.errorf(CodeName, "identifier %d is not the instruction's own", in.ID)
				continue
			}
			v.pos[in.ID] = int32(i) + 1
			v.instr(b, i, in)
			if in.Body == nil {
				continue
			}
			n := len(v.axes)
			switch a := in.Attrs.(type) {
			case *LoopAttrs:
				v.axes = append(v.axes, a.Var)
			case *DynamicLoopAttrs:
				v.axes = append(v.axes, a.Var)
			}
			v.blockList(in.Body)
			v.axes = v.axes[:n]
		}
		v.backEdges(b)
	}
}

// backEdges checks that edges inside a block point backwards.
func (v *verifier) backEdges(b *Block) {
	for i, in := range b.Instrs {
		for _, d := range in.Deps {
			v.in = in
			switch {
			case d.On == nil || d.Kind == EdgeInvalid || d.Kind > Flow:
				v.errorf(CodeBackEdge, "dependency without target or kind")
			case d.On == in:
				v.errorf(CodeBackEdge, "dependency on itself")
			case int(d.On.ID) >= len(v.pos) || d.On.ID < 0 || v.pos[d.On.ID] == 0:
				v.errorf(CodeBackEdge, "dependency on %s, which is not earlier in the program", d.On.NameOf())
			default:
				if j := int(v.pos[d.On.ID]) - 1; j < len(b.Instrs) && b.Instrs[j] == d.On && j > i {
					v.errorf(CodeBackEdge, "dependency on the later %s", d.On.NameOf())
				}
			}
		}
	}
}

func (v *verifier) instr(b *Block, i int, in *Instr) {
	info := in.Op.Info()
	if info == nil || info.Role == RoleAbstract {
		v.errorf(CodeOpcode, "opcode %d cannot stand in a block", in.Op)
		return
	}
	if v.spec.Gen < info.MinGen {
		v.errorf(CodeGen, "needs NeuronCore-v%d, the target is %s", info.MinGen, v.spec.Name)
	}
	if !engineOK(info, in.Engine) {
		v.errorf(CodeEngine, "engine %s cannot execute it", in.Engine)
	}
	if !sameAttrs(info, in.Attrs) {
		v.errorf(CodeAttrs, "attributes are %T", in.Attrs)
		return
	}
	n := len(v.errs)
	for k := range in.Ins {
		v.arg(in, &in.Ins[k], "input", k, false)
	}
	for k := range in.Indirect {
		v.arg(in, &in.Indirect[k], "index", k, false)
	}
	for k := range in.Outs {
		v.arg(in, &in.Outs[k], "output", k, true)
	}
	if len(v.errs) == n {
		v.shape(in)
	}
	if in.Sync != nil {
		v.sync(in)
	}
	for k := range in.Preds {
		v.expr(in.Preds[k].E, "predicate")
	}
	v.control(b, i, in)
}

func engineOK(info *OpInfo, e machine.Engine) bool {
	if e == machine.Unassigned || e == machine.AllEngines {
		return true
	}
	for _, x := range info.Engines {
		if x == e || x == machine.AllEngines {
			return true
		}
	}
	return false
}

func (v *verifier) expr(e pelican.Expr, what string) {
	if e == nil || e.IsInvalid() {
		v.errorf(CodeAxis, "%s has no value", what)
		return
	}
	pelican.Walk(e, func(leaf pelican.Expr) {
		if leaf.Kind() != pelican.KindVar {
			return
		}
		for _, a := range v.axes {
			if a == leaf {
				return
			}
		}
		v.errorf(CodeAxis, "%s uses axis %s outside its loop", what, leaf.Name())
	})
}

// arg checks one operand by itself: it names existing elements of a memory the engine reaches, in a type the engine
// handles, by a pattern an instruction can carry.
func (v *verifier) arg(in *Instr, a *Arg, what string, k int, write bool) {
	switch a.Kind {
	case ArgImm, ArgImmList:
		if write {
			v.errorf(CodeOperands, "%s %d is a constant", what, k)
		}
		return
	case ArgReg:
		if a.Reg == nil {
			v.errorf(CodeOperands, "%s %d names no register", what, k)
		}
		return
	case ArgAP:
	default:
		v.errorf(CodeOperands, "%s %d has unknown kind %d", what, k, a.Kind)
		return
	}
	p := a.AP
	if p == nil || p.Loc == nil || p.Loc.Set == nil {
		v.errorf(CodeOperands, "%s %d names no location", what, k)
		return
	}
	size := int64(p.DType.Size())
	if size == 0 {
		v.errorf(CodeDType, "%s %d has no element type", what, k)
		return
	}
	if p.Expr != nil {
		v.expr(p.Expr, "the address")
	}
	l := p.Loc
	mem := l.Type.Mem()
	reach := machine.CanRead
	if write {
		reach = machine.CanWrite
	}
	// The sequencer's own loads and stores of single elements go through the memory bus (isa.md): any memory will do.
	if e := in.Engine; dataPath(e) && mem != machine.NoMem && in.Op != TensorLoad && in.Op != TensorSave && !reach(e, mem) {
		v.errorf(CodeMemory, "%s %d is in %s, which %s cannot reach", what, k, mem, e)
	}
	if dataPath(in.Engine) && !v.spec.Supports(in.Engine, p.DType) && classOf[in.Op] != machine.RegisterOp {
		// PE results and accumulators are judged by the matmul rules.
		if in.Engine != machine.PE || !write {
			v.errorf(CodeDType, "%s %d is %s, which %s does not handle", what, k, p.DType, in.Engine)
		}
	}
	for d, x := range p.Free {
		if x.Count < 1 || in.Engine != machine.DMA && l.OnChip() && (x.Count > 65535 || x.Step < -32768 || x.Step > 32767) {
			v.errorf(CodeDim, "%s %d: access pattern dim %d out of range: step %d, count %d", what, k, d, x.Step, x.Count)
			return
		}
	}
	if l.OnChip() {
		if len(p.Free) > machine.MaxFreeDims && in.Engine != machine.DMA {
			v.errorf(CodeDim, "%s %d has %d free dimensions, at most %d fit", what, k, len(p.Free), machine.MaxFreeDims)
		}
		start := p.Part
		if l.Allocated {
			start += l.Base
		}
		// DMA addresses bytes, so the placement rule does not bind it.
		if in.Engine == machine.DMA {
			if p.NPart < 1 || p.NPart > machine.MaxPartitions {
				v.errorf(CodeParts, "%s %d covers %d partitions", what, k, p.NPart)
			}
		} else if err := machine.CheckPartitions(start, p.NPart); err != nil {
			v.errorf(CodeStart, "%s %d: %v", what, k, err)
		}
		if p.Part < 0 || int64(p.Part+p.NPart) > l.Dims[0] {
			v.errorf(CodeBounds, "%s %d: partitions %d..%d of %s, which has %d", what, k, p.Part, p.Part+p.NPart-1, l.Name, l.Dims[0])
		}
		if n := p.Elems(); n > 65536 && in.Engine != machine.DMA {
			v.errorf(CodeFree, "%s %d: free size %d exceeds 65536", what, k, n)
		}
	} else if p.NPart != 0 || p.Part != 0 {
		v.errorf(CodeOperands, "%s %d: a DRAM pattern has no partitions", what, k)
	}
	if len(v.axes) > 0 && len(in.Preds) > 0 {
		return // the predicates may exclude what the bounds include
	}
	if lo, hi, known := p.Extent(); known {
		if n := l.RowElems(p.DType); lo < 0 || hi >= n {
			v.errorf(CodeBounds, "%s %d: access out of bounds: elements %d..%d of %s, which has %d", what, k, lo, hi, l.Name, n)
		}
	}
}

func dataPath(e machine.Engine) bool {
	switch e {
	case machine.PE, machine.ACT, machine.DVE, machine.Pool, machine.DMA:
		return true
	}
	return false
}
