package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWindowLayouts(t *testing.T) {
	line, err := os.ReadFile("../../actors/layout/line.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("mine.yaml", strings.Replace(string(line), "name: line", "name: mine", 1))
	write("wrong.yaml", strings.Replace(string(line), "agree: 2", "agree: 9", 1))
	for _, c := range []struct{ layout, name, want string }{
		{"line", "line", ""},
		{"''", "line", ""}, // a drawn window
		{"'', driver: x11", "auto", ""},
		{"line, driver: x11", "line", ""},
		{"generic", "generic", ""},
		{"mine.yaml", "mine", ""},
		{"wrong.yaml", "", "wrong.yaml:23:10: lane.agree must lie in 1..3, is 9"},
		{"none.yaml", "", "kehai layout calibrate"},
		{"lime", "", "want auto, generic or line, or a file whose name ends in .yaml: did you mean line?"},
	} {
		file := write("kehai.yaml", "windows: [{name: chat, layout: "+c.layout+"}]\nnode: mac\n")
		cfg, err := Load(file)
		var name string
		if err == nil {
			layoutOf, failed := cfg.Layouts()
			if err = failed; err == nil {
				name = layoutOf("chat@mac").Name
				if other := layoutOf("other@mac").Name; other != "line" {
					t.Errorf("layout of a window that is not configured = %q, want line", other)
				}
			}
		}
		if name != c.name {
			t.Errorf("layout %s is %q, want %q", c.layout, name, c.name)
		}
		if c.want != "" && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "kehai.yaml:1:")) {
			t.Errorf("layout %s: %v, want ErrConfig at kehai.yaml:1 with %q", c.layout, err, c.want)
		}
	}
}
