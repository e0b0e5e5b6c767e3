package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// TestReading: what came out of a message is exact, near, garbled or a part of it.
func TestReading(t *testing.T) {
	tall := strings.Repeat("All work and no play. ", 40)
	none := delivered{conversation: "A", sender: "A", kind: messages.KindUnreadable}
	text := func(s string, partial bool) delivered {
		return delivered{conversation: "A", sender: "A", kind: messages.KindText, text: s, partial: partial}
	}
	for _, c := range []struct {
		name    string
		said    string
		partial bool // no capture showed all of it
		heard   delivered
		want    Counts
	}{
		{"exact", "12:30 OK", false, text("12:30 OK", false), Counts{Exact: 1, Letters: 7}},
		{"broken lines", "see you", false, text("see\nyou", false), Counts{Exact: 1, Letters: 6}},
		{"another case", "see you", false, text("See you", false), Counts{Near: 1, Letters: 6, Wrong: 1}},
		{"one in five", "12345", false, text("12845", false), Counts{Near: 1, Letters: 5, Wrong: 1}},
		{"one in four", "1234", false, text("1284", false), Counts{Garbled: 1, Letters: 4, Wrong: 1}},
		{"a picture that is no text", "👍", false, none, Counts{Garbled: 1, Letters: 1, Wrong: 1}},
		{"a part", tall, true, text(tall[220:440], true), Counts{Partial: 1}},
		{"a part, misread", tall, true, text(strings.ReplaceAll(tall[220:440], "w", "v"), true), Counts{Partial: 1}},
		{"a part as if it were the whole", tall, true, text(tall[:660], false),
			Counts{Garbled: 1, Letters: 680, Wrong: 170}},
		{"a part although all was shown", tall, false, text(tall[:440], true),
			Counts{Garbled: 1, Letters: 680, Wrong: 340}},
		{"all of it, in the end", tall, true, text(tall, true), Counts{Exact: 1, Letters: 680}},
	} {
		m := said{conversation: "A", kind: messages.KindText, texts: []string{c.said}, partial: c.partial}
		c.want.Expected, c.want.Delivered = 1, 1
		if got, problems := score([]said{m}, []delivered{c.heard}, nil, nil); got != c.want {
			t.Errorf("%s: score() = %+v %v, want %+v", c.name, got, problems, c.want)
		}
	}
}

// TestScoreTakenForSent: what never became a message because Kehai had sent the same is a
// false echo, not only missed.
func TestScoreTakenForSent(t *testing.T) {
	got, _ := score(saidWords("hello morning fine"), deliveredWords("hello fine"), nil, deliveredWords("morning"))
	got = got.found()
	if want := (Counts{Expected: 3, Delivered: 2, Missed: 1, FalseEcho: 1}); got != want {
		t.Errorf("score() = %+v, want %+v", got, want)
	}
	got, _ = score(saidWords("hello fine"), deliveredWords("hello fine"), nil, deliveredWords("morning"))
	got = got.found()
	if want := (Counts{Expected: 2, Delivered: 2}); got != want {
		t.Errorf("score() of an own bubble on the wrong side = %+v, want %+v", got, want)
	}
}

// TestScoreNames: a misread name is no other person, but a person that became two is.
func TestScoreNames(t *testing.T) {
	in := func(id, name string, texts ...string) (out []delivered) {
		for _, s := range texts {
			out = append(out, delivered{id: messages.ConversationID(id), conversation: name, sender: name,
				kind: messages.KindText, text: s})
		}
		return out
	}
	of := func(name string, texts ...string) (out []said) {
		for _, s := range texts {
			out = append(out, said{conversation: name, kind: messages.KindText, texts: []string{s}})
		}
		return out
	}
	for _, c := range []struct {
		what string
		said []said
		got  []delivered
		want Counts
	}{
		{"misread", of("Oliver", "one", "two"), in("1", "0liver", "one", "two"),
			Counts{Expected: 2, Delivered: 2, Misnamed: 2}},
		{"split", of("Oliver", "one", "two", "three"),
			append(in("1", "0liver", "one", "two"), in("2", "OIiver", "three")...),
			Counts{Expected: 3, Delivered: 3, Misnamed: 2, Misattributed: 1}},
		{"as somebody else", slices.Concat(of("Hana", "one"), of("Hama", "two")),
			slices.Concat(in("1", "Hama", "one", "two")), Counts{Expected: 2, Delivered: 2, Misattributed: 1}},
		{"as nobody", of("Oliver", "one"), in("1", "Unread", "one"),
			Counts{Expected: 1, Delivered: 1, Misattributed: 1}},
	} {
		got, problems := score(c.said, c.got, nil, nil)
		misnamed := got.Misnamed
		got = got.found()
		got.Misnamed = misnamed
		if got != c.want {
			t.Errorf("%s: score() = %+v %v, want %+v", c.what, got, problems, c.want)
		}
	}
}
