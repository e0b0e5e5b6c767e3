package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The error texts for wrong files are in testdata/wrong.txtar: a file NAME.yaml,
// and behind it NAME.error with the whole text. -update rewrites the errors; review
// them as a reader who made the mistake.
func TestWrongFilesGolden(t *testing.T) {
	path := filepath.Join("testdata", "wrong.txtar")
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		name, isCase := bytes.CutSuffix([]byte(f.Name), []byte(".yaml"))
		if !isCase {
			continue
		}
		c, err := parseFile("kehai.yaml", bytes.TrimSuffix(f.Data, []byte("\n")))
		if err == nil {
			c.Data = "/srv/kehai"
			err = c.Validate()
		}
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%s: error %v, want one that is %v", f.Name, err, ErrConfig)
			continue
		}
		got.Files = append(got.Files, f, txtar.File{Name: string(name) + ".error", Data: []byte(err.Error() + "\n")})
	}
	if len(got.Files) < 2*40 {
		t.Errorf("%s has %d wrong files, want at least 40", path, len(got.Files)/2)
	}
	text := txtar.Format(got)
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("errors of %s:\n%s\nwant the text of the file; -update rewrites it", path, text)
	}
}
