// Package secret reads what a configuration only names: the key of the store and the key
// of a server, which are in files or in the environment. A [Place] says where. [Wrong]
// detects a key where its name belongs. No error shows what was read. A file must be this user's
// alone: see [private.ReadFile].
package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/runtime/private"
)

// ErrMissing marks a secret that is named but missing.
var ErrMissing = errors.New("the key is missing")

// Place is where a secret is: in a file or in an environment variable. Without either
// there is no secret.
type Place struct {
	Section   string // of the configuration, for errors
	Flag      string // that names the file, for errors; "" if the configuration does
	File, Env string
	Getenv    func(string) string // os.Getenv or a substitute
}

// keyBytes is the length of the store's key.
const keyBytes = 32

// Key reads the key of the store; nil without an error means that none is named.
func (p Place) Key() ([]byte, error) {
	text, at, err := p.read(KeyFile, KeyEnv, ", 32 bytes as hex or base64")
	if err != nil || at == "" {
		return nil, err
	}
	if key, ok := decodeKey(text); ok {
		return key, nil
	}
	if p.File != "" && len(text) == keyBytes {
		return []byte(text), nil
	}
	return nil, fmt.Errorf("%s does not hold a key: want 32 bytes as hex (64 digits) or base64 (44 characters), "+
		"in a file also as they are (openssl rand -hex 32 makes some)", at)
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

// Token reads the key of a server, "" if none is named: the first line.
func (p Place) Token() (string, error) {
	text, at, err := p.read(TokenFile, TokenEnv, "")
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	switch {
	case line == "" && at != "":
		return "", fmt.Errorf("%s: %w: the first line of it is empty: put the key there", at, ErrMissing)
	case strings.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fmt.Errorf("%s: the key of the language model has spaces or other characters "+
			"that no key has (it is not shown)", at)
	}
	return line, nil
}

// maxSize is the most that is read of a file, in bytes.
const maxSize = 64 << 10

// read reads what is named; at says where the text was, "" if nothing is named. form is
// the end of a sentence that says what belongs in the variable.
func (p Place) read(file, env Kind, form string) (found, at string, err error) {
	keyFile, keyEnv := cmp.Or(p.Flag, p.Section+".key_file"), p.Section+".key_env"
	if wrong := Wrong(file, p.File); wrong != "" {
		return "", "", fmt.Errorf("%s: %s", keyFile, wrong)
	}
	if wrong := Wrong(env, p.Env); wrong != "" {
		return "", "", fmt.Errorf("%s: %s", keyEnv, wrong)
	}
	switch {
	case p.File != "" && p.Env != "":
		return "", "", fmt.Errorf("%s and %s are both set: set only one of them", keyFile, keyEnv)
	case p.Env != "":
		if found = p.Getenv(p.Env); strings.TrimSpace(found) == "" {
			return "", "", fmt.Errorf("%s: %w: the environment variable %s is not set: put the key there%s",
				keyEnv, ErrMissing, p.Env, form)
		}
		return found, keyEnv + ": " + p.Env, nil
	case p.File == "":
		return "", "", nil
	}
	data, err := private.ReadFile(p.File, maxSize)
	var exposed *private.Exposed
	switch {
	case errors.As(err, &exposed):
		return "", "", fmt.Errorf("%s: %w", keyFile, err)
	case err != nil:
		return "", "", fmt.Errorf("%s: %w: %w", keyFile, ErrMissing, err)
	}
	return string(data), keyFile + ": " + text.ShowPath(p.File), nil
}
