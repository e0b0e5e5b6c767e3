package fusion

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func heldOf(t *testing.T, h *actortest.Harness) (list []string) {
	t.Helper()
	for n := range uint64(2 * maxHeld) {
		if row, ok := actortest.Stored(h, HeldReadings, actors.RowKey(n)); ok {
			list = append(list, fmt.Sprintf("%d:%s:%d", n, row.Why, len(row.Detection.Bubbles)))
		}
	}
	return list
}

func wantHeld(t *testing.T, h *actortest.Harness, want ...string) {
	t.Helper()
	if got := heldOf(t, h); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("held: %v, want %v", got, want)
	}
}

// TestHeld: what may be several people's is stored, once, and grows; a crash loses
// nothing of it; what a later view of somebody certainly goes on from is passed on before that.
func TestHeld(t *testing.T) {
	h := spawn(t)
	m := send(h, read("Somebody", "a b"))
	h.WantSent(heldBack(m))
	wantHeld(t, h, "1:title_ambiguous:2")
	send(h, m)
	h.WantCommits(1) // the same says nothing new
	h.CrashBeforeCommit()
	send(h, read("Somebody", "a b c"))
	grown := send(h, read("Somebody", "a b c"))
	wantHeld(t, h, "1:title_ambiguous:3")
	h.Crash()
	other := send(h, read("Somebody", "x y"))
	next := send(h, read("Somebody", "c d e f"))
	wantHeld(t, h, "1:title_ambiguous:3", "2:title_ambiguous:2", "3:title_ambiguous:4")
	send(h, read("", "q r"))
	wantHeld(t, h, "1:title_ambiguous:3", "2:title_ambiguous:2", "3:title_ambiguous:4")
	h.Sent()
	hana := send(h, read("Hana", "c d e f g"))
	passed := func(m messages.FrameRead) actortest.Sent { return detection(m, "Hana") }
	h.WantSent(passed(grown), passed(next), passed(hana), settled(hana))
	wantHeld(t, h, "2:title_ambiguous:2")
	h.CrashBeforeCommit()
	h.Send(messages.HeldSettled{Held: 2, Conversation: idOf("Ken"), Name: "Ken"}) // it comes again
	h.WantSent(detection(other, "Ken"), readAgain)
	wantHeld(t, h)
	h.Send(messages.HeldSettled{Held: 2, Conversation: idOf("Ken"), Name: "Ken"})
	h.WantSent()
}

// strangers are a page that is held, and what is shown then of somebody who is known.
var strangers = map[string]struct {
	held, title messages.Text
	page, shown string
	pixels      [2]messages.PixelKey // of the two titles
	namesakes   bool                 // two known ones have the title of the page
	passed      bool
}{
	"one header of namesakes": {held: "Hana", title: "Hana", page: "please-answer q", shown: "p please-answer",
		pixels: [2]messages.PixelKey{7, 7}, namesakes: true},
	"one header of namesakes, four texts": {held: "Hana", title: "Hana", page: "a b c d q", shown: "p a b c d",
		pixels: [2]messages.PixelKey{7, 7}, namesakes: true, passed: true},
	"between other neighbours": {held: "Somebody", title: "Hana", page: "hama-page please-answer key-4471",
		shown: "cold-today please-answer"},
	"at the edge":        {held: "Somebody", title: "Hana", page: "p please-answer", shown: "please-answer q"},
	"all of a short one": {held: "Somebody", title: "Hana", page: "OK", shown: "p OK q"},
	"three texts":        {held: "Somebody", title: "Hana", page: "x a b c", shown: "a b c d"},
	"four texts":         {held: "Somebody", title: "Hana", page: "x a b c d", shown: "a b c d e", passed: true},
	"four, and another":  {held: "Somebody", title: "Hana", page: "x a b c d", shown: "y a b c d e"},
	"one letter":         {held: "健", title: "王", page: "p please-answer", shown: "please-answer q"},
	"a like title": {held: "Somebody", title: "Somebady", page: "p please-answer", shown: "please-answer q",
		passed: true},
	"a like title, another neighbour": {held: "Somebody", title: "Somebady", page: "p please-answer",
		shown: "q please-answer"},
	"a like title, two headers": {held: "Somebody", title: "Somebady", page: "p please-answer q",
		shown: "p please-answer", pixels: [2]messages.PixelKey{7, 8}},
	"one header": {held: "Somebody", title: "Hana", page: "p please-answer", shown: "please-answer q",
		pixels: [2]messages.PixelKey{7, 7}, passed: true},
	"one header, and more below": {held: "Somebody", title: "Hana", page: "please-answer q", shown: "p please-answer",
		pixels: [2]messages.PixelKey{7, 7}},
	"a like title, and more below": {held: "Somebody", title: "Somebady", page: "please-answer q",
		shown: "p please-answer"},
	"one header, and more below four texts": {held: "Somebody", title: "Hana", page: "a b c d q", shown: "p a b c d",
		pixels: [2]messages.PixelKey{7, 7}, passed: true},
	"one header, another neighbour": {held: "Somebody", title: "Hana", page: "p please-answer",
		shown: "q please-answer", pixels: [2]messages.PixelKey{7, 7}},
	"one header, edited above": {held: "Somebody", title: "Hana", page: "p a b c d", shown: "q a b c d e",
		pixels: [2]messages.PixelKey{7, 7}, passed: true},
	"one title, two headers": {held: "Somebody", title: "Somebody", page: "p a b c d", shown: "q a b c d e",
		pixels: [2]messages.PixelKey{7, 8}},
	"unreadable":            {title: "Hana", page: "please-answer", shown: "please-answer q"},
	"unreadable, then read": {title: "Hana", page: "p please-answer", shown: "p please-answer q", passed: true},
	"unreadable, in other words": {title: "Hana", page: "this-is-Hama-speaking please-answer",
		shown: "this-is-Hana-speaking please-answer"},
	"a like title, in other words": {held: "Somebody", title: "Somebady", page: "this-is-Hama-speaking",
		shown: "this-is-Hana-speaking"},
	"one header, misread": {held: "Somebody", title: "Somebody", page: "this-is-Hama-speaking",
		shown: "this-is-Hana-speaking q", passed: true},
	"unreadable, of one header": {title: "Hana", page: "p please-answer", shown: "please-answer q",
		pixels: [2]messages.PixelKey{7, 7}, passed: true},
	"unreadable, all under another header": {title: "Hana", page: "p please-answer", shown: "p please-answer q",
		pixels: [2]messages.PixelKey{7, 8}},
	"unreadable, four texts": {title: "Hana", page: "a b c d", shown: "a b c d q",
		pixels: [2]messages.PixelKey{7, 8}, passed: true},
	"unreadable, of two headers": {title: "Hana", page: "p please-answer", shown: "please-answer q",
		pixels: [2]messages.PixelKey{7, 8}},
}

// TestHeldOfStrangers: what strangers say alike connects nobody. What is held stays held, also
// after a crash, until it is certain whose it is.
func TestHeldOfStrangers(t *testing.T) {
	for what, c := range strangers {
		h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
		answered := func(title messages.Text, words string, name messages.PixelKey, a messages.Identified) time.Time {
			m := read(title, words)
			m.Name = name
			m = send(h, m)
			a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
			h.Send(a)
			return m.At
		}
		why := events.UnknownAlike
		if c.held == "" {
			why = events.UnknownTitle
		}
		for range 2 {
			var of []messages.ConversationID
			if c.namesakes {
				of = []messages.ConversationID{"c-1", "c-2"}
			}
			answered(c.held, c.page, c.pixels[0], messages.Identified{Why: why, Of: of})
		}
		if got := heldOf(t, h); len(got) != 1 {
			t.Fatalf("%s: held %v, want one reading", what, got)
		}
		h.Crash()
		h.Sent()
		now := answered(c.title, c.shown, c.pixels[1], messages.Identified{Conversation: "c-1", Name: "Hana"})
		passed := 0
		for _, s := range h.Sent() {
			if d, ok := s.Message.(messages.Detection); ok && d.SeenAt != now {
				passed++
			}
		}
		if left := len(heldOf(t, h)); (passed == 1) != c.passed || (left == 0) != c.passed {
			t.Errorf("%s: %q, then %q: passed on %d, held %d, want it passed on: %v", what, c.page, c.shown, passed,
				left, c.passed)
		}
	}
}

// TestHeldWithoutATitle: a page whose title cannot be read is held once it stays, unless all of
// it is known already.
func TestHeldWithoutATitle(t *testing.T) {
	h := spawn(t)
	for _, want := range [][]string{nil, {"1:title_unreadable:2"}, {"1:title_unreadable:2"}} {
		send(h, read("", "a b"))
		wantHeld(t, h, want...)
	}
	h.CrashBeforeCommit()
	for range 3 {
		send(h, read("", "a b c"))
	}
	wantHeld(t, h, "1:title_unreadable:3")
	send(h, read("Hana", "x y"))
	for range 3 {
		send(h, read("", "x y"))
	}
	wantHeld(t, h, "1:title_unreadable:3")
	for range 3 {
		send(h, read("", "y z"))
	}
	wantHeld(t, h, "1:title_unreadable:3", "2:title_unreadable:2")
	for range 2 {
		send(h, read("Hana", "this-is-Hana-speaking"))
	}
	for range 3 {
		send(h, read("", "this-is-Hama-speaking"))
	}
	wantHeld(t, h, "1:title_unreadable:3", "2:title_unreadable:2", "3:title_unreadable:1")
}

// TestHeldUnderANewName: what the window goes on to show is held once its new title is no
// slip of a moment.
func TestHeldUnderANewName(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b"))
	for _, want := range [][]string{nil, nil, {"1:title_ambiguous:3"}, {"1:title_ambiguous:3"}} {
		send(h, read("Somebody", "a b c"))
		wantHeld(t, h, want...)
	}
}

// TestHeldIsBounded: the oldest makes room, and this is reported.
func TestHeldIsBounded(t *testing.T) {
	h := spawn(t)
	for i := range maxHeld + 3 {
		send(h, read("Somebody", fmt.Sprintf("page%d text%d", i, i)))
	}
	if got := heldOf(t, h); len(got) != maxHeld || got[0] != "4:title_ambiguous:2" {
		t.Errorf("held: %d beginning with %q, want %d beginning with the fourth", len(got), got[0], maxHeld)
	}
}

// TestHeldIsAboutWhoeverItMayBe: who is forgotten takes along what may be theirs.
func TestHeldIsAboutWhoeverItMayBe(t *testing.T) {
	row, err := HeldReadings.Encode(Held{Of: []messages.ConversationID{"c-1", "c-2"}})
	if err != nil {
		t.Fatal(err)
	}
	key := HeldReadings.Row(actors.RowKey(1))
	if !About("c-2", key, row) || About("c-3", key, row) || !About("c-3", key, []byte("damaged")) {
		t.Error("a held reading is not about those, and only those, whose it may be")
	}
}

// TestGoesOn: what is v but l moved, so that nobody else is to be asked.
func TestGoesOn(t *testing.T) {
	for _, c := range []struct {
		before, now string
		want, whole bool // whole: the view shows a whole transcript
	}{
		{"a b c", "a b c", true, true}, {"a b c", "b c d", true, false}, {"a b c", "c d e f", false, false},
		{"a b c", "x y z", false, false}, {"a b c", "a x c", false, false}, {"OK", "OK", true, true},
		{"OK", "OK x", false, false}, {"", "", false, false}, {"a", "a b c d", true, true},
		{"a b c", "a b", true, false}, {"a b c", "b c", true, false},
		{"a b c d e", "b c d e", true, true}, {"a b c d e", "a b c d", true, true},
		{"b b b b b", "b b b b", true, false},
	} {
		before, now := viewOf("", read("", c.before).Bubbles), viewOf("", read("", c.now).Bubbles)
		if got := before.goesOn(now, false); got != c.want {
			t.Errorf("%q goes on to %q: %v, want %v", c.before, c.now, got, c.want)
		}
		if got := before.goesOn(now, true); got != c.whole {
			t.Errorf("%q goes on to %q, which is all there is: %v, want %v", c.before, c.now, got, c.whole)
		}
	}
}

// TestWhole: a reading shows all there is if it does not fill its window, above or below.
func TestWhole(t *testing.T) {
	frame := func(tops ...int) messages.FrameRead {
		m := messages.FrameRead{Size: messages.Rect{W: 600, H: 800}, Scale: 1}
		for _, y := range tops {
			m.Bubbles = append(m.Bubbles, messages.Bubble{Text: "a", Box: messages.Rect{Y: y, H: 40}})
		}
		return m
	}
	cut, unsized := frame(60), frame(60)
	cut.Bubbles[0].Clipped, unsized.Size = true, messages.Rect{}
	draft := frame(60, 300)
	draft.Input = messages.Rect{Y: 400, W: 600, H: 400}
	for _, c := range []struct {
		what string
		m    messages.FrameRead
		want bool
	}{
		{"nothing", frame(), false}, {"from the top", frame(60, 200), true}, {"full", frame(60, 400, 700), false},
		{"from the bottom", frame(300, 700), true}, {"a field below", frame(60, 560), false},
		{"cut off above", cut, false}, {"of no size", unsized, false}, {"a long draft", draft, false},
	} {
		if got := whole(c.m); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestWhatIsHeldIsEvidence: what a reading goes on from was shown by somebody, who may have
// the reading too, though nothing of theirs is on the screen any more.
func TestWhatIsHeldIsEvidence(t *testing.T) {
	h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
	asked := func() (q messages.Identify) {
		for _, s := range h.Sent() {
			if m, ok := s.Message.(messages.Identify); ok {
				q = m
			}
		}
		return q
	}
	answer := func(m messages.FrameRead, a messages.Identified) {
		a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
		h.Send(a)
	}
	answer(send(h, read("Hama", "a")), messages.Identified{Conversation: "c-1"})
	for range 2 {
		answer(send(h, read("Ken", "p q")), messages.Identified{Conversation: "c-3"})
	}
	answer(send(h, read("Hanako", "a b")), messages.Identified{Why: events.UnknownUnsure})
	h.Crash()
	weak := []messages.Shared{{Conversation: "c-1", Overlap: messages.OverlapWeak}}
	m := send(h, read("Hanako", "b c"))
	answer(m, messages.Identified{Search: true})
	if q := asked(); !q.Searched || !slices.Equal(q.Shared, weak) {
		t.Errorf("searched %v, found %v, want %v", q.Searched, q.Shared, weak)
	}
	for _, o := range [][2]messages.Overlap{
		{messages.OverlapOther, messages.OverlapWeak}, {messages.OverlapSame, messages.OverlapSame},
	} {
		told, want := o[0], o[1]
		m = send(h, read("Hanako", "b c"))
		answer(m, messages.Identified{Compare: []messages.ConversationID{"c-1"}})
		h.Send(messages.OverlapAnswer{Frame: m.Hash, At: m.At, Conversation: "c-1", Overlap: told})
		if q := asked(); !q.Compared || len(q.Shared) != 1 || q.Shared[0].Overlap != want {
			t.Errorf("c-1 tells %q: compared %v, shared %v, want %q", told, q.Compared, q.Shared, want)
		}
	}
	m = send(h, read("Hanako", "a b c")) // all of what is held: c-1's transcript says more of it
	answer(m, messages.Identified{Compare: []messages.ConversationID{"c-1"}})
	h.Send(messages.OverlapAnswer{Frame: m.Hash, At: m.At, Conversation: "c-1", Overlap: messages.OverlapOther})
	if q := asked(); len(q.Shared) != 1 || q.Shared[0].Overlap != messages.OverlapOther {
		t.Errorf("shared %v, want what c-1's transcript says", q.Shared)
	}
	answer(send(h, read("Hama", "a")), messages.Identified{Conversation: "c-1"})
	answer(send(h, read("Hanako", "x y")), messages.Identified{Why: events.UnknownUnsure})
	for words, want := range map[string]messages.Overlap{"y z": messages.OverlapApart, "v w": messages.OverlapGap} {
		h.Advance(time.Hour) // so long that it could be c-1's, had it not been shown before
		m = send(h, read("Hama", words))
		answer(m, messages.Identified{Compare: []messages.ConversationID{"c-1"}})
		h.Send(messages.OverlapAnswer{Frame: m.Hash, At: m.At, Conversation: "c-1", Overlap: messages.OverlapGap})
		if q := asked(); len(q.Shared) != 1 || q.Shared[0].Overlap != want {
			t.Errorf("%s an hour later: shared %v, want %q", words, q.Shared, want)
		}
	}
}

// TestAWholePageIsNoGap: what a conversation has shown would stand in a page with room above, however long ago that
// was. So the page is held, and is another one's once it goes on.
func TestAWholePageIsNoGap(t *testing.T) {
	h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
	answer := func(m messages.FrameRead, a messages.Identified) {
		a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
		h.Send(a)
	}
	from := func(top int, words string) messages.FrameRead {
		m := read("Hama", words)
		for i := range m.Bubbles {
			m.Bubbles[i].Box = messages.Rect{Y: top + i*(720-top)/max(1, len(m.Bubbles)-1), H: 40}
		}
		return m
	}
	answer(send(h, read("Hama", "a b")), messages.Identified{Conversation: "c-1"})
	for _, c := range []struct {
		page messages.FrameRead
		want messages.Overlap
	}{
		{from(60, "u v w"), messages.OverlapGap}, {from(600, "x"), messages.OverlapApart},
		{from(500, "x y"), messages.OverlapOther},
	} {
		h.Advance(time.Hour)
		m := send(h, c.page)
		answer(m, messages.Identified{Compare: []messages.ConversationID{"c-1"}})
		h.Sent()
		h.Send(messages.OverlapAnswer{Frame: m.Hash, At: m.At, Conversation: "c-1", Overlap: messages.OverlapGap})
		want := []messages.Shared{{Conversation: "c-1", Overlap: c.want}}
		if !slices.ContainsFunc(h.Sent(), func(s actortest.Sent) bool {
			q, ok := s.Message.(messages.Identify)
			return ok && slices.Equal(q.Shared, want)
		}) {
			t.Errorf("a page of %d: not asked about with %v", len(c.page.Bubbles), want)
		}
		told := messages.Identified{Why: events.UnknownNamesake}
		if c.want == messages.OverlapGap {
			told = messages.Identified{Conversation: "c-1"}
		}
		answer(m, told)
	}
}

// TestAPageWithoutATitleIsNoEvidence: it may be anybody's, so it keeps nobody from being known.
func TestAPageWithoutATitleIsNoEvidence(t *testing.T) {
	for why, want := range map[events.UnknownReason]int{events.UnknownUnsure: 1, events.UnknownTitle: 0} {
		h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
		answer := func(m messages.FrameRead, a messages.Identified) {
			a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
			h.Send(a)
		}
		answer(send(h, read("Hama", "a")), messages.Identified{Conversation: "c-1"})
		for range 3 {
			answer(send(h, read("", "a b")), messages.Identified{Why: why})
		}
		m := send(h, read("Ken", "b c"))
		h.Sent()
		answer(m, messages.Identified{Search: true})
		for _, s := range h.Sent() {
			if q, ok := s.Message.(messages.Identify); ok && len(q.Shared) != want {
				t.Errorf("after a page held for %s: shared %v, want %d", why, q.Shared, want)
			}
		}
	}
}

// TestAllThatSomebodyHasShown: a few messages that are all that a conversation has shown may
// be that conversation, under another name.
func TestAllThatSomebodyHasShown(t *testing.T) {
	for _, c := range []struct {
		before, now string
		want        messages.Overlap
	}{
		{"a", "a b", messages.OverlapWeak}, {"a b", "a b", messages.OverlapAll},
		{"a b", "a b c d", messages.OverlapAll}, {"a b c", "a b x", messages.OverlapWeak},
		{"a b c d", "a b c d e", messages.OverlapSame},
	} {
		h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
		m := send(h, read("Hana", c.before))
		h.Send(messages.Identified{Window: m.Window, Frame: m.Hash, At: m.At, Conversation: "c-1", Name: "Hana"})
		h.Sent()
		shared := func() (list []messages.Shared) {
			for _, s := range h.Sent() {
				if q, ok := s.Message.(messages.Identify); ok && q.Searched {
					list = q.Shared
				}
			}
			return list
		}
		m = send(h, read("Ken", c.now))
		h.Send(messages.Identified{Window: m.Window, Frame: m.Hash, At: m.At, Search: true})
		if got := shared(); len(got) != 1 || got[0].Overlap != c.want {
			t.Errorf("%q, then %q: shared %v, want %q", c.before, c.now, got, c.want)
		}
		h.Send(messages.Identified{Window: m.Window, Frame: m.Hash, At: m.At, Why: events.UnknownUnsure})
		m = send(h, read("Ken", c.now)) // beside what is held of it
		h.Send(messages.Identified{Window: m.Window, Frame: m.Hash, At: m.At,
			Compare: []messages.ConversationID{"c-2"}})
		h.Send(messages.OverlapAnswer{Frame: m.Hash, At: m.At, Conversation: "c-2", Overlap: messages.OverlapOther})
		if got := shared(); len(got) != 2 || got[1].Overlap != c.want {
			t.Errorf("%q, then %q, held: shared %v, want %q", c.before, c.now, got, c.want)
		}
	}
}

// TestHeldAndShownSince: who has shown all of what stays held is noted once, so that a person may say that it is
// the same, and it goes with what is forgotten of that one.
func TestHeldAndShownSince(t *testing.T) {
	h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
	shows := func(title messages.Text, words string, a messages.Identified) {
		for range 3 {
			m := send(h, read(title, words))
			a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
			h.Send(a)
		}
	}
	of := []messages.ConversationID{"c-1", "c-2"}
	shows("Hana", "please-answer b", messages.Identified{Why: events.UnknownUnsure, Of: of})
	wantHeld(t, h, "1:title_unsure:2")
	shows("Hana", "please-answer", messages.Identified{Conversation: "c-4", Name: "Hana"}) // not all of it
	shows("Ken", "x y z", messages.Identified{Conversation: "c-5", Name: "Ken"})
	shows("Hana", "please-answer b", messages.Identified{Conversation: "c-3", Name: "Hana"})
	shows("Hana", "please-answer b c", messages.Identified{Conversation: "c-3", Name: "Hana"})
	h.Crash()
	wantHeld(t, h, "1:title_unsure:2")
	row, _ := actortest.Stored(h, HeldReadings, actors.RowKey(1))
	if fmt.Sprint(row.Shown) != "[c-3]" || fmt.Sprint(row.Of) != fmt.Sprint(of) {
		t.Errorf("shown by %v, of %v, want it shown by c-3 alone, and of %v as before", row.Shown, row.Of, of)
	}
	value, err := HeldReadings.Encode(row)
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range map[messages.ConversationID]bool{"c-1": true, "c-3": true, "c-4": false} {
		if got := About(c, HeldReadings.Row(actors.RowKey(1)), value); got != want {
			t.Errorf("About(%s) = %v, want %v", c, got, want)
		}
	}
}

// TestHeldBeforePending: what is held of a conversation is older than a view of it that waits, and is passed on
// before that, whoever is shown next: the ledger takes what comes behind for history.
func TestHeldBeforePending(t *testing.T) {
	for _, next := range []string{"somebody else", "what goes on"} {
		h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
		answered := func(title messages.Text, words string, a messages.Identified) time.Time {
			m := send(h, read(title, words))
			a.Window, a.Frame, a.At = m.Window, m.Hash, m.At
			h.Send(a)
			return m.At
		}
		ken := messages.Identified{Conversation: "c-2", Name: "Ken"}
		hana := messages.Identified{Conversation: "c-1", Name: "Hana"}
		for range 3 {
			answered("Ken", "x y z", ken)
		}
		var held time.Time
		for range 3 {
			held = answered("Hana", "please-answer b c d e", messages.Identified{Why: events.UnknownUnsure})
		}
		if got := heldOf(t, h); len(got) != 1 {
			t.Fatalf("held %v, want one reading", got)
		}
		h.Crash()
		answered("Ken", "x y z", ken)
		waits := answered("Hana", "b c d e a-last-one", hana)
		h.Sent()
		if next == "somebody else" {
			answered("Ken", "x y z", ken)
		} else {
			answered("Hana", "c d e a-last-one f", hana)
		}
		var order []time.Time
		for _, s := range h.Sent() {
			if d, ok := s.Message.(messages.Detection); ok && d.Conversation == "c-1" {
				order = append(order, d.SeenAt)
			}
		}
		if len(order) < 2 || !order[1].Equal(waits) || order[0].After(held) {
			t.Errorf("then %s: passed on %v, want what was held until %v, then what waited at %v", next, order, held,
				waits)
		}
	}
}

// TestLessened: a transcript that lacks the beginning of what a conversation showed, or only its last message,
// may be that conversation: a panel hides it, or it was deleted.
func TestLessened(t *testing.T) {
	for _, c := range []struct {
		before, now string
		want        bool
	}{
		{"a b c d", "c d", true}, {"a b c d", "c d e", true}, {"a b c", "a b", true}, {"a b c", "a b d e", true},
		{"a b c", "a b c", false}, {"a b c", "a b c d", false}, {"a b c", "a x", false}, {"a", "x", false},
		{"a b c d", "a b x", false}, {"a b c d", "hi d", false},
	} {
		before, now := viewOf("", read("", c.before).Bubbles), viewOf("", read("", c.now).Bubbles)
		if got := before.lessened(now); got != c.want {
			t.Errorf("%q, then %q: %v, want %v", c.before, c.now, got, c.want)
		}
	}
}
