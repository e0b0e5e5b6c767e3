package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// origin is where a value was set.
type origin struct {
	kind      string // "file", "env", "flag"
	place     string // "kehai.yaml", "KEHAI_DATA", "--data"
	line, col int    // in a file
	text      string // the value then; if it differs now, Go code has set it
}

// String is the beginning of an error about the value.
func (o origin) String() string {
	if o.line > 0 {
		return fmt.Sprintf("%s:%d:%d", o.place, o.line, o.col)
	}
	return o.place
}

// own copies what copies of a Config share, before it is changed.
func (c *Config) own() {
	c.Windows, c.origins = slices.Clone(c.Windows), maps.Clone(c.origins)
	if c.origins == nil {
		c.origins = map[string]origin{}
	}
}

// set sets a value from a text at a place. It returns what is wrong.
func (c *Config) set(f field, text, dir string, at origin) string {
	if wrong := f.set(text, dir); wrong != "" {
		return wrong
	}
	at.text = f.text()
	c.origins[f.key] = at
	return ""
}

// originOf is where the present value of a key was set, or else the list entry that
// contains it; zero if neither is known.
func (c *Config) originOf(key string) origin {
	o, ok := c.origins[key]
	if !ok {
		return c.origins[key[:max(strings.LastIndexByte(key, '.'), 0)]]
	}
	if f, isValue := c.field(key); isValue && f.text() != o.text {
		return origin{}
	}
	return o
}

func (c *Config) fields() []field { return root(c).values() }

// field finds the value of a key.
func (c *Config) field(key string) (field, bool) {
	for _, f := range c.fields() {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
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
	o := origin{kind: "flag", place: flag}
	var keys []string
	for _, f := range c.fields() {
		if keys = append(keys, f.key); f.key != key {
			continue
		}
		if wrong := c.set(f, text, "", o); wrong != "" {
			return problems{{o, key, wrong}}
		}
		return nil
	}
	return problems{{o, "", "unknown key " + quote(key) + didYouMean(key, keys)}}
}

const envPrefix = "KEHAI_"

// envOthers are variables that are read elsewhere and set no field: the
// configuration file, the browser that tests and the live page use, and drills.
var envOthers = []string{"KEHAI_CONFIG", "KEHAI_BROWSER", SimulateLLM}

// EnvName is the environment variable of a key: KEHAI_OCR_WORKERS of
// ocr.workers, KEHAI_WINDOWS_0_POLL of windows.0.poll.
func EnvName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// ApplyEnv sets fields from an environment (in the form of [os.Environ]) and checks the
// result. Empty variables count as not set. Windows can be changed but not added. An
// unknown KEHAI_ variable is an error that names the nearest known one; all others are
// applied nevertheless. KEHAI_CONFIG, KEHAI_BROWSER and KEHAI_SIMULATE_LLM_ERROR are left
// to the program, and the variables named by encryption.key_env and llm.key_env to those
// who read the keys. Relative paths are relative to the working directory.
func (c *Config) ApplyEnv(environ []string) error {
	c.own()
	before := c.Profile
	var p problems
	texts := map[string]string{}
	for _, entry := range environ {
		if name, text, _ := strings.Cut(entry, "="); strings.HasPrefix(name, envPrefix) && text != "" {
			texts[name] = text
		}
	}
	names := slices.Clone(envOthers)
	for _, f := range c.fields() {
		name := EnvName(f.key)
		names = append(names, name)
		if text, ok := texts[name]; ok {
			o := origin{kind: "env", place: name}
			if wrong := c.set(f, text, "", o); wrong != "" {
				p = append(p, problem{o, f.key, wrong})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if slices.Contains(names, name) || name == c.Encryption.KeyEnv || name == c.LLM.KeyEnv {
			continue
		}
		advice := didYouMean(name, names)
		if advice == "" {
			advice = ": unset it"
		}
		p = append(p, problem{origin{place: name}, "", "unknown variable" + advice})
	}
	c.follow(before)
	return p.and(c.Validate())
}
