// Package isel turns op-level penguin into ISA-level tiles and those into BIR.
//
// Every op-level instruction is brought into a nest: parallel and reduced axes, and for each operand the element
// index as a linear form of the axes. A nest says everything a tile needs: which axis lies on partitions, which in
// the free space, and the strides by which a DMA fills a tile from row-major DRAM:
//
//	%6 = contract(a[b, m, k], w[k, n]) -> y[b, m, n]
//	axes  b m n | k      a: 8192 128 0 1   w: 0 0 256 ...   y: ...
//
// Tensors live where their home says: in DRAM, or on chip with some digits of the row-major index on partitions.
// With every home in DRAM this is the generic path: load, compute, store.
package isel

import (
	"context"
	"fmt"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin"
)

// Options steer selection.
type Options struct {
	OptLevel   int
	SBUFBudget int64 // bytes per partition that tiles and resident tensors may take; 0: the generation's
}

// selector is the state of one function.
type selector struct {
	m     *penguin.Module
	fn    *penguin.Func
	spec  *machine.Spec
	opts  Options
	b     *builder
	vers  map[*penguin.Tensor]*versions
	uses  *uses
	cache *regionCache
}

// Select replaces the op-level bodies of m by ISA-level instructions and runs the passes over those.
func Select(m *penguin.Module, spec *machine.Spec, opts Options) error {
	_, err := pass.Run(context.Background(), Passes(spec, opts), m, pass.Options[*penguin.Module]{Level: "isel"})
	return err
}

// selectAll replaces the op-level bodies of m by ISA-level instructions.
func selectAll(m *penguin.Module, spec *machine.Spec, opts Options) error {
	for _, f := range m.Funcs {
		s := &selector{m: m, fn: f, spec: spec, opts: opts, vers: map[*penguin.Tensor]*versions{}}
		s.b = &builder{fn: f, s: s, names: map[string]int{}, ids: new(int)}
		s.uses = findUses(f.Body)
		body, err := s.region(f.Body)
		if err != nil {
			return err
		}
		f.Body = body
		pruneTensors(f)
	}
	return nil
}

// regionCache holds helper tiles (constants, identities) that are valid in the straight-line code after them.
type regionCache struct {
	outer *regionCache
	tiles map[string]view
}

func (s *selector) cached(key string, make func() view) view {
	for c := s.cache; c != nil; c = c.outer {
		if v, ok := c.tiles[key]; ok {
			return v
		}
	}
	v := make()
	s.cache.tiles[key] = v
	return v
}

// region selects a statement list. Helper tiles made inside are not visible outside, because a loop body may not
// run.
func (s *selector) region(body []penguin.Stmt) ([]penguin.Stmt, error) {
	var out []penguin.Stmt
	saved := s.b.body
	s.b.body = &out
	s.cache = &regionCache{outer: s.cache, tiles: map[string]view{}}
	vers := s.vers
	s.vers = map[*penguin.Tensor]*versions{}
	defer func() {
		s.b.body = saved
		s.cache = s.cache.outer
		// What the region may have written lies in DRAM; other versions outside are as before.
		for t, v := range vers {
			if len(s.uses.writers[t]) > 0 && s.uses.region[t] < 0 {
				v.dram, v.chip = t, nil
			}
		}
		s.vers = vers
	}()
	for _, st := range body {
		switch st := st.(type) {
		case *penguin.Inst:
			if err := s.inst(st); err != nil {
				return nil, err
			}
		case *penguin.Cluster:
			for _, in := range st.Ops {
				if err := s.inst(in); err != nil {
					return nil, err
				}
			}
		case *penguin.Scope:
			b, err := s.region(st.Body)
			if err != nil {
				return nil, err
			}
			out = append(out, &penguin.Scope{Name: st.Name, NoReorder: st.NoReorder, Body: b})
		case *penguin.While:
			c, err := s.region(st.Cond)
			if err != nil {
				return nil, err
			}
			b, err := s.region(st.Body)
			if err != nil {
				return nil, err
			}
			out = append(out, &penguin.While{Cond: c, Pred: st.Pred, Body: b, Loc: st.Loc})
		default:
			return nil, diag.Internalf("PEN199", diag.Loc{}, "instruction selection met %T", st)
		}
	}
	return out, nil
}

// maxFree is the most elements a tile may have along the free space.
func (s *selector) maxFree() int64 {
	n := int64(1024)
	if s.opts.SBUFBudget > 0 {
		for n > 64 && n*4*16 > s.opts.SBUFBudget {
			n /= 2
		}
	}
	return n
}

// constCol is a [np,1] fp32 column of one value.
func (s *selector) constCol(f float64, np, p0 int) view {
	v := s.cached(fmt.Sprintf("col %g", f), func() view {
		c := s.b.tile(penguin.SBUF, "col", dtype.F32, maxPart, 1)
		s.b.memset(c, f32bits(f))
		return c
	})
	v.np, v.p0 = np, p0
	return v
}

// pruneTensors drops on-chip and scratch tensors that no instruction names.
func pruneTensors(f *penguin.Func) {
	used := map[*penguin.Tensor]bool{}
	var walk func(body []penguin.Stmt)
	walk = func(body []penguin.Stmt) {
		for _, st := range body {
			switch st := st.(type) {
			case *penguin.Inst:
				for _, side := range [][]penguin.Access{st.In, st.Out} {
					for i := range side {
						used[side[i].T] = true
						for _, x := range side[i].Ind {
							used[x.Index] = true
						}
					}
				}
			case *penguin.Scope:
				walk(st.Body)
			case *penguin.While:
				walk(st.Cond)
				walk(st.Body)
				used[st.Pred] = true
			}
		}
	}
	walk(f.Body)
	keep := f.Tensors[:0]
	for _, t := range f.Tensors {
		if used[t] || t.Kind&(penguin.Input|penguin.Output) != 0 {
			keep = append(keep, t)
		}
	}
	f.Tensors = keep
}
