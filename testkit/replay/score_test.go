package replay

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// saidWords makes messages of words: "B:text" was said in conversation B, else
// in A; "#" is a sticker, "~text" was scrolled back to, "old/new" was edited.
func saidWords(words string) (out []said) {
	for _, w := range strings.Fields(words) {
		m := said{conversation: "A", kind: messages.KindText}
		if rest, ok := strings.CutPrefix(w, "B:"); ok {
			m.conversation, w = "B", rest
		}
		w, m.free = strings.CutPrefix(w, "~")
		if w == "#" {
			m.kind, w = messages.KindSticker, ""
		}
		m.texts = strings.Split(w, "/")
		out = append(out, m)
	}
	return out
}

// deliveredWords does so for what came out: "?" is unreadable, "!text" was taken
// for an echo, "text@Z" came under the name Z.
func deliveredWords(words string) (out []delivered) {
	for _, w := range strings.Fields(words) {
		h := delivered{conversation: "A", kind: messages.KindText}
		if rest, ok := strings.CutPrefix(w, "B:"); ok {
			h.conversation, w = "B", rest
		}
		w, h.echo = strings.CutPrefix(w, "!")
		w, name, named := strings.Cut(w, "@")
		if h.sender = h.conversation; named {
			h.sender = name
		}
		switch w {
		case "#":
			h.kind, w = messages.KindSticker, ""
		case "?":
			h.kind, w = messages.KindUnreadable, ""
		}
		h.text, h.id = w, messages.ConversationID(h.conversation)
		out = append(out, h)
	}
	return out
}

// found is a tally without the columns about texts.
func (t Counts) found() Counts {
	t.Exact, t.Near, t.Garbled, t.Partial, t.Letters, t.Wrong, t.Misnamed = 0, 0, 0, 0, 0, 0, 0
	return t
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		name        string
		said, heard string
		own         []string
		want        Counts
	}{
		{"nothing", "", "", nil, Counts{}},
		{"all", "hello OK OK 42", "hello OK OK 42", nil, Counts{Expected: 4, Delivered: 4}},
		{"misread", "see_you_tomorrow 42 OK", "see_yov_tornorrow 4Z 0K", nil, Counts{Expected: 3, Delivered: 3}},
		{"missed", "hello OK OK fine", "hello OK fine", nil, Counts{Expected: 4, Delivered: 3, Missed: 1}},
		{"the last missed", "hello OK", "hello", nil, Counts{Expected: 2, Delivered: 1, Missed: 1}},
		{"all missed", "hello OK", "", nil, Counts{Expected: 2, Missed: 2}},
		{"doubled", "hello OK fine", "hello OK OK fine", nil, Counts{Expected: 3, Delivered: 4, Doubled: 1}},
		{"doubled at the end", "hello OK", "hello OK hello", nil, Counts{Expected: 2, Delivered: 3, Doubled: 1}},
		{"made up", "hello", "hello nonsense", nil, Counts{Expected: 1, Delivered: 2, Doubled: 1}},
		{"another text is no misreading", "hello", "goodbye", nil,
			Counts{Expected: 1, Delivered: 1, Missed: 1, Doubled: 1}},
		{"swapped", "hello OK fine", "OK hello fine", nil, Counts{Expected: 3, Delivered: 3, OrderErrors: 1}},
		{"late", "hello OK fine yes", "OK fine yes hello", nil, Counts{Expected: 4, Delivered: 4, OrderErrors: 1}},
		{"an own one leaked", "hello fine", "hello thank_you fine", []string{"thank_you"},
			Counts{Expected: 2, Delivered: 3, EchoLeaked: 1}},
		{"words of both sides", "morning fine", "morning fine", []string{"morning"}, Counts{Expected: 2, Delivered: 2}},
		{"taken for an echo", "hello morning fine", "hello !morning fine", []string{"morning"},
			Counts{Expected: 3, Delivered: 2, Missed: 1, FalseEcho: 1}},
		{"an echo", "hello fine", "hello !morning fine", []string{"morning"}, Counts{Expected: 2, Delivered: 2}},
		{"an echo beside the same of the friend", "hello morning", "hello !morning morning", []string{"morning"},
			Counts{Expected: 2, Delivered: 2}},
		{"another conversation", "hello B:fine", "hello fine", nil,
			Counts{Expected: 2, Delivered: 2, Misattributed: 1}},
		{"another name", "hello fine", "hello fine@Z", nil, Counts{Expected: 2, Delivered: 2, Misattributed: 1}},
		{"conversations are apart", "hello B:hello OK B:OK", "B:hello B:OK hello OK", nil,
			Counts{Expected: 4, Delivered: 4}},
		{"stickers", "# hello # #", "# hello # #", nil, Counts{Expected: 4, Delivered: 4}},
		{"a sticker missed", "# hello #", "# hello", nil, Counts{Expected: 3, Delivered: 2, Missed: 1}},
		{"a sticker is no text", "#", "hello", nil, Counts{Expected: 1, Delivered: 1, Missed: 1, Doubled: 1}},
		{"emoji", "👍 hello 👍", "? hello 8", nil, Counts{Expected: 3, Delivered: 3}},
		{"words must be readable", "hello", "?", nil, Counts{Expected: 1, Delivered: 1, Missed: 1, Doubled: 1}},
		{"edited", "hello one/two fine", "hello two fine", nil, Counts{Expected: 3, Delivered: 3}},
		{"edited, before", "hello one/two fine", "hello one fine", nil, Counts{Expected: 3, Delivered: 3}},
		{"edited, both", "hello nothing/something fine", "hello nothing something fine", nil,
			Counts{Expected: 3, Delivered: 4, Doubled: 1}},
		{"history", "~hello fine", "fine", nil, Counts{Expected: 1, Delivered: 1}},
		{"history that comes out", "~hello fine", "hello fine", nil, Counts{Expected: 1, Delivered: 2}},
		{"history that comes out late", "~hello fine", "fine hello", nil, Counts{Expected: 1, Delivered: 2}},
		{"history twice", "~hello fine", "hello fine hello", nil, Counts{Expected: 1, Delivered: 3, Doubled: 1}},
	} {
		got, problems := score(saidWords(c.said), deliveredWords(c.heard), map[string][]string{"A": c.own}, nil)
		got = got.found()
		if got != c.want {
			t.Errorf("%s: score(%q, %q, own %q) = %+v, want %+v", c.name, c.said, c.heard, c.own, got, c.want)
		}
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.What == "garbled" })
		if len(problems) != got.Errors() {
			t.Errorf("%s: score() = %d problems, want one for each of %d errors", c.name, len(problems), got.Errors())
		}
	}
}

// Whatever is dropped from a true record counts as missed, and whatever is put
// in again as doubled.
func TestScoreCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"hello", "OK", "fine", "see_you_at_ten", "42", "thanks", "#", "よかった", "明日の朝"}
	for round := range 300 {
		var list []string
		for range 1 + rng.IntN(30) {
			list = append(list, words[rng.IntN(len(words))])
		}
		out, missed, doubled := slices.Clone(list), 0, 0
		if rng.IntN(2) == 0 {
			for range rng.IntN(len(out)) {
				i := rng.IntN(len(out))
				out = slices.Delete(out, i, i+1)
				missed++
			}
		} else {
			for range rng.IntN(4) {
				i := rng.IntN(len(out))
				out = slices.Insert(out, i, out[i])
				doubled++
			}
		}
		got, _ := score(saidWords(strings.Join(list, " ")), deliveredWords(strings.Join(out, " ")), nil, nil)
		got = got.found()
		want := Counts{Expected: len(list), Delivered: len(out), Missed: missed, Doubled: doubled}
		if got != want {
			t.Fatalf("round %d: score(%q, %q) = %+v, want %+v", round, list, out, got, want)
		}
	}
}

func TestCountsAdd(t *testing.T) {
	sum := Counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	sum.Add(Counts{10, 20, 30, 40, 50, 60, 70, 80, 90, 10, 20, 30, 40, 50, 60, 70, 80, 90})
	if want := (Counts{11, 22, 33, 44, 55, 66, 77, 88, 99, 11, 22, 33, 44, 55, 66, 77, 88, 99}); sum != want {
		t.Errorf("Add() = %+v, want %+v", sum, want)
	}
	if got, want := sum.Errors(), 33+44+55+66+77+88+11+22+55+66; got != want {
		t.Errorf("Errors() = %d, want %d", got, want)
	}
}

func BenchmarkScore(b *testing.B) {
	var all []said
	var got []delivered
	for i := range 200 {
		text := strings.Repeat("明日の会議は10時からです", 1+i%4) + strings.Repeat("x", i%7)
		all = append(all, said{conversation: "A", kind: messages.KindText, texts: []string{text}})
		got = append(got, delivered{conversation: "A", sender: "A", kind: messages.KindText, text: text + "y"})
	}
	for b.Loop() {
		score(all, got, nil, nil)
	}
}
