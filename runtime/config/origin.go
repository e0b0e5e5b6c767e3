package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
)

// origin is where a value was set.
type origin struct {
	kind      string // "file", "env", "flag"
	place     string // "kehai.yaml", "KEHAI_DATA", "--data"
	line, col int    // in a file
	text      string // the value then; another one now was set by Go code
}

// String is the beginning of an error about the value.
func (o origin) String() string {
	if o.line > 0 {
		return fmt.Sprintf("%s:%d:%d", o.place, o.line, o.col)
	}
	return o.place
}

// note remembers where a field got its present value. Copies of a Config share
// the map, so it is replaced and never written to.
func (c *Config) note(f field, o origin) {
	o.text = f.text()
	c.noteList(f.key, o)
}

// noteList remembers where a list or an entry of one stands in a file.
func (c *Config) noteList(key string, o origin) {
	next := maps.Clone(c.origins)
	if next == nil {
		next = map[string]origin{}
	}
	next[key] = o
	c.origins = next
}

// originOf is where the present value of a key was set, or else the entry of a
// list it belongs to; zero if neither is known.
func (c *Config) originOf(key string) origin {
	if o, ok := c.origins[key]; ok {
		for _, f := range c.fields() {
			if f.key == key && f.text() != o.text {
				return origin{}
			}
		}
		return o
	}
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return c.origins[key[:i]]
	}
	return origin{}
}

// IsSet reports whether a file, the environment or a flag set a key.
func (c *Config) IsSet(key string) bool {
	_, ok := c.origins[key]
	return ok
}

// source names where a field's value is from, for people.
func (c *Config) source(f field, defaults map[string]string) string {
	if o, ok := c.origins[f.key]; ok && o.text == f.text() {
		return o.kind + " " + oneLine(o.String())
	}
	if text, ok := defaults[defaultKey(f.key)]; ok && text == f.text() {
		return "default"
	}
	return "program"
}

// defaultKey maps the fields of every window to those of the first, which is
// the only one that has defaults.
func defaultKey(key string) string {
	if rest, ok := strings.CutPrefix(key, "windows."); ok {
		_, name, _ := strings.Cut(rest, ".")
		return "windows.0." + name
	}
	return key
}

// SetFlag sets one value, such as ocr.workers, from a command-line flag, such as
// --workers. Bounds are checked by Validate. Relative paths count from the
// working directory.
func (c *Config) SetFlag(flag, key, text string) error {
	c.Windows = slices.Clone(c.Windows)
	for _, f := range c.fields() {
		if f.key != key {
			continue
		}
		var p problems
		o := origin{kind: "flag", place: flag}
		if wrong := f.setPath(text, "", homeDir()); wrong != "" {
			p = append(p, problem{origin: o, key: key, text: wrong})
			return p.err()
		}
		c.note(f, o)
		return nil
	}
	p := problems{{origin: origin{place: flag}, text: "unknown key " + quote(key) + didYouMean(key, c.keys())}}
	return p.err()
}

func (c *Config) keys() []string {
	var keys []string
	for _, f := range c.fields() {
		keys = append(keys, f.key)
	}
	return keys
}

func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "" // setPath explains it where one is needed
	}
	return home
}

// problem is one thing that is wrong.
type problem struct {
	origin origin
	key    string // "" when the text names it
	text   string
}

func (p problem) String() string {
	var parts []string
	if at := p.origin.String(); at != "" {
		parts = append(parts, oneLine(at))
	}
	if p.key != "" {
		parts = append(parts, p.key)
	}
	return strings.Join(append(parts, p.text), ": ")
}

type problems []problem

// add takes the text of a check, which is "" where nothing is wrong.
func (p *problems) add(c *Config, key, text string) {
	if text == "" {
		return
	}
	for _, known := range *p {
		if known.key == key {
			return // one complaint about a value is enough
		}
	}
	*p = append(*p, problem{origin: c.originOf(key), key: key, text: text})
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b problem) int {
		if a.origin.line != b.origin.line {
			return a.origin.line - b.origin.line
		}
		return a.origin.col - b.origin.col
	})
	return p
}

// Wrong is the error, wrapping [ErrConfig], of a value that only the caller can
// know to be wrong: what is wrong with it, and what is wanted.
func (c *Config) Wrong(key, what string) error {
	var p problems
	p.add(c, key, what)
	return p.err()
}

// joinProblems puts more problems, if err has some, behind those found before.
func joinProblems(found problems, err error) error {
	var more problems
	if errors.As(err, &more) {
		found = append(found, more...)
	}
	return found.err()
}

// Error lists the problems, one a line.
func (p problems) Error() string {
	if len(p) == 1 {
		return ErrConfig.Error() + ": " + p[0].String()
	}
	var b strings.Builder
	b.WriteString(ErrConfig.Error() + ":")
	for _, one := range p {
		b.WriteString("\n  " + one.String())
	}
	return b.String()
}

// Unwrap makes every problem an [ErrConfig].
func (p problems) Unwrap() error { return ErrConfig }

// oneLine keeps a file's name from breaking a comment or an error.
func oneLine(s string) string {
	if q := strconv.Quote(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}

// didYouMean is ": did you mean X?" or nothing, as the tail of a sentence.
func didYouMean(word string, known []string) string {
	if near := text.Nearest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}
