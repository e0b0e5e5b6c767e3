package ingress

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

const sec = time.Second

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// of returns n different characters.
func of(from, n int) string {
	var b strings.Builder
	for k := range n {
		b.WriteRune(rune(0x4E00 + from + k))
	}
	return b.String()
}

// profile is what the rules of a profile decide by.
type profile struct{ place, side bool }

func (p profile) String() string {
	if p == seed {
		return "seed"
	}
	return "default"
}

var (
	standard = profile{place: true, side: true}
	seed     profile
)

func rulesOf(p profile) Rules {
	r := DefaultRules()
	r.ByPlace, r.BySide = p.place, p.side
	return r
}

// memoryOf remembers texts sent and heard at the start.
func memoryOf(r Rules, sent []string, heard ...messages.IncomingBubble) *Memory {
	m := &Memory{}
	for _, s := range sent {
		m.addSent(r, m.nextSent(), Sent{Text: messages.Text(s), At: start})
	}
	for _, h := range heard {
		if e, n := r.entryOf(h, start); r.remembers(e, n) {
			m.addIncoming(m.nextIncoming(), e)
		}
	}
	return m
}

func stale(s string) messages.IncomingBubble {
	return messages.IncomingBubble{
		Conversation: "line:Hana", Occurrence: 1, Kind: messages.KindText, Text: messages.Text(s),
	}
}

func fresh(s string) messages.IncomingBubble { h := stale(s); h.Fresh = true; return h }

func by(h messages.IncomingBubble, c messages.Channel, s messages.Side) messages.IncomingBubble {
	h.Channel, h.Side = c, s
	return h
}

// What Decide says, short enough for a table. None: it passes.
const (
	None   = events.RuleNew
	Repeat = events.RuleRepeat
	Echo   = events.RuleEcho
	Short  = events.RuleShort
	Common = events.RuleCommon
)

func TestEcho(t *testing.T) {
	for _, c := range []struct {
		name           string
		read           string
		side           messages.Side
		after          time.Duration
		seed, standard events.Rule
	}{
		{"own", "おはよう", messages.SideOwn, sec, Echo, Echo},
		{"no evidence", "おはよう", "", sec, Echo, Echo},
		{"neither", "おはよう", messages.SideNeither, sec, Echo, Echo},
		{"a greeting returned", "おはよう", messages.SideIncoming, sec, Echo, None},
		{"just inside", "おはよう", "", 10*time.Minute - 1, Echo, Echo},
		{"at the edge", "おはよう", "", 10 * time.Minute, None, None},
		{"own, another text", "こんばんは", messages.SideOwn, sec, None, None},
		{"one character", "あ", "", sec, None, None},
	} {
		for p, want := range map[profile]events.Rule{seed: c.seed, standard: c.standard} {
			r := rulesOf(p)
			m := memoryOf(r, []string{"おはよう", "あ"})
			v := r.Decide(m, 0, by(fresh(c.read), "", c.side), start.Add(c.after))
			if v.Rule != want {
				t.Errorf("%s, %s: Decide(%q) = %v, want %q", p, c.name, c.read, v, want)
			}
			if got, want := v.Missed(), want == None && c.after < 10*time.Minute; got != want {
				t.Errorf("%s, %s: Missed() = %v, want %v", p, c.name, got, want)
			}
		}
	}
}

// TestWindows judges messages whose place says nothing.
func TestWindows(t *testing.T) {
	long := of(0, 90)
	near := of(0, 88) + "xy" // 88 grams each, 86 of them common
	for _, c := range []struct {
		name  string
		old   messages.IncomingBubble
		new   messages.IncomingBubble
		after time.Duration
		want  events.Rule
	}{
		{"one character", stale("あ"), stale("あ"), sec, None},
		{"two characters", stale("うん"), stale("うん"), sec, Short},
		{"24 characters", stale(of(0, 24)), stale(of(0, 24)), sec, Short},
		{"25 characters", stale(of(0, 25)), stale(of(0, 25)), sec, Common},
		{"punctuation and width", stale("ＯＫ！！"), stale("ok"), sec, Short},
		{"punctuation does not count", stale("あ！！"), stale("あ！！"), sec, None},
		{"punctuation only", stale("…！？"), stale("…！？"), sec, None},
		{"empty", stale(""), stale(""), sec, None},
		{"two short lines", stale("はい\nうん"), stale("はい\nうん"), sec, None},
		{"one line beside blank ones", stale("\nうん\n"), stale("うん"), sec, Short},
		{"short, not quite", stale("うん"), stale("ううん"), sec, None},
		{"short window, inside", stale("うん"), stale("うん"), 20*sec - 1, Short},
		{"short window, edge", stale("うん"), stale("うん"), 20 * sec, None},
		{"short window, before", stale("うん"), stale("うん"), -20*sec + 1, Short},
		{"short window, long before", stale("うん"), stale("うん"), -20 * sec, None},
		{"short, other channel", stale("うん"), by(stale("うん"), "push", ""), sec, None},
		{"nine characters in two lines", stale(of(0, 4) + "\n" + of(9, 5)), stale(of(0, 4) + "\n" + of(9, 5)), sec,
			None},
		{"ten characters in two lines", stale(of(0, 5) + "\n" + of(9, 5)), stale(of(0, 5) + "\n" + of(9, 5)), sec,
			Common},
		{"ten characters, now in one line", stale(of(0, 5) + "\n" + of(5, 5)), stale(of(0, 10)), sec, Common},
		{"similar to one of nine characters", stale(of(0, 9)), stale(of(0, 10)), sec, None},
		{"similar to one of ten characters", stale(of(0, 10)), stale(of(0, 11)), sec, Common},
		{"ten characters, other channel", stale(of(0, 10)), by(stale(of(0, 10)), "push", ""), sec, Common},
		{"nine characters, other channel", stale(of(0, 9)), by(stale(of(0, 9)), "push", ""), sec, None},
		{"common window, inside", stale(long), stale(long), 20*sec - 1, Common},
		{"common window, edge", stale(long), stale(long), 20 * sec, None},
		{"similar", stale(long), stale(near), sec, Common},
		{"similar, inside", stale(long), stale(near), 20*sec - 1, Common},
		{"similar, edge", stale(long), stale(near), 20 * sec, None},
		{"similar, other channel", stale(long), by(stale(near), "push", ""), sec, None},
		{"similarity 0.93", stale(of(0, 102)), stale(of(7, 102)), sec, Common},
		{"similarity 0.92", stale(of(0, 102)), stale(of(8, 102)), sec, None},
		{"400 characters, similar", stale(of(0, 400)), stale(of(1, 400)), sec, Common},
		{"401 characters, equal", stale(of(0, 401)), stale(of(0, 401)), sec, Common},
		{"401 characters, the last differs", stale(of(0, 401)), stale(of(0, 400) + "x"), sec, None},
		{"401 characters, similar", stale(of(0, 401)), stale(of(1, 401)), sec, None},
		{"the first 400 of 401", stale(of(0, 401)), stale(of(0, 400)), sec, None},
	} {
		for _, p := range []profile{seed, standard} {
			want, r := c.want, rulesOf(p)
			m := memoryOf(r, nil, c.old)
			at := start.Add(c.after)
			if v := r.Decide(m, 0, c.new, at); v.Rule != want || v.Spared != "" {
				t.Errorf("%s, %s: Decide = %v, spared %q, want %q", p, c.name, v, v.Spared, want)
			}
			h := c.new
			h.Fresh = true
			v := r.Decide(m, 0, h, at)
			switch {
			case p == seed && v.Rule != want:
				t.Errorf("%s, %s, new place: Decide = %v, want %q", p, c.name, v, want)
			case p == standard && (!v.Passes() || want != None && (v.Rule != events.RulePlace || v.Spared != want)):
				t.Errorf("%s, %s, new place: Decide = %v, spared %q, want it to pass, spared %q", p, c.name, v,
					v.Spared, want)
			}
		}
	}
}

func TestShortWindowOfAnotherSide(t *testing.T) {
	for p, want := range map[profile]events.Rule{seed: Short, standard: None} {
		r := rulesOf(p)
		m := memoryOf(r, nil, by(stale("うん"), "", messages.SideIncoming))
		if v := r.Decide(m, 0, stale("うん"), start); v.Rule != want {
			t.Errorf("%s: Decide(other side) = %v, want %q", p, v, want)
		}
	}
}

func TestRepeat(t *testing.T) {
	r := rulesOf(standard)
	for n, want := range map[messages.Occurrence]events.Rule{0: Repeat, 6: Repeat, 7: Repeat, 8: None} {
		h := fresh("うん")
		h.Occurrence = n
		if v := r.Decide(&Memory{}, 7, h, start); v.Rule != want {
			t.Errorf("Decide(occurrence %d, last 7) = %v, want %q", n, v, want)
		}
	}
}

func TestWhen(t *testing.T) {
	for _, c := range []struct{ seen, want time.Time }{
		{time.Time{}, start}, {start.Add(sec), start}, {start, start}, {start.Add(-time.Hour), start.Add(-time.Hour)},
	} {
		if got := When(messages.IncomingBubble{SeenAt: c.seen}, start); !got.Equal(c.want) {
			t.Errorf("When(seen %v) = %v, want %v", c.seen, got, c.want)
		}
	}
}

func TestHash(t *testing.T) {
	if got := (Rules{}).hash("himitsu"); got != "" {
		t.Errorf("hash without a key = %q, want none", got)
	}
	a, b := Rules{HashKey: []byte("a")}, Rules{HashKey: []byte("b")}
	if x, y := a.hash("himitsu"), b.hash("himitsu"); x == y || len(x) != 16 || x != a.hash("himitsu") ||
		x == a.hash("himits") {
		t.Errorf("hash = %q and %q with another key, want 16 digits that depend on key and text", x, y)
	}
}

// genText draws texts that are often alike.
func genText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringOfN(rapid.SampledFrom([]rune("あいうえOKok。！ \n👍")), 0, 30, -1),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"明日の会議は", "十時から", "です。", "よろしく", "お願いします", "\n", "x"}), 0,
			12), func(p []string) string { return strings.Join(p, "") }),
	)
}

// TestSimilar compares the bounds with the plain formula.
func TestSimilar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Compact(genText().Draw(t, "a")), text.Compact(genText().Draw(t, "b"))
		least := rapid.SampledFrom([]float64{0.3, 0.5, 0.8, 0.93, 1}).Draw(t, "least")
		ga, gb := text.GramsOf(a), text.GramsOf(b)
		want := len(ga) > 0 && len(gb) > 0 && ga.Similarity(gb) >= least
		if got := shapeOf(Entry{Text: messages.Text(a)}).similar(shapeOf(Entry{Text: messages.Text(b)}),
			least); got != want {
			t.Fatalf("similar(%q, %q, %v) = %v, want %v: similarity %v", a, b, least, got, want, ga.Similarity(gb))
		}
	})
}

// TestANewOccurrenceIsNeverLost: in profile default only the echo guard stops
// a message whose place is new, and not when its side says incoming.
func TestANewOccurrenceIsNeverLost(t *testing.T) {
	r := rulesOf(standard)
	rapid.Check(t, func(t *rapid.T) {
		old := rapid.SliceOfN(genText(), 0, 6).Draw(t, "old")
		var heard []messages.IncomingBubble
		for _, s := range old {
			heard = append(heard, fresh(s))
		}
		m := memoryOf(r, rapid.SliceOfN(genText(), 0, 4).Draw(t, "sent"), heard...)
		read := rapid.OneOf(genText(), rapid.SampledFrom(append(old, "おはよう"))).Draw(t, "read")
		side := rapid.SampledFrom([]messages.Side{"", messages.SideOwn, messages.SideIncoming,
			messages.SideNeither}).Draw(t, "side")
		v := r.Decide(m, 0, by(fresh(read), "", side),
			start.Add(time.Duration(rapid.IntRange(-30, 700).Draw(t, "s"))*sec))
		if !v.Passes() && (v.Rule != Echo || side == messages.SideIncoming) {
			t.Fatalf("Decide(%q, side %q) = %v, want it to pass", read, side, v)
		}
	})
}

// FuzzDecide: what was just accepted is known again exactly if a window is for
// it, and the entry fits its bounds.
func FuzzDecide(f *testing.F) {
	f.Add("うん", "うん")
	f.Add("明日の会議は\n十時から。", "明日の会議は十時から")
	f.Add("\xff\u2028", strings.Repeat("あ", 401))
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, r := range []Rules{rulesOf(seed), rulesOf(standard)} {
			e, n := r.entryOf(stale(a), start)
			if got := utf8.RuneCountInString(string(e.Text)); got != min(n, r.CommonMax) {
				t.Fatalf("entryOf(%+q) keeps %d of %d characters, want at most %d", a, got, n, r.CommonMax)
			}
			m := memoryOf(r, nil, stale(a))
			if got, want := r.Decide(m, 0, stale(a), start).Rule != None, r.remembers(e, n); got != want {
				t.Fatalf("Decide(%+q again) stops = %v, want %v", a, got, want)
			}
			if v := r.Decide(m, 0, stale(b), start); v.Echo.Active != 0 || v.Spared != "" {
				t.Fatalf("Decide(%+q after %+q) = %+v, want no echo and nothing spared", b, a, v)
			}
			m = memoryOf(r, []string{a})
			if v := r.Decide(m, 0, stale(a), start); (v.Rule == Echo) != (v.Echo.How != "") {
				t.Fatalf("Decide(%+q sent) = %v, want the echo rules to decide", a, v)
			}
		}
	})
}
