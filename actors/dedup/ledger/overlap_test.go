package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/chatview"
)

// TestOverlap: what a view tells of whose transcript it shows.
func TestOverlap(t *testing.T) {
	const full = " <t1 <t2 <t3 <t4 <t5 <t6 <t7 <t8 <t9 <t10 <t11" // fills most of a window
	for _, c := range []struct {
		what, known, now string
		watched          bool
		want             messages.Overlap
	}{
		{"nothing is known", "", "<a", false, messages.OverlapNone},
		{"nothing is shown", "<aaaaaaaa", "", false, messages.OverlapNone},
		{"only a part of a bubble is shown", "<aaaaaaaa", "<aaaaaaaa^", false, messages.OverlapBack},
		{"the same", "<aaaaaaaa >b <c", "<aaaaaaaa >b <c", false, messages.OverlapSame},
		{"it goes on", "<aaaaaaaa >b <c", "<aaaaaaaa >b <c <d", false, messages.OverlapSame},
		{"a broadcast, and the same thanks", "<Happy_New_Year >you_too", "<Happy_New_Year >you_too <x", false,
			messages.OverlapWeak},
		{"our greeting to two", ">Nice_to_meet_you", ">Nice_to_meet_you <x", false, messages.OverlapWeak},
		{"it ends with what the other begins with", "<x1 <x2 >you_are_welcome", ">you_are_welcome" + full, false,
			messages.OverlapWeak},
		{"a broadcast to two, and more", "<Happy_New_Year", "<Happy_New_Year <x", false, messages.OverlapWeak},
		{"short words that go on", "<hi", "<hi <there", false, messages.OverlapWeak},
		{"another after the same greeting", "<hi <a", "<hi <b", false, messages.OverlapOther},
		{"the same greeting after other words", "<good_morning <hi", "<hi", false, messages.OverlapOther},
		{"one broadcast in two transcripts", "<x1 <x2 <Happy_New_Year <x3", "<y1 <Happy_New_Year <y2", false,
			messages.OverlapOther},
		{"a broadcast alone", "<x1 <x2 <Happy_New_Year", "<Happy_New_Year", false, messages.OverlapOther},
		{"a whole transcript ends with the other's first words", "<hi <b <c", "<x <hi", false, messages.OverlapApart},
		{"so does one that was shown a moment ago", "<hi <b <c", "<x <hi", true, messages.OverlapApart},
		{"nothing is the same", "<aaaaaaaa", "<bbbbbbbb", false, messages.OverlapOther},
		{"nothing is the same in a full window", "<aaaaaaaa", "<bbbbbbbb" + full, false, messages.OverlapGap},
		{"the older part", "<aaaaaaaa <bbbbbbbb" + full + full, "<aaaaaaaa <bbbbbbbb" + full, false,
			messages.OverlapSame},
		{"one is edited", "<aaaaaaaa <bbbb >cccccccc <dddd", "<aaaaaaaa <xxxx >cccccccc <dddd", false,
			messages.OverlapSame},
		{"one is misread while it is watched", "<aa <bb <cc", "<aa <xx <cc", true, messages.OverlapWeak},
		{"one was taken back", "<aaaaaaaa <bb <cc", "<aaaaaaaa ! <cc", false, messages.OverlapWeak},
		{"the only one was taken back, and more came", "<a", "! <c", false, messages.OverlapWeak},
		{"it cannot be read", "<?1", "<?1 <aa", false, messages.OverlapWeak},
		{"nothing is the same below a part of a bubble", "<aaaaaaaa" + full,
			"<zzzzzzzz^ <u0 <u1 <u2 <u3 <u4 <u5 <u6 <u7 <u8 <u9 <u10", false, messages.OverlapGap},
		{"only stickers", "<#1 <#2", "<#1 <#2 <#3", false, messages.OverlapWeak},
		{"who said it differs", "<aaaaaaaa", ">aaaaaaaa", false, messages.OverlapOther},
	} {
		l, mem := open(ledger.Rules{FirstSight: ledger.All}), ledger.Memory{}
		if c.known != "" {
			mem = l.Observe(chatview.Chat(c.known), mem, chatview.Start).Memory
		}
		w := ledger.Watch{Recent: c.watched}
		got := l.Overlap(chatview.Chat(c.now), mem, w, chatview.Start.Add(time.Minute))
		if got != c.want {
			t.Errorf("%s: %q after %q: %q, want %q", c.what, c.now, c.known, got, c.want)
		}
	}
	l := open(ledger.Rules{FirstSight: ledger.All})
	mem := l.Observe(chatview.Stack("<aaaaaaaa"+full), ledger.Memory{}, chatview.Start).Memory
	back := chatview.Stack("~<bbbbbbbb <x1 <x2 <x3 <x4 <x5 <x6 <x7 <x8 <x9")
	if got := l.Overlap(back, mem, ledger.Watch{Recent: true}, chatview.Start); got != messages.OverlapBack {
		t.Errorf("scrolled back to what was never seen: %q, want %q", got, messages.OverlapBack)
	}
}

// TestOverlapOfWhatBeginsBelow: a window that begins at its lower edge shows a whole transcript while there is room
// above: what the conversation has shown would stand there.
func TestOverlapOfWhatBeginsBelow(t *testing.T) {
	known := chatview.Stack("<t1 <t2 <t3 <t4 <t5 <t6 <t7 <t8 <t9 <hi")
	for _, c := range []struct {
		now  string
		want messages.Overlap
	}{
		{"<hi", messages.OverlapGap}, {"<hi <x", messages.OverlapGap}, {"<zzzzzzzz", messages.OverlapGap},
		{"<hi <u1 <u2 <u3 <u4 <u5 <u6 <u7 <u8 <u9 <u10", messages.OverlapWeak}, // more may stand above
	} {
		l := open(ledger.Rules{FirstSight: ledger.All})
		mem := l.Observe(known, ledger.Memory{}, chatview.Start).Memory
		got := l.Overlap(chatview.Stack(c.now), mem, ledger.Watch{}, chatview.Start.Add(time.Minute))
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.now, got, c.want)
		}
	}
}

// TestRoomBelowALongChat: a view with room below that ends with the newest of a long chat has a panel below it. What
// shows an older one alone is a chat that was cleared, where the same is said again.
func TestRoomBelowALongChat(t *testing.T) {
	for now, want := range map[string]events.Rule{
		"<text_38 <text_39 <text_40":  events.RuleAligned,
		"<text_39 <text_40 <and_this": events.RuleAligned,
		"<text_12":                    events.RuleGap,
		"<OK":                         events.RuleGap,
	} {
		l, mem, said := open(ledger.Rules{FirstSight: ledger.All}), ledger.Memory{}, []string(nil)
		for n := 1; n <= 40; n++ {
			if said = append(said, fmt.Sprintf("<text_%d", n)); n == 20 {
				said = append(said, "<OK")
			}
			at := chatview.Start.Add(time.Duration(n) * time.Second)
			mem = l.Observe(chatview.Chat(strings.Join(said[max(0, len(said)-11):], " ")), mem, at).Memory
		}
		if got := l.Observe(chatview.Chat(now), mem, chatview.Start.Add(time.Hour)).Rule; got != want {
			t.Errorf("%s: %s, want %s", now, got, want)
		}
	}
}

// TestOverlapInPlace: what stands in the place of a message that was watched is that
// message, edited or taken back; another transcript stands otherwise.
func TestOverlapInPlace(t *testing.T) {
	const is, other = messages.OverlapWeak, messages.OverlapOther
	for _, c := range []struct {
		what, known, now string
		want             messages.Overlap
	}{
		{"the only one is edited", "<a", "<bbbbbbbb", is},
		{"the only one is another's", "<a", ">bbbbbbbb", other},
		{"one is edited and one taken back", "<a <b >c", "<xx ! >c", is},
		{"one is edited and one taken back, and nothing else is there", "<a <b", "<xx !", is},
		{"the first of two is edited", "<a >b", "<xx >b", is},
		{"the last of two is edited, and more came", "<a >b", "<a >xx <c", is},
		{"one is edited, one has gone", "<a <b >c", "<xx >c", other},
		{"one has gone", "<a <b", "<b", is},
		{"one is edited, and its room is another", "<a <b", "<a - <xx", other},
		{"the only one is edited, and one more came", "<a", "<xx <b", is},
		{"the only one is edited, and two more came", "<a", "<xx <b <c", other},
		{"two are others", "<a <b", "<x <y", other},
		{"of two one is left that is another", "<a <b", "<x", other},
		{"two of three are others", "<a <b <c", "<a <x <y", other},
		{"a sticker instead", "<a", "<#1", other},
	} {
		l := open(ledger.Rules{FirstSight: ledger.All})
		mem := l.Observe(chatview.Chat(c.known), ledger.Memory{}, chatview.Start).Memory
		now := chatview.Start.Add(time.Second)
		if got := l.Overlap(chatview.Chat(c.now), mem, ledger.Watch{Unbroken: true}, now); got != c.want {
			t.Errorf("%s: %q after %q: %q, want %q", c.what, c.now, c.known, got, c.want)
		}
		got := l.Overlap(chatview.Chat(c.now), mem, ledger.Watch{}, now)
		if got == is && !strings.Contains(c.now, "!") {
			t.Errorf("%s: %q after %q: %q, also after a break", c.what, c.now, c.known, got)
		}
	}
}

// TestOverlapMisread: a window that was drawn anew is read anew, with other errors. That
// is the same transcript, while texts of other sizes, or with other letters, are another.
func TestOverlapMisread(t *testing.T) {
	const known = "<mother_has_sent_a_blanket <ok <nope"
	for _, c := range []struct {
		what, now string
		w         ledger.Watch
		want      messages.Overlap
	}{
		{"watched", "<mothor_has_semt_a_blonkef <ok <nopx", ledger.Watch{Unbroken: true}, messages.OverlapWeak},
		{"recent", "<mothor_has_semt_a_blonkef <ok <nopx", ledger.Watch{Recent: true}, messages.OverlapWeak},
		{"after a long time", "<mothor_has_semt_a_blonkef <ok <nopx", ledger.Watch{}, messages.OverlapOther},
		{"all are misread", "<mothor_has_semt_a_blonkef <0k <nopx", ledger.Watch{Unbroken: true}, messages.OverlapWeak},
		{"others", "<the_parcel_is_at_the_shop <ok <sure", ledger.Watch{Recent: true, Unbroken: true},
			messages.OverlapOther},
		{"shorter ones", "<mother_has_sent_a_bl <ok <no", ledger.Watch{Recent: true, Unbroken: true},
			messages.OverlapOther},
	} {
		l := open(ledger.Rules{FirstSight: ledger.All})
		mem := l.Observe(chatview.Chat(known), ledger.Memory{}, chatview.Start).Memory
		got := l.Overlap(chatview.Chat(c.now), mem, c.w, chatview.Start.Add(time.Second))
		if got != c.want {
			t.Errorf("%s: %q after %q: %q, want %q", c.what, c.now, known, got, c.want)
		}
	}
}
