package pelican

import "fmt"

// Env gives values to the leaves of an expression.
type Env interface {
	Value(v Expr) (int64, bool)
}

// MapEnv is an Env over a map.
type MapEnv map[Expr]int64

// Value implements Env.
func (m MapEnv) Value(v Expr) (int64, bool) {
	x, ok := m[v]
	return x, ok
}

// FuncEnv is an Env over a function.
type FuncEnv func(v Expr) (int64, bool)

// Value implements Env.
func (f FuncEnv) Value(v Expr) (int64, bool) { return f(v) }

// Eval returns the value of e. It fails on a leaf without a value and on the invalid expression.
func Eval(e Expr, env Env) (int64, error) {
	switch e.kind {
	case KindConst:
		return e.c, nil
	case KindVar, KindRuntime:
		if v, ok := env.Value(e); ok {
			return v, nil
		}
		return 0, fmt.Errorf("pelican: %s has no value", e.name)
	case KindSum:
		s := e.c
		for _, t := range e.terms {
			v, err := Eval(t.X, env)
			if err != nil {
				return 0, err
			}
			s += t.Coef * v
		}
		return s, nil
	case KindFloorDiv, KindMod:
		v, err := Eval(e.x, env)
		if err != nil {
			return 0, err
		}
		if e.kind == KindMod {
			return Rem(v, e.c), nil
		}
		return Floor(v, e.c), nil
	}
	return 0, fmt.Errorf("pelican: the expression overflows 64 bits or divides by a number below one")
}

// Func is an expression compiled for many evaluations over numbered variables.
type Func struct {
	c     int64
	terms []compiledTerm
}

type compiledTerm struct {
	coef int64
	slot int // variable, or -1
	sub  *Func
	d    int64
	mod  bool
}

// Compile prepares e for evaluation with values in the order of vars. It fails if e has a leaf not in vars.
func Compile(e Expr, vars []Expr) (*Func, error) {
	if e.kind == KindInvalid {
		return nil, fmt.Errorf("pelican: the expression overflows 64 bits or divides by a number below one")
	}
	c, terms := e.Parts()
	f := &Func{c: c, terms: make([]compiledTerm, len(terms))}
	for i, t := range terms {
		ct := compiledTerm{coef: t.Coef, slot: -1}
		if t.X.IsLeaf() {
			for j, v := range vars {
				if v == t.X {
					ct.slot = j
				}
			}
			if ct.slot < 0 {
				return nil, fmt.Errorf("pelican: %s has no value", t.X.name)
			}
		} else {
			sub, err := Compile(t.X.x, vars)
			if err != nil {
				return nil, err
			}
			ct.sub, ct.d, ct.mod = sub, t.X.c, t.X.kind == KindMod
		}
		f.terms[i] = ct
	}
	return f, nil
}

// Eval returns the value for vals, which are in the order of the vars given to Compile.
func (f *Func) Eval(vals []int64) int64 {
	s := f.c
	for i := range f.terms {
		t := &f.terms[i]
		switch {
		case t.slot >= 0:
			s += t.coef * vals[t.slot]
		case t.mod:
			s += t.coef * Rem(t.sub.Eval(vals), t.d)
		default:
			s += t.coef * Floor(t.sub.Eval(vals), t.d)
		}
	}
	return s
}
