package mlir

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// conformanceDir returns the folder of third-party test inputs, or skips the test.
func conformanceDir(t testing.TB) string {
	dir := os.Getenv("ALCA_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "conformance")
	}
	dir = filepath.Join(dir, "stablehlo")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("conformance data not found; set ALCA_CONFORMANCE to run this test")
	}
	return dir
}

// TestConformance parses every StableHLO text of the public set, prints it and reads the print back.
func TestConformance(t *testing.T) {
	dir := conformanceDir(t)
	for _, set := range []struct {
		sub  string
		want float64 // least share that must parse
	}{{"testdata", 0.99}, {"tests", 0.95}} {
		t.Run(set.sub, func(t *testing.T) {
			total, parsed := 0, 0
			reasons := map[string]int{}
			filepath.Walk(filepath.Join(dir, set.sub), func(path string, info os.FileInfo, err error) error {
				if err != nil || !strings.HasSuffix(path, ".mlir") {
					return nil
				}
				if testing.Short() && total > 300 {
					return filepath.SkipAll
				}
				src, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range Split(src) {
					total++
					m, err := Parse(part.Src, filepath.Base(path))
					if err != nil {
						msg := err.Error()
						if i := strings.Index(msg, "error: "); i >= 0 {
							msg = msg[i:]
						}
						if reasons[msg]++; reasons[msg] == 1 && os.Getenv("ALCA_VERBOSE") != "" {
							fmt.Println(err)
						}
						continue
					}
					parsed++
					one := Text(m)
					m2, err := Parse([]byte(one), "printed")
					if err != nil {
						t.Errorf("%s: printed text does not parse: %v", path, err)
						continue
					}
					if two := Text(m2); one != two {
						t.Errorf("%s: printing is no fixed point: %s", path, firstDiff(one, two))
					} else if d := diff(m, m2); d != "" {
						t.Errorf("%s: round trip changes the module: %s", path, d)
					}
				}
				return nil
			})
			t.Logf("%s: %d of %d modules parse", set.sub, parsed, total)
			var rs []string
			for r, n := range reasons {
				rs = append(rs, fmt.Sprintf("%5d %s", n, r))
			}
			sort.Sort(sort.Reverse(sort.StringSlice(rs)))
			for i, r := range rs {
				if i == 25 {
					break
				}
				t.Log(r)
			}
			if float64(parsed) < set.want*float64(total) {
				t.Errorf("%d of %d modules parse, want %.0f %%", parsed, total, 100*set.want)
			}
		})
	}
}

func firstDiff(a, b string) string {
	al, bl := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range al {
		if i >= len(bl) || al[i] != bl[i] {
			other := ""
			if i < len(bl) {
				other = bl[i]
			}
			return fmt.Sprintf("line %d:\n%.300s\n%.300s", i+1, al[i], other)
		}
	}
	return "length"
}
