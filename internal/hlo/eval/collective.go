package eval

import (
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Collectives: processes of a group exchange operands, then each computes its own result.

// grouping says how replica_groups name processes when there is a channel and ids are not global (frontend.md 6.5).
type grouping uint8

const (
	crossBoth      grouping = 0 // replicas, each with all its partitions
	crossPartition grouping = 1 // partitions of the same replica
)

func init() {
	register("stablehlo.all_gather", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		all, _, err := m.gatherGroup(o, crossBoth, in)
		if err != nil {
			return nil, err
		}
		return eachOperand(in, func(k int) (*tensor.Tensor, error) {
			return concat(column(all, k), int(o.IntOr("all_gather_dim", 0))), nil
		})
	})
	register("stablehlo.all_to_all", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		all, pos, err := m.gatherGroup(o, crossPartition, in)
		if err != nil {
			return nil, err
		}
		s, c := int(o.IntOr("split_dimension", 0)), int(o.IntOr("concat_dimension", 0))
		return eachOperand(in, func(k int) (*tensor.Tensor, error) {
			parts := column(all, k)
			for i, t := range parts {
				if parts[i], err = part1(o, t, s, pos, len(parts)); err != nil {
					return nil, err
				}
			}
			return concat(parts, c), nil
		})
	})
	register("stablehlo.collective_broadcast", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		all, pos, err := m.gatherGroup(o, crossPartition, in)
		if err != nil {
			return nil, err
		}
		if pos < 0 {
			return one(tensor.New(in[0].T.Type, in[0].T.Shape...)), nil
		}
		return all[0], nil
	})
	register("stablehlo.collective_permute", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		p := m.self()
		var group []id
		n := p.g.replicas
		if channel(o) > 0 {
			n = p.g.partitions
		}
		for i := range n {
			group = append(group, p.at(o, int64(i)))
		}
		all, err := p.exchange(o, group, in)
		if err != nil {
			return nil, err
		}
		for _, from := range p.peers(o, 1) {
			for i, q := range group {
				if q == from {
					return all[i], nil
				}
			}
		}
		return one(tensor.New(in[0].T.Type, in[0].T.Shape...)), nil
	})
	register("stablehlo.cross-replica-sum", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		all, _, err := m.gatherGroup(o, crossBoth, in)
		if err != nil {
			return nil, err
		}
		sum := all[0][0].T
		for _, v := range all[1:] {
			if sum, err = binaries["stablehlo.add"].apply(o, sum, v[0].T); err != nil {
				return nil, err
			}
		}
		return one(sum), nil
	})
}

func runAllReduce(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	all, _, err := m.gatherGroup(o, crossBoth, in)
	if err != nil {
		return nil, err
	}
	return eachOperand(in, func(k int) (*tensor.Tensor, error) { return m.foldColumn(o, column(all, k), e) })
}

func runReduceScatter(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	all, pos, err := m.gatherGroup(o, crossBoth, in)
	if err != nil {
		return nil, err
	}
	t, err := m.foldColumn(o, column(all, 0), e)
	if err != nil {
		return nil, err
	}
	if t, err = part1(o, t, int(o.IntOr("scatter_dimension", 0)), pos, len(all)); err != nil {
		return nil, err
	}
	return one(t), nil
}

// foldColumn folds tensors of equal shape element by element with the op's region, in group order.
func (m *machine) foldColumn(o *hlo.Op, ts []*tensor.Tensor, e env) (*tensor.Tensor, error) {
	b := o.Body(0)
	n := numElems(ts[0])
	acc := reshaped(ts[0], []int{n})
	for _, t := range ts[1:] {
		r, err := m.fold(b, []*tensor.Tensor{acc, reshaped(t, []int{n})}, n, scalarBody(b), e)
		if err != nil {
			return nil, err
		}
		acc = r[0]
	}
	return reshaped(acc, ts[0].Shape), nil
}

// gatherGroup exchanges operands within the group of this process and returns them in group order, with its own
// place. A process in no group gets only its own.
func (m *machine) gatherGroup(o *hlo.Op, with grouping, in []Val) ([][]Val, int, error) {
	p := m.self()
	group, pos := p.group(o, with)
	if pos < 0 {
		return [][]Val{in}, -1, nil
	}
	all, err := p.exchange(o, group, in)
	return all, pos, err
}

// group finds the processes that take part with this one, and its place among them, -1 when it is in no group.
func (p *process) group(o *hlo.Op, with grouping) ([]id, int) {
	for _, g := range p.groups(o, with) {
		for i, q := range g {
			if q == p.id {
				return g, i
			}
		}
	}
	return nil, -1
}

func (p *process) groups(o *hlo.Op, with grouping) [][]id {
	rows := p.rows(o, with)
	var out [][]id
	for _, row := range rows {
		switch {
		case o.Bool("use_global_device_ids"):
			var g []id
			for _, n := range row {
				g = append(g, id{n / p.g.partitions, n % p.g.partitions})
			}
			out = append(out, g)
		case channel(o) <= 0:
			for q := range p.g.partitions {
				var g []id
				for _, n := range row {
					g = append(g, id{n, q})
				}
				out = append(out, g)
			}
		case with == crossPartition:
			for r := range p.g.replicas {
				var g []id
				for _, n := range row {
					g = append(g, id{r, n})
				}
				out = append(out, g)
			}
		default:
			var g []id
			for q := range p.g.partitions {
				for _, n := range row {
					g = append(g, id{n, q})
				}
			}
			out = append(out, g)
		}
	}
	return out
}

// rows reads replica_groups; -1 pads short rows. No rows means one with everybody.
func (p *process) rows(o *hlo.Op, with grouping) [][]int {
	d, _ := o.Attrs.Get("replica_groups").(*hlo.DenseAttr)
	var out [][]int
	if d != nil && len(d.Type.Dims) == 2 {
		v := d.Ints()
		w := int(d.Type.Dims[1])
		for i := 0; w > 0 && i+w <= len(v); i += w {
			var row []int
			for _, n := range v[i : i+w] {
				if n >= 0 {
					row = append(row, int(n))
				}
			}
			out = append(out, row)
		}
	}
	if len(out) > 0 {
		return out
	}
	n := p.g.replicas
	switch {
	case o.Bool("use_global_device_ids"):
		n *= p.g.partitions
	case channel(o) > 0 && with == crossPartition:
		n = p.g.partitions
	}
	row := make([]int, n)
	for i := range row {
		row[i] = i
	}
	return [][]int{row}
}

// column is operand k of every process.
func column(all [][]Val, k int) []*tensor.Tensor {
	out := make([]*tensor.Tensor, len(all))
	for i, v := range all {
		out[i] = v[k].T
	}
	return out
}

func eachOperand(in []Val, f func(k int) (*tensor.Tensor, error)) ([]Val, error) {
	out := make([]Val, len(in))
	for k := range in {
		t, err := f(k)
		if err != nil {
			return nil, err
		}
		out[k] = Val{T: t}
	}
	return out, nil
}

// part1 is piece k of n equal ones along a dimension.
func part1(o *hlo.Op, t *tensor.Tensor, dim, k, n int) (*tensor.Tensor, error) {
	if t.Shape[dim]%n != 0 || k < 0 {
		return nil, errf(o, CodeShape, "dimension %d of extent %d does not split among %d processes", dim, t.Shape[dim], n)
	}
	w := t.Shape[dim] / n
	return span(t, dim, k*w, (k+1)*w), nil
}
