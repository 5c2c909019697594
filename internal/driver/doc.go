// Package driver runs jobs: it reads inputs, calls the stages of the compiler in order, simulates, compares and
// reports. Algorithms live in the packages it calls; the command line is wired in cmd/alca.
//
//	env := &driver.Env{Out: os.Stdout, Err: os.Stderr}
//	code := env.Guard(ctx, os.Args[1:], func(ctx context.Context) error {
//		src, err := driver.ReadSource("model.mlir")
//		...
//		res, err := driver.Compile(ctx, src, driver.Options{Target: "trn2", OptLevel: 2})
//		return driver.WriteFile("model.neff", res.NEFF)
//	})
package driver
