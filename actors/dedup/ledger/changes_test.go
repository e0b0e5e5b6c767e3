package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// reader feeds views to a ledger, three seconds apart, and remembers what it
// passes on: messages, "+n=text" for an edit of occurrence n, "-n" for one that
// was taken back, "~" for a gap.
type reader struct {
	l   *ledger.Ledger
	mem ledger.Memory
	now time.Time
	out []string
}

func (r *reader) see(v ledger.View) {
	f := r.l.Observe(v, r.mem, r.now)
	r.mem = f.Memory
	if f.Gap {
		r.out = append(r.out, "~")
	}
	r.pass()
	r.now = r.now.Add(3 * time.Second)
	r.pass()
}

func (r *reader) pass() {
	heard, _, _ := r.l.Release(r.now)
	for _, h := range heard {
		r.out = append(r.out, string(h.Text))
	}
	revised, _ := r.l.Revise(r.now)
	for _, c := range revised {
		switch c.Change {
		case messages.ChangeEdited:
			r.out = append(r.out, fmt.Sprintf("+%d=%s", c.Occurrence, string(c.Text)))
		case messages.ChangeUnsent:
			r.out = append(r.out, fmt.Sprintf("-%d", c.Occurrence))
		}
	}
	r.l.Changes()
}

// TestChanges: edits and notices are distinguished from news by their places, even if they
// make or break a repeat.
func TestChanges(t *testing.T) {
	long := ">aa1 <bb2 >cc3 <dd4 <ee5 >ff6 <gg7 <hh8 " // the window is full with more
	for _, c := range []struct {
		name  string
		views []string
		want  string
	}{
		{"an edit makes a repeat", []string{"<aaaa <bbbb", "<bbbb <bbbb", "<bbbb <bbbb <cccc"},
			"aaaa bbbb +1=bbbb cccc"},
		{"an edit of the last makes a repeat", []string{"<aaaa <bbbb", "<aaaa <aaaa", "<aaaa <aaaa <aaaa"},
			"aaaa bbbb +2=aaaa aaaa"},
		{"an edit breaks a row", []string{"<R <R <R", "<R <xxxx <R", "<R <xxxx <R <R"}, "R R R +2=xxxx R"},
		{"an edit at the head of a row", []string{"<R <R <R", "<xxxx <R <R", "<xxxx <R <R <R"}, "R R R +1=xxxx R"},
		{"an edit at the end of a row", []string{"<R <R <R", "<R <R <xxxx", "<R <R <xxxx <R"}, "R R R +3=xxxx R"},
		{"an edit in a row, and the word again", []string{"<yyyy <R <R <R", "<yyyy <xxxx <R <R <R"},
			"yyyy R R R R +2=xxxx"},
		{"two neighbours at once, one letter each", []string{">zzzz <aaaa <bbbb <c <d", ">zzzz <aaab <bbbc <c <d"},
			"aaaa bbbb c d +2=aaab +3=bbbc"},
		{"two edits at once", []string{">zzzz <R <R <R <R", ">zzzz <xxxx <R <yyyy <R"}, "R R R R +2=xxxx +4=yyyy"},
		{"the first of equal ones is taken back", []string{">zzzz <R <R <R", ">zzzz ! <R <R", ">zzzz ! <R <R <R"},
			"R R R -2 R"},
		{"the middle one", []string{">zzzz <R <R <R", ">zzzz <R ! <R", ">zzzz <R ! <R <R"}, "R R R -3 R"},
		{"the last one", []string{">zzzz <R <R <R", ">zzzz <R <R !", ">zzzz <R <R ! <R"}, "R R R -4 R"},
		{"one is taken back while another comes", []string{">zzzz <R <R <R", ">zzzz ! <R <R <R"}, "R R R R -2"},
		{"the last is taken back while another comes", []string{">zzzz <R <R <R", ">zzzz <R <R ! <R"}, "R R R R -4"},
		{"edited, then taken back", []string{">zzzz <aaaa <b", ">zzzz <xxxx <b", ">zzzz ! <b"}, "aaaa b +2=xxxx -2"},
		{"an own one", []string{"<aaaa >bbbb >cccc", "<aaaa >xxxx !", "<aaaa >xxxx ! <dddd"}, "aaaa dddd"},
		{"taken back without a notice", []string{">zzzz <aaaa <b", ">zzzz <b", ">zzzz <b <c"}, "aaaa b -2 c"},
		{"in a full window", []string{long + "<R <R <R", long + "<R <xxxx <R", long + "<R <xxxx <R <R"},
			"R R R +10=xxxx R"},
		{"a repeat in a full window", []string{long + "<iiii <jjjj", long + "<jjjj <jjjj", long + "<jjjj <jjjj <jjjj"},
			"iiii jjjj +9=jjjj jjjj"},
		{"gone without a notice where one is left", []string{">zzzz <aaaa ! <bbbb <c", ">zzzz <aaaa <c"},
			"aaaa bbbb c"},
		{"before it was first seen", []string{"<aaaa !", "<aaaa ! <bbbb"}, "aaaa bbbb"},
		{"out of view, quite another text", []string{long + "<iiii", "<one_two_three_four >ff6 <gg7 <hh8 <iiii"},
			"iiii +5=one two three four"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reader{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
			for i, words := range c.views {
				if strings.HasPrefix(words, long) && i == 0 { // what long says is history
					r.see(chatview.Chat(long))
					r.out = nil
				}
				r.see(chatview.Chat(words))
				r.see(chatview.Chat(words))
			}
			if got := strings.Join(r.out, " "); got != c.want {
				t.Errorf("after %q passed on %q, want %q", c.views, got, c.want)
			}
		})
	}
}

// A difference that does not last is no change, nor is one that a reader got wrong.
func TestNoChange(t *testing.T) {
	drawnAnew := func(words string) ledger.View {
		v := chatview.Chat(words)
		for i := range v.Bubbles {
			v.Bubbles[i].Key++
		}
		return v
	}
	wider := func(words string) ledger.View {
		v := chatview.Chat(words)
		v.Size.W += 100
		return v
	}
	for _, c := range []struct {
		name  string
		views []ledger.View
	}{
		{"a misread letter in the same pixels", []ledger.View{chatview.Chat(">zzzz <good_morning <b"),
			func() ledger.View {
				v := chatview.Chat(">zzzz <good_morning <b")
				v.Bubbles[1].Text = "g00d mornimg"
				return v
			}()}},
		{"drawn again in its place, and a space misread", []ledger.View{chatview.Chat(">zzzz <good_morning <b"),
			func() ledger.View {
				v := chatview.Chat(">zzzz <good_morning <b")
				v.Bubbles[1].Text = "go odmorning"
				v.Bubbles[1].Key++
				v.Bubbles[1].Box.W += 20
				return v
			}()}},
		{"drawn anew, and a letter misread", []ledger.View{chatview.Chat(">zzzz <good_morning <b"),
			drawnAnew(">zzzz <gocd_momiug <b")}},
		{"another width, and a letter misread", []ledger.View{chatview.Chat(">zzzz <good_morning <b"),
			wider(">zzzz <gocd_momiug <b")}},
	} {
		r := reader{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
		for _, v := range c.views {
			r.see(v)
		}
		if want := []string{"good morning", "b"}; !slices.Equal(r.out, want) {
			t.Errorf("%s: passed on %q, want %q", c.name, r.out, want)
		}
	}

	r := reader{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
	r.see(chatview.Chat(">zzzz <aaaa <b"))
	f := r.l.Observe(chatview.Chat(">zzzz <xxxx <b"), r.mem, r.now)
	if _, wait := r.l.Revise(r.now); wait != 2*time.Second {
		t.Errorf("Revise() of a change seen just now waits %v, want 2s", wait)
	}
	r.mem, r.now = f.Memory, r.now.Add(time.Second)
	r.see(chatview.Chat(">zzzz <aaaa <b"))
	r.see(chatview.Chat(">zzzz <aaaa <b <c"))
	if want := []string{"aaaa", "b", "c"}; !slices.Equal(r.out, want) {
		t.Errorf("with something in front of a bubble for a second passed on %q, want %q", r.out, want)
	}
}

// TestWhatIsDrawnToItsEnd: soon after a message came, its bubble has other pixels and one letter is read otherwise,
// because it faded in; or its clock time is read as a number. Somebody who edits needs longer, or changes more.
func TestWhatIsDrawnToItsEnd(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		text  string
		want  []string
	}{
		{time.Second, "<三柏目の図がまだ古い", []string{"三枚目の図がまだ古い"}},
		{4 * time.Second, "<三枚目の図がまだ古い113", []string{"三枚目の図がまだ古い"}},
		{4 * time.Second, "<三枚目の図がまだ古い987", []string{"三枚目の図がまだ古い", "+3=三枚目の図がまだ古い987"}},
		{4 * time.Second, "<三柏目の図がまだ古い", []string{"三枚目の図がまだ古い", "+3=三柏目の図がまだ古い"}},
		{time.Second, "<四枚目の図がまだ古い", []string{"三枚目の図がまだ古い", "+3=四枚目の図がまだ古い"}},
	} {
		start := chatview.Start
		r := reader{l: open(ledger.Rules{FirstSight: ledger.All}), now: start}
		seen := func(words string, after time.Duration) ledger.View {
			v := chatview.Chat(words)
			v.SeenAt = start.Add(after)
			v.Bubbles[len(v.Bubbles)-1].Box.W = 200
			return v
		}
		r.see(seen("<yyyy <zzzz", -time.Minute))
		r.see(seen("<yyyy <zzzz <三枚目の図がまだ古い", 0))
		for range 2 {
			r.see(seen("<yyyy <zzzz "+c.text, c.after))
		}
		if want := append([]string{"yyyy", "zzzz"}, c.want...); !slices.Equal(r.out, want) {
			t.Errorf("read %q %v after it came, passed on %q, want %q", c.text, c.after, r.out, want)
		}
	}
}

// Edits that follow each other before any has lasted are all told once the last one has, unless
// the text they began with is back, or it never comes to rest.
func TestEditsFollowEachOther(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"<aaaa <cccc <dddd", "aaaa zzzz c +1=cccc +1=dddd"},
		{"<aaaa <cccc !", "aaaa zzzz c +1=cccc -1"},
		{"<aaaa <cccc <aaaa", "aaaa zzzz c"},
		{"<aaaa <1_left <2_left <3_left <4_left <5_left", "aaaa zzzz c +1=5 left"},
		{"<aaaa <1_left <2_left <3_left <4_left <5_left <6_left <7_left", "aaaa zzzz c +1=7 left"},
	} {
		r := reader{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
		for i, w := range strings.Fields(c.words) {
			v := chatview.Chat(w + " <zzzz <c")
			f := r.l.Observe(v, r.mem, r.now)
			r.mem = f.Memory
			r.pass()
			if r.now = r.now.Add(time.Second); i == 0 {
				r.now = r.now.Add(time.Minute)
			}
		}
		r.now = r.now.Add(time.Minute)
		r.pass()
		if got := strings.Join(r.out, " "); got != c.want {
			t.Errorf("%s: passed on %q, want %q", c.words, got, c.want)
		}
	}
}

// After a gap nothing is passed on that stands above the newest date, or above
// where unread messages begin.
func TestGapMarks(t *testing.T) {
	for _, c := range []struct{ name, view, want string }{
		{"a date", "<aaaa >bbbb - <cccc >dddd <eeee", "cccc eeee"},
		{"two dates", "- <aaaa >bbbb - <cccc", "cccc"},
		{"a date above all", "- <aaaa >bbbb <cccc", "aaaa cccc"},
		{"unread ones", "<aaaa >bbbb <cccc * <dddd", "dddd"},
		{"a date and unread ones", "- <aaaa >bbbb * <cccc <dddd", "cccc dddd"},
		{"unread ones and a date", "<aaaa * <bbbb >cccc - <dddd", "dddd"},
		{"no mark", "<aaaa >bbbb <cccc <dddd", "cccc dddd"},
		{"a notice is no mark", "<aaaa >bbbb ! <cccc", "cccc"},
		{"nothing below", "<aaaa >bbbb -", ""},
	} {
		r := reader{l: open(ledger.Rules{}), now: chatview.Start}
		r.see(chatview.Chat(">hello <hello_hello"))
		r.out = nil
		r.see(chatview.Chat(c.view))
		if got, want := strings.Join(r.out, " "), strings.TrimSpace("~ "+c.want); got != want {
			t.Errorf("%s: after a gap %q passed on %q, want %q", c.name, c.view, got, want)
		}
	}
}

// TestWhatIsWhole: where the window has shown the whole transcript, nothing unknown is
// older, and what fills it next is new, also above an own answer.
func TestWhatIsWhole(t *testing.T) {
	const full = "<one_1 <two_2 <three >four_4 <five_5 <six_6 <seven <eight <nine <ten_10 <eleven <twelve"
	for _, c := range []struct {
		name  string
		views []string
		want  string
	}{
		{"an absence", []string{"<hello >hi", full}, "hello ~ one 1 two 2 three five 5 six 6 seven eight nine ten 10 " +
			"eleven twelve"},
		{"taken back, and said again", []string{"<hi <room_102", "<hi ! <room_102"}, "hi room 102 room 102 -2"},
		{"the only one taken back", []string{"<room_102", "!"}, "room 102 -1"},
		{"the only one taken back, and said again", []string{"<room_102", "!", "! <room_102"},
			"room 102 -1 room 102"},
		{"the only one has a mark more", []string{"<OK", "<OK!"}, "OK +1=OK!"},
		{"nearly the same at once", []string{"<the_meeting_is_at_10 <the_meeting_is_at_11"},
			"the meeting is at 10 the meeting is at 11"},
	} {
		r := reader{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
		for _, v := range c.views {
			r.see(chatview.Chat(v))
		}
		if got := strings.Join(r.out, " "); got != c.want {
			t.Errorf("%s: after %q passed on %q, want %q", c.name, c.views, got, c.want)
		}
	}
}

// TestNearTwinsAreFresh: what stands below nearly the same text is no second reading of it.
func TestNearTwinsAreFresh(t *testing.T) {
	l := open(ledger.Rules{FirstSight: ledger.All})
	v := chatview.Chat("<the_meeting_is_at_10 <something_else <the_meeting_is_at_11")
	l.Observe(v, ledger.Memory{}, chatview.Start)
	heard, _, _ := l.Release(chatview.Start)
	var fresh []bool
	for _, h := range heard {
		fresh = append(fresh, h.Fresh)
	}
	if want := []bool{false, false, true}; !slices.Equal(fresh, want) {
		t.Errorf("Fresh of three bubbles = %v, want %v", fresh, want)
	}
}

// TestReadAsBefore: a text that was passed on, is read otherwise when the window is drawn anew, and then as before
// again, was not edited. One that loses a part while the window is scrolled back is covered; at the newest position it
// is edited.
func TestReadAsBefore(t *testing.T) {
	const said, misread = "the_number_is_4021_and_that_of_the_morning", "the_number_is_4027_and_that_of_the_morning"
	redrawn := func(v ledger.View, widen int) ledger.View {
		for i := range v.Bubbles {
			v.Bubbles[i].Key += 1000
		}
		v.Bubbles[1].Box.W += widen
		return v
	}
	revised := func(views ...ledger.View) (all []messages.Revised) {
		w := &watcher{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
		for _, v := range views {
			w.mem = w.l.Observe(v, w.mem, w.now).Memory
			w.release()
			w.now = w.now.Add(time.Minute)
			list, _ := w.l.Revise(w.now)
			all = append(all, list...)
		}
		return all
	}
	view := func(text string) ledger.View { return chatview.Stack("<one_of_them <" + text + " <so_it_is <see_you") }
	if got := revised(view(said), redrawn(view(misread), 0), redrawn(view(said), 20)); len(got) > 0 {
		t.Errorf("read as it was passed on it is told that %+v", got)
	}
	other := view("there_is_no_number_at_all")
	if got := revised(view(said), redrawn(view(misread), 0), redrawn(other, 20)); len(got) != 1 {
		t.Errorf("edited after another reading it is told that %+v, want one edit", got)
	}
	part := func(text, end string) ledger.View {
		return chatview.Stack("~<one_of_them <" + text + " <so_it_is" + end)
	}
	const covered = "the_number_is_of_the_morning"
	if got := revised(view(said), part(said, ""), part(covered, "")); len(got) > 0 {
		t.Errorf("covered while it was scrolled back it is told that %+v", got)
	}
	moving := func(text string) ledger.View { // towards its newest position
		v := chatview.Stack("<one_of_them <so_it_is <see_you <" + text)
		for i := range v.Bubbles {
			v.Bubbles[i].Box.Y += 17
		}
		return v
	}
	at := func(text string) ledger.View { return chatview.Stack("<one_of_them <so_it_is <see_you <" + text) }
	before := chatview.Stack("<earlier_still <one_of_them <so_it_is <see_you")
	for _, text := range []string{"the_number_is_4021_and_that", said + "_and_what_comes"} {
		if got := revised(before, at(said), moving(text), at(said)); len(got) > 0 {
			t.Errorf("%q while it moved: it is told that %+v", text, got)
		}
		if got := revised(before, at(said), at(text)); len(got) != 1 {
			t.Errorf("%q at the newest position: it is told that %+v, want one edit", text, got)
		}
	}
	if got := revised(view(said), view(covered)); len(got) != 1 {
		t.Errorf("edited at the newest position it is told that %+v, want one edit", got)
	}
}
