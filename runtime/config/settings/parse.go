package settings

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/yamlfile"
)

// Parse sets what a file says. name is the file's in errors; relative paths count from
// dir.
func (t Tree) Parse(name, dir string, data []byte) *Problems {
	d := decoder{Tree: t, name: name, dir: dir, problems: t.Problems()}
	body, wrong := t.kind.File.Parse(data, parser.AllowDuplicateMapKey())
	if wrong != nil {
		at := Origin{kind: "file", place: name, line: wrong.Line, col: wrong.Column}
		d.problems.at(at, "", wrong.Reason)
	} else if body != nil {
		d.field(body, t.Field)
	}
	return d.problems
}

// decoder sets fields from a YAML tree.
type decoder struct {
	Tree
	name, dir string
	problems  *Problems
}

func (d *decoder) at(tk *token.Token) Origin {
	o := Origin{kind: "file", place: d.name}
	if tk != nil && tk.Position != nil {
		o.line, o.col = tk.Position.Line, tk.Position.Column
	}
	return o
}

// field sets a field, or those below it.
func (d *decoder) field(node ast.Node, f Field) {
	at, found := d.at(node.GetToken()), ", found "+kindOf(node)
	isNull := node.Type() == ast.NullType
	if f.IsSection() {
		if m, ok := node.(ast.MapNode); ok {
			d.section(m, f)
		} else if !isNull {
			d.problems.at(at, f.Key, "want keys with values below it"+found)
		}
		return
	}
	if f.IsList() {
		if seq, ok := node.(*ast.SequenceNode); ok {
			d.list(seq, f)
		} else {
			d.problems.at(at, f.Key, "want a list, each entry beginning with - (or [] for none)"+found)
		}
		return
	}
	text, ok := textIn(node, f.Type())
	wrong := "want one value" + found
	switch {
	case ok:
		wrong = d.set(f, text, d.dir, at)
	case isNull:
		wrong = "has no value: give one, or leave the key out for the default"
	case f.value.Kind() == reflect.Slice:
		wrong = `want a list of quoted texts such as ["line:Hana", "line:Ken"]`
	}
	if wrong != "" {
		d.problems.at(at, f.Key, wrong)
	}
}

// section sets the fields below one.
func (d *decoder) section(m ast.MapNode, f Field) {
	known, seen := f.Below(), map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		name, at := keyText(it.Key()), d.at(it.Key().GetToken())
		i := slices.IndexFunc(known, func(k Field) bool { return k.Name() == name })
		switch {
		case i < 0:
			unknown := strings.TrimPrefix(f.Key+"."+name, ".")
			d.problems.at(at, "", "unknown key "+text.Quote(unknown)+d.advise(name, f.Key, known))
		case seen[name]:
			d.problems.at(at, known[i].Key, "set twice: keep one")
		default:
			d.field(it.Value(), known[i])
		}
		seen[name] = true
	}
}

// list replaces a list. Settings that an entry leaves out have their defaults, but each entry
// must have a name.
func (d *decoder) list(seq *ast.SequenceNode, f Field) {
	if n := len(seq.Values); f.tooMany(n) != "" {
		d.problems.at(d.at(seq.Values[f.most(n)].GetToken()), f.Key, f.tooMany(n))
		seq.Values = seq.Values[:f.most(n)]
	}
	f.fill(len(seq.Values))
	d.origins[f.Key] = d.at(seq.GetToken())
	for i, entry := range f.Below() {
		d.origins[entry.Key] = d.at(yamlfile.First(seq.Values[i]))
		d.field(seq.Values[i], entry)
	}
}

// advise names the nearest known key, or the place of the same key elsewhere, or
// all keys of the section.
func (d *decoder) advise(name, section string, known []Field) string {
	var names []string
	for _, f := range known {
		names = append(names, f.Name())
	}
	if near := DidYouMean(name, names); near != "" {
		return near
	}
	for _, f := range d.Values() {
		if f.Name() == name && !strings.ContainsFunc(f.Key, unicode.IsDigit) {
			return ": did you mean " + f.Key + "?"
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
