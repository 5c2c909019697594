package mlir

import (
	"math"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

func typeText(t hlo.Type) string { return hlo.TypeString(t) }

func writeType(b *strings.Builder, t hlo.Type) { b.WriteString(hlo.TypeString(t)) }

// entryText writes "name = value", or "name" of a unit attribute.
func entryText(b *strings.Builder, a hlo.NamedAttr) {
	if bareName(a.Name) {
		b.WriteString(a.Name)
	} else {
		b.WriteString(quote(a.Name))
	}
	if _, unit := a.Attr.(hlo.UnitAttr); unit {
		return
	}
	b.WriteString(" = ")
	attrText(b, a.Attr)
}

func bareName(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isWord(s[i]) {
			return false
		}
	}
	return true
}

// symbolText prints @name, quoted if it needs to be.
func symbolText(s string) string {
	if bareName(s) {
		return "@" + s
	}
	return "@" + quote(s)
}

func attrText(b *strings.Builder, a hlo.Attr) {
	switch a := a.(type) {
	case hlo.IntAttr:
		switch {
		case a.Index:
			b.WriteString(itoa(a.Value) + " : index")
		case isUnsigned(a.Type):
			b.WriteString(strconv.FormatUint(uint64(a.Value), 10) + " : " + a.Type.String())
		default:
			b.WriteString(itoa(a.Value) + " : " + a.Type.String())
		}
	case hlo.FloatAttr:
		b.WriteString(floatText(a.Type, a.Type.FloatBits(a.Value)) + " : " + a.Type.String())
	case hlo.BoolAttr:
		b.WriteString(strconv.FormatBool(a.Value))
	case hlo.StringAttr:
		b.WriteString(quote(a.Value))
	case hlo.UnitAttr:
		b.WriteString("unit")
	case hlo.ArrayAttr:
		b.WriteByte('[')
		for i, e := range a.Elems {
			if i > 0 {
				b.WriteString(", ")
			}
			attrText(b, e)
		}
		b.WriteByte(']')
	case hlo.DictAttr:
		b.WriteByte('{')
		for i, e := range a.Entries {
			if i > 0 {
				b.WriteString(", ")
			}
			entryText(b, e)
		}
		b.WriteByte('}')
	case hlo.TypeAttr:
		writeType(b, a.Type)
	case hlo.SymbolAttr:
		for i, s := range a.Path {
			if i > 0 {
				b.WriteString("::")
			}
			b.WriteString(symbolText(s))
		}
	case hlo.DenseArrayAttr:
		writeDenseArray(b, a)
	case *hlo.DenseAttr:
		denseText(b, a)
		b.WriteString(" : ")
		writeType(b, a.Type)
	case hlo.EnumAttr:
		kind, dialect := a.Kind, "stablehlo"
		if k, ok := strings.CutPrefix(kind, "chlo."); ok {
			kind, dialect = k, "chlo"
		}
		b.WriteString("#" + dialect + "<" + kind + " " + a.Value + ">")
	case hlo.OpaqueAttr:
		b.WriteString(a.Text)
	default:
		structText(b, a)
	}
}

func writeDenseArray(b *strings.Builder, a hlo.DenseArrayAttr) {
	b.WriteString("array<" + a.Elem.String())
	for i, v := range a.Values {
		if i == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString(", ")
		}
		switch {
		case a.Elem == dtype.I1:
			b.WriteString(strconv.FormatBool(v != 0))
		case a.Elem == dtype.F64 || a.Elem == dtype.F32:
			f := math.Float64frombits(uint64(v))
			if a.Elem == dtype.F32 {
				f = float64(math.Float32frombits(uint32(v)))
			}
			b.WriteString(floatText(a.Elem, a.Elem.FloatBits(f)))
		case isUnsigned(a.Elem):
			b.WriteString(strconv.FormatUint(uint64(v), 10))
		default:
			b.WriteString(itoa(v))
		}
	}
	b.WriteByte('>')
}

// AttrText prints an attribute as MLIR does.
func AttrText(a hlo.Attr) string { return attrString(a) }

func attrString(a hlo.Attr) string {
	var b strings.Builder
	attrText(&b, a)
	return b.String()
}
