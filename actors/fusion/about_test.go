package fusion

import (
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// Each row is assigned to the right one of two conversations.
func TestAbout(t *testing.T) {
	for _, c := range []struct {
		row, value string
		hana, ken  bool
	}{
		{"views\x00line:Hana", `1 {"conversation":"line:Hana"}`, true, false},
		{"views\x00line:Hanae", `1 {"conversation":"line:Hanae"}`, false, false},
		{"showing\x00current", `1 "line:Ken"`, false, true},
		{"held\x00held", `1 {"view":{"name":"Hana"},"detection":{"conversation":"line:Hana"}}`, true, false},
		{"held\x00held", `2 {"view":{"conversation":"line:Ken"}}`, false, true},
		{"cursor\x00cursor", `1 {"conversation":"line:Ken","lines":["\"Hana\""]}`, false, true},
		{"echoes\x00line:Hana", `1 {}`, true, false},
		{"unknown\x00unknown", `1 "2026-01-01T00:00:00Z"`, false, false},
		{"held\x00held", `1 {`, true, true},
		{"showing\x00current", ``, true, true},
	} {
		for who, want := range map[messages.ConversationID]bool{"line:Hana": c.hana, "line:Ken": c.ken} {
			if got := About(who, c.row, []byte(c.value)); got != want {
				t.Errorf("About(%s, %q, %s) = %v, want %v", who, c.row, c.value, got, want)
			}
		}
		want := map[bool]messages.ConversationID{c.hana: "line:Hana", c.ken: "line:Ken"}[true]
		if strings.HasSuffix(c.row, "line:Hanae") {
			want = "line:Hanae"
		}
		if c.hana && c.ken { // it cannot be decoded
			want = ""
		}
		if got := SubjectOf(c.row, []byte(c.value)); got != want {
			t.Errorf("SubjectOf(%q, %s) = %q, want %q", c.row, c.value, got, want)
		}
	}
}

// Every row written while fusion sees a single conversation is about it.
func TestAboutEveryRow(t *testing.T) {
	for name, o := range map[string]Options{"default": DefaultOptions(), "seed": with(func(o *Options) {
		o.Strategy, o.Clean = ByText{}, line()
	})} {
		store := mem.New()
		h := spawnWith(t, o, actortest.Store(store))
		h.Send(messages.TextSent{Conversation: "line:Hana", Text: "out"})
		for _, s := range []string{"aaaa bbbb", "aaaa bbbb", "aaaa bbbb cccc"} {
			send(h, read("Hana", s))
		}
		h.Crash() // what it knows is in the store
		rows := 0
		const own = "s/fusion/line@mac\x00"
		if err := store.Scan([]byte(own), nil, func(k, v []byte) bool {
			rows++
			if row := string(k[len(own):]); !About("line:Hana", row, v) || About("line:Ken", row, v) {
				t.Errorf("%s: the row %q = %s is not about line:Hana alone", name, row, v)
			}
			if who := SubjectOf(string(k[len(own):]), v); who != "line:Hana" {
				t.Errorf("%s: the row %q = %s is about %q, want line:Hana", name, k, v, who)
			}
			return true
		}); err != nil || rows < 3 {
			t.Errorf("%s: fusion has written %d rows, %v, want at least 3", name, rows, err)
		}
	}
}
