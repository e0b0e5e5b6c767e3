package layout

import (
	"reflect"
	"strings"
	"testing"
)

// TestYAMLExplainsItself writes the built-in layouts. Each section has a comment,
// and reading them back gives the same layout.
func TestYAMLExplainsItself(t *testing.T) {
	for _, name := range BuiltIn() {
		l, _ := ByName(name)
		out, err := l.YAML("a test")
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(name, out)
		if err != nil || !reflect.DeepEqual(back, l) {
			t.Errorf("%s read back = %+v, %v, want the same", name, back, err)
		}
		list := strings.Split(string(out), "\n")
		for i, line := range list[1:] {
			section, _, ok := strings.Cut(line, ":")
			if ok && section != "name" && !strings.ContainsAny(section, " #-") && !strings.HasPrefix(list[i], "# ") {
				t.Errorf("%s: section %q has no comment above it, but %q", name, section, list[i])
			}
		}
	}
}
