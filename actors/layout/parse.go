package layout

import (
	"fmt"

	"github.com/kehai-run/kehai/actors/text/yamlfile"
)

// Parse reads and checks a layout. name is the file's name in errors, which wrap
// [ErrLayout] and have the form "NAME:LINE:COLUMN: FIELD what is expected".
func Parse(name string, data []byte) (l Layout, err error) {
	if name == "" {
		name = "layout"
	}
	kind := yamlfile.Kind{Name: "a window layout", Start: "a layout that is built in"}
	if err := yamlfile.Decode(name, data, kind, &l); err != nil {
		return Layout{}, fmt.Errorf("%w: %w", ErrLayout, err)
	}
	if p := l.problem(); p != nil {
		return Layout{}, fmt.Errorf("%w: %s%s: %s", ErrLayout, name, yamlfile.Place(data, p.field), p)
	}
	return l, nil
}
