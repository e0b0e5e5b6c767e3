package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/text/yamlfile"
	"github.com/kehai-run/kehai/runtime/config/settings"
)

// ErrConfig marks a configuration that cannot be used. The text has one line
// for each thing that is wrong: where it was set, the key, and what is wanted.
var ErrConfig = errors.New("runtime: bad configuration")

// kind is what is particular to the settings of Kehai.
var kind = &settings.Kind{
	Err:    ErrConfig,
	File:   yamlfile.Kind{Name: "a configuration of Kehai"},
	Prefix: "KEHAI_",
	// Read elsewhere: the configuration file, the browser that tests and the live page
	// use, and drills.
	Foreign: []string{"KEHAI_CONFIG", "KEHAI_BROWSER", SimulateLLM},
	Forms: map[string]func(string) string{
		"name": wrongName, "loopback": wrongLoopback, "listen": wrongListen, "layout": wrongLayout, "quiet": wrongQuiet,
	},
	IsName: map[string]func(string) bool{"layout?": func(s string) bool { return !layout.IsFile(s) }},
	Entries: map[reflect.Type]any{
		reflect.TypeFor[Window]():       DefaultWindow(""),
		reflect.TypeFor[Conversation](): conversation.DefaultParticular(),
		reflect.TypeFor[Person]():       Person{},
	},
	Comments: comments,
}

// tree is the configuration as its tags describe it.
func (c *Config) tree() settings.Tree { return settings.New(kind, c, c.origins) }

// own copies what copies of a Config share, before it is changed.
func (c *Config) own() {
	c.Windows, c.origins = slices.Clone(c.Windows), c.origins.Own()
}

// Load reads a configuration file over the defaults; an empty path means
// no file. Relative paths in the file count from its folder. Errors wrap
// [ErrConfig], and the operating system's error when the file cannot be read.
func Load(path string) (Config, error) {
	if path == "" {
		c := Default()
		return c, c.Validate()
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	data, err := readFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return parseConfig(path, dir, data)
}

// readFile reads a file of YAML, or of a key, and of one that is too long no more than
// is needed to tell.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, yamlfile.MaxSize+1))
}

// Parse is Load for what [Config.Write] has written; name is for errors. Relative paths count from the
// working directory.
func Parse(name string, data []byte) (Config, error) { return parseConfig(name, "", data) }

func parseConfig(name, dir string, data []byte) (Config, error) {
	c := Default()
	c.own()
	p := c.tree().Parse(name, dir, data)
	c.follow(ProfileDefault)
	if err := p.And(c.Validate()); err != nil {
		return Config{}, err
	}
	return c, nil
}

// Wrong returns the error, wrapping [ErrConfig], for a value that only the caller can
// know to be wrong: what is wrong, and what is wanted.
func (c *Config) Wrong(key, what string) error {
	p := c.tree().Problems()
	p.Add(key, what)
	return p.Err()
}

// IsSet reports whether a file, the environment or a flag set a key.
func (c *Config) IsSet(key string) bool {
	_, ok := c.origins[key]
	return ok
}

// SetFlag sets one value, such as ocr.workers, from a command-line flag, such as
// --workers. Bounds are checked by Validate. Relative paths count from the
// working directory.
func (c *Config) SetFlag(flag, key, text string) error {
	c.own()
	defer c.follow(c.Profile)
	return c.tree().SetFlag(flag, key, text)
}

// EnvName is the environment variable of a key: KEHAI_OCR_WORKERS of
// ocr.workers, KEHAI_WINDOWS_0_POLL of windows.0.poll.
func EnvName(key string) string { return kind.EnvName(key) }

// ApplyEnv sets fields from an environment (in the form of [os.Environ]) and checks the
// result. Empty variables count as not set. Windows can be changed but not added. An
// unknown KEHAI_ variable is an error that names the nearest known one; all others are
// applied nevertheless. KEHAI_CONFIG, KEHAI_BROWSER and KEHAI_SIMULATE_LLM_ERROR are left
// to the program, and the variables named by encryption.key_env, llm.key_env and
// memory.embedding.key_env to those who read the keys. Relative paths are relative to the working directory.
func (c *Config) ApplyEnv(environ []string) error {
	c.own()
	before := c.Profile
	p := c.tree().ApplyEnv(environ, func(name string) bool {
		return name == c.Encryption.KeyEnv || name == c.LLM.KeyEnv ||
			name == c.Memory.Embedding.KeyEnv
	})
	c.follow(before)
	return p.And(c.Validate())
}

// Write prints the configuration as YAML: above each value what it means, beside
// it where it is from (default, a place in a file, an environment variable, a
// flag, or program for Go code). A file with it gives the same values. A value that
// counts otherwise once it is set, as a tag unset says, stands in a comment.
func (c Config) Write(w io.Writer) error {
	defaults := Default()
	defaults.SetProfile(c.Profile)
	return c.write(w, defaults)
}

func (c Config) write(w io.Writer, defaults Config) error {
	head := fmt.Sprintf(`# Configuration of Kehai. Durations are written 250ms, 1.5s or 720h, sizes
# 128MiB or 2GiB. Every key can be left out, and set by an environment variable:
# %s is ocr.workers, %s is poll of the first window.
`, EnvName("ocr.workers"), EnvName("windows.0.poll"))
	return c.tree().Write(w, head, defaults)
}
