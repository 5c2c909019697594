package hlo

import "github.com/alcadev/alca/internal/diag"

// Module is a list of functions, in source order, and possibly nested modules. The entry is the function
// named "main", else the only public function.
type Module struct {
	Name  string // symbol name without "@", may be empty
	Attrs Attrs
	Funcs []*Func
	Subs  []*Module
	Loc   diag.Loc
}

// Func is a function. Its body is one region of one block whose arguments are the parameters;
// a declaration has a nil Body.
type Func struct {
	Name     string // without "@"
	Private  bool
	Params   []*Value // == Body.Blocks[0].Args when there is a body
	Results  []Type
	ArgAttrs []Attrs // len(Params) or nil
	ResAttrs []Attrs // len(Results) or nil
	Attrs    Attrs
	Body     *Region
	Loc      diag.Loc
}

// Region is a list of blocks. StableHLO regions hold exactly one block.
type Region struct {
	Blocks []*Block
}

// Block is a straight-line list of ops, the last of which is a terminator.
type Block struct {
	Args []*Value
	Ops  []*Op
}

// Op is one operation: a row of the op table applied to operands.
type Op struct {
	Def      *OpDef // never nil after parsing; unknown ops are rejected with a diagnostic
	Operands []*Value
	Results  []*Value
	Attrs    Attrs
	Regions  []*Region
	Loc      diag.Loc // position in the source module
	NameLoc  string   // text of a loc("...") name, if any: what profiling shows
}

// Value is an SSA value: a result of Def, or a block argument when Def is nil.
type Value struct {
	Type  Type
	Def   *Op // nil for block arguments
	Index int // result number, or argument number
	Name  string
	Loc   diag.Loc
}

// Attrs is an ordered list of named attributes, sorted as the source had them.
type Attrs []NamedAttr

// NamedAttr is one entry of an attribute dictionary.
type NamedAttr struct {
	Name string
	Attr Attr
}

// Get returns the attribute called name, or nil.
func (a Attrs) Get(name string) Attr {
	for i := range a {
		if a[i].Name == name {
			return a[i].Attr
		}
	}
	return nil
}

// Set replaces or appends the attribute called name.
func (a *Attrs) Set(name string, v Attr) {
	for i := range *a {
		if (*a)[i].Name == name {
			(*a)[i].Attr = v
			return
		}
	}
	*a = append(*a, NamedAttr{name, v})
}

// Delete removes the attribute called name, if present.
func (a *Attrs) Delete(name string) {
	for i := range *a {
		if (*a)[i].Name == name {
			*a = append((*a)[:i:i], (*a)[i+1:]...)
			return
		}
	}
}

// Name returns the op's full name, "stablehlo.add".
func (o *Op) Name() string { return o.Def.Name }

// Body returns the single block of region i.
func (o *Op) Body(i int) *Block { return o.Regions[i].Blocks[0] }

// Terminator returns the last op of b, or nil.
func (b *Block) Terminator() *Op {
	if len(b.Ops) == 0 {
		return nil
	}
	return b.Ops[len(b.Ops)-1]
}

// Func returns the function called name, or nil.
func (m *Module) Func(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Entry returns the entry function: "main", else the only public function, else nil.
func (m *Module) Entry() *Func {
	if f := m.Func("main"); f != nil {
		return f
	}
	var pub *Func
	for _, f := range m.Funcs {
		if f.Private || f.Body == nil {
			continue
		}
		if pub != nil {
			return nil
		}
		pub = f
	}
	return pub
}
