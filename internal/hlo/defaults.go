package hlo

import (
	"regexp"
	"sort"

	"github.com/alcadev/alca/internal/dtype"
)

// listDefaults is what every entry of an optional integer or pair list holds by default.
var listDefaults = map[string]int64{"window_strides": 1, "lhs_dilation": 1, "rhs_dilation": 1, "base_dilations": 1, "window_dilations": 1}

// intDefaults are the defaults of optional integers, by op and attribute.
var intDefaults = map[string]int64{"stablehlo.composite.version": 0, "stablehlo.sort.dimension": -1, "stablehlo.custom_call.api_version": 1}

// DropDefaults removes optional attributes that hold their default and sorts the others by name, in every op of
// the module. Two modules that differ only in spelled-out defaults or the order of attributes become equal.
func DropDefaults(m *Module) {
	for _, f := range m.Funcs {
		if f.Body != nil {
			for _, b := range f.Body.Blocks {
				dropBlock(b)
			}
		}
	}
	for _, s := range m.Subs {
		DropDefaults(s)
	}
}

func dropBlock(b *Block) {
	for _, o := range b.Ops {
		DropOpDefaults(o)
		for _, r := range o.Regions {
			for _, x := range r.Blocks {
				dropBlock(x)
			}
		}
	}
}

// shortExponent matches floats whose exponent has one digit; two are usual.
var shortExponent = regexp.MustCompile(`e([-+])(\d)([,> ])`)

// DropOpDefaults is DropDefaults for one op, without its regions.
func DropOpDefaults(o *Op) {
	kept := o.Attrs[:0:0]
	for _, a := range o.Attrs {
		if isDefault(o, a) {
			continue
		}
		if b, ok := a.Attr.(BoolAttr); ok && b.Value && (a.Name == "use_global_device_ids" || a.Name == "has_dynamic_root") {
			a.Attr = UnitAttr{} // its printed form
		}
		if t, ok := a.Attr.(OpaqueAttr); ok && a.Name == "result_accuracy" {
			a.Attr = OpaqueAttr{Text: shortExponent.ReplaceAllString(t.Text, "e${1}0$2$3")}
		}
		if d, ok := a.Attr.(DictAttr); ok {
			e := append(Attrs(nil), d.Entries...)
			sort.SliceStable(e, func(i, j int) bool { return e[i].Name < e[j].Name })
			a.Attr = DictAttr{Entries: e}
		}
		kept = append(kept, a)
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].Name < kept[j].Name })
	o.Attrs = kept
}

func isDefault(o *Op, a NamedAttr) bool {
	d := o.Def.Attr(a.Name)
	if d == nil || !d.Optional {
		return false
	}
	switch v := a.Attr.(type) {
	case BoolAttr:
		return !v.Value
	case StringAttr:
		return v.Value == ""
	case IntAttr:
		k := o.Name() + "." + a.Name
		def, ok := intDefaults[k]
		return ok && v.Value == def
	case EnumAttr:
		return v.Value == "NOTYPE"
	case OpaqueAttr:
		return v.Text == "#stablehlo.result_accuracy<atol = 0.000000e+00, rtol = 0.000000e+00, ulps = 0, mode = #stablehlo.result_accuracy_mode<DEFAULT>>"
	case ChannelHandle:
		return v.Handle == 0 && v.Type == 0
	case DictAttr:
		return len(v.Entries) == 0
	case ArrayAttr:
		for _, e := range v.Elems {
			if x, ok := e.(EnumAttr); !ok || x.Value != "DEFAULT" {
				return false
			}
		}
		return true
	case DenseArrayAttr:
		if v.Elem != dtype.I1 && len(v.Values) > 0 && listDefaults[a.Name] == 0 {
			return false // a list whose entries have no default, such as known dimensions
		}
		for _, x := range v.Values {
			if x != listDefaults[a.Name] {
				return false
			}
		}
		return true
	case *DenseAttr:
		if d.Kind != AttrPairs && d.Kind != AttrInts && d.Kind != AttrBools && a.Name != "source_target_pairs" {
			return false
		}
		for _, x := range v.Ints() {
			if x != listDefaults[a.Name] {
				return false
			}
		}
		return true
	}
	return false
}
