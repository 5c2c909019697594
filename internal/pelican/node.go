package pelican

import (
	"math"
	"sync"
	"sync/atomic"
	"weak"
)

// Expr is an immutable, interned expression: equal expressions are the same pointer. The zero value nil is
// not an expression; use Const(0).
type Expr = *Node

// Kind tells what a Node is.
type Kind uint8

// The kinds. Their order is the order of terms in a sum.
const (
	KindInvalid Kind = iota
	KindConst
	KindVar
	KindRuntime
	KindFloorDiv
	KindMod
	KindSum
)

// Term is one summand, Coef*X; X is a Var, Runtime, FloorDiv or Mod.
type Term struct {
	Coef int64
	X    Expr
}

// Node is one interned expression node. Construct nodes only through the package's functions.
type Node struct {
	kind   Kind
	c      int64 // Const: the value; Sum: the constant; FloorDiv, Mod: the divisor; Var: the step
	x      *Node // FloorDiv, Mod: the numerator
	terms  []Term
	name   string // Var, Runtime
	seq    uint64 // Var, Runtime: creation order
	hash   uint64
	lo, hi int64 // inclusive bounds of the value, NegInf and PosInf when unbounded
	end    int64 // Var: exclusive upper limit of the axis
	start  int64 // Var: first value of the axis
}

// NegInf and PosInf are the bounds of an unbounded expression.
const (
	NegInf = math.MinInt64
	PosInf = math.MaxInt64
)

var invalid = &Node{kind: KindInvalid, lo: NegInf, hi: PosInf}

// Invalid is the result of a constructor whose arguments have no value in 64 bits.
func Invalid() Expr { return invalid }

const numShards = 64

// shard is a part of the intern table. Entries are weak, so expressions of finished compilations are collected;
// dead entries are swept each time the shard has doubled.
type shard struct {
	mu      sync.Mutex
	entries map[uint64][]weak.Pointer[Node]
	count   int
	limit   int
}

var shards [numShards]shard

var varSeq atomic.Uint64

func mix(h, v uint64) uint64 {
	h ^= v
	h *= 0x9E3779B97F4A7C15
	return h ^ h>>29
}

func hashNode(n *Node) uint64 {
	h := mix(uint64(n.kind)+1, uint64(n.c))
	if n.x != nil {
		h = mix(h, n.x.hash)
	}
	for _, t := range n.terms {
		h = mix(mix(h, uint64(t.Coef)), t.X.hash)
	}
	return h
}

// same compares two nodes whose children are already interned.
func same(a, b *Node) bool {
	if a.kind != b.kind || a.c != b.c || a.x != b.x || len(a.terms) != len(b.terms) {
		return false
	}
	for i := range a.terms {
		if a.terms[i] != b.terms[i] {
			return false
		}
	}
	return true
}

// intern returns the one node equal to n, which must have all fields but hash and bounds set.
func intern(n *Node) *Node {
	n.hash = hashNode(n)
	s := &shards[n.hash%numShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries == nil {
		s.entries = map[uint64][]weak.Pointer[Node]{}
		s.limit = 256
	}
	bucket := s.entries[n.hash]
	for _, w := range bucket {
		if m := w.Value(); m != nil && same(m, n) {
			return m
		}
	}
	n.lo, n.hi = computeBounds(n)
	s.entries[n.hash] = append(bucket, weak.Make(n))
	if s.count++; s.count >= s.limit {
		s.sweep()
	}
	return n
}

func (s *shard) sweep() {
	s.count = 0
	for h, bucket := range s.entries {
		live := bucket[:0]
		for _, w := range bucket {
			if w.Value() != nil {
				live = append(live, w)
			}
		}
		if len(live) == 0 {
			delete(s.entries, h)
			continue
		}
		clear(bucket[len(live):])
		s.entries[h] = live
		s.count += len(live)
	}
	s.limit = max(256, 2*s.count)
}

// NewVar returns a new loop axis with values lo, lo+step, ... below hi (above it, when step is negative). Each
// call makes a distinct variable, whatever its name.
func NewVar(name string, lo, hi, step int64) Expr {
	n := &Node{kind: KindVar, name: name, c: step, start: lo, end: hi, seq: varSeq.Add(1)}
	n.hash = mix(uint64(KindVar), n.seq)
	n.lo, n.hi = lo, lo
	if t := Trip(lo, hi, step); t > 1 {
		last := lo + step*(t-1)
		n.lo, n.hi = min(lo, last), max(lo, last)
	}
	return n
}

// NewRuntime returns a new value known only at run time; lo and hi bound it inclusively (NegInf, PosInf if
// nothing is known).
func NewRuntime(name string, lo, hi int64) Expr {
	n := &Node{kind: KindRuntime, name: name, lo: lo, hi: hi, seq: varSeq.Add(1)}
	n.hash = mix(uint64(KindRuntime), n.seq)
	return n
}

// Trip returns the number of values of an axis; 0 when it is empty or step is zero.
func Trip(lo, hi, step int64) int64 {
	switch {
	case step > 0 && lo < hi:
		return (hi-1-lo)/step + 1
	case step < 0 && lo > hi:
		return (lo-1-hi)/-step + 1
	}
	return 0
}

// Kind returns what e is.
func (e *Node) Kind() Kind { return e.kind }

// IsConst reports a constant.
func (e *Node) IsConst() bool { return e.kind == KindConst }

// IsInvalid reports the invalid expression.
func (e *Node) IsInvalid() bool { return e.kind == KindInvalid }

// IsLeaf reports a Var or a Runtime.
func (e *Node) IsLeaf() bool { return e.kind == KindVar || e.kind == KindRuntime }

// Const returns the value of a constant.
func (e *Node) Const() (int64, bool) { return e.c, e.kind == KindConst }

// Name returns the name of a Var or Runtime.
func (e *Node) Name() string { return e.name }

// Range returns the first value, exclusive limit and step of a Var.
func (e *Node) Range() (lo, hi, step int64) { return e.start, e.end, e.c }

// Bounds returns the least and greatest value e can take, NegInf and PosInf where unknown. An expression over an
// empty axis has the bounds of the axis standing at its first value.
func (e *Node) Bounds() (lo, hi int64) { return e.lo, e.hi }

// Div returns numerator and divisor of a FloorDiv or Mod.
func (e *Node) Div() (x Expr, d int64) { return e.x, e.c }

// Parts returns e as constant plus terms, whatever its kind. The slice must not be changed.
func (e *Node) Parts() (c int64, terms []Term) {
	switch e.kind {
	case KindConst:
		return e.c, nil
	case KindSum:
		return e.c, e.terms
	case KindInvalid:
		return 0, nil
	}
	return 0, []Term{{1, e}}
}

// compare is the total order of terms: by kind, then by name and creation order, or by divisor and numerator.
func compare(a, b *Node) int {
	if a == b {
		return 0
	}
	if a.kind != b.kind {
		return int(a.kind) - int(b.kind)
	}
	switch a.kind {
	case KindConst:
		return cmp64(a.c, b.c)
	case KindVar, KindRuntime:
		if a.name != b.name {
			if a.name < b.name {
				return -1
			}
			return 1
		}
		return cmp64(int64(a.seq), int64(b.seq))
	case KindFloorDiv, KindMod:
		if a.c != b.c {
			return cmp64(a.c, b.c)
		}
		return compare(a.x, b.x)
	}
	for i := 0; i < len(a.terms) && i < len(b.terms); i++ {
		if c := compare(a.terms[i].X, b.terms[i].X); c != 0 {
			return c
		}
		if c := cmp64(a.terms[i].Coef, b.terms[i].Coef); c != 0 {
			return c
		}
	}
	if len(a.terms) != len(b.terms) {
		return len(a.terms) - len(b.terms)
	}
	return cmp64(a.c, b.c)
}

func cmp64(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
