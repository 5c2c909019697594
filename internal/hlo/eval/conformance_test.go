package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

// conformanceDir returns the folder of third-party programs, or skips.
func conformanceDir(t *testing.T) string {
	dir := os.Getenv("ALCA_CONFORMANCE")
	if dir == "" {
		dir = "../../../../shared/conformance"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no conformance data: set ALCA_CONFORMANCE")
	}
	return dir
}

func runModule(m *hlo.Module) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if err := hlo.Verify(m); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err = Run(ctx, m, "", nil, Options{})
	return err
}

// TestConformance evaluates the programs that carry their own expectations. The share that passes may only rise.
func TestConformance(t *testing.T) {
	dir := conformanceDir(t)
	for _, set := range []struct {
		glob string
		min  float64
	}{
		{"stablehlo/testdata/*.mlir", 0.99}, {"stablehlo/testdata/quantized/*.mlir", 0.99}, {"stablehlo/tests/interpret/*.mlir", 1},
		{"stablehlo/tests/interpret/chlo/*.mlir", 1}, {"stablehlo/tests/math/*.mlir", 0.96},
	} {
		files, _ := filepath.Glob(filepath.Join(dir, set.glob))
		var mu sync.Mutex
		pass, total := 0, 0
		why := map[string]int{}
		sem := make(chan bool, 2)
		var wg sync.WaitGroup
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			wg.Add(1)
			sem <- true
			go func() {
				defer wg.Done()
				defer func() { <-sem }()
				for _, p := range mlir.ParseSplit(src, filepath.Base(f)) {
					err := p.Err
					if err == nil {
						err = runModule(p.Module)
					}
					mu.Lock()
					total++
					if err == nil {
						pass++
					} else if msg := err.Error(); testing.Verbose() {
						if i := strings.Index(msg, "["); i > 0 {
							msg = msg[i:]
						}
						why[msg[:min(len(msg), 100)]]++
						fmt.Println(err)
					}
					mu.Unlock()
				}
			}()
		}
		wg.Wait()
		t.Logf("%s: %d of %d pass", set.glob, pass, total)
		var keys []string
		for k := range why {
			keys = append(keys, k)
		}
		sort.Slice(keys, func(i, j int) bool { return why[keys[i]] > why[keys[j]] })
		for i, k := range keys {
			if i < 40 {
				t.Logf("%5d %s", why[k], k)
			}
		}
		if float64(pass) < set.min*float64(total) {
			t.Errorf("%s: %d of %d pass, at least %.0f %% must", set.glob, pass, total, 100*set.min)
		}
	}
}
