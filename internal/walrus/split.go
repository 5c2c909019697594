package walrus

import (
	"fmt"
	"sort"

	"github.com/alcadev/alca/internal/bir"
)

// splitLocations cuts SBUF locations whose accesses fall into disjoint column ranges into one location a range:
//
//	t[128, 4096]: writes and reads touch [0,2048) or [2048,4096)  =>  t.0[128, 2048], t.1[128, 2048]
//
// so that each part lives only as long as its own data. It declines locations with run-time offsets, pinned ones, and
// ranges that do not start on an element of every access.
func splitLocations(u *unit) {
	type use struct {
		arg    *bir.Arg
		lo, hi int64 // bytes of the row
	}
	uses := map[*bir.MemLoc][]use{}
	var order []*bir.MemLoc
	bad := map[*bir.MemLoc]bool{}
	for _, b := range u.blocks {
		for _, in := range b.instrs {
			for _, list := range [3][]bir.Arg{in.Ins, in.Indirect, in.Outs} {
				for i := range list {
					a := &list[i]
					if a.Kind != bir.ArgAP || a.AP.Loc.Type != bir.SB {
						continue
					}
					l := a.AP.Loc
					if uses[l] == nil {
						order = append(order, l)
					}
					if a.AP.Reg != nil || a.AP.Expr != nil || l.Pinned || l.Alias != nil {
						bad[l] = true
					}
					lo, hi := rowRange(a.AP)
					uses[l] = append(uses[l], use{a, lo, hi})
				}
			}
		}
	}
	for _, l := range order {
		us := uses[l]
		if bad[l] {
			continue
		}
		sorted := append([]use(nil), us...)
		sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].lo < sorted[j].lo })
		type span struct{ lo, hi int64 }
		var parts []span
		for _, s := range sorted {
			if n := len(parts); n > 0 && s.lo < parts[n-1].hi {
				parts[n-1].hi = max(parts[n-1].hi, s.hi)
			} else {
				parts = append(parts, span{s.lo, s.hi})
			}
		}
		if len(parts) < 2 {
			continue
		}
		size := int64(l.Set.DType.Size())
		ok := true
		find := func(lo int64) int { return sort.Search(len(parts), func(i int) bool { return parts[i].hi > lo }) }
		for _, p := range parts {
			ok = ok && p.lo%size == 0 && p.hi%size == 0
		}
		for _, s := range us {
			ok = ok && parts[find(s.lo)].lo%int64(s.arg.AP.DType.Size()) == 0
		}
		if !ok {
			continue
		}
		locs := make([]*bir.MemLoc, len(parts))
		for k, p := range parts {
			n := u.fn.NewSet(fmt.Sprintf("%s.%d", l.Name, k), bir.SB, bir.Internal, l.Set.DType, l.Dims[0], (p.hi-p.lo)/size)
			n.Set.Debug = l.Set.Debug
			n.Base = l.Base
			locs[k] = n
		}
		for _, s := range us {
			k := find(s.lo)
			ap := *s.arg.AP
			ap.Loc = locs[k]
			ap.Offset -= parts[k].lo / int64(ap.DType.Size())
			s.arg.AP = &ap
		}
	}
}

// rowRange returns the bytes of a partition that a static pattern touches.
func rowRange(p *bir.AccessPattern) (lo, hi int64) {
	size := int64(p.DType.Size())
	lo, hi = p.Offset, p.Offset
	for _, d := range p.Free {
		if n := d.Step * (d.Count - 1); n < 0 {
			lo += n
		} else {
			hi += n
		}
	}
	return lo * size, (hi + 1) * size
}
