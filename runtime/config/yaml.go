package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	maxConfig = 64 << 10 // the longest configuration file in bytes
	maxDepth  = 32       // the YAML parser is recursive and slow in depth
)

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
	f, err := os.Open(path)
	if err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return parseConfig(path, dir, data)
}

// Parse reads a configuration over the defaults. The name stands in errors
// and in what Write prints; relative paths count from its folder.
func Parse(name string, data []byte) (Config, error) {
	return parseConfig(name, filepath.Dir(name), data)
}

func parseConfig(name, dir string, data []byte) (Config, error) {
	c := Default()
	d := decoder{name: name, dir: dir, home: homeDir(), config: &c}
	if body := d.parse(data); body != nil {
		d.section(body, reflect.ValueOf(&c).Elem(), "")
	}
	if err := joinProblems(d.problems, c.Validate()); err != nil {
		return Config{}, err
	}
	return c, nil
}

// decoder sets the fields of config from a YAML tree.
type decoder struct {
	name, dir, home string
	config          *Config
	problems        problems
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

// parse returns the one document's body, nil if there is none.
func (d *decoder) parse(data []byte) (body ast.Node) {
	if len(data) > maxConfig {
		d.wrong(d.at(nil), "", fmt.Sprintf("longer than %s: this is not a configuration of Kehai", Size(maxConfig)))
		return nil
	}
	if at := invalidUTF8(data); at >= 0 {
		o := d.at(nil)
		o.line = 1 + strings.Count(string(data[:at]), "\n")
		o.col = at - strings.LastIndexByte(string(data[:at]), '\n')
		d.wrong(o, "", "not UTF-8: save the file as UTF-8")
		return nil
	}
	if line := tooDeep(string(data)); line > 0 {
		o := d.at(nil)
		o.line, o.col = line, 1
		d.wrong(o, "", "nested too deep: this is not a configuration of Kehai")
		return nil
	}
	defer func() { // the parser is foreign code and reads foreign bytes
		if r := recover(); r != nil {
			d.wrong(d.at(nil), "", "not readable as YAML")
			body = nil
		}
	}()
	text := strings.TrimPrefix(string(data), "\ufeff")
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		o, what := d.at(nil), "not readable as YAML"
		var y yaml.Error
		if errors.As(err, &y) {
			// Its own text would show the lines around, and what stands there.
			o, what = d.at(y.GetToken()), what+": "+withoutQuotes(y.GetMessage())
		}
		d.wrong(o, "", what)
		return nil
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType {
			continue
		}
		if body != nil {
			d.wrong(d.at(doc.Body.GetToken()), "", "a second document: want one")
			return nil
		}
		body = doc.Body
	}
	return body
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// tooDeep returns the number of the line on which more than maxDepth brackets
// are open, or so many lists begin; 0 if there is none. Brackets in texts and
// comments count too, which does no harm where they are closed or few.
func tooDeep(text string) int {
	open, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		if head := line[:len(line)-len(strings.TrimLeft(line, "- "))]; strings.Count(head, "- ") > maxDepth {
			return number
		}
		for _, b := range []byte(line) {
			switch b {
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			if open > maxDepth {
				return number
			}
		}
	}
	return 0
}

// withoutQuotes cuts a message before what it quotes of the file.
func withoutQuotes(message string) string {
	if strings.Contains(message, "\t") {
		return "a tab where none may be: indent with spaces"
	}
	head, _, _ := strings.Cut(message, `"`)
	return strings.TrimRight(head, " :")
}

// section sets the fields of a struct.
func (d *decoder) section(node ast.Node, v reflect.Value, prefix string) {
	if node.Type() == ast.NullType {
		return
	}
	m, ok := node.(ast.MapNode)
	if !ok {
		d.wrong(d.at(node.GetToken()), strings.TrimSuffix(prefix, "."),
			"want keys with values below it, found "+kindOf(node))
		return
	}
	known, names := map[string]field{}, []string{}
	for _, f := range fieldsOf(v, prefix) {
		known[f.name()] = f
		names = append(names, f.name())
	}
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		key, value := it.Key(), it.Value()
		name, at := keyText(key), d.at(key.GetToken())
		f, ok := known[name]
		switch {
		case !ok:
			d.wrong(at, "", "unknown key "+quote(prefix+name)+d.advise(name, prefix, names))
		case seen[name]:
			d.wrong(at, f.key, "set twice: keep one")
		case f.isSection():
			d.section(value, f.value, f.key+".")
		case f.isList():
			d.windows(value, f)
		default:
			d.leaf(value, f)
		}
		seen[name] = true
	}
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

// advise names the nearest known key, or the places of the same key elsewhere,
// or all keys.
func (d *decoder) advise(name, prefix string, names []string) string {
	if near := didYouMean(name, names); near != "" {
		return near
	}
	for _, key := range d.config.keys() {
		if strings.HasSuffix(key, "."+name) && !strings.HasPrefix(key, "windows.") {
			return ": did you mean " + key + "?"
		}
	}
	if prefix == "" {
		return ": known are " + strings.Join(names, ", ")
	}
	return ": known in " + strings.TrimSuffix(prefix, ".") + " are " + strings.Join(names, ", ")
}

// windows replaces the list of windows. What an entry leaves out has its
// default, but each must have a name.
func (d *decoder) windows(node ast.Node, f field) {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		d.wrong(d.at(node.GetToken()), f.key,
			"want a list, each entry beginning with - (or [] for none), found "+kindOf(node))
		return
	}
	d.config.Windows = []Window{}
	for i, item := range seq.Values {
		if i == maxWindows {
			d.wrong(d.at(item.GetToken()), f.key,
				fmt.Sprintf("%d windows: want at most %d", len(seq.Values), maxWindows))
			break
		}
		d.config.Windows = append(d.config.Windows, DefaultWindow(""))
		key := f.key + "." + strconv.Itoa(i)
		at := d.at(item.GetToken())
		if m, ok := item.(ast.MapNode); ok {
			if it := m.MapRange(); it.Next() {
				at = d.at(it.Key().GetToken()) // an item's own token is a colon
			}
		}
		d.config.noteList(key, at)
		d.section(item, reflect.ValueOf(&d.config.Windows[i]).Elem(), key+".")
	}
	d.config.noteList(f.key, d.at(seq.GetToken()))
}

// leaf sets one value.
func (d *decoder) leaf(node ast.Node, f field) {
	at := d.at(node.GetToken())
	text, ok := scalarText(node)
	if seq, isSeq := node.(*ast.SequenceNode); isSeq && f.value.Kind() == reflect.Array {
		parts := make([]string, len(seq.Values))
		for i, v := range seq.Values {
			if parts[i], ok = scalarText(v); !ok {
				break
			}
		}
		text = "[" + strings.Join(parts, ", ") + "]"
	}
	if seq, isSeq := node.(*ast.SequenceNode); isSeq && f.value.Kind() == reflect.Slice {
		list := make([]string, len(seq.Values))
		ok = true
		for i, v := range seq.Values {
			if list[i], ok = scalarText(v); !ok {
				break
			}
		}
		text = listText(list)
	}
	switch {
	case node.Type() == ast.NullType:
		d.wrong(at, f.key, "has no value: give one, or leave the key out for the default")
		return
	case !ok && f.value.Kind() == reflect.Slice:
		d.wrong(at, f.key, `want a list of quoted texts such as ["line:Hana", "line:Ken"]`)
		return
	case !ok:
		d.wrong(at, f.key, "want one value, found "+kindOf(node))
		return
	}
	if wrong := f.setPath(text, d.dir, d.home); wrong != "" {
		d.wrong(at, f.key, wrong)
		return
	}
	d.config.note(f, at)
}

// scalarText returns a value as it is written: 1_000 is not 1000 here, and yes
// is not true.
func scalarText(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
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
