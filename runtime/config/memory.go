package config

import (
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors/recall"
)

// Memory says what becomes of what was said.
type Memory struct {
	// Where what was said in a conversation may help to answer: conversation (in that one
	// alone), person (also in others that people names for the same person) or all (in
	// each conversation with one person). A group never sees what was said elsewhere.
	// Default person.
	Share recall.Share `yaml:"share" oneof:"conversation|person|all"`

	// What our own side said and may help to answer elsewhere too: none or all. Default
	// none.
	ShareOwner string `yaml:"share_owner" oneof:"none|all"`
}

// Person is one person in several conversations.
type Person struct {
	// What the person is called. It must be given. Default empty.
	Name string `yaml:"name"`

	// The conversations with this person alone, such as ["line:Hana", "slack:hana"].
	// Default [].
	Conversations []string `yaml:"conversations"`
}

func defaultMemory() Memory { return Memory{Share: recall.SharePerson, ShareOwner: "none"} }

// maxPeople is how many people may be in several conversations.
const maxPeople = 500

// checkPeople checks what the tags cannot say.
func (c *Config) checkPeople(p *problems) {
	if n := len(c.People); n > maxPeople {
		p.add(c, "people", fmt.Sprintf("%d people: want at most %d", n, maxPeople))
	}
	whose := map[string]int{}
	for i, one := range c.People {
		if strings.TrimSpace(one.Name) == "" {
			p.add(c, fmt.Sprintf("people.%d.name", i), "want what the person is called, such as Hana")
		}
		for _, name := range one.Conversations {
			if first, twice := whose[name]; twice && first != i {
				p.add(c, fmt.Sprintf("people.%d.conversations", i), fmt.Sprintf(
					"%s: people.%d has this conversation: it is with one person", quote(name), first))
			}
			whose[name] = i
		}
	}
}
