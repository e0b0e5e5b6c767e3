package config

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// durationText is the shortest form that [time.ParseDuration] reads: "720h".
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Size is a number of bytes, written "128MiB" in a configuration.
type Size uint64

// The largest unit comes first. Powers of 1000 are read but not written.
var sizeUnits = [...]struct {
	name  string
	bytes uint64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3}, {"B", 1},
}

var sizeForm = regexp.MustCompile(`^([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([A-Za-z]+)$`)

// String returns the exact number in the largest fitting unit.
func (s Size) String() string {
	for _, u := range sizeUnits[:4] {
		if n := uint64(s); n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatUint(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatUint(uint64(s), 10) + "B"
}

func parseSize(text string) (Size, bool) {
	m := sizeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	for _, u := range sizeUnits {
		if u.name != m[2] {
			continue
		}
		if n, err := strconv.ParseUint(m[1], 10, 64); err == nil {
			if n > math.MaxInt64/u.bytes {
				return 0, false
			}
			return Size(n * u.bytes), true
		}
		f, err := strconv.ParseFloat(m[1], 64)
		if f *= float64(u.bytes); err != nil || f >= math.MaxInt64 {
			return 0, false
		}
		return Size(f), true
	}
	return 0, false
}

// field is one value of a configuration.
type field struct {
	key   string // "windows.0.poll"
	doc   string // "config.Window.Poll", the key of comments
	value reflect.Value
	tag   reflect.StructTag
}

// fieldsOf are the fields of a struct, with those of embedded structs in their
// place. Fields that no key sets are left out.
func fieldsOf(v reflect.Value, prefix string) (list []field) {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		key := sf.Tag.Get("yaml")
		switch {
		case key == "" || key == "-":
		case key == ",inline":
			list = append(list, fieldsOf(v.Field(i), prefix)...)
		default:
			list = append(list, field{prefix + key, v.Type().String() + "." + sf.Name, v.Field(i), sf.Tag})
		}
	}
	return list
}

// fields lists every value in the order of the structs.
func (c *Config) fields() []field { return appendFields(nil, "", reflect.ValueOf(c).Elem()) }

func appendFields(list []field, prefix string, v reflect.Value) []field {
	for _, f := range fieldsOf(v, prefix) {
		switch {
		case f.isSection():
			list = appendFields(list, f.key+".", f.value)
		case f.isList():
			for i := range f.value.Len() {
				list = appendFields(list, fmt.Sprintf("%s.%d.", f.key, i), f.value.Index(i))
			}
		default:
			list = append(list, f)
		}
	}
	return list
}

func (f field) isSection() bool { return f.value.Kind() == reflect.Struct }

// isList holds for a list of sections; a list of texts is a value.
func (f field) isList() bool {
	return f.value.Kind() == reflect.Slice && f.value.Type().Elem().Kind() == reflect.Struct
}

func (f field) name() string { return f.key[strings.LastIndexByte(f.key, '.')+1:] }

func (f field) secret() bool { return f.tag.Get("secret") != "" }

func (f field) oneOf() []string {
	if f.tag.Get("oneof") == "" {
		return nil
	}
	return strings.Split(f.tag.Get("oneof"), "|")
}

// text returns the value as setText reads it.
func (f field) text() string {
	switch v := f.value.Interface().(type) {
	case [2]int:
		return fmt.Sprintf("[%d, %d]", v[0], v[1])
	case []string:
		return listText(v)
	case time.Duration:
		return durationText(v)
	default:
		return fmt.Sprint(v)
	}
}

// setText sets the value from a text. It returns what is wrong and then leaves
// the value as it is. Bounds are checked by checkField.
func (f field) setText(text string) string {
	switch f.value.Interface().(type) {
	case time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return f.show(text) + ": want a duration such as 1.5s, 250ms or 720h"
		}
		f.value.SetInt(int64(d))
	case Size:
		n, ok := parseSize(text)
		if !ok {
			return f.show(text) + ": want a size such as 128MiB or 2GiB"
		}
		f.value.SetUint(uint64(n))
	case int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return f.show(text) + ": want a whole number" + f.allowed()
		}
		f.value.SetInt(int64(n))
	case float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return f.show(text) + ": want a number" + f.allowed()
		}
		f.value.SetFloat(x)
	case bool:
		if text != "true" && text != "false" {
			return f.show(text) + ": want true or false"
		}
		f.value.SetBool(text == "true")
	case [2]int:
		pair, ok := parsePair(text)
		if !ok {
			return f.show(text) + ": want width and height such as [480, 720]"
		}
		f.value.Set(reflect.ValueOf(pair))
	case []string:
		list, ok := parseList(text)
		if !ok {
			return f.show(text) + `: want a list such as ["line:Hana", "line:Ken"], or line:Hana, line:Ken`
		}
		f.value.Set(reflect.ValueOf(list))
	default: // strings; the other kinds have no field
		f.value.SetString(text)
	}
	return ""
}

// listText writes a list of strings in a form that YAML and parseList read.
func listText(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(s) // a string always can be
		quoted[i] = strings.TrimSuffix(b.String(), "\n")
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// parseList reads what JSON calls a list of strings, and "a, b".
func parseList(text string) (list []string, ok bool) {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		if ok = json.Unmarshal([]byte(text), &list) == nil; len(list) == 0 {
			list = nil
		}
		return list, ok
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list, true
}

// parsePair reads "[480, 720]", "480, 720" and "480x720".
func parsePair(text string) (pair [2]int, ok bool) {
	if inner, open := strings.CutPrefix(text, "["); open {
		if text, ok = strings.CutSuffix(inner, "]"); !ok {
			return pair, false
		}
	}
	w, h, ok := strings.Cut(text, ",")
	if !ok {
		w, h, ok = strings.Cut(text, "x")
	}
	if !ok {
		return pair, false
	}
	var errW, errH error
	pair[0], errW = strconv.Atoi(strings.TrimSpace(w))
	pair[1], errH = strconv.Atoi(strings.TrimSpace(h))
	return pair, errW == nil && errH == nil
}

// setPath is setText with a path counted from a folder, and ~/ from the home.
func (f field) setPath(text, dir, home string) string {
	if name := f.tag.Get("path") == "layout" && !isLayoutFile(text); f.tag.Get("path") != "" && text != "" && !name {
		rest, inHome := strings.CutPrefix(text, "~/")
		switch {
		case text == "~" || inHome:
			if home == "" {
				return f.show(text) + ": this machine tells no home folder: write the whole path"
			}
			text = filepath.Join(home, rest)
		case !filepath.IsAbs(text):
			text = filepath.Join(dir, text)
		}
	}
	return f.setText(text)
}

// allowed says what else a value must be, as the tail of a sentence.
func (f field) allowed() string {
	lo, hi := f.tag.Get("min"), f.tag.Get("max")
	switch {
	case len(f.oneOf()) > 0:
		return ": " + orList(f.oneOf())
	case lo != "":
		return " from " + lo + " to " + hi
	}
	return ""
}

// show quotes a value unless it may be secret.
func (f field) show(text string) string {
	if f.secret() {
		return "the value (not shown)"
	}
	return quote(text)
}

// checkField checks one value against its tag.
func checkField(f field) string {
	switch v := f.value.Interface().(type) {
	case int:
		if len(f.oneOf()) == 0 {
			return f.checkRange(int64(v), f.text())
		}
	case float64:
		return f.checkFloat(v)
	case time.Duration:
		return f.checkRange(int64(v), f.text())
	case Size:
		return f.checkRange(int64(min(v, math.MaxInt64)), f.text())
	case [2]int:
		for _, n := range v {
			if wrong := f.checkRange(int64(n), f.text()); wrong != "" {
				return wrong
			}
		}
	case []string:
		for _, s := range v {
			if s == "" {
				return "an empty entry: want one or more characters"
			}
			if wrong := f.checkString(s); wrong != "" {
				return wrong
			}
		}
	}
	if len(f.oneOf()) > 0 {
		return checkOneOfOrdered(f.text(), f.oneOf())
	}
	if f.value.Kind() == reflect.String {
		return f.checkString(f.value.String())
	}
	return ""
}

// checkOneOfOrdered names the allowed values in their own order.
func checkOneOfOrdered(value string, allowed []string) string {
	for _, a := range allowed {
		if a == value {
			return ""
		}
	}
	return quote(value) + ": want " + orList(allowed) + didYouMean(value, allowed)
}

func (f field) checkRange(n int64, text string) string {
	lo, hi := f.tag.Get("min"), f.tag.Get("max")
	if n < bound(f, lo) || n > bound(f, hi) {
		return fmt.Sprintf("%s: want %s to %s", text, lo, hi)
	}
	return ""
}

// checkFloat is checkRange for numbers with a point. NaN is in no range.
func (f field) checkFloat(x float64) string {
	lo, errLo := strconv.ParseFloat(f.tag.Get("min"), 64)
	hi, errHi := strconv.ParseFloat(f.tag.Get("max"), 64)
	if errLo != nil || errHi != nil {
		panic("config: bad bounds of " + f.doc) // a tag in config.go, so a bug
	}
	if !(x >= lo && x <= hi) {
		return fmt.Sprintf("%s: want %s to %s", f.text(), f.tag.Get("min"), f.tag.Get("max"))
	}
	return ""
}

// bound reads a bound in a tag, in the form of the field's own values.
func bound(f field, text string) int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, ok := parseSize(text); ok {
		return int64(n)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic("config: bad bound of " + f.doc + ": " + text) // a tag in config.go, so a bug
	}
	return int64(d)
}

// checkString refuses what cannot stand on one line of a file or a log.
func (f field) checkString(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s,
		func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' }) {
		return f.show(s) + ": want one line of text without control characters"
	}
	if f.tag.Get("path") != "" && (s == "~" || strings.HasPrefix(s, "~/")) {
		return f.show(s) + ": write the whole path"
	}
	return ""
}

// quote shows a value of any length in an error.
func quote(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return strconv.Quote(s)
}
