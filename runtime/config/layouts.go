package config

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

// isLayoutFile tells a file from a built-in name where a layout is wanted.
func isLayoutFile(value string) bool {
	return strings.HasSuffix(value, ".yaml") || strings.HasSuffix(value, ".yml")
}

func wrongLayout(value string) string {
	if _, ok := layout.ByName(value); ok || isLayoutFile(value) {
		return ""
	}
	return quote(value) + ": want " + orList(layout.BuiltIn()) + ", or a file whose name ends in .yaml" +
		didYouMean(value, layout.BuiltIn())
}

// Layouts reads the layout of each window and returns how to find one; windows
// that a host feeds without configuring them look like LINE's. Errors wrap
// [ErrConfig] and say where in the layout's file what is wrong.
func (c *Config) Layouts() (func(messages.WindowID) *layout.Layout, error) {
	all := map[messages.WindowID]*layout.Layout{}
	var p problems
	for i, w := range c.Windows {
		l, err := openLayout(w.Layout)
		if err != nil {
			p.add(c, fmt.Sprintf("windows.%d.layout", i), err.Error())
			continue
		}
		all[w.ID(c.Node)] = &l
	}
	line := layout.Line()
	return func(w messages.WindowID) *layout.Layout {
		if l, ok := all[w]; ok {
			return l
		}
		return &line
	}, p.err()
}

func openLayout(value string) (layout.Layout, error) {
	if l, ok := layout.ByName(value); ok {
		return l, nil
	}
	data, err := readFile(value)
	if errors.Is(err, fs.ErrNotExist) {
		return layout.Layout{}, fmt.Errorf("%w: make one with `kehai layout calibrate`, "+
			"or name one that is built in: %s", err, orList(layout.BuiltIn()))
	}
	if err != nil {
		return layout.Layout{}, err
	}
	return layout.Parse(value, data)
}
