package birjson

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/alcadev/alca/internal/diag"
)

// node is a value of the file together with its place in it. Accessors record the first error in the reader and
// return zero values after it, so that reading code is straight-line.
type node struct {
	r    *reader
	path string
	v    any
}

func (r *reader) fail(code, path, format string, args ...any) {
	if r.err == nil {
		r.err = diag.Errorf(code, diag.Loc{File: r.file}, path+": "+format, args...)
	}
}

func (n node) fail(code, format string, args ...any) { n.r.fail(code, n.path, format, args...) }

func (n node) mismatch(want string) { n.fail(CodeType, "type mismatch: want %s", want) }

// obj returns the node as an object.
func (n node) obj() object {
	o, ok := n.v.(object)
	if !ok {
		n.mismatch("an object")
	}
	return o
}

// has reports a key that is present and not null.
func (n node) has(key string) bool {
	o, _ := n.v.(object)
	v, ok := o[key]
	return ok && v != nil
}

// get returns a required key.
func (n node) get(key string) node {
	o := n.obj()
	v, ok := o[key]
	if !ok && n.r.err == nil {
		n.fail(CodeMissing, "missing key %s", key)
	}
	return node{n.r, n.path + "." + key, v}
}

// list returns the elements of an array; the key may be absent.
func (n node) list(key string) []node {
	if !n.has(key) {
		return nil
	}
	return n.get(key).elems()
}

func (n node) elems() []node {
	l, ok := n.v.([]any)
	if !ok {
		n.mismatch("an array")
		return nil
	}
	out := make([]node, len(l))
	for i, v := range l {
		out[i] = node{n.r, n.path + "[" + strconv.Itoa(i) + "]", v}
	}
	return out
}

func (n node) str() string {
	s, ok := n.v.(string)
	if !ok {
		n.mismatch("a string")
	}
	return s
}

func (n node) strOr(key, def string) string {
	if !n.has(key) {
		return def
	}
	return n.get(key).str()
}

func (n node) boolean() bool {
	switch v := n.v.(type) {
	case bool:
		return v
	case json.Number:
		if v == "0" || v == "1" {
			return v == "1"
		}
	}
	n.mismatch("a boolean")
	return false
}

func (n node) boolOr(key string, def bool) bool {
	if !n.has(key) {
		return def
	}
	return n.get(key).boolean()
}

// integer returns a whole number in lo..hi.
func (n node) integer(lo, hi int64) int64 {
	num, ok := n.v.(json.Number)
	if !ok {
		n.mismatch("an integer")
		return 0
	}
	v, err := strconv.ParseInt(string(num), 10, 64)
	if err != nil || v < lo || v > hi {
		n.fail(CodeType, "type mismatch: %s is no integer from %d to %d", num, lo, hi)
		return 0
	}
	return v
}

func (n node) int64() int64 { return n.integer(math.MinInt64, math.MaxInt64) }

func (n node) intOr(key string, def, lo, hi int64) int64 {
	if !n.has(key) {
		return def
	}
	return n.get(key).integer(lo, hi)
}

// float returns a float32 in any of its forms.
func (n node) float() float32 {
	switch v := n.v.(type) {
	case json.Number:
		if f, err := strconv.ParseFloat(string(v), 32); err == nil {
			return float32(f)
		}
	case string:
		switch v {
		case "Infinity":
			return float32(math.Inf(1))
		case "-Infinity":
			return float32(math.Inf(-1))
		case "NaN":
			return math.Float32frombits(0x7fc00000)
		}
		if len(v) > 2 && v[:2] == "0x" {
			if b, err := strconv.ParseUint(v[2:], 16, 32); err == nil {
				return math.Float32frombits(uint32(b))
			}
		}
	}
	n.mismatch("a number")
	return 0
}

// enum returns the ordinal of a wire name.
func (n node) enum(what string, names []string) int {
	s := n.str()
	for i, x := range names {
		if x == s {
			return i
		}
	}
	if n.r.err == nil {
		n.fail(CodeType, "unknown %s %q", what, s)
	}
	return 0
}

// plainValue converts an attribute value.
func plainValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(string(v), 10, 64); err == nil {
			return u
		}
		f, _ := strconv.ParseFloat(string(v), 64)
		return f
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plainValue(v[i])
		}
		return out
	case object:
		out := object{}
		for k, x := range v {
			out[k] = plainValue(x)
		}
		return out
	}
	return v
}
