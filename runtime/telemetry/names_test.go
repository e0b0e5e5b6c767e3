package telemetry

import (
	"bytes"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

func TestNamesOfActors(t *testing.T) {
	plain := names
	plain.Plain = true
	for _, c := range []struct {
		in    messages.Address
		names Names
		want  string
	}{
		{"conversation/line:Hana", names, "conversation/" + hana},
		{"conversation/line:Hana", plain, "conversation/line:Hana"},
		{"conversation/line:Hana", Names{}, "conversation/#"},
		{"fusion/w", names, "fusion/w"},
		{"ocr/12", names, "ocr/12"},
		{"crm/12", names, "crm/#" + hashOf("12")},
		{"ocr/Hana", names, "ocr/#" + hashOf("Hana")},
		{"crm/Hana: the friend", names, "crm/#" + hashOf("Hana: the friend")},
		{"trunk", names, "trunk"},
		{"", names, ""},
	} {
		if got := c.names.Actor(c.in); got != c.want {
			t.Errorf("Actor(%q) = %q, want %q", string(c.in), got, c.want)
		}
	}
}

func hashOf(s string) string {
	return strings.TrimPrefix(Names{Hash: names.Hash}.Hidden(messages.ConversationID(s)), "#")
}

func TestNamesOfConversations(t *testing.T) {
	if got := names.Conversation("line:Hana"); got != hana || names.Hidden("line:Hana") != hana {
		t.Errorf("Conversation(line:Hana) = %q, Hidden = %q, want %q twice", got, names.Hidden("line:Hana"), hana)
	}
	if got := names.Conversation(""); got != "" {
		t.Errorf("Conversation(none) = %q, want nothing", got)
	}
	if got := (Names{}).Hidden("line:Hana"); got != "" {
		t.Errorf("Hidden(line:Hana) without a hash = %q, want nothing: it would be guessed", got)
	}
}

func TestNamesInReasons(t *testing.T) {
	hash := strings.TrimPrefix(hana, "line:")
	for _, c := range []struct{ in, want string }{
		{"row Hana of dedup/line:Hana is broken", "row " + hash + " of dedup/" + hana + " is broken"},
		{"the disk is full", "the disk is full"},
	} {
		if got := names.Reason(c.in, "dedup/line:Hana"); got != c.want {
			t.Errorf("Reason(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := names.Reason("w has no window", "poller/w"); got != "w has no window" {
		t.Errorf("Reason about a window = %q, want it as it was", got)
	}
}

// A short name is a part of many words, and of the places of a stack: those stay. As a
// word of its own it is hidden, and so is what a stack holds beside its places.
func TestShortNamesInReasons(t *testing.T) {
	for _, c := range []struct {
		of       messages.Address
		in, want string
	}{
		{"crm/x", "exit of crm/x: x, box_x and 'x'", "exit of crm/#: x, box_x and '#'"},
		{"crm/a", "panic with a string", "panic with a string"},
		{"crm/x", "xx", "xx"},
		{"crm/\u732b", "\u5b50\u732b\u304c\u3044\u308b", "\u5b50#\u304c\u3044\u308b"},
		{"crm/Hanako Sato", "MrHanako Sato2", "Mr#2"},
		{"crm/line:Al", "all of Al at line:Al", "all of # at line:#"},
	} {
		if got := (Names{Apps: names.Apps}).Reason(c.in, c.of); got != c.want {
			t.Errorf("Reason(%q) of %q = %q, want %q", c.in, string(c.of), got, c.want)
		}
	}
	stack := string(debug.Stack()) + "panic({0x1f3, 0x2?})\n\t/src/own.go:12 +0x1f\nown.(*Actor[...]).Do(...)\n" +
		"\ta.example/own/own.go:9 +0x1f\n" // as with -trimpath
	for _, key := range []string{"x", "0", "go", "runtime", "testing", "telemetry", "TestShortNamesInReasons"} {
		if got := (Names{}).Stack(stack, messages.To("crm", key)); got != stack {
			t.Errorf("Stack() of an actor %q =\n%s\nwant it as it was:\n%s", key, got, stack)
		}
	}
	for _, secret := range []string{"Hana(x)", "Hana.txt", "row Hana", "main.run(Hana)", "goroutine Hana:"} {
		if got := (Names{}).Stack(stack+secret, "crm/Hana"); strings.Contains(got, "Hana") {
			t.Errorf("Stack(%q) shows the name: %s", secret, got[len(stack)-40:])
		}
	}
}

// Every address and conversation of every core message, and every reason, holds
// a name, which must not reach the log.
func TestLogHoldsNoNames(t *testing.T) {
	const name = "Himitsu-Hanako"
	for _, m := range everyEvent() {
		v := reflect.New(reflect.TypeOf(m)).Elem()
		fillNames(v, name, 0)
		var buf bytes.Buffer
		listen := Log(zerolog.New(&buf).Level(zerolog.TraceLevel), names)
		listen(engine.Published{From: "conversation/line:" + name, Trace: "t",
			Message: v.Interface().(messages.Message)})
		if s := buf.String(); strings.Contains(s, name) {
			t.Errorf("Log(%T) writes a name: %s", m, s)
		}
		if buf.Len() == 0 {
			t.Errorf("Log(%T) writes nothing", m)
		}
	}
}

// fillNames puts a name wherever a message may hold one: in addresses, in
// conversations, and in what an error said about an actor.
func fillNames(v reflect.Value, name string, depth int) {
	switch {
	case depth > 8 || !v.CanSet():
	case v.Type() == reflect.TypeFor[messages.Address]():
		v.SetString("conversation/line:" + name)
	case v.Type() == reflect.TypeFor[messages.ConversationID]():
		v.SetString("line:" + name)
	case v.Kind() == reflect.Struct:
		actor := v.FieldByName("Actor").IsValid() || v.FieldByName("Caller").IsValid()
		for i := range v.NumField() {
			f := v.Type().Field(i).Name
			if actor && v.Field(i).Kind() == reflect.String &&
				(f == "Reason" && v.Type() != reflect.TypeFor[events.Verdict]() || f == "Detail" || f == "Stack") {
				v.Field(i).SetString("row " + name + " of conversation/line:" + name)
				continue
			}
			fillNames(v.Field(i), name, depth+1)
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillNames(v.Index(0), name, depth+1)
	}
}

// Wherever a long name stands in a text, and whatever else does, it is hidden.
func FuzzReason(f *testing.F) {
	f.Add("Hana: the friend", "decode ", ": no such row")
	f.Add("線:花子さん", "", "\xff")
	f.Add("::", "#", "#")
	f.Fuzz(func(t *testing.T, name, before, after string) {
		key := "N" + strings.Trim(name, "N") + "-of-someN" // a hash has no N
		for _, kind := range []string{"conversation/", "conversation/line:"} {
			a := messages.Address(kind + key)
			got := names.Reason(before+a.Key()+key+after, a)
			if a.Key() != "" && strings.Contains(got, key) {
				t.Errorf("Reason() = %q, want %q hidden", got, key)
			}
			if stack := names.Stack(before+key+after, a); !names.open(a) && stack == "" {
				t.Errorf("Stack() of %q = nothing", key)
			}
		}
	})
}
