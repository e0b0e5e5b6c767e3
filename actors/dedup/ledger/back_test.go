package ledger_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// transcript makes one in which people repeat themselves.
func transcript(r *rand.Rand, from, n int) (words []string) {
	short := []string{"<ok", "<hai", ">un", "<OK_then", ">fine", "<see_you_tomorrow"}
	for i := range n {
		switch side := "<"; {
		case r.IntN(3) == 0:
			words = append(words, short[r.IntN(len(short))])
		default:
			if r.IntN(4) == 0 {
				side = ">"
			}
			words = append(words, fmt.Sprintf("%sthis_is_%d_of_them", side, from+i))
		}
	}
	return words
}

func friendly(words []string) (out []string) {
	for _, w := range words {
		if w[0] == '<' {
			out = append(out, strings.ReplaceAll(w[1:], "_", " "))
		}
	}
	return out
}

// gapped shows a conversation, and its end after some messages went by unseen. ok is false
// where a repeat at its end is taken for what is known.
func gapped(r *rand.Rand, view int) (w *watcher, known, rest []string, ok bool) {
	w = &watcher{l: open(ledger.Rules{}), now: chatview.Start}
	known, rest = transcript(r, 0, 2*view), transcript(r, 1000, view+r.IntN(80))
	w.see(chatview.Stack(strings.Join(known[view:], " ")))
	w.out = nil
	v := chatview.Stack(strings.Join(rest[len(rest)-view:], " "))
	v.CatchUp = time.Minute
	return w, known, rest, w.see(v).Gap
}

// back scrolls up over a transcript by random steps, until the ledger says how it ended.
func (w *watcher) back(r *rand.Rand, all []string, view int) (step messages.BackStep) {
	lost, top := 0, len(all)-view
	for range 200 {
		words := slices.Clone(all[top : top+view])
		if r.IntN(2) == 0 {
			words[0] += "^"
		}
		step, _ = w.l.Back(chatview.Stack("~"+strings.Join(words, " ")), w.now)
		switch {
		case step == messages.BackLost && lost < view && top < len(all)-view: // as the hands do
			lost++
			top++
		case step != messages.BackMore && step != messages.BackNear || top == 0:
			return step
		case step == messages.BackNear && top > 0:
			lost, top = 0, top-1
		default:
			lost, top = 0, max(0, top-1-r.IntN(view/2))
		}
	}
	return step
}

// TestBack: what went by unseen is new once, in its order, together with what came after
// it. Where people repeat themselves so much that nothing tells where a view belongs, it is
// not reached, and then nothing is passed on.
func TestBack(t *testing.T) {
	gaps, reached := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		view := 8 + r.IntN(6)
		w, known, rest, ok := gapped(r, view)
		if !ok {
			continue
		}
		gaps++
		if len(w.out) > 0 {
			t.Fatalf("seed %d: passed on %q while the gap is open, want nothing", seed, w.out)
		}
		step := w.back(r, slices.Concat(known, rest), view)
		w.release()
		want := friendly(rest)
		if step != messages.BackReached {
			want = nil
		}
		if !slices.Equal(w.out, want) {
			t.Fatalf("seed %d: after %s passed on %q, want %q", seed, step, w.out, want)
		}
		if step != messages.BackReached {
			continue
		}
		reached++
		if w.l.Opened() || w.l.Head().Open != (ledger.Open{}) {
			t.Fatalf("seed %d: the gap is still open", seed)
		}
	}
	if gaps < 80 || 100*reached < 95*gaps {
		t.Errorf("%d scenarios have a gap, and in %d its beginning was found, want 80 or more, and 95 %%",
			gaps, reached)
	}
}

// TestBackRows: rows show a name only where somebody begins to speak, and most views of a long run show none. Once it
// is known what stood above, all are told, each on its side; where names are no rule, those without a side are not.
func TestBackRows(t *testing.T) {
	lacking := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		unread := -1 // the name of who speaks from here on
		if seed%3 == 0 {
			unread = 40
		}
		var all []string // with the side that each has
		for n, side := 0, "<"; n < 70; n++ {
			if r.IntN(20) == 0 {
				side = map[string]string{"<": ">", ">": "<", "=": "<"}[side]
			}
			if n == unread {
				side = "="
			}
			all = append(all, fmt.Sprintf("%sthis_is_%d_of_them", side, n))
		}
		const view = 8
		shows := func(all []string, top int, rows bool) ledger.View {
			words, named := slices.Clone(all[top:top+view]), top < 3 // where it was watched
			for i := range words {
				n := top + i
				named = named || i > 0 && all[n][0] != all[n-1][0]
				if !named {
					words[i] = "=" + words[i][1:]
				}
			}
			v := chatview.Stack("~" + strings.Join(words, " "))
			v.Rows = rows
			for i := range v.Bubbles {
				n := top + i
				v.Bubbles[i].Named = n == 0 || all[n][0] != all[n-1][0]
				h := fnv.New64a() // the pixels of a row do not tell whose it is
				fmt.Fprint(h, all[n])
				v.Bubbles[i].Key = messages.PixelKey(h.Sum64())
			}
			return v
		}
		told := map[bool][]string{}
		for _, rows := range []bool{true, false} {
			w := &watcher{l: open(ledger.Rules{}), now: chatview.Start}
			for top := range 3 {
				w.see(shows(all, top, rows))
			}
			w.out = nil
			v := shows(all, len(all)-view, rows)
			v.CatchUp = time.Hour
			if f := w.see(v); !f.Gap {
				t.Fatalf("seed %d: no gap is seen", seed)
			}
			step := messages.BackMore
			for top := len(all) - view - 3; step != messages.BackReached && top >= 0; top -= 3 {
				step, _ = w.l.Back(shows(all, top, rows), w.now)
			}
			if step != messages.BackReached {
				t.Fatalf("seed %d: Back() = %s at last, want it reached", seed, step)
			}
			all := append(slices.Clone(all), all[len(all)-1][:1]+"and_one_more")
			w.see(shows(all, len(all)-view, rows))
			w.now = w.now.Add(time.Hour) // those that nobody is known to have said are waited for
			w.release()
			told[rows] = w.out
		}
		want := friendly(append(all[view+2:], all[len(all)-1][:1]+"and_one_more"))
		if !slices.Equal(told[true], want) {
			t.Fatalf("seed %d: passed on %q, want %q", seed, told[true], want)
		}
		if len(told[false]) < len(want) {
			lacking++
		}
	}
	if lacking < 40 {
		t.Errorf("in %d transcripts of 60 something has no side where names are no rule, want 40 or more", lacking)
	}
}

// TestBackGivenUp: what was read without finding what was known is history, and what was
// held comes out once.
func TestBackGivenUp(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		w, _, rest, ok := gapped(r, 8)
		if !ok || len(rest) < 40 {
			continue
		}
		w.l.Notify(messages.TranscriptGap{Conversation: "c"})
		w.back(r, rest[20:], 8)
		if _, ok := w.l.GiveUp(messages.CatchUpPerson, true); !ok {
			t.Fatalf("seed %d: GiveUp() has no notice, want one", seed)
		}
		w.release()
		first := slices.Clone(w.out)
		if notice, ok := w.l.GiveUp(messages.CatchUpLimit, false); ok {
			t.Fatalf("seed %d: GiveUp() again = %+v, want no second notice", seed, notice)
		}
		w.release()
		if tail := friendly(rest[len(rest)-8:]); !slices.Equal(w.out, first) || len(first) > len(tail) ||
			!slices.Equal(first, tail[len(tail)-len(first):]) {
			t.Fatalf("seed %d: passed on %q, want the end of %q", seed, w.out, tail)
		}
	}
}

// TestBackLater: after it was put off, what is found later is passed on late, each once.
func TestBackLater(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		w, known, rest, ok := gapped(r, 8)
		if !ok {
			continue
		}
		w.l.GiveUp(messages.CatchUpSlow, true)
		w.release()
		step := w.back(r, slices.Concat(known, rest), 8)
		w.release()
		got, want := slices.Sorted(slices.Values(w.out)), slices.Sorted(slices.Values(friendly(rest)))
		if step == messages.BackReached && !slices.Equal(got, want) {
			t.Fatalf("seed %d: passed on %q, want these in some order: %q", seed, w.out, want)
		}
	}
}
