package hlo

import "github.com/alcadev/alca/internal/dtype"

var groupAttrs = []AttrDef{req("replica_groups", AttrDense), opt("channel_handle", AttrChannel), opt("use_global_device_ids", AttrBool)}

var _ = define(
	OpDef{Name: "stablehlo.all_gather", Doc: "operands of a process group concatenated", In: atLeast(1), Out: atLeast(1), Traits: Collective,
		Attrs: append([]AttrDef{req("all_gather_dim", AttrInt)}, groupAttrs...), Verify: verifyAllGather},
	OpDef{Name: "stablehlo.all_reduce", Doc: "operands of a process group folded by a region", In: atLeast(1), Out: atLeast(1), Regions: exactly(1), Traits: Collective,
		Attrs: groupAttrs, Infer: inferAllReduce, Verify: verifyGroupReduction},
	OpDef{Name: "stablehlo.all_to_all", Doc: "slices exchanged within a process group", In: atLeast(1), Out: atLeast(1), Traits: Collective,
		Attrs: append([]AttrDef{req("split_dimension", AttrInt), req("concat_dimension", AttrInt), req("split_count", AttrInt)}, groupAttrs...), Infer: inferAllToAll},
	OpDef{Name: "stablehlo.collective_broadcast", Doc: "one process's operand sent to its group: the first one's, or that of the process a second operand names",
		In: Arity{1, 2}, Out: exactly(1), Traits: Collective,
		Attrs: []AttrDef{req("replica_groups", AttrDense), opt("channel_handle", AttrChannel), opt("has_dynamic_root", AttrBool)}, Infer: inferFirst, Verify: verifyRoot},
	OpDef{Name: "stablehlo.collective_permute", Doc: "operands sent along source-target pairs", In: exactly(1), Out: exactly(1), Traits: Collective,
		Attrs: []AttrDef{req("source_target_pairs", AttrDense), opt("channel_handle", AttrChannel)}, Infer: inferOperandTypes},
	OpDef{Name: "stablehlo.cross-replica-sum", Doc: "sum over a replica group", In: exactly(1), Out: exactly(1), Traits: Collective,
		Attrs: []AttrDef{req("replica_groups", AttrDense)}, Infer: inferOperandTypes},
	OpDef{Name: "stablehlo.reduce_scatter", Doc: "operands folded, then split within a process group", In: exactly(1), Out: exactly(1), Regions: exactly(1), Traits: Collective,
		Attrs: append([]AttrDef{req("scatter_dimension", AttrInt)}, groupAttrs...), Verify: verifyReduceScatter},
	OpDef{Name: "stablehlo.collective_reduce", Doc: "operands of a process group folded by a region onto one process; a last operand may name it", In: atLeast(1), Out: atLeast(1),
		Regions: exactly(1), Traits: Collective, Attrs: append([]AttrDef{opt("has_dynamic_root", AttrBool)}, groupAttrs...), Verify: verifyGroupReduction},
	OpDef{Name: "stablehlo.async_start", Doc: "the start of a collective that runs beside other ops", In: atLeast(0), Out: exactly(1), Regions: exactly(1), Traits: Collective, Verify: verifyAsyncStart},
	OpDef{Name: "stablehlo.async_done", Doc: "the results of an async_start", In: exactly(1), Out: atLeast(0), Traits: Collective, Verify: verifyAsyncDone},
	OpDef{Name: "stablehlo.partition_id", Doc: "the partition this process is", Out: exactly(1), Infer: inferU32},
	OpDef{Name: "stablehlo.replica_id", Doc: "the replica this process is", Out: exactly(1), Infer: inferU32},
	OpDef{Name: "stablehlo.send", Doc: "values sent to a channel", In: atLeast(1), Out: exactly(1), Traits: PerAxis | Effect | Collective,
		Attrs: []AttrDef{req("channel_handle", AttrChannel), opt("is_host_transfer", AttrBool), opt("source_target_pairs", AttrDense)}, Infer: inferToken, Verify: func(o *Op) error { return verifyChannel(o, 2) }},
	OpDef{Name: "stablehlo.recv", Doc: "values received from a channel", In: exactly(1), Out: atLeast(1), Traits: PerAxis | Effect | Collective,
		Attrs: []AttrDef{req("channel_handle", AttrChannel), opt("is_host_transfer", AttrBool), opt("source_target_pairs", AttrDense)}, Verify: rules(verifyReceived, func(o *Op) error { return verifyChannel(o, 3) })},
)

func inferU32(*Op) ([]Type, error) { return []Type{Tensor(dtype.U32)}, nil }

func verifyAllGather(o *Op) error {
	ts, err := tensors(o)
	if err != nil {
		return err
	}
	if len(o.Results) != len(ts) {
		return errf(o, CodeArity, "%d operands and %d results", len(ts), len(o.Results))
	}
	for i, t := range ts {
		r := o.Out(i)
		d := o.IntOr("all_gather_dim", -1)
		if r == nil || len(r.Dims) != len(t.Dims) || d < 0 || d >= int64(len(t.Dims)) || !sameElem(r, t) {
			return errf(o, CodeShape, "operand %d is %s, result %s, all_gather_dim %d", i, t, TypeString(o.Results[i].Type), d)
		}
		for k := range t.Dims {
			if int64(k) != d && !compatDim(t.Dims[k], r.Dims[k]) {
				return errf(o, CodeShape, "operand %d is %s, result %s: dim %d differs", i, t, r, k)
			}
		}
		if t.Dims[d] == 0 {
			return errf(o, CodeShape, "operand %d is %s: dim %d must not be empty", i, t, d)
		}
		// How many processes a group holds depends on the launch, so only a whole multiple can be required.
		if t.Dims[d] > 0 && r.Dims[d] >= 0 && r.Dims[d]%t.Dims[d] != 0 {
			return errf(o, CodeShape, "result dim %d is %d, must be a multiple of %d", d, r.Dims[d], t.Dims[d])
		}
	}
	return nil
}

// inferAllReduce: the operands' shapes; the region may widen the element type.
func inferAllReduce(o *Op) ([]Type, error) {
	ts, err := tensors(o)
	if err != nil {
		return nil, err
	}
	out := make([]Type, len(ts))
	for i, t := range ts {
		out[i] = like(bodyElem(o, 0, 0, t), t.Dims)
	}
	return out, nil
}

func inferAllToAll(o *Op) ([]Type, error) {
	ts, err := tensors(o)
	if err != nil {
		return nil, err
	}
	s, c, n := o.IntOr("split_dimension", -1), o.IntOr("concat_dimension", -1), o.IntOr("split_count", 0)
	out := make([]Type, len(ts))
	for i, t := range ts {
		rank := int64(len(t.Dims))
		if s < 0 || s >= rank || c < 0 || c >= rank || n < 1 {
			return nil, errf(o, CodeAttr, "split_dimension %d, concat_dimension %d and split_count %d do not fit rank %d", s, c, n, rank)
		}
		dims := append([]int64(nil), t.Dims...)
		if dims[s] >= 0 {
			if dims[s]%n != 0 {
				return nil, errf(o, CodeShape, "dim %d of extent %d does not split into %d", s, dims[s], n)
			}
			dims[s] /= n
		}
		if dims[c] >= 0 {
			dims[c] *= n
		}
		out[i] = like(t, dims)
	}
	return out, nil
}

func verifyReduceScatter(o *Op) error {
	t, err := tensorIn(o, 0)
	if err != nil {
		return err
	}
	r := o.Out(0)
	d := o.IntOr("scatter_dimension", -1)
	if r == nil || len(r.Dims) != len(t.Dims) || d < 0 || d >= int64(len(t.Dims)) {
		return errf(o, CodeShape, "operand is %s, result %s, scatter_dimension %d", t, TypeString(o.Results[0].Type), d)
	}
	for k := range t.Dims {
		if int64(k) != d && !compatDim(t.Dims[k], r.Dims[k]) {
			return errf(o, CodeShape, "operand is %s, result %s: dim %d differs", t, r, k)
		}
	}
	if r.Dims[d] > 0 && t.Dims[d] >= 0 && t.Dims[d]%r.Dims[d] != 0 {
		return errf(o, CodeShape, "operand dim %d is %d, must be a multiple of %d", d, t.Dims[d], r.Dims[d])
	}
	if r.Dims[d] == 0 || t.Dims[d] == 0 {
		return errf(o, CodeShape, "operand is %s, result %s: dim %d must not be empty", t, r, d)
	}
	if err := verifyPromotion(o, 0, o.Operands, o.Operands); err != nil {
		return err
	}
	if b := bodyElem(o, 0, 0, t); !sameElem(b, r) {
		return errf(o, CodeResult, "result holds %s, the region returns %s", r.ElemString(), b.ElemString())
	}
	return nil
}

// verifyGroupReduction checks the region of an op that folds every operand over processes.
func verifyGroupReduction(o *Op) error {
	data := o.Operands
	if o.Bool("has_dynamic_root") && len(data) > 1 {
		root := o.In(len(data) - 1)
		data = data[:len(data)-1]
		if root == nil || len(root.Dims) != 1 || root.Elem != dtype.I32 || !compatDim(root.Dims[0], int64(len(data))) {
			return errf(o, CodeElem, "the last operand is %s, must be a vector of %d i32", TypeString(o.Operands[len(data)].Type), len(data))
		}
	}
	for i := range data {
		if err := verifyPromotion(o, 0, data[i:i+1], data[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// verifyRoot checks the operand that names the sending process.
func verifyRoot(o *Op) error {
	if !o.Bool("has_dynamic_root") {
		return nil
	}
	n := len(o.Operands) - 1
	if t := o.In(n); n < 1 || t == nil || len(t.Dims) != 1 || t.Elem != dtype.I32 {
		return errf(o, CodeElem, "the last operand is %s, must be a vector of i32", TypeString(o.Operands[n].Type))
	}
	return nil
}

// verifyChannel checks the kind of channel a transfer goes through: 1 between devices, 2 to the host, 3 from it.
func verifyChannel(o *Op, host int64) error {
	c, ok := o.Attrs.Get("channel_handle").(ChannelHandle)
	if !ok {
		return nil
	}
	want := int64(1)
	if o.Bool("is_host_transfer") {
		want = host
	}
	if c.Type != want {
		return errf(o, CodeAttr, "channel type is %d, must be %d", c.Type, want)
	}
	return nil
}

// verifyReceived: everything but the last result is a tensor.
func verifyReceived(o *Op) error {
	if err := verifyTokenLast(o); err != nil {
		return err
	}
	for i := range len(o.Results) - 1 {
		if o.Out(i) == nil {
			return errf(o, CodeResult, "result %d is %s, must be a tensor", i, TypeString(o.Results[i].Type))
		}
	}
	return nil
}
