package walrus

import (
	"sort"

	"github.com/alcadev/alca/internal/bir"
)

// checkAllocation verifies that SBUF and PSUM locations alive together do not overlap and stay inside their memory.
func checkAllocation(u *unit) error {
	for _, m := range []bir.MemType{bir.SB, bir.PSUM} {
		lts := u.lifetimes(m, nil)
		limit := u.sbufCapacity
		if m == bir.PSUM {
			limit = int64(u.spec.PSUM.Banks) * psumBankBytes
		}
		sort.SliceStable(lts, func(i, j int) bool { return lts[i].start < lts[j].start })
		var live []*lifetime
		for _, t := range lts {
			a := boxOf(t.loc)
			if !t.loc.Allocated || a.b0 < 0 || a.b1 > limit && !t.loc.Pinned {
				return internalf("%s: bytes %d..%d are outside its memory of %d, or it has no address", t.loc.Name, a.b0, a.b1, limit)
			}
			k := 0
			for _, o := range live {
				if o.end <= t.start {
					continue
				}
				if boxOf(o.loc).meets(a) {
					return internalf("%s and %s share bytes while both are alive", o.loc.Name, t.loc.Name)
				}
				live[k] = o
				k++
			}
			live = append(live[:k], t)
		}
	}
	return nil
}
