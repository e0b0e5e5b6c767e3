package config

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parseValue reads a value of a type; want says what texts of such values are.
func parseValue(t reflect.Type, text string) (v reflect.Value, want string, err error) {
	v = reflect.New(t).Elem()
	switch p := v.Addr().Interface().(type) {
	case *time.Duration:
		want = "a duration such as 1.5s, 250ms or 720h"
		*p, err = time.ParseDuration(text)
	case *Size:
		want = "a size such as 128MiB or 2GiB"
		*p, err = parseSize(text)
	case *int:
		want = "a whole number"
		*p, err = strconv.Atoi(text)
	case *float64:
		want = "a number"
		*p, err = strconv.ParseFloat(text, 64)
	case *bool:
		want = "true or false"
		if *p = text == "true"; !*p && text != "false" {
			err = strconv.ErrSyntax
		}
	case *[2]int:
		want = "width and height such as [480, 720]"
		err = parsePair(text, p)
	case *[]string:
		want = `a list such as ["line:Hana", "line:Ken"], or line:Hana, line:Ken`
		*p, err = parseList(text)
	default: // the other types are strings
		v.SetString(text)
	}
	return v, want, err
}

// parsePair reads "[480, 720]", "480, 720" and "480x720".
func parsePair(text string, pair *[2]int) error {
	if !strings.HasPrefix(text, "[") {
		text = "[" + strings.Replace(text, "x", ",", 1) + "]"
	}
	var list []int
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) != len(pair) {
		return strconv.ErrSyntax
	}
	*pair = [2]int(list)
	return nil
}

// parseList reads what JSON calls a list of strings, and "a, b".
func parseList(text string) (list []string, err error) {
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "[") {
		if err = json.Unmarshal([]byte(text), &list); len(list) == 0 {
			list = nil
		}
		return list, err
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list, nil
}

func isSequence(t reflect.Type) bool { return t.Kind() == reflect.Array || t.Kind() == reflect.Slice }

// textOf writes a value as parseValue reads it, and YAML.
func textOf(v reflect.Value) string {
	if isSequence(v.Type()) {
		parts := make([]string, v.Len())
		for i, e := range v.Seq2() {
			parts[i.Int()] = textOf(e)
			if e.Kind() == reflect.String {
				parts[i.Int()] = quoteJSON(e.String())
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if d, ok := v.Interface().(time.Duration); ok {
		return durationText(d)
	}
	return fmt.Sprint(v.Interface())
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
type Size int64

// The largest unit comes first. Powers of 1000 are read but not written.
var sizeUnits = [...]struct {
	name  string
	bytes Size
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3},
}

var sizeForm = regexp.MustCompile(`^([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([A-Za-z]+)$`)

// String returns the exact number in the largest fitting unit.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s >= u.bytes && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

func parseSize(text string) (Size, error) {
	m := sizeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, strconv.ErrSyntax
	}
	for _, u := range sizeUnits {
		if u.name != m[2] {
			continue
		}
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && n <= math.MaxInt64/int64(u.bytes) {
			return Size(n) * u.bytes, nil
		}
		if x, err := strconv.ParseFloat(m[1], 64); err == nil && x*float64(u.bytes) < math.MaxInt64 {
			return Size(x * float64(u.bytes)), nil
		}
		return 0, strconv.ErrRange
	}
	return 0, strconv.ErrSyntax
}

// quote shows a value of any length in an error.
func quote(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return strconv.Quote(s)
}
