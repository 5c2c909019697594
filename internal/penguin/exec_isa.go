package penguin

import (
	"math"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

// isaMem is the memory of a running ISA-level function: the bytes of each tensor, row-major. On chip a row is a
// partition.
type isaMem map[*Tensor][]byte

func (m isaMem) of(t *Tensor) []byte {
	for t.Alias != nil {
		t = t.Alias
	}
	b, ok := m[t]
	if !ok {
		n := int64(t.DType.Size())
		for _, d := range t.Shape {
			n *= d
		}
		b = make([]byte, n)
		for i := range b {
			b[i] = 0xFF // never-written memory reads as NaN
		}
		if t.Init != nil {
			copy(b, t.Init.Data)
		}
		m[t] = b
	}
	return b
}

// isaView is a resolved access: byte offsets of its elements, partition after partition.
type isaView struct {
	mem  []byte
	t    dtype.Type
	offs []int64
	np   int // partitions, 0 for DRAM
}

func (m isaMem) view(in *Inst, a *Access, env pelican.Env) (isaView, error) {
	tl := a.Tile
	v := isaView{mem: m.of(a.T), t: a.T.DType, np: tl.NP}
	if tl.DType != dtype.Invalid {
		v.t = tl.DType
	}
	sz := int64(v.t.Size())
	off, err := pelican.Eval(tl.Off, env)
	if err != nil {
		return v, err
	}
	for _, ind := range a.Ind {
		stride := int64(1)
		for _, d := range a.T.Shape[ind.Dim+1:] {
			stride *= d
		}
		pos := int64(0)
		for i, e := range ind.At {
			p, err := pelican.Eval(e, env)
			if err != nil {
				return v, err
			}
			pos = pos*ind.Index.Shape[i] + p
		}
		off += stride * min(max(loadInt(m.of(ind.Index), pos, ind.Index.DType), ind.Lo), ind.Hi)
	}
	row := int64(0)
	if tl.NP > 0 {
		row = int64(a.T.DType.Size())
		for _, d := range a.T.Shape[1:] {
			row *= d
		}
	}
	var walk func(d int, e int64)
	parts := max(tl.NP, 1)
	for p := 0; p < parts; p++ {
		base := int64(tl.P0+p) * row
		if tl.NP == 0 {
			base = 0
		}
		walk = func(d int, e int64) {
			if d == len(tl.Free) {
				v.offs = append(v.offs, base+e*sz)
				return
			}
			for i := int64(0); i < tl.Free[d].Count; i++ {
				walk(d+1, e+i*tl.Free[d].Step)
			}
		}
		walk(0, off)
		if tl.NP > 0 {
			for _, o := range v.offs[len(v.offs)/(p+1)*p:] {
				if o < base || o+sz > base+row {
					return v, diag.Internalf("PEN198", in.Loc, "%s: access to %s leaves its partition", in.Op.Name, a.T.Name)
				}
			}
		}
	}
	for _, o := range v.offs {
		if o < 0 || o+sz > int64(len(v.mem)) {
			return v, diag.Internalf("PEN198", in.Loc, "%s: access to %s out of bounds", in.Op.Name, a.T.Name)
		}
	}
	return v, nil
}

func loadInt(b []byte, i int64, t dtype.Type) int64 {
	n := int64(t.Size())
	var u uint64
	for k := n - 1; k >= 0; k-- {
		u = u<<8 | uint64(b[i*n+k])
	}
	if sh := uint(64 - 8*n); t.IsInt() && t.IsSigned() {
		return int64(u<<sh) >> sh
	}
	return int64(u)
}

func (v isaView) f(i int) float32 {
	var r [1]float32
	t := v.t
	if t == dtype.I1 {
		t = dtype.U8
	}
	dtype.RowToF32(r[:], v.mem[v.offs[i]:v.offs[i]+int64(t.Size())], t)
	return r[0]
}

func (v isaView) setF(i int, x float32) {
	t := v.t
	if t == dtype.I1 {
		t = dtype.U8
	}
	dtype.RowFromF32(v.mem[v.offs[i]:v.offs[i]+int64(t.Size())], []float32{x}, t)
}

func (v isaView) bits(i int) uint64 {
	var u uint64
	n := v.t.Size()
	for k := n - 1; k >= 0; k-- {
		u = u<<8 | uint64(v.mem[v.offs[i]+int64(k)])
	}
	return u
}

func (v isaView) int(i int) int64 {
	sh := uint(64 - 8*v.t.Size())
	if v.t.IsInt() && v.t.IsSigned() {
		return int64(v.bits(i)<<sh) >> sh
	}
	return int64(v.bits(i))
}

func (v isaView) setBits(i int, u uint64) {
	for k := 0; k < v.t.Size(); k++ {
		v.mem[v.offs[i]+int64(k)] = byte(u >> (8 * k))
	}
}

// per is the number of elements of each partition.
func (v isaView) per() int { return len(v.offs) / max(v.np, 1) }

// at maps element i of a tile of n elements per partition to v's element: its own, or the partition's only one.
func (v isaView) at(i, n int) int {
	if v.per() == 1 && n > 1 {
		return i / n
	}
	return i
}

// execISA runs one ISA-level instruction.
func (m isaMem) exec(in *Inst, env pelican.Env) error {
	at, _ := in.Attrs.(*ISA)
	if at == nil {
		return diag.Internalf("PEN198", in.Loc, "%s has no ISA payload", in.Op.Name)
	}
	var ins, outs []isaView
	for i := range in.In {
		v, err := m.view(in, &in.In[i], env)
		if err != nil {
			return err
		}
		ins = append(ins, v)
	}
	for i := range in.Out {
		v, err := m.view(in, &in.Out[i], env)
		if err != nil {
			return err
		}
		outs = append(outs, v)
	}
	dst := outs[0]
	n := len(dst.offs)
	same := func(k int) error {
		if len(ins[k].offs) != n && ins[k].per() != 1 {
			return diag.Internalf("PEN198", in.Loc, "%s: operand %d has %d elements, the result %d", in.Op.Name, k, len(ins[k].offs), n)
		}
		return nil
	}
	words := in.Op.Name == "tensor_tensor" && word(ins[0].t) && word(ins[1].t) && word(outs[0].t)
	if err := checkOperators(in, at, words); err != nil {
		return err
	}
	for k := range ins {
		switch in.Op.Name {
		case "matmul", "tensor_reduce":
		default:
			if err := same(k); err != nil {
				return err
			}
		}
	}
	// scal returns the value of operand position pos (tensors and scalars counted together) for element i.
	scal := func(pos int) func(i int) (float32, uint64, bool) {
		for _, im := range at.Imms {
			if im.Pos == pos {
				if im.Type.IsFloat() {
					return func(int) (float32, uint64, bool) { return float32(im.F), 0, true }
				}
				return func(int) (float32, uint64, bool) { return float32(im.I), uint64(im.I), true }
			}
		}
		k := pos
		for _, im := range at.Imms {
			if im.Pos < pos {
				k--
			}
		}
		if k >= len(ins) {
			return nil
		}
		v := ins[k]
		return func(i int) (float32, uint64, bool) { j := v.at(i, dst.per()); return v.f(j), v.bits(j), true }
	}
	res := make([]float32, n)
	put := func() {
		for i, x := range res {
			dst.setF(i, x)
		}
	}
	switch in.Op.Name {
	case "dma", "tensor_copy":
		if ins[0].t == dst.t {
			u := make([]uint64, n)
			for i := range u {
				u[i] = ins[0].bits(i)
			}
			for i := range u {
				dst.setBits(i, u[i])
			}
			return nil
		}
		for i := range res {
			res[i] = ins[0].f(i)
		}
		put()
	case "memset":
		for i := 0; i < n; i++ {
			dst.setBits(i, at.Bits)
		}
	case "iota":
		for i := 0; i < n; i++ {
			p, e := i/dst.per(), i%dst.per()
			x := at.Base + at.Channel*int64(p)
			for d := len(at.Pattern) - 1; d >= 0; d-- {
				x += at.Pattern[d].Step * (int64(e) % at.Pattern[d].Count)
				e /= int(at.Pattern[d].Count)
			}
			if dst.t.Size() == 4 && !dst.t.IsFloat() {
				dst.setBits(i, uint64(x))
			} else {
				dst.setF(i, float32(x))
			}
		}
	case "matmul":
		mv, st := ins[0], ins[1]
		k, mm, nn := mv.np, st.per(), mv.per()
		if st.np != k || dst.np != mm || dst.per() != nn {
			return diag.Internalf("PEN198", in.Loc, "matmul of [%d,%d] by [%d,%d] into [%d,%d]", k, nn, st.np, mm, dst.np, dst.per())
		}
		if at.Transpose {
			for i := 0; i < mm; i++ {
				for p := 0; p < k; p++ {
					dst.setF(i*nn+p, st.f(p*mm+i))
				}
			}
			return nil
		}
		for i := 0; i < mm; i++ {
			for j := 0; j < nn; j++ {
				acc := float32(0)
				for p := 0; p < k; p++ {
					acc += st.f(p*mm+i) * mv.f(p*nn+j)
				}
				o := i*nn + j
				if at.Flags&1 == 0 {
					acc = dst.f(o) + acc
				}
				dst.setF(o, acc)
			}
		}
	case "activation":
		x, bias := ins[0], scal(1)
		scale := scal(2)
		for i := range res {
			v := x.f(i)
			if scale != nil {
				s, _, _ := scale(i)
				v *= s
			} else if at.Scale != 1 {
				v *= float32(at.Scale)
			}
			b, _, _ := bias(i)
			v += b
			res[i] = actFn(at.Func, v, float32(at.Alpha))
		}
		put()
		if len(outs) > 1 {
			for p := 0; p < dst.np; p++ {
				s := float32(0)
				for i := p * dst.per(); i < (p+1)*dst.per(); i++ {
					s += res[i]
				}
				outs[1].setF(p, s)
			}
		}
	case "tensor_tensor":
		x, y := ins[0], ins[1]
		if BitOp(at.Op0) {
			for i := 0; i < n; i++ {
				dst.setBits(i, aluBits(at.Op0, x.bits(i), y.bits(i), x.t))
			}
			return nil
		}
		if words {
			u := make([]uint64, n)
			for i := range u {
				u[i] = uint64(aluInt(at.Op0, x.int(i), y.int(i)))
			}
			for i := range u {
				dst.setBits(i, u[i])
			}
			return nil
		}
		for i := range res {
			res[i] = aluF32(at.Op0, x.f(i), y.f(i))
		}
		put()
	case "tensor_scalar", "scalar_tensor_tensor":
		x, s0 := ins[0], scal(1)
		var s1 func(int) (float32, uint64, bool)
		if at.Op1 != "" {
			s1 = scal(2)
		}
		if BitOp(at.Op0) {
			for i := 0; i < n; i++ {
				_, b, _ := s0(i)
				u := aluBits(at.Op0, x.bits(i), b, x.t)
				if s1 != nil {
					_, b, _ = s1(i)
					u = aluBits(at.Op1, u, b, x.t)
				}
				dst.setBits(i, u)
			}
			return nil
		}
		for i := range res {
			v := x.f(i)
			b, _, _ := s0(i)
			if at.Rev0 {
				v = aluF32(at.Op0, b, v)
			} else {
				v = aluF32(at.Op0, v, b)
			}
			if s1 != nil {
				b, _, _ = s1(i)
				if at.Rev1 {
					v = aluF32(at.Op1, b, v)
				} else {
					v = aluF32(at.Op1, v, b)
				}
			}
			res[i] = v
		}
		put()
	case "tensor_reduce":
		x := ins[0]
		group := len(x.offs) / n
		if group*n != len(x.offs) {
			return diag.Internalf("PEN198", in.Loc, "tensor_reduce of %d elements to %d", len(x.offs), n)
		}
		for i := 0; i < n; i++ {
			if BitOp(at.Op0) {
				u := x.bits(i * group)
				for j := 1; j < group; j++ {
					u = aluBits(at.Op0, u, x.bits(i*group+j), x.t)
				}
				dst.setBits(i, u)
				continue
			}
			a := x.f(i * group)
			for j := 1; j < group; j++ {
				e := x.f(i*group + j)
				switch at.Op0 {
				case "max":
					if e > a {
						a = e
					}
				case "min":
					if e < a {
						a = e
					}
				default:
					a = aluF32(at.Op0, a, e)
				}
			}
			if at.Negate {
				a = -a
			}
			dst.setF(i, a)
		}
	case "copy_predicated":
		for i := 0; i < n; i++ {
			if (ins[1].bits(i) != 0) != at.Rev0 {
				dst.setBits(i, ins[0].bits(i))
			}
		}
	case "reciprocal":
		for i := range res {
			res[i] = 1 / ins[0].f(i)
		}
		put()
	default:
		return diag.Internalf("PEN198", in.Loc, "ISA-level op %s has no interpreter", in.Op.Name)
	}
	return nil
}

func word(t dtype.Type) bool { return t == dtype.I32 || t == dtype.U32 }

// BitOp reports ALU operators that act on bit patterns.
func BitOp(op string) bool {
	switch op {
	case "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_shift_left", "logical_shift_right", "arith_shift_left", "arith_shift_right":
		return true
	}
	return false
}

func aluBits(op string, a, b uint64, t dtype.Type) uint64 {
	w := uint(8 * t.Size())
	switch op {
	case "bitwise_and":
		return a & b
	case "bitwise_or":
		return a | b
	case "bitwise_xor":
		return a ^ b
	case "bitwise_not":
		return ^a
	case "logical_shift_left", "arith_shift_left":
		if b >= uint64(w) {
			return 0
		}
		return a << b
	case "logical_shift_right":
		if b >= uint64(w) {
			return 0
		}
		return a >> b
	}
	s := int64(a<<(64-w)) >> (64 - w)
	return uint64(s >> min(b, 63))
}

func aluInt(op string, a, b int64) int64 {
	truth := func(c bool) int64 {
		if c {
			return 1
		}
		return 0
	}
	switch op {
	case "add":
		return a + b
	case "subtract":
		return a - b
	case "mult":
		return a * b
	case "max":
		return max(a, b)
	case "min":
		return min(a, b)
	case "is_equal":
		return truth(a == b)
	case "not_equal":
		return truth(a != b)
	case "is_gt":
		return truth(a > b)
	case "is_ge":
		return truth(a >= b)
	case "is_lt":
		return truth(a < b)
	case "is_le":
		return truth(a <= b)
	}
	return 0
}

func aluF32(op string, a, b float32) float32 {
	truth := func(c bool) float32 {
		if c {
			return 1
		}
		return 0
	}
	switch op {
	case "add":
		return a + b
	case "subtract":
		return a - b
	case "mult":
		return a * b
	case "max":
		if a > b {
			return a
		}
		return b
	case "min":
		if a < b {
			return a
		}
		return b
	case "pow":
		return float32(math.Pow(float64(a), float64(b)))
	case "is_equal":
		return truth(a == b)
	case "not_equal":
		return truth(a != b)
	case "is_gt":
		return truth(a > b)
	case "is_ge":
		return truth(a >= b)
	case "is_lt":
		return truth(a < b)
	case "is_le":
		return truth(a <= b)
	}
	return float32(math.NaN())
}

// actFn is the exact activation function (semantics.md 6.3).
func actFn(fn string, v, alpha float32) float32 {
	x := float64(v)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	var y float64
	switch fn {
	case "Identity", "Copy":
		return v
	case "Square":
		return v * v
	case "Relu":
		y = math.Max(x, 0)
	case "Abs":
		y = math.Abs(x)
	case "Sign":
		switch {
		case x > 0:
			y = 1
		case x < 0:
			y = -1
		default:
			y = x
		}
	case "Sigmoid":
		y = sigmoid(x)
	case "Tanh":
		y = math.Tanh(x)
	case "Exp":
		y = math.Exp(x)
	case "Ln":
		y = math.Log(x)
	case "Sqrt":
		y = math.Sqrt(x)
	case "Rsqrt":
		y = 1 / math.Sqrt(x)
	case "Erf":
		y = math.Erf(x)
	case "Sin":
		y = math.Sin(x)
	case "Arctan":
		y = math.Atan(x)
	case "Gelu":
		y = x / 2 * (1 + math.Erf(x/math.Sqrt2))
	case "Gelu_apprx_tanh":
		y = x / 2 * (1 + math.Tanh(0.7978845608028654*(x+0.044715*x*x*x)))
	case "Silu":
		y = x * sigmoid(x)
	case "Reciprocal":
		y = 1 / x
	default:
		y = math.NaN()
	}
	return float32(y)
}

// ExecISA runs an ISA-level module on named inputs and returns its outputs.
func ExecISA(m *Module, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	f := m.Funcs[0]
	mem := isaMem{}
	for _, t := range f.Tensors {
		if t.Kind&Input != 0 {
			x := inputs[t.IOName]
			if x == nil {
				return nil, diag.Errorf("PEN197", t.Loc, "no value for input %s", t.IOName)
			}
			copy(mem.of(t), x.Data)
		}
	}
	if err := mem.stmts(f.Body); err != nil {
		return nil, err
	}
	out := map[string]*tensor.Tensor{}
	for _, t := range f.Tensors {
		if t.Kind&Output == 0 {
			continue
		}
		shape := make([]int, len(t.Shape))
		for i, d := range t.Shape {
			shape[i] = int(d)
		}
		x := tensor.New(t.DType, shape...)
		copy(x.Data, mem.of(t))
		out[t.IOName] = x
	}
	return out, nil
}

func (m isaMem) stmts(body []Stmt) error {
	for _, s := range body {
		switch s := s.(type) {
		case *Inst:
			if err := m.exec(s, pelican.MapEnv{}); err != nil {
				return err
			}
		case *Scope:
			if err := m.stmts(s.Body); err != nil {
				return err
			}
		case *While:
			for {
				if err := m.stmts(s.Cond); err != nil {
					return err
				}
				if loadInt(m.of(s.Pred), 0, s.Pred.DType) == 0 {
					break
				}
				if err := m.stmts(s.Body); err != nil {
					return err
				}
			}
		default:
			return diag.Internalf("PEN198", diag.Loc{}, "interpreter met %T", s)
		}
	}
	return nil
}
