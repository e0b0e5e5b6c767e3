package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/kehai-run/kehai/actors/text/yamlfile"
)

// kehaiFile is what a file should be, for the words of errors.
var kehaiFile = yamlfile.Kind{Name: "a configuration of Kehai"}

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

func parseConfig(name, dir string, data []byte) (Config, error) {
	c := Default()
	c.own()
	d := decoder{name: name, dir: dir, config: &c}
	body, wrong := kehaiFile.Parse(data, parser.AllowDuplicateMapKey())
	if wrong != nil {
		d.wrong(origin{kind: "file", place: name, line: wrong.Line, col: wrong.Column}, "", wrong.Reason)
	} else if body != nil {
		d.field(body, root(&c))
	}
	c.follow(ProfileDefault)
	if err := d.problems.and(c.Validate()); err != nil {
		return Config{}, err
	}
	return c, nil
}

// decoder sets the fields of config from a YAML tree.
type decoder struct {
	name, dir string
	config    *Config
	problems  problems
}

func (d *decoder) at(tk *token.Token) origin {
	o := origin{kind: "file", place: d.name}
	if tk != nil && tk.Position != nil {
		o.line, o.col = tk.Position.Line, tk.Position.Column
	}
	return o
}

func (d *decoder) wrong(at origin, key, text string) {
	d.problems = append(d.problems, problem{origin: at, key: key, text: text})
}

// field sets a field, or those below it.
func (d *decoder) field(node ast.Node, f field) {
	at, found := d.at(node.GetToken()), ", found "+kindOf(node)
	isNull := node.Type() == ast.NullType
	if f.isSection() {
		if m, ok := node.(ast.MapNode); ok {
			d.section(m, f)
		} else if !isNull {
			d.wrong(at, f.key, "want keys with values below it"+found)
		}
		return
	}
	if f.isList() {
		if seq, ok := node.(*ast.SequenceNode); ok {
			d.list(seq, f)
		} else {
			d.wrong(at, f.key, "want a list, each entry beginning with - (or [] for none)"+found)
		}
		return
	}
	text, ok := textIn(node, f.value.Type())
	wrong := "want one value" + found
	switch {
	case ok:
		wrong = d.config.set(f, text, d.dir, at)
	case isNull:
		wrong = "has no value: give one, or leave the key out for the default"
	case f.value.Kind() == reflect.Slice:
		wrong = `want a list of quoted texts such as ["line:Hana", "line:Ken"]`
	}
	if wrong != "" {
		d.wrong(at, f.key, wrong)
	}
}

// section sets the fields below one.
func (d *decoder) section(m ast.MapNode, f field) {
	known, seen := f.below(), map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		name, at := keyText(it.Key()), d.at(it.Key().GetToken())
		i := slices.IndexFunc(known, func(k field) bool { return k.name() == name })
		switch {
		case i < 0:
			unknown := strings.TrimPrefix(f.key+"."+name, ".")
			d.wrong(at, "", "unknown key "+quote(unknown)+d.advise(name, f.key, known))
		case seen[name]:
			d.wrong(at, known[i].key, "set twice: keep one")
		default:
			d.field(it.Value(), known[i])
		}
		seen[name] = true
	}
}

// list replaces a list. What an entry leaves out has its default, but each must have a
// name.
func (d *decoder) list(seq *ast.SequenceNode, f field) {
	if n := len(seq.Values); f.key == "windows" && n > maxWindows {
		d.wrong(d.at(seq.Values[maxWindows].GetToken()), f.key, tooManyWindows(n))
		seq.Values = seq.Values[:maxWindows]
	}
	f.fill(len(seq.Values))
	d.config.origins[f.key] = d.at(seq.GetToken())
	for i, entry := range f.below() {
		d.config.origins[entry.key] = d.at(yamlfile.First(seq.Values[i]))
		d.field(seq.Values[i], entry)
	}
}

// advise names the nearest known key, or the place of the same key elsewhere, or
// all keys of the section.
func (d *decoder) advise(name, section string, known []field) string {
	var names []string
	for _, f := range known {
		names = append(names, f.name())
	}
	if near := didYouMean(name, names); near != "" {
		return near
	}
	for _, f := range d.config.fields() {
		if f.name() == name && !strings.ContainsFunc(f.key, unicode.IsDigit) {
			return ": did you mean " + f.key + "?"
		}
	}
	where := ""
	if section != "" {
		where = "in " + section + " "
	}
	return ": known " + where + "are " + strings.Join(names, ", ")
}

func keyText(key ast.MapKeyNode) string {
	if s, ok := key.(*ast.StringNode); ok {
		return s.Value
	}
	if tk := key.GetToken(); tk != nil {
		return tk.Value
	}
	return ""
}

// textIn returns a value of a type as parseValue reads it: as it is written, so
// that 1_000 is not 1000 here, and yes is not true.
func textIn(node ast.Node, t reflect.Type) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
	case *ast.SequenceNode:
		parts := make([]string, len(n.Values))
		for i, v := range n.Values {
			if ok = isSequence(t); ok {
				parts[i], ok = textIn(v, t.Elem())
			}
			if !ok {
				return "", false
			}
			if t.Elem().Kind() != reflect.Int {
				parts[i] = quoteJSON(parts[i])
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", isSequence(t)
	}
	return "", false
}

func kindOf(node ast.Node) string {
	switch node.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "keys with values"
	case ast.SequenceType:
		return "a list"
	case ast.NullType:
		return "nothing"
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		return "an anchor, alias or tag, which have no use here"
	}
	return "a single value"
}
