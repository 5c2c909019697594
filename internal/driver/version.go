package driver

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
)

// Version identifies the binary.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	BuildID  string `json:"build_id,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	CPUs     int    `json:"cpus"`
}

// GetVersion reads the identity that the Go toolchain stored in the binary.
func GetVersion() Version {
	v := Version{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()}
	bi, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if bi.Main.Version != "" {
		v.Version = bi.Main.Version
	}
	v.BuildID = bi.Main.Sum
	for _, s := range bi.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// VersionJSON is GetVersion as JSON.
func VersionJSON() []byte {
	b, _ := json.MarshalIndent(GetVersion(), "", "  ")
	return append(b, '\n')
}
