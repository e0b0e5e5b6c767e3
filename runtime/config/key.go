package config

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// keyBytes is the length of the store's key.
const keyBytes = 32

// ReadKey reads the key of the store; nil without an error means that none is
// configured. env is os.Getenv or a stand-in. Errors wrap [ErrConfig] and never
// show what was read.
func ReadKey(e Encryption, env func(string) string) ([]byte, error) {
	switch {
	case e.KeyFile != "" && e.KeyEnv != "":
		return nil, fmt.Errorf("%w: encryption.key_file and encryption.key_env are both set: set only one of them",
			ErrConfig)
	case endsInKey(e.KeyFile):
		return nil, fmt.Errorf("%w: encryption.key_file: %s", ErrConfig, checkKeyFile(e.KeyFile))
	case e.KeyFile != "":
		return readKeyFile(e.KeyFile)
	case e.KeyEnv == "":
		return nil, nil
	case looksSecret(e.KeyEnv):
		return nil, fmt.Errorf("%w: encryption.key_env: %s", ErrConfig, checkKeyEnv(e))
	}
	text := env(e.KeyEnv)
	if text == "" {
		return nil, fmt.Errorf("%w: encryption.key_env: the environment variable %s is not set: put the key there, "+
			"32 bytes as hex or base64", ErrConfig, e.KeyEnv)
	}
	key, ok := decodeKey(text)
	if !ok {
		return nil, fmt.Errorf("%w: encryption.key_env: %s does not hold a key: "+
			"want 32 bytes as hex (64 digits) or base64 (44 characters)", ErrConfig, e.KeyEnv)
	}
	return key, nil
}

func readKeyFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: encryption.key_file: %w", ErrConfig, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1024)) // a key has at most 64 characters
	if err != nil {
		return nil, fmt.Errorf("%w: encryption.key_file: %w", ErrConfig, err)
	}
	if key, ok := decodeKey(string(data)); ok {
		return key, nil
	}
	if len(data) == keyBytes {
		return bytes.Clone(data), nil
	}
	return nil, fmt.Errorf("%w: encryption.key_file: %s does not hold a key: want 32 bytes, as hex, "+
		"as base64 or as they are (openssl rand -hex 32 makes some)", ErrConfig, oneLine(path))
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
