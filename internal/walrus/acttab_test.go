package walrus

import (
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// TestLoadActTables: a load comes before the first function of a set, not again while the set serves, and in the
// longest idle gap of the schedule since the last function of the old one.
func TestLoadActTables(t *testing.T) {
	p := newProg()
	a, b := p.sb("a", 128, 64), p.sb("b", 128, 64)
	fns := []bir.ActFunc{bir.ActExp, bir.ActTanh, bir.ActIdentity, bir.ActIdentity, bir.ActGelu, bir.ActRelu}
	start := []int64{0, 1000, 2000, 9000, 10000, 11000} // the scalar engine idles before the second identity
	for i, f := range fns {
		in := p.act(f, tile(a, 0, 64), tile(b, 0, 64))
		in.Start, in.End = start[i], start[i]+900
	}
	u := newUnit(p.m, machine.Trn2, Options{})
	if err := unroll(u); err != nil {
		t.Fatal(err)
	}
	if err := loadActTables(u); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, in := range u.blocks[0].instrs {
		if in.Op == bir.LoadActFuncSet {
			got += "[" + bir.ActSets[u.actSets[in.Attrs.(*bir.LoadActFuncSetAttrs).Set]].Name + "] "
			continue
		}
		got += in.Attrs.(*bir.ActivationAttrs).Func.String() + " "
	}
	if want := "[exp_and_others] Exp Tanh Identity [gelu_and_others] Identity Gelu Relu "; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
}

// TestMoveRsqrt: small reciprocal square roots move to GpSimd with their scale and bias; big ones, ones from PSUM and
// ones with a narrow result stay.
func TestMoveRsqrt(t *testing.T) {
	p := newProg()
	a, b, acc := p.sb("a", 128, 128), p.sb("b", 128, 128), p.psum("acc", 128, 128)
	h := p.f.NewSet("h", bir.SB, bir.Internal, dtype.BF16, 128, 128)
	small := p.act(bir.ActRsqrt, tile(a, 0, 2), tile(b, 0, 2))
	small.Attrs.(*bir.ActivationAttrs).Scale = 0.5
	small.Ins[1] = bir.ImmF(1e-5)
	p.act(bir.ActRsqrt, tile(a, 0, 128), tile(b, 0, 128))
	p.act(bir.ActRsqrt, tile(a, 0, 2), tile(acc, 0, 2))
	p.act(bir.ActRsqrt, tile(h, 0, 2), tile(b, 0, 2))
	u := newUnit(p.m, machine.Trn2, Options{})
	if err := unroll(u); err != nil {
		t.Fatal(err)
	}
	if !u.smallRsqrt() {
		t.Error("the small one is not seen")
	}
	u.moveRsqrt()
	ins := u.blocks[0].instrs
	if len(ins) != 5 {
		t.Fatalf("%d instructions, want 5", len(ins))
	}
	pre, r := ins[0].Attrs.(*bir.TensorScalarPtrAttrs), ins[1].Attrs.(*bir.TensorScalarPtrAttrs)
	if pre.Op0 != bir.AluMult || pre.Op1 != bir.AluAdd || ins[0].Ins[1].Imm.F != 0.5 || r.Op0 != bir.AluRsqrt || ins[1].Engine != machine.Pool {
		t.Errorf("got %+v on %s, %+v on %s", pre, ins[0].Engine, r, ins[1].Engine)
	}
	for _, in := range ins[2:] {
		if in.Op != bir.Activation {
			t.Errorf("%s moved", in.NameOf())
		}
	}
}
