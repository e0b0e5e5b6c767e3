package growth

import (
	"regexp"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/messages"
)

// called finds people by how they are addressed, and places by what they end with.
var called = []struct {
	kind string
	re   *regexp.Regexp
}{
	{"person", re(`(?P<body>[ァ-ヶー]{2,8}|\p{Han}{1,4}|\p{Hiragana}{2,4})(?:さん|ちゃん|くん|先輩|先生)`)},
	{"place", re(`(?P<body>\p{Han}{1,6}(?:駅|市|区|県|町|村|島|公園|美術館|図書館|空港|病院))`)},
}

// maxNames is how many names of one event are kept.
const maxNames = 20

// Names returns the people, organisations and places that an event names, its speaker's
// topics included.
func Names(e messages.Event, learned []Learned) (list []memory.Entity) {
	if len(e.Text) > longestRead {
		return nil
	}
	seen := map[string]bool{}
	add := func(kind, name string) {
		if name = bare(name); name == "" || seen[kind+name] || len(list) == maxNames {
			return
		}
		seen[kind+name] = true
		list = append(list, memory.Entity{Type: kind, Name: messages.Text(name),
			Events: []messages.MessageID{e.ID}})
	}
	for _, l := range learned {
		switch name := memory.FactName(l.Name); {
		case l.Claim.Op != memory.Holds:
		case l.Kind == memory.Relation:
			add("person", string(l.Claim.Body))
		case l.Kind == memory.Fact && name == memory.Home:
			add("place", string(l.Claim.Body))
		case l.Kind == memory.Fact && (name == memory.Work || name == memory.School):
			add("org", string(l.Claim.Body))
		}
	}
	for _, c := range called {
		for _, m := range c.re.FindAllStringSubmatch(string(e.Text), maxNames) {
			add(c.kind, m[1])
		}
	}
	spans, err := pii.Find(string(e.Text))
	if err != nil {
		return list
	}
	for _, s := range spans {
		kind := map[pii.Kind]string{pii.Name: "person", pii.Company: "org", pii.School: "org"}[s.Kind]
		if kind != "" {
			add(kind, string(e.Text)[s.Start:s.End])
		}
	}
	return list
}
