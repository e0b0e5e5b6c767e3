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
	maxSource = 64 << 10 // the longest file in bytes
	maxOpen   = 16       // brackets and list dashes on one line: the YAML parser is slow in depth
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
	if reason := k.readable(data); reason != "" {
		return fmt.Errorf("%s: %s", name, reason)
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

func (k Kind) readable(data []byte) string {
	switch {
	case len(data) > maxSource:
		return "longer than 64 KiB: this is not " + k.Name
	case !utf8.Valid(data):
		return "not UTF-8: save the file as UTF-8"
	case len(bytes.TrimSpace(data)) == 0:
		return "empty: start from " + k.Start
	}
	open := 0
	for line := range bytes.Lines(data) {
		dashes := bytes.Count(line[:len(line)-len(bytes.TrimLeft(line, "- "))], []byte("- "))
		open = max(open+bytes.Count(line, []byte("["))+
			bytes.Count(line, []byte("{"))-bytes.Count(line, []byte("]"))-bytes.Count(line, []byte("}")), 0)
		if dashes > maxOpen || open > maxOpen || bytes.Count(line, []byte("[")) > 4*maxOpen ||
			bytes.Count(line, []byte("{")) > 4*maxOpen {
			return "nested too deep: this is not " + k.Name
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
