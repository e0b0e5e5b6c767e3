package messages_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// withSecret fills a message and puts the secret into all its Text fields.
func withSecret(t *testing.T, typ reflect.Type) (m messages.Message, texts int) {
	v := reflect.New(typ).Elem()
	fill(t, v, typ.Name())
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch {
		case v.Type() == reflect.TypeFor[messages.Text]():
			v.SetString(messages.Secret)
			texts++
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(v)
	return v.Interface().(messages.Message), texts
}

// verbs leaves out %p, which fmt answers for a value that is no pointer without
// asking the value how it wants to be shown.
var verbs = []string{
	"%v", "%+v", "%#v", "%s", "%+s", "%#s", "%q", "%+q", "%#q", "%d", "%x", "% x", "%X", "%#x", "%t", "%c", "%U", "%o",
	"%b", "%e", "%g", "%T", "%50v", "%-50.20v", "%z", "%!", "%[2]v %[1]v", "extra",
}

func TestNoVerbShowsPrivateText(t *testing.T) {
	private := 0
	for _, e := range events.Core() {
		m, texts := withSecret(t, reflect.TypeOf(e.Zero()))
		if texts == 0 {
			continue
		}
		private++
		pointer := reflect.New(reflect.TypeOf(e.Zero()))
		pointer.Elem().Set(reflect.ValueOf(m))
		for _, verb := range verbs {
			for _, v := range []any{m, pointer.Interface(), []messages.Message{m}, map[string]messages.Message{"k": m},
				struct{ M any }{m}} {
				if form := messages.Leaks(fmt.Sprintf(verb, v)); form != "" {
					t.Errorf("Sprintf(%q, %T of %s) shows private text (%s)", verb, v, e.Type, form)
				}
			}
		}
		for _, s := range []string{fmt.Sprint(m), fmt.Sprintln(m), fmt.Errorf("%w: %v", errors.New("x"), m).Error()} {
			if form := messages.Leaks(s); form != "" {
				t.Errorf("Sprint(%s) = %q shows private text (%s)", e.Type, s, form)
			}
		}
		raw, err := json.Marshal(m)
		if err != nil || e.Durable && messages.Leaks(string(raw)) == "" {
			t.Errorf("Marshal(%s) = %d bytes, %v, want the text itself: the store needs it", e.Type, len(raw), err)
		}
	}
	if private < 6 {
		t.Errorf("%d core types have private text, want at least 6: does this test still find the fields?", private)
	}
}

func TestNoLogShowsPrivateText(t *testing.T) {
	for _, e := range events.Core() {
		m, _ := withSecret(t, reflect.TypeOf(e.Zero()))
		var out bytes.Buffer
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "m", m, slog.Any("n", &m), slog.Group("g", "m", m))
		if form := messages.Leaks(out.String()); form != "" {
			t.Errorf("slog text of %s shows private text (%s)", e.Type, form)
		}
	}
	var out bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("x", "text", messages.Text(messages.Secret),
			slog.Any("any", messages.Text(messages.Secret)), slog.Group("g", "t", messages.Text(messages.Secret)))
	}
	if form := messages.Leaks(out.String()); form != "" {
		t.Errorf("slog of a Text = %q shows it (%s)", out.String(), form)
	}
	if got, want := strings.Count(out.String(), "[16 runes]"), 6; got != want {
		t.Errorf("slog of a Text names its length %d times in %q, want %d", got, out.String(), want)
	}
}

func TestTextString(t *testing.T) {
	for text, want := range map[messages.Text]string{"": "[0 runes]", "はな": "[2 runes]", "\xff": "[1 runes]"} {
		if got := text.String(); got != want {
			t.Errorf("Text(%q).String() = %q, want %q", string(text), got, want)
		}
		if got := fmt.Sprintf("%5.2q", text); got != want {
			t.Errorf("Sprintf(%%5.2q, Text(%q)) = %q, want %q", string(text), got, want)
		}
	}
}
