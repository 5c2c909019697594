package opt

import (
	"slices"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// A scan as a loop over the dimension, whose state is the position, the carries, and the outputs as far as they are
// known:
//
//	chlo.scan(x) inits(c) { (x, c) -> (y, c') }  =>  while i < n: y, c' = region(x[i], c); out[i] = y; i = i + 1
//
// With is_reverse the slice is x[n-1-i]. The region's values of outside stay what they are.
func init() { decompositions["chlo.scan"] = scanLoop }

func scanLoop(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	s, err := hlo.ScanOf(o)
	if err != nil || s.Size < 0 || s.Inputs+s.Outputs == 0 {
		return nil
	}
	carries := o.Operands[s.Inputs:]
	state := append([]*hlo.Value{b.IntConst(0, dtype.I32)}, carries...)
	for i := range s.Outputs {
		t := o.Out(i)
		state = append(state, b.Const(0, t.Elem, t.Dims...))
	}
	types := make([]hlo.Type, len(state))
	blocks := [2]*hlo.Block{{}, {}}
	for i, v := range state {
		types[i] = v.Type
		for _, blk := range blocks {
			blk.Args = append(blk.Args, &hlo.Value{Type: v.Type, Index: i, Loc: b.Loc})
		}
	}
	cond := &hlo.Builder{Block: blocks[0], Loc: b.Loc, Err: b.Err}
	cond.Return(cond.Compare("LT", blocks[0].Args[0], cond.IntConst(s.Size, dtype.I32)))

	body := &hlo.Builder{Block: blocks[1], Loc: b.Loc, Err: cond.Err}
	args := blocks[1].Args
	at := args[0]
	if s.Reverse {
		at = body.Op("stablehlo.subtract", nil, body.IntConst(s.Size-1, dtype.I32), at)
	}
	zero := body.IntConst(0, dtype.I32)
	starts := func(rank int) []*hlo.Value {
		out := make([]*hlo.Value, rank)
		for i := range out {
			out[i] = zero
		}
		out[s.Dim] = at
		return out
	}
	env := map[*hlo.Value]*hlo.Value{}
	region := o.Body(0)
	for i, x := range o.Operands[:s.Inputs] {
		shape := shapeOf(x)
		sizes := slices.Clone(shape)
		sizes[s.Dim] = 1
		one := body.Op("stablehlo.dynamic_slice", hlo.Attrs{{Name: "slice_sizes", Attr: hlo.IntList(sizes...)}}, append([]*hlo.Value{x}, starts(len(shape))...)...)
		env[region.Args[i]] = body.Reshape(one, slices.Delete(slices.Clone(shape), s.Dim, s.Dim+1)...)
	}
	for i := range carries {
		env[region.Args[s.Inputs+i]] = args[1+i]
	}
	var res []*hlo.Value
	for _, x := range region.Ops {
		if x.Def.Has(hlo.Terminator) {
			for _, v := range x.Operands {
				if n := env[v]; n != nil {
					v = n
				}
				res = append(res, v)
			}
			break
		}
		body.Block.Ops = append(body.Block.Ops, hlo.CloneOp(x, env))
	}
	if len(res) != len(o.Results) {
		return nil
	}
	next := append([]*hlo.Value{body.Op("stablehlo.add", nil, args[0], body.IntConst(1, dtype.I32))}, res[s.Outputs:]...)
	for i, v := range res[:s.Outputs] {
		buf := args[1+len(carries)+i]
		line := slices.Clone(shapeOf(buf))
		line[s.Dim] = 1
		next = append(next, body.Op("stablehlo.dynamic_update_slice", nil, append([]*hlo.Value{buf, body.Reshape(v, line...)}, starts(len(line))...)...))
	}
	body.Return(next...)
	b.Err = body.Err
	loop := b.Ops("stablehlo.while", state, nil, []*hlo.Region{{Blocks: blocks[:1]}, {Blocks: blocks[1:]}}, types...)
	if b.Err != nil {
		return loop
	}
	return append(slices.Clone(loop[1+len(carries):]), loop[1:1+len(carries)]...)
}
