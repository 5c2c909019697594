package mlir

import (
	"math"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// TypeText prints a type as MLIR does.
func TypeText(t hlo.Type) string { return typeText(t) }

func typeText(t hlo.Type) string {
	var b strings.Builder
	writeType(&b, t)
	return b.String()
}

func writeType(b *strings.Builder, t hlo.Type) {
	list := func(ts []hlo.Type) {
		for i, e := range ts {
			if i > 0 {
				b.WriteString(", ")
			}
			writeType(b, e)
		}
	}
	switch t := t.(type) {
	case *hlo.TensorType:
		writeTensor(b, t)
	case *hlo.TupleType:
		b.WriteString("tuple<")
		list(t.Elems)
		b.WriteByte('>')
	case hlo.TokenType:
		b.WriteString("!stablehlo.token")
	case *hlo.FuncType:
		b.WriteByte('(')
		list(t.Ins)
		b.WriteString(") -> ")
		if len(t.Outs) == 1 {
			if _, isFunc := t.Outs[0].(*hlo.FuncType); !isFunc {
				writeType(b, t.Outs[0])
				return
			}
		}
		b.WriteByte('(')
		list(t.Outs)
		b.WriteByte(')')
	case hlo.OpaqueType:
		b.WriteString(t.Text)
	case nil:
		b.WriteString("<no type>")
	}
}

func writeTensor(b *strings.Builder, t *hlo.TensorType) {
	b.WriteString("tensor<")
	if t.Unranked {
		b.WriteString("*x")
	}
	for _, d := range t.Dims {
		if d == hlo.Dynamic {
			b.WriteString("?x")
		} else {
			b.WriteString(itoa(d))
			b.WriteByte('x')
		}
	}
	switch {
	case t.Quant != nil:
		writeQuant(b, t.Quant)
	case t.Index:
		b.WriteString("index")
	default:
		b.WriteString(t.Elem.String())
	}
	if t.Bounds != nil {
		b.WriteString(", #stablehlo.bounds<" + boundText(t.Bounds) + ">")
	} else if t.Encoding != nil {
		b.WriteString(", ")
		attrText(b, t.Encoding)
	}
	b.WriteByte('>')
}

func writeQuant(b *strings.Builder, q *hlo.QuantType) {
	b.WriteString("!quant.uniform<" + q.Storage.String())
	if !q.DefaultMin {
		b.WriteString("<" + itoa(q.Min) + ":" + itoa(q.Max) + ">")
	}
	b.WriteString(":" + q.Expressed.String())
	if q.Axis >= 0 {
		b.WriteString(":" + strconv.Itoa(q.Axis))
	}
	b.WriteString(", ")
	one := func(i int) {
		s := strconv.FormatFloat(q.Scales[i], 'E', -1, 64)
		if m, e, ok := strings.Cut(s, "E"); ok && !strings.Contains(m, ".") {
			s = m + ".0E" + e
		}
		b.WriteString(s)
		if q.ZeroPoints[i] != 0 {
			b.WriteString(":" + itoa(q.ZeroPoints[i]))
		}
	}
	if q.Axis < 0 {
		one(0)
	} else {
		b.WriteByte('{')
		for i := range q.Scales {
			if i > 0 {
				b.WriteString(", ")
			}
			one(i)
		}
		b.WriteByte('}')
	}
	b.WriteByte('>')
}

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
		b.WriteString(floatText(a.Type, bitsOfFloat(a.Type, a.Value)) + " : " + a.Type.String())
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
			b.WriteString(floatText(a.Elem, bitsOfFloat(a.Elem, f)))
		case isUnsigned(a.Elem):
			b.WriteString(strconv.FormatUint(uint64(v), 10))
		default:
			b.WriteString(itoa(v))
		}
	}
	b.WriteByte('>')
}
