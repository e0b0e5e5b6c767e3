package conversation

import (
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/text/when"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Reminder is a request of the other side to be reminded.
type Reminder struct {
	Number  int64              `json:"number"` // counts from 1
	At      time.Time          `json:"at"`
	What    messages.Text      `json:"what,omitempty"` // "": only a time was given
	Message messages.MessageID `json:"message"`        // that asked
	Window  messages.WindowID  `json:"window,omitempty"`
	Due     bool               `json:"due,omitempty"` // its reply is being worked on
}

// Reminders are the pending ones, by number. Readers of the store decode them with this.
var Reminders = actors.NewTable[Reminder]("reminders")

// maxReminders of a conversation wait at the same time.
const maxReminders = 100

// asksToRemind records the reminders that a message asks for.
func (a *actor) asksToRemind(turn *actors.Turn, d messages.MessageDelivered) {
	l, _ := lineOf(d)
	waiting := 0
	for range Reminders.All(turn) {
		waiting++
	}
	for _, r := range when.Reminders(string(l.Text), turn.Now().In(a.o.Zone)) {
		if waiting++; waiting > maxReminders {
			turn.Drop(events.StageConversation, events.RuleFull, events.Detail{Conversation: a.id, Message: d.ID,
				Count: maxReminders})
			return
		}
		head, _ := Heads.Get(turn, "head")
		head.Reminders++
		Heads.Put(turn, "head", head)
		n := head.Reminders
		Reminders.Put(turn, RowKey(n), Reminder{Number: n, At: r.At, What: messages.Text(r.What), Message: d.ID,
			Window: d.Window})
		turn.After(remindTimer(n), max(time.Second, r.At.Sub(turn.Now())), messages.ReminderDue{Number: n})
	}
}

func remindTimer(n int64) string { return "remind " + RowKey(n) }

// remind opens a turn without a message, for a reminder.
func (a *actor) remind(turn *actors.Turn, n int64) {
	r, ok := Reminders.Get(turn, RowKey(n))
	if !ok || r.Due {
		return
	}
	if !a.set(turn, r.Window).Answers() {
		Reminders.Delete(turn, RowKey(n))
		return
	}
	r.Due = true
	Reminders.Put(turn, RowKey(n), r)
	a.step(turn, reply.Event{Kind: reply.OnReminder, Message: reply.ReminderID(n)})
}

// cancelReminder deletes a reminder, unless it is due already.
func (a *actor) cancelReminder(turn *actors.Turn, n int64) {
	r, ok := Reminders.Get(turn, RowKey(n))
	if !ok || r.Due {
		a.late(turn)
		return
	}
	Reminders.Delete(turn, RowKey(n))
	turn.Cancel(remindTimer(n))
}

// takenBack deletes the reminders of a message that was taken back or edited.
func (a *actor) takenBack(turn *actors.Turn, id messages.MessageID) {
	for _, r := range Reminders.All(turn) {
		if r.Message == id && !r.Due {
			a.cancelReminder(turn, r.Number)
		}
	}
}

// remindersOf returns the reminders that a turn is about.
func (a *actor) remindersOf(turn *actors.Turn, t *reply.Turn) (list []Reminder) {
	for _, id := range t.Messages {
		n, ok := reply.ReminderOf(id)
		if !ok {
			continue
		}
		if r, ok := Reminders.Get(turn, RowKey(n)); ok {
			list = append(list, r)
		}
	}
	return list
}

// asksMore reports whether a turn also answers messages.
func asksMore(t *reply.Turn, reminders []Reminder) bool { return len(t.Messages) > len(reminders) }

// whats is the subject of the reminders, in one line.
func whats(list []Reminder) messages.Text {
	var what []string
	for _, r := range list {
		if r.What != "" {
			what = append(what, string(r.What))
		}
	}
	return messages.Text(strings.Join(what, ", "))
}

// over deletes the reminders of a turn that has ended.
func (a *actor) over(turn *actors.Turn, t *reply.Turn) {
	for _, r := range a.remindersOf(turn, t) {
		Reminders.Delete(turn, RowKey(r.Number))
	}
}

// kindOf says which event of the desk an ID of a turn stands for.
func kindOf(id messages.MessageID) reply.EventKind {
	if _, ok := reply.ReminderOf(id); ok || id == reply.Opening {
		return reply.OnReminder
	}
	return reply.OnMessage
}
