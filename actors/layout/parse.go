package layout

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
	maxSource = 64 << 10 // the longest layout file in bytes
	maxOpen   = 16       // brackets and list dashes on one line: the YAML parser is slow in depth
)

// Parse reads and checks a layout. name is the file's name in errors, which wrap
// [ErrLayout] and have the form "NAME:LINE:COLUMN: FIELD what is wanted".
func Parse(name string, data []byte) (l Layout, err error) {
	if name == "" {
		name = "layout"
	}
	if err := readable(data); err != "" {
		return Layout{}, fmt.Errorf("%w: %s: %s", ErrLayout, name, err)
	}
	defer func() { // a YAML parser may panic on untrusted bytes
		if r := recover(); r != nil {
			l, err = Layout{}, fmt.Errorf("%w: %s: not readable as YAML", ErrLayout, name)
		}
	}()
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&l); err != nil {
		return Layout{}, fmt.Errorf("%w: %s%s", ErrLayout, name, decodeError(err))
	}
	if p := l.problem(); p != nil {
		return Layout{}, fmt.Errorf("%w: %s%s: %s", ErrLayout, name, place(data, p.field), p)
	}
	return l, nil
}

func readable(data []byte) string {
	switch {
	case len(data) > maxSource:
		return "longer than 64 KiB: this is not a window layout"
	case !utf8.Valid(data):
		return "not UTF-8: save the file as UTF-8"
	case len(bytes.TrimSpace(data)) == 0:
		return "empty: start from a layout that is built in"
	}
	open := 0
	for line := range bytes.Lines(data) {
		dashes := bytes.Count(line[:len(line)-len(bytes.TrimLeft(line, "- "))], []byte("- "))
		open = max(open+bytes.Count(line, []byte("["))+
			bytes.Count(line, []byte("{"))-bytes.Count(line, []byte("]"))-bytes.Count(line, []byte("}")), 0)
		if dashes > maxOpen || open > maxOpen || bytes.Count(line, []byte("[")) > 4*maxOpen ||
			bytes.Count(line, []byte("{")) > 4*maxOpen {
			return "nested too deep: this is not a window layout"
		}
	}
	return ""
}

// decodeError is the place and the message of an error of the YAML decoder.
func decodeError(err error) string {
	var y yaml.Error
	if errors.As(err, &y) {
		return at(y.GetToken()) + ": " + strings.TrimSpace(y.GetMessage())
	}
	return ": " + err.Error()
}

// place finds a field, or the nearest enclosing one, in the source.
func place(data []byte, field string) string {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return ""
	}
	for field != "" {
		if path, err := yaml.PathString("$." + field); err == nil {
			if node, err := path.FilterFile(file); err == nil && node != nil {
				return at(firstToken(node))
			}
		}
		field = field[:max(strings.LastIndexAny(field, ".["), 0)]
	}
	return ":1:1"
}

// firstToken is where a node begins. A mapping's own token is a colon.
func firstToken(node ast.Node) *token.Token {
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
