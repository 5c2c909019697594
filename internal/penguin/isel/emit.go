package isel

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// builder appends ISA-level instructions to a statement list on behalf of one source instruction.
type builder struct {
	fn    *penguin.Func
	s     *selector
	body  *[]penguin.Stmt
	src   *penguin.Inst // whose location the new instructions carry
	names map[string]int
	ids   *int
	since []*penguin.Inst             // emitted for the current source instruction
	busy  [machine.NumEngines]float64 // estimated work emitted for each engine, ns
}

// arg is an operand of an ISA-level instruction: a view or a scalar.
type arg struct {
	v   view
	imm *penguin.ISAImm
	ind []penguin.Indirect
}

func av(v view) arg { return arg{v: v} }

func imm(f float64) arg {
	return arg{imm: &penguin.ISAImm{Type: dtype.F32, F: f}}
}

func immInt(t dtype.Type, i int64) arg {
	return arg{imm: &penguin.ISAImm{Type: t, I: i}}
}

func (b *builder) fresh(base string) string {
	b.names[base]++
	return fmt.Sprintf("%s.%d", base, b.names[base])
}

// alloc declares an on-chip tensor of parts partitions and n contiguous elements in each.
func (b *builder) alloc(sp penguin.Space, base string, t dtype.Type, parts int, n int64) *penguin.Tensor {
	x := &penguin.Tensor{Name: b.fresh(base), DType: t, Shape: []int64{int64(parts), n}, Space: sp}
	if b.src != nil {
		x.Loc = b.src.Loc
	}
	b.fn.Tensors = append(b.fn.Tensors, x)
	return x
}

// dram declares a scratch tensor in DRAM.
func (b *builder) dram(base string, t dtype.Type, shape []int64) *penguin.Tensor {
	x := &penguin.Tensor{Name: b.fresh(base), DType: t, Shape: append([]int64(nil), shape...), Space: penguin.DRAM}
	b.fn.Tensors = append(b.fn.Tensors, x)
	return x
}

// tile declares an SBUF tensor of the free shape dims and returns the view of all of it.
func (b *builder) tile(sp penguin.Space, base string, t dtype.Type, parts int, dims ...int64) view {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := b.alloc(sp, base, t, parts, n)
	return view{t: x, np: parts, free: compact(dims)}
}

// compact is the row-major walk over dims.
func compact(dims []int64) []penguin.StepCount {
	f := make([]penguin.StepCount, len(dims))
	s := int64(1)
	for i := len(dims) - 1; i >= 0; i-- {
		f[i] = penguin.StepCount{Step: s, Count: dims[i]}
		s *= dims[i]
	}
	return f
}

func (b *builder) op(name string, eng machine.Engine, outs []view, ins []arg, at penguin.ISA) {
	in := &penguin.Inst{ID: *b.ids, Op: penguin.ISAOp(name), Engine: eng, Attrs: &at}
	*b.ids++
	if b.src != nil {
		in.Loc, in.Src, in.Name = b.src.Loc, b.src.Src, b.src.Name
	}
	for i, a := range ins {
		if a.imm != nil {
			m := *a.imm
			m.Pos = i
			at.Imms = append(at.Imms, m)
			continue
		}
		acc := a.v.access()
		acc.Ind = a.ind
		in.In = append(in.In, acc)
	}
	in.Attrs = &at
	for _, o := range outs {
		in.Out = append(in.Out, o.access())
	}
	*b.body = append(*b.body, in)
	b.since = append(b.since, in)
	b.account(name, eng, outs[0], ins)
}

// account adds the instruction's work to its engine's estimate, by the quick estimator (machine.md 13.3): elements
// per partition, twice for two SBUF inputs of a vector instruction.
func (b *builder) account(name string, eng machine.Engine, out view, ins []arg) {
	n := float64(elemsOf(out))
	sb := 0
	for _, a := range ins {
		if a.imm == nil {
			n = max(n, float64(elemsOf(a.v)))
			if a.v.t.Space == penguin.SBUF && elemsOf(a.v) > 1 {
				sb++
			}
		}
	}
	if sb > 1 {
		n *= 2
	}
	if name == "reciprocal" {
		n *= 8
	}
	ghz := map[machine.Engine]float64{machine.DVE: 0.96, machine.ACT: 1.2, machine.Pool: 1.2, machine.PE: 2.4}[eng]
	if ghz > 0 {
		b.busy[eng] += max(n, 64) / ghz
	}
}

func (v view) access() penguin.Access {
	t := &penguin.Tile{P0: v.p0, NP: v.np, Free: normFree(v.free), Off: constExpr(v.off), DType: v.dt}
	return penguin.Access{T: v.t, Tile: t}
}

// normFree drops unit dimensions and merges neighbours that walk as one.
func normFree(f []penguin.StepCount) []penguin.StepCount {
	var out []penguin.StepCount
	for _, d := range f {
		if d.Count == 1 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Step == d.Step*d.Count {
			out[n-1] = penguin.StepCount{Step: d.Step, Count: out[n-1].Count * d.Count}
			continue
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		out = []penguin.StepCount{{Step: 1, Count: 1}}
	}
	return out
}

func (b *builder) dma(dst, src view) { b.dmaInd(dst, src, nil) }

func (b *builder) dmaInd(dst, src view, ind []penguin.Indirect) {
	b.op("dma", machine.DMA, []view{dst}, []arg{{v: src, ind: ind}}, penguin.ISA{})
}

func (b *builder) tt(eng machine.Engine, op string, dst, x, y view) {
	b.op("tensor_tensor", eng, []view{dst}, []arg{av(x), av(y)}, penguin.ISA{Op0: op})
}

// ts is (x op0 s0) op1 s1; op1 "" leaves the second step out.
func (b *builder) ts(dst, x view, op0 string, s0 arg, op1 string, s1 arg) {
	ins := []arg{av(x), s0}
	if op1 != "" {
		ins = append(ins, s1)
	}
	b.op("tensor_scalar", machine.DVE, []view{dst}, ins, penguin.ISA{Op0: op0, Op1: op1})
}

// tsRev is s0 op0 x: the scalar stands on the left.
func (b *builder) tsRev(dst, x view, op0 string, s0 arg) {
	b.op("tensor_scalar", machine.DVE, []view{dst}, []arg{av(x), s0}, penguin.ISA{Op0: op0, Rev0: true})
}

func (b *builder) act(fn string, dst, x view, scale float64, bias arg) {
	if bias.imm != nil && b.s.m.Gen == machine.Gen2 {
		// NeuronCore-v2 takes the bias from memory only.
		bias = av(b.s.constCol(bias.imm.F, x.np, x.p0))
	}
	b.op("activation", machine.ACT, []view{dst}, []arg{av(x), bias}, penguin.ISA{Func: fn, Scale: scale})
}

func (b *builder) copy(eng machine.Engine, dst, src view) {
	b.op("tensor_copy", eng, []view{dst}, []arg{av(src)}, penguin.ISA{})
}

func (b *builder) copyPred(dst, src, pred view, reverse bool) {
	b.op("copy_predicated", machine.DVE, []view{dst}, []arg{av(src), av(pred)}, penguin.ISA{Rev0: reverse})
}

func (b *builder) recip(dst, x view) {
	b.op("reciprocal", machine.DVE, []view{dst}, []arg{av(x)}, penguin.ISA{})
}

func (b *builder) memset(dst view, bits uint64) {
	b.op("memset", machine.DVE, []view{dst}, nil, penguin.ISA{Bits: bits})
}

// reduceRaw reduces the axes innermost dimensions of src as they stand in its free list.
func (b *builder) reduceRaw(dst, src view, op string, axes int) {
	b.op("tensor_reduce", machine.DVE, []view{dst}, []arg{av(src)}, penguin.ISA{Op0: op, Axes: axes})
	// The reduced dimensions must stay separate from the kept ones.
	keep, red := src.free[:len(src.free)-axes], src.free[len(src.free)-axes:]
	f := normFree(red)
	b.last().Attrs.(*penguin.ISA).Axes = len(f)
	if k := normFree(keep); len(k) > 1 || k[0].Count > 1 {
		f = append(k, f...)
	}
	b.last().In[0].Tile.Free = f
}

func nan() float64 { return math.NaN() }

// dmaEngine is the abstract engine of transfers; the back end chooses queues.
const dmaEngine = machine.DMA

// last is the instruction emitted last.
func (b *builder) last() *penguin.Inst { return (*b.body)[len(*b.body)-1].(*penguin.Inst) }

func (b *builder) matmul(dst, moving, stationary view, first, last bool) {
	fl := uint8(4)
	if first {
		fl = 1
	}
	if last {
		fl |= 2
	}
	b.op("matmul", machine.PE, []view{dst}, []arg{av(moving), av(stationary)}, penguin.ISA{Flags: fl})
}

func f32bits(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }

// as reinterprets the bytes of v as elements of t; widths must agree unless the view is contiguous.
func (v view) as(t dtype.Type) view {
	v.dt = t
	return v
}

// transpose emits dst = x transposed through the PE; id is the identity of x's partition count.
func (b *builder) transpose(dst, x, id view) {
	b.op("matmul", machine.PE, []view{dst}, []arg{av(id), av(x)}, penguin.ISA{Flags: 3, Transpose: b.s.m.Gen != machine.Gen2})
}

// evict copies out of PSUM on the less busy of DVE and ACT.
func (b *builder) evict(dst, src view) {
	if b.s.m.Gen != machine.Gen2 && b.busy[machine.ACT] < b.busy[machine.DVE] {
		b.copy(machine.ACT, dst, src)
	} else {
		b.copy(machine.DVE, dst, src)
	}
}

func elemsOf(v view) int64 {
	n := int64(1)
	for _, d := range v.free {
		n *= d.Count
	}
	return n
}

// errDecline is the private signal of an emitter that cannot handle a case.
var errDecline = errors.New("declined")

func sortDesc(c []int64) { sort.Slice(c, func(i, j int) bool { return c[i] > c[j] }) }

func sort1(a []int, key func(i int) int64) {
	sort.SliceStable(a, func(i, j int) bool { return key(a[i]) < key(a[j]) })
}
