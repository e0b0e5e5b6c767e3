package admin

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/config"
)

// A conversation sees those that the owner links, and what was merged into it; a name
// that two conversations have links neither, and a group sees itself alone.
func TestScope(t *testing.T) {
	known := map[messages.ConversationID]directory.Known{
		"c-hana": {App: "line", Title: "Hana"}, "c-work": {App: "slack", Title: "hana.w"},
		"c-ken1": {App: "line", Title: "Ken"}, "c-ken2": {App: "line", Title: "Ken"},
		"c-old": {App: "line", Title: "Hna", Into: "c-hana"}, "c-other": {App: "line", Title: "Other"},
	}
	cfg := config.Default()
	cfg.People = []config.Person{
		{Name: "Hana", Conversations: []string{"line:Hana", "slack:hana.w", "shop:4711"}},
		{Name: "Ken", Conversations: []string{"line:Ken", "line:Other"}},
	}
	for _, c := range []struct {
		of    messages.ConversationID
		group bool
		want  []messages.ConversationID
	}{
		{"c-hana", false, []messages.ConversationID{"c-hana", "c-work", "shop:4711", "c-old"}},
		{"shop:4711", false, []messages.ConversationID{"shop:4711", "c-hana", "c-work", "c-old"}},
		{"c-hana", true, []messages.ConversationID{"c-hana", "c-old"}},
		{"c-ken1", false, []messages.ConversationID{"c-ken1"}},
		{"c-other", false, []messages.ConversationID{"c-other"}},
	} {
		if got := scopeOf(cfg, known, c.of, c.group); !slices.Equal(got.Conversations, c.want) || got.Owner {
			t.Errorf("Scope(%s, group %v) = %v, owner %v, want %v", c.of, c.group, got.Conversations, got.Owner, c.want)
		}
	}
	cfg.Memory.Share, cfg.Memory.ShareOwner = recall.ShareConversation, "all"
	if got := scopeOf(cfg, known, "c-hana", false); len(got.Conversations) != 2 || !got.Owner {
		t.Errorf("Scope = %+v, want its own, what was merged into it, and the owner's words", got)
	}
	cfg.Memory.Share = recall.ShareAll
	if got := scopeOf(cfg, known, "c-hana", false); got.Conversations != nil {
		t.Errorf("Scope = %+v, want all", got)
	}
}

// A group in which one person happens to speak is still a group: its title or the settings
// say so, and what is set counts most.
func TestGroupsAreKnown(t *testing.T) {
	known := map[messages.ConversationID]directory.Known{
		"c-family": {App: "line", Title: "Family", Group: true, Settled: true},
		"c-old":    {App: "line", Title: "Famly", Into: "c-family"},
		"c-hana":   {App: "line", Title: "Hana", Settled: true},
	}
	for _, c := range []struct {
		of   messages.ConversationID
		set  conversation.Group
		seen bool
		want bool
	}{
		{"c-family", conversation.GroupAuto, false, true},
		{"c-old", "", false, true},
		{"c-family", conversation.GroupNo, true, false},
		{"c-hana", conversation.GroupAuto, false, false},
		{"c-hana", conversation.GroupAuto, true, true},
		{"c-hana", conversation.GroupYes, false, true},
		{"shop:4711", "", false, false},
	} {
		if got := isGroup(c.set, known, c.of, c.seen); got != c.want {
			t.Errorf("isGroup(%q, %s, seen %v) = %v, want %v", c.set, c.of, c.seen, got, c.want)
		}
	}
}

// In a cluster the narrowest of all members' settings counts, and people who are not the same everywhere link nobody.
func TestTheStrictestOfAClusterCounts(t *testing.T) {
	known := map[messages.ConversationID]directory.Known{
		"c-hana": {App: "line", Title: "Hana"}, "c-work": {App: "slack", Title: "hana.w"},
	}
	configure := func(share recall.Share, owner string, people ...string) config.Config {
		cfg := config.Default()
		cfg.Memory.Share, cfg.Memory.ShareOwner = share, owner
		cfg.People = []config.Person{{Name: "Hana", Conversations: people}}
		return cfg
	}
	both, turned := []string{"line:Hana", "slack:hana.w"}, []string{"slack:hana.w", "line:Hana"}
	const conversation, person, all = recall.ShareConversation, recall.SharePerson, recall.ShareAll
	for name, c := range map[string]struct {
		mine, other config.Config
		sees        int // conversations, 0: all
		owner       bool
	}{
		"both wide":        {configure(all, "all", both...), configure(all, "all", both...), 0, false},
		"a narrower other": {configure(all, "all", both...), configure(person, "none", turned...), 2, false},
		"a wider other":    {configure(conversation, "all", both...), configure(all, "all", both...), 1, true},
		"other people":     {configure(person, "all", both...), configure(person, "all", "line:Hana"), 1, true},
		"a newer other":    {configure(person, "all", both...), configure("family", "some", both...), 1, false},
	} {
		cfg := strictest(c.mine, []cluster.Sharing{SharingOf(c.other)})
		got := scopeOf(cfg, known, "c-hana", false)
		if len(got.Conversations) != c.sees || got.Owner != c.owner {
			t.Errorf("%s: it sees %v, owner %t, want %d conversations, owner %t", name, got.Conversations, got.Owner,
				c.sees, c.owner)
		}
	}
}
