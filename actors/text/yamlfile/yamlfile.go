// Package yamlfile decodes small YAML files that people write by hand, strictly and
// with the place of each mistake. [Decode] reads a file into a struct, [Place] finds
// where a field stands, for checks that come after.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	MaxSize  = 64 << 10 // the longest file in bytes
	maxDepth = 32       // the YAML parser is recursive and slow in depth
)

// Kind is what a file should be, for the words of errors.
type Kind struct {
	Name  string // such as "a window layout"
	Start string // what to begin with instead of an empty file
}

// Decode reads a file into a struct. A key that the struct does not have is an error.
// name stands before the error: "NAME:LINE:COLUMN: reason". into is undefined after
// an error.
func Decode(name string, data []byte, k Kind, into any) (err error) {
	if line, column, reason := k.Unfit(data); line > 0 {
		return fmt.Errorf("%s:%d:%d: %s", name, line, column, reason)
	} else if reason != "" {
		return fmt.Errorf("%s: %s", name, reason)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return fmt.Errorf("%s: empty: start from %s", name, k.Start)
	}
	defer func() { // a YAML parser may panic on untrusted bytes
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: not readable as YAML", name)
		}
	}()
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(into); err != nil {
		return fmt.Errorf("%s%s", name, decodeError(err))
	}
	return nil
}

// Unfit says what keeps a file from the YAML parser, "" for nothing: it is too long,
// not UTF-8, or nested too deep. Line and column are 0 where it is about all of it.
func (k Kind) Unfit(data []byte) (line, column int, reason string) {
	if len(data) > MaxSize {
		return 0, 0, "longer than 64 KiB: this is not " + k.Name
	}
	open := 0 // brackets in texts and comments count too, which does no harm
	for text := range strings.Lines(string(data)) {
		line++
		dashes := strings.Count(text[:len(text)-len(strings.TrimLeft(text, "- "))], "- ")
		deep := dashes > maxDepth
		for i, r := range text {
			switch r {
			case utf8.RuneError:
				if !strings.HasPrefix(text[i:], string(r)) {
					return line, i + 1, "not UTF-8: save the file as UTF-8"
				}
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			deep = deep || open > maxDepth
		}
		if deep {
			return line, 1, "nested too deep: this is not " + k.Name
		}
	}
	return 0, 0, ""
}

// decodeError is the place and the message of an error of the YAML decoder.
func decodeError(err error) string {
	var y yaml.Error
	if errors.As(err, &y) {
		return at(y.GetToken()) + ": " + strings.TrimSpace(y.GetMessage())
	}
	return ": " + err.Error()
}

// Place is ":LINE:COLUMN" of a field, such as "limits.max_deep" or "must_ask[1]", or of
// the nearest enclosing one that is there; "" if the file does not parse.
func Place(data []byte, field string) (place string) {
	defer func() { // as in Decode
		if recover() != nil {
			place = ""
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return ""
	}
	for field != "" {
		if path, err := yaml.PathString("$." + field); err == nil {
			if node, err := path.FilterFile(file); err == nil && node != nil {
				return at(First(node))
			}
		}
		field = field[:max(strings.LastIndexAny(field, ".["), 0)]
	}
	return ":1:1"
}

// First is the token with which a node begins. A mapping's own token is a colon.
func First(node ast.Node) *token.Token {
	if m, ok := node.(ast.MapNode); ok {
		if it := m.MapRange(); it.Next() {
			return it.Key().GetToken()
		}
	}
	return node.GetToken()
}

func at(t *token.Token) string {
	if t == nil || t.Position == nil {
		return ""
	}
	return fmt.Sprintf(":%d:%d", t.Position.Line, t.Position.Column)
}
