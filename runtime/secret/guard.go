package secret

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Kind says how a secret is named, by a file or by a variable, and whether it is the
// store's key or a token, the key of a server.
type Kind string

// Kinds.
const (
	KeyFile   Kind = "key file"
	KeyEnv    Kind = "key env"
	TokenFile Kind = "token file"
	TokenEnv  Kind = "token env"
)

// Wrong returns what to say if a value is, by mistake, a secret instead of the name of
// one; "" if it is not. It never quotes the value.
func Wrong(kind Kind, s string) string {
	const file, env = "want the path of a file", "want the name of an environment variable"
	what, leaks := "", false
	switch kind {
	case KeyFile:
		what, leaks = file, endsInKey(s)
	case TokenFile:
		what, leaks = file, endsInKey(s) || looksToken(filepath.Base(s))
	case KeyEnv:
		what, leaks = env, isKey(s) || !envForm.MatchString(s)
	case TokenEnv:
		what, leaks = env, isKey(s) || !envForm.MatchString(s) || looksToken(s)
	}
	if s == "" || !leaks {
		return ""
	}
	return what + ", not the key itself (the value is not shown); if it was the key, make a new one"
}

var (
	envForm   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{20,}$`)
)

// endsInKey detects a key in place of a path, even after the folder that is put before
// relative paths. Hashes used as file names count as keys.
func endsInKey(path string) bool {
	for _, n := range [...]int{64, 44, 43} { // hex, base64, base64 without padding
		start := len(path) - n
		if (start == 0 || start > 0 && os.IsPathSeparator(path[start-1])) && isKey(path[start:]) {
			return true
		}
	}
	return false
}

// isKey tells a key from a name of 43 or 44 characters: random base64 has all
// three classes of characters, or padding.
func isKey(s string) bool {
	_, ok := decodeKey(s)
	return ok && (len(s) == 64 || strings.HasSuffix(s, "=") ||
		strings.ContainsAny(s, "0123456789") && strings.ToLower(s) != s && strings.ToUpper(s) != s)
}

// looksToken tells the key of a server from a name: long, without a dot, with digits and
// small letters, and with capitals or a usual prefix.
func looksToken(s string) bool {
	return tokenForm.MatchString(s) && strings.ContainsAny(s, "0123456789") && strings.ToUpper(s) != s &&
		(strings.ToLower(s) != s || strings.HasPrefix(s, "sk-"))
}
