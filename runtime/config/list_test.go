package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestListsOfTexts(t *testing.T) {
	for _, c := range []struct {
		yaml string
		want []string
		bad  string
	}{
		{`read: {only: ["line:Hana", 'a, b', "花 \"x\""]}`, []string{"line:Hana", "a, b", `花 "x"`}, ""},
		{"read:\n  only:\n    - line:Hana\n    - Ken 🏴󠁧󠁢󠁥󠁮󠁧󠁿\n", []string{"line:Hana", "Ken 🏴󠁧󠁢󠁥󠁮󠁧󠁿"}, ""},
		{"read: {only: line:Hana}", []string{"line:Hana"}, ""},
		{"read: {only: []}", nil, ""},
		{"read: {only: [\"\"]}", nil, "read.only: an empty entry"},
		{"read: {only: [\"a\\nb\"]}", nil, "want one line of text"},
		{"read: {only: [[a]]}", nil, "want a list of quoted texts"},
		{"read: {only: {a: b}}", nil, "want a list of quoted texts"},
	} {
		cfg, err := parseFile("kehai.yaml", []byte(c.yaml))
		if c.bad != "" {
			if err == nil || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("Parse(%q) = %v, want an error with %q", c.yaml, err, c.bad)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(cfg.Read.Only, c.want) {
			t.Errorf("Parse(%q) = %q, %v, want %q", c.yaml, cfg.Read.Only, err, c.want)
			continue
		}
		var out strings.Builder
		if err := cfg.Write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := parseFile("kehai.yaml", []byte(out.String()))
		if err != nil || !reflect.DeepEqual(again.Read.Only, c.want) {
			t.Errorf("written and read again: %q, %v, want %q", again.Read.Only, err, c.want)
		}
	}
	cfg := Default()
	if err := cfg.ApplyEnv([]string{"KEHAI_READ_ONLY=line:Hana, Ken"}); err != nil ||
		!reflect.DeepEqual(cfg.Read.Only, []string{"line:Hana", "Ken"}) {
		t.Errorf("KEHAI_READ_ONLY gives %q, %v, want line:Hana and Ken", cfg.Read.Only, err)
	}
}
