package config

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/kehai-run/kehai/actors/llm"
)

// wrongSecret says that a value is a key by mistake, instead of the name of one. It never
// quotes it. A tag says whether a file or a variable is named, and whether its key is the
// store's or a server's token.
func wrongSecret(tag, s string) string {
	const file, env = "want the path of a file", "want the name of an environment variable"
	what, leaks := "", false
	switch tag {
	case "key file":
		what, leaks = file, endsInKey(s)
	case "token file":
		what, leaks = file, endsInKey(s) || looksToken(filepath.Base(s))
	case "key env":
		what, leaks = env, isKey(s) || !envForm.MatchString(s)
	case "token env":
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

// endsInKey detects a key in place of a path, even behind the folder that relative paths
// get. Hashes used as file names count as keys.
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

// keyBytes is the length of the store's key.
const keyBytes = 32

// ReadKey reads the key of the store; nil without an error means that none is configured.
// env is os.Getenv or a substitute. Errors wrap [ErrConfig] and never show what was read.
func ReadKey(e Encryption, env func(string) string) ([]byte, error) {
	text, at, err := readSecret("encryption", e, env)
	if err != nil || at == "" {
		return nil, err
	}
	if key, ok := decodeKey(text); ok {
		return key, nil
	}
	if e.KeyFile != "" && len(text) == keyBytes {
		return []byte(text), nil
	}
	return nil, fmt.Errorf("%w: %s does not hold a key: want 32 bytes as hex (64 digits) or base64 (44 characters), "+
		"in a file also as they are (openssl rand -hex 32 makes some)", ErrConfig, at)
}

// decodeKey reads 32 bytes written as hex or as base64, either alphabet, with or
// without padding and white space around.
func decodeKey(text string) ([]byte, bool) {
	text = strings.TrimSpace(text)
	if key, err := hex.DecodeString(text); err == nil && len(key) == keyBytes {
		return key, true
	}
	text = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
	key, err := base64.RawStdEncoding.DecodeString(text)
	return key, err == nil && len(key) == keyBytes
}

// ReadToken reads the key of the language model's server, "" if none is named. env is
// os.Getenv or a substitute. Errors never show what was read.
func ReadToken(l LLM, env func(string) string) (llm.Secret, error) {
	text, at, err := readSecret("llm", l, env)
	if err != nil {
		return llm.Secret{}, err
	}
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	switch {
	case line == "" && at != "":
		return llm.Secret{}, fmt.Errorf("%w: %s: %w: the first line of it is empty: put the key there",
			ErrConfig, at, ErrNoKey)
	case strings.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r > '~' }):
		return llm.Secret{}, fmt.Errorf("%w: %s: the key of the language model has spaces or other characters "+
			"that no key has (it is not shown)", ErrConfig, at)
	}
	return llm.NewSecret(line), nil
}

// ErrNoKey marks a key that is named but missing.
var ErrNoKey = errors.New("the key is missing")

// readSecret reads what key_file or key_env of a section names; at says where the
// text stood, "" where neither is set.
func readSecret(name string, section any, env func(string) string) (text, at string, err error) {
	var named []field
	for _, f := range (field{key: name, value: reflect.ValueOf(section)}).below() {
		if f.text() == "" || !strings.HasPrefix(f.name(), "key_") {
			continue
		}
		named = append(named, f)
		if wrong := f.wrong(); wrong != "" {
			return "", "", fmt.Errorf("%w: %s: %s", ErrConfig, f.key, wrong)
		}
	}
	switch len(named) {
	case 0:
		return "", "", nil
	case 2:
		return "", "", fmt.Errorf("%w: %s and %s are both set: set only one of them",
			ErrConfig, named[0].key, named[1].key)
	}
	key, value := named[0].key, named[0].text()
	at = key + ": " + oneLine(value)
	if named[0].name() == "key_env" {
		if text = env(value); strings.TrimSpace(text) == "" {
			form := ""
			if named[0].tag.Get("secret") == "key env" {
				form = ", 32 bytes as hex or base64"
			}
			err = fmt.Errorf("%w: %s: %w: the environment variable %s is not set: put the key there%s",
				ErrConfig, key, ErrNoKey, value, form)
		}
		return text, at, err
	}
	data, err := readFile(value)
	if err != nil {
		return "", "", fmt.Errorf("%w: %s: %w: %w", ErrConfig, key, ErrNoKey, err)
	}
	return string(data), at, nil
}
