package timeline

import "sort"

// finish orders what was recorded.
func (r *runner) finish() {
	sort.SliceStable(r.res.Slices, func(i, j int) bool {
		a, b := &r.res.Slices[i], &r.res.Slices[j]
		if a.Track != b.Track {
			return a.Track < b.Track
		}
		return a.Start < b.Start
	})
}
