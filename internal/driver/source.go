package driver

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alcadev/alca/internal/diag"
)

// SourceLabel is the file name in locations of the module being compiled. It is the same for every input, so
// that neither name nor folder of a file can reach an output; reports put the path back.
const SourceLabel = "input"

// Source is a module text and where it came from.
type Source struct {
	Path string // as the user gave it; "-" is standard input
	Text []byte
}

// maxSourceBytes bounds module text.
const maxSourceBytes = 2 << 30

// ReadSource reads a module text. Standard input is read for "-".
func (e *Env) ReadSource(path string) (*Source, error) {
	src := &Source{Path: path}
	var err error
	if path == "-" {
		src.Path = "<stdin>"
		src.Text, err = io.ReadAll(io.LimitReader(e.In, maxSourceBytes+1))
	} else {
		src.Text, err = readFile(path, maxSourceBytes)
	}
	if err != nil {
		return nil, err
	}
	e.AddSource(SourceLabel, src)
	e.warnElided(src)
	e.Note("input.mlir", func() []byte { return src.Text })
	return src, nil
}

// AddSource makes a text available to reports under a label.
func (e *Env) AddSource(label string, s *Source) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sources == nil {
		e.sources = map[string]*Source{}
	}
	e.sources[label] = s
}

// readFile reads a regular file of at most limit bytes, or says in a diagnostic why not.
func readFile(path string, limit int64) ([]byte, error) {
	if err := regularFile(path); err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err == nil && st.Size() > limit {
		return nil, diag.Errorf("DRV004", diag.Loc{File: path}, "has %d bytes, more than the %d alca reads", st.Size(), limit)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fileError(path, "read", err)
	}
	return b, nil
}

// regularFile says in a diagnostic why path cannot be read as a file.
func regularFile(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return fileError(path, "read", err)
	}
	if st.IsDir() {
		return diag.Errorf("DRV003", diag.Loc{File: path}, "is a folder, not a file")
	}
	return nil
}

func fileError(path, what string, err error) error {
	loc := diag.Loc{File: path}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return diag.Errorf("DRV001", loc, "cannot %s: there is no such file or folder", what)
	case errors.Is(err, fs.ErrPermission):
		return diag.Errorf("DRV002", loc, "cannot %s: permission denied", what)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return diag.Errorf("DRV002", loc, "cannot %s: %w", what, err)
}

// folderError says why nothing can be made in dir, the folder of path.
func folderError(path, dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return diag.Errorf("DRV001", diag.Loc{File: path}, "cannot write: there is no folder %s", dir)
	}
	return fileError(path, "write", err)
}

// IsNEFF reports whether data begins like a NEFF rather than text.
func IsNEFF(data []byte) bool {
	return len(data) >= 1024 && bytes.IndexByte(data[:64], 0) >= 0 && bytes.Contains(data[:min(len(data), 1100)], []byte{0x1f, 0x8b})
}

// WriteFile writes data to path through a temporary file, so that a reader never sees half of it and a failed
// command leaves none. "-" is standard output.
func (e *Env) WriteFile(path string, data []byte) error {
	if path == "-" {
		_, err := e.Out.Write(data)
		return err
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return diag.Errorf("DRV003", diag.Loc{File: path}, "cannot write: is a folder")
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return folderError(path, dir, err)
	}
	tmp := f.Name()
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp, 0o644)
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
		return fileError(path, "write", err)
	}
	return nil
}

// CheckWritable fails early when the folder of an output does not exist or the output is a folder, before
// minutes are spent on computing what cannot be stored.
func CheckWritable(path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return diag.Errorf("DRV003", diag.Loc{File: path}, "cannot write: is a folder")
	}
	dir := filepath.Dir(path)
	st, err := os.Stat(dir)
	if err != nil {
		return folderError(path, dir, err)
	}
	if !st.IsDir() {
		return diag.Errorf("DRV002", diag.Loc{File: path}, "cannot write: %s is no folder", dir)
	}
	f, err := os.CreateTemp(dir, ".alca-probe-*")
	if err != nil {
		return fileError(path, "write", err)
	}
	f.Close()
	os.Remove(f.Name())
	return nil
}

// Sibling returns the path of NAME.suffix beside NAME.mlir if that file exists.
func Sibling(path, suffix string) string {
	p := strings.TrimSuffix(path, filepath.Ext(path)) + suffix
	if st, err := os.Stat(p); err == nil && !st.IsDir() {
		return p
	}
	return ""
}
