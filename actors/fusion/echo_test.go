package fusion

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// bubbles makes bubbles of words: ">xx" own, "<xx" the other side's, "?xx" neither.
// Keys follow from the words, sides left out.
func bubbles(words string) []messages.Bubble {
	var out []messages.Bubble
	for _, w := range strings.Fields(words) {
		side := map[byte]messages.Side{'>': messages.SideOwn, '<': messages.SideIncoming,
			'?': messages.SideNeither}[w[0]]
		b := read("", w[1:]).Bubbles[0]
		b.Side = side
		out = append(out, b)
	}
	return out
}

func words(list []messages.Bubble) string {
	var out []string
	for _, b := range list {
		mark := map[messages.Side]string{messages.SideOwn: ">", messages.SideIncoming: "<",
			messages.SideNeither: "?"}[b.Side]
		out = append(out, mark+string(b.Text))
	}
	return strings.Join(out, " ")
}

// TestSides: "hello" was sent at noon.
func TestSides(t *testing.T) {
	for _, c := range []struct {
		name   string
		before string
		views  []string
		want   []string
		after  time.Duration // of the first view; the others follow at once
		echoes int
	}{
		{name: "own side", before: "<hi", views: []string{"<hi >hello"}, want: []string{"<hi >hello"}},
		{name: "a returned greeting", before: "<hi", views: []string{"<hi >hello", "<hi >hello <hello"},
			want: []string{"<hi >hello", "<hi >hello <hello"}},
		{name: "a returned greeting in the same view", before: "<hi", views: []string{"<hi >hello <hello"},
			want: []string{"<hi >hello <hello"}},
		{name: "a greeting before the sending", before: "<hello", views: []string{"<hello", "<hello >hello"},
			want: []string{"<hello", "<hello >hello"}},
		{name: "without a side", before: "?hi", views: []string{"?hi ?hello", "?hello ?xx"},
			want: []string{"?hi >hello", ">hello ?xx"}, echoes: 1},
		{name: "all sides fail", before: "<hi", views: []string{"<hi <hello", "<hi <hello <xx"},
			want: []string{"<hi >hello", "<hi >hello <xx"}, echoes: 1},
		{name: "all sides fail, returned greeting", before: "<hi", views: []string{"<hi <hello", "<hi <hello <hello"},
			want: []string{"<hi >hello", "<hi >hello <hello"}, echoes: 1},
		{name: "own side works: the friend's", before: ">hi", views: []string{">hi <hello"},
			want: []string{">hi <hello"}},
		{name: "all sides fail, after a claim", before: "<hi", views: []string{"<hi <hello", "<hello <xx <hello"},
			want: []string{"<hi >hello", ">hello <xx <hello"}, echoes: 1},
		{name: "last moment", before: "<hi", views: []string{"<hi <hello"}, want: []string{"<hi >hello"},
			after: 120*time.Second - 1, echoes: 1},
		{name: "too late", before: "<hi", views: []string{"<hi <hello"}, want: []string{"<hi <hello"},
			after: 120 * time.Second},
		{name: "recorded late", before: "<hi", views: []string{"<hi <hello"}, want: []string{"<hi >hello"},
			after: -120*time.Second + 1, echoes: 1},
		{name: "recorded too late", before: "<hi", views: []string{"<hi <hello"}, want: []string{"<hi <hello"},
			after: -120 * time.Second},
		{name: "without a side, too late", before: "<hi", views: []string{"<hi ?hello"}, want: []string{"<hi ?hello"},
			after: 120 * time.Second},
		{name: "claimed for longer", before: "<hi", views: []string{"<hi <hello", "<hi <hello", "<hello <hello"},
			want: []string{"<hi >hello", "<hi >hello", ">hello <hello"}, echoes: 1},
	} {
		e := &Echoes{}
		e.Sending(standard, Send{Conversation: "c", Text: "hello", Trace: "t", At: noon, Entered: true})
		before, echoes := viewOf("c", bubbles(c.before)), 0
		for i, v := range c.views {
			in := bubbles(v)
			if c.after == 0 {
				c.after = ownLate
			}
			out, _, found, changed, doubt := e.Sides(standard, "c", noon.Add(c.after), before, in)
			if doubt {
				t.Errorf("%s: Sides(%s) is in doubt %v after the sending", c.name, v, c.after)
			}
			if got := words(out); got != c.want[i] {
				t.Errorf("%s: Sides(%s) = %s, want %s", c.name, v, got, c.want[i])
			}
			if words(in) != v {
				t.Errorf("%s: Sides changed what it was given to %s", c.name, words(in))
			}
			if len(found) > 0 && (!changed || found[0].Trace != "t" || found[0].Match != "equal" ||
				found[0].Age != c.after) {
				t.Errorf("%s: Sides(%s) found %+v, changed %v, want the sending t, %v ago", c.name, v,
					found[0], changed, c.after)
			}
			echoes += len(found)
			before = viewOf("c", out)
			if i == 1 {
				c.after += 10 * time.Minute // a claim outlives its sending
			}
		}
		if echoes != c.echoes {
			t.Errorf("%s: %d echoes, want %d", c.name, echoes, c.echoes)
		}
	}
}

// TestSidesWait: what a friend says may be what is just being sent. Until the own bubble
// had time to appear, nothing is decided; once it is there, the other one is the friend's.
func TestSidesWait(t *testing.T) {
	e := &Echoes{}
	e.Sending(standard, Send{Conversation: "c", Text: "hello", Trace: "t", At: noon, Entered: true})
	before := viewOf("c", bubbles("<hi"))
	for _, after := range []time.Duration{0, ownLate - 1} {
		out, _, found, _, doubt := e.Sides(standard, "c", noon.Add(after), before, bubbles("<hi <hello"))
		if !doubt || len(found) > 0 || words(out) != "<hi <hello" {
			t.Errorf("Sides() %v after the sending = %s, doubt %v, want it to wait", after, words(out), doubt)
		}
	}
	out, _, found, _, doubt := e.Sides(standard, "c", noon.Add(time.Second), before, bubbles("<hi <hello >hello"))
	if doubt || len(found) > 0 || words(out) != "<hi <hello >hello" {
		t.Errorf("Sides() with the own bubble = %s, doubt %v, want the first to be the friend's", words(out), doubt)
	}
}

// TestSidesClaimOneByOne: if a view's own bubbles are only claimed ones, they
// prove nothing about the others.
func TestSidesClaimOneByOne(t *testing.T) {
	e, before := &Echoes{}, viewOf("c", bubbles("<hi"))
	view := "<hi"
	for i, word := range []string{"hello", "again", "third"} {
		at := noon.Add(time.Duration(i) * time.Minute)
		e.Sending(standard, Send{Conversation: "c", Text: messages.Text(word), At: at, Entered: true})
		view += " <" + word
		claimed, _ := e.Claimed("c", bubbles(view))
		out, _, found, _, _ := e.Sides(standard, "c", at.Add(ownLate), before, claimed)
		if len(found) != 1 || out[len(out)-1].Side != messages.SideOwn {
			t.Errorf("Sides(%s) = %s with %d echoes, want the last one an own one", view, words(out), len(found))
		}
		before = viewOf("c", out)
	}
}

func TestSidesOfAnotherConversation(t *testing.T) {
	e := &Echoes{}
	e.Sending(standard, Send{Conversation: "other", Text: "hello", At: noon})
	if out, sided, found, learnt, _ := e.Sides(standard, "c", noon, View{},
		bubbles("<hello ?hello")); words(out) != "<hello ?hello" || sided || found != nil || learnt {
		t.Errorf("Sides = %s, %d echoes, want it unchanged", words(out), len(found))
	}
}

func TestEchoText(t *testing.T) {
	for _, c := range []struct {
		sent, read string
		age        time.Duration
		match      string
	}{
		{"はい", "はい", 0, "equal"},
		{"は", "は", 0, ""},
		{"はい", "はい", 120*time.Second - 1, "equal"},
		{"はい", "はい", 120 * time.Second, ""},
		{"はい", "はい", -time.Second, "equal"},
		{"明日の会議は十時から", "え、明日の会議は十時から？", 0, "contains"},
		{"明日の会議は十時から", "明日の会議は十時からだよねと言われたけど", 0, ""},
		{"明日の会議は十時から", "明日の会議は十時か", 0, "contained"},
		{"明日の会議は十時から\n場所は三階の会議室です", "明日の会議は十時から\n夕飯はカレーが食べたい\n場所は三階の会議室です", 0, "lines"},
	} {
		e := &Echoes{}
		e.Sending(standard, Send{Conversation: "c", Text: "別の話", Trace: "x", At: noon.Add(-time.Second), Entered: true})
		e.Sending(standard, Send{Conversation: "c", Text: messages.Text(c.sent), Trace: "t", At: noon, Entered: true})
		got, ok := e.Text(standard, "c", messages.Text(c.read), noon.Add(c.age))
		if string(got.Match) != c.match || ok != (c.match != "") || ok && got.Trace != "t" {
			t.Errorf("Text(%q) with %q sent %v ago = %q of %q, want %q", c.read, c.sent, c.age,
				got.Match, got.Trace, c.match)
		}
	}
}

func TestSendingIsBounded(t *testing.T) {
	e := &Echoes{}
	for i := range 3 * maxSends {
		e.Sending(standard, Send{Conversation: "c", Text: messages.Text(fmt.Sprint("text ", i)), Trace: "t", At: noon,
			Entered: true})
	}
	if len(e.Sends) != maxSends || e.Sends[0].Text != messages.Text(fmt.Sprint("text ", 2*maxSends)) {
		t.Errorf("%d sends are kept, want the last %d", len(e.Sends), maxSends)
	}
	e.Sending(standard, Send{Conversation: "c", Text: "text 191", Trace: "t", At: noon.Add(time.Minute), Entered: true})
	if last := e.Sends[len(e.Sends)-1]; len(e.Sends) != maxSends || last.At != noon.Add(time.Minute) {
		t.Errorf("another attempt: %d sends, the last at %v, want %d and the later time",
			len(e.Sends), last.At, maxSends)
	}
	e.Sending(standard, Send{Conversation: "c", Text: "new", At: noon.Add(120 * time.Second), Entered: true})
	if len(e.Sends) != 2 {
		t.Errorf("%d sends are kept after the window, want 2", len(e.Sends))
	}
}

// TestSidesOfWhatWasNotEntered: what was typed and cleared again is nowhere, so who says the same is a friend.
func TestSidesOfWhatWasNotEntered(t *testing.T) {
	e := &Echoes{}
	sent := Send{Conversation: "c", Text: "hello", Trace: "t", At: noon}
	for _, entered := range []bool{false, true, false} { // announced, Enter, refused
		sent.Entered = entered
		e.Sending(standard, sent)
	}
	out, _, found, _, doubt := e.Sides(standard, "c", noon.Add(ownLate), viewOf("c", bubbles("<hi")),
		bubbles("<hi <hello"))
	if doubt || len(found) > 0 || words(out) != "<hi <hello" {
		t.Errorf("Sides() = %s, doubt %v, %d echoes, want it to be the friend's", words(out), doubt, len(found))
	}
}
