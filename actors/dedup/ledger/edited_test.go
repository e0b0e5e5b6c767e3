package ledger_test

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// The newest bubble with quite another text is an edited one where it stands in
// its place, and a new one below the notice that the last was taken back.
func TestEditedAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		before string
		after  string
		room   []int // after; before it is 44 and 6
		want   []string
	}{
		{"edited", ">one <two", ">one <something_else", []int{44, 6}, []string{"two"}},
		{"edited, and more came", ">one <two", ">one <something_else <three", []int{44, 6, 6},
			[]string{"two", "three"}},
		{"taken back, and another came", ">one <two", ">one <something_else", []int{44, 50},
			[]string{"two", "something else"}},
		{"the only one", "<two", "<something_else", []int{44}, []string{"two"}},
		{"the only one taken back", "<two", "<something_else", []int{80}, []string{"two", "something else"}},
		{"the other side", ">one >two", ">one <something_else", []int{44, 6}, []string{"something else"}},
	} {
		w := watcher{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
		w.see(chatview.Spaced(c.before, 44, 6))
		for range 2 {
			w.see(chatview.Spaced(c.after, c.room...))
		}
		if !slices.Equal(w.out, c.want) {
			t.Errorf("%s: %q then %q passed on %q, want %q", c.name, c.before, c.after, w.out, c.want)
		}
	}
}

// If a view without a known message has two equal texts, the second is not another reading of the first.
func TestTwinsAtFirstSight(t *testing.T) {
	l := open(ledger.Rules{FirstSight: ledger.All})
	l.Observe(chatview.Spaced("<OK >yes <fine <O_K!", 44, 14, 14, 6), ledger.Memory{}, chatview.Start)
	heard, _, _ := l.Release(chatview.Start)
	var got []bool
	for _, h := range heard {
		got = append(got, h.Fresh)
	}
	if want := []bool{false, false, true}; !slices.Equal(got, want) {
		t.Errorf("Fresh of <OK >yes <fine <O_K! = %v, want %v", got, want)
	}
}

// A window that is empty below shows the transcript's end, whatever is known.
func TestAllWasTakenBack(t *testing.T) {
	w := watcher{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
	w.see(chatview.Spaced("<one", 44))
	w.see(chatview.Spaced("<two_two", 80))
	w.see(chatview.Spaced("<two_two <three", 80, 6))
	if want := []string{"one", "two two", "three"}; !slices.Equal(w.out, want) {
		t.Errorf("passed on %q, want %q", w.out, want)
	}
}

// A bubble that was overlooked has left its room; where there was none, a new
// text among known ones is an edit.
func TestOverlooked(t *testing.T) {
	w := watcher{l: open(ledger.Rules{}), now: chatview.Start}
	w.see(chatview.Spaced(">aaaa <bbbb <dddd", 44, 14, 54))
	w.see(chatview.Spaced(">aaaa <bbbb <cccc <dddd", 44, 14, 6, 6))
	w.see(chatview.Spaced(">aaaa <bbbb <cccc <dddd <eeee", 44, 14, 6, 6, 6))
	if want := []string{"bbbb", "dddd", "cccc", "eeee"}; !slices.Equal(w.out, want) {
		t.Errorf("passed on %q, want %q", w.out, want)
	}
}
