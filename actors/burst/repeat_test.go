package burst_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const line = "明日の会議は10時からです"

func TestAddRepeats(t *testing.T) {
	seed := rules
	seed.Repeats = text.DefaultRepeats()
	sticker := heard(3, "Hana", "")
	sticker.Kind = messages.KindSticker
	named := heard(3, "Hana", line)
	named.Kind = messages.KindImage
	fresh := heard(3, "Hana", line)
	fresh.Fresh = true
	for _, c := range []struct {
		name    string
		h       messages.IncomingBubble
		after   time.Duration
		text    messages.Text // of the last part of the buffer
		flushed int
		left    burst.Repeats
	}{
		{"equal", heard(3, "Hana", line), 0, "うん\n…", 0,
			burst.Repeats{Lines: 1, All: true, Of: []messages.Occurrence{1}}},
		{"like it", heard(3, "Hana", "明日の会議は10時からで"), 0, "うん\n…", 0,
			burst.Repeats{Lines: 1, All: true, Of: []messages.Occurrence{1}}},
		{"other", heard(3, "Hana", "明日は休みです"), 0, "明日は休みです", 0, burst.Repeats{}},
		{"one line of two", heard(3, "Hana", line+"\n了解"), 0, "了解", 0,
			burst.Repeats{Lines: 1, Of: []messages.Occurrence{1}}},
		{"two of three, of two parts", heard(3, "Hana", "うん。\n了解\n"+line), 0, "了解", 0,
			burst.Repeats{Lines: 2, Of: []messages.Occurrence{1, 2}}},
		{"two of one part", heard(3, "Hana", "うん\n…"), 0, "うん\n…", 0,
			burst.Repeats{Lines: 2, All: true, Of: []messages.Occurrence{2}}},
		{"and an empty line", heard(3, "Hana", line+"\n "), 0, "うん\n…", 0,
			burst.Repeats{Lines: 1, All: true, Of: []messages.Occurrence{1}}},
		{"twice in itself", heard(3, "Hana", "了解\n了解"), 0, "了解\n了解", 0, burst.Repeats{}},
		{"empty", heard(3, "Hana", ""), 0, "", 0, burst.Repeats{}},
		{"a sticker", sticker, 0, "", 0, burst.Repeats{}},
		{"the caption of an image", named, 0, line, 0, burst.Repeats{}},
		{"in a place that proves it new", fresh, 0, line, 0, burst.Repeats{}},
		{"of somebody else", heard(3, "Ken", line), 0, line, 1, burst.Repeats{}},
		{"just before the cap", heard(3, "Hana", line), rules.Cap - 1, "うん\n…", 0,
			burst.Repeats{Lines: 1, All: true, Of: []messages.Occurrence{1}}},
		{"at the cap", heard(3, "Hana", line), rules.Cap, line, 1, burst.Repeats{}},
	} {
		_, b, _ := seed.Add(burst.Buffer{}, heard(1, "Hana", line), start)
		_, b, _ = seed.Add(b, heard(2, "Hana", "うん\n…"), start)
		flushed, rest, left := seed.Add(b, c.h, start.Add(c.after))
		if got := rest.Parts[len(rest.Parts)-1].Text; got != c.text || len(flushed) != c.flushed ||
			!reflect.DeepEqual(left, c.left) {
			t.Errorf("%s: Add = %d flushed, text %q, left out %+v, want %d, %q, %+v", c.name, len(flushed), string(got),
				left, c.flushed, string(c.text), c.left)
		}
		if left.All && !reflect.DeepEqual(rest, b) {
			t.Errorf("%s: Add = %+v, want the buffer as before", c.name, rest)
		}

		_, b, _ = rules.Add(burst.Buffer{}, heard(1, "Hana", line), start)
		_, rest, left = rules.Add(b, c.h, start.Add(c.after))
		if got := rest.Parts[len(rest.Parts)-1]; got.Occurrence != 3 || got.Text != c.h.Text || left.Lines != 0 {
			t.Errorf("%s: in profile default Add took %+v, left out %+v, want all of it", c.name, got, left)
		}
	}
}

func TestSeedRepeatsNoLine(t *testing.T) {
	seed := burst.DefaultRules()
	seed.Repeats = text.DefaultRepeats()
	h := actortest.Spawn(t, burst.New(seed), actortest.Address("burst/line:Hana"))
	h.Send(heard(1, "Hana", line))
	h.Crash()
	h.Advance(time.Second)
	h.CrashBeforeCommit()
	h.Send(heard(2, "Hana", line+"。"))
	h.WantDropped(events.StageBurst, events.RuleSameLine)
	h.WantTimer("due", 500*time.Millisecond) // what says nothing new holds nothing up
	h.Send(heard(3, "Hana", line+"\n了解"))
	h.WantDropped(events.StageBurst, events.RuleSameLine, events.Detail{Count: 1})
	h.WantTimer("due", 1500*time.Millisecond)
	h.Crash()
	h.Advance(time.Minute)
	wantPassed(t, h, line+"\n了解")
	h.Send(heard(4, "Hana", line)) // the burst is over
	h.Advance(time.Minute)
	wantPassed(t, h, line)
	h.WantDeadLetters(0)
}

// In profile default a text decides nothing, only the occurrence.
func TestDefaultRepeatsWhatWasSaidTwice(t *testing.T) {
	h := spawn(t)
	h.Send(heard(1, "Hana", line))
	h.CrashBeforeCommit()
	h.Send(heard(2, "Hana", line))
	h.Crash()
	h.Advance(time.Minute)
	wantPassed(t, h, line+"\n"+line)
	h.WantDeadLetters(0)
}

func BenchmarkAddSeed(b *testing.B) {
	seed := rules
	seed.Repeats = text.DefaultRepeats()
	var full burst.Buffer
	for n := range messages.Occurrence(35) {
		full.Parts = append(full.Parts, messages.Part{Kind: messages.KindText,
			Text: line + messages.Text('あ'+rune(7*n)), Occurrence: n})
	}
	full.First, full.Sender = start, "Hana"
	h := heard(40, "Hana", messages.Text(strings.Repeat("駅に着いたら電話してください、待っています\n", 20)))
	b.ReportAllocs()
	for b.Loop() {
		seed.Add(full, h, start)
	}
}
