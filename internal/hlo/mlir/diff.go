package mlir

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/alcadev/alca/internal/hlo"
)

// Equal reports whether two modules are the same program: equal in everything but locations and value names.
func Equal(a, b *hlo.Module) bool { return diff(a, b) == "" }

// diff names the first difference of two modules, or returns "".
func diff(a, b *hlo.Module) string {
	if a.Name != b.Name {
		return fmt.Sprintf("module names @%s and @%s", a.Name, b.Name)
	}
	if d := diffAttrs(a.Attrs, b.Attrs); d != "" {
		return "module: " + d
	}
	if len(a.Funcs) != len(b.Funcs) || len(a.Subs) != len(b.Subs) {
		return "number of functions or nested modules"
	}
	for i, f := range a.Funcs {
		if d := diffFunc(f, b.Funcs[i]); d != "" {
			return "@" + f.Name + ": " + d
		}
	}
	for i, s := range a.Subs {
		if d := diff(s, b.Subs[i]); d != "" {
			return d
		}
	}
	return ""
}

func diffFunc(a, b *hlo.Func) string {
	if a.Name != b.Name || a.Private != b.Private || len(a.Params) != len(b.Params) || len(a.Results) != len(b.Results) || (a.Body == nil) != (b.Body == nil) {
		return "signature"
	}
	same := map[*hlo.Value]*hlo.Value{}
	for i, p := range a.Params {
		if !sameType(p.Type, b.Params[i].Type) || p.Name != b.Params[i].Name {
			return fmt.Sprintf("parameter %d", i)
		}
		same[p] = b.Params[i]
	}
	for i, t := range a.Results {
		if !sameType(t, b.Results[i]) {
			return fmt.Sprintf("result %d", i)
		}
	}
	for _, d := range []string{diffAttrs(a.Attrs, b.Attrs), diffAttrLists(a.ArgAttrs, b.ArgAttrs), diffAttrLists(a.ResAttrs, b.ResAttrs)} {
		if d != "" {
			return d
		}
	}
	if a.Body == nil {
		return ""
	}
	return diffRegion(a.Body, b.Body, same)
}

func diffRegion(a, b *hlo.Region, same map[*hlo.Value]*hlo.Value) string {
	if len(a.Blocks) != len(b.Blocks) {
		return "number of blocks"
	}
	for i, x := range a.Blocks {
		y := b.Blocks[i]
		if len(x.Args) != len(y.Args) || len(x.Ops) != len(y.Ops) {
			return fmt.Sprintf("block has %d arguments and %d ops, other %d and %d", len(x.Args), len(x.Ops), len(y.Args), len(y.Ops))
		}
		for j, v := range x.Args {
			if !sameType(v.Type, y.Args[j].Type) {
				return fmt.Sprintf("block argument %d", j)
			}
			same[v] = y.Args[j]
		}
		for j, op := range x.Ops {
			if d := diffOp(op, y.Ops[j], same); d != "" {
				return fmt.Sprintf("op %d (%s at %s): %s", j, op.Def.Name, op.Loc, d)
			}
		}
	}
	return ""
}

func diffOp(a, b *hlo.Op, same map[*hlo.Value]*hlo.Value) string {
	if a.Def != b.Def || len(a.Operands) != len(b.Operands) || len(a.Results) != len(b.Results) || len(a.Regions) != len(b.Regions) {
		return "shape of the op, other is " + b.Def.Name
	}
	for i, v := range a.Operands {
		if same[v] != b.Operands[i] {
			return fmt.Sprintf("operand %d", i)
		}
	}
	for i, v := range a.Results {
		if !sameType(v.Type, b.Results[i].Type) {
			return fmt.Sprintf("result %d", i)
		}
		same[v] = b.Results[i]
	}
	if d := diffAttrs(a.Attrs, b.Attrs); d != "" {
		return d
	}
	for i, r := range a.Regions {
		if d := diffRegion(r, b.Regions[i], same); d != "" {
			return fmt.Sprintf("region %d: %s", i, d)
		}
	}
	return ""
}

func diffAttrLists(a, b []hlo.Attrs) string {
	if len(a) != len(b) {
		return "attribute lists"
	}
	for i := range a {
		if d := diffAttrs(a[i], b[i]); d != "" {
			return d
		}
	}
	return ""
}

// diffAttrs compares dictionaries, whose order does not matter.
func diffAttrs(a, b hlo.Attrs) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d attributes, other has %d", len(a), len(b))
	}
	for _, x := range a {
		y := b.Get(x.Name)
		if y == nil {
			return "attribute " + x.Name + " is missing"
		}
		if !equalAttr(x.Attr, y) {
			return fmt.Sprintf("attribute %s: %s, other %s", x.Name, attrString(x.Attr), attrString(y))
		}
	}
	return ""
}

func equalAttr(a, b hlo.Attr) bool {
	da, ok := a.(*hlo.DenseAttr)
	if ok {
		db, ok := b.(*hlo.DenseAttr)
		return ok && sameType(da.Type, db.Type) && equalData(da, db)
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && attrString(a) == attrString(b)
}

// equalData compares constants; a splat equals the list of its copies.
func equalData(a, b *hlo.DenseAttr) bool {
	if a.Splat == b.Splat {
		return bytes.Equal(a.Data.Data, b.Data.Data)
	}
	if b.Splat {
		a, b = b, a
	}
	one, all := a.Data.Data, b.Data.Data
	for i := 0; i < len(all); i += len(one) {
		if !bytes.Equal(one, all[i:i+len(one)]) {
			return false
		}
	}
	return true
}
