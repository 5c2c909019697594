package hlo

import (
	"regexp"

	"github.com/alcadev/alca/internal/dtype"
)

// attrRules hold what an attribute's value must satisfy on whatever op it stands.
var attrRules = map[string]func(*Op) error{
	"algorithm":           verifyAlgorithm,
	"layout":              verifyLayoutList,
	"precision_config":    verifyPrecision,
	"replica_groups":      verifyGroups,
	"result_accuracy":     verifyAccuracy,
	"source_target_pairs": verifyPairs,
}

func verifyPrecision(o *Op) error {
	a, ok := o.Attrs.Get("precision_config").(ArrayAttr)
	if !ok {
		return nil
	}
	if len(a.Elems) > 2 {
		return errf(o, CodeAttr, "precision_config has %d entries, must have at most 2", len(a.Elems))
	}
	for _, e := range a.Elems {
		v, ok := e.(EnumAttr)
		if !ok || v.Value != "DEFAULT" && v.Value != "HIGH" && v.Value != "HIGHEST" {
			return errf(o, CodeAttr, "precision_config holds something else than DEFAULT, HIGH and HIGHEST")
		}
	}
	return nil
}

// dotAlgorithms are the combinations of precision types, accumulation type and number of primitive products that some
// machine is known to offer (StableHLO specification, dot_general).
var dotAlgorithms = map[[3]dtype.Type][]int64{
	{dtype.F16, dtype.F16, dtype.F16}:    {1},
	{dtype.F16, dtype.F16, dtype.F32}:    {1},
	{dtype.BF16, dtype.BF16, dtype.BF16}: {1},
	{dtype.BF16, dtype.BF16, dtype.F32}:  {1, 3, 6, 9},
	{dtype.TF32, dtype.TF32, dtype.F32}:  {1, 3},
	{dtype.F32, dtype.F32, dtype.F32}:    {1},
	{dtype.F64, dtype.F64, dtype.F64}:    {1},
}

func verifyAlgorithm(o *Op) error {
	a, ok := o.Attrs.Get("algorithm").(*DotAlgorithm)
	if !ok {
		return nil
	}
	if p, ok := o.Attrs.Get("precision_config").(ArrayAttr); ok {
		for _, e := range p.Elems {
			if v, ok := e.(EnumAttr); ok && v.Value != "DEFAULT" {
				return errf(o, CodeAttr, "precision_config must be DEFAULT beside an algorithm, not %s", v.Value)
			}
		}
	}
	if a.LhsComponents < 1 || a.RhsComponents < 1 || a.Primitives < 1 {
		return errf(o, CodeAttr, "algorithm has %d and %d components and %d primitive operations, must be positive", a.LhsComponents, a.RhsComponents, a.Primitives)
	}
	known := a.LhsComponents == 1 && a.RhsComponents == 1
	f8 := func(t dtype.Type) bool { return t.IsFloat() && t.Bits() == 8 }
	if f8(a.LhsPrecision) && f8(a.RhsPrecision) {
		known = known && a.Accumulation == dtype.F32 && a.Primitives == 1
	} else {
		has := false
		for _, n := range dotAlgorithms[[3]dtype.Type{a.LhsPrecision, a.RhsPrecision, a.Accumulation}] {
			has = has || n == a.Primitives
		}
		known = known && has && !a.AllowImprecise
	}
	if !known {
		return errf(o, CodeAttr, "algorithm %s x %s -> %s with %d primitive operations is not one that any machine is known to offer",
			a.LhsPrecision, a.RhsPrecision, a.Accumulation, a.Primitives)
	}
	return nil
}

// strictAccuracy matches a result accuracy whose mode leaves no room for tolerances, and its tolerances.
var strictAccuracy = regexp.MustCompile(`atol = ([^,>]*), rtol = ([^,>]*), ulps = ([^,>]*), mode = .*<(HIGHEST|DEFAULT)>`)
var zeroNumber = regexp.MustCompile(`^-?0*\.?0*([eE][-+]?\d+)?$`)

func verifyAccuracy(o *Op) error {
	a, ok := o.Attrs.Get("result_accuracy").(OpaqueAttr)
	if !ok {
		return nil
	}
	m := strictAccuracy.FindStringSubmatch(a.Text)
	if m == nil {
		return nil
	}
	for _, v := range m[1:4] {
		if !zeroNumber.MatchString(v) {
			return errf(o, CodeAttr, "result_accuracy of mode %s has tolerance %s, must be zero", m[4], v)
		}
	}
	return nil
}

// verifyGroups checks the process groups of a collective: a matrix of ids, each of 0, 1, ... once; -1 fills up groups of
// unequal size where the op allows that.
func verifyGroups(o *Op) error {
	d, ok := o.Attrs.Get("replica_groups").(*DenseAttr)
	if !ok {
		return nil
	}
	if len(d.Type.Dims) != 2 {
		return errf(o, CodeAttr, "replica_groups is %s, must have rank 2", d.Type)
	}
	ids := d.Ints()
	split, splits := o.Int("split_count")
	if splits && d.Type.Dims[1] != split {
		return errf(o, CodeAttr, "groups of replica_groups hold %d processes, must hold split_count = %d", d.Type.Dims[1], split)
	}
	if o.Bool("use_global_device_ids") {
		c, _ := o.Attrs.Get("channel_handle").(ChannelHandle)
		least := int64(1)
		if o.Attrs.Get("all_gather_dim") != nil {
			least = 0
		}
		if c.Handle < least {
			return errf(o, CodeAttr, "channel id is %d, must be at least %d beside use_global_device_ids", c.Handle, least)
		}
	}
	if len(ids) == 0 { // all processes; HLO programs have it beside use_global_device_ids too
		return nil
	}
	equal := splits || o.Attrs.Get("all_gather_dim") != nil || o.Attrs.Get("scatter_dimension") != nil
	seen := map[int64]bool{}
	for _, id := range ids {
		switch {
		case id == -1 && !equal:
			continue
		case id < 0:
			return errf(o, CodeAttr, "replica_groups holds %d, not an id", id)
		case seen[id]:
			return errf(o, CodeAttr, "replica_groups holds %d twice", id)
		}
		seen[id] = true
	}
	for i := range int64(len(seen)) {
		if !seen[i] {
			return errf(o, CodeAttr, "replica_groups holds %d ids, but not %d", len(seen), i)
		}
	}
	return nil
}

// verifyPairs checks pairs of processes: no process sends twice or receives twice.
func verifyPairs(o *Op) error {
	d, ok := o.Attrs.Get("source_target_pairs").(*DenseAttr)
	if !ok {
		return nil
	}
	if n, ok := d.Type.NumElements(); ok && n == 0 {
		return nil
	}
	if len(d.Type.Dims) != 2 || d.Type.Dims[1] != 2 {
		return errf(o, CodeAttr, "source_target_pairs is %s, must have shape [n, 2]", d.Type)
	}
	v := d.Ints()
	for side, name := range []string{"source", "target"} {
		seen := map[int64]bool{}
		for i := side; i < len(v); i += 2 {
			if v[i] < 0 {
				return errf(o, CodeAttr, "source_target_pairs holds %d, not an id", v[i])
			}
			if seen[v[i]] {
				return errf(o, CodeAttr, "source_target_pairs names %d twice as a %s", v[i], name)
			}
			seen[v[i]] = true
		}
	}
	return nil
}

// verifyLayoutList checks infeed's layout: for each result but the token a list of integers.
func verifyLayoutList(o *Op) error {
	if o.Attrs.Get("layout") == nil {
		return nil
	}
	a, ok := o.Attrs.Get("layout").(ArrayAttr)
	if !ok || len(a.Elems) != len(o.Results)-1 {
		return errf(o, CodeAttr, "layout must be a list of %d lists, one for each result but the token", len(o.Results)-1)
	}
	for _, e := range a.Elems {
		l, ok := e.(ArrayAttr)
		if !ok {
			return errf(o, CodeAttr, "layout must hold lists of integers")
		}
		for _, x := range l.Elems {
			if _, ok := x.(IntAttr); !ok {
				return errf(o, CodeAttr, "layout must hold lists of integers")
			}
		}
	}
	return nil
}

// fits reports whether a has the form of kind k.
func (k AttrKind) fits(a Attr) bool {
	switch k {
	case AttrInt:
		_, ok := a.(IntAttr)
		return ok
	case AttrFloat:
		_, ok := a.(FloatAttr)
		return ok
	case AttrBool:
		_, ok := a.(BoolAttr)
		_, unit := a.(UnitAttr)
		return ok || unit
	case AttrInts, AttrBools:
		switch a := a.(type) {
		case DenseArrayAttr, ArrayAttr:
			return true
		case *DenseAttr:
			return a.Data != nil
		}
		return false
	case AttrDense, AttrPairs:
		switch a := a.(type) {
		case *DenseAttr:
			return a.Data != nil
		case OpaqueAttr: // groups of a device mesh
			return true
		}
		return false
	case AttrString, AttrEnum:
		switch a.(type) {
		case StringAttr, EnumAttr, SymbolAttr, OpaqueAttr:
			return true
		}
		return false
	case AttrEnums:
		_, ok := a.(ArrayAttr)
		return ok
	case AttrSymbol:
		_, ok := a.(SymbolAttr)
		return ok
	case AttrDotDims:
		_, ok := a.(*DotDims)
		return ok
	case AttrConvDims:
		_, ok := a.(*ConvDims)
		return ok
	case AttrGatherDims:
		_, ok := a.(*GatherDims)
		return ok
	case AttrScatterDims:
		_, ok := a.(*ScatterDims)
		return ok
	case AttrChannel:
		_, ok := a.(ChannelHandle)
		return ok
	case AttrDict:
		_, ok := a.(DictAttr)
		return ok
	}
	return true
}

// verifyAttrs checks the form of the attributes o has, and what they must satisfy wherever they stand.
func verifyAttrs(o *Op) error {
	for _, a := range o.Attrs {
		if d := o.Def.Attr(a.Name); d != nil && !d.Kind.fits(a.Attr) {
			return errf(o, CodeAttr, "attribute %s does not have the form it must have", a.Name)
		}
	}
	for _, a := range o.Attrs {
		if r := attrRules[a.Name]; r != nil && o.Def.Attr(a.Name) != nil {
			if err := r(o); err != nil {
				return err
			}
		}
	}
	return nil
}
