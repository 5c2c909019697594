package opt

import (
	"fmt"
	"strings"
	"testing"
)

// TestIdentities lists one op a line on %x and %y of a type, and what is left of it. What stands before the last op
// are values it uses.
func TestIdentities(t *testing.T) {
	const (
		f = "tensor<2x3xf32>"
		i = "tensor<2x3xi32>"
		b = "tensor<2x3xi1>"
	)
	cases := []struct{ ty, name, op, out string }{
		{f, "x*1", "%c = stablehlo.constant dense<1.0> : T; %r = stablehlo.multiply %x, %c : T", "%x"},
		{f, "1*x", "%c = stablehlo.constant dense<1.0> : T; %r = stablehlo.multiply %c, %x : T", "%x"},
		{f, "x/1", "%c = stablehlo.constant dense<1.0> : T; %r = stablehlo.divide %x, %c : T", "%x"},
		{f, "1/x stays", "%c = stablehlo.constant dense<1.0> : T; %r = stablehlo.divide %c, %x : T", ""},
		{f, "x-0", "%c = stablehlo.constant dense<0.0> : T; %r = stablehlo.subtract %x, %c : T", "%x"},
		{f, "0-x stays", "%c = stablehlo.constant dense<0.0> : T; %r = stablehlo.subtract %c, %x : T", ""},
		{f, "x+0 of floats stays", "%c = stablehlo.constant dense<0.0> : T; %r = stablehlo.add %x, %c : T", ""},
		{f, "x+(-0)", "%c = stablehlo.constant dense<-0.0> : T; %r = stablehlo.add %x, %c : T", "%x"},
		{f, "x*0 of floats stays", "%c = stablehlo.constant dense<0.0> : T; %r = stablehlo.multiply %x, %c : T", ""},
		{f, "max(x, x)", "%r = stablehlo.maximum %x, %x : T", "%x"},
		{f, "max(x, y) stays", "%r = stablehlo.maximum %x, %y : T", ""},
		{f, "-(-x)", "%c = stablehlo.negate %x : T; %r = stablehlo.negate %c : T", "%x"},
		{f, "power 1", "%c = stablehlo.constant dense<1.0> : T; %r = stablehlo.power %x, %c : T", "%x"},
		{f, "power 3 stays", "%c = stablehlo.constant dense<3.0> : T; %r = stablehlo.power %x, %c : T", ""},
		{f, "x/3 stays", "%c = stablehlo.constant dense<3.0> : T; %r = stablehlo.divide %x, %c : T", ""},
		{i, "x+0", "%c = stablehlo.constant dense<0> : T; %r = stablehlo.add %c, %x : T", "%x"},
		{i, "x*0", "%c = stablehlo.constant dense<0> : T; %r = stablehlo.multiply %x, %c : T", "%c"},
		{i, "x^0", "%c = stablehlo.constant dense<0> : T; %r = stablehlo.xor %x, %c : T", "%x"},
		{i, "x|0", "%c = stablehlo.constant dense<0> : T; %r = stablehlo.or %x, %c : T", "%x"},
		{i, "x&-1", "%c = stablehlo.constant dense<-1> : T; %r = stablehlo.and %x, %c : T", "%x"},
		{i, "x&1 stays", "%c = stablehlo.constant dense<1> : T; %r = stablehlo.and %x, %c : T", ""},
		{i, "x&x", "%r = stablehlo.and %x, %x : T", "%x"},
		{b, "x&true", "%c = stablehlo.constant dense<true> : T; %r = stablehlo.and %x, %c : T", "%x"},
		{b, "~~x", "%c = stablehlo.not %x : T; %r = stablehlo.not %c : T", "%x"},
		{f, "select(p, x, x)", "%c = stablehlo.compare EQ, %x, %y : (T, T) -> " + b + "; %r = stablehlo.select %c, %x, %x : " + b + ", T", "%x"},
		{f, "select(true, x, y)", "%c = stablehlo.constant dense<true> : " + b + "; %r = stablehlo.select %c, %x, %y : " + b + ", T", "%x"},
		{f, "select(false, x, y)", "%c = stablehlo.constant dense<false> : " + b + "; %r = stablehlo.select %c, %x, %y : " + b + ", T", "%y"},
		{f, "no padding", "%c = stablehlo.constant dense<0.0> : tensor<f32>; %r = stablehlo.pad %x, %c, low = [0, 0], high = [0, 0], interior = [0, 0] : (T, tensor<f32>) -> T", "%x"},
		{f, "rotating padding stays", "%c = stablehlo.constant dense<0.0> : tensor<f32>; %r = stablehlo.pad %x, %c, low = [1, 0], high = [-1, 0], interior = [0, 0] : (T, tensor<f32>) -> T", ""},
		{"tensor<1x3xf32>", "reverse of extent 1", "%r = stablehlo.reverse %x, dims = [0] : T", "%x"},
		{f, "reverse stays", "%r = stablehlo.reverse %x, dims = [0] : T", ""},
		{f, "whole dynamic_slice", "%c = stablehlo.constant dense<1> : tensor<i32>; %r = stablehlo.dynamic_slice %x, %c, %c, sizes = [2, 3] : (T, tensor<i32>, tensor<i32>) -> T", "%x"},
		{f, "whole dynamic_update_slice", "%c = stablehlo.constant dense<1> : tensor<i32>; %r = stablehlo.dynamic_update_slice %x, %y, %c, %c : (T, T, tensor<i32>, tensor<i32>) -> T", "%y"},
		{i, "convert and back through a wider type", "%c = stablehlo.convert %x : (T) -> tensor<2x3xi64>; %r = stablehlo.convert %c : (tensor<2x3xi64>) -> T", "%x"},
		{i, "convert and back through a narrower type stays", "%c = stablehlo.convert %x : (T) -> tensor<2x3xi8>; %r = stablehlo.convert %c : (tensor<2x3xi8>) -> T", ""},
		{f, "tuple element", "%c = stablehlo.tuple %x, %y : tuple<T, T>; %r = stablehlo.get_tuple_element %c[1] : (tuple<T, T>) -> T", "%y"},
	}
	for _, c := range cases {
		ops := strings.Split(strings.ReplaceAll(c.op, "T", c.ty), "; ")
		rc := rewriteCase{name: c.name, sig: fmt.Sprintf("(%%x: %s, %%y: %s) -> %s", c.ty, c.ty, c.ty)}
		rc.before = strings.Join(ops, "\n") + "\nreturn %r : " + c.ty
		if c.out != "" {
			rc.after = strings.Join(ops[:len(ops)-1], "\n") + "\nreturn " + c.out + " : " + c.ty
		}
		checkRewrites(t, []string{"canonicalize"}, []rewriteCase{rc})
	}
}

func TestCanonicalForms(t *testing.T) {
	checkRewrites(t, []string{"canonicalize"}, []rewriteCase{
		{name: "power 2", sig: "(%x: tensor<4xf32>) -> tensor<4xf32>", before: `
  %c = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0 = stablehlo.power %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>`, after: `
  %c = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>`},
		{name: "divide by 8", sig: "(%x: tensor<4xf32>) -> tensor<4xf32>", before: `
  %c = stablehlo.constant dense<8.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.divide %x, %b : tensor<4xf32>
  return %0 : tensor<4xf32>`, after: `
  %c = stablehlo.constant dense<8.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %d = stablehlo.constant dense<0.125> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %d : tensor<4xf32>
  return %0 : tensor<4xf32>`},
	})
}
