package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// ReplyBackend answers questions about replies. Every [Backend] of this repository is
// one.
type ReplyBackend interface {
	// Drafts lists the replies that wait, by conversation: for a person or, once they are
	// approved or may go out by themselves, to be sent. Among them are those that are being
	// judged or written, which have no text and can only be rejected: see [Draft.Unwritten].
	Drafts(ctx context.Context) ([]Draft, error)
	// DraftDo carries out what a person wants done with a draft. It fails with ErrNoDraft
	// if the draft is gone or has changed since it had this ID, with ErrDraftLeaves if it is
	// about to be sent already, and with ErrUnwritten if it is being written and is not to be
	// rejected. The text is for messages.DraftEdit. Nil means
	// that the command is stored; if the draft changes before it is carried out, it has
	// no effect.
	DraftDo(ctx context.Context, id DraftID, do messages.DraftVerb, text string) error
	// Reminders lists the requests of the other sides to be reminded, by conversation.
	Reminders(ctx context.Context) ([]Reminder, error)
	// CancelReminder forgets one that is not due yet; else it fails with
	// ErrNoReminder.
	CancelReminder(ctx context.Context, id ReminderID) error
	// Judgements lists whether each conversation wanted an answer when it was last
	// judged.
	Judgements(ctx context.Context) ([]Judgement, error)
}

// Sending is the name under which [Backend].Pause and Resume know the sending of
// replies, unless a window is called so.
const Sending = "sending"

// Errors of a [ReplyBackend] that a person can mend.
var (
	ErrNoDraft = errors.New("control: no such draft: it was sent, given up or written anew; " +
		"kehai drafts lists those that wait")
	ErrDraftLeaves = errors.New("control: this reply is to be sent already: " +
		"kehai pause sending keeps it, and what you write in the window yourself takes its place")
	ErrUnwritten = errors.New("control: this reply is still being written: " +
		"kehai drafts reject stops that, anything else has to wait for its text")
	ErrNoReminder = errors.New("control: no such reminder that could be cancelled: " +
		"kehai reminders lists those that wait")
	ErrDraftText = errors.New("control: a draft must have a text of at most 400 characters")
)

// ReminderID names a reminder.
type ReminderID string

// NewReminderID makes the ID of a conversation's nth reminder.
func NewReminderID(c messages.ConversationID, n int64) ReminderID {
	return ReminderID(fmt.Sprintf("%s/%d", c, n))
}

// Split returns what an ID names; ok is false if it is not such an ID.
func (id ReminderID) Split() (c messages.ConversationID, n int64, ok bool) {
	at := strings.LastIndexByte(string(id), '/')
	if at < 1 {
		return "", 0, false
	}
	n, err := strconv.ParseInt(string(id[at+1:]), 10, 64)
	return messages.ConversationID(id[:at]), n, err == nil && n > 0
}

// Reminder is something that the other side asked to be reminded of.
type Reminder struct {
	ID           ReminderID              `json:"id"`
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"` // the conversation's name, as "line:Hana"
	At           Stamp                   `json:"at"`
	What         string                  `json:"what"`          // "" if they said only when
	Due          bool                    `json:"due,omitempty"` // it is time, and its reply is worked on
}

// DraftID names a draft in its present wording: a rewritten draft has another ID.
type DraftID string

// NewDraftID makes the ID of a turn's reply.
func NewDraftID(c messages.ConversationID, turn int64, epoch int) DraftID {
	return DraftID(fmt.Sprintf("%s/%d.%d", c, turn, epoch))
}

// Split returns what an ID names; ok is false if it is not such an ID.
func (id DraftID) Split() (c messages.ConversationID, turn int64, epoch int, ok bool) {
	at := strings.LastIndexByte(string(id), '/')
	if at < 1 {
		return "", 0, 0, false
	}
	t, e, _ := strings.Cut(string(id[at+1:]), ".")
	turn, errTurn := strconv.ParseInt(t, 10, 64)
	epoch, errEpoch := strconv.Atoi(e)
	ok = errTurn == nil && errEpoch == nil && turn > 0 && epoch > 0
	return messages.ConversationID(id[:at]), turn, epoch, ok
}

// Edited is the ID of a draft after an edit: the edit itself invalidates the old ID.
func (id DraftID) Edited() DraftID {
	c, turn, epoch, ok := id.Split()
	if !ok {
		return id
	}
	return NewDraftID(c, turn, epoch+1)
}

// Draft is a reply that waits.
type Draft struct {
	ID           DraftID                 `json:"id"`
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"` // the conversation's name, as "line:Hana"
	// State is judging, writing, draft, held, sending, or unknown: it may have been sent.
	State      messages.ReplyState  `json:"state"`
	Text       string               `json:"text"`
	Rule       messages.ReplyRule   `json:"rule"`    // why it waits
	Answers    []Answered           `json:"answers"` // what it answers, the oldest first
	Confidence float64              `json:"confidence"`
	Reason     string               `json:"reason"` // of the judgement that an answer is wanted
	Judged     messages.JudgeSource `json:"judged"` // by a model, by default, or its failure
	Lines      int                  `json:"lines"`  // messages that were read for it
	Model      string               `json:"model,omitempty"`
	Prompt     string               `json:"prompt,omitempty"`   // version of the texts that it was asked with
	Fallback   string               `json:"fallback,omitempty"` // why it is a fixed text
	NotSent    messages.SendReason  `json:"not_sent,omitempty"` // why it could not be sent
	Waits      messages.SendReason  `json:"waits,omitempty"`    // of sending: why it is not typed yet
	WrittenAt  Stamp                `json:"written_at"`
}

// Unwritten reports whether a reply is being judged or written. It has no text yet, and
// messages.DraftReject stops that.
func (d Draft) Unwritten() bool {
	return d.State == messages.ReplyJudging || d.State == messages.ReplyBeingWritten
}

// Answered is a message that a draft answers.
type Answered struct {
	Message messages.MessageID `json:"message"`
	Sender  string             `json:"sender,omitempty"`
	Text    string             `json:"text,omitempty"`   // as it reads now, "" if it is not kept any more
	Edited  bool               `json:"edited,omitempty"` // it read otherwise before
	Unsent  bool               `json:"unsent,omitempty"` // it was taken back
}

// Judgement is the newest judgement of a conversation.
type Judgement struct {
	Scope         string                  `json:"scope"`
	Conversation  messages.ConversationID `json:"conversation"`
	ShouldRespond bool                    `json:"should_respond"`
	Confidence    float64                 `json:"confidence"`
	Reason        string                  `json:"reason"`
	Source        messages.JudgeSource    `json:"source"`
	Message       string                  `json:"message"`       // the newest one then
	OnItsWay      bool                    `json:"on_its_way"`    // the reply is not sent yet
	Asking        bool                    `json:"asking"`        // a newer message is being judged
	JudgedAt      Stamp                   `json:"judged_at"`     // zero before the first judgement
	NextCheckAt   Stamp                   `json:"next_check_at"` // likewise
}

// replyRoutes adds what a [ReplyBackend] answers.
func replyRoutes(mux *http.ServeMux, b Backend) {
	r, ok := b.(ReplyBackend)
	if !ok {
		return
	}
	mux.HandleFunc("GET /v1/drafts", func(w http.ResponseWriter, req *http.Request) {
		list, err := r.Drafts(req.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("POST /v1/drafts", func(w http.ResponseWriter, req *http.Request) {
		v, ok := form(w, req)
		if !ok {
			return
		}
		err := r.DraftDo(req.Context(), DraftID(v.Get("id")), messages.DraftVerb(v.Get("do")), v.Get("text"))
		answer(w, struct{}{}, err)
	})
	mux.HandleFunc("GET /v1/reminders", func(w http.ResponseWriter, req *http.Request) {
		list, err := r.Reminders(req.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("DELETE /v1/reminder", func(w http.ResponseWriter, req *http.Request) {
		answer(w, struct{}{}, r.CancelReminder(req.Context(), ReminderID(req.URL.Query().Get("id"))))
	})
	mux.HandleFunc("GET /v1/judgements", func(w http.ResponseWriter, req *http.Request) {
		list, err := r.Judgements(req.Context())
		answer(w, list, err)
	})
}

// Drafts implements [ReplyBackend].
func (c *Client) Drafts(ctx context.Context) (list []Draft, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/drafts", &list)
	return list, err
}

// DraftDo implements [ReplyBackend].
func (c *Client) DraftDo(ctx context.Context, id DraftID, do messages.DraftVerb, text string) error {
	return c.post(ctx, "/v1/drafts", url.Values{"id": {string(id)}, "do": {string(do)}, "text": {text}})
}

// Reminders implements [ReplyBackend].
func (c *Client) Reminders(ctx context.Context) (list []Reminder, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/reminders", &list)
	return list, err
}

// CancelReminder implements [ReplyBackend].
func (c *Client) CancelReminder(ctx context.Context, id ReminderID) error {
	return c.get(ctx, http.MethodDelete, "/v1/reminder?"+url.Values{"id": {string(id)}}.Encode(), nil)
}

// Judgements implements [ReplyBackend].
func (c *Client) Judgements(ctx context.Context) (list []Judgement, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/judgements", &list)
	return list, err
}
