package isel

import "github.com/alcadev/alca/internal/penguin"

// A nest is the iteration space of one op-level instruction in normal form: every axis runs from 0 to n-1 and
// every access is linear in the axes, as an element index into its row-major tensor.
type nest struct {
	ax  []nestAxis
	acc []lin // inputs, then outputs
	nin int
}

type nestAxis struct {
	n      int64
	reduce bool
}

// lin is off + sum(c[i]*axis i).
type lin struct {
	t   *penguin.Tensor
	off int64
	c   []int64
}

func (l lin) clone() lin {
	l.c = append([]int64(nil), l.c...)
	return l
}

func (n *nest) clone() *nest {
	m := &nest{ax: append([]nestAxis(nil), n.ax...), nin: n.nin}
	for _, a := range n.acc {
		m.acc = append(m.acc, a.clone())
	}
	return m
}

func (n *nest) in(i int) *lin  { return &n.acc[i] }
func (n *nest) out(i int) *lin { return &n.acc[n.nin+i] }

// split replaces axis i by an outer axis of n/inner values and an inner axis of inner values.
func (n *nest) split(i int, inner int64) {
	a := n.ax[i]
	n.ax = append(n.ax[:i+1], n.ax[i:]...)
	n.ax[i] = nestAxis{a.n / inner, a.reduce}
	n.ax[i+1] = nestAxis{inner, a.reduce}
	for k := range n.acc {
		c := n.acc[k].c
		c = append(c[:i+1], c[i:]...)
		c[i], c[i+1] = c[i]*inner, c[i]
		n.acc[k].c = c
	}
}

// drop removes axis i, which must have one value (at 0).
func (n *nest) drop(i int) {
	n.ax = append(n.ax[:i], n.ax[i+1:]...)
	for k := range n.acc {
		c := n.acc[k].c
		n.acc[k].c = append(c[:i], c[i+1:]...)
	}
}

// move makes axis i the axis at position j.
func (n *nest) move(i, j int) {
	order := make([]int, 0, len(n.ax))
	for k := range n.ax {
		if k != i {
			order = append(order, k)
		}
	}
	order = append(order[:j], append([]int{i}, order[j:]...)...)
	n.permute(order)
}

// permute reorders the axes: new axis k is old axis order[k].
func (n *nest) permute(order []int) {
	ax := make([]nestAxis, len(order))
	for k, o := range order {
		ax[k] = n.ax[o]
	}
	n.ax = ax
	for a := range n.acc {
		c := make([]int64, len(order))
		for k, o := range order {
			c[k] = n.acc[a].c[o]
		}
		n.acc[a].c = c
	}
}

// trim drops axes of one value and merges neighbours that every access walks as one; keep says which adjacent
// pairs may be merged (nil: all of one role).
func (n *nest) trim(keep func(i int) bool) {
	for i := len(n.ax) - 1; i >= 0; i-- {
		if n.ax[i].n == 1 {
			n.drop(i)
		}
	}
	for i := len(n.ax) - 2; i >= 0; i-- {
		if n.ax[i].reduce != n.ax[i+1].reduce || keep != nil && !keep(i) {
			continue
		}
		ok := true
		for _, a := range n.acc {
			if a.c[i] != a.c[i+1]*n.ax[i+1].n {
				ok = false
				break
			}
		}
		if !ok {
			continue
		}
		n.ax[i+1].n *= n.ax[i].n
		n.drop0(i)
	}
}

// drop0 removes axis i whatever its extent.
func (n *nest) drop0(i int) { n.drop(i) }

// size is the number of points over the parallel or the reduced axes.
func (n *nest) size(reduce bool) int64 {
	p := int64(1)
	for _, a := range n.ax {
		if a.reduce == reduce {
			p *= a.n
		}
	}
	return p
}

// box is a sub-range of each axis: first value and count.
type box struct {
	lo, n []int64
}

func (n *nest) whole() box {
	b := box{make([]int64, len(n.ax)), make([]int64, len(n.ax))}
	for i, a := range n.ax {
		b.n[i] = a.n
	}
	return b
}

func (b box) with(i int, lo, n int64) box {
	c := box{append([]int64(nil), b.lo...), append([]int64(nil), b.n...)}
	c.lo[i], c.n[i] = lo, n
	return c
}

// at is the element index of l at the low corner of b.
func (l *lin) at(b box) int64 {
	e := l.off
	for i, c := range l.c {
		e += c * b.lo[i]
	}
	return e
}
