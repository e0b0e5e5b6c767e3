package ledger_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// open makes a ledger without history. Rules that are zero are those of the actor.
func open(r ledger.Rules) *ledger.Ledger {
	r.FirstSight, r.FirstAtMost = cmp.Or(r.FirstSight, ledger.Unanswered), cmp.Or(r.FirstAtMost, 5)
	r.Keep, r.History = cmp.Or(r.Keep, 200), cmp.Or(r.History, 2000)
	r.Timeout, r.Tries = cmp.Or(r.Timeout, 2*time.Second), cmp.Or(r.Tries, 3)
	return ledger.New(r, ledger.Head{}, nil)
}

// watcher feeds views to a ledger and remembers what it passes on.
type watcher struct {
	l   *ledger.Ledger
	mem ledger.Memory
	now time.Time
	out []string
}

func (w *watcher) see(v ledger.View) ledger.Finding {
	f := w.l.Observe(v, w.mem, w.now)
	w.mem = f.Memory
	w.release()
	return f
}

func (w *watcher) release() {
	heard, _, _ := w.l.Release(w.now)
	for _, h := range heard {
		text := string(h.Text)
		if h.Kind != messages.KindText {
			text = "(" + string(h.Kind) + ")"
		}
		w.out = append(w.out, text)
	}
	w.l.Changes()
}

func TestViews(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     ledger.Rules
		views []string
		want  string // passed on in the end
	}{
		{"first sight, unanswered", ledger.Rules{}, []string{"<a >b <c <d"}, "c d"},
		{"first sight, nothing own", ledger.Rules{}, []string{"<a <b <c <d <e <f <g"}, "c d e f g"},
		{"first sight, all", ledger.Rules{FirstSight: ledger.All}, []string{"<a >b <c <d"}, "a c d"},
		{"first sight, none", ledger.Rules{FirstSight: ledger.None}, []string{"<a >b <c", "<a >b <c <d"}, "d"},
		{"the same again", ledger.Rules{}, []string{">a <b", ">a <b", ">a <b"}, "b"},
		{"new ones", ledger.Rules{}, []string{">a <b", ">a <b <c", "<b <c >d <e"}, "b c e"},
		{"a repeat is new", ledger.Rules{}, []string{">hello <OK", ">hello <OK <OK", ">hello <OK <OK <OK"}, "OK OK OK"},
		{"both sides say the same", ledger.Rules{}, []string{">いいね", ">いいね <いいね"}, "いいね"},
		{"scrolled back", ledger.Rules{}, []string{"<a >bbb <ccc <ddd", "~<zzz <a >bbb", "~<yyy <zzz <a",
			"~<a >bbb <ccc", ">bbb <ccc <ddd <eee"}, "ccc ddd eee"},
		{"jitter", ledger.Rules{}, []string{"<おはようございます >はい <明日の会議は10時です", "<おはようこざいます >はい <明日の会議は10時てす <はい"},
			"明日の会議は10時です はい"},
		{"garbage in the middle", ledger.Rules{FirstSight: ledger.All},
			[]string{"<good_morning <see_you_at_ten >yes", "<good_morning <|l|l >yes <fine"},
			"good morning see you at ten fine"},
		{"edited in the middle", ledger.Rules{FirstSight: ledger.All},
			[]string{">aaa <one_two_three >bbb", ">aaa <four_five_six >bbb <c"}, "one two three c"},
		{"unsent in the middle", ledger.Rules{}, []string{">aaaa <bbbb <cccc", ">aaaa <cccc <dddd"}, "bbbb cccc dddd"},
		{"unsent at the end", ledger.Rules{}, []string{">aaaa <bbbb <cccc", ">aaaa <bbbb", ">aaaa <bbbb <dddd"},
			"bbbb cccc dddd"},
		{"clipped at the top", ledger.Rules{}, []string{">aaaa <long_and_clipped <cccc", "<and_clipped^ <cccc <dddd"},
			"long and clipped cccc dddd"},
		{"clipped at the bottom waits", ledger.Rules{}, []string{">aaaa <bbbb", ">aaaa <bbbb <cc^", "<bbbb <cccc"},
			"bbbb cccc"},
		{"clipped at the top at first sight", ledger.Rules{}, []string{"<x^ <aaaa"}, "aaaa"},
		{"stickers", ledger.Rules{}, []string{">aaaa <#1", ">aaaa <#1 <#2", ">aaaa <#1 <#2 <#2"},
			"(sticker) (sticker) (sticker)"},
		{"an animated sticker", ledger.Rules{}, []string{">aaaa <#1", ">aaaa <#2", ">aaaa <#3 <b"}, "(sticker) b"},
		{"only an animated sticker", ledger.Rules{FirstSight: ledger.All}, []string{"<#1", "<#2", "<#3"}, "(sticker)"},
		{"becomes readable", ledger.Rules{}, []string{">aaaa <?1", ">aaaa <bbbb"}, "bbbb"},
		{"holds up what follows", ledger.Rules{}, []string{">aaaa <?1 <cccc", ">aaaa <bbbb <cccc"}, "bbbb cccc"},
		{"stays unreadable", ledger.Rules{}, []string{">aaaa <?1", ">aaaa <?2", ">aaaa <?3 <c"}, "(unreadable) c"},
		{"becomes unreadable", ledger.Rules{}, []string{">aaaa <bbbb", ">aaaa <?1", ">aaaa <bbbb <c"}, "bbbb c"},
		{"a side becomes known", ledger.Rules{}, []string{">aaaa =bbbb", ">aaaa <bbbb"}, "bbbb"},
		{"a side stays unknown", ledger.Rules{}, []string{">aaaa =bbbb", ">aaaa =bbbb", ">aaaa =bbbb",
			">aaaa =bbbb <c"}, "c"},
		{"an own bubble read on the wrong side", ledger.Rules{FirstSight: ledger.All},
			[]string{"<aaaa >bbbb", "<aaaa <bbbb", "<aaaa >bbbb <cccc"}, "aaaa cccc"},
		{"a gap", ledger.Rules{}, []string{"<aaaa <bbbb", "<cccc >dddd <eeee <ffff"}, "aaaa bbbb eeee ffff"},
		{"a gap without own ones", ledger.Rules{}, []string{"<aaaa <bbbb", "<cccc <dddd"}, "aaaa bbbb cccc dddd"},
		{"a gap is no gap the second time", ledger.Rules{},
			[]string{"<aaaa", "<cccc <dddd", "<cccc <dddd", "<dddd <eeee"}, "aaaa cccc dddd eeee"},
		{"what a gap hid is history", ledger.Rules{}, []string{"<aaaa", "<cccc_cccc <dddd_dddd",
			"~<bbbb_bbbb <cccc_cccc <dddd_dddd", "<dddd_dddd <e"}, "aaaa cccc cccc dddd dddd e"},
		{"own words alone", ledger.Rules{}, []string{">aaaa", ">aaaa >bbbb", ">cccc"}, ""},
		{"nothing visible", ledger.Rules{}, []string{"", "<aaaa", "", "<aaaa <bbbb"}, "aaaa bbbb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := watcher{l: open(c.o), now: chatview.Start}
			for _, words := range c.views {
				w.see(chatview.Stack(words))
			}
			if got := strings.Join(w.out, " "); got != c.want {
				t.Errorf("after %q passed on %q, want %q", c.views, got, c.want)
			}
		})
	}
}

// TestPinned: what only looks like an earlier part of the transcript is news if
// the window stands at its end.
func TestPinned(t *testing.T) {
	words := strings.Fields("<OK <so <OK <so <OK")
	show := func(from, to, foot int) ledger.View {
		v := chatview.Stack(strings.Join(words[from:to], " "))
		for i := range v.Bubbles {
			v.Bubbles[i].Box.Y = v.Size.H - foot - (to-from-i)*48
		}
		return v
	}
	w := watcher{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
	w.see(show(0, 5, 100))
	w.see(show(1, 5, 100))
	words = append(words, "<so")
	w.see(show(2, 6, 100)) // OK so OK so
	if got, want := strings.Join(w.out, " "), "OK so OK so OK so"; got != want {
		t.Errorf("at the window's end passed on %q, want %q", got, want)
	}
	w.see(show(0, 4, 80)) // the same words, but scrolled
	if got, want := len(w.out), 6; got != want {
		t.Errorf("after scrolling back %d messages were passed on, want %d", got, want)
	}
}

func TestSenders(t *testing.T) {
	named := func(words string, names ...messages.Text) ledger.View {
		v := chatview.Stack(words)
		for i, n := range names {
			v.Bubbles[i].Sender = n
		}
		return v
	}
	senders := func(l *ledger.Ledger, v ledger.View) (out []messages.Text) {
		l.Observe(v, ledger.Memory{}, chatview.Start)
		heard, _, _ := l.Release(chatview.Start)
		for _, h := range heard {
			out = append(out, h.Sender)
		}
		return out
	}
	l := open(ledger.Rules{})
	if got, want := senders(l, chatview.Stack("<a <b")), []messages.Text{"Hana", "Hana"}; !slices.Equal(got, want) {
		t.Errorf("senders of two = %v, want the title", got)
	}
	l = open(ledger.Rules{FirstSight: ledger.All})
	got := senders(l, named("<aaaa <bbbb >cccc <dddd <eeee", "", "", "", "Ken"))
	if want := []messages.Text{"", "", "Ken", "Ken"}; !slices.Equal(got, want) {
		t.Errorf("senders in a group = %q, want unknown twice, then Ken twice", got)
	}
	got = senders(l, named("<dddd <eeee <ffff >gggg <hhhh", "Ken"))
	if want := []messages.Text{"Ken", ""}; !slices.Equal(got, want) {
		t.Errorf("senders of new ones in a group = %q, want Ken, then unknown", got)
	}
}

// A name that is shown and cannot be read is unknown: the one above is somebody
// else's.
func TestSendersAreNotGuessed(t *testing.T) {
	show := func(words string, names ...string) ledger.View {
		v := chatview.Stack(words)
		for i, n := range names {
			v.Bubbles[i].Named = n != ""
			if n != "?" {
				v.Bubbles[i].Sender = messages.Text(n)
			}
		}
		return v
	}
	var mem ledger.Memory
	l := open(ledger.Rules{FirstSight: ledger.All})
	senders := func(v ledger.View) (out []string) {
		mem = l.Observe(v, mem, chatview.Start).Memory
		heard, _, _ := l.Release(chatview.Start)
		for _, h := range heard {
			out = append(out, string(h.Sender))
		}
		return out
	}
	for _, c := range []struct {
		view ledger.View
		want []string
	}{
		{show("<aaaa <bbbb <cccc <dddd", "Ken", "", "?", ""), []string{"Ken", "Ken", "", ""}},
		{show("<aaaa <bbbb <cccc <dddd <eeee", "Ken", "", "?", "", "?"), []string{""}},
		{show("<cccc <dddd <eeee <ffff <gggg", "?", "", "?", "Mio", ""), []string{"Mio", "Mio"}},
		{show("<gggg <hhhh <iiii", "", "?", "Ken"), []string{"", "Ken"}},
	} {
		if got := senders(c.view); !slices.Equal(got, c.want) {
			t.Errorf("senders of new ones = %q, want %q", got, c.want)
		}
	}
	l = open(ledger.Rules{FirstSight: ledger.All})
	if got, want := senders(show("<aaaa", "?")), []string{""}; !slices.Equal(got, want) {
		t.Errorf("sender of one whose name cannot be read = %q, want unknown, and not the title", got)
	}
}

func TestHigherThanTheWindow(t *testing.T) {
	tall := func(y int, lines string) messages.Bubble {
		b := chatview.Bubble("<" + lines)
		b.Clipped, b.Box.Y, b.Box.H = true, y, 600
		return b
	}
	show := func(bubbles ...messages.Bubble) ledger.View {
		v := chatview.Stack("")
		v.Bubbles = bubbles
		return v
	}
	w := watcher{l: open(ledger.Rules{}), now: chatview.Start}
	w.see(chatview.Stack(">aaaa <bbbb"))
	w.see(show(tall(94, "fourth line of many, fifth line of many, sixth line of many")))
	w.see(show(tall(80, "second line of it, third line of it, fourth line of many")))
	w.see(show(tall(46, "fifth line of many, sixth line of many"), chatview.Bubble("<next")))
	want := []string{"bbbb", "fourth line of many, fifth line of many, sixth line of many", "next"}
	if !slices.Equal(w.out, want) {
		t.Errorf("passed on %q, want %q", w.out, want)
	}
}

// If a message is higher than the window, a part of it is passed on and marked as one. It is
// completed once, when a larger window shows all of it.
func TestPartIsCompleted(t *testing.T) {
	w := watcher{l: open(ledger.Rules{}), now: chatview.Start}
	w.see(chatview.Stack(">aaaa <bbbb"))
	part := chatview.Bubble("<fourth line of many, fifth line of many, sixth line of many")
	part.Clipped, part.Box.Y, part.Box.H = true, 94, 600
	v := chatview.Stack("")
	v.Bubbles = append(v.Bubbles, part)
	f := w.l.Observe(v, w.mem, w.now)
	heard, _, _ := w.l.Release(w.now)
	if len(heard) != 1 || !heard[0].Partial {
		t.Fatalf("passed on %+v, want one part", heard)
	}
	whole := chatview.Bubble("<first line of many, fourth line of many, fifth line of many, sixth line of many")
	whole.Box = messages.Rect{Y: 100, W: 400, H: 900}
	v = chatview.Stack("")
	v.Size.H, v.Bubbles = 1200, append(v.Bubbles, whole)
	w.l.Observe(v, f.Memory, w.now)
	w.l.Observe(v, f.Memory, w.now)
	list, _ := w.l.Revise(w.now.Add(time.Minute))
	again, _ := w.l.Revise(w.now.Add(time.Hour))
	if len(list) != 1 || list[0].Change != messages.ChangeCompleted || list[0].Occurrence != heard[0].Occurrence ||
		list[0].Text != whole.Text || len(again) != 0 {
		t.Errorf("changes %+v, then %+v, want that occurrence %d is complete, once", list, again, heard[0].Occurrence)
	}
	if heard, _, _ := w.l.Release(w.now); len(heard) != 0 {
		t.Errorf("passed on %+v, want nothing twice", heard)
	}
}

// Files and calls are recognised by their words, even after they were redrawn.
func TestFilesAndCalls(t *testing.T) {
	show := func(phase int, words ...string) ledger.View {
		v := chatview.Stack(strings.Join(words, " "))
		for i := range v.Bubbles {
			b := &v.Bubbles[i]
			b.Key += messages.PixelKey(phase)
			if kind, text, ok := strings.Cut(string(b.Text), ":"); ok {
				b.Kind, b.Text = messages.Kind(kind), messages.Text(text)
			}
		}
		return v
	}
	l, mem := open(ledger.Rules{FirstSight: ledger.All}), ledger.Memory{}
	var got []string
	for _, v := range []ledger.View{
		show(0, ">hello", "<file:plan.pdf", "<call:Missed_call"),
		show(1, "<file:plan.pdf", "<call:Missed_call", "<file:bill.pdf"),
		show(2, "<call:Missed_call", "<file:bill.pdf", "<call:Missed_call"),
		show(3, "<file:bill.pdf", "<call:Missed_call", "<file:bill.pdf"),
	} {
		mem = l.Observe(v, mem, chatview.Start).Memory
		heard, _, _ := l.Release(chatview.Start)
		for _, h := range heard {
			got = append(got, string(h.Kind)+" "+string(h.Text))
		}
	}
	if want := []string{"file plan.pdf", "call Missed call", "file bill.pdf", "call Missed call",
		"file bill.pdf"}; !slices.Equal(got, want) {
		t.Errorf("passed on %q, want %q", got, want)
	}
}

func TestTimeout(t *testing.T) {
	l := open(ledger.Rules{})
	l.Observe(chatview.Stack(">aaaa <?1 <cccc"), ledger.Memory{}, chatview.Start)
	heard, wait, _ := l.Release(chatview.Start.Add(500 * time.Millisecond))
	if len(heard) != 0 || wait != 1500*time.Millisecond {
		t.Errorf("Release after 0.5 s = %v, wait %v, want none, wait 1.5s", heard, wait)
	}
	heard, wait, _ = l.Release(chatview.Start.Add(2 * time.Second))
	if len(heard) != 2 || heard[0].Kind != messages.KindUnreadable || wait != 0 {
		t.Errorf("Release after 2 s = %v, wait %v, want an unreadable one and another, no wait", heard, wait)
	}
	l.Observe(chatview.Stack(">aaaa <bbbb <cccc"), ledger.Memory{}, chatview.Start.Add(3*time.Second))
	if heard, _, _ = l.Release(chatview.Start.Add(3 * time.Second)); len(heard) != 0 {
		t.Errorf("Release after it became readable = %v, want none", heard)
	}
	list, _ := l.Revise(chatview.Start.Add(time.Minute))
	if len(list) != 1 || list[0].Occurrence != 2 || list[0].Text != "bbbb" || list[0].Change == messages.ChangeUnsent {
		t.Errorf("Revise after it became readable = %+v, want what it says", list)
	}
}

func TestScrolledBackTooFar(t *testing.T) {
	w := watcher{l: open(ledger.Rules{History: 4}), now: chatview.Start}
	w.see(chatview.Stack(">aaaa <bbbb <cccc"))
	w.see(chatview.Stack("~<zzzz >aaaa <bbbb"))
	w.see(chatview.Stack("~<xxxx <yyyy <zzzz >aaaa"))
	f := w.see(chatview.Stack("~<ssss <tttt <uuuu <vvvv"))
	if got := strings.Join(w.out, " "); got != "bbbb cccc" || f.Gap || len(f.Notes) == 0 {
		t.Errorf("far back passed on %q with gap %v and notes %+v, want only %q and a note", got, f.Gap, f.Notes,
			"bbbb cccc")
	}
	w.see(chatview.Stack("<bbbb <cccc <dddd"))
	if got, want := strings.Join(w.out, " "), "bbbb cccc dddd"; got != want {
		t.Errorf("back at the end passed on %q, want %q", got, want)
	}
}

// TestScrolledBackAtOnce: the first thing somebody does is to leaf back.
func TestScrolledBackAtOnce(t *testing.T) {
	w := watcher{l: open(ledger.Rules{}), now: chatview.Start}
	w.see(chatview.Stack(">aaaa <bbbb <cccc"))
	f := w.see(chatview.Stack("~<rrrr <ssss <tttt"))
	w.see(chatview.Stack("<oooo <pppp <uuuu^"))
	if got := strings.Join(w.out, " "); got != "bbbb cccc" || f.Gap || len(f.Notes) != 1 {
		t.Errorf("leafed back passed on %q with gap %v and notes %+v, want only %q and a note", got, f.Gap, f.Notes,
			"bbbb cccc")
	}
	w.see(chatview.Stack("<wwww <xxxx"))
	if got, want := strings.Join(w.out, " "), "bbbb cccc wwww xxxx"; got != want {
		t.Errorf("a gap at the newest position passed on %q, want %q", got, want)
	}
}

// TestTheNewestPositionMoves: bubbles end elsewhere than they did.
func TestTheNewestPositionMoves(t *testing.T) {
	w := watcher{l: open(ledger.Rules{}), now: chatview.Start}
	w.see(chatview.Stack(">aaaa <bbbb"))
	w.see(chatview.Stack("~<cccc >dddd <eeee"))
	w.see(chatview.Stack("~>dddd <eeee <ffff"))
	w.see(chatview.Stack("~<eeee <ffff <gggg"))
	if got, want := strings.Join(w.out, " "), "bbbb eeee ffff gggg"; got != want {
		t.Errorf("passed on %q, want %q", got, want)
	}
}

func TestKeep(t *testing.T) {
	w := watcher{l: open(ledger.Rules{Keep: 10}), now: chatview.Start}
	stored := map[int64]ledger.Entry{}
	for i := range 100 {
		v := chatview.Stack(fmt.Sprintf("<m%d_x <m%d_x <m%d_x", i, i+1, i+2))
		f := w.l.Observe(v, w.mem, chatview.Start)
		w.mem = f.Memory
		w.l.Release(chatview.Start)
		put, gone := w.l.Changes()
		for _, e := range put {
			stored[e.Pos] = e
		}
		for _, pos := range gone {
			delete(stored, pos)
		}
	}
	if next := w.l.Head().Next; len(stored) != 10 || next != 103 {
		t.Errorf("%d entries stored, next occurrence %d, want 10 and 103", len(stored), next)
	}
	for _, e := range stored {
		if e.Occurrence < 93 || e.Waiting {
			t.Errorf("stored at %d: %+v, want one of the newest ten, passed on", e.Pos, e)
		}
	}
}

func TestWhatWasForgottenIsHistory(t *testing.T) {
	l := ledger.New(ledger.Rules{FirstSight: ledger.All, Keep: 9, History: 9}, ledger.Head{Next: 8, Forgotten: true},
		nil)
	f := l.Observe(chatview.Stack("<aaaa <bbbb"), ledger.Memory{}, chatview.Start)
	heard, _, _ := l.Release(chatview.Start)
	if f.Rule != events.RuleForgotten || f.Passed != 0 || len(heard) != 0 || fmt.Sprint(f.Held) != "[8 9]" {
		t.Errorf("Observe of what was forgotten = %+v and heard %v, want rule %s, history 8 and 9 and nothing heard", f,
			heard, events.RuleForgotten)
	}
	l.Observe(chatview.Stack("<aaaa <bbbb <cccc"), f.Memory, chatview.Start)
	if heard, _, _ = l.Release(chatview.Start); len(heard) != 1 || heard[0].Occurrence != 10 {
		t.Errorf("heard after it = %+v, want occurrence 10", heard)
	}
}
