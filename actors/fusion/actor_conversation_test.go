package fusion

import (
	"cmp"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// TestANamesakeIsNotWrittenTo: a page under a known title that does not continue
// its conversation may belong to a stranger of the same name. Nothing is typed
// there, before and after it was read, until the two are seen to meet.
func TestANamesakeIsNotWrittenTo(t *testing.T) {
	h := spawn(t)
	asked := func(words string) messages.ConversationID {
		t.Helper()
		h.Sent()
		m := read("Hana", words)
		m.At = h.Now()
		h.Send(messages.AskConversation{Key: "k", Read: m})
		for _, s := range h.Sent() {
			if w, ok := s.Message.(messages.ConversationShown); ok {
				return w.Conversation
			}
		}
		t.Fatal("no answer")
		return ""
	}
	settle := func(words string) {
		for range 2 * maxInconsistentKnown { // a page of others takes some frames to be believed
			send(h, read("Hana", words))
		}
	}
	for _, c := range []struct {
		what, shown, asked string
		want               messages.ConversationID
	}{
		{"nobody was seen", "", "a", "line:Hana"},
		{"the same page", "a b c", "a b c", "line:Hana"},
		{"it goes on", "a b c", "b c d", "line:Hana"},
		{"a namesake", "a b c", "x y z", ""},
		{"a namesake without a word", "a b c", "", ""},
		{"a namesake who was read", "x y z", "x y z", ""},
		{"who goes on", "y z w", "y z w v", ""},
		{"scrolled back until both are in view", "b c x y", "b c x y", "line:Hana"},
		{"and down again", "x y z", "x y z", "line:Hana"},
	} {
		settle(c.shown)
		h.Crash()
		h.Start()
		if got := asked(c.asked); got != c.want {
			t.Errorf("%s: %q after %q is %q, want %q", c.what, c.asked, c.shown, got, c.want)
		}
	}
}

// TestGoingOnAfterAGap: a conversation that moved on out of view is written to again
// once it was seen to go on three times, also after a crash. The count starts over if
// the window shows another conversation in between, or after another gap. After an
// unwatched gap nothing counts: a chat that goes on does not prove whose it is.
func TestGoingOnAfterAGap(t *testing.T) {
	for name, c := range map[string]struct {
		then []string // pages of Hana's; "@" before those of Ken, "!" where a crash comes first
		want int      // of which the first, from 1, is written to; 0 for none
	}{
		"in small steps":        {[]string{"x y z", "!y z w", "!z w v", "!w v u", "v u t"}, 4},
		"many at once":          {[]string{"x y z", "!z 1 2 3 4 5 6"}, 0},
		"it stands still":       {[]string{"x y z", "!x y z", "x y z", "x y z", "x y z"}, 0},
		"scrolled up and down":  {[]string{"x y z", "!y z w", "x y z", "!y z w", "x y z"}, 0},
		"another gap":           {[]string{"x y z", "!y z w", "z w v", "k l m", "!l m n", "m n o", "n o p"}, 7},
		"another conversation":  {[]string{"x y z", "!y z w", "z w v", "@e f g", "!w v u", "v u t", "u t s"}, 7},
		"back in view":          {[]string{"x y z", "!c x y", "x y z"}, 2},
		"and a namesake again":  {[]string{"x y z", "!y z w", "z w v", "a b c", "!x y z", "y z w"}, 4},
		"a page without a word": {[]string{"x y z", "!y z w", "", "z w v"}, 0},

		"not watched":               {[]string{"!x y z", "y z w", "z w v", "w v u", "v u t", "u t s"}, 0},
		"not watched at the second": {[]string{"x y z", "y z w", "!k l m", "l m n", "m n o", "n o p", "o p q"}, 0},
		"not watched for another":   {[]string{"@e f g", "x y z", "y z w", "z w v", "w v u", "v u t"}, 0},
		"not watched, then back":    {[]string{"!x y z", "c x y", "x y z"}, 2},
	} {
		h := spawn(t)
		settle := func(page string) (who messages.Text, words string) {
			who, words = "Hana", page
			if page != "" && page[0] == '@' {
				who, words = "Ken", page[1:]
			}
			if rest, ok := strings.CutPrefix(page, "!"); ok {
				words = rest
				h.Crash()
				h.Start()
			}
			for range 2 * maxInconsistentKnown {
				send(h, read(who, words))
			}
			return who, words
		}
		settle("a b c")
		first := 0
		for i, page := range c.then {
			who, words := settle(page)
			h.Sent()
			m := read(who, words)
			m.At = h.Now()
			h.Send(messages.AskConversation{Key: "k", Read: m})
			for _, s := range h.Sent() {
				w, ok := s.Message.(messages.ConversationShown)
				if !ok || who != "Hana" {
					continue
				}
				if (w.Conversation == "") != (w.MovedOn == "line:Hana") {
					t.Errorf("%s: page %d is %+v, want it either known or moved on", name, i+1, w)
				}
				if w.Conversation != "" && first == 0 {
					first = i + 1
				}
			}
		}
		if first != c.want {
			t.Errorf("%s: written to from page %d on, want %d", name, first, c.want)
		}
	}
}

// TestEditedInItsPlace: a message that was edited where it stood, while its chat was watched, is not
// out of view: the chat is written to, and so is what comes next. A page that shows other texts
// in other places, after a gap, or where both texts would not fit may be somebody else's.
func TestEditedInItsPlace(t *testing.T) {
	type shown struct {
		words string
		top   int
		name  messages.PixelKey
	}
	for what, c := range map[string]struct {
		then  []shown
		crash int  // after that page, from 1; 0 for none
		high  int  // of a bubble; 0 means 40
		want  bool // that the last is written to
	}{
		"the only one":              {then: []shown{{"a", 100, 7}, {"x", 100, 7}}, want: true},
		"and one more":              {then: []shown{{"a", 100, 7}, {"x y", 100, 7}}, want: true},
		"and the next":              {then: []shown{{"a", 100, 7}, {"x", 100, 7}, {"x y", 100, 7}}, want: true},
		"twice":                     {then: []shown{{"a", 100, 7}, {"x", 100, 7}, {"y", 100, 7}}, want: true},
		"a short one and its reply": {then: []shown{{"OK ya", 100, 7}, {"x ya", 100, 7}}, want: true},
		"elsewhere":                 {then: []shown{{"a", 100, 7}, {"x", 140, 7}}},
		"under another header":      {then: []shown{{"a", 100, 7}, {"x", 100, 8}}},
		"two of two":                {then: []shown{{"a b", 100, 7}, {"x y", 100, 7}}},
		"fewer":                     {then: []shown{{"a b", 100, 7}, {"x", 100, 7}}},
		"no room for both":          {then: []shown{{"a", 100, 7}, {"x", 100, 7}}, high: 600},
		"unwatched":                 {then: []shown{{"a", 100, 7}, {"x", 100, 7}}, crash: 1},
		"and a crash then":          {then: []shown{{"a", 100, 7}, {"x", 100, 7}}, crash: 2, want: true},
		"after a gap":               {then: []shown{{"a", 100, 7}, {"k", 500, 7}, {"x", 500, 7}}},
	} {
		h := spawn(t)
		var last messages.FrameRead
		for i, p := range c.then {
			last = read("Hana", p.words)
			last.Name = p.name
			for j := range last.Bubbles {
				high := cmp.Or(c.high, 40)
				last.Bubbles[j].Box = messages.Rect{X: 20, Y: p.top + j*high, W: 200, H: high}
			}
			for range 2 * maxInconsistentKnown {
				send(h, last)
			}
			if i+1 == c.crash {
				h.Crash()
				h.Start()
			}
		}
		h.Sent()
		last.At = h.Now()
		h.Send(messages.AskConversation{Key: "k", Read: last})
		for _, s := range h.Sent() {
			if w, ok := s.Message.(messages.ConversationShown); ok && (w.Conversation != "") != c.want {
				t.Errorf("%s: %+v, want it written to: %v", what, w, c.want)
			}
		}
	}
}

// TestLinked: what is short enough must all be in view, of the rest a run that proves.
func TestLinked(t *testing.T) {
	for _, c := range []struct {
		before, now string
		anchored    bool
	}{
		{"", "a", false}, {"a", "", true}, {"OK", "OK x", false}, {"OK", "x", true}, {"OK a b", "OK x", true},
		{"a b c", "c d", false}, {"OK はい", "OK", true},
	} {
		before := viewOf("c", read("", c.before).Bubbles)
		if got := before.linked(viewOf("c", read("", c.now).Bubbles), true, false); len(got.Anchor) > 0 != c.anchored {
			t.Errorf("%q after %q: the anchor is %v, want one: %v", c.now, c.before, got.Anchor, c.anchored)
		}
	}
}
