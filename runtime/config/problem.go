package config

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
)

// ErrConfig marks a configuration that cannot be used. The text has one line
// for each thing that is wrong: where it was set, the key, and what is wanted.
var ErrConfig = errors.New("runtime: bad configuration")

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

// problems is an error that wraps [ErrConfig].
type problems []problem

// add adds a complaint of a check; "" means that nothing is wrong. One complaint about a
// value is enough.
func (p *problems) add(c *Config, key, text string) {
	if text != "" && !slices.ContainsFunc(*p, func(known problem) bool { return known.key == key }) {
		*p = append(*p, problem{origin: c.originOf(key), key: key, text: text})
	}
}

// of adds what is wrong in a section, by its keys.
func (p *problems) of(c *Config, section string) func(key, what string) {
	return func(key, what string) { p.add(c, section+"."+key, what) }
}

// and returns these problems followed by those of err.
func (p problems) and(err error) error {
	var more problems
	errors.As(err, &more)
	return append(p, more...).err()
}

// err is nil without problems. They come in the order of the file.
func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b problem) int {
		return cmp.Or(a.origin.line-b.origin.line, a.origin.col-b.origin.col)
	})
	return p
}

// Error lists the problems, one a line.
func (p problems) Error() string {
	if len(p) == 1 {
		return ErrConfig.Error() + ": " + p[0].String()
	}
	text := ErrConfig.Error() + ":"
	for _, one := range p {
		text += "\n  " + one.String()
	}
	return text
}

// Unwrap makes every problem an [ErrConfig].
func (p problems) Unwrap() error { return ErrConfig }

// Wrong returns the error, wrapping [ErrConfig], for a value that only the caller can
// know to be wrong: what is wrong, and what is wanted.
func (c *Config) Wrong(key, what string) error {
	return problems{{c.originOf(key), key, what}}
}

// quote shows a value of any length.
var quote = text.Quote

// oneLine keeps a file's name from breaking the line of a comment or an error.
func oneLine(s string) string {
	if q := strconv.Quote(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}

// didYouMean returns ": did you mean X?" or "", as the end of a sentence.
func didYouMean(word string, known []string) string {
	if near := text.Nearest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}
