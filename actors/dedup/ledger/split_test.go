package ledger

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/messages"
)

// TestSplit: what goes and what stays are the transcript, each in its order; the other
// side's go as they were chosen, and what our side said goes with what it follows.
func TestSplit(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		var all []Entry
		var chosen []messages.Occurrence
		want := map[messages.Occurrence]bool{}
		last, heard := false, false
		var above []messages.Occurrence
		for i := range rapid.IntRange(0, 12).Draw(t, "entries") {
			o := messages.Occurrence(i + 1)
			e := Entry{Pos: int64(i) * room, Occurrence: o, Side: messages.SideOwn, Kind: messages.KindText, Text: "x",
				SeenAt: at}
			if rapid.Bool().Draw(t, "incoming") {
				e.Side = messages.SideIncoming
				last = rapid.Bool().Draw(t, "goes")
				if last {
					chosen = append(chosen, o)
				}
				if !heard {
					for _, a := range above {
						want[a] = last
					}
				}
				heard = true
			} else if !heard {
				above = append(above, o)
			}
			want[o] = last
			all = append(all, e)
		}
		l := New(DefaultRules(), Head{Next: messages.Occurrence(len(all) + 1)}, slices.Clone(all))
		taken := l.Split(chosen)
		goes := map[messages.Occurrence]bool{}
		for _, e := range taken {
			goes[e.Occurrence] = true
		}
		for _, e := range all {
			if goes[e.Occurrence] != want[e.Occurrence] {
				t.Fatalf("Split(%v) of %+v takes %d: %v, want %v", chosen, all, e.Occurrence, goes[e.Occurrence],
					want[e.Occurrence])
			}
		}
		inOrder := func(list []Entry) bool {
			return slices.IsSortedFunc(list, func(x, y Entry) int { return int(x.Occurrence - y.Occurrence) })
		}
		put, gone := l.Changes()
		if len(put) != 0 || len(gone) != len(taken) || len(l.Entries())+len(taken) != len(all) ||
			!inOrder(taken) || !inOrder(l.Entries()) {
			t.Fatalf("Split(%v): %d go, %d stay of %d; %d are written, %d deleted", chosen, len(taken),
				len(l.Entries()), len(all), len(put), len(gone))
		}
		if l.Head().Next != messages.Occurrence(len(all)+1) {
			t.Fatalf("the next occurrence is %d, want as before", l.Head().Next)
		}
	})
}
