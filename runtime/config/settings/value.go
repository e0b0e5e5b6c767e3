package settings

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/text"
)

// parseValue reads a value of a type. It says what is wrong with the text, and what is
// wanted: "" is nothing. A text that reads itself says that in its error.
func parseValue(t reflect.Type, s string) (v reflect.Value, want string) {
	v = reflect.New(t).Elem()
	var err error
	switch p := v.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		if err := p.UnmarshalText([]byte(s)); err != nil {
			return v, err.Error()
		}
	case *time.Duration:
		want = "want a duration such as 1.5s, 250ms or 720h"
		*p, err = time.ParseDuration(s)
	case *int:
		want = "want a whole number"
		*p, err = strconv.Atoi(s)
	case *float64:
		want = "want a number"
		*p, err = strconv.ParseFloat(s, 64)
	case *bool:
		want = "want true or false"
		if *p = s == "true"; !*p && s != "false" {
			err = strconv.ErrSyntax
		}
	default:
		if isSequence(t) {
			return parseSequence(t, s)
		}
		v.SetString(s) // the other types are strings
	}
	if err != nil {
		return v, want
	}
	return v, ""
}

// parseSequence reads what JSON calls a list, and "a, b"; a pair of numbers also as
// "480x720".
func parseSequence(t reflect.Type, s string) (v reflect.Value, want string) {
	v = reflect.New(t).Elem()
	want = `want a list such as ["line:Hana", "line:Ken"], or line:Hana, line:Ken`
	if t.Kind() == reflect.Array {
		want = "want width and height such as [480, 720]"
		s = strings.Replace(s, "x", ",", 1)
	}
	var parts []string
	if s = strings.TrimSpace(s); strings.HasPrefix(s, "[") {
		var list []any
		d := json.NewDecoder(strings.NewReader(s))
		if d.UseNumber(); d.Decode(&list) != nil || d.More() {
			return v, want
		}
		for _, one := range list {
			parts = append(parts, fmt.Sprint(one))
		}
	} else {
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	}
	if t.Kind() == reflect.Array && len(parts) != t.Len() {
		return v, want
	}
	for i, part := range parts {
		one, wrong := parseValue(t.Elem(), part)
		switch {
		case wrong != "" && t.Kind() == reflect.Array:
			return v, want
		case wrong != "":
			return v, wrong
		case t.Kind() == reflect.Array:
			v.Index(i).Set(one)
		default:
			v.Set(reflect.Append(v, one))
		}
	}
	return v, ""
}

func isSequence(t reflect.Type) bool { return t.Kind() == reflect.Array || t.Kind() == reflect.Slice }

// textOf writes a value as parseValue reads it, and YAML.
func textOf(v reflect.Value) string {
	if isSequence(v.Type()) {
		parts := make([]string, v.Len())
		for i, e := range v.Seq2() {
			if parts[i.Int()] = textOf(e); e.Kind() != reflect.Int {
				parts[i.Int()] = quoteJSON(parts[i.Int()])
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	switch v := v.Interface().(type) {
	case time.Duration:
		return text.Duration(v)
	case encoding.TextMarshaler:
		out, _ := v.MarshalText() // those of a configuration never fail
		return string(out)
	default:
		return fmt.Sprint(v)
	}
}

func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always can be
	return strings.TrimSuffix(b.String(), "\n")
}

// inOrder reports a <= b of two numbers of one type. NaN is in no order.
func inOrder(a, b reflect.Value) bool {
	if a.CanInt() {
		return a.Int() <= b.Int()
	}
	return a.Float() <= b.Float()
}
