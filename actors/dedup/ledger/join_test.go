package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatview"
)

func seeing(views ...string) *watcher {
	w := &watcher{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
	for _, v := range views {
		w.see(chatview.Stack(v))
	}
	return w
}

func texts(l *ledger.Ledger) string {
	var out []string
	for _, e := range l.Entries() {
		out = append(out, string(e.Text))
	}
	return strings.Join(out, " ")
}

// TestJoin: two ledgers of one conversation become one, what both have counts once,
// and what is shown after that is neither repeated nor lost.
func TestJoin(t *testing.T) {
	for _, c := range []struct {
		what, one, other, want string
		twice                  int
		next, news             string
	}{
		{"two chats, the other goes on", "<aaaa <bbbb", "<cccc <dddd", "aaaa bbbb cccc dddd", 0, "<cccc <dddd <eeee",
			"eeee"},
		{"two chats, the one goes on", "<aaaa <bbbb", "<cccc <dddd", "aaaa bbbb cccc dddd", 0, "<aaaa <bbbb <eeee",
			"eeee"},
		{"the other came first", "<bbbbbbbb <cccc", "<aaaa <bbbbbbbb", "aaaa bbbbbbbb cccc", 1,
			"<bbbbbbbb <cccc <dddd", "dddd"},
		{"the other goes on", "<aaaa <bbbb >oo <OK", "<bbbb >oo <OK <cccc", "aaaa bbbb oo OK cccc", 3,
			"<bbbb >oo <OK <cccc <dddd", "dddd"},
		{"two chats, the one ends as the other begins", "<aaaa <bbbb <OK", "<OK <cccc <dddd",
			"aaaa bbbb OK OK cccc dddd", 0, "<aaaa <bbbb <OK <eeee", "eeee"},
		{"two chats, the other begins as the one ends", "<aaaa <bbbb <OK", "<OK <cccc <dddd",
			"aaaa bbbb OK OK cccc dddd", 0, "<OK <cccc <dddd <eeee", "eeee"},
		{"two chats, both with an OK again", "<aaaa <bbbb <OK", "<OK <cccc <dddd",
			"aaaa bbbb OK OK cccc dddd", 0, "<OK <cccc <dddd <OK", "OK"},
		{"two chats, the other ends as the one begins", "<OK <aaaa <bbbb", "<cccc <dddd <OK",
			"OK aaaa bbbb cccc dddd OK", 0, "<cccc <dddd <OK <OK", "OK"},
		{"nothing in the other", "<aaaa", "", "aaaa", 0, "<aaaa <bbbb", "bbbb"},
		{"the same", "<aaaa >bbbb", "<aaaa >bbbb", "aaaa bbbb", 2, "<aaaa >bbbb <cccc", "cccc"},
	} {
		a, b := seeing(c.one), seeing()
		if c.other != "" {
			v := chatview.Stack(c.other)
			v.SeenAt = v.SeenAt.Add(time.Hour)
			b.see(v)
		}
		next := a.l.Head().Next
		offset, twice := a.l.Join("c-2", b.l.Head().Next, b.l.Entries())
		if got := texts(a.l); got != c.want || len(twice) != c.twice || offset != next-1 {
			t.Errorf("%s: %q, twice %v, offset %d, want %q, %d and %d", c.what, got, twice, offset, c.want, c.twice,
				next-1)
		}
		seen := map[messages.Occurrence]bool{}
		for _, e := range a.l.Entries() {
			if seen[e.Occurrence] || e.Occurrence >= a.l.Head().Next {
				t.Errorf("%s: occurrence %d stands twice or was not given out", c.what, e.Occurrence)
			}
			seen[e.Occurrence] = true
		}
		a.out, a.mem = nil, ledger.Memory{}
		a.see(chatview.Stack(c.next))
		if got := fmt.Sprint(strings.Join(a.out, " ")); got != c.news {
			t.Errorf("%s: after it %q passed on %q, want %q", c.what, c.next, got, c.news)
		}
	}
}

// TestJoinedChats: two chats in one ledger are shown by turns, one with room below it, while
// the other one fills the window. Known messages of either are not new.
func TestJoinedChats(t *testing.T) {
	few := "<aaaa >bb <OK"
	many := strings.Fields("<cccccccc >dddddddd <eeee >ffff <gggg >hhhh <iiii >jjjj <mmmm >nnnn <oooo >pppp")
	a, b := seeing(few), seeing(strings.Join(many[:11], " "))
	a.l.Join("c-2", b.l.Head().Next, b.l.Entries())
	a.out, a.mem = nil, ledger.Memory{}
	for n := range 3 {
		for end := 11; end <= len(many); end++ {
			a.see(chatview.Chat(strings.Join(many[end-11:end], " ")))
		}
		a.see(chatview.Chat(few))
		few, many = fmt.Sprint(few, " <few", n), append(many, fmt.Sprint("<many", n))
	}
	if got, want := strings.Join(a.out, " "), "many0 few0 many1 few1"; got != want {
		t.Errorf("two joined chats, shown by turns, passed on %q, want %q", got, want)
	}
}

// TestWindowsOfJoinedChats: two windows show two chats of one ledger by turns. Neither
// loses its earlier messages: an edit in one is reported, and scrolling back in it yields
// no news.
func TestWindowsOfJoinedChats(t *testing.T) {
	few := "<aaaa >bbbb <cccc >dddd <see_you_at_ten"
	many := "~<cccccccc >dddddddd <eeee >ffff <gggg >hhhh <iiii >jjjj <mmmm >nnnn <oooo"
	a, b := seeing(few), seeing(many)
	a.l.Join("c-2", b.l.Head().Next, b.l.Entries())
	r := reader{l: a.l, now: chatview.Start.Add(time.Minute)}
	var mems [2]ledger.Memory
	for n, view := range []string{
		few, many,
		few, many,
		"<aaaa >bbbb <cccc >dddd <see_you_at_six", many, // edited
		"<aaaa >bbbb <cccc >dddd <see_you_at_six", many,
		"<aaaa >bbbb <cccc >dddd <see_you_at_six <news", "~<eeee >ffff <gggg >hhhh <iiii >jjjj <mmmm >nnnn <oooo <more",
		"<aaaa >bbbb <cccc >dddd <see_you_at_six <news", "~<zzzz >yyyy <cccccccc >dddddddd <eeee", // scrolled back
		"<aaaa >bbbb <cccc >dddd <see_you_at_six <news", "~<eeee >ffff <gggg >hhhh <iiii >jjjj <mmmm >nnnn <oooo <more",
	} {
		mem := &mems[n%2]
		r.mem = *mem
		r.see(chatview.Chat(view))
		*mem = r.mem
		mems[1-n%2] = r.l.Moved(mems[1-n%2])
	}
	if got, want := strings.Join(r.out, " "), "+5=see you at six news more"; got != want {
		t.Errorf("two windows of joined chats passed on %q, want %q", got, want)
	}
}
