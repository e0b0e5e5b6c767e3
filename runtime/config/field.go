package config

import (
	"encoding"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/runtime/secret"
)

// field is one node of a configuration: a value, or a section or list that has
// others below it. Its tag says all that is known of it:
//
//	yaml:"poll"            its key
//	min:"50ms" max:"1m"    what a number may be, written as its values are
//	atmost:"cap"           no more than another number of its section
//	oneof:"a|b"            what a text may be
//	form:"name"            how a text looks; see forms. "name?" may also be empty
//	path:"true"            a path, which counts from the folder of the file
//	secret:"key file"      it is never shown in full; see secret.Wrong
//	driver:"screen"        the name of a driver; see [Config.CheckDrivers]
//
// All that reads, checks or prints a configuration walks through below.
type field struct {
	key   string // "windows.0.poll"
	value reflect.Value
	tag   reflect.StructTag
}

// root is what has all others below it. A Config, and not a pointer to one, can
// only be read.
func root(c any) field { return field{value: reflect.Indirect(reflect.ValueOf(c))} }

// below are the fields right below: those of a struct, with those of embedded
// structs in their place and without those that no key sets, or the entries of a
// list of structs.
func (f field) below() (list []field) {
	if f.isList() {
		for i, v := range f.value.Seq2() {
			list = append(list, field{f.key + "." + strconv.Itoa(int(i.Int())), v, f.tag})
		}
		return list
	}
	for i := range f.value.NumField() {
		sf := f.value.Type().Field(i)
		child := field{f.key, f.value.Field(i), sf.Tag}
		switch key := sf.Tag.Get("yaml"); key {
		case "", "-":
		case ",inline":
			list = append(list, child.below()...)
		default:
			child.key = strings.TrimPrefix(f.key+"."+key, ".")
			list = append(list, child)
		}
	}
	return list
}

// values are all values below, in the order of the structs.
func (f field) values() (list []field) {
	if !f.isSection() && !f.isList() {
		return []field{f}
	}
	for _, child := range f.below() {
		list = append(list, child.values()...)
	}
	return list
}

func (f field) isSection() bool { return f.value.Kind() == reflect.Struct }

// isList is true for a list of sections; a list of texts is a value.
func (f field) isList() bool {
	t := f.value.Type()
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct &&
		!reflect.PointerTo(t.Elem()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// usual is a list entry with default values.
func (f field) usual() reflect.Value {
	switch f.value.Type().Elem() {
	case reflect.TypeFor[Window]():
		return reflect.ValueOf(DefaultWindow(""))
	case reflect.TypeFor[Conversation]():
		return reflect.ValueOf(conversation.DefaultParticular())
	case reflect.TypeFor[Person]():
		return reflect.ValueOf(Person{})
	}
	panic("config: no default entry of " + f.key) // of a new list, so a bug
}

// fill makes a list of n entries in which nothing is set.
func (f field) fill(n int) {
	if n == 0 {
		f.value.SetZero()
		return
	}
	list := reflect.MakeSlice(f.value.Type(), n, n)
	for i := range n {
		list.Index(i).Set(f.usual())
	}
	f.value.Set(list)
}

// cut splits the key at its last point: "windows.0." and "poll".
func (f field) cut() (section, name string) {
	i := strings.LastIndexByte(f.key, '.') + 1
	return f.key[:i], f.key[i:]
}

func (f field) name() string { _, name := f.cut(); return name }

func (f field) oneOf() []string {
	return strings.FieldsFunc(f.tag.Get("oneof"), func(r rune) bool { return r == '|' })
}

// text is the value as a file writes it, and as set reads it.
func (f field) text() string { return textOf(f.value) }

// set sets the value from a text. It returns what is wrong with the text, and then leaves
// the value unchanged. A path is relative to dir.
func (f field) set(text, dir string) string {
	path, wrong := f.resolve(text, dir)
	if wrong != "" {
		return wrong
	}
	v, want := parseValue(f.value.Type(), path)
	if want == "" {
		f.value.Set(v)
		return ""
	}
	if strings.HasSuffix(want, "number") { // for others it has an example
		if want += " from " + f.tag.Get("min") + " to " + f.tag.Get("max"); len(f.oneOf()) > 0 {
			want = "want " + orList(f.oneOf())
		}
	}
	return f.show(text) + ": " + want
}

// resolve makes a path absolute, from dir or from the home after ~/. It leaves other
// texts alone, and the names of layouts.
func (f field) resolve(text, dir string) (path, wrong string) {
	if f.tag.Get("path") == "" || text == "" || f.tag.Get("form") == "layout" && !isLayoutFile(text) {
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
func (f field) show(text string) string {
	if f.tag.Get("secret") != "" {
		return "the value (not shown)"
	}
	return quote(text)
}

// wrong says what is wrong with the value by its tag, "" if nothing is.
func (f field) wrong() string {
	if !isSequence(f.value.Type()) {
		return f.wrongOne(f.value)
	}
	for _, v := range f.value.Seq2() {
		if wrong := f.wrongOne(v); wrong != "" {
			return wrong
		}
	}
	return ""
}

// wrongOne checks the value, or one of a list.
func (f field) wrongOne(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Bool, v.Kind() == reflect.Struct:
		return ""
	case len(f.oneOf()) > 0:
		return wrongChoice(f.text(), f.oneOf())
	case v.Kind() == reflect.String:
		return f.wrongText(v.String())
	}
	lo, hi := f.tag.Get("min"), f.tag.Get("max")
	low, noLow := parseValue(v.Type(), lo)
	high, noHigh := parseValue(v.Type(), hi)
	if noLow+noHigh != "" {
		panic("config: bad bounds of " + f.key) // in a tag, so a bug
	}
	if !inOrder(low, v) || !inOrder(v, high) {
		return fmt.Sprintf("%s: want %s to %s", f.text(), lo, hi)
	}
	return ""
}

// wrongText checks the format of a text. It must fit on one line of a file or a log.
func (f field) wrongText(s string) string {
	form, optional := strings.CutSuffix(f.tag.Get("form"), "?")
	switch {
	case s == "" && isSequence(f.value.Type()):
		return "an empty entry: want one or more characters"
	case !utf8.ValidString(s) || strings.ContainsFunc(s, breaksLine):
		return f.show(s) + ": want one line of text without control characters"
	case f.tag.Get("path") != "" && strings.HasPrefix(s+"/", "~/"):
		return f.show(s) + ": write the whole path"
	case f.tag.Get("secret") != "":
		return secret.Wrong(secret.Kind(f.tag.Get("secret")), s)
	case form == "" || optional && s == "":
		return ""
	}
	return forms[form](s)
}

func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}
