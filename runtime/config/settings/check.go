package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/runtime/secret"
)

// Check finds what the tags say is wrong. The caller adds what it knows itself.
func (t Tree) Check() *Problems {
	p := t.Problems()
	fields := t.Values()
	for _, f := range fields {
		p.Add(f.Key, f.wrong())
	}
	for _, low := range fields {
		if name := low.Tag.Get("atmost"); name != "" {
			section, _ := low.cut()
			high, _ := t.find(section + name)
			t.checkOrder(p, low, high)
		}
	}
	t.checkLists(p, t.Field)
	return p
}

// checkOrder checks a number that may not exceed another. It complains about the one that
// somebody set.
func (t Tree) checkOrder(p *Problems, low, high Field) {
	switch {
	case inOrder(low.value, high.value):
	case t.Origin(high.Key) == (Origin{}):
		p.Add(low.Key, fmt.Sprintf("%s: want at most %s, which is %s", low.Text(), high.Key, high.Text()))
	default:
		p.Add(high.Key, fmt.Sprintf("%s: want at least %s, which is %s", high.Text(), low.Key, low.Text()))
	}
}

func (t Tree) checkLists(p *Problems, f Field) {
	for _, child := range f.Below() {
		if child.IsList() {
			p.Add(child.Key, child.tooMany(child.value.Len()))
		} else if child.IsSection() {
			t.checkLists(p, child)
		}
	}
}

// most is how many entries a list may have; n if its tag says nothing.
func (f Field) most(n int) int {
	if most, err := strconv.Atoi(f.Tag.Get("most")); err == nil {
		return most
	}
	return n
}

func (f Field) tooMany(n int) string {
	if most := f.most(n); n > most {
		return fmt.Sprintf("%d %s: want at most %d", n, f.Name(), most)
	}
	return ""
}

// wrong says what is wrong with the value by its tag, "" if nothing is.
func (f Field) wrong() string {
	if !isSequence(f.Type()) {
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
func (f Field) wrongOne(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Bool, v.Kind() == reflect.Struct:
		return ""
	case len(f.OneOf()) > 0:
		return WrongChoice(f.Text(), f.OneOf())
	case v.Kind() == reflect.String:
		return f.wrongText(v.String())
	}
	lo, hi := f.Tag.Get("min"), f.Tag.Get("max")
	low, noLow := parseValue(v.Type(), lo)
	high, noHigh := parseValue(v.Type(), hi)
	if noLow+noHigh != "" {
		panic("settings: bad bounds of " + f.Key) // in a tag, so a bug
	}
	if !inOrder(low, v) || !inOrder(v, high) {
		return fmt.Sprintf("%s: want %s to %s", f.Text(), lo, hi)
	}
	return ""
}

// wrongText checks the format of a text. It must fit on one line of a file or a log.
func (f Field) wrongText(s string) string {
	form, optional := strings.CutSuffix(f.Tag.Get("form"), "?")
	switch {
	case s == "" && isSequence(f.Type()):
		return "an empty entry: want one or more characters"
	case !utf8.ValidString(s) || strings.ContainsFunc(s, breaksLine):
		return f.show(s) + ": want one line of text without control characters"
	case f.Tag.Get("path") != "" && strings.HasPrefix(s+"/", "~/"):
		return f.show(s) + ": write the whole path"
	case f.Tag.Get("secret") != "":
		return secret.Wrong(secret.Kind(f.Tag.Get("secret")), s)
	case form == "" || optional && s == "":
		return ""
	}
	return f.kind.Forms[form](s)
}

func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// WrongChoice says what is wrong with a value that is none of those allowed.
func WrongChoice(value string, allowed []string) string {
	switch {
	case slices.Contains(allowed, value):
		return ""
	case len(allowed) == 0:
		return text.Quote(value) + ": there is none to choose from here"
	}
	return text.Quote(value) + ": want " + OrList(allowed) + DidYouMean(value, allowed)
}

// OrList is "a, b or c".
func OrList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// DidYouMean returns ": did you mean X?" or "", as the end of a sentence.
func DidYouMean(word string, known []string) string {
	if near := text.Nearest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}
