package dedup

import (
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// placed makes a view of words with the room above each.
func placed(words []string, room []int) View {
	v := View{Title: "Hana", Window: "w", SeenAt: start, Scale: 1, Size: messages.Rect{W: 600, H: 800}}
	y := 52
	for i, w := range words {
		b := bubble(strings.ReplaceAll(w, "_", " "))
		y += room[i]
		b.Box.Y = y
		y += b.Box.H
		v.Bubbles = append(v.Bubbles, b)
	}
	return v
}

// The newest bubble with quite another text is an edited one where it stands in
// its place, and a new one below the notice that the last was taken back.
func TestEditedAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []string
		after  []string
		room   []int // after; before it is 44 and 6
		want   []string
	}{
		{"edited", []string{">one", "<two"}, []string{">one", "<something_else"}, []int{44, 6}, []string{"two"}},
		{"edited, and more came", []string{">one", "<two"}, []string{">one", "<something_else", "<three"}, []int{44, 6, 6}, []string{"two", "three"}},
		{"taken back, and another came", []string{">one", "<two"}, []string{">one", "<something_else"}, []int{44, 50}, []string{"two", "something else"}},
		{"the only one", []string{"<two"}, []string{"<something_else"}, []int{44}, []string{"two"}},
		{"the only one taken back", []string{"<two"}, []string{"<something_else"}, []int{80}, []string{"two", "something else"}},
		{"the other side", []string{">one", ">two"}, []string{">one", "<something_else"}, []int{44, 6}, []string{"something else"}},
	} {
		w := watcher{l: ledger(Options{FirstSight: All}), now: start}
		w.see(placed(c.before, []int{44, 6}))
		for range 2 {
			w.see(placed(c.after, c.room))
		}
		if !slices.Equal(w.out, c.want) {
			t.Errorf("%s: %q then %q passed on %q, want %q", c.name, c.before, c.after, w.out, c.want)
		}
	}
}

// Of two that say the same in a view of which nothing is known, the second is
// no second reading of the first.
func TestTwinsAtFirstSight(t *testing.T) {
	l := ledger(Options{FirstSight: All})
	l.See(placed([]string{"<OK", ">yes", "<fine", "<O_K!"}, []int{44, 14, 14, 6}), Memory{}, start)
	heard, _, _ := l.Release(start)
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
	w := watcher{l: ledger(Options{FirstSight: All}), now: start}
	w.see(placed([]string{"<one"}, []int{44}))
	w.see(placed([]string{"<two_two"}, []int{80}))
	w.see(placed([]string{"<two_two", "<three"}, []int{80, 6}))
	if want := []string{"one", "two two", "three"}; !slices.Equal(w.out, want) {
		t.Errorf("passed on %q, want %q", w.out, want)
	}
}

// A bubble that was overlooked has left its room; where there was none, a new
// text among known ones is an edit.
func TestOverlooked(t *testing.T) {
	w := watcher{l: ledger(Options{}), now: start}
	w.see(placed([]string{">aaaa", "<bbbb", "<dddd"}, []int{44, 14, 54}))
	w.see(placed([]string{">aaaa", "<bbbb", "<cccc", "<dddd"}, []int{44, 14, 6, 6}))
	w.see(placed([]string{">aaaa", "<bbbb", "<cccc", "<dddd", "<eeee"}, []int{44, 14, 6, 6, 6}))
	if want := []string{"bbbb", "dddd", "cccc", "eeee"}; !slices.Equal(w.out, want) {
		t.Errorf("passed on %q, want %q", w.out, want)
	}
}
