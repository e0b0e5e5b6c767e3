package settings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
)

// Origin is where a value was set.
type Origin struct {
	kind      string // "file", "env", "flag"
	place     string // "kehai.yaml", "KEHAI_DATA", "--data"
	line, col int    // in a file
	text      string // the value then; if it differs now, Go code has set it
}

// Origins is where values were set, by key. It is changed in place.
type Origins map[string]Origin

// Own is a copy that may be changed.
func (o Origins) Own() Origins {
	if o == nil {
		return Origins{}
	}
	return maps.Clone(o)
}

// String is the beginning of an error about the value, on one line.
func (o Origin) String() string {
	if o.line > 0 {
		return fmt.Sprintf("%s:%d:%d", text.ShowPath(o.place), o.line, o.col)
	}
	return text.ShowPath(o.place)
}

// set sets a value from a text at a place. It returns what is wrong.
func (t Tree) set(f Field, text, dir string, at Origin) string {
	if wrong := f.set(text, dir); wrong != "" {
		return wrong
	}
	at.text = f.Text()
	t.origins[f.Key] = at
	return ""
}

// Origin is where the present value of a key was set, or else the list entry that
// contains it; zero if neither is known.
func (t Tree) Origin(key string) Origin {
	o, ok := t.origins[key]
	if !ok {
		return t.origins[key[:max(strings.LastIndexByte(key, '.'), 0)]]
	}
	if f, isValue := t.find(key); isValue && f.Text() != o.text {
		return Origin{}
	}
	return o
}

// Follow gives the values of a section that are what before has, and that nobody set,
// those of now: both are structs like the section.
func (t Tree) Follow(section string, before, now any) {
	old, changed := New(t.kind, before, nil).Values(), New(t.kind, now, nil).Values()
	own := slices.DeleteFunc(t.Values(), func(f Field) bool { return !strings.HasPrefix(f.Key, section+".") })
	for i, f := range own {
		if _, isSet := t.origins[f.Key]; !isSet && f.Text() == old[i].Text() {
			f.value.Set(changed[i].value)
		}
	}
}

// SetFlag sets one value from a command-line flag. Relative paths count from the working
// directory.
func (t Tree) SetFlag(flag, key, value string) error {
	o, p := Origin{kind: "flag", place: flag}, t.Problems()
	if f, ok := t.find(key); ok {
		if wrong := t.set(f, value, "", o); wrong != "" {
			p.at(o, key, wrong)
		}
		return p.Err()
	}
	var keys []string
	for _, f := range t.Values() {
		keys = append(keys, f.Key)
	}
	p.at(o, "", "unknown key "+text.Quote(key)+DidYouMean(key, keys))
	return p.Err()
}

// EnvName is the environment variable of a key.
func (k *Kind) EnvName(key string) string {
	return k.Prefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// ApplyEnv sets fields from an environment, in the form of os.Environ. Empty variables
// count as not set. An unknown one with the prefix of ours, unless foreign says that it is
// somebody else's, is a problem that names the nearest known one.
func (t Tree) ApplyEnv(environ []string, foreign func(name string) bool) *Problems {
	p, texts := t.Problems(), map[string]string{}
	for _, entry := range environ {
		if name, text, _ := strings.Cut(entry, "="); strings.HasPrefix(name, t.kind.Prefix) && text != "" {
			texts[name] = text
		}
	}
	names := slices.Clone(t.kind.Foreign)
	for _, f := range t.Values() {
		name := t.kind.EnvName(f.Key)
		names = append(names, name)
		if text, ok := texts[name]; ok {
			o := Origin{kind: "env", place: name}
			if wrong := t.set(f, text, "", o); wrong != "" {
				p.at(o, f.Key, wrong)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if slices.Contains(names, name) || foreign(name) {
			continue
		}
		advice := DidYouMean(name, names)
		if advice == "" {
			advice = ": unset it"
		}
		p.at(Origin{place: name}, "", "unknown variable"+advice)
	}
	return p
}
