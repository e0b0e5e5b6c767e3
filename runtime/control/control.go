// Package control lets the command line reach a running Kehai. The running process
// locks the store, so it answers on a Unix socket in the data directory.
//
// The main type is [Backend], the questions and commands. Package runtime/admin
// implements it for a running Kehai and for a store at rest. [Serve] puts a Backend
// behind the socket, and [Client] is the other end. Only the same user and root can
// use the socket: it gives access to everything.
package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// Backend answers what the command line asks of a Kehai.
type Backend interface {
	// Timeline yields what was delivered, what was sent, and where something may be
	// missing, oldest first, until yield fails. The fate of a message or a reply
	// stands in its own entry. A change is a separate entry only if its message is
	// not listed.
	Timeline(ctx context.Context, q Query, yield func(Entry) error) error
	DeadLetters(ctx context.Context) ([]engine.DeadLetter, error)
	// RetryDeadLetter and DiscardDeadLetter fail with engine.ErrNoDeadLetter for
	// an unknown id.
	RetryDeadLetter(ctx context.Context, id string) error
	DiscardDeadLetter(ctx context.Context, id string) error
	// Subscriptions lists the readers of the event log.
	Subscriptions(ctx context.Context) ([]engine.Subscription, error)
	// DropSubscription drops the place of a subscription that nobody serves; it fails
	// with engine.ErrNoSubscription for an unknown name.
	DropSubscription(ctx context.Context, name string) error
	// ParkEvent puts the next event of a subscription aside, as a dead letter, if it cannot be
	// read; it fails with engine.ErrNoSubscription for an unknown name.
	ParkEvent(ctx context.Context, subscription string) error
	Status(ctx context.Context) (Status, error)

	// Verdicts yields decisions of the stages, oldest first, until yield fails; from the
	// query it uses Conversation and Since.
	Verdicts(ctx context.Context, q Query, yield func(events.Verdict) error) error
	// Trace returns the path of a delivered message, or ErrNoMessage.
	Trace(ctx context.Context, id messages.MessageID) (Path, error)
	// Why explains what became of something, delivered or not.
	Why(ctx context.Context, q WhyQuery) (Why, error)

	// Pause stops watching a window, all if it is "", the desk if it is [Attention], or
	// the sending of replies if it is [Sending], until Resume; both fail with
	// ErrNoWindow for an unknown one.
	Pause(ctx context.Context, window string) error
	Resume(ctx context.Context, window string) error
	// Forget deletes everything stored of a conversation, which may be named.
	Forget(ctx context.Context, c messages.ConversationID) (engine.Forgotten, error)

	NameBackend
}

// Conversation is a conversation as people and scripts see it.
type Conversation struct {
	ID       messages.ConversationID `json:"id"`
	App      string                  `json:"app"`
	Name     string                  `json:"name"`
	Title    string                  `json:"title,omitempty"` // what its window shows, if that is not its name
	Messages int64                   `json:"messages"`        // of both sides, also imported ones
	LastAt   *Stamp                  `json:"last_at,omitempty"`
}

// Label is what a person reads of it: its name behind its application.
func (c Conversation) Label() string { return c.App + ":" + c.Name }

// Stamp is a time. People read it in their own zone; its JSON form is RFC 3339 with
// milliseconds in UTC.
type Stamp struct{ time.Time }

const stampForm = "2006-01-02T15:04:05.000Z07:00"

// String implements fmt.Stringer, for people.
func (s Stamp) String() string { return s.Local().Format(time.DateTime) }

// MarshalText implements encoding.TextMarshaler.
func (s Stamp) MarshalText() ([]byte, error) { return []byte(s.UTC().Format(stampForm)), nil }

// MarshalJSON keeps the embedded time's own form away.
func (s Stamp) MarshalJSON() ([]byte, error) {
	return []byte(s.UTC().Format(`"` + stampForm + `"`)), nil
}

// Status describes a Kehai at one moment.
type Status struct {
	Running     bool                `json:"running"` // the store is open, and calls are accepted
	Version     string              `json:"version"`
	Node        string              `json:"node"`
	PID         int                 `json:"pid"`
	StartedAt   Stamp               `json:"started_at"`
	Healthy     bool                `json:"healthy"`
	Problems    []string            `json:"problems,omitempty"`
	Page        string              `json:"page,omitempty"` // the live page's address, without a key
	Actors      []engine.ActorInfo  `json:"actors"`
	Pools       []engine.PoolInfo   `json:"pools"`
	DeadLetters int                 `json:"dead_letters"`
	Paused      []Paused            `json:"paused,omitempty"`
	Windows     []messages.WindowID `json:"windows,omitempty"`  // that are watched
	Captures    []Capture           `json:"captures,omitempty"` // by window
	Typists     []Typist            `json:"typists,omitempty"`  // by window
	// AttentionPaused is since when the desk is not watched, nil if it is.
	AttentionPaused *Stamp `json:"attention_paused,omitempty"`
	// SendingPaused is since when no reply is sent, nil if replies are.
	SendingPaused *Stamp `json:"sending_paused,omitempty"`
	// Held counts the readings whose conversation is unknown.
	Held int `json:"held,omitempty"`
	// Stalled is what was done within a day and not seen to be sent in time.
	Stalled []Stalled `json:"stalled,omitempty"`
	// Recording is what is kept of windows for a replay, nil if nothing is.
	Recording *Recording `json:"recording,omitempty"`
	// LLM is the language model, nil if none is set up.
	LLM *LLM `json:"llm,omitempty"`
}

// Stalled is a task, mostly a reply, about which nothing was seen to be sent in time.
type Stalled struct {
	Conversation messages.ConversationID `json:"conversation"`
	Reason       messages.StallReason    `json:"reason"`
	Since        Stamp                   `json:"since"` // its completion
	At           Stamp                   `json:"at"`    // when that was told
}

// LLM is what a language model was asked since the process started.
type LLM struct {
	Off      string   `json:"off,omitempty"`     // why it is not asked, "" if it is
	Breaker  string   `json:"breaker,omitempty"` // closed, half-open or open: questions fail at once
	Purposes []LLMUse `json:"purposes,omitempty"`

	Failing []LLMFailing `json:"failing,omitempty"`
}

// LLMFailing is a model that has not answered since it failed.
type LLMFailing struct {
	Model string           `json:"model"`
	Code  messages.LLMCode `json:"code"`
	Said  string           `json:"said,omitempty"` // what came in place of an answer; "" of an older Kehai
	Mend  string           `json:"mend"`           // what the owner can do
}

// LLMUse sums up the questions for one purpose. Attempts include retries and questions that
// were not sent; tokens are as the server counted them.
type LLMUse struct {
	Purpose      string `json:"purpose"`
	Model        string `json:"model"`
	Attempts     uint64 `json:"attempts"`
	Answers      uint64 `json:"answers"`
	Retries      uint64 `json:"retries"`
	PromptTokens uint64 `json:"prompt_tokens"`
	AnswerTokens uint64 `json:"answer_tokens"`
}

// Capture says whether a window can be captured.
type Capture struct {
	Window messages.WindowID `json:"window"`
	Code   string            `json:"code"` // "" while it can, else why not
	Detail string            `json:"detail,omitempty"`
	Since  Stamp             `json:"since"`
}

// CapturesOf says it of each window.
func CapturesOf(states []events.CaptureState) (list []Capture) {
	for _, s := range states {
		list = append(list, Capture{Window: s.Window, Code: s.Code, Detail: s.Detail, Since: Stamp{Time: s.At}})
	}
	return list
}

// Typist says what types into a window.
type Typist struct {
	Window messages.WindowID `json:"window"`
	Name   string            `json:"name"` // "none": nothing can be sent there
}

// maxSocketPath is the length of a socket's path that every system we know allows.
const maxSocketPath = 100

// SocketPath is where the Kehai of a data directory listens: kehai.sock in the
// directory. If that path is too long for a socket, it is in this user's runtime
// directory, or in one of its own in the system's temporary directory.
func SocketPath(data string) (string, error) {
	abs, err := filepath.Abs(data)
	if err != nil {
		return "", fmt.Errorf("control: data directory %s: %w", data, err)
	}
	if path := filepath.Join(abs, "kehai.sock"); len(path) <= maxSocketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(abs))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	if dir := runtimeDir(); private.Check(dir, private.Closed) == nil && len(dir) < maxSocketPath/2 {
		return filepath.Join(dir, "kehai-"+name), nil
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("kehai-%d", os.Geteuid()), name), nil
}

// runtimeDir is where the system keeps sockets of this user. A program that is
// started without the variable, by cron for example, finds the same directory.
func runtimeDir() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	return fmt.Sprintf("/run/user/%d", os.Geteuid())
}
