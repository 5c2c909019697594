package penguin

import (
	"fmt"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
)

// Verify checks the invariants of a module at either level and returns the first that does not hold.
func Verify(m *Module) error {
	for _, f := range m.Funcs {
		v := &verifier{fn: f, spec: machine.ByGen(m.Gen), known: map[*Tensor]bool{}}
		if err := v.tensors(); err != nil {
			return err
		}
		if err := v.body(f.Body); err != nil {
			return err
		}
	}
	return nil
}

type verifier struct {
	fn    *Func
	spec  *machine.Spec // nil: rules of the generation are not checked
	known map[*Tensor]bool
	vars  []pelican.Expr // of the loops around
}

func (v *verifier) tensors() error {
	names := map[string]bool{}
	for _, t := range v.fn.Tensors {
		bad := func(code, format string, args ...any) error {
			return diag.Errorf(code, t.Loc, "function %s, tensor %s %v %v: %s", v.fn.Name, t.Name, t.DType, t.Shape, fmt.Sprintf(format, args...))
		}
		if t.Name == "" || names[t.Name] {
			return bad(codeMalformed, "the name is empty or used twice")
		}
		names[t.Name] = true
		v.known[t] = true
		n, ok := t.Bytes()
		switch {
		case t.DType == dtype.Invalid:
			return bad(codeMalformed, "no element type")
		case !ok:
			return bad(codeMalformed, "larger than the address space")
		case t.Space != DRAM && len(t.Shape) == 0:
			return bad(codePartitions, "an on-chip tensor needs a partition dimension")
		case t.Space != DRAM && t.Shape[0] > machine.MaxPartitions:
			return bad(codePartitions, "Size of partition dimension %d exceeds architecture limitation of %d.", t.Shape[0], machine.MaxPartitions)
		case t.Kind&Const != 0 && t.Init == nil:
			return bad(codeMalformed, "a constant without data")
		case t.Init != nil && (t.Init.Type != t.DType || int64(len(t.Init.Data)) != n):
			return bad(codeMalformed, "initial value of %d bytes, the shape has %d", len(t.Init.Data), n)
		case t.Kind&(Input|Output) != 0 && t.IOName == "":
			return bad(codeMalformed, "an input or output without a name at the boundary")
		}
		if t.Alias != nil {
			if k, _ := t.Alias.Bytes(); k != n {
				return bad(codeMalformed, "shares storage with %s, which has %d bytes, not %d", t.Alias.Name, k, n)
			}
		}
	}
	for _, t := range v.fn.Tensors {
		if t.Alias != nil && !v.known[t.Alias] {
			return diag.Errorf(codeMalformed, t.Loc, "function %s, tensor %s: shares storage with a tensor of another function", v.fn.Name, t.Name)
		}
	}
	return nil
}

func (v *verifier) body(list []Stmt) error {
	for _, s := range list {
		if err := v.stmt(s); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) stmt(s Stmt) error {
	switch s := s.(type) {
	case *Inst:
		return v.inst(s)
	case *Loop:
		if s.Axis == nil || s.Axis.Var == nil || s.Axis.Step < 1 {
			return diag.Errorf(codeMalformed, diag.Loc{}, "function %s: a loop without a proper axis", v.fn.Name)
		}
		v.vars = append(v.vars, s.Axis.Var)
		defer func() { v.vars = v.vars[:len(v.vars)-1] }()
		return v.body(s.Body)
	case *While:
		if s.Pred == nil || !v.known[s.Pred] || numElements(s.Pred.Shape) < 1 {
			return diag.Errorf(codeMalformed, s.Loc, "function %s: a while without a predicate", v.fn.Name)
		}
		if err := v.body(s.Cond); err != nil {
			return err
		}
		return v.body(s.Body)
	case *Scope:
		return v.body(s.Body)
	case *Cluster:
		for _, in := range s.Ops {
			if err := v.inst(in); err != nil {
				return err
			}
		}
		return nil
	}
	return diag.Internalf(codeMalformed, diag.Loc{}, "function %s: statement %T", v.fn.Name, s)
}

func numElements(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

func (v *verifier) inst(in *Inst) error {
	if in.Op == nil {
		return diag.Internalf(codeMalformed, in.Loc, "function %s, instruction %%%d has no op", v.fn.Name, in.ID)
	}
	bad := func(code, format string, args ...any) error {
		return diag.Errorf(code, in.Loc, "function %s, instruction %%%d (%s): %s", v.fn.Name, in.ID, in.Op.Name, fmt.Sprintf(format, args...))
	}
	for _, list := range [][]Access{in.In, in.Out} {
		for _, a := range list {
			if a.T == nil || !v.known[a.T] {
				return bad(codeMalformed, "an operand is no tensor of the function")
			}
		}
	}
	for _, a := range in.Out {
		if a.T.Kind&(Input|Const) != 0 {
			return bad(codeMalformed, "writes %s, which is an input or a constant", a.T.Name)
		}
	}
	if len(in.Out) == 0 {
		return bad(codeMalformed, "no result")
	}
	vars := append([]pelican.Expr(nil), v.vars...)
	for _, a := range in.Axes {
		if a.Var == nil || a.Step < 1 {
			return bad(codeMalformed, "axis %s without a variable or a positive step", a.Name)
		}
		vars = append(vars, a.Var)
	}
	for _, p := range in.Pred {
		if !pelican.IsAffine(p.E) || !within(p.E, vars) {
			return bad(codePred, "predicate %v is not affine in the axes in scope", p.E)
		}
	}
	if in.Op.ISA {
		return v.isa(in, vars, bad)
	}
	return v.opLevel(in, vars, bad)
}

type report func(code, format string, args ...any) error

func within(e pelican.Expr, vars []pelican.Expr) bool {
	ok := true
	pelican.Walk(e, func(l pelican.Expr) {
		found := false
		for _, x := range vars {
			found = found || x == l
		}
		ok = ok && found
	})
	return ok
}

func (v *verifier) opLevel(in *Inst, vars []pelican.Expr, bad report) error {
	op := in.Op
	most := max(op.Ins, op.MaxIns)
	switch {
	case len(in.In) < op.Ins || len(in.In) > most:
		return bad(codeMalformed, "%d operands, must have %d to %d", len(in.In), op.Ins, most)
	case len(in.Out) != 1:
		return bad(codeMalformed, "%d results, must have 1", len(in.Out))
	case in.Reduce < 0 || in.Reduce > len(in.Axes):
		return bad(codeMalformed, "%d reduced axes of %d", in.Reduce, len(in.Axes))
	case in.Reduce > 0 && op.Group != Reduction && op.Group != Contraction:
		return bad(codeMalformed, "reduced axes on an op that does not reduce")
	case op.New != nil && in.Attrs == nil:
		return bad(codeMalformed, "no attributes")
	}
	for _, a := range in.Axes {
		if pelican.Trip(a.Lo, a.Hi, a.Step) == 0 {
			return nil // does nothing
		}
	}
	par := vars[:len(vars)-in.Reduce]
	for i, a := range in.In {
		scope := vars
		if op.Group == Reduction && i > 0 {
			scope = par
		}
		if err := v.access(a, scope, bad); err != nil {
			return err
		}
	}
	if err := v.access(in.Out[0], par, bad); err != nil {
		return err
	}
	return v.types(in, bad)
}

// access checks an op-level access: its rank, the variables it uses and its bounds.
func (v *verifier) access(a Access, vars []pelican.Expr, bad report) error {
	if a.Tile != nil {
		return bad(codeMalformed, "a tile of %s at op level", a.T.Name)
	}
	if len(a.Dims) != len(a.T.Shape) {
		return bad(codeMalformed, "%d indices into %s, which has %d dimensions", len(a.Dims), a.T.Name, len(a.T.Shape))
	}
	for _, e := range a.Dims {
		if e == nil || e.IsInvalid() {
			return bad(codeExpr, "an index of %s has no value", a.T.Name)
		}
		if !within(e, vars) {
			return bad(codeMalformed, "index %v of %s uses what is no axis in scope", e, a.T.Name)
		}
	}
	for d, e := range a.Dims {
		lo, hi := e.Bounds()
		for _, x := range a.Ind {
			if x.Dim == d {
				lo, hi = lo+x.Lo, hi+x.Hi
			}
		}
		if lo < 0 || hi >= a.T.Shape[d] {
			return bad(codeMalformed, "index %v of %s runs over %d..%d, dimension %d has %d", e, a.T.Name, lo, hi, d, a.T.Shape[d])
		}
	}
	for _, x := range a.Ind {
		if x.Index == nil || !v.known[x.Index] || x.Dim < 0 || x.Dim >= len(a.T.Shape) || len(x.At) != len(x.Index.Shape) || x.Lo > x.Hi {
			return bad(codeMalformed, "malformed run-time index into %s", a.T.Name)
		}
		if !x.Index.DType.IsInt() {
			return bad(codeMalformed, "run-time index %s holds %v", x.Index.Name, x.Index.DType)
		}
		for d, e := range x.At {
			if lo, hi := e.Bounds(); !within(e, vars) || lo < 0 || hi >= x.Index.Shape[d] {
				return bad(codeMalformed, "position %v in run-time index %s is out of bounds", e, x.Index.Name)
			}
		}
	}
	return nil
}

// types checks element types.
func (v *verifier) types(in *Inst, bad report) error {
	out := in.Out[0].T.DType
	t := func(i int) dtype.Type { return in.In[i].T.DType }
	same := func(from int) error {
		for i := from; i < len(in.In); i++ {
			if t(i) != out {
				return bad(codeMalformed, "operand %d holds %v, the result %v", i, t(i), out)
			}
		}
		return nil
	}
	switch in.Op.Name {
	case "fill", "iota", "convert", "contract":
		return nil
	case "bitcast":
		if t(0).Size() != out.Size() {
			return bad(codeMalformed, "from %v to %v, which have different sizes", t(0), out)
		}
		return nil
	case "compare":
		if t(0) != t(1) || out != dtype.I1 {
			return bad(codeMalformed, "compares %v with %v into %v", t(0), t(1), out)
		}
		return nil
	case "is_finite":
		if out != dtype.I1 {
			return bad(codeMalformed, "result holds %v, must hold i1", out)
		}
		return nil
	case "select":
		if t(0) != dtype.I1 {
			return bad(codeMalformed, "predicate holds %v, must hold i1", t(0))
		}
		return same(1)
	}
	if c, ok := in.Attrs.(*Combine); ok && c.Op != "" && !IsCombine(c.Op) {
		return bad(codeMalformed, "cannot combine by %q", c.Op)
	}
	return same(0)
}

var memOf = [...]machine.Mem{DRAM: machine.DRAMMem, SBUF: machine.SBUFMem, PSUM: machine.PSUMMem}

// isa checks an ISA-level instruction: tiles inside their tensors, partition rules, memories the engine reaches.
func (v *verifier) isa(in *Inst, vars []pelican.Expr, bad report) error {
	if _, ok := in.Attrs.(*ISA); !ok && in.Attrs != nil {
		return bad(codeMalformed, "attributes of another op")
	}
	np := -1
	for k, list := range [][]Access{in.In, in.Out} {
		for _, a := range list {
			if err := v.tile(in, a, vars, bad); err != nil {
				return err
			}
			mem := memOf[a.T.Space]
			if in.Engine != machine.Unassigned && (k == 0 && !machine.CanRead(in.Engine, mem) || k == 1 && !machine.CanWrite(in.Engine, mem)) {
				return bad(codeMemory, "%v does not reach %s in %v", in.Engine, a.T.Name, mem)
			}
			if in.Engine == machine.DMA || in.Op.Name == "matmul" || a.Tile.NP == 0 {
				continue
			}
			if np >= 0 && a.Tile.NP != np {
				return bad(codeCounts, "operands have %d and %d partitions", np, a.Tile.NP)
			}
			np = a.Tile.NP
		}
	}
	return nil
}

func (v *verifier) tile(in *Inst, a Access, vars []pelican.Expr, bad report) error {
	t := a.Tile
	if t == nil {
		return bad(codeMalformed, "operand %s is not a tile", a.T.Name)
	}
	ty := a.T.DType
	if t.DType != dtype.Invalid {
		ty = t.DType
	}
	row, _ := a.T.Bytes()
	if a.T.Space != DRAM {
		if t.NP < 1 || t.P0 < 0 || int64(t.P0+t.NP) > a.T.Shape[0] {
			return bad(codePartitions, "partitions %d..%d of %s, which has %d", t.P0, t.P0+t.NP-1, a.T.Name, a.T.Shape[0])
		}
		if in.Engine != machine.DMA {
			if err := machine.CheckPartitions(t.P0, t.NP); err != nil {
				return bad(codeStart, "%s: %v", a.T.Name, err)
			}
		}
		if len(t.Free) > machine.MaxFreeDims {
			return bad(codeFreeDims, "%s: %d free dimensions", a.T.Name, len(t.Free))
		}
		row /= a.T.Shape[0]
	} else if t.NP != 0 {
		return bad(codeMalformed, "partitions of %s, which is in DRAM", a.T.Name)
	}
	lo, hi := int64(0), int64(0)
	if t.Off != nil {
		if t.Off.IsInvalid() {
			return bad(codeExpr, "the offset into %s has no value", a.T.Name)
		}
		if !within(t.Off, vars) {
			return bad(codeMalformed, "offset %v into %s uses what is no axis in scope", t.Off, a.T.Name)
		}
		lo, hi = t.Off.Bounds()
	}
	for _, f := range t.Free {
		if f.Count < 1 {
			return bad(codeMalformed, "%s: a free dimension of %d", a.T.Name, f.Count)
		}
		if d := f.Step * (f.Count - 1); d > 0 {
			hi += d
		} else {
			lo += d
		}
	}
	for _, x := range a.Ind {
		if x.Dim < 0 || x.Dim >= len(a.T.Shape) || x.Index == nil || !v.known[x.Index] {
			return bad(codeMalformed, "malformed run-time index into %s", a.T.Name)
		}
		s := int64(1)
		for _, d := range a.T.Shape[x.Dim+1:] {
			s *= d
		}
		lo, hi = lo+s*x.Lo, hi+s*x.Hi
	}
	if n := int64(ty.Size()); lo < 0 || (hi+1)*n > row {
		return bad(codeMalformed, "elements %d..%d of %s, whose row holds %d", lo, hi, a.T.Name, row/n)
	}
	return nil
}
