package fusion

import (
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestLooks: what is asked of a header that was seen before, also after a crash.
func TestLooks(t *testing.T) {
	h := actortest.Spawn(t, New(DefaultOptions()), actortest.Address("fusion/line@mac"))
	under := func(name messages.PixelKey, words string) messages.FrameRead {
		m := read("Hana", words)
		m.Name = name
		return send(h, m)
	}
	shows := func(name messages.PixelKey, words string, c messages.ConversationID) {
		m := under(name, words)
		h.Send(messages.Identified{Window: "line@mac", Frame: m.Hash, At: m.At, Conversation: c, Name: "Hana"})
	}
	told := messages.OverlapNone
	question := func(name messages.PixelKey, words string, of ...messages.ConversationID) (q messages.Identify) {
		t.Helper()
		h.Sent()
		m := under(name, words)
		if len(of) > 0 {
			h.Send(messages.Identified{Window: "line@mac", Frame: m.Hash, At: m.At, Compare: of})
		}
		for _, c := range of {
			h.Send(messages.OverlapAnswer{Frame: m.Hash, At: m.At, Conversation: c, Overlap: told})
		}
		for _, s := range h.Sent() {
			if asked, ok := s.Message.(messages.Identify); ok {
				q = asked
			}
		}
		return q
	}
	for _, words := range []string{"aaaaaaaa", "aaaaaaaa", "aaaaaaaa b", "aaaaaaaa b c", "aaaaaaaa b c d"} {
		shows(7, words, "c-1")
	}
	if q := question(7, "aaaaaaaa b c d e"); !q.Still || q.Shows != "c-1" || q.Look != "c-1" {
		t.Errorf("the same header: %+v, want Still, Look c-1", q)
	}
	if q := question(8, "aaaaaaaa b c d e"); q.Still || q.Look != "" {
		t.Errorf("another header: %+v, want neither Still nor Look", q)
	}
	h.Crash()
	if q := question(7, "x y"); q.Still || q.Look != "c-1" {
		t.Errorf("after a crash: %+v, want Look c-1", q)
	}
	if q := question(8, "x y", "c-1", "c-2"); !slices.Equal(q.Unlike, []messages.ConversationID{"c-1"}) {
		t.Errorf("another header: Unlike = %v, want c-1", q.Unlike)
	}
	shows(8, "aaaaaaaa b c d", "c-1") // drawn anew
	shows(8, "aaaaaaaa b c d e", "c-1")
	shows(8, "aaaaaaaa b c d e f", "c-1")
	told = messages.OverlapWeak
	if q := question(8, "x y", "c-1"); len(q.Shared) != 1 || q.Shared[0].Overlap != messages.OverlapSame {
		t.Errorf("its header over bubbles that may be its own: Shared = %v, want the same", q.Shared)
	}
	if q := question(9, "x y", "c-1"); len(q.Shared) != 1 || q.Shared[0].Overlap != told ||
		!slices.Equal(q.Unlike, []messages.ConversationID{"c-1"}) {
		t.Errorf("after it was drawn anew: Shared = %v, Unlike = %v, want weak, c-1", q.Shared, q.Unlike)
	}
}

// TestVoted: looks count up to a bound, the latest few are kept, and of those from before a
// window was drawn anew nothing follows.
func TestVoted(t *testing.T) {
	at := noon
	var l View
	for range looksSure + 1 {
		at = at.Add(time.Second)
		l.Looks, _ = voted(l.Looks, 1, at, time.Time{})
	}
	if _, changed := voted(l.Looks, 1, at, time.Time{}); changed || !l.headed(1, looksSure) || l.headed(2, 1) {
		t.Errorf("voted = %v, %v, want %d votes", l.Looks, changed, looksSure)
	}
	anew := at.Add(time.Second)
	if !l.headedOtherwise(2, time.Time{}) || l.headedOtherwise(1, time.Time{}) || l.headedOtherwise(2, anew) {
		t.Errorf("headedOtherwise(2), (1), (2) anew = %v %v %v, want true false false",
			l.headedOtherwise(2, time.Time{}), l.headedOtherwise(1, time.Time{}), l.headedOtherwise(2, anew))
	}
	for key := range messages.PixelKey(looksMost) {
		l.Looks, _ = voted(l.Looks, key+2, at, time.Time{})
	}
	if len(l.Looks) != looksMost || l.headed(1, 1) || len(without(l.Looks, 2)) != looksMost-1 {
		t.Errorf("looks %v, want the latest %d", l.Looks, looksMost)
	}
}
