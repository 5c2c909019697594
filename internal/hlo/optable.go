package hlo

// OpDef is a row of the op table: everything that differs between ops, once.
type OpDef struct {
	Name string // "stablehlo.add"
	Doc  string
}
