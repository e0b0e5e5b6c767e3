package recall

import "github.com/kehai-run/kehai/messages"

// Scope is what a conversation sees of the memory.
type Scope struct {
	// Conversations are the ones it sees everything of, including itself; nil means all.
	Conversations []messages.ConversationID
	// Owner means that it sees what our own side said anywhere.
	Owner bool
	// Apart reports what it never sees, whatever else is said here. Nil: nothing.
	Apart func(messages.ConversationID) bool
}

func (s Scope) apart(c messages.ConversationID) bool { return s.Apart != nil && s.Apart(c) }

// Share says which other conversations see what was said in one.
type Share string

// Values of Share.
const (
	ShareConversation Share = "conversation" // nowhere else
	SharePerson       Share = "person"       // where the owner says that it is the same person
	ShareAll          Share = "all"          // in each conversation with a single person
)

// ScopeOf returns what a conversation sees; linked are the others with the same person. A
// group never sees what was said elsewhere.
func ScopeOf(c messages.ConversationID, group bool, share Share, owner bool, linked []messages.ConversationID) Scope {
	s := Scope{Conversations: []messages.ConversationID{c}}
	switch {
	case group:
		return s
	case share == ShareAll:
		return Scope{}
	case share == SharePerson:
		s.Conversations = append(s.Conversations, linked...)
	}
	s.Owner = owner
	return s
}
