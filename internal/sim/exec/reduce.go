package exec

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
)

func init() {
	register(bir.TensorReduce, runReduce)
	register(bir.Pool, runPool)
	register(bir.BNStats, runBNStats)
	register(bir.BNStatsAggregate, runBNAggregate)
	register(bir.Max, runMax8)
	register(bir.MaxIndex, runFindIndex8)
	register(bir.MatchReplace, runMatchReplace8)
	register(bir.MaxIndexAndMatchReplace, runMatchReplace8)
}

// Axes values of a reduction that leaves the free dimensions.
const (
	AxesPartition = -1 // across partitions, free dimensions kept
	AxesAll       = -2 // across partitions and free dimensions
)

// innermost returns the product of the counts of the k innermost dimensions as the instruction states them.
// Normalise may have merged dimensions, so the loaders record the group size in Count0.
func runReduce(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	if in.Axes < 0 {
		return s.partitionReduce(in)
	}
	src, dst := &in.In[0], &in.Out[0]
	if src.Rows() != dst.Rows() {
		return diag.Errorf(CodeShape, diag.Loc{}, "TensorReduce: partition count mismatch: %d and %d", src.Rows(), dst.Rows())
	}
	if dst.N == 0 || src.N%dst.N != 0 || in.Axes > 0 && src.N/dst.N != in.Axes {
		return diag.Errorf(CodeShape, diag.Loc{}, "TensorReduce: %d elements do not reduce to %d in groups of %d", src.N, dst.N, in.Axes)
	}
	group := src.N / dst.N
	op := in.Alu[0]
	if isBitvec(op) {
		x := make([]uint32, src.N)
		return s.eachRowBits(in, dst, func(p int, d []uint32) error {
			if err := s.loadBits(x, src, p, false); err != nil {
				return err
			}
			for i := range d {
				acc := x[i*group]
				for _, v := range x[i*group+1 : (i+1)*group] {
					acc = bitOp(op, acc, v, src.Size*8)
				}
				d[i] = acc
			}
			return nil
		})
	}
	x := s.scratch.floats(1, src.N)
	return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.loadF32(x, src, p); err != nil {
			return err
		}
		for i := range d {
			acc, err := reduceGroup(op, x[i*group:(i+1)*group])
			if err != nil {
				return err
			}
			if in.Negate {
				acc = -acc
			}
			d[i] = acc
		}
		return nil
	})
}

// reduceGroup folds x from its first element; logical operations first normalise it to 0 or 1.
func reduceGroup(op bir.AluOp, x []float32) (float32, error) {
	acc := x[0]
	switch op {
	case bir.AluLogicalAnd, bir.AluLogicalOr, bir.AluLogicalXor:
		acc = b2f(acc != 0)
	case bir.AluAverage:
		r := 1 / float32(len(x))
		acc = x[0] * r
		for _, v := range x[1:] {
			acc += float32(v * r)
		}
		return acc, nil
	}
	return accumulate(op, acc, x[1:])
}

// partitionReduce folds partitions in ascending order into one.
func (s *State) partitionReduce(in *Instr) error {
	src, dst := &in.In[0], &in.Out[0]
	all := in.Axes == AxesAll
	if dst.Rows() != 1 || !all && dst.N != src.N || all && dst.N != 1 {
		return diag.Errorf(CodeShape, diag.Loc{}, "partition reduction of [%d, %d] cannot fill [%d, %d]", src.Rows(), src.N, dst.Rows(), dst.N)
	}
	op := in.Alu[0]
	if isBitvec(op) {
		acc, x := make([]uint32, src.N), make([]uint32, src.N)
		for p := range src.Rows() {
			if err := s.loadBits(x, src, p, false); err != nil {
				return err
			}
			if p == 0 {
				copy(acc, x)
				continue
			}
			for i := range acc {
				acc[i] = bitOp(op, acc[i], x[i], src.Size*8)
			}
		}
		for i := 1; all && i < len(acc); i++ {
			acc[0] = bitOp(op, acc[0], acc[i], src.Size*8)
		}
		return s.storeBits(acc, dst, 0)
	}
	acc, x := make([]float32, src.N), make([]float32, src.N)
	scale := float32(1)
	fold := op
	if op == bir.AluAverage {
		n := src.Rows()
		if all {
			n *= src.N
		}
		scale, fold = 1/float32(n), bir.AluAdd
	}
	for p := range src.Rows() {
		if err := s.loadF32(x, src, p); err != nil {
			return err
		}
		if op == bir.AluAverage {
			for i := range x {
				x[i] *= scale
			}
		}
		if p == 0 {
			copy(acc, x)
			continue
		}
		f, err := aluFunc(fold)
		if err != nil {
			return err
		}
		for i := range acc {
			acc[i] = f(acc[i], x[i])
			if fold == bir.AluMax && !(x[i] > acc[i]) && acc[i] != acc[i] {
				continue
			}
		}
	}
	if all {
		v, err := accumulate(fold, acc[0], acc[1:])
		if err != nil {
			return err
		}
		acc[0] = v
	}
	return s.storeF32(acc, dst, 0)
}

// runPool reduces the innermost group of elements by maximum or average.
func runPool(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if dst.N == 0 || src.N%dst.N != 0 || src.Rows() != dst.Rows() {
		return diag.Errorf(CodeShape, diag.Loc{}, "Pool: %d elements do not reduce to %d", src.N, dst.N)
	}
	group := src.N / dst.N
	x := s.scratch.floats(1, src.N)
	return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.loadF32(x, src, p); err != nil {
			return err
		}
		for i := range d {
			g := x[i*group : (i+1)*group]
			if in.PoolAvg {
				acc, _ := accumulate(bir.AluAdd, 0, g)
				d[i] = acc * (1 / float32(group))
			} else {
				acc, _ := accumulate(bir.AluMax, -math.MaxFloat32, g)
				d[i] = acc
			}
		}
		return nil
	})
}

// runBNStats writes count, mean and squared deviation of the even and the odd elements (Welford, float32).
func runBNStats(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if dst.N != 6 || src.N > 512 || src.Rows() != dst.Rows() {
		return diag.Errorf(CodeShape, diag.Loc{}, "BNStats: %d elements (at most 512) to %d (6)", src.N, dst.N)
	}
	x := s.scratch.floats(1, src.N)
	return s.eachRow(in, dst, 6, func(p int, d []float32) error {
		if err := s.loadF32(x, src, p); err != nil {
			return err
		}
		for par := range 2 {
			var mean, m2, n float32
			for i := par; i < len(x); i += 2 {
				n++
				r := 1 / n
				next := float32((1-r)*mean) + float32(r*x[i])
				m2 += float32((x[i] - next) * (x[i] - mean))
				mean = next
			}
			d[3*par], d[3*par+1], d[3*par+2] = n, mean, m2
		}
		return nil
	})
}

// runBNAggregate merges (count, mean, squared deviation) triples into mean and population variance.
func runBNAggregate(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if dst.N != 2 || src.N%3 != 0 || src.Rows() != dst.Rows() {
		return diag.Errorf(CodeShape, diag.Loc{}, "BNStatsAggregate: %d elements (triples) to %d (2)", src.N, dst.N)
	}
	x := s.scratch.floats(1, src.N)
	return s.eachRow(in, dst, 2, func(p int, d []float32) error {
		if err := s.loadF32(x, src, p); err != nil {
			return err
		}
		var n, mean, v float32
		for i := 0; i < len(x); i += 3 {
			c, m, q := x[i], x[i+1], x[i+2]
			if c == 0 {
				continue
			}
			total := n + c
			r := 1 / total
			dm := mean - m
			mean = float32(float32(mean*n)+float32(m*c)) * r
			v = float32(float32(float32(v*n)+q)*r) + float32(float32(float32(float32(float32(n*c)*dm)*dm)*r)*r)
			n = total
		}
		d[0], d[1] = mean, v
		return nil
	})
}

// runMax8 keeps the eight largest values in descending order; equal values keep stream order.
func runMax8(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if dst.N != 8 || src.N < 8 || src.N > 16384 || src.Rows() != dst.Rows() {
		return diag.Errorf(CodeShape, diag.Loc{}, "Max: %d elements (8..16384) to %d (8)", src.N, dst.N)
	}
	x := s.scratch.floats(1, src.N)
	return s.eachRow(in, dst, 8, func(p int, d []float32) error {
		if err := s.loadF32(x, src, p); err != nil {
			return err
		}
		n := 0
		for _, v := range x {
			k := 0
			for k < n && !(v > d[k]) {
				k++
			}
			if k == 8 || v != v && k < n {
				continue
			}
			if n < 8 {
				n++
			}
			copy(d[k+1:n], d[k:n-1])
			d[k] = v
		}
		return nil
	})
}

// find8 returns, for each of eight values, the position of its next unclaimed occurrence, or -1.
func find8(vals, x []float32, order [8]int) (pos [8]int) {
	used := map[int]bool{}
	for _, i := range order {
		pos[i] = -1
		for k, v := range x {
			if v == vals[i] && !used[k] {
				pos[i] = k
				used[k] = true
				break
			}
		}
	}
	return pos
}

var (
	ascending  = [8]int{0, 1, 2, 3, 4, 5, 6, 7}
	descending = [8]int{7, 6, 5, 4, 3, 2, 1, 0}
)

// runFindIndex8: operands are the eight values and the data.
func runFindIndex8(s *State, in *Instr) error {
	if err := operands(in, 2, 1); err != nil {
		return err
	}
	vals, src, dst := &in.In[0], &in.In[1], &in.Out[0]
	if vals.N != 8 || dst.N != 8 || src.Rows() != dst.Rows() || vals.Rows() != dst.Rows() {
		return diag.Errorf(CodeShape, diag.Loc{}, "MaxIndex: needs 8 values and 8 results, has %d and %d", vals.N, dst.N)
	}
	x, v := make([]float32, src.N), make([]float32, 8)
	return s.eachRowBits(in, dst, func(p int, d []uint32) error {
		if err := s.loadF32(x, src, p); err != nil {
			return err
		}
		if err := s.loadF32(v, vals, p); err != nil {
			return err
		}
		for i, k := range find8(v, x, ascending) {
			d[i] = uint32(k)
		}
		return nil
	})
}

// runMatchReplace8 replaces the matches of eight values, last value first, and may write their positions.
func runMatchReplace8(s *State, in *Instr) error {
	if err := operands(in, 2, 1); err != nil {
		return err
	}
	vals, src, dst := &in.In[0], &in.In[1], &in.Out[0]
	if vals.N != 8 || src.N != dst.N || src.Rows() != dst.Rows() || vals.Rows() != dst.Rows() {
		return diag.Errorf(CodeShape, diag.Loc{}, "MatchReplace: needs 8 values and equal data and result sizes, has %d, %d and %d", vals.N, src.N, dst.N)
	}
	v := make([]float32, 8)
	imm := math.Float32frombits(in.Fill)
	idx := make([][8]int, dst.Rows())
	err := s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.loadF32(d, src, p); err != nil {
			return err
		}
		if err := s.loadF32(v, vals, p); err != nil {
			return err
		}
		idx[p] = find8(v, d, descending)
		for _, k := range idx[p] {
			if k >= 0 {
				d[k] = imm
			}
		}
		return nil
	})
	if err != nil || len(in.Out) < 2 {
		return err
	}
	out := &in.Out[1]
	for p := range out.Rows() {
		w := make([]uint32, 8)
		for i, k := range idx[p] {
			w[i] = uint32(k)
		}
		if err := s.storeBits(w, out, p); err != nil {
			return err
		}
	}
	return nil
}
