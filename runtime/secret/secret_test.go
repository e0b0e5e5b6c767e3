package secret

import (
	"errors"
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

// What others may read or change, what is no key, and what is no file is refused, and nothing of it is
// shown.
func TestMissing(t *testing.T) {
	long := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(long, []byte(strings.Repeat("hunter2 ", maxSize)), 0o600); err != nil {
		t.Fatal(err)
	}
	open, loose := filepath.Join(t.TempDir(), "open"), filepath.Join(t.TempDir(), "group's", "key")
	if err := errors.Join(os.WriteFile(open, []byte("hunter2"), 0o600), os.Chmod(open, 0o644),
		os.Mkdir(filepath.Dir(loose), 0o700), os.WriteFile(loose, []byte("hunter2"), 0o600),
		os.Chmod(filepath.Dir(loose), 0o770)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		place Place
		want  string
	}{
		"a folder": {Place{Section: "llm", File: t.TempDir()}, "is no plain file"},
		"open":     {Place{Section: "llm", File: open}, "may be read or changed by other users"},
		"replaced": {Place{Section: "llm", File: loose}, "may be changed by its group"},
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
