package hlo_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/hlo/opt"
	"github.com/alcadev/alca/internal/tensor"
)

// TestDamaged damages the accepted program of every row in many ways. What becomes of it may be accepted or rejected; it
// must not make the verifier panic, nor, when it was accepted, the evaluator or a pass.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, group := range [][]pair{elementwisePairs(), chloPairs(), shapePairs, contractionPairs, regionPairs, dynamicPairs, collectivePairs, otherPairs} {
		for _, p := range group {
			m, err := check(p.module(p.args, p.good))
			if err != nil {
				continue // TestRows says so
			}
			for range 100 {
				c := m.Clone()
				what := ""
				for range 1 + r.IntN(2) {
					what += " " + mutate(c, r)
				}
				if msg := panics(c); msg != "" {
					t.Errorf("%s:%s: panic: %s\n%s", p.op, what, msg, mlir.Text(m))
					break
				}
			}
		}
	}
}

// zeros are arguments of the entry, nil when they are not all small static tensors.
func zeros(m *hlo.Module) []*tensor.Tensor {
	f := m.Entry()
	if f == nil {
		return nil
	}
	out := []*tensor.Tensor{}
	for _, p := range f.Params {
		t := hlo.TensorOf(p)
		if t == nil || !t.Static() || t.Quant != nil {
			return nil
		}
		var shape []int
		for _, d := range t.Dims {
			shape = append(shape, int(d))
		}
		out = append(out, tensor.New(t.Elem, shape...))
	}
	return out
}

func panics(m *hlo.Module) (msg string) {
	defer func() {
		if x := recover(); x != nil {
			msg = fmt.Sprint(x, string(debug.Stack()))
		}
	}()
	if hlo.Verify(m) != nil {
		return ""
	}
	if args := zeros(m); args != nil {
		_, _ = eval.Run(context.Background(), m, "", args, eval.Options{MaxBytes: 1 << 20})
	}
	passes, err := opt.Registry().Resolve(opt.Pipeline(2))
	if err != nil {
		return err.Error()
	}
	for _, p := range passes {
		if p.Run(m) != nil {
			return ""
		}
		if err := hlo.Verify(m); err != nil {
			return p.Name + " broke it: " + err.Error()
		}
	}
	return ""
}

// mutate changes one op of m in one way and says how.
func mutate(m *hlo.Module, r *rand.Rand) string {
	var ops []*hlo.Op
	for _, b := range m.Bodies() {
		hlo.WalkOps(b, func(o *hlo.Op) { ops = append(ops, o) })
	}
	if len(ops) == 0 {
		return "nothing"
	}
	o := ops[r.IntN(len(ops))]
	types := []hlo.Type{hlo.Tensor(dtype.F32), hlo.Tensor(dtype.I32, 3), hlo.Tensor(dtype.I64, 2, 2), hlo.Tensor(dtype.I1, 0), hlo.TokenType{}, &hlo.TupleType{},
		&hlo.TensorType{Elem: dtype.F32, Unranked: true}, hlo.Tensor(dtype.C64, hlo.Dynamic, 4), hlo.Tensor(dtype.F32, 1, 2, 3, 4, 5),
		&hlo.TensorType{Elem: dtype.I8, Dims: []int64{2}, Quant: &hlo.QuantType{Expressed: dtype.F32, Storage: dtype.I8, Min: -128, Max: 127, Axis: 5, Scales: []float64{1}, ZeroPoints: []int64{0}}}}
	attrs := []hlo.Attr{hlo.IntAttr{Value: -7, Type: dtype.I64}, hlo.IntAttr{Value: 1 << 40, Type: dtype.I64}, hlo.StringAttr{Value: "x"}, hlo.ArrayAttr{}, hlo.IntList(), hlo.IntList(9, -9, 9),
		hlo.IntList(0), hlo.IntList(0, 1), hlo.UnitAttr{}, hlo.EnumAttr{Kind: "k", Value: "v"}, hlo.DenseOf(tensor.New(dtype.I64, 3)), hlo.SymbolAttr{}, hlo.ChannelHandle{},
		&hlo.DotDims{LhsContract: []int64{8}, RhsContract: []int64{-1}}, &hlo.ConvDims{}, &hlo.ConvDims{InSpatial: []int64{7}, KernelSpatial: []int64{1, 2}},
		&hlo.GatherDims{OffsetDims: []int64{9}, StartIndexMap: []int64{3}, StartIndicesBatchingDims: []int64{4}, IndexVectorDim: 1},
		&hlo.ScatterDims{UpdateWindowDims: []int64{0, 1, 2}, IndexVectorDim: 0}}
	switch r.IntN(9) {
	case 0:
		if n := len(o.Operands); n > 0 {
			k := r.IntN(n)
			o.Operands = append(o.Operands[:k:k], o.Operands[k+1:]...)
			return "operand dropped"
		}
	case 1:
		if len(o.Operands) > 0 {
			o.Operands = append(o.Operands, o.Operands[0])
			return "operand twice"
		}
	case 2:
		if n := len(o.Operands); n > 0 {
			o.Operands[r.IntN(n)].Type = types[r.IntN(len(types))]
			return "operand type"
		}
	case 3:
		if n := len(o.Results); n > 0 {
			o.Results[r.IntN(n)].Type = types[r.IntN(len(types))]
			return "result type"
		}
	case 4:
		if n := len(o.Attrs); n > 0 {
			o.Attrs[r.IntN(n)].Attr = attrs[r.IntN(len(attrs))]
			return "attribute"
		}
	case 5:
		if n := len(o.Attrs); n > 0 {
			o.Attrs.Delete(o.Attrs[r.IntN(n)].Name)
			return "attribute dropped"
		}
	case 6:
		if n := len(o.Def.Attrs); n > 0 {
			o.Attrs.Set(o.Def.Attrs[r.IntN(n)].Name, attrs[r.IntN(len(attrs))])
			return "attribute set"
		}
	case 7:
		if n := len(o.Regions); n > 0 {
			reg := o.Regions[r.IntN(n)]
			if len(reg.Blocks) == 0 {
				return "nothing"
			}
			switch b := reg.Blocks[0]; r.IntN(5) {
			case 0:
				reg.Blocks = nil
			case 1:
				b.Ops = nil
			case 2:
				b.Args = nil
			case 3:
				reg.Blocks = append(reg.Blocks, b)
			case 4:
				if len(b.Args) > 0 {
					b.Args[r.IntN(len(b.Args))].Type = types[r.IntN(len(types))]
				}
			}
			return "region"
		}
	case 8:
		if n := len(o.Results); n > 0 {
			o.Results = o.Results[:n-1]
			return "result dropped"
		}
	}
	return "nothing"
}
