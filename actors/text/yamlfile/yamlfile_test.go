package yamlfile_test

import (
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/text/yamlfile"
)

type recipe struct {
	Name  string   `yaml:"name"`
	Steps []string `yaml:"steps"`
	Oven  struct {
		Heat int `yaml:"heat"`
	} `yaml:"oven"`
}

var kind = yamlfile.Kind{Name: "a recipe", Start: "an example"}

func TestDecode(t *testing.T) {
	var r recipe
	err := yamlfile.Decode("r.yaml", []byte("name: Soup\nsteps: [cut, cook]\noven: {heat: 180}\n"), kind, &r)
	if err != nil || r.Name != "Soup" || len(r.Steps) != 2 || r.Oven.Heat != 180 {
		t.Errorf("Decode() = %+v, %v, want the recipe", r, err)
	}
	for _, c := range []struct{ in, want string }{
		{"", "r.yaml: empty: start from an example"},
		{"name: a\n# \xff", "r.yaml:2:3: not UTF-8"},
		{strings.Repeat("# x\n", 20000), "r.yaml: longer than 64 KiB: this is not a recipe"},
		{"\n- " + strings.Repeat("[", 33), "r.yaml:2:1: nested too deep"},
		{strings.Repeat("- ", 33), "r.yaml:1:1: nested too deep"},
		{"nome: Soup\n", "r.yaml:1:1: unknown field"},
		{"name: Soup\noven:\n  heat: warm\n", "r.yaml:3:9: "},
		{"name: [\n", "r.yaml"},
	} {
		if err := yamlfile.Decode("r.yaml", []byte(c.in), kind, &recipe{}); err == nil ||
			!strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("Decode(%.20q) = %v, want %s…", c.in, err, c.want)
		}
	}
}

func TestPlace(t *testing.T) {
	data := []byte("name: Soup\nsteps:\n  - cut\n  - cook\noven:\n  heat: 180\n")
	for field, want := range map[string]string{
		"name": ":1:7", "steps[1]": ":4:5", "steps[7]": ":3:3", "oven.heat": ":6:9", "oven.fan": ":6:3", "salt": ":1:1",
	} {
		if got := yamlfile.Place(data, field); got != want {
			t.Errorf("Place(%q) = %q, want %q", field, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, want string }{ // want is "" for a tree
		{"a: 1", ""},
		{"\ufeff# mark\n---\na: 1", ""},
		{"a: 1\n---\nb: 2", ":3:2: a second document: want one"},
		{"a:\n\tb: 1", ":2:1: not readable as YAML: a tab where none may be: indent with spaces"},
		{"key: \"hunter2", ":1:6: not readable as YAML: could not find end character of double-quoted text"},
	} {
		body, wrong := kind.Parse([]byte(c.in))
		if c.want == "" && (wrong != nil || body == nil) {
			t.Errorf("Parse(%q) = %v, %v, want a tree", c.in, body, wrong)
		}
		if c.want != "" && (wrong == nil || wrong.Error() != c.want) {
			t.Errorf("Parse(%q) = %v, want %s", c.in, wrong, c.want)
		}
	}
	for _, in := range []string{"", "# nothing\n", "---\n", "\ufeff"} {
		if body, wrong := kind.Parse([]byte(in)); body != nil || wrong != nil {
			t.Errorf("Parse(%q) = %v, %v, want nothing", in, body, wrong)
		}
	}
}
