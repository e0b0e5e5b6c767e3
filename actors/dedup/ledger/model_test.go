package ledger_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// said is one message of a model transcript.
type said struct {
	own    bool
	text   string
	unique bool // said once only
	height int
}

// model is a chat window over a transcript, with a reader that makes mistakes.
type model struct {
	t      *rapid.T
	all    []said
	height int // of the message area
	scroll int // pixels back from the end
	phase  int // how the pixels are rendered
	noise  int // one in so many letters is misread, 0: none
}

const areaTop = 60

func (m *model) say(n int) {
	for range n {
		s := said{own: rapid.IntRange(0, 3).Draw(m.t, "who") == 0}
		if rapid.IntRange(0, 2).Draw(m.t, "common") == 0 {
			s.text = rapid.SampledFrom([]string{"OK", "はい", "了解です", "笑", "うん", "ありがとうございます"}).Draw(m.t, "words")
		} else {
			s.text, s.unique = unique(len(m.all)), true
		}
		s.height = 42 + 21*(len([]rune(s.text))/14)
		m.all = append(m.all, s)
	}
}

// unique makes a sentence that differs from those of other numbers in more than
// a misread letter.
func unique(n int) string {
	words := []string{"明日の", "会議", "電車で", "ごはん", "遊びに", "写真を", "早めに", "駅前で", "仕事が", "週末は"}
	return words[n%10] + words[n/10%10] + words[(7*n+3)%10] + words[n/3%10] + fmt.Sprint(n)
}

// place returns the boxes of the messages, bottom of the window last.
func (m *model) place() (tops []int) {
	y := areaTop + m.height - 14 + m.scroll
	tops = make([]int, len(m.all))
	for i := len(m.all) - 1; i >= 0; i-- {
		y -= m.all[i].height
		tops[i] = y
		y -= 8
	}
	return tops
}

func (m *model) limit() int {
	total := 14
	for _, s := range m.all {
		total += s.height + 8
	}
	return max(0, total-m.height)
}

// whole returns the messages that are wholly visible, as a range.
func (m *model) whole() (from, to int) {
	from, to = len(m.all), len(m.all)
	for i, y := range m.place() {
		if y >= areaTop && y+m.all[i].height <= areaTop+m.height {
			from, to = min(from, i), i+1
		}
	}
	return from, to
}

// shows reports that a range holds two messages that are said once only.
func (m *model) shows(from, to int) bool {
	n := 0
	for i := from; i < to; i++ {
		if m.all[i].unique {
			n++
		}
	}
	return n >= 2
}

// read makes the view that a reader sees.
func (m *model) read() ledger.View {
	v := ledger.View{Title: "Hana", Window: "w", SeenAt: chatview.Start, Scale: 1,
		Size: messages.Rect{W: 600, H: areaTop + m.height + 84}}
	for i, y := range m.place() {
		s := m.all[i]
		top, bottom := max(y, areaTop), min(y+s.height, areaTop+m.height)
		if bottom-top < 8 {
			continue
		}
		b := messages.Bubble{Side: messages.SideIncoming, Kind: messages.KindText,
			Box: messages.Rect{X: 60, Y: top, W: 30 + 15*min(14, len([]rune(s.text))), H: bottom - top}}
		if s.own {
			b.Side = messages.SideOwn
		}
		b.Clipped = top != y || bottom != y+s.height
		text := []rune(s.text)
		if b.Clipped && top != y {
			text = text[len(text)/2:]
		} else if b.Clipped {
			text = text[:len(text)/2]
		}
		h := fnv.New64a()
		fmt.Fprint(h, s.own, string(text), b.Box.H, m.phase)
		b.Key = messages.PixelKey(h.Sum64())
		b.Text = messages.Text(m.misread(text, h.Sum64()))
		v.Bubbles = append(v.Bubbles, b)
	}
	return v
}

// misread replaces letters of longer texts; the same pixels are always misread
// in the same way.
func (m *model) misread(text []rune, key uint64) string {
	if m.noise == 0 || len(text) < 12 {
		return string(text)
	}
	text = slices.Clone(text)
	if key%uint64(m.noise) == 0 {
		text[key/7%uint64(len(text)-2)] = []rune("口ロエ工丶")[key/3%5]
	}
	return string(text)
}

// TestModel plays random transcripts with repeats, random scrolling, rendering
// and misreading. As long as one view overlaps the next in two messages that were
// said once only, every incoming message is passed on once and in order.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, height: rapid.IntRange(300, 700).Draw(t, "height"),
			noise: rapid.IntRange(0, 4).Draw(t, "noise")}
		m.say(rapid.IntRange(1, 12).Draw(t, "first"))
		w := watcher{l: open(ledger.Rules{FirstSight: ledger.All}), now: chatview.Start}
		first, to := m.whole()
		w.see(m.read())
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			from, end := m.whole()
			before := *m
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1, 2:
				m.say(rapid.IntRange(1, 4).Draw(t, "new"))
				if m.scroll > 0 { // the window stays where it is
					for _, s := range m.all[len(before.all):] {
						m.scroll += s.height + 8
					}
				}
			case 3:
				m.scroll = min(m.limit(), max(0, m.scroll+rapid.IntRange(-300, 300).Draw(t, "by")))
			case 4:
				m.scroll = 0
			case 5:
				m.phase++
			}
			nextFrom, nextEnd := m.whole()
			if !m.shows(max(from, nextFrom), min(end, nextEnd)) {
				*m = before
				continue
			}
			w.see(m.read())
			to = max(to, nextEnd)
		}
		var want []string
		for _, s := range m.all[first:to] {
			if !s.own {
				want = append(want, s.text)
			}
		}
		if !sameTexts(w.out, want) {
			t.Fatalf("passed on %d messages %q, want %d %q", len(w.out), w.out, len(want), want)
		}
	})
}

// sameTexts allows for misread letters.
func sameTexts(got, want []string) bool {
	return slices.EqualFunc(got, want, func(g, w string) bool {
		return g == w || text.OCREqual(text.Normalize(g), text.Normalize(w))
	})
}

// FuzzLedger feeds arbitrary views. Occurrences rise strictly, an own bubble is
// never passed on, and nothing is passed on that no view showed.
func FuzzLedger(f *testing.F) {
	f.Add("ab cd\nab cd ef", uint8(0))
	f.Add("<a >b <c\n<c <d\n<z <a\n<? =x <#s\n>q^ <c <d <e^", uint8(1))
	f.Add("<OK <OK\n<OK <OK <OK\n<OK^ <OK\n<x", uint8(2))
	f.Fuzz(func(t *testing.T, script string, scale uint8) {
		w := watcher{l: open(ledger.Rules{Keep: 8, History: 16,
			FirstSight: []ledger.FirstSight{ledger.Unanswered, ledger.All, ledger.None}[scale%3]}), now: chatview.Start}
		last := messages.Occurrence(0)
		shown := map[string]bool{}
		for line := range strings.Lines(script) {
			v := ledger.View{Window: "w", Scale: float64(scale), SeenAt: chatview.Start,
				Size: messages.Rect{H: int(scale) * 8}}
			for i, word := range strings.Fields(line) {
				if !strings.ContainsAny(word[:1], "<>=") {
					word = "<" + word
				}
				b := chatview.Bubble(word)
				b.Box.Y = i * int(scale)
				v.Bubbles = append(v.Bubbles, b)
				if b.Side != messages.SideOwn {
					shown[string(b.Kind)+string(b.Text)] = true
				}
			}
			finding := w.l.Observe(v, w.mem, w.now)
			w.mem = finding.Memory
			heard, _, _ := w.l.Release(w.now)
			for _, h := range heard {
				if h.Occurrence <= last {
					t.Fatalf("occurrence %d follows %d", h.Occurrence, last)
				}
				last = h.Occurrence
				kind := h.Kind
				if !shown[string(kind)+string(h.Text)] && kind != messages.KindUnreadable {
					t.Fatalf("passed on a %s %q that no view showed on the other side", kind, string(h.Text))
				}
			}
			put, _ := w.l.Changes()
			if !slices.IsSortedFunc(put, func(a, b ledger.Entry) int { return cmp.Compare(a.Pos, b.Pos) }) {
				t.Fatalf("entries are out of order")
			}
		}
	})
}

// BenchmarkObserve lays 30 visible bubbles along a tail of 200.
func BenchmarkObserve(b *testing.B) {
	for _, c := range []struct {
		name  string
		phase int // of rendering, from view to view: other keys make texts be compared
	}{{"same pixels", 0}, {"other pixels", 1}} {
		b.Run(c.name, func(b *testing.B) {
			l := open(ledger.Rules{FirstSight: ledger.All})
			var words []string
			for i := range 200 {
				words = append(words, "<"+unique(i))
			}
			full := chatview.Stack(strings.Join(words, " "))
			l.Observe(full, ledger.Memory{}, chatview.Start)
			l.Release(chatview.Start)
			l.Changes()
			v := full
			v.Bubbles = slices.Clone(full.Bubbles[170:])
			for b.Loop() {
				for i := range v.Bubbles {
					v.Bubbles[i].Key += messages.PixelKey(c.phase)
				}
				l.Observe(v, ledger.Memory{}, chatview.Start)
			}
			if next := l.Head().Next; next != 201 {
				b.Fatalf("the next occurrence is %d, want 201", next)
			}
		})
	}
}
