package opt

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

// CodeRecursion marks a function that calls itself, directly or through others.
const CodeRecursion = "HLO080"

// CodeSize marks a program that grows beyond measure when its calls are expanded.
const CodeSize = "HLO081"

// maxInlined bounds the ops of a module after inlining: calls may nest so that they multiply.
const maxInlined = 1 << 20

// inline replaces calls and composites by the bodies they name, and drops private functions nobody names any more:
//
//	func.call @f(%x)                           =>  the ops of @f, with %x for its parameter
//	stablehlo.composite "n" %x {decomposition = @f}  =>  the same
//
// Calls of functions without a body stay. A function that reaches itself is refused.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "inline", Doc: "expand calls and composites", Required: true, Run: inline})
}

func inline(m *hlo.Module) error {
	in := &inliner{m: m, state: map[*hlo.Func]int{}, ops: map[*hlo.Func]int{}}
	for _, f := range m.Funcs {
		if err := in.function(f); err != nil {
			return err
		}
	}
	for _, s := range m.Subs {
		if err := inline(s); err != nil {
			return err
		}
	}
	dropUnused(m)
	return nil
}

const (
	expanding = iota + 1
	expanded
)

type inliner struct {
	m     *hlo.Module
	state map[*hlo.Func]int
	ops   map[*hlo.Func]int // of expanded functions
	size  int
}

// function expands the calls in f; callees are expanded first.
func (in *inliner) function(f *hlo.Func) error {
	if f.Body == nil || in.state[f] == expanded {
		return nil
	}
	in.state[f] = expanding
	subst := hlo.Subst{}
	if err := in.region(f.Body, subst); err != nil {
		return err
	}
	subst.Apply(f.Body)
	in.state[f] = expanded
	hlo.WalkOps(f.Body, func(*hlo.Op) { in.ops[f]++ })
	return nil
}

func (in *inliner) region(r *hlo.Region, subst hlo.Subst) error {
	for _, b := range r.Blocks {
		out := make([]*hlo.Op, 0, len(b.Ops))
		for _, o := range b.Ops {
			for _, s := range o.Regions {
				if err := in.region(s, subst); err != nil {
					return err
				}
			}
			f := in.callee(o)
			if f == nil {
				out = append(out, o)
				continue
			}
			if in.state[f] == expanding {
				return diag.Errorf(CodeRecursion, o.Loc, "@%s calls itself: recursion has no translation", f.Name).WithNote(f.Loc, "@%s is here", f.Name)
			}
			if err := in.function(f); err != nil {
				return err
			}
			body := f.Body.Blocks[0]
			if in.size += in.ops[f]; in.size > maxInlined {
				return diag.Errorf(CodeSize, o.Loc, "the program has more than %d ops when its calls are expanded", maxInlined)
			}
			to := map[*hlo.Value]*hlo.Value{}
			for i, a := range body.Args {
				to[a] = o.Operands[i]
			}
			for _, x := range body.Ops {
				if x.Def.Has(hlo.Terminator) {
					for i, v := range x.Operands {
						if n := to[v]; n != nil {
							v = n
						}
						subst[o.Results[i]] = v
					}
					break
				}
				c := hlo.CloneOp(x, to)
				if c.NameLoc == "" {
					c.NameLoc = o.NameLoc
				}
				out = append(out, c)
			}
		}
		b.Ops = out
	}
	return nil
}

// callee returns the function whose body replaces o, or nil.
func (in *inliner) callee(o *hlo.Op) *hlo.Func {
	attr := calleeAttr(o)
	if attr == "" {
		return nil
	}
	s, ok := o.Attrs.Get(attr).(hlo.SymbolAttr)
	if !ok || len(s.Path) != 1 {
		return nil
	}
	f := in.m.Func(s.Path[0])
	if f == nil || f.Body == nil || len(f.Body.Blocks) != 1 || len(f.Body.Blocks[0].Args) != len(o.Operands) || len(f.Results) != len(o.Results) {
		return nil
	}
	return f
}

func calleeAttr(o *hlo.Op) string {
	switch o.Name() {
	case "func.call":
		return "callee"
	case "stablehlo.composite":
		return "decomposition"
	}
	return ""
}

// dropUnused removes private functions that no attribute of a remaining function names.
func dropUnused(m *hlo.Module) {
	used := map[string]bool{}
	var mark func(f *hlo.Func)
	var attr func(a hlo.Attr)
	attr = func(a hlo.Attr) {
		switch a := a.(type) {
		case hlo.SymbolAttr:
			for _, n := range a.Path {
				if f := m.Func(n); f != nil && !used[n] {
					used[n] = true
					mark(f)
				}
			}
		case hlo.ArrayAttr:
			for _, e := range a.Elems {
				attr(e)
			}
		case hlo.DictAttr:
			for _, e := range a.Entries {
				attr(e.Attr)
			}
		}
	}
	mark = func(f *hlo.Func) {
		hlo.WalkOps(f.Body, func(o *hlo.Op) {
			for _, a := range o.Attrs {
				attr(a.Attr)
			}
		})
	}
	entry := m.Entry()
	for _, f := range m.Funcs {
		if !f.Private || f == entry {
			used[f.Name] = true
			mark(f)
		}
	}
	kept := m.Funcs[:0]
	for _, f := range m.Funcs {
		if used[f.Name] {
			kept = append(kept, f)
		}
	}
	m.Funcs = kept
}
