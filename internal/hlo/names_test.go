package hlo

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	f := &Func{Params: []*Value{{Name: "x"}, {}, {Name: "w"}, {Name: "w"}}, Results: make([]Type, 2)}
	if got, want := f.InputNames(), []string{"x", "input1", "input2", "input3"}; !slices.Equal(got, want) {
		t.Errorf("inputs %v, want %v", got, want)
	}
	if got, want := f.OutputNames(), []string{"output0", "output1"}; !slices.Equal(got, want) {
		t.Errorf("outputs %v, want %v", got, want)
	}
}
