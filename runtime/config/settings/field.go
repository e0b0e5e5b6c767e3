// Package settings reads, checks and prints a struct whose tags say all that is known of
// its fields: a [Tree]. Values come from a file, the environment, flags and Go code, and
// each knows which, so that an error can name the place.
//
// A tag may have
//
//	yaml:"poll"            the key
//	min:"50ms" max:"1m"    what a number may be, written as its values are
//	atmost:"cap"           no more than another number of its section
//	most:"16"              how many entries a list may have
//	oneof:"a|b"            what a text may be
//	form:"name"            how a text looks; see Kind.Forms. "name?" may also be empty
//	path:"true"            a path, which counts from the folder of the file
//	secret:"key file"      it is never shown in full; see secret.Wrong
//	unset:"why"            printed in a comment while nobody has set it
package settings

import (
	"encoding"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/yamlfile"
)

// Kind is what all trees of a program share.
type Kind struct {
	Err     error         // what errors wrap; their text begins with its own
	File    yamlfile.Kind // what a file should be
	Prefix  string        // of environment variables
	Foreign []string      // variables with that prefix that set no field
	// Forms are the formats of texts. Each returns what is wrong, "" if nothing is.
	Forms map[string]func(string) string
	// IsName tells a built-in name, where a form says so, from a path.
	IsName map[string]func(string) bool
	// Entries are entries of lists in which nothing is set, by their type.
	Entries map[reflect.Type]any
	// Comments returns the comments of a file in which nothing is set, with an entry in each list.
	Comments func() yaml.CommentMap
}

// Tree is a struct with where its values were set, for its time of use: read, checked or
// printed. All of it walks through [Field.Below].
type Tree struct {
	Field
	origins Origins
}

// New makes the tree of a struct. Through a pointer its fields can also be changed.
func New(kind *Kind, of any, origins Origins) Tree {
	return Tree{Field{kind: kind, value: reflect.Indirect(reflect.ValueOf(of))}, origins}
}

// Field is one node: a value, or a section or list that has others below it.
type Field struct {
	Key   string // "windows.0.poll"
	Tag   reflect.StructTag
	value reflect.Value
	kind  *Kind
}

// Below are the fields right below: the entries of a list of structs, or the fields
// of a struct. Fields of embedded structs stand in their place, and fields that no
// key sets are left out.
func (f Field) Below() (list []Field) {
	if f.IsList() {
		for i, v := range f.value.Seq2() {
			list = append(list, Field{f.Key + "." + strconv.Itoa(int(i.Int())), f.Tag, v, f.kind})
		}
		return list
	}
	for i := range f.value.NumField() {
		sf := f.value.Type().Field(i)
		child := Field{f.Key, sf.Tag, f.value.Field(i), f.kind}
		switch key := sf.Tag.Get("yaml"); key {
		case "", "-":
		case ",inline":
			list = append(list, child.Below()...)
		default:
			child.Key = strings.TrimPrefix(f.Key+"."+key, ".")
			list = append(list, child)
		}
	}
	return list
}

// Values are all values below, in the order of the structs.
func (f Field) Values() (list []Field) {
	if !f.IsSection() && !f.IsList() {
		return []Field{f}
	}
	for _, child := range f.Below() {
		list = append(list, child.Values()...)
	}
	return list
}

// find finds the value of a key.
func (f Field) find(key string) (Field, bool) {
	for _, v := range f.Values() {
		if v.Key == key {
			return v, true
		}
	}
	return Field{}, false
}

// Type is the type of the field.
func (f Field) Type() reflect.Type { return f.value.Type() }

// IsSection is true for a struct.
func (f Field) IsSection() bool { return f.value.Kind() == reflect.Struct }

// IsList is true for a list of sections; a list of texts is a value.
func (f Field) IsList() bool {
	t := f.Type()
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct &&
		!reflect.PointerTo(t.Elem()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// usual is a list entry with default values.
func (f Field) usual() reflect.Value {
	entry, ok := f.kind.Entries[f.Type().Elem()]
	if !ok {
		panic("settings: no default entry of " + f.Key) // of a new list, so a bug
	}
	return reflect.ValueOf(entry)
}

// fill makes a list of n entries in which nothing is set.
func (f Field) fill(n int) {
	list := reflect.Zero(f.Type())
	for range n {
		list = reflect.Append(list, f.usual())
	}
	f.value.Set(list)
}

// cut splits the key at its last point: "windows.0." and "poll".
func (f Field) cut() (section, name string) {
	i := strings.LastIndexByte(f.Key, '.') + 1
	return f.Key[:i], f.Key[i:]
}

// Name is the last part of the key.
func (f Field) Name() string { _, name := f.cut(); return name }

// OneOf are the allowed values; none if the tag lists none.
func (f Field) OneOf() []string {
	return strings.FieldsFunc(f.Tag.Get("oneof"), func(r rune) bool { return r == '|' })
}

// Text is the value as a file writes it, and as set reads it.
func (f Field) Text() string { return textOf(f.value) }

// set sets the value from a text. It returns what is wrong with the text, and then leaves
// the value unchanged. A path is relative to dir.
func (f Field) set(text, dir string) string {
	path, wrong := f.resolve(text, dir)
	if wrong != "" {
		return wrong
	}
	v, want := parseValue(f.Type(), path)
	if want == "" {
		f.value.Set(v)
		return ""
	}
	if strings.HasSuffix(want, "number") { // for others it has an example
		if want += " from " + f.Tag.Get("min") + " to " + f.Tag.Get("max"); len(f.OneOf()) > 0 {
			want = "want " + OrList(f.OneOf())
		}
	}
	return f.show(text) + ": " + want
}

// resolve makes a path absolute, from dir or from the home after ~/. It leaves other
// texts alone.
func (f Field) resolve(text, dir string) (path, wrong string) {
	isName := f.kind.IsName[f.Tag.Get("form")]
	if f.Tag.Get("path") == "" || text == "" || isName != nil && isName(text) {
		return text, ""
	}
	rest, inHome := strings.CutPrefix(text+"/", "~/")
	if !inHome && !filepath.IsAbs(text) {
		return filepath.Join(dir, text), ""
	} else if !inHome {
		return text, ""
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", f.show(text) + ": this machine tells no home folder: write the whole path"
	}
	return filepath.Join(home, rest), ""
}

// show quotes a value unless it may be secret.
func (f Field) show(value string) string {
	if f.Tag.Get("secret") != "" {
		return "the value (not shown)"
	}
	return text.Quote(value)
}
