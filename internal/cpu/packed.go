package cpu

import "unsafe"

const (
	tileRows   = 6
	tileBytes  = 64  // of one row of a tile
	panelDepth = 256 // k of a packed panel: a panel of b stays in the first-level cache while rows pass over it
	panelRows  = 96  // rows of a packed together
)

// packed multiplies by register tiles: a in slivers of six rows, b in slivers of one tile's columns, both copied so
// that a tile reads them in order. Rows or columns, whichever are more, are shared out among the cores.
func packed[T float32 | float64](m, n, k int, a, b, c []T, tile func(k int, a, b, c unsafe.Pointer, ldc int)) {
	work := int64(m) * int64(n) * int64(k) / 8
	clear(c[:m*n])
	if m >= n/2 {
		parallel((m+tileRows-1)/tileRows, work, func(lo, hi int) {
			packedPart(lo*tileRows, min(hi*tileRows, m), 0, n, n, k, a, b, c, tile)
		})
		return
	}
	var z T
	cols := tileBytes / int(unsafe.Sizeof(z))
	parallel((n+cols-1)/cols, work, func(lo, hi int) {
		packedPart(0, m, lo*cols, min(hi*cols, n), n, k, a, b, c, tile)
	})
}

// packedPart computes rows [i0, i1) and columns [j0, j1) of c, whose row length is n.
func packedPart[T float32 | float64](i0, i1, j0, j1, n, k int, a, b, c []T, tile func(k int, a, b, c unsafe.Pointer, ldc int)) {
	if i0 >= i1 || j0 >= j1 {
		return
	}
	var z T
	cols := tileBytes / int(unsafe.Sizeof(z))
	const panelCols = 512
	depth := min(k, panelDepth)
	pa := make([]T, depth*panelRows)
	pb := make([]T, depth*((min(panelCols, j1-j0)+cols-1)/cols*cols))
	edge := make([]T, tileRows*cols) // a tile that reaches over the border
	for jj := j0; jj < j1; jj += panelCols {
		jn := min(panelCols, j1-jj)
		for kk := 0; kk < k; kk += panelDepth {
			kn := min(panelDepth, k-kk)
			packB(pb, b, kk, kn, jj, jn, n, cols)
			for ii := i0; ii < i1; ii += panelRows {
				in := min(panelRows, i1-ii)
				packA(pa, a, ii, in, kk, kn, k)
				for j := 0; j < jn; j += cols {
					sb := unsafe.Pointer(&pb[j*kn])
					for i := 0; i < in; i += tileRows {
						sa := unsafe.Pointer(&pa[i*kn])
						at := (ii+i)*n + jj + j
						if i+tileRows <= in && j+cols <= jn {
							tile(kn, sa, sb, unsafe.Pointer(&c[at]), n)
							continue
						}
						rows, width := min(tileRows, in-i), min(cols, jn-j)
						for r := range rows {
							copy(edge[r*cols:r*cols+width], c[at+r*n:])
						}
						tile(kn, sa, sb, unsafe.Pointer(&edge[0]), cols)
						for r := range rows {
							copy(c[at+r*n:at+r*n+width], edge[r*cols:])
						}
					}
				}
			}
		}
	}
}

// packA copies rows [ii, ii+in) and columns [kk, kk+kn) of a into slivers of six rows, column by column; rows beyond
// the last are zero.
func packA[T float32 | float64](dst, a []T, ii, in, kk, kn, k int) {
	for i := 0; i < in; i += tileRows {
		s := dst[i*kn : (i+tileRows)*kn]
		rows := min(tileRows, in-i)
		if rows < tileRows {
			clear(s)
		}
		for r := range rows {
			row := a[(ii+i+r)*k+kk:][:kn]
			for p, v := range row {
				s[p*tileRows+r] = v
			}
		}
	}
}

// packB copies rows [kk, kk+kn) and columns [jj, jj+jn) of b into slivers of cols columns, row by row; columns beyond
// the last are zero.
func packB[T float32 | float64](dst, b []T, kk, kn, jj, jn, n, cols int) {
	for j := 0; j < jn; j += cols {
		s := dst[j*kn : (j+cols)*kn]
		width := min(cols, jn-j)
		for p := range kn {
			d := s[p*cols : (p+1)*cols]
			copy(d, b[(kk+p)*n+jj+j:][:width])
			if width < cols {
				clear(d[width:])
			}
		}
	}
}
