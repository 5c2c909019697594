package sim

import (
	"bufio"
	"encoding/json"
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
	Ts   float64        `json:"ts,omitempty"` // microseconds
	Dur  float64        `json:"dur,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// WriteTrace writes slices as a Chrome trace: one thread a track, times in microseconds.
func WriteTrace(w io.Writer, slices []timeline.Slice) error {
	tracks := map[string]int{}
	var names []string
	for i := range slices {
		if _, ok := tracks[slices[i].Track]; !ok {
			tracks[slices[i].Track] = 0
			names = append(names, slices[i].Track)
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
	for i, n := range names {
		tracks[n] = i + 1
		if err := emit(traceEvent{Name: "thread_name", Ph: "M", Pid: 1, Tid: i + 1, Args: map[string]any{"name": n}}); err != nil {
			return err
		}
	}
	for i := range slices {
		s := &slices[i]
		args := map[string]any{"pc": s.PC}
		if s.Src.Loc.Known() {
			args["location"] = s.Src.Loc.String()
		}
		if err := emit(traceEvent{Name: s.Name, Ph: "X", Pid: 1, Tid: tracks[s.Track], Ts: s.Start.Ns() / 1000, Dur: (s.End - s.Start).Ns() / 1000, Args: args}); err != nil {
			return err
		}
	}
	if _, err := bw.WriteString("]}\n"); err != nil {
		return err
	}
	return bw.Flush()
}
