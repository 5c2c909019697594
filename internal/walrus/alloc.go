package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
)

// sbufAlign is the alignment of SBUF locations: DMA rows and 2-byte transposes want 32 bytes (machine.md 4.5).
const sbufAlign = 32

// smallBytes is the row size up to which sbufAlign would waste more than it gains.
const smallBytes = 16

func sbufRequestSize(l *bir.MemLoc) (size, align int64) {
	n := l.PartitionBytes()
	a := int64(sbufAlign)
	if n <= smallBytes {
		a = 8
	}
	return (n + a - 1) / a * a, a
}

// allocPSUM gives PSUM locations banks: a location takes whole banks, so that accumulation groups of different
// locations never share a zero window (backend.md 12.6).
func allocPSUM(u *unit) error {
	banks := int64(u.spec.PSUM.Banks)
	lts := u.lifetimes(bir.PSUM, nil)
	reqs := make([]request, len(lts))
	for i, t := range lts {
		n := (t.loc.PartitionBytes() + psumBankBytes - 1) / psumBankBytes
		if n > banks {
			return diag.Errorf(CodePSUM, setLoc(t.loc), "%s is too big for PSUM, requires %d banks with PSUM size %d", t.loc.Name, n, banks)
		}
		reqs[i] = request{loc: t.loc, start: t.start, end: t.end, size: n}
		if t.loc.Pinned {
			reqs[i].fixed, reqs[i].offset = true, int64(t.loc.Bank)
		}
	}
	r := place(reqs, banks, u.searchNodes(), u.opt.OptLevel > 0)
	u.plan("psum", r.Height, r.LowerBound, "banks")
	if !r.Fits {
		return diag.Errorf(CodePSUM, diag.Loc{}, "PSUM tiles alive together need %d banks, the core has %d", r.LowerBound, banks).
			WithHint("a lower bound of %d banks is met by no order of placement; use fewer accumulators at a time", r.LowerBound)
	}
	for i, q := range reqs {
		q.loc.Bank, q.loc.Addr, q.loc.Allocated = int(r.Offsets[i]), 0, true
	}
	return nil
}

func setLoc(l *bir.MemLoc) diag.Loc {
	if l.Set != nil && l.Set.Debug != nil {
		return l.Set.Debug.Loc
	}
	return diag.Loc{}
}

// searchNodes bounds the packing search of one memory: about 0.2 s, less in a trial.
func (u *unit) searchNodes() int {
	if u.quick {
		return 10000
	}
	return 200000
}

// allocSBUF places the SBUF locations, spilling until they fit.
func allocSBUF(u *unit) error {
	splitLocations(u)
	err := u.placeSBUF()
	// Tiles too big to be there together: cut the instructions, then the tiles, and try again.
	for limit := int64(1024); diag.Code(err) == CodeSBUF && limit >= 128; limit /= 2 {
		chunkInstrs(u, limit, true)
		splitLocations(u)
		err = u.placeSBUF()
	}
	// Tiles that do not fall apart: keep them in DRAM.
	for diag.Code(err) == CodeSBUF && u.moveHome() {
		err = u.placeSBUF()
	}
	return err
}

// placeSBUF places the locations as they are, spilling if they do not fit.
func (u *unit) placeSBUF() error {
	lts := u.lifetimes(bir.SB, nil)
	reqs := make([]request, len(lts))
	for i, t := range lts {
		size, align := sbufRequestSize(t.loc)
		reqs[i] = request{loc: t.loc, start: t.start, end: t.end, size: size, align: align}
		if t.loc.Pinned {
			reqs[i].fixed, reqs[i].offset = true, t.loc.Addr
		}
	}
	r := place(reqs, u.sbufCapacity, u.searchNodes(), u.opt.OptLevel > 0)
	if r.Fits {
		u.plan("sbuf", r.Height, r.LowerBound, "bytes per partition")
		for i, q := range reqs {
			q.loc.Addr, q.loc.Allocated = r.Offsets[i], true
		}
		return nil
	}
	return u.spillSBUF(lts)
}

// allocDRAM places internal DRAM locations in one scratch area.
func allocDRAM(u *unit) error {
	lts := u.lifetimes(bir.DRAM, func(l *bir.MemLoc) bool {
		return l.Set.Kind == bir.Internal || l.Set.Kind == bir.InternalInterface
	})
	const align = 64
	reqs := make([]request, len(lts))
	for i, t := range lts {
		reqs[i] = request{loc: t.loc, start: t.start, end: t.end, size: (t.loc.Bytes() + align - 1) / align * align, align: align}
	}
	var io int64
	for _, s := range u.fn.Sets {
		for _, l := range s.Locs {
			if l.Type == bir.DRAM && s.Kind != bir.Internal && s.Kind != bir.InternalInterface && l.Alias == nil {
				io += l.Bytes()
			}
		}
	}
	free := u.spec.HBM.Bytes - io
	if free < 0 {
		return diag.Errorf(CodeHBM, diag.Loc{}, "the arguments, results and constants need %d bytes, the core's HBM has %d", io, u.spec.HBM.Bytes)
	}
	// Without reuse there is nothing to wait for; reuse only when the scratch would become large.
	r := place(reqs, min(free, 1<<30), 0, u.opt.OptLevel > 0)
	if !r.Fits {
		r = place(reqs, free, u.searchNodes(), false)
	}
	if !r.Fits {
		return diag.Errorf(CodeHBM, diag.Loc{}, "the combined memory needed for the model tensors exceeds the high-bandwidth memory limit: %d + %d bytes of %d", io, r.Height, u.spec.HBM.Bytes)
	}
	u.plan("dram", r.Height, r.LowerBound, "bytes")
	for i, q := range reqs {
		q.loc.Addr, q.loc.Allocated = r.Offsets[i], true
	}
	return nil
}
