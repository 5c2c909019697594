package pass

import (
	"context"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
)

func TestRun(t *testing.T) {
	var r Registry[*[]string]
	for _, n := range []string{"a", "b", "c"} {
		r.Add(Pass[*[]string]{Name: n, Required: n == "a", Run: func(m *[]string) error { *m = append(*m, n); return nil }})
	}
	all, err := r.Resolve([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, disable, stop, want string
	}{{"all", "", "", "a b c"}, {"disable", "b", "", "a c"}, {"stop", "", "b", "a b"}, {"stop at a disabled pass", "b", "b", "a"}} {
		var got []string
		seen := 0
		stopped, err := Run(context.Background(), all, &got, Options[*[]string]{Disable: []string{c.disable}, StopAfter: c.stop,
			After: func(string, *[]string) error { seen++; return nil }})
		if err != nil || strings.Join(got, " ") != c.want || stopped != (c.stop != "") || seen != len(got) {
			t.Errorf("%s: ran %v, stopped %v, err %v", c.name, got, stopped, err)
		}
	}
	var got []string
	if _, err := Run(context.Background(), all, &got, Options[*[]string]{Disable: []string{"a"}}); diag.Code(err) != "DRV026" {
		t.Errorf("disabling a required pass: %v", err)
	}
	if _, err := r.Resolve([]string{"nope"}); diag.Code(err) != "DRV025" {
		t.Errorf("unknown pass: %v", err)
	}
}
