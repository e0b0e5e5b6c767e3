package prompt

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
)

//go:embed texts
var builtin embed.FS

// Language of the instructions.
type Language = text.Language

// Languages.
const (
	Japanese = text.Japanese
	English  = text.English
)

// maxText is the longest text of a catalogue, in bytes.
const maxText = 16 << 10

// placeholders are what texts may refer to. The first group is filled in from the owner's
// configuration. The others name fields of the data, because other people wrote those.
var (
	fromOwner = []string{"persona", "goal", "must_ask", "must_not_ask", "max_deep", "ask"}
	fromData  = []string{"now", "summary", "most_important"}
)

var placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)

// ErrText marks a text that a catalogue rejects.
var ErrText = errors.New("prompt: this text cannot be used")

// Catalogue is a set of texts. It never changes, and may be used concurrently.
type Catalogue struct{ texts map[string]entry }

type entry struct {
	text, builtin string
	own           []string // see [repeatable]
}

// Entry is one text of a catalogue.
type Entry struct {
	Name    string // such as ja/reply
	Version string // of its text
	Edited  bool   // a person replaced the built-in text
}

// Default is the catalogue of the built-in texts.
func Default() *Catalogue {
	c, err := Load(nil)
	if err != nil {
		panic(err) // the built-in texts are tested
	}
	return c
}

// Load makes a catalogue in which the files of a folder replace the built-in texts of the
// same name: ja/reply.txt for ja/reply. A file with an unknown name or placeholder, or
// one that is too long, is an error that says where; nil replaces nothing.
func Load(edited fs.FS) (*Catalogue, error) {
	c := &Catalogue{texts: map[string]entry{}}
	err := eachText(builtin, "texts", func(name, text string) error {
		c.texts[name] = entry{text, text, repeatable(text)}
		return check(name, text)
	})
	if err != nil || edited == nil {
		return c, err
	}
	var wrong []error
	err = eachText(edited, ".", func(name, text string) error {
		e, ok := c.texts[name]
		if !ok {
			wrong = append(wrong, fmt.Errorf("%w: %s.txt: no prompt has this name; there are %s", ErrText, name,
				strings.Join(c.names(), ", ")))
			return nil
		}
		if err := check(name, text); err != nil {
			wrong = append(wrong, err)
			return nil
		}
		c.texts[name] = entry{text, e.builtin, repeatable(text)}
		return nil
	})
	if err := errors.Join(append(wrong, err)...); err != nil {
		return nil, err
	}
	return c, nil
}

// eachText reads the texts of a folder: LANGUAGE/NAME.txt.
func eachText(folder fs.FS, root string, take func(name, text string) error) error {
	return fs.WalkDir(folder, root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && file == root:
			return nil
		case err != nil:
			return fmt.Errorf("prompt: read %s: %w", file, err)
		case d.IsDir() || path.Ext(file) != ".txt":
			return nil
		}
		raw, err := fs.ReadFile(folder, file)
		if err != nil {
			return fmt.Errorf("prompt: read %s: %w", file, err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(file, root+"/"), ".txt")
		text := strings.ReplaceAll(strings.TrimPrefix(string(raw), "\ufeff"), "\r\n", "\n")
		return take(name, strings.TrimSpace(text))
	})
}

// check reports what is wrong with a text, and on which line.
func check(name, text string) error {
	bad := func(line int, why string) error {
		return fmt.Errorf("%w: %s.txt, line %d: %s", ErrText, name, line, why)
	}
	switch {
	case text == "":
		return bad(1, "it is empty: delete the file to use the built-in text")
	case len(text) > maxText:
		return bad(1, fmt.Sprintf("it has more than %d bytes", maxText))
	case !utf8.ValidString(text):
		return bad(1, "it is not UTF-8")
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, m := range placeholder.FindAllStringSubmatch(line, -1) {
			if !slices.Contains(fromOwner, m[1]) && !slices.Contains(fromData, m[1]) {
				return bad(number, fmt.Sprintf("%s is not known: want one of {%s}", m[0],
					strings.Join(slices.Concat(fromOwner, fromData), "}, {")))
			}
		}
		if strings.HasPrefix(line, fence) {
			return bad(number, "a line must not begin with "+fence+", which marks the data")
		}
	}
	return nil
}

func (c *Catalogue) names() []string {
	var list []string
	for name := range c.texts {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// List returns the texts, sorted by name.
func (c *Catalogue) List() []Entry {
	var list []Entry
	for _, name := range c.names() {
		e := c.texts[name]
		list = append(list, Entry{Name: name, Version: version(e.text), Edited: e.text != e.builtin})
	}
	return list
}

// Text returns a text as it is used, and its built-in original.
func (c *Catalogue) Text(name string) (text, original string, ok bool) {
	e, ok := c.texts[name]
	return e.text, e.builtin, ok
}

// version is a short hash of texts.
func version(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d\n%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}
