package birjson

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/diag"
)

// object is a JSON object. Values are nil, bool, string, int64, uint64, sfloat, json.Number (when read), object and
// []any.
type object = map[string]any

// sfloat is a float32 written so that it is read back bit for bit.
type sfloat float32

// text returns the shortest decimal that parses to the same float32, always recognisable as a float.
func (f sfloat) text() string {
	x := float64(f)
	switch {
	case math.IsNaN(x):
		if bits := math.Float32bits(float32(f)); bits != 0x7fc00000 {
			return `"0x` + strconv.FormatUint(uint64(bits), 16) + `"`
		}
		return `"NaN"`
	case math.IsInf(x, 1):
		return `"Infinity"`
	case math.IsInf(x, -1):
		return `"-Infinity"`
	}
	s := strconv.FormatFloat(x, 'g', -1, 32)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// encode appends the canonical form of v.
func encode(b *bytes.Buffer, v any, indent int) {
	newline := func(n int) {
		b.WriteByte('\n')
		for ; n > 0; n-- {
			b.WriteString("  ")
		}
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case uint64:
		b.WriteString(strconv.FormatUint(v, 10))
	case json.Number:
		b.WriteString(v.String())
	case sfloat:
		b.WriteString(v.text())
	case string:
		writeString(b, v)
	case []any:
		if len(v) == 0 {
			b.WriteString("[]")
			return
		}
		for i, x := range v {
			b.WriteByte("[,"[min(i, 1)])
			newline(indent + 1)
			encode(b, x, indent+1)
		}
		newline(indent)
		b.WriteByte(']')
	case object:
		if len(v) == 0 {
			b.WriteString("{}")
			return
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for i, k := range keys {
			b.WriteByte("{,"[min(i, 1)])
			newline(indent + 1)
			writeString(b, k)
			b.WriteString(": ")
			encode(b, v[k], indent+1)
		}
		newline(indent)
		b.WriteByte('}')
	}
}

func writeString(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always encodes
	b.Truncate(b.Len() - 1)
}

const maxNesting = 500

// parse reads one JSON value, rejecting duplicate keys.
func parse(r io.Reader) (any, error) {
	d := json.NewDecoder(r)
	d.UseNumber()
	v, err := parseValue(d, 0)
	if err != nil {
		if diag.Code(err) != "" {
			return nil, err
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, diag.Errorf(CodeSyntax, diag.Loc{}, "not BIR-JSON: byte %d: %w", d.InputOffset(), err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, diag.Errorf(CodeSyntax, diag.Loc{}, "not BIR-JSON: byte %d: data after the module", d.InputOffset())
	}
	return v, nil
}

func parseValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth > maxNesting {
		return nil, diag.Errorf(CodeSyntax, diag.Loc{}, "byte %d: nested too deeply", d.InputOffset())
	}
	if delim == '[' {
		out := []any{}
		for d.More() {
			v, err := parseValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err := d.Token()
		return out, err
	}
	out := object{}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		key := k.(string) // the decoder accepts only strings here
		if _, dup := out[key]; dup {
			return nil, diag.Errorf(CodeSyntax, diag.Loc{}, "byte %d: duplicate key %q", d.InputOffset(), key)
		}
		if out[key], err = parseValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return out, err
}
