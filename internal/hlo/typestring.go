package hlo

import (
	"fmt"
	"strconv"
	"strings"
)

// TypeString returns MLIR's spelling of a type.
func TypeString(t Type) string {
	switch t := t.(type) {
	case *TensorType:
		return t.String()
	case *TupleType:
		parts := make([]string, len(t.Elems))
		for i, e := range t.Elems {
			parts[i] = TypeString(e)
		}
		return "tuple<" + strings.Join(parts, ", ") + ">"
	case TokenType:
		return "!stablehlo.token"
	case *FuncType:
		return fmt.Sprintf("(%s) -> %s", typeList(t.Ins), resultList(t.Outs))
	case OpaqueType:
		return t.Text
	}
	return "none"
}

func typeList(ts []Type) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = TypeString(t)
	}
	return strings.Join(parts, ", ")
}

func resultList(ts []Type) string {
	if len(ts) == 1 {
		return TypeString(ts[0])
	}
	return "(" + typeList(ts) + ")"
}

// ElemString returns the spelling of the element type.
func (t *TensorType) ElemString() string {
	switch {
	case t.Quant != nil:
		return t.Quant.String()
	case t.Index:
		return "index"
	}
	return t.Elem.String()
}

// String returns MLIR's spelling: tensor<2x?xf32>.
func (t *TensorType) String() string {
	var b strings.Builder
	b.WriteString("tensor<")
	if t.Unranked {
		b.WriteString("*x")
	}
	for _, d := range t.Dims {
		if d < 0 {
			b.WriteString("?x")
		} else {
			b.WriteString(strconv.FormatInt(d, 10))
			b.WriteByte('x')
		}
	}
	b.WriteString(t.ElemString())
	switch {
	case t.Bounds != nil:
		b.WriteString(", #stablehlo.bounds<")
		for i, d := range t.Bounds {
			if i > 0 {
				b.WriteString(", ")
			}
			if d < 0 {
				b.WriteByte('?')
			} else {
				b.WriteString(strconv.FormatInt(d, 10))
			}
		}
		b.WriteByte('>')
	case t.Encoding != nil:
		if o, ok := t.Encoding.(OpaqueAttr); ok {
			b.WriteString(", " + o.Text)
		}
	}
	b.WriteByte('>')
	return b.String()
}

// String returns MLIR's spelling of a quantised element type.
func (q *QuantType) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "!quant.uniform<%s", q.Storage)
	if !q.DefaultMin {
		fmt.Fprintf(&b, "<%d:%d>", q.Min, q.Max)
	}
	fmt.Fprintf(&b, ":%s", q.Expressed)
	if q.Axis >= 0 {
		fmt.Fprintf(&b, ":%d, {", q.Axis)
	} else {
		b.WriteString(", ")
	}
	for i, s := range q.Scales {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(formatFloat(s))
		if i < len(q.ZeroPoints) && q.ZeroPoints[i] != 0 {
			fmt.Fprintf(&b, ":%d", q.ZeroPoints[i])
		}
	}
	if q.Axis >= 0 {
		b.WriteByte('}')
	}
	b.WriteByte('>')
	return b.String()
}

// formatFloat prints a float the way MLIR reads back: always with a point.
func formatFloat(v float64) string {
	s := strconv.FormatFloat(v, 'e', -1, 64)
	mant, exp, _ := strings.Cut(s, "e")
	if !strings.Contains(mant, ".") {
		mant += ".0"
	}
	if exp == "+00" {
		return mant
	}
	return mant + "E" + exp
}
