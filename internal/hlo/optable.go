package hlo

import "sort"

// Traits are properties of an op that passes ask for.
type Traits uint32

const (
	Elementwise Traits = 1 << iota // works element by element on operands of one shape
	Pure                           // no side effect, result depends on operands only
	Commutative
	Terminator // ends a block
	Collective // communicates between replicas or partitions
	Effect     // has a side effect: never removed
	Isolated   // regions see no values from outside
	Broadcasts // operands broadcast numpy-style (CHLO)
	PerAxis    // operands and results may be quantised per axis
)

// Arity bounds a count; Max -1 means any number.
type Arity struct{ Min, Max int }

func exactly(n int) Arity { return Arity{n, n} }
func atLeast(n int) Arity { return Arity{n, -1} }

// OK reports whether n is within the bounds.
func (a Arity) OK(n int) bool { return n >= a.Min && (a.Max < 0 || n <= a.Max) }

// AttrKind is the form of an attribute's value.
type AttrKind uint8

const (
	AttrAny AttrKind = iota
	AttrInt
	AttrFloat
	AttrBool
	AttrString
	AttrInts  // array<i64: ...>, or a one-dimensional dense of integers in older text
	AttrBools // array<i1: ...>
	AttrPairs // dense<...> : tensor<Nx2xi64>
	AttrDense
	AttrEnum
	AttrEnums // list of enums
	AttrSymbol
	AttrDotDims
	AttrConvDims
	AttrGatherDims
	AttrScatterDims
	AttrChannel
	AttrType
	AttrDict
)

// AttrDef describes one attribute of an op.
type AttrDef struct {
	Name     string
	Kind     AttrKind
	Optional bool
}

// OpDef is a row of the op table: everything that differs between ops, once.
type OpDef struct {
	Name    string // "stablehlo.add"
	Doc     string
	In      Arity
	Out     Arity
	Regions Arity
	Traits  Traits
	Attrs   []AttrDef
	// Infer returns the result types that follow from operands, attributes and regions; a dimension that cannot be
	// known is Dynamic. It is nil for ops whose results must be stated.
	Infer func(*Op) ([]Type, error)
	// Verify checks what Infer does not: constraints between operands, attributes, regions and stated results.
	Verify func(*Op) error
	// HLO is set for rows of the HLO form, "hlo.all-reduce".
	HLO *HLOForm
}

// Has reports whether the row carries all traits of t.
func (d *OpDef) Has(t Traits) bool { return d.Traits&t == t }

// Attr returns the description of the attribute called name, or nil.
func (d *OpDef) Attr(name string) *AttrDef {
	for i := range d.Attrs {
		if d.Attrs[i].Name == name {
			return &d.Attrs[i]
		}
	}
	return nil
}

var table = map[string]*OpDef{}

// define adds rows to the table. It is called from package variables only, so the table is complete before main.
func define(rows ...OpDef) bool {
	for i := range rows {
		r := rows[i]
		if table[r.Name] != nil {
			panic("op " + r.Name + " defined twice")
		}
		table[r.Name] = &r
	}
	return true
}

// Lookup returns the row of an op by its full name, or nil.
func Lookup(name string) *OpDef { return table[name] }

// Ops returns all rows sorted by name.
func Ops() []*OpDef {
	out := make([]*OpDef, 0, len(table))
	for _, d := range table {
		out = append(out, d)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

func req(name string, k AttrKind) AttrDef { return AttrDef{Name: name, Kind: k} }
func opt(name string, k AttrKind) AttrDef { return AttrDef{Name: name, Kind: k, Optional: true} }
