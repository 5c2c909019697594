package tensor

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Named is a tensor under the name a caller or a program gives it.
type Named struct {
	Name   string
	Tensor *Tensor
}

// NamedArray is a member of an .npz archive, as stored.
type NamedArray struct {
	Name string
	*Array
}

// maxNPZ bounds the data one archive may unpack to.
const maxNPZ = 64 << 30

// ReadNPZFile reads all arrays of an .npz archive in archive order. Errors name the member at fault.
func ReadNPZFile(path string) ([]NamedArray, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return nil, fmt.Errorf("%s is a directory", path)
	}
	return ReadNPZ(f, st.Size())
}

// ReadNPZ reads all arrays of an .npz archive of the given size.
func ReadNPZ(r io.ReaderAt, size int64) ([]NamedArray, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("not an npz archive: %w", err)
	}
	meta := map[string]string{}
	var out []NamedArray
	total := uint64(0)
	for _, m := range z.File {
		if total += m.UncompressedSize64; total > maxNPZ {
			return nil, fmt.Errorf("archive unpacks to more than %d bytes", int64(maxNPZ))
		}
		// Deflate expands at most about 1032 times; a header that claims more lies.
		if m.CompressedSize64 < 1<<50 && m.UncompressedSize64 > 1100*m.CompressedSize64+1024 {
			return nil, fmt.Errorf("member %s: states %d bytes from %d compressed ones", m.Name, m.UncompressedSize64, m.CompressedSize64)
		}
		switch {
		case strings.HasSuffix(m.Name, ".npy.meta"):
			rc, err := m.Open()
			if err != nil {
				return nil, fmt.Errorf("member %s: %w", m.Name, err)
			}
			var v struct {
				MLDtype string `json:"ml_dtype"`
			}
			err = json.NewDecoder(io.LimitReader(rc, 1<<16)).Decode(&v)
			rc.Close()
			if err != nil {
				return nil, fmt.Errorf("member %s: %w", m.Name, err)
			}
			meta[strings.TrimSuffix(m.Name, ".npy.meta")] = v.MLDtype
		case strings.HasSuffix(m.Name, ".npy"):
			rc, err := m.Open()
			if err != nil {
				return nil, fmt.Errorf("member %s: %w", m.Name, err)
			}
			a, err := ReadNPY(rc, int64(m.UncompressedSize64))
			if err == nil {
				_, err = io.Copy(io.Discard, rc) // to the end, so that the checksum is checked
			}
			rc.Close()
			if err != nil {
				return nil, fmt.Errorf("member %s: %w", m.Name, err)
			}
			out = append(out, NamedArray{strings.TrimSuffix(m.Name, ".npy"), a})
		}
	}
	for i := range out {
		name, ok := meta[out[i].Name]
		if !ok {
			continue
		}
		t, ok := mlNames[name]
		if !ok || !out[i].As(t) {
			return nil, fmt.Errorf("member %s: its meta file names type %q, which does not fit", out[i].Name, name)
		}
	}
	return out, nil
}

// WriteNPZ writes tensors as a compressed .npz archive. Equal tensors give equal bytes.
func WriteNPZ(w io.Writer, ts []Named) error {
	z := zip.NewWriter(w)
	add := func(name string) (io.Writer, error) {
		return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
	}
	for _, t := range ts {
		m, err := add(t.Name + ".npy")
		if err != nil {
			return err
		}
		if err := WriteNPY(m, t.Tensor); err != nil {
			return err
		}
		if ml, ok := needsMeta(t.Tensor.Type); ok {
			m, err := add(t.Name + ".npy.meta")
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(m, "{\"ml_dtype\": %q}", ml); err != nil {
				return err
			}
		}
	}
	return z.Close()
}
