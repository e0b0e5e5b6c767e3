package owner

import (
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the actor's kind; the key is the node.
const Kind = messages.ActorOwner

// Options of an owner.
type Options struct {
	Attends bool // attention is judged
	// Windows are the windows into which replies are typed. Their senders hear of each change without asking.
	Windows []messages.WindowID
}

// State is what is known of the owner.
type State struct {
	Attention   messages.Attention `json:"attention,omitempty"` // "" before the first change
	PausedSince time.Time          `json:"paused_since,omitzero"`
}

// States holds one row, [StateKey]. Readers of the store decode it with this.
var States = actors.NewTable[State]("state")

// StateKey is the key of the only row in [States].
const StateKey = "state"

var followers = actors.NewTable[time.Time]("followers") // since when, by conversation

// SubjectOf says which conversation a row is about, "" for the owner.
func SubjectOf(row string, _ []byte) messages.ConversationID {
	table, key := actors.SplitRow(row)
	if table != followers.Name() {
		return ""
	}
	return messages.ConversationID(key)
}

// New makes the constructor of owners.
func New(o Options) func(messages.Address) actors.Actor {
	return func(messages.Address) actors.Actor { return actor{o} }
}

type actor struct{ o Options }

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		a.tellAll(turn)
	case messages.FollowOwner:
		a.follow(turn, m)
	case messages.FocusChanged:
		a.change(turn, func(s *State) { s.Attention = m.To.State })
	case messages.PauseSending:
		a.change(turn, func(s *State) {
			if s.PausedSince.IsZero() {
				s.PausedSince = turn.Now()
			}
		})
	case messages.ResumeSending:
		a.change(turn, func(s *State) { s.PausedSince = time.Time{} })
	default:
		return fmt.Errorf("owner: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a actor) follow(turn *actors.Turn, m messages.FollowOwner) {
	if !m.On {
		followers.Delete(turn, string(m.Conversation))
		return
	}
	followers.Put(turn, string(m.Conversation), turn.Now())
	a.tell(turn, string(m.Conversation))
}

// change stores and tells what has changed.
func (a actor) change(turn *actors.Turn, edit func(*State)) {
	was, _ := States.Get(turn, StateKey)
	now := was
	if edit(&now); now == was {
		return
	}
	States.Put(turn, StateKey, now)
	a.tellAll(turn)
}

func (a actor) tellAll(turn *actors.Turn) {
	for conversation := range followers.All(turn) {
		a.tell(turn, conversation)
	}
	s, _ := States.Get(turn, StateKey)
	for _, w := range a.o.Windows {
		turn.Send(messages.To(messages.ActorOutbound, string(w)), s.tells(a.o.Attends))
	}
}

func (a actor) tell(turn *actors.Turn, conversation string) {
	s, _ := States.Get(turn, StateKey)
	turn.Send(messages.To(messages.ActorConversation, conversation), s.tells(a.o.Attends))
}
