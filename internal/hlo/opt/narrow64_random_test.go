package opt

import (
	"math/rand/v2"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// randomIntegers makes a program of 64-bit integer arithmetic on values of many ranges: arguments of all widths,
// constants near the ends of 32 and 64 bits, iota. All values it computes are results.
func randomIntegers(seed uint64) *hlo.Module {
	r := rand.New(rand.NewPCG(seed, 64))
	blk := &hlo.Block{}
	b := &hlo.Builder{Block: blk}
	for i, e := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.U32, dtype.I64, dtype.U64, dtype.I1} {
		blk.Args = append(blk.Args, &hlo.Value{Type: hlo.Tensor(e, 6), Index: i})
	}
	pool := map[dtype.Type][]*hlo.Value{}
	var preds, outs []*hlo.Value
	preds = append(preds, blk.Args[8])
	wide := []dtype.Type{dtype.I64, dtype.U64}
	for _, e := range wide {
		for _, a := range blk.Args {
			pool[e] = append(pool[e], b.Convert(a, e))
		}
		for _, k := range []int64{0, 1, -1, 7, 1<<31 - 1, 1 << 31, -1 << 31, -1<<31 - 1, 1<<63 - 1, -1 << 63, 1 << 61} {
			pool[e] = append(pool[e], b.IntConst(k, e, 6))
		}
		pool[e] = append(pool[e], counting(b, e, []int64{6}, 0))
	}
	for range 40 {
		e := wide[r.IntN(2)]
		pick := func() *hlo.Value { return pool[e][r.IntN(len(pool[e]))] }
		var v *hlo.Value
		switch k := r.IntN(16); k {
		case 0:
			preds = append(preds, b.Compare([]string{"LT", "LE", "EQ", "NE", "GT", "GE"}[r.IntN(6)], pick(), pick()))
			outs = append(outs, preds[len(preds)-1])
			continue
		case 1:
			v = b.Select(preds[r.IntN(len(preds))], pick(), pick())
		case 2:
			v = b.Op("stablehlo.clamp", nil, pick(), pick(), pick())
		case 3:
			from := wide[r.IntN(2)]
			v = b.Convert(pool[from][r.IntN(len(pool[from]))], e)
		case 4:
			outs = append(outs, b.Convert(pick(), []dtype.Type{dtype.F32, dtype.I32, dtype.U8, dtype.I1, dtype.F16}[r.IntN(5)]))
			continue
		case 5:
			v = b.Op("stablehlo.reverse", hlo.Attrs{{Name: "dimensions", Attr: hlo.IntList(0)}}, pick())
		case 6, 7:
			if e == dtype.U64 {
				continue
			}
			v = b.Op("stablehlo."+[]string{"abs", "negate", "sign"}[r.IntN(3)], nil, pick())
		default:
			v = b.Op("stablehlo."+[]string{"add", "subtract", "multiply", "maximum", "minimum", "and", "divide", "remainder"}[k-8], nil, pick(), pick())
		}
		pool[e] = append(pool[e], v)
		outs = append(outs, v)
	}
	f := &hlo.Func{Name: "main", Params: blk.Args, Body: &hlo.Region{Blocks: []*hlo.Block{blk}}}
	for _, v := range outs {
		f.Results = append(f.Results, v.Type)
	}
	if b.Err != nil {
		panic(b.Err)
	}
	blk.Ops = append(blk.Ops, &hlo.Op{Def: hlo.Lookup("func.return"), Operands: outs})
	return &hlo.Module{Funcs: []*hlo.Func{f}}
}

func TestNarrow64Random(t *testing.T) {
	narrowed := 0
	for seed := range uint64(300) {
		before := randomIntegers(seed)
		after := before.Clone()
		passes := []string{"narrow64", "hlo-cse", "hlo-dce"}
		if seed%3 == 0 {
			passes = Pipeline(2)
		}
		if err := runPasses(after, passes...); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text(t, before))
		}
		hlo.WalkOps(after.Funcs[0].Body, func(o *hlo.Op) {
			if o.Def.Has(hlo.Commutative) && o.Out(0).Elem == dtype.I32 {
				narrowed++
			}
		})
		args := randomArgs(before, seed)
		for i := range args {
			// Small numbers for odd seeds, arbitrary bits for even ones.
			for k := range args[i].Data {
				if args[i].Type != dtype.I1 && seed%2 == 0 {
					args[i].Data[k] = byte(rand.New(rand.NewPCG(seed, uint64(k+100*i))).Uint32())
				}
			}
		}
		want, got := evalOn(t, before, args), evalOn(t, after, args)
		for i := range want {
			if at, off := maxUlp(got[i], want[i]); off > 0 {
				t.Fatalf("seed %d: result %d element %d is off\nbefore\n%s\nafter\n%s", seed, i, at, text(t, before), text(t, after))
			}
		}
	}
	if narrowed < 300 {
		t.Errorf("only %d ops were narrowed", narrowed)
	}
}
