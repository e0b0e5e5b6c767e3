package secret

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Paths that look a little like keys are paths.
func TestPathsAreNotKeys(t *testing.T) {
	for _, path := range []string{
		"/home/hana/secrets/kehai/encryption/storekey", "/Users/Hana1/Library/Keys/kehai/encryption/Store", "key",
		"/srv/" + strings.Repeat("k", 43), "/srv/" + strings.Repeat("k", 64),
	} {
		if got := Wrong(KeyFile, path); got != "" {
			t.Errorf("Wrong(key file, %s) = %q, want nothing wrong", path, got)
		}
	}
}

// What belongs to somebody else's file, or is no file, is missing, and nothing of it is
// shown.
func TestMissing(t *testing.T) {
	long := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(long, []byte(strings.Repeat("hunter2 ", maxSize)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		place Place
		want  string
	}{
		"a folder": {Place{Section: "llm", File: t.TempDir()}, "llm.key_file: the key is missing"},
		"too long": {Place{Section: "llm", File: long}, "characters that no key has"},
		"both":     {Place{Section: "llm", File: "a", Env: "B"}, "llm.key_file and llm.key_env are both set"},
		"a key":    {Place{Section: "llm", Env: "sk-hunter2hunter2hunter2"}, "not the key itself"},
	} {
		_, err := c.place.Token()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: Token() = %v, want %q and nothing of the key", name, err, c.want)
		}
	}
	if token, err := (Place{Section: "llm"}).Token(); token != "" || err != nil {
		t.Errorf("Token(nowhere) = %q, %v, want none", token, err)
	}
}
