package fusion

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestOldConversationsAreForgotten: the least recent one goes, with what was sent
// to it, unless that may still appear.
func TestOldConversationsAreForgotten(t *testing.T) {
	h := spawnWith(t, with(func(o *Options) { o.Keep = 3 }))
	visit := func(name messages.Text, words string) {
		for range 2 { // the second look proves a new one
			send(h, read(name, words))
		}
	}
	sent := func(name, text string) {
		h.Send(messages.TextSent{Conversation: idOf(messages.Text(name)), Text: messages.Text(text), At: h.Now()})
	}
	kept := func(candidates string) string {
		var out []string
		for _, name := range strings.Fields(candidates) {
			if _, ok := actortest.Stored(h, lastViews, "line:"+name); ok {
				out = append(out, name)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	sent("Hana", "おはようございます")
	visit("Hana", "a b")
	visit("Ken", "c d")
	visit("Mei", "e f")
	h.Advance(2 * time.Minute)
	visit("Hana", "a b g") // Ken is the oldest now
	h.Crash()
	sent("Ken", "またあとで")
	visit("Ren", "h i")
	if got, want := kept("Hana Ken Mei Ren"), "Hana Mei Ren"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	if _, ok := actortest.Stored(h, echoes, "line:Ken"); !ok {
		t.Error("what was sent to Ken a moment ago is forgotten, want it kept")
	}
	visit("Sou", "j k")
	h.CrashBeforeCommit()
	visit("Aoi", "p q")
	visit("Aoi", "p q")
	if got, want := kept("Hana Ken Mei Ren Sou Aoi"), "Aoi Ren Sou"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	if _, ok := actortest.Stored(h, echoes, "line:Hana"); ok {
		t.Error("what was sent to Hana long ago is kept, want it forgotten with her")
	}
	h.Sent()
	visit("Hana", "r s") // like a new one
	hana := h.Sent()
	if last := hana[len(hana)-2]; last.To != "dedup/line:Hana" {
		t.Errorf("a forgotten conversation that comes back: sent %v, want its detection", hana)
	}
}
