package opt

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

// cse computes equal values once:
//
//	%0 = add %x, %y                %0 = add %x, %y
//	%1 = add %x, %y            =>  %2 = multiply %0, %0
//	%2 = multiply %0, %1
//
// Ops are equal when row, operands, attributes and result types are. It declines ops that are not pure or hold
// regions. A value of an enclosing block serves the regions inside it, not the other way round.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "hlo-cse", Doc: "compute equal values once", Run: func(m *hlo.Module) error {
		for _, r := range m.Bodies() {
			c := &cse{ids: map[*hlo.Value]int{}, seen: map[string]*hlo.Op{}, subst: hlo.Subst{}}
			c.region(r)
		}
		return nil
	}})
}

type cse struct {
	ids   map[*hlo.Value]int
	seen  map[string]*hlo.Op
	subst hlo.Subst
}

func (c *cse) region(r *hlo.Region) {
	for _, b := range r.Blocks {
		var mine []string
		kept := b.Ops[:0]
		for _, o := range b.Ops {
			for i, v := range o.Operands {
				o.Operands[i] = c.subst.Get(v)
			}
			for _, s := range o.Regions {
				c.region(s)
			}
			if !o.Def.Has(hlo.Pure) || len(o.Regions) > 0 || len(o.Results) == 0 {
				kept = append(kept, o)
				continue
			}
			k := c.key(o)
			if first := c.seen[k]; first != nil {
				for i, v := range o.Results {
					c.subst[v] = first.Results[i]
				}
				continue
			}
			c.seen[k] = o
			mine = append(mine, k)
			kept = append(kept, o)
		}
		b.Ops = kept
		for _, k := range mine {
			delete(c.seen, k)
		}
	}
}

// key spells o with its operands numbered.
func (c *cse) key(o *hlo.Op) string {
	var b strings.Builder
	b.WriteString(o.Name())
	for _, v := range o.Operands {
		id, ok := c.ids[v]
		if !ok {
			id = len(c.ids)
			c.ids[v] = id
		}
		fmt.Fprintf(&b, " %d", id)
	}
	for _, v := range o.Results {
		b.WriteString(" " + hlo.TypeString(v.Type))
	}
	for _, a := range o.Attrs {
		fmt.Fprintf(&b, " %s=", a.Name)
		attrKey(&b, a.Attr)
	}
	return b.String()
}

func attrKey(b *strings.Builder, a hlo.Attr) {
	switch a := a.(type) {
	case *hlo.DenseAttr:
		if len(a.Data.Data) <= 64 {
			fmt.Fprintf(b, "dense %s %v %x", a.Type, a.Splat, a.Data.Data)
		} else {
			fmt.Fprintf(b, "dense %s %v sum %x", a.Type, a.Splat, sha256.Sum256(a.Data.Data))
		}
	case hlo.ArrayAttr:
		for _, e := range a.Elems {
			attrKey(b, e)
			b.WriteByte(',')
		}
	case hlo.DictAttr:
		for _, e := range a.Entries {
			fmt.Fprintf(b, "%s:", e.Name)
			attrKey(b, e.Attr)
		}
	case hlo.TypeAttr:
		b.WriteString(hlo.TypeString(a.Type))
	default:
		// Structs of numbers, strings and lists: the text of the value behind a pointer, not its address.
		fmt.Fprintf(b, "%T%+v", a, a)
	}
}
