package sim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sort"

	"github.com/alcadev/alca/internal/sim/timeline"
)

// traceEvent is an event of the Chrome trace format, which Perfetto loads.
type traceEvent struct {
	Name string         `json:"name"`
	Ph   string         `json:"ph"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Ts   *float64       `json:"ts,omitempty"` // microseconds; metadata has none
	Dur  float64        `json:"dur,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// micros is exact in print: the nearest float64 of a decimal with six places prints as that decimal.
func micros(t timeline.Ps) float64 { return float64(t) / 1e6 }

// lanes spreads the slices of each track so that no two of one lane overlap, as the format demands: what runs
// beside the bar of lane 0 goes to the first free lane. It returns the name of each slice's lane, and the slices'
// order by start.
func lanes(slices []timeline.Slice) (names []string, order []int) {
	order = make([]int, len(slices))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return slices[order[i]].Start < slices[order[j]].Start })
	names = make([]string, len(slices))
	free := map[string][]timeline.Ps{}
	for _, i := range order {
		s := &slices[i]
		ends := free[s.Track]
		k := 0
		for k < len(ends) && ends[k] > s.Start {
			k++
		}
		if k == len(ends) {
			ends = append(ends, 0)
		}
		ends[k] = s.End
		free[s.Track] = ends
		names[i] = s.Track
		if k > 0 {
			names[i] = fmt.Sprintf("%s (%d)", s.Track, k+1)
		}
	}
	return names, order
}

// WriteTrace writes slices as a Chrome trace, times in microseconds: a thread for each track, and more where the
// slices of a track overlap.
func WriteTrace(w io.Writer, slices []timeline.Slice) error {
	tracks := map[string]int{}
	var names []string
	lane, order := lanes(slices)
	for _, n := range lane {
		if _, ok := tracks[n]; !ok {
			tracks[n] = 0
			names = append(names, n)
		}
	}
	sort.Strings(names)
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	if _, err := bw.WriteString("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"); err != nil {
		return err
	}
	first := true
	emit := func(e traceEvent) error {
		if !first {
			if err := bw.WriteByte(','); err != nil {
				return err
			}
		}
		first = false
		return enc.Encode(e)
	}
	if err := emit(traceEvent{Name: "process_name", Ph: "M", Pid: 1, Args: map[string]any{"name": "alca: simulated core"}}); err != nil {
		return err
	}
	for i, n := range names {
		tracks[n] = i + 1
		if err := emit(traceEvent{Name: "thread_name", Ph: "M", Pid: 1, Tid: i + 1, Args: map[string]any{"name": n}}); err != nil {
			return err
		}
	}
	for _, i := range order {
		s := &slices[i]
		args := map[string]any{"pc": s.PC}
		if s.Op != "" {
			args["opcode"] = s.Op
		}
		if s.Bytes > 0 {
			args["transfer_bytes"], args["triggered_by"] = s.Bytes, s.By
		}
		if s.Src.Loc.Known() {
			args["location"] = s.Src.Loc.String()
		}
		ts := micros(s.Start)
		if err := emit(traceEvent{Name: s.Name, Ph: "X", Pid: 1, Tid: tracks[lane[i]], Ts: &ts, Dur: micros(s.End - s.Start), Args: args}); err != nil {
			return err
		}
	}
	if _, err := bw.WriteString("]}\n"); err != nil {
		return err
	}
	return bw.Flush()
}
