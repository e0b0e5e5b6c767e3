package owner

import (
	"fmt"
	"maps"
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
	return func(messages.Address) actors.Actor { return &actor{o: o} }
}

type actor struct {
	o Options
	// late are followers to be told as soon as their keys are in reach. Until then, none of them can do anything. nil:
	// nobody was told yet.
	late map[string]bool
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		if a.late == nil {
			a.tellAll(turn)
		} else {
			a.tellLate(turn)
		}
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

func (a *actor) follow(turn *actors.Turn, m messages.FollowOwner) {
	delete(a.late, string(m.Conversation))
	if !m.On {
		followers.Delete(turn, string(m.Conversation))
		return
	}
	followers.Put(turn, string(m.Conversation), turn.Now())
	a.tell(turn, string(m.Conversation))
}

// change stores and tells what has changed.
func (a *actor) change(turn *actors.Turn, edit func(*State)) {
	was, _ := States.Get(turn, StateKey)
	now := was
	if edit(&now); now == was {
		return
	}
	States.Put(turn, StateKey, now)
	a.tellAll(turn)
}

// tellAll tells everybody. What the owner does not allow must not wait for somebody's key.
func (a *actor) tellAll(turn *actors.Turn) {
	for conversation := range followers.AllInReach(turn) {
		a.tell(turn, conversation)
	}
	a.late = map[string]bool{}
	for conversation := range followers.Away(turn) {
		a.late[conversation] = true
	}
	a.later(turn)
	s, _ := States.Get(turn, StateKey)
	for _, w := range a.o.Windows {
		turn.Send(messages.To(messages.ActorOutbound, string(w)), s.tells(a.o.Attends))
	}
}

// tellLate tells those whose keys are back.
func (a *actor) tellLate(turn *actors.Turn) {
	for conversation := range followers.AllInReach(turn) {
		if a.late[conversation] {
			a.tell(turn, conversation)
		}
	}
	away := followers.Away(turn)
	maps.DeleteFunc(a.late, func(c string, _ bool) bool { return away[c] == nil })
	a.later(turn)
}

// readAgain is how long after a look the rows are looked at again that could not be read.
const readAgain = time.Second

func (a *actor) later(turn *actors.Turn) {
	if len(a.late) > 0 {
		turn.After("late", readAgain, messages.Started{})
	}
}

func (a *actor) tell(turn *actors.Turn, conversation string) {
	s, _ := States.Get(turn, StateKey)
	turn.Send(messages.To(messages.ActorConversation, conversation), s.tells(a.o.Attends))
}
