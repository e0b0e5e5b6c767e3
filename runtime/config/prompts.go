package config

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/kehai-run/kehai/actors/prompt"
)

// PromptFolder is where files replace the built-in texts that language models are
// asked with, one for each: ja/reply.txt for ja/reply. It need not exist.
func (c Config) PromptFolder() string { return filepath.Join(c.Data, "prompts") }

// Prompts reads the texts that language models are asked with. A file that cannot
// be used is an error that wraps [ErrConfig] and says where.
func (c Config) Prompts() (*prompt.Catalogue, error) {
	catalogue, err := prompt.Load(os.DirFS(c.PromptFolder()))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrConfig, c.PromptFolder(), err)
	}
	return catalogue, nil
}
