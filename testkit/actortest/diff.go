package actortest

import (
	"encoding/json"
	"fmt"
	"image"
	"reflect"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// maxShown is how much of a value a failure shows, in bytes.
const maxShown = 600

// text shows an element of a list that was compared.
func text(v any) string {
	if m, ok := v.(messages.Message); ok {
		return show(m)
	}
	return fmt.Sprint(v)
}

// show writes a message with its stable name. Text is not redacted: a test's
// words are its own.
func show(m messages.Message) string {
	if m == nil {
		return "no message"
	}
	if reflect.ValueOf(m).Kind() == reflect.Struct && reflect.TypeOf(m).NumField() == 0 {
		return m.MessageType().Name
	}
	return m.MessageType().Name + " " + plain(m)
}

func plain(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	if len(raw) > maxShown {
		return strings.ToValidUTF8(string(raw[:maxShown]), "") + fmt.Sprintf("… (%d bytes)", len(raw))
	}
	return string(raw)
}

// diff names the first difference between two messages, "" if there is none.
// Times are equal if they are the same instant, nil is equal to empty.
func diff(got, want messages.Message) string {
	return diffValue("", reflect.ValueOf(got), reflect.ValueOf(want))
}

func diffValue(path string, got, want reflect.Value) string {
	switch {
	case got.IsValid() != want.IsValid():
		return fmt.Sprintf("%s: one is nil", name(path))
	case !got.IsValid():
		return ""
	case got.Type() != want.Type():
		return fmt.Sprintf("%s: %s, want %s", name(path), got.Type(), want.Type())
	}
	if got.CanInterface() {
		if g, ok := got.Interface().(time.Time); ok {
			if w := want.Interface().(time.Time); !g.Equal(w) {
				return fmt.Sprintf("%s: %s, want %s", name(path), g, w)
			}
			return ""
		}
		if _, ok := got.Interface().(*image.RGBA); ok {
			if !reflect.DeepEqual(got.Interface(), want.Interface()) {
				return fmt.Sprintf("%s: another image", name(path))
			}
			return ""
		}
	}
	switch got.Kind() {
	case reflect.Struct:
		for i := range got.NumField() {
			if d := diffValue(path+"."+got.Type().Field(i).Name, got.Field(i), want.Field(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		return diffList(path, got, want)
	case reflect.Map:
		return diffMap(path, got, want)
	case reflect.Pointer, reflect.Interface:
		if got.IsNil() || want.IsNil() {
			if got.IsNil() != want.IsNil() {
				return fmt.Sprintf("%s: one is nil", name(path))
			}
			return ""
		}
		return diffValue(path, got.Elem(), want.Elem())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if got.IsNil() && want.IsNil() {
			return ""
		}
		return fmt.Sprintf("%s: a %s cannot be in a message", name(path), got.Kind())
	}
	if !got.Equal(want) {
		return fmt.Sprintf("%s: %s, want %s", name(path), leaf(got), leaf(want))
	}
	return ""
}

func diffList(path string, got, want reflect.Value) string {
	for i := range min(got.Len(), want.Len()) {
		if d := diffValue(fmt.Sprintf("%s[%d]", path, i), got.Index(i), want.Index(i)); d != "" {
			return d
		}
	}
	if got.Len() != want.Len() {
		return fmt.Sprintf("%s: %d elements, want %d", name(path), got.Len(), want.Len())
	}
	return ""
}

func diffMap(path string, got, want reflect.Value) string {
	for _, k := range got.MapKeys() {
		if !want.MapIndex(k).IsValid() {
			return fmt.Sprintf("%s: unwanted key %v", name(path), leaf(k))
		}
		if d := diffValue(fmt.Sprintf("%s[%s]", path, leaf(k)), got.MapIndex(k), want.MapIndex(k)); d != "" {
			return d
		}
	}
	for _, k := range want.MapKeys() {
		if !got.MapIndex(k).IsValid() {
			return fmt.Sprintf("%s: missing key %v", name(path), leaf(k))
		}
	}
	return ""
}

func name(path string) string {
	if path == "" {
		return "the value"
	}
	return path
}

// leaf shows a value without the methods of its type, so that Text can be read.
func leaf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Bool:
		return fmt.Sprint(v.Bool())
	case reflect.Float32, reflect.Float64:
		return fmt.Sprint(v.Float())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(v.Uint())
	}
	return fmt.Sprintf("%v", v)
}
