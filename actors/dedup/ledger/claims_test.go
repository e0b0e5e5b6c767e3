package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// page is a full window of a flood's messages.
func page(from, n int, said func(int) string) (words []string) {
	for i := range n {
		words = append(words, "<"+said(from+i))
	}
	return words
}

// counted are texts that differ in their digits alone.
func counted(i int) string { return fmt.Sprintf("message_number_%02d", i) }

// acknowledged are such texts between short ones that come again and again.
func acknowledged(i int) string {
	if i%3 != 0 {
		return []string{"OK", "yes", "OK", "hm"}[i%4]
	}
	return counted(i)
}

// TestFlood: pages of a flood that have nothing in common but what is like each other, or said again and again, are
// new, each with a gap before it. An overlap of neighbours is found, and what has kept its place is edited.
func TestFlood(t *testing.T) {
	const n = 12
	edited := func(words []string, at ...int) []string {
		words = slices.Clone(words)
		for _, i := range at {
			words[i] = "<another_text_here"
		}
		return words
	}
	long := append(page(0, 4, func(int) string { return "hello" }), page(0, 8, func(int) string { return "fine" })...)
	for _, c := range []struct {
		name  string
		pages [][]string
		want  events.Rule
		news  int // of the last page
	}{
		{"digits", [][]string{page(0, n, counted), page(n, n, counted), page(2*n, n, counted)}, events.RuleGap, n},
		{"repeats", [][]string{page(0, n, acknowledged), page(n, n, acknowledged), page(2*n, n, acknowledged)},
			events.RuleGap, n},
		{"repeats that overlap", [][]string{page(0, n, acknowledged), page(n-4, n, acknowledged)},
			events.RuleAligned, n - 4},
		{"one that was edited", [][]string{page(0, n, acknowledged), edited(page(0, n, acknowledged), 3)},
			events.RuleAligned, 0},
		{"edited in a long row of repeats", [][]string{long, edited(long, 7, 9)}, events.RuleAligned, 0},
		{"digits, no pixels", [][]string{page(0, n, counted), page(n, n, counted)}, events.RuleGap, n},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := watcher{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
			var f ledger.Finding
			for _, p := range c.pages {
				w.now = w.now.Add(time.Second)
				w.out = nil
				v := chatview.Stack(strings.Join(p, " "))
				for i := range v.Bubbles {
					if c.name == "digits, no pixels" {
						v.Bubbles[i].Key = 0
					}
				}
				f = w.see(v)
			}
			last := friendly(c.pages[len(c.pages)-1])
			if f.Rule != c.want || f.Passed != c.news || c.news == n && !slices.Equal(w.out, last) {
				t.Errorf("the last page is %s with %d new ones, passed on %q; want %s, %d", f.Rule, f.Passed, w.out,
					c.want, c.news)
			}
		})
	}
}

// TestFloodIsFresh: a short text of a flood that was said on the page before too is another message: its neighbours
// are others.
func TestFloodIsFresh(t *testing.T) {
	fresh := func(pages ...[]string) (n int) {
		l, mem := open(ledger.Rules{FirstSight: ledger.All}), ledger.Memory{}
		for i, p := range pages {
			mem = l.Observe(chatview.Stack(strings.Join(p, " ")), mem, chatview.Start).Memory
			ready, _, _ := l.Release(chatview.Start)
			for _, h := range ready {
				if i == len(pages)-1 && h.Fresh {
					n++
				}
			}
		}
		return n
	}
	before := append([]string{">one", ">two"}, page(0, 10, acknowledged)...) // the window is at its newest position
	if n := fresh(before[:11], before, page(12, 12, acknowledged), page(24, 12, acknowledged)); n != 12 {
		t.Errorf("%d messages of a page are fresh, want 12", n)
	}
}

// TestTwoGaps: a second gap that comes before the first one is read is read before that. All is passed on once, in
// order, after the first; if that is not reached, one notice speaks of both.
func TestTwoGaps(t *testing.T) {
	const view = 8
	known, flood := page(0, view, func(i int) string { return fmt.Sprintf("known_%c_text", 'a'+i) }), []string(nil)
	for i := range 40 {
		flood = append(flood, fmt.Sprintf("<%c%c_says_%c", 'b'+i%20, 'a'+i/3, 'z'-i%7))
	}
	start := func() *watcher {
		w := &watcher{l: open(ledger.Rules{}), now: chatview.Start}
		w.see(chatview.Stack(strings.Join(known, " ")))
		w.out = nil
		for _, at := range []int{10, 40} {
			v := chatview.Stack(strings.Join(flood[at-view:at], " "))
			v.CatchUp = time.Minute
			if f := w.see(v); !f.Gap || f.Notice.Conversation != "" {
				t.Fatalf("a page of the flood is %+v, want a gap, and no other given up", f)
			}
			w.l.Notify(messages.TranscriptGap{Conversation: "c", After: w.l.After(), Screens: 2, Passed: view})
		}
		if len(w.out) > 0 {
			t.Fatalf("passed on %q before the gaps are read", w.out)
		}
		return w
	}
	all := append(slices.Clone(known), flood...)
	back := func(w *watcher, until int) (step messages.BackStep, fresh []messages.Occurrence) {
		for top := len(all) - view - 3; top >= until; top -= 3 {
			if step, fresh = w.l.Back(chatview.Stack("~"+strings.Join(all[top:top+view], " ")), w.now); len(fresh) > 0 {
				break
			}
		}
		return step, fresh
	}
	w := start()
	step, fresh := back(w, 0)
	if w.release(); step != messages.BackReached || !slices.Equal(w.out, friendly(flood)) || len(fresh) != len(flood) {
		t.Errorf("Back() = %q with %d new ones, passed on %q; want %q and the whole flood", step, len(fresh), w.out,
			messages.BackReached)
	}
	w = start()
	after := w.l.After()
	step, _ = back(w, view+10-view-1) // the newest gap alone
	notice, ok := w.l.GiveUp(messages.CatchUpTop, false)
	if w.release(); step == messages.BackReached || !ok || notice.After != after || notice.Screens != 3 {
		t.Errorf("after %q the notice is %+v, want one of 3 screens after %d", step, notice, after)
	}
	if want := friendly(flood[2:]); !slices.Equal(w.out, want) {
		t.Errorf("passed on %q, want what came after the oldest gap: %q", w.out, want)
	}
	w = start()
	if notice, ok := w.l.GiveUp(messages.CatchUpPerson, false); !ok || notice.Screens != 4 || notice.Passed != 2*view {
		t.Errorf("the notice is %+v, want one of 4 screens and %d messages", notice, 2*view)
	}
}

// TestInserted: an application sets late messages above others that it has shown already. However many come between two
// views, none is taken for an edit; those that stand between known ones are passed on, once.
func TestInserted(t *testing.T) {
	const view = 13
	short := []string{"<OK", "<yes", "<no", "<un", "<hai"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 4))
		var all []string
		for i := range 30 {
			if r.IntN(2) == 0 {
				all = append(all, short[r.IntN(len(short))])
			} else {
				all = append(all, fmt.Sprintf("<said_before_%d", i))
			}
		}
		shown := func() ledger.View {
			words := slices.Clone(all[len(all)-view:])
			words[0] += "^"
			return chatview.Stack(strings.Join(words, " "))
		}
		w := &watcher{l: open(ledger.Rules{}), now: chatview.Start}
		w.see(shown())
		w.see(shown())
		w.out = nil
		var want []string
		come := func(at, n int) { // each above the one before
			for range n {
				text := fmt.Sprintf("message %d of those that are late", len(want))
				all = slices.Insert(all, at, "<"+strings.ReplaceAll(text, " ", "_"))
				want = append(want, text)
			}
		}
		below := 2 + r.IntN(5)
		come(len(all), below)
		w.see(shown())
		between := 1 + r.IntN(view-below)
		come(len(all)-below, between)
		f := w.see(shown())
		for _, n := range f.Notes {
			if n.Rule == events.RuleReadsDifferent || n.Rule == events.RuleTakenBack {
				t.Errorf("seed %d: %d above %d: %s", seed, between, below, n.Rule)
			}
		}
		w.see(shown())
		w.now = w.now.Add(time.Hour)
		w.release()
		got := slices.Sorted(slices.Values(w.out))
		if between > view-2-below { // nothing known stands above them: they may be older
			want = want[:below]
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %d above %d: passed on %q, want %q", seed, between, below, got, want)
		}
	}
}

// TestReordered: an application that sorts by the second shows what came within one the other way round once the chat
// is opened anew. Nothing of it is taken back or new. One that is said again at the end is.
func TestReordered(t *testing.T) {
	const known = "<when_do_we_meet <at_the_station <half_past_nine <bring_the_tickets <and_an_umbrella <see_you_there"
	for _, c := range []struct{ name, shown, want string }{
		{"two inside, and two at the end", "<when_do_we_meet <half_past_nine <at_the_station <bring_the_tickets " +
			"<see_you_there <and_an_umbrella <are_you_here <I_am_late", "are you here I am late"},
		{"three inside", "<when_do_we_meet <bring_the_tickets <half_past_nine <at_the_station <and_an_umbrella " +
			"<see_you_there <I_am_late", "I am late"},
		{"beneath one that is cut", "<we_meet^ <half_past_nine <at_the_station <bring_the_tickets <and_an_umbrella " +
			"<see_you_there <I_am_late", "I am late"},
		{"said again", "<when_do_we_meet <at_the_station <half_past_nine <bring_the_tickets <see_you_there " +
			"<and_an_umbrella", "and an umbrella"},
	} {
		w := &watcher{l: open(ledger.Rules{}), now: chatview.Start}
		w.see(chatview.Stack(known))
		w.out = nil
		var rules []events.Rule
		for range 2 {
			for _, n := range w.see(chatview.Stack(c.shown)).Notes {
				rules = append(rules, n.Rule)
			}
			w.now = w.now.Add(time.Minute)
		}
		w.release()
		if got := strings.Join(w.out, " "); got != c.want {
			t.Errorf("%s: passed on %q, want %q", c.name, got, c.want)
		}
		if taken := slices.Contains(rules, events.RuleTakenBack); taken != (c.name == "said again") ||
			slices.Contains(rules, events.RuleReadsDifferent) {
			t.Errorf("%s: it is told that %v", c.name, rules)
		}
	}
}
