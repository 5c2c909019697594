// Package pass holds the machinery all levels share: what a pass is, the registry it is found in, and the
// runner that times, dumps, checks and stops a pipeline.
//
//	var registry pass.Registry[*hlo.Module]
//
//	func init() { registry.Add(pass.Pass[*hlo.Module]{Name: "cse", Doc: "...", Run: runCSE}) }
//
// A pass mutates one level of IR, leaves it verified, and is deterministic. Which passes run in which order is
// a list of names in one place of the package that owns the level.
package pass

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"time"

	"github.com/alcadev/alca/internal/diag"
)

// Pass is one transformation of the IR M.
type Pass[M any] struct {
	Name     string // "sink-transpose"
	Doc      string // one line, imperative
	Required bool   // lowering depends on it: it cannot be disabled
	Run      func(m M) error
}

// Info is what a listing says about a pass.
type Info struct {
	Level, Name, Doc string
	Required         bool
}

// Registry holds the passes of a level by name.
type Registry[M any] struct {
	passes map[string]Pass[M]
}

// Add registers p; names are unique.
func (r *Registry[M]) Add(p Pass[M]) {
	if r.passes == nil {
		r.passes = map[string]Pass[M]{}
	}
	if _, dup := r.passes[p.Name]; dup {
		panic("pass " + p.Name + " registered twice")
	}
	r.passes[p.Name] = p
}

// Remove drops a pass that a test registered.
func (r *Registry[M]) Remove(name string) { delete(r.passes, name) }

// Lookup finds a pass.
func (r *Registry[M]) Lookup(name string) (Pass[M], bool) {
	p, ok := r.passes[name]
	return p, ok
}

// List returns all passes sorted by name.
func (r *Registry[M]) List() []Pass[M] {
	out := make([]Pass[M], 0, len(r.passes))
	for _, p := range r.passes {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Resolve turns names into passes.
func (r *Registry[M]) Resolve(names []string) ([]Pass[M], error) {
	out := make([]Pass[M], 0, len(names))
	for _, n := range names {
		p, ok := r.Lookup(n)
		if !ok {
			return nil, diag.Errorf("DRV025", diag.Loc{}, "there is no pass %q", n).WithHint("`alca passes` lists them")
		}
		out = append(out, p)
	}
	return out, nil
}

// Timing is what one run of a pass took.
type Timing struct {
	Level, Name string
	Duration    time.Duration
}

// Millis is d in milliseconds, as JSON reports state durations.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// MarshalJSON names the unit of the duration.
func (t Timing) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Level    string  `json:"level"`
		Name     string  `json:"name"`
		Duration float64 `json:"duration_ms"`
	}{t.Level, t.Name, Millis(t.Duration)})
}

// Options steer a run of a pipeline. The zero value just runs it.
type Options[M any] struct {
	Level     string
	Disable   []string                     // passes left out; required ones are an error
	StopAfter string                       // end after this pass
	After     func(name string, m M) error // dumps, prints and checks, after every pass
	Timings   *[]Timing
}

// Run runs passes over m in order. It reports whether StopAfter ended it.
func Run[M any](ctx context.Context, passes []Pass[M], m M, o Options[M]) (stopped bool, err error) {
	for _, p := range passes {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if contains(o.Disable, p.Name) {
			if p.Required {
				return false, diag.Errorf("DRV026", diag.Loc{}, "pass %s cannot be disabled: later stages depend on it", p.Name)
			}
		} else {
			start := time.Now()
			if err := p.Run(m); err != nil {
				return false, fmt.Errorf("%s: %w", p.Name, err)
			}
			if o.Timings != nil {
				*o.Timings = append(*o.Timings, Timing{o.Level, p.Name, time.Since(start)})
			}
			if o.After != nil {
				if err := o.After(p.Name, m); err != nil {
					return false, err
				}
			}
		}
		if p.Name == o.StopAfter {
			return true, nil
		}
	}
	return false, nil
}

func contains(l []string, s string) bool {
	for _, x := range l {
		if x == s {
			return true
		}
	}
	return false
}
