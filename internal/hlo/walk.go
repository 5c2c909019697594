package hlo

// WalkOps calls f for every op of r, those of nested regions after the op that holds them.
func WalkOps(r *Region, f func(*Op)) {
	if r == nil {
		return
	}
	for _, b := range r.Blocks {
		for _, o := range b.Ops {
			f(o)
			for _, s := range o.Regions {
				WalkOps(s, f)
			}
		}
	}
}

// WalkBlocks calls f for every block of r, nested ones first.
func WalkBlocks(r *Region, f func(*Block)) {
	if r == nil {
		return
	}
	for _, b := range r.Blocks {
		for _, o := range b.Ops {
			for _, s := range o.Regions {
				WalkBlocks(s, f)
			}
		}
		f(b)
	}
}

// Bodies lists the function bodies of m and its nested modules.
func (m *Module) Bodies() []*Region {
	var out []*Region
	for _, f := range m.Funcs {
		if f.Body != nil {
			out = append(out, f.Body)
		}
	}
	for _, s := range m.Subs {
		out = append(out, s.Bodies()...)
	}
	return out
}

// Subst maps values to what replaces them; a replacement may be replaced in turn.
type Subst map[*Value]*Value

// Get follows the replacements of v.
func (s Subst) Get(v *Value) *Value {
	for {
		n, ok := s[v]
		if !ok {
			return v
		}
		v = n
	}
}

// Apply replaces the operands of every op in r.
func (s Subst) Apply(r *Region) {
	if len(s) == 0 {
		return
	}
	WalkOps(r, func(o *Op) {
		for i, v := range o.Operands {
			o.Operands[i] = s.Get(v)
		}
	})
}

// CountUses counts how often each value is an operand in r.
func CountUses(r *Region) map[*Value]int {
	n := map[*Value]int{}
	WalkOps(r, func(o *Op) {
		for _, v := range o.Operands {
			n[v]++
		}
	})
	return n
}

// CloneRegion copies r. Values defined outside are those of to where listed there, else shared; to receives the
// copies of the values defined inside.
func CloneRegion(r *Region, to map[*Value]*Value) *Region {
	if r == nil {
		return nil
	}
	out := &Region{}
	for _, b := range r.Blocks {
		c := &Block{}
		for _, a := range b.Args {
			n := *a
			to[a] = &n
			c.Args = append(c.Args, &n)
		}
		for _, o := range b.Ops {
			c.Ops = append(c.Ops, CloneOp(o, to))
		}
		out.Blocks = append(out.Blocks, c)
	}
	return out
}

// CloneOp copies o as CloneRegion does. Attributes and types are shared: nothing changes them in place.
func CloneOp(o *Op, to map[*Value]*Value) *Op {
	c := *o
	c.Attrs = append(Attrs(nil), o.Attrs...)
	c.Operands = make([]*Value, len(o.Operands))
	for i, v := range o.Operands {
		if n := to[v]; n != nil {
			v = n
		}
		c.Operands[i] = v
	}
	c.Regions = nil
	for _, r := range o.Regions {
		c.Regions = append(c.Regions, CloneRegion(r, to))
	}
	c.Results = make([]*Value, len(o.Results))
	for i, v := range o.Results {
		n := *v
		n.Def = &c
		to[v] = &n
		c.Results[i] = &n
	}
	return &c
}

// Clone copies a function.
func (f *Func) Clone() *Func {
	c := *f
	if f.Body == nil {
		return &c
	}
	c.Body = CloneRegion(f.Body, map[*Value]*Value{})
	c.Params = c.Body.Blocks[0].Args
	return &c
}

// Clone copies a module.
func (m *Module) Clone() *Module {
	c := *m
	c.Funcs, c.Subs = nil, nil
	for _, f := range m.Funcs {
		c.Funcs = append(c.Funcs, f.Clone())
	}
	for _, s := range m.Subs {
		c.Subs = append(c.Subs, s.Clone())
	}
	return &c
}
