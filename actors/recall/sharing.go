package recall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
)

// Sharing is the section memory of a configuration: who may be reminded of what was said.
type Sharing struct {
	// Where what was said in a conversation may help to answer: conversation (in that one
	// alone), person (also in others that people names for the same person) or all (in
	// each conversation with one person). A group never sees what was said elsewhere.
	// Default person.
	Share Share `yaml:"share" oneof:"conversation|person|all"`

	// What our own side said and may help to answer elsewhere too: none or all. Default
	// none.
	ShareOwner string `yaml:"share_owner" oneof:"none|all"`

	// Whether a model, if there is one, chooses what helps where much is found. It takes
	// up to 1.5s of each answer; later the order without it counts. Default false.
	Select bool `yaml:"select"`
}

// Within is s, but no wider than what another machine allows.
func (s Sharing) Within(share Share, owner string) Sharing {
	width := []Share{ShareConversation, SharePerson, ShareAll} // what a newer version calls otherwise is narrowest
	s.Share = width[max(0, min(slices.Index(width, s.Share), slices.Index(width, share)))]
	if owner != "all" {
		s.ShareOwner = "none"
	}
	return s
}

// Person is one person in several conversations.
type Person struct {
	// What the person is called. It must be given. Default empty.
	Name string `yaml:"name"`

	// The conversations with this person alone, such as ["line:Hana", "slack:hana"].
	// Default [].
	Conversations []string `yaml:"conversations"`
}

// DefaultSharing lets a person be reminded of what was said with that person.
func DefaultSharing() Sharing { return Sharing{Share: SharePerson, ShareOwner: "none"} }

// maxPeople is the most people who can be named.
const maxPeople = 500

// CheckPeople reports what is wrong with people, each by its key.
func CheckPeople(people []Person, wrong func(key, what string)) {
	if n := len(people); n > maxPeople {
		wrong("people", fmt.Sprintf("%d people: want at most %d", n, maxPeople))
	}
	whose := map[string]int{}
	for i, one := range people {
		if strings.TrimSpace(one.Name) == "" {
			wrong(fmt.Sprintf("people.%d.name", i), "want what the person is called, such as Hana")
		}
		for _, name := range one.Conversations {
			if first, twice := whose[name]; twice && first != i {
				wrong(fmt.Sprintf("people.%d.conversations", i), fmt.Sprintf(
					"%s: people.%d has this conversation: it is with one person", text.Quote(name), first))
			}
			whose[name] = i
		}
	}
}
