package layout

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/kehai-run/kehai/actors/text/yamlfile"
)

// Parse reads and checks a layout. name is the file's name in errors, which wrap
// [ErrLayout] and have the form "NAME:LINE:COLUMN: FIELD what is expected". With find: auto
// a field that is not there has the value of the built-in layout auto.
func Parse(name string, data []byte) (l Layout, err error) {
	if name == "" {
		name = "layout"
	}
	kind := yamlfile.Kind{Name: "a window layout", Start: "a layout that is built in"}
	err = yamlfile.Decode(name, data, kind, &l)
	if err == nil && l.Find == FindAuto { // what is found has no need to be written
		l = auto()
		l.Name = strings.TrimSuffix(path.Base(filepath.ToSlash(name)), path.Ext(name))
		err = yamlfile.Decode(name, data, kind, &l)
	}
	if err != nil {
		return Layout{}, fmt.Errorf("%w: %w", ErrLayout, err)
	}
	if p := l.problem(); p != nil {
		return Layout{}, fmt.Errorf("%w: %s%s: %s", ErrLayout, name, yamlfile.Place(data, p.field), p)
	}
	return l, nil
}

// IsFile tells the name of a file from that of a layout that is built in.
func IsFile(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// Open returns the layout that is built in under a name, or else that of a file.
func Open(name string, read func(file string) ([]byte, error)) (Layout, error) {
	if l, ok := ByName(name); ok {
		return l, nil
	}
	data, err := read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Layout{}, fmt.Errorf("%w: make one with `kehai layout calibrate`, or name one that is built in: %s",
			err, strings.Join(BuiltIn(), " or "))
	}
	if err != nil {
		return Layout{}, err
	}
	return Parse(name, data)
}
