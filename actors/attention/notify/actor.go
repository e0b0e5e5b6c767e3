package notify

import (
	"fmt"
	"maps"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the desk. WorkerKind is that of the
// workers that show notices.
const (
	Kind       = messages.ActorNotifier
	WorkerKind = messages.WorkerNotify
)

// Spells has one row, [RowKey].
var Spells = actors.NewTable[Spell]("spell")

// RowKey is the key of the only row in [Spells].
const RowKey = "spell"

// New makes the constructor of notifiers.
func New(o Options) func(messages.Address) actors.Actor {
	return func(self messages.Address) actors.Actor { return actor{o, messages.DeskID(self.Key())} }
}

type actor struct {
	o    Options
	desk messages.DeskID
}

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.NoticeShown:
		a.wrong(turn, "", "")
	case messages.FocusChanged:
		a.change(turn, func(s *Spell) { s.State, s.Since, s.Told = m.To.State, m.To.At, false })
	case messages.PauseNotices:
		if m.Until.IsZero() || m.Until.After(turn.Now()) {
			a.change(turn, func(s *Spell) { s.Paused, s.Until = true, m.Until })
		}
	case messages.ResumeNotices:
		a.change(turn, func(s *Spell) { s.Paused, s.Until = false, time.Time{} })
	case messages.NoticeDue:
		a.give(turn)
	case messages.CallFailed:
		reason := m.Code
		if reason == "" {
			reason = string(m.Kind)
		}
		a.wrong(turn, reason, m.Detail)
	default:
		return fmt.Errorf("notifier: unexpected %s", msg.MessageType())
	}
	return nil
}

// change stores a change and sets the timer that follows from it.
func (a actor) change(turn *actors.Turn, edit func(*Spell)) {
	spell, _ := Spells.Get(turn, RowKey)
	edit(&spell)
	a.keep(turn, spell)
}

func (a actor) keep(turn *actors.Turn, spell Spell) {
	at, ok := a.o.due(spell)
	if ok {
		spell.Due = attention.Later(at, turn.Now())
		turn.After("notice", spell.Due.Sub(turn.Now()), messages.NoticeDue{})
	} else {
		spell.Due = time.Time{}
		turn.Cancel("notice")
	}
	Spells.Put(turn, RowKey, spell)
}

// wrong reports why the desktop shows no notices, once for each reason until it
// shows one again.
func (a actor) wrong(turn *actors.Turn, reason, detail string) {
	spell, _ := Spells.Get(turn, RowKey)
	if spell.Wrong == reason {
		return
	}
	spell.Wrong = reason
	Spells.Put(turn, RowKey, spell)
	if reason != "" {
		turn.Drop(events.StageNotifier, events.RuleUnavailable, events.Detail{Code: reason, Note: detail})
	}
}

func (a actor) give(turn *actors.Turn) {
	spell, _ := Spells.Get(turn, RowKey)
	late := turn.Now().Sub(spell.Due)
	switch {
	case spell.Due.IsZero():
		return
	case late < 0: // the clock was set back
		a.keep(turn, spell)
		return
	case late > overdue:
		turn.Drop(events.StageNotifier, events.RuleTooLate, events.Detail{})
		spell.Since = turn.Now()
		a.keep(turn, spell)
		return
	}
	notice := messages.FocusNotice{ID: turn.NewID(), Desk: a.desk, State: spell.State, Since: spell.Since,
		At: turn.Now()}
	if spell.Paused {
		spell.Paused, spell.Until = false, time.Time{}
	}
	spell.Told, spell.Last = true, maps.Clone(spell.Last)
	if spell.Last == nil {
		spell.Last = map[messages.Attention]time.Time{}
	}
	spell.Last[spell.State] = turn.Now()
	a.keep(turn, spell)
	turn.Publish(notice)
	if a.o.Show {
		turn.Call(WorkerKind, messages.ShowNotice{Notice: notice}, actors.CallOptions{Deadline: 10 * time.Second})
	}
}
