package config

import (
	"strings"
	"testing"
)

// A conversation is with one person, and a person has a name.
func TestPeople(t *testing.T) {
	const twice = "people:\n  - {name: a, conversations: [x]}\n  - {name: b, conversations: [x]}\n"
	for yaml, want := range map[string]string{
		"people:\n  - conversations: [\"line:Hana\"]\n": "people.0.name",
		twice: "people.0 has this conversation",
		"people:\n  - {name: a, conversation: [x]}\n": "did you mean",
		"memory: {share: everybody}\n":                "memory.share",
		"memory: {share_owner: some}\n":               "memory.share_owner",
	} {
		if _, err := parseFile("kehai.yaml", []byte(yaml)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, want an error with %q", yaml, err, want)
		}
	}
	const hana = "people:\n  - {name: Hana, conversations: [\"line:Hana\", \"slack:hana\"]}\n"
	cfg, err := parseFile("kehai.yaml", []byte(hana))
	if err != nil || len(cfg.People) != 1 || len(cfg.People[0].Conversations) != 2 {
		t.Errorf("Parse = %+v, %v, want Hana with two conversations", cfg.People, err)
	}
}
