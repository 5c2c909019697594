package birjson

import (
	"io"
	"math"
	"reflect"
	"sort"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

// ReadOptions says where constants come from.
type ReadOptions struct {
	File string // for messages
	// Constant loads the payload stored under a name. Nil leaves constants without data.
	Constant func(file string) (*tensor.Tensor, error)
}

// Read reads a module. It checks names and types, not the rules of bir.Verify.
func Read(src io.Reader, opts ReadOptions) (*bir.Module, error) {
	v, err := parse(src)
	if err != nil {
		return nil, err
	}
	r := &reader{opts: opts, file: opts.File, queues: map[string]*bir.Queue{}, blocksOf: map[string]*bir.Instr{}}
	root := node{r, "module", v}
	if o, ok := v.(object); ok && len(o) == 1 && o["module"] != nil {
		root.v = o["module"]
	}
	m := r.module(root)
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

type reader struct {
	opts     ReadOptions
	file     string
	err      error
	version  int64
	queues   map[string]*bir.Queue
	blocksOf map[string]*bir.Instr // DMABlock instructions of the whole module
	fn       *fnScope
	later    []func() // pass 2
}

// fnScope holds the names of one function.
type fnScope struct {
	f       *bir.Func
	sets    map[string]*bir.MemLocSet
	locs    map[string]*bir.MemLoc
	regs    map[string]*bir.Register
	runtime map[*bir.Register]pelican.Expr
	blocks  map[string]*bir.Block
	instrs  map[string]*bir.Instr
	axes    []pelican.Expr
	later   []func() // end of the function
}

func (r *reader) module(n node) *bir.Module {
	n.obj()
	if r.err != nil {
		return nil
	}
	r.version = n.get("version").int64()
	if r.err == nil && r.version != 1 && r.version != 2 {
		n.fail(CodeVersion, "unsupported version %d", r.version)
	}
	arch := n.get("arch").str()
	if r.err != nil {
		return nil
	}
	spec, err := machine.Lookup(arch)
	if err != nil {
		r.err = err
		return nil
	}
	m := &bir.Module{Name: n.strOr("name", "module"), Gen: spec.Gen, Attrs: readAttributes(n)}
	for _, f := range n.get("functions").elems() {
		m.Funcs = append(m.Funcs, r.function(f))
		if r.err != nil {
			return nil
		}
	}
	if len(m.Funcs) == 0 {
		n.fail(CodeMissing, "no functions")
		return nil
	}
	// main comes first, whatever the file's order.
	sort.SliceStable(m.Funcs, func(i, j int) bool { return m.Funcs[i].Name == "main" && m.Funcs[j].Name != "main" })
	for _, q := range n.list("dma_queues") {
		m.Queues = append(m.Queues, r.queue(q, m.Funcs[0]))
		if r.err != nil {
			return nil
		}
	}
	for _, f := range r.later {
		f()
	}
	return m
}

func readAttributes(n node) []bir.ModuleAttr {
	if !n.has("attributes") {
		return nil
	}
	o := n.get("attributes").obj()
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var out []bir.ModuleAttr
	for _, k := range keys {
		out = append(out, bir.ModuleAttr{Name: k, Value: plainValue(o[k])})
	}
	return out
}

func (r *reader) engine(n node) machine.Engine {
	s := n.str()
	for e := machine.Unassigned; e <= machine.AllEngines; e++ {
		if e.String() == s {
			return e
		}
	}
	n.fail(CodeType, "unknown EngineType %q", s)
	return 0
}

func (r *reader) dtype(n node) dtype.Type {
	s := n.str()
	t, ok := bir.ParseDType(s)
	if !ok && r.err == nil {
		n.fail(CodeDType, "unsupported dtype %q", s)
	}
	return t
}

func newScope(f *bir.Func) *fnScope {
	return &fnScope{f: f, sets: map[string]*bir.MemLocSet{}, locs: map[string]*bir.MemLoc{}, regs: map[string]*bir.Register{},
		runtime: map[*bir.Register]pelican.Expr{}, blocks: map[string]*bir.Block{}, instrs: map[string]*bir.Instr{}}
}

func (r *reader) function(n node) *bir.Func {
	name := n.get("name").str()
	n.path = "functions[" + name + "]"
	f := &bir.Func{Name: name, Attrs: readAttributes(n)}
	r.fn = newScope(f)
	key := "allocations"
	if !n.has(key) {
		key = "storages"
	}
	for _, s := range n.list(key) {
		if s.strOr("storage", "memset") == "register" {
			r.register(s)
		} else {
			r.set(s)
		}
		if r.err != nil {
			return f
		}
	}
	for _, g := range r.fn.later {
		g()
	}
	r.fn.later = nil
	key = "blocks"
	if !n.has(key) {
		key = "basic_blocks"
	}
	f.Blocks = r.blocks(n.list(key), n.path)
	for _, g := range r.fn.later {
		g()
	}
	r.fn.later = nil
	return f
}

func (r *reader) register(n node) {
	x := r.fn.f.NewReg(n.get("name").str(), machine.AllEngines, dtype.I32)
	if n.has("engine") {
		x.Engine = r.engine(n.get("engine"))
	}
	if n.has("dtype") {
		x.DType = r.dtype(n.get("dtype"))
	}
	x.Num = int(n.intOr("reg_num", -1, -1, 63))
	if r.fn.regs[x.Name] != nil || r.fn.sets[x.Name] != nil {
		n.fail(CodeReference, "name %q is used twice", x.Name)
	}
	r.fn.regs[x.Name] = x
}

func (r *reader) extents(n node) []int64 {
	var out []int64
	for _, d := range n.elems() {
		out = append(out, d.integer(0, math.MaxInt32))
	}
	return out
}

func (r *reader) set(n node) {
	s := &bir.MemLocSet{Name: n.get("name").str()}
	s.DType = r.dtype(n.get("dtype"))
	s.Shape = r.extents(n.get("tensor_shape"))
	s.Kind = bir.Internal
	if n.has("kind") {
		s.Kind = bir.TensorKind(n.get("kind").enum("TensorKind", bir.EnumNames(reflect.TypeFor[bir.TensorKind]())))
	}
	s.IOName = n.strOr("io_name", "")
	s.Debug = r.debug(n)
	if file := n.strOr("file_name", ""); file != "" && r.opts.Constant != nil && r.err == nil {
		t, err := r.opts.Constant(file)
		if err != nil {
			r.err = err
			return
		}
		s.Init = t
	}
	if r.fn.sets[s.Name] != nil || r.fn.regs[s.Name] != nil {
		n.fail(CodeReference, "name %q is used twice", s.Name)
	}
	r.fn.sets[s.Name] = s
	r.fn.f.Sets = append(r.fn.f.Sets, s)
	for _, x := range n.get("memorylocations").elems() {
		r.location(x, s)
	}
	if len(s.Locs) == 0 {
		n.fail(CodeMissing, "set %s has no location", s.Name)
	}
}

func (r *reader) location(n node, s *bir.MemLocSet) {
	l := &bir.MemLoc{Set: s, Name: n.get("name").str()}
	t := n.get("type").integer(0, 255)
	switch l.Type = bir.MemType(t); l.Type {
	case bir.MemUnallocated, bir.DRAM, bir.SB, bir.PSUM:
	default:
		n.fail(CodeType, "memory type %d is not one of 1, 8, 16, 32", t)
	}
	l.Addr = n.intOr("addr", 0, 0, math.MaxInt64)
	l.Bank = int(n.intOr("bank", 0, -1, 63))
	l.Base = int(n.intOr("base", 0, 0, 127))
	l.Dims = r.extents(n.get("dims"))
	l.Allocated, l.Pinned = n.boolOr("allocated", false), n.boolOr("pinned", false)
	if r.fn.locs[l.Name] != nil {
		n.fail(CodeReference, "location name %q is used twice", l.Name)
	}
	r.fn.locs[l.Name] = l
	s.Locs = append(s.Locs, l)
	for _, a := range n.list("alias") {
		parts := a.elems()
		if len(parts) < 2 || len(parts) > 3 {
			a.mismatch("an alias of two or three parts")
			return
		}
		to, kind := parts[len(parts)-2].str(), parts[len(parts)-1].integer(0, 7)
		if kind&3 != 3 {
			continue // a may-alias adds nothing to distinct locations
		}
		r.fn.later = append(r.fn.later, func() {
			if l.Alias = r.fn.locs[to]; l.Alias == nil {
				a.fail(CodeReference, "alias destination %q not found", to)
			}
		})
	}
}

func (r *reader) debug(n node) *bir.DebugInfo {
	if !n.has("debug") {
		return nil
	}
	d := n.get("debug")
	return &bir.DebugInfo{
		Op: d.strOr("op_name", ""), Name: d.strOr("profile_name", ""),
		Loc: diag.Loc{File: d.strOr("file_name", ""), Line: int(d.intOr("line_no", 0, 0, math.MaxInt32)), Col: int(d.intOr("col_no", 0, 0, math.MaxInt32))},
	}
}

// blocks creates all blocks of a list, then their instructions.
func (r *reader) blocks(list []node, path string) []*bir.Block {
	out := make([]*bir.Block, len(list))
	for i, n := range list {
		b := &bir.Block{Name: n.get("name").str(), NoReorder: n.boolOr("no_reorder", false)}
		out[i] = b
		// Bodies of different regions may repeat a name; a branch sees the nearest holder's.
		r.fn.blocks[b.Name] = b
	}
	for i, n := range list {
		for _, x := range n.list("instructions") {
			name := x.get("name").str()
			x.path = path + "/" + out[i].Name + "/" + name
			if in := r.instr(x, name, out); in != nil {
				out[i].Instrs = append(out[i].Instrs, in)
			}
			if r.err != nil {
				return out
			}
		}
	}
	return out
}

func (r *reader) instr(n node, name string, siblings []*bir.Block) *bir.Instr {
	opName := n.get("opcode").str()
	op, ok := bir.ParseOpcode(opName)
	if r.err == nil && (!ok || op.Info().Role == bir.RoleAbstract) {
		n.fail(CodeOpcode, "unknown or abstract opcode %q", opName)
	}
	if r.err != nil {
		return nil
	}
	in := r.fn.f.NewInstr(op, r.engine(n.get("engine")))
	if name != in.NameOf() {
		in.Name = name
	}
	if r.fn.instrs[name] != nil {
		n.fail(CodeReference, "instruction name %q is used twice", name)
	}
	r.fn.instrs[name] = in
	in.Start = n.intOr("scheduled_start", 0, math.MinInt64, math.MaxInt64)
	in.End = n.intOr("scheduled_end", 0, math.MinInt64, math.MaxInt64)
	in.Debug = r.debug(n)
	in.Sync = r.sync(n)
	nest := len(r.fn.axes)
	in.Attrs = op.NewAttrs()
	r.attrs(n, in, siblings)
	// The operands of a region belong outside its axis, but have none.
	in.Ins = r.args(n.list("ins"))
	in.Outs = moveImms(r.args(n.list("outs")), &in.Ins)
	in.Indirect = moveImms(r.args(n.list("indirection_ins")), &in.Ins)
	for _, p := range n.list("predicates") {
		in.Preds = append(in.Preds, bir.Pred{E: r.expr(p.get("expr")), Ge: p.get("ge").boolean()})
	}
	if op.HasRegion() {
		// A DMABlock whose descriptors stand in the NEFF only is empty.
		if list := n.get("blocks").elems(); len(list) > 0 {
			in.Body = r.blocks(list, n.path)
		}
	}
	r.fn.axes = r.fn.axes[:nest]
	fn := r.fn
	if n.has("dependencies") {
		r.later = append(r.later, func() { in.Deps = r.deps(n.get("dependencies"), fn) })
	}
	if n.has("loop_carried_dependencies") {
		r.fn.later = append(r.fn.later, func() { in.Carried = r.deps(n.get("loop_carried_dependencies"), fn) })
	}
	return in
}

// moveImms puts constants that stand among outputs or indices at the end of ins, where they belong.
func moveImms(list []bir.Arg, ins *[]bir.Arg) []bir.Arg {
	out := list[:0]
	for _, a := range list {
		if a.Kind == bir.ArgImm || a.Kind == bir.ArgImmList {
			*ins = append(*ins, a)
		} else {
			out = append(out, a)
		}
	}
	return out
}

// deps reads an edge list: [name, kind], [name, number] or just the name.
func (r *reader) deps(n node, fn *fnScope) []bir.Dep {
	var out []bir.Dep
	kinds := bir.EnumNames(reflect.TypeFor[bir.EdgeKind]())
	for _, x := range n.elems() {
		d := bir.Dep{Kind: bir.Flow}
		name := ""
		if s, ok := x.v.(string); ok {
			name = s
		} else if parts := x.elems(); len(parts) == 2 {
			name = parts[0].str()
			if _, ok := parts[1].v.(string); ok {
				d.Kind = bir.EdgeKind(parts[1].enum("EdgeKind", kinds))
			} else {
				d.Kind = bir.EdgeKind(parts[1].integer(1, 4))
			}
		} else {
			x.mismatch("a dependency [name, kind]")
			return out
		}
		if d.On = fn.instrs[name]; d.On == nil {
			x.fail(CodeReference, "unknown dependency %q", name)
			return out
		}
		out = append(out, d)
	}
	return out
}

func (r *reader) sync(n node) *bir.SyncInfo {
	if !n.has("sync_info") {
		return nil
	}
	s := n.get("sync_info")
	out := &bir.SyncInfo{}
	for _, w := range s.list("on_wait") {
		x := bir.Wait{ID: int(w.get("id").integer(0, 255)), Mode: bir.WaitMode(w.get("mode").enum("WaitMode", bir.EnumNames(reflect.TypeFor[bir.WaitMode]())))}
		if w.has("value_reg") {
			x.Reg = r.reg(w.get("value_reg"))
		} else {
			x.Value = w.intOr("value", 0, math.MinInt32, math.MaxUint32)
		}
		r.refType(w, x.Mode == bir.WaitEvent)
		out.Waits = append(out.Waits, x)
	}
	for _, u := range s.list("on_update") {
		x := bir.Update{ID: int(u.get("id").integer(0, 255)), Mode: bir.UpdateMode(u.get("mode").enum("UpdateMode", bir.EnumNames(reflect.TypeFor[bir.UpdateMode]()))),
			Value: u.intOr("value", 1, math.MinInt32, math.MaxUint32)}
		r.refType(u, x.Mode == bir.UpdEventSet)
		out.Updates = append(out.Updates, x)
	}
	return out
}

// refType checks that the kind of object fits the mode.
func (r *reader) refType(n node, event bool) {
	want := "semaphore"
	if event {
		want = "event"
	}
	if got := n.strOr("ref_type", want); got != want && r.err == nil {
		n.fail(CodeType, "the mode needs ref_type %s, not %q", want, got)
	}
}

func (r *reader) reg(n node) *bir.Register {
	x := r.fn.regs[n.str()]
	if x == nil && r.err == nil {
		n.fail(CodeReference, "register %q does not exist", n.v)
		return &bir.Register{}
	}
	return x
}

// queue reads a queue; its blocks hold DMABlock instructions, numbered with those of main.
func (r *reader) queue(n node, main *bir.Func) *bir.Queue {
	q := &bir.Queue{Name: n.get("name").str(), Engine: r.engine(n.get("engine"))}
	q.Type = bir.QueueType(n.get("type").enum("DMAQueueType", bir.EnumNames(reflect.TypeFor[bir.QueueType]())))
	q.Rings = int(n.intOr("num_dma_engines", 16, 1, 64))
	for _, s := range n.list("semaphores") {
		q.Sems = append(q.Sems, int(s.integer(0, 255)))
	}
	if r.queues[q.Name] != nil {
		n.fail(CodeReference, "queue name %q is used twice", q.Name)
	}
	r.queues[q.Name] = q
	if r.err != nil {
		return q
	}
	// Descriptors name locations of main.
	keep := r.fn
	if r.fn == nil || r.fn.f != main {
		r.fn = newScope(main)
		for _, s := range main.Sets {
			r.fn.sets[s.Name] = s
			for _, l := range s.Locs {
				r.fn.locs[l.Name] = l
			}
		}
	}
	q.Blocks = r.blocks(n.list("blocks"), "dma_queues["+q.Name+"]")
	for _, b := range q.Blocks {
		for _, in := range b.Instrs {
			r.blocksOf[in.NameOf()] = in
		}
	}
	for _, g := range r.fn.later {
		g()
	}
	r.fn.later = nil
	r.fn = keep
	return q
}
