package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/kehai-run/kehai/runtime/private"
)

// Tracker is a folder with MediaPipe's Face Mesh, which the camera page runs in the browser:
// the files of the npm package [TrackerPackage] (Apache-2.0). Newer packages of MediaPipe
// have no model inside and would load it from elsewhere. Its scripts run where the key of
// the page is, so only the very files of that package are served.
type Tracker string

// TrackerIn is where a data directory has it.
func TrackerIn(data string) Tracker { return Tracker(filepath.Join(data, "tracker")) }

// TrackerPackage is what a [Tracker] holds.
const TrackerPackage = "@mediapipe/face_mesh@0.4.1657299874"

// trackerFile is a file of a tracker.
type trackerFile struct {
	name, mime string
	size       int64 // bytes
	sum        string
}

var trackerFiles = []trackerFile{
	{"face_mesh.js", javascript, 72524,
		"403924bc1ab64ebaf4db075d380546faa533afa83cbbb4f257efad4d5bf30559"},
	{"face_mesh.binarypb", binary, 939,
		"139546bf05aebb33e2611b6b945f3a1629c316ca924e33cec1547c85ddef9f53"},
	{"face_mesh_solution_packed_assets.data", binary, 3986256,
		"dbe5905c582c0462cdaea17e7e6ecea92edaa8cccc515c5e2e7291f2cbb5fb99"},
	{"face_mesh_solution_packed_assets_loader.js", javascript, 8813,
		"95147c15fdf12ba8b9ffc3c3964dbdfa1ffa4251182749babca19e75962bf128"},
	{"face_mesh_solution_simd_wasm_bin.js", javascript, 248047,
		"5a3881c346a7bd5aaa7d6a9e7291e4f8db9a2320666572e91db7573dce76365c"},
	{"face_mesh_solution_simd_wasm_bin.wasm", wasm, 6196563,
		"a51eaf606ae3e951573e7dc4f08b4e7645357530d9662c36b40eee1ded362509"},
	{"face_mesh_solution_wasm_bin.js", javascript, 248042,
		"e6b6aac1f6dc34f4826a0fa1a81c6c1e6f05d18a192cd957dd3cdb1ad83cc40b"},
	{"face_mesh_solution_wasm_bin.wasm", wasm, 6089181,
		"5a943471fee57228ee502c0114809746288aaecc134a187afc665da731bc3783"},
}

const (
	binary = "application/octet-stream"
	wasm   = "application/wasm"
)

// ErrTracker marks a folder that does not hold the tracker.
var ErrTracker = errors.New("web: no face tracker")

// open opens a file at its beginning if it has the expected content. It reads at most the
// expected size, and only regular files: a pipe may never end.
func (t Tracker) open(f trackerFile) (*os.File, error) {
	if t == "" {
		return nil, ErrTracker
	}
	path := filepath.Join(string(t), f.name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTracker, err)
	}
	other := fmt.Errorf("%w: %s is not that of %s", ErrTracker, path, TrackerPackage)
	if !info.Mode().IsRegular() || info.Size() != f.size {
		return nil, other
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTracker, err)
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(file, f.size))
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil && hex.EncodeToString(sum.Sum(nil)) != f.sum {
		err = other
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Check returns nil if all of the tracker is there, else an error wrapping [ErrTracker].
func (t Tracker) Check() error {
	for _, f := range trackerFiles {
		file, err := t.open(f)
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Install copies a tracker, if all of it is there.
func (t Tracker) Install(from Tracker) error {
	if err := private.Make(string(t), private.Unwritable); err != nil {
		return err
	}
	for _, f := range trackerFiles {
		file, err := from.open(f)
		if err != nil {
			return err
		}
		err = private.Replace(filepath.Join(string(t), f.name), func(to io.Writer) error {
			_, err := io.Copy(to, io.LimitReader(file, f.size))
			return err
		})
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// serve serves a file of the tracker. It holds no private data.
func (t Tracker) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	for _, f := range trackerFiles {
		if f.name != name {
			continue
		}
		file, err := t.open(f)
		if err != nil {
			break
		}
		defer file.Close()
		w.Header().Set("Content-Type", f.mime)
		io.Copy(w, io.LimitReader(file, f.size))
		return
	}
	if strings.HasSuffix(name, "_simd_wasm_bin.data") { // the package has it, and it is empty
		w.Header().Set("Content-Type", binary)
		return
	}
	http.Error(w, "This is not part of a face tracker: kehai focus camera installs one.", http.StatusNotFound)
}

// trackerScripts is what the camera page may run besides its own scripts: WebAssembly, and
// texts, of which the tracker makes its functions.
const trackerScripts = "script-src 'self' 'unsafe-eval'"

// faces takes what the camera page sees.
func (s *Server) faces(w http.ResponseWriter, r *http.Request) {
	if s.opts.Faces == nil {
		http.Error(w, "Attention is not judged: set focus.enabled to true.", http.StatusNotFound)
		return
	}
	s.opts.Faces(w, r)
}
