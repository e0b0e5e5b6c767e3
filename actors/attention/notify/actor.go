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

// Kind is the notifier's actor kind; the key is the desk. WorkerKind is the kind
// of the workers that show notices.
const (
	Kind       = messages.ActorNotifier
	WorkerKind = messages.WorkerNotify
)

// Episodes holds one row, [RowKey].
var Episodes = actors.NewTable[Episode]("spell")

// RowKey is the key of the only row in [Episodes].
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
		a.change(turn, func(s *Episode) { s.State, s.Since, s.Notified = m.To.State, m.To.At, false })
	case messages.PauseNotices:
		if m.Until.IsZero() || m.Until.After(turn.Now()) {
			a.change(turn, func(s *Episode) { s.Paused, s.Until = true, m.Until })
		}
	case messages.ResumeNotices:
		a.change(turn, func(s *Episode) { s.Paused, s.Until = false, time.Time{} })
	case messages.NoticeDue:
		a.give(turn)
	case messages.CallFailed:
		a.wrong(turn, m.Reason(), m.Detail)
	default:
		return fmt.Errorf("notifier: unexpected %s", msg.MessageType())
	}
	return nil
}

// change stores a change and sets the timer that follows from it.
func (a actor) change(turn *actors.Turn, edit func(*Episode)) {
	episode, _ := Episodes.Get(turn, RowKey)
	edit(&episode)
	a.keep(turn, episode)
}

func (a actor) keep(turn *actors.Turn, episode Episode) {
	at, ok := a.o.due(episode)
	if ok {
		episode.Due = attention.Later(at, turn.Now())
		turn.After("notice", episode.Due.Sub(turn.Now()), messages.NoticeDue{})
	} else {
		episode.Due = time.Time{}
		turn.Cancel("notice")
	}
	Episodes.Put(turn, RowKey, episode)
}

// wrong reports why the desktop shows no notices: once for each reason, until a
// notice is shown again.
func (a actor) wrong(turn *actors.Turn, reason, detail string) {
	episode, _ := Episodes.Get(turn, RowKey)
	if episode.Wrong == reason {
		return
	}
	episode.Wrong = reason
	Episodes.Put(turn, RowKey, episode)
	if reason != "" {
		turn.Drop(events.StageNotifier, events.RuleUnavailable, events.Detail{Code: reason, Note: detail})
	}
}

func (a actor) give(turn *actors.Turn) {
	episode, _ := Episodes.Get(turn, RowKey)
	late := turn.Now().Sub(episode.Due)
	switch {
	case episode.Due.IsZero():
		return
	case late < 0: // the clock was set back
		a.keep(turn, episode)
		return
	case late > overdue:
		turn.Drop(events.StageNotifier, events.RuleTooLate, events.Detail{})
		episode.Since = turn.Now()
		a.keep(turn, episode)
		return
	}
	notice := messages.FocusNotice{ID: turn.NewID(), Desk: a.desk, State: episode.State, Since: episode.Since,
		At: turn.Now()}
	if episode.Paused {
		episode.Paused, episode.Until = false, time.Time{}
	}
	episode.Notified, episode.Last = true, maps.Clone(episode.Last)
	if episode.Last == nil {
		episode.Last = map[messages.Attention]time.Time{}
	}
	episode.Last[episode.State] = turn.Now()
	a.keep(turn, episode)
	turn.Publish(notice)
	if a.o.Show {
		turn.Call(WorkerKind, messages.ShowNotice{Notice: notice}, actors.CallOptions{Deadline: 10 * time.Second})
	}
}
