package dedup

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

var start = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

func ledger(o Options) *Ledger { return NewLedger(o.rules(), Head{}, nil) }

// bubble makes a bubble of a word: "<text" is incoming, ">text" own, "=text"
// neither; "?" for the text is unreadable, "#x" a sticker with the pixels x;
// "^" at the end means clipped.
func bubble(word string) messages.Bubble {
	side := map[byte]messages.Side{'<': messages.SideIncoming, '>': messages.SideOwn, '=': messages.SideNeither}[word[0]]
	b := messages.Bubble{Side: side, Kind: messages.KindText, Box: messages.Rect{W: 40 + 15*len([]rune(word)), H: 42}}
	word, b.Clipped = strings.CutSuffix(word[1:], "^")
	h := fnv.New64a()
	fmt.Fprint(h, side, word)
	b.Key = messages.PixelKey(h.Sum64())
	switch {
	case strings.HasPrefix(word, "?"):
		b.Kind = messages.KindUnreadable
	case strings.HasPrefix(word, "#"):
		b.Kind = messages.KindSticker
	default:
		b.Text = messages.Text(word)
	}
	return b
}

// view lays words out from the bottom, separated by spaces; "_" in a word is
// one. After "~" the window is scrolled back a little.
func view(words string) View {
	words, scrolled := strings.CutPrefix(words, "~")
	v := View{Title: "Hana", Window: "w", SeenAt: start, Scale: 1, Size: messages.Rect{W: 600, H: 800}}
	y := 700 - 48*len(strings.Fields(words))
	if scrolled {
		y -= 20
	}
	for _, w := range strings.Fields(words) {
		b := bubble(strings.ReplaceAll(w, "_", " "))
		b.Box.Y = y
		y += b.Box.H + 6
		v.Bubbles = append(v.Bubbles, b)
	}
	if n := len(v.Bubbles); n > 0 && v.Bubbles[n-1].Clipped {
		v.Bubbles[n-1].Box.Y = 700
	}
	return v
}

// watcher feeds views to a ledger and remembers what it passes on.
type watcher struct {
	l   *Ledger
	mem Memory
	now time.Time
	out []string
}

func (w *watcher) see(v View) Finding {
	f := w.l.See(v, w.mem, w.now)
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
		o     Options
		views []string
		want  string // passed on in the end
	}{
		{"first sight, unanswered", Options{}, []string{"<a >b <c <d"}, "c d"},
		{"first sight, nothing own", Options{}, []string{"<a <b <c <d <e <f <g"}, "c d e f g"},
		{"first sight, all", Options{FirstSight: All}, []string{"<a >b <c <d"}, "a c d"},
		{"first sight, none", Options{FirstSight: None}, []string{"<a >b <c", "<a >b <c <d"}, "d"},
		{"the same again", Options{}, []string{">a <b", ">a <b", ">a <b"}, "b"},
		{"new ones", Options{}, []string{">a <b", ">a <b <c", "<b <c >d <e"}, "b c e"},
		{"a repeat is new", Options{}, []string{">hello <OK", ">hello <OK <OK", ">hello <OK <OK <OK"}, "OK OK OK"},
		{"both sides say the same", Options{}, []string{">いいね", ">いいね <いいね"}, "いいね"},
		{"scrolled back", Options{}, []string{"<a >bbb <ccc <ddd", "~<zzz <a >bbb", "~<yyy <zzz <a", "~<a >bbb <ccc", ">bbb <ccc <ddd <eee"}, "ccc ddd eee"},
		{"jitter", Options{}, []string{"<おはようございます >はい <明日の会議は10時です", "<おはようこざいます >はい <明日の会議は10時てす <はい"}, "明日の会議は10時です はい"},
		{"garbage in the middle", Options{FirstSight: All}, []string{"<good_morning <see_you_at_ten >yes", "<good_morning <|l|l >yes <fine"}, "good morning see you at ten fine"},
		{"edited in the middle", Options{FirstSight: All}, []string{">aaa <one_two_three >bbb", ">aaa <four_five_six >bbb <c"}, "one two three c"},
		{"unsent in the middle", Options{}, []string{">aaaa <bbbb <cccc", ">aaaa <cccc <dddd"}, "bbbb cccc dddd"},
		{"unsent at the end", Options{}, []string{">aaaa <bbbb <cccc", ">aaaa <bbbb", ">aaaa <bbbb <dddd"}, "bbbb cccc dddd"},
		{"clipped at the top", Options{}, []string{">aaaa <long_and_clipped <cccc", "<and_clipped^ <cccc <dddd"}, "long and clipped cccc dddd"},
		{"clipped at the bottom waits", Options{}, []string{">aaaa <bbbb", ">aaaa <bbbb <cc^", "<bbbb <cccc"}, "bbbb cccc"},
		{"clipped at the top at first sight", Options{}, []string{"<x^ <aaaa"}, "aaaa"},
		{"stickers", Options{}, []string{">aaaa <#1", ">aaaa <#1 <#2", ">aaaa <#1 <#2 <#2"}, "(sticker) (sticker) (sticker)"},
		{"an animated sticker", Options{}, []string{">aaaa <#1", ">aaaa <#2", ">aaaa <#3 <b"}, "(sticker) b"},
		{"only an animated sticker", Options{FirstSight: All}, []string{"<#1", "<#2", "<#3"}, "(sticker)"},
		{"becomes readable", Options{}, []string{">aaaa <?1", ">aaaa <bbbb"}, "bbbb"},
		{"holds up what follows", Options{}, []string{">aaaa <?1 <cccc", ">aaaa <bbbb <cccc"}, "bbbb cccc"},
		{"stays unreadable", Options{}, []string{">aaaa <?1", ">aaaa <?2", ">aaaa <?3 <c"}, "(unreadable) c"},
		{"becomes unreadable", Options{}, []string{">aaaa <bbbb", ">aaaa <?1", ">aaaa <bbbb <c"}, "bbbb c"},
		{"a side becomes known", Options{}, []string{">aaaa =bbbb", ">aaaa <bbbb"}, "bbbb"},
		{"a side stays unknown", Options{}, []string{">aaaa =bbbb", ">aaaa =bbbb", ">aaaa =bbbb", ">aaaa =bbbb <c"}, "c"},
		{"an own bubble read on the wrong side", Options{FirstSight: All}, []string{"<aaaa >bbbb", "<aaaa <bbbb", "<aaaa >bbbb <cccc"}, "aaaa cccc"},
		{"a gap", Options{}, []string{"<aaaa <bbbb", "<cccc >dddd <eeee <ffff"}, "aaaa bbbb eeee ffff"},
		{"a gap without own ones", Options{}, []string{"<aaaa <bbbb", "<cccc <dddd"}, "aaaa bbbb cccc dddd"},
		{"a gap is no gap the second time", Options{}, []string{"<aaaa", "<cccc <dddd", "<cccc <dddd", "<dddd <eeee"}, "aaaa cccc dddd eeee"},
		{"what a gap hid is history", Options{}, []string{"<aaaa", "<cccc_cccc <dddd_dddd", "~<bbbb_bbbb <cccc_cccc <dddd_dddd", "<dddd_dddd <e"}, "aaaa cccc cccc dddd dddd e"},
		{"own words alone", Options{}, []string{">aaaa", ">aaaa >bbbb", ">cccc"}, ""},
		{"nothing visible", Options{}, []string{"", "<aaaa", "", "<aaaa <bbbb"}, "aaaa bbbb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := watcher{l: ledger(c.o), now: start}
			for _, words := range c.views {
				w.see(view(words))
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
	show := func(from, to, foot int) View {
		v := view(strings.Join(words[from:to], " "))
		for i := range v.Bubbles {
			v.Bubbles[i].Box.Y = v.Size.H - foot - (to-from-i)*48
		}
		return v
	}
	w := watcher{l: ledger(Options{FirstSight: All}), now: start}
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
	named := func(words string, names ...messages.Text) View {
		v := view(words)
		for i, n := range names {
			v.Bubbles[i].Sender = n
		}
		return v
	}
	senders := func(l *Ledger, v View) (out []messages.Text) {
		l.See(v, Memory{}, start)
		heard, _, _ := l.Release(start)
		for _, h := range heard {
			out = append(out, h.Sender)
		}
		return out
	}
	l := ledger(Options{})
	if got, want := senders(l, view("<a <b")), []messages.Text{"Hana", "Hana"}; !slices.Equal(got, want) {
		t.Errorf("senders of two = %v, want the title", got)
	}
	l = ledger(Options{FirstSight: All})
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
	show := func(words string, names ...string) View {
		v := view(words)
		for i, n := range names {
			v.Bubbles[i].Named = n != ""
			if n != "?" {
				v.Bubbles[i].Sender = messages.Text(n)
			}
		}
		return v
	}
	var mem Memory
	l := ledger(Options{FirstSight: All})
	senders := func(v View) (out []string) {
		mem = l.See(v, mem, start).Memory
		heard, _, _ := l.Release(start)
		for _, h := range heard {
			out = append(out, string(h.Sender))
		}
		return out
	}
	for _, c := range []struct {
		view View
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
	l = ledger(Options{FirstSight: All})
	if got, want := senders(show("<aaaa", "?")), []string{""}; !slices.Equal(got, want) {
		t.Errorf("sender of one whose name cannot be read = %q, want unknown, and not the title", got)
	}
}

func TestHigherThanTheWindow(t *testing.T) {
	tall := func(y int, lines string) messages.Bubble {
		b := bubble("<" + lines)
		b.Clipped, b.Box.Y, b.Box.H = true, y, 600
		return b
	}
	show := func(bubbles ...messages.Bubble) View {
		v := view("")
		v.Bubbles = bubbles
		return v
	}
	w := watcher{l: ledger(Options{}), now: start}
	w.see(view(">aaaa <bbbb"))
	w.see(show(tall(94, "fourth line of many, fifth line of many, sixth line of many")))
	w.see(show(tall(80, "second line of it, third line of it, fourth line of many")))
	w.see(show(tall(46, "fifth line of many, sixth line of many"), bubble("<next")))
	want := []string{"bbbb", "fourth line of many, fifth line of many, sixth line of many", "next"}
	if !slices.Equal(w.out, want) {
		t.Errorf("passed on %q, want %q", w.out, want)
	}
}

// What is passed on of a message higher than the window is marked as a part, and
// completed once, when a larger window shows all of it.
func TestPartIsCompleted(t *testing.T) {
	w := watcher{l: ledger(Options{}), now: start}
	w.see(view(">aaaa <bbbb"))
	part := bubble("<fourth line of many, fifth line of many, sixth line of many")
	part.Clipped, part.Box.Y, part.Box.H = true, 94, 600
	v := view("")
	v.Bubbles = append(v.Bubbles, part)
	f := w.l.See(v, w.mem, w.now)
	heard, _, _ := w.l.Release(w.now)
	if len(heard) != 1 || !heard[0].Partial {
		t.Fatalf("passed on %+v, want one part", heard)
	}
	whole := bubble("<first line of many, fourth line of many, fifth line of many, sixth line of many")
	whole.Box = messages.Rect{Y: 100, W: 400, H: 900}
	v = view("")
	v.Size.H, v.Bubbles = 1200, append(v.Bubbles, whole)
	w.l.See(v, f.Memory, w.now)
	w.l.See(v, f.Memory, w.now)
	list, _ := w.l.Revise(w.now.Add(time.Minute))
	again, _ := w.l.Revise(w.now.Add(time.Hour))
	if len(list) != 1 || list[0].Change != messages.ChangeCompleted || list[0].Occurrence != heard[0].Occurrence || list[0].Text != whole.Text || len(again) != 0 {
		t.Errorf("changes %+v, then %+v, want that occurrence %d is complete, once", list, again, heard[0].Occurrence)
	}
	if heard, _, _ := w.l.Release(w.now); len(heard) != 0 {
		t.Errorf("passed on %+v, want nothing twice", heard)
	}
}

// Files and calls are told by their words, also when they are drawn anew.
func TestFilesAndCalls(t *testing.T) {
	show := func(phase int, words ...string) View {
		v := view(strings.Join(words, " "))
		for i := range v.Bubbles {
			b := &v.Bubbles[i]
			b.Key += messages.PixelKey(phase)
			if kind, text, ok := strings.Cut(string(b.Text), ":"); ok {
				b.Kind, b.Text = messages.Kind(kind), messages.Text(text)
			}
		}
		return v
	}
	l, mem := ledger(Options{FirstSight: All}), Memory{}
	var got []string
	for _, v := range []View{
		show(0, ">hello", "<file:plan.pdf", "<call:Missed_call"),
		show(1, "<file:plan.pdf", "<call:Missed_call", "<file:bill.pdf"),
		show(2, "<call:Missed_call", "<file:bill.pdf", "<call:Missed_call"),
		show(3, "<file:bill.pdf", "<call:Missed_call", "<file:bill.pdf"),
	} {
		mem = l.See(v, mem, start).Memory
		heard, _, _ := l.Release(start)
		for _, h := range heard {
			got = append(got, string(h.Kind)+" "+string(h.Text))
		}
	}
	if want := []string{"file plan.pdf", "call Missed call", "file bill.pdf", "call Missed call", "file bill.pdf"}; !slices.Equal(got, want) {
		t.Errorf("passed on %q, want %q", got, want)
	}
}

func TestPatience(t *testing.T) {
	l := ledger(Options{})
	l.See(view(">aaaa <?1 <cccc"), Memory{}, start)
	heard, wait, _ := l.Release(start.Add(500 * time.Millisecond))
	if len(heard) != 0 || wait != 1500*time.Millisecond {
		t.Errorf("Release after 0.5 s = %v, wait %v, want none, wait 1.5s", heard, wait)
	}
	heard, wait, _ = l.Release(start.Add(2 * time.Second))
	if len(heard) != 2 || heard[0].Kind != messages.KindUnreadable || wait != 0 {
		t.Errorf("Release after 2 s = %v, wait %v, want an unreadable one and another, no wait", heard, wait)
	}
	l.See(view(">aaaa <bbbb <cccc"), Memory{}, start.Add(3*time.Second))
	if heard, _, _ = l.Release(start.Add(3 * time.Second)); len(heard) != 0 {
		t.Errorf("Release after it became readable = %v, want none", heard)
	}
	list, _ := l.Revise(start.Add(time.Minute))
	if len(list) != 1 || list[0].Occurrence != 2 || list[0].Text != "bbbb" || list[0].Change == messages.ChangeUnsent {
		t.Errorf("Revise after it became readable = %+v, want what it says", list)
	}
}

func TestScrolledBackTooFar(t *testing.T) {
	w := watcher{l: ledger(Options{History: 4}), now: start}
	w.see(view(">aaaa <bbbb <cccc"))
	w.see(view("~<zzzz >aaaa <bbbb"))
	w.see(view("~<xxxx <yyyy <zzzz >aaaa"))
	f := w.see(view("~<ssss <tttt <uuuu <vvvv"))
	if got := strings.Join(w.out, " "); got != "bbbb cccc" || f.Gap || len(f.Notes) == 0 {
		t.Errorf("far back passed on %q with gap %v and notes %q, want only %q and a note", got, f.Gap, f.Notes, "bbbb cccc")
	}
	w.see(view("<bbbb <cccc <dddd"))
	if got, want := strings.Join(w.out, " "), "bbbb cccc dddd"; got != want {
		t.Errorf("back at the end passed on %q, want %q", got, want)
	}
}

// TestScrolledBackAtOnce: the first thing somebody does is to leaf back.
func TestScrolledBackAtOnce(t *testing.T) {
	w := watcher{l: ledger(Options{}), now: start}
	w.see(view(">aaaa <bbbb <cccc"))
	f := w.see(view("~<rrrr <ssss <tttt"))
	w.see(view("<oooo <pppp <uuuu^"))
	if got := strings.Join(w.out, " "); got != "bbbb cccc" || f.Gap || len(f.Notes) != 1 {
		t.Errorf("leafed back passed on %q with gap %v and notes %q, want only %q and a note", got, f.Gap, f.Notes, "bbbb cccc")
	}
	w.see(view("<wwww <xxxx"))
	if got, want := strings.Join(w.out, " "), "bbbb cccc wwww xxxx"; got != want {
		t.Errorf("a gap at the newest position passed on %q, want %q", got, want)
	}
}

// TestTheNewestPositionMoves: bubbles end elsewhere than they did.
func TestTheNewestPositionMoves(t *testing.T) {
	w := watcher{l: ledger(Options{}), now: start}
	w.see(view(">aaaa <bbbb"))
	w.see(view("~<cccc >dddd <eeee"))
	w.see(view("~>dddd <eeee <ffff"))
	w.see(view("~<eeee <ffff <gggg"))
	if got, want := strings.Join(w.out, " "), "bbbb eeee ffff gggg"; got != want {
		t.Errorf("passed on %q, want %q", got, want)
	}
}

func TestKeep(t *testing.T) {
	w := watcher{l: ledger(Options{Keep: 10}), now: start}
	stored := map[int64]Entry{}
	for i := range 100 {
		v := view(fmt.Sprintf("<m%d_x <m%d_x <m%d_x", i, i+1, i+2))
		f := w.l.See(v, w.mem, start)
		w.mem = f.Memory
		w.l.Release(start)
		put, gone := w.l.Changes()
		for _, e := range put {
			stored[e.Pos] = e
		}
		for _, pos := range gone {
			delete(stored, pos)
		}
	}
	if len(stored) != 10 || len(w.l.entries) != 10 || w.l.head.Next != 103 {
		t.Errorf("%d entries stored, %d known, next occurrence %d, want 10, 10, 103", len(stored), len(w.l.entries), w.l.head.Next)
	}
	for _, e := range w.l.entries {
		e.form = nil
		if s := stored[e.Pos]; s.Occurrence != e.Occurrence || s.Waiting {
			t.Errorf("stored at %d: %+v, want %+v", e.Pos, s, e)
		}
	}
}
