package directory

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestSettingsBindOneConversation(t *testing.T) {
	hana := Known{App: "line", Title: "Hana"}
	for name, c := range map[string]struct {
		known map[messages.ConversationID]Known
		name  string
		want  messages.ConversationID
	}{
		"the only one": {map[messages.ConversationID]Known{"c-1": hana}, "line:Hana", "c-1"},
		"full width":   {map[messages.ConversationID]Known{"c-1": hana}, "line:Ｈａｎａ", "c-1"},
		"by its id":    {map[messages.ConversationID]Known{"c-1": hana, "c-2": hana}, "c-2", "c-2"},
		"an older id": {
			map[messages.ConversationID]Known{"line:Hana": hana, "c-2": hana}, "line:Hana", "line:Hana",
		},
		"a name that is two's": {map[messages.ConversationID]Known{"c-1": hana, "c-2": hana}, "line:Hana", ""},
		"one was called so before": {map[messages.ConversationID]Known{
			"c-1": {App: "line", Title: "花", Readings: []Reading{{Title: "Hana", Votes: 3}}}, "c-2": hana,
		}, "line:Hana", ""},
		"the owner calls one so": {map[messages.ConversationID]Known{
			"c-1": {App: "line", Title: "H", Named: "Hana"}, "c-2": {App: "line", Title: "Bob"},
		}, "line:Hana", "c-1"},
		"another application's prefix as a title": {map[messages.ConversationID]Known{
			"c-1": {App: "line", Title: "slack:hana"},
		}, "slack:hana", ""},
		"another application": {map[messages.ConversationID]Known{
			"c-1": hana, "c-2": {App: "slack", Title: "Hana"},
		}, "slack:Hana", "c-2"},
		"another case": {map[messages.ConversationID]Known{"c-1": hana}, "line:hana", ""},
		"no prefix":    {map[messages.ConversationID]Known{"c-1": hana}, "Hana", ""},
		"merged": {map[messages.ConversationID]Known{
			"c-1": hana, "c-2": {App: "line", Title: "Hana", Into: "c-1"},
		}, "line:Hana", "c-1"},
	} {
		id, ok := Bound(c.known, c.name)
		if id != c.want || ok != (c.want != "") {
			t.Errorf("%s: Bound(%q) = %q, %v, want %q", name, c.name, id, ok, c.want)
		}
	}
}

func TestNamesFromBeforeAConversationWasSeen(t *testing.T) {
	known := map[messages.ConversationID]Known{
		"c-1":      {App: "line", Title: "Zoe", Named: "Zoë", Readings: []Reading{{Title: "Z0e"}, {Title: "Zoe"}}},
		"c-2":      {App: "line", Title: "Z0e"}, // so that nobody alone has that name
		"line:Ann": {App: "line", Title: "Ann"},
	}
	got := Unseen(known, []messages.ConversationID{"c-1", "line:Ann"})
	if want := []messages.ConversationID{"line:Zoe", "line:Zoë"}; !slices.Equal(got, want) {
		t.Errorf("Unseen() = %q, want %q", got, want)
	}
}
