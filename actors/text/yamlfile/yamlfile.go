// Package yamlfile decodes small hand-written YAML files, strictly and with the place of
// each mistake. [Decode] reads a file into a struct, and [Place] finds a field for later
// checks. [Kind.Parse] is for callers who walk the tree themselves.
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

// Kind is what a file should be, for error messages.
type Kind struct {
	Name  string // such as "a window layout"
	Start string // what to begin with instead of an empty file
	Whole bool   // all its numbers are whole: the library would cut the others off
}

// Mistake is what is wrong with a file, and where. Line and Column start at 1; 0 means
// the whole file.
type Mistake struct {
	Line, Column int
	Reason       string
}

// Error returns ":LINE:COLUMN: reason", to follow the name of a file.
func (m *Mistake) Error() string {
	if m.Line == 0 {
		return ": " + m.Reason
	}
	return fmt.Sprintf(":%d:%d: %s", m.Line, m.Column, m.Reason)
}

func mistake(at *token.Token, reason string) *Mistake {
	m := &Mistake{Reason: reason}
	if at != nil && at.Position != nil {
		m.Line, m.Column = at.Position.Line, at.Position.Column
	}
	return m
}

// Parse returns the single document of a file, nil if there is none. Its errors quote
// nothing from the file.
func (k Kind) Parse(data []byte, options ...parser.Option) (body ast.Node, wrong *Mistake) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if wrong = k.unfit(data); wrong != nil {
		return nil, wrong
	}
	defer func() { // foreign code that reads foreign bytes
		if r := recover(); r != nil {
			body, wrong = nil, &Mistake{Reason: "not readable as YAML"}
		}
	}()
	file, err := parser.ParseBytes(data, 0, options...)
	if err != nil {
		var y yaml.Error
		if !errors.As(err, &y) {
			return nil, &Mistake{Reason: "not readable as YAML"}
		}
		// Its own text would quote lines of the file.
		return nil, mistake(y.GetToken(), "not readable as YAML: "+withoutQuotes(y.GetMessage()))
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType {
			continue
		}
		if body != nil {
			return nil, mistake(doc.Body.GetToken(), "a second document: want one")
		}
		body = doc.Body
	}
	return body, nil
}

// withoutQuotes cuts a message before anything it quotes from the file.
func withoutQuotes(message string) string {
	if strings.Contains(message, "\t") {
		return "a tab where none may be: indent with spaces"
	}
	head, _, _ := strings.Cut(message, `"`)
	return strings.TrimRight(head, " :")
}

// fractions is where the first number stands that is not whole.
type fractions struct{ at *token.Token }

// Visit implements [ast.Visitor].
func (f *fractions) Visit(n ast.Node) ast.Visitor {
	if n.Type() == ast.FloatType && f.at == nil {
		f.at = n.GetToken()
	}
	return f
}

func fraction(body ast.Node) *token.Token {
	var f fractions
	ast.Walk(&f, body)
	return f.at
}

// Decode reads a file into a struct. An unknown key is an error. Errors start with name:
// "NAME:LINE:COLUMN: reason". After an error the content of into is undefined.
func Decode(name string, data []byte, k Kind, into any) (err error) {
	body, wrong := k.Parse(data)
	switch {
	case wrong != nil:
		return fmt.Errorf("%s%w", name, wrong)
	case body == nil:
		return fmt.Errorf("%s: empty: start from %s", name, k.Start)
	}
	if at := fraction(body); k.Whole && at != nil {
		return fmt.Errorf("%s%w", name, mistake(at, "want a whole number"))
	}
	defer func() { // as in Parse
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: not readable as YAML", name)
		}
	}()
	if err := yaml.NodeToValue(body, into, yaml.Strict()); err != nil {
		var y yaml.Error
		if errors.As(err, &y) {
			err = mistake(y.GetToken(), strings.TrimSpace(y.GetMessage()))
			return fmt.Errorf("%s%w", name, err)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// unfit returns why a file must not reach the YAML parser: it is too long, not UTF-8, or
// nested too deep.
func (k Kind) unfit(data []byte) *Mistake {
	if len(data) > MaxSize {
		return &Mistake{Reason: "longer than 64 KiB: this is not " + k.Name}
	}
	line, open := 0, 0 // brackets in texts and comments count too, which does no harm
	for text := range strings.Lines(string(data)) {
		line++
		dashes := strings.Count(text[:len(text)-len(strings.TrimLeft(text, "- "))], "- ")
		deep := dashes > maxDepth
		for i, r := range text {
			switch r {
			case utf8.RuneError:
				if !strings.HasPrefix(text[i:], string(r)) {
					return &Mistake{line, i + 1, "not UTF-8: save the file as UTF-8"}
				}
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			deep = deep || open > maxDepth
		}
		if deep {
			return &Mistake{line, 1, "nested too deep: this is not " + k.Name}
		}
	}
	return nil
}

// Place returns ":LINE:COLUMN" of a field, such as "limits.max_deep" or "must_ask[1]", or
// of the nearest enclosing one that exists; "" if the file does not parse.
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

// First returns the token that a node begins with. A mapping's own token is a colon.
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
