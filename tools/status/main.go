// Command status prints the measured tables of docs/status.md: every example on every target and level.
//
//	go run ./tools/status [examples folder]
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alcadev/alca/internal/driver"
)

func main() {
	dir := "examples"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.mlir"))
	if err != nil {
		return err
	}
	fmt.Println("| example | target | -O0 | -O1 | -O2 | -O0 / -O2 | roofline bound | -O2 / bound | max error / scale |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, f := range files {
		for _, target := range []string{"trn1", "trn2", "trn3"} {
			var rep [3]driver.RunReport
			worst := 0.0
			for level := range rep {
				var out bytes.Buffer
				e := &driver.Env{Out: &out, Err: os.Stderr}
				o := driver.RunOptions{CompileOptions: driver.CompileOptions{Target: target, OptLevel: level, AutoCast: "none"}, Verify: true, Act: "exact", JSON: true}
				if err := driver.Run(context.Background(), e, f, o); err != nil {
					return fmt.Errorf("%s, %s, -O%d: %w", f, target, level, err)
				}
				if err := json.Unmarshal(out.Bytes(), &rep[level]); err != nil {
					return err
				}
				for _, c := range rep[level].Outputs {
					worst = max(worst, c.Error)
				}
			}
			us := func(ns float64) string { return fmt.Sprintf("%.1f µs", ns/1e3) }
			t := func(i int) float64 { return rep[i].Sim.TimeNs }
			fmt.Printf("| %s | %s | %s | %s | %s | %.1f | %s | %.1f | %.1e |\n", strings.TrimSuffix(filepath.Base(f), ".mlir"), target,
				us(t(0)), us(t(1)), us(t(2)), t(0)/t(2), us(rep[2].Roofline.BoundNs), rep[2].Roofline.Ratio, worst)
		}
	}
	return nil
}
