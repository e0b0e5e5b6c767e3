package reply

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// State is a state of a turn.
type State = messages.ReplyState

// States. The last three end a turn.
const (
	none      = messages.ReplyNone
	Judging   = messages.ReplyJudging
	Declined  = messages.ReplyDeclined
	Writing   = messages.ReplyBeingWritten
	Held      = messages.ReplyHeld
	Drafted   = messages.ReplyDrafted
	Sending   = messages.ReplySending
	Unknown   = messages.ReplyUnknown
	Sent      = messages.ReplySent
	Withdrawn = messages.ReplyWithdrawn
	Rejected  = messages.ReplyRejected

	same State = "same"
)

// Turn answers messages.
type Turn struct {
	ID       int64                `json:"id"`    // counts from 1
	Epoch    int                  `json:"epoch"` // of its reply: a new one invalidates the results of older ones
	State    State                `json:"state"`
	Messages []messages.MessageID `json:"messages"`       // in order
	Text     messages.Text        `json:"text,omitempty"` // the reply
	ByHand   bool                 `json:"by_hand,omitempty"`
	Stale    bool                 `json:"stale,omitempty"` // a message changed while the reply was sent
	Void     bool                 `json:"void,omitempty"`  // it became needless while it was sent
}

// Desk is what a conversation knows of its replies. The zero value has none. Its JSON
// form is stored.
type Desk struct {
	Last    int64                `json:"last"`              // the newest turn's ID
	Open    *Turn                `json:"open,omitempty"`    // the one being worked on
	Unknown []Turn               `json:"unknown,omitempty"` // those that were not confirmed, oldest first
	Waiting []messages.MessageID `json:"waiting,omitempty"` // for the next turn
}

// StillSends reports whether a reply is the one that is being sent.
func (d Desk) StillSends(of messages.Sending) bool {
	return d.Open != nil && d.Open.ID == of.Turn && d.Open.Epoch == of.Epoch && d.Open.State == Sending
}

// EventKind says what happened.
type EventKind string

// Kinds of events; see the package comment.
const (
	OnMessage     EventKind = "message"
	OnReminder    EventKind = "reminder" // a turn of our own; Message is a [ReminderID] or [Opening]
	OnChanged     EventKind = "changed"  // also "emptied"
	OnPerson      EventKind = "person"   // wrote in the window
	OnVerdict     EventKind = "verdict"  // "yes" or "no"
	OnAgain       EventKind = "again"    // a declined message, or one whose reply was held for long, is judged again
	OnWrote       EventKind = "wrote"
	OnDecided     EventKind = "decide" // for a held reply
	OnApprove     EventKind = "approve"
	OnEdit        EventKind = "edit"
	OnHold        EventKind = "hold"
	OnReject      EventKind = "reject"
	OnConfirmed   EventKind = "confirmed"
	OnUnconfirmed EventKind = "unconfirmed"
	OnNotSent     EventKind = "not_sent" // nothing of it is in the window
)

const reminder = "reminder:"

// ReminderID takes the place of a message in a turn for a reminder.
func ReminderID(n int64) messages.MessageID { return messages.MessageID(fmt.Sprint(reminder, n)) }

// ReminderOf is the reminder that an ID stands for.
func ReminderOf(id messages.MessageID) (n int64, ok bool) {
	number, ok := strings.CutPrefix(string(id), reminder)
	n, err := strconv.ParseInt(number, 10, 64)
	return n, ok && err == nil && ReminderID(n) == id
}

// Opening takes the place of a message in a turn that begins an interview by itself.
const Opening messages.MessageID = "opening"

// Event is something that happened to a conversation.
type Event struct {
	Kind    EventKind
	Message messages.MessageID // of OnMessage, OnReminder, OnChanged
	Unsent  bool               // of OnChanged: it was taken back
	Below   int                // of OnPerson: how many of the newest that wait stand below it
	Turn    int64              // of all but OnMessage, OnReminder, OnChanged, OnPerson
	Epoch   int                // of the turn; 0 for a person's command about the present one
	Respond bool               // of OnVerdict
	Action  Action             // of OnWrote and OnDecided
	Text    messages.Text      // of OnWrote and OnEdit
}

// EffectKind says what is to be done.
type EffectKind string

// Kinds of effects.
const (
	Judge       EffectKind = "judge"
	Write       EffectKind = "write"
	StopWriting EffectKind = "stop_writing"
	SendReply   EffectKind = "send"
	StopSending EffectKind = "stop_sending"
	NotifyOwner EffectKind = "notify"
)

// Effect is something to be done for a turn. Its result carries the same turn and epoch.
type Effect struct {
	Kind  EffectKind
	Turn  int64
	Epoch int
	Text  messages.Text // of SendReply
}

// row is a row of the table.
type row struct {
	from []State
	on   string
	to   State
	do   []EffectKind
}

// table is the table of the package comment.
var table = []row{
	{[]State{none}, "message", Judging, []EffectKind{Judge}},
	{[]State{Judging, Declined}, "message", Judging, []EffectKind{Judge}},
	{[]State{Held, Drafted}, "message", Judging, []EffectKind{Judge}},
	{[]State{Writing, Sending}, "message", same, []EffectKind{wait}},
	{[]State{none}, "reminder", Judging, []EffectKind{Judge}},
	{[]State{Judging, Declined}, "reminder", Judging, []EffectKind{Judge}},
	{[]State{Held, Drafted}, "reminder", same, []EffectKind{wait}},
	{[]State{Writing, Sending}, "reminder", same, []EffectKind{wait}},
	{[]State{Judging}, "yes", Writing, []EffectKind{Write}},
	{[]State{Judging}, "no", Declined, nil},
	{[]State{Declined}, "again", Judging, []EffectKind{Judge}},
	{[]State{Held}, "again", Judging, []EffectKind{Judge}},
	{[]State{Writing}, "wrote_hold", Held, nil},
	{[]State{Writing}, "wrote_draft", Drafted, nil},
	{[]State{Writing}, "wrote_notify", Drafted, []EffectKind{NotifyOwner}},
	{[]State{Writing}, "wrote_send", Sending, []EffectKind{SendReply}},
	{[]State{Held}, "decide_hold", Held, nil},
	{[]State{Held}, "decide_draft", Drafted, nil},
	{[]State{Held}, "decide_notify", Drafted, []EffectKind{NotifyOwner}},
	{[]State{Held}, "decide_send", Sending, []EffectKind{SendReply}},
	{[]State{Held, Drafted}, "edit", Drafted, nil},
	{[]State{Held, Drafted, Unknown}, "approve", Sending, []EffectKind{SendReply}},
	{[]State{Drafted}, "hold", Held, nil},
	{[]State{Held, Drafted, Unknown}, "reject", Rejected, nil},
	{[]State{Judging}, "reject", Rejected, nil},
	{[]State{Writing}, "reject", Rejected, []EffectKind{StopWriting}},
	{[]State{Judging, Declined}, "person", Withdrawn, nil},
	{[]State{Held, Drafted}, "person", Withdrawn, nil},
	{[]State{Writing}, "person", Withdrawn, []EffectKind{StopWriting}},
	{[]State{Sending}, "person", same, []EffectKind{StopSending}},
	{[]State{Judging, Declined}, "changed", Judging, []EffectKind{Judge}},
	{[]State{Held, Drafted}, "changed", Judging, []EffectKind{Judge}},
	{[]State{Writing}, "changed", Judging, []EffectKind{StopWriting, Judge}},
	{[]State{Sending}, "changed", same, []EffectKind{StopSending}},
	{[]State{Judging, Declined}, "emptied", Withdrawn, nil},
	{[]State{Held, Drafted}, "emptied", Withdrawn, nil},
	{[]State{Writing}, "emptied", Withdrawn, []EffectKind{StopWriting}},
	{[]State{Sending}, "emptied", same, []EffectKind{StopSending}},
	{[]State{Sending, Unknown}, "confirmed", Sent, nil},
	{[]State{Sending}, "unconfirmed", Unknown, nil},
	{[]State{Sending}, "not_sent", Drafted, nil},
	{[]State{Sending}, "not_sent_stale", Judging, []EffectKind{Judge}},
	{[]State{Sending}, "not_sent_void", Withdrawn, nil},
}

// wait keeps a message for the next turn; it is done here.
const wait EffectKind = "wait"

// find returns the row for an event in a state.
func find(from State, on string) (row, bool) {
	i := slices.IndexFunc(table, func(r row) bool { return r.on == on && slices.Contains(r.from, from) })
	if i < 0 {
		return row{}, false
	}
	return table[i], true
}
