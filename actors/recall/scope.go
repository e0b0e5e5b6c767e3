package recall

import "github.com/kehai-run/kehai/messages"

// Scope is what a conversation sees of the memory.
type Scope struct {
	// Conversations are those of which everything is seen, its own among them; nil
	// means all.
	Conversations []messages.ConversationID
	// Owner says that what our own side said is seen wherever it was said.
	Owner bool
}

// Share says how far what was said in one conversation is seen in others.
type Share string

// Values of Share.
const (
	ShareConversation Share = "conversation" // nowhere else
	SharePerson       Share = "person"       // where the owner says that it is the same person
	ShareAll          Share = "all"          // in each conversation with one person
)

// ScopeOf is what a conversation sees; linked are the others of the same person. What
// was said elsewhere is never seen in a group.
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
