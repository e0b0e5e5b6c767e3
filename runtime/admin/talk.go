package admin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

var (
	_ control.TalkBackend = Backend{}
	_ control.TalkBackend = (*control.Client)(nil)
)

// Begin implements [control.TalkBackend].
func (b Backend) Begin(ctx context.Context, ask control.Begin) (messages.ConversationID, error) {
	e, err := b.talking()
	if err != nil {
		return "", err
	}
	if ask.Conversation != "" {
		return b.beginIn(ctx, e, ask)
	}
	if ask.Channel == "" {
		ask.Channel = messages.ChannelWeb
	}
	if ask.Channel.Place().Channel() == "" {
		return "", fmt.Errorf("%w: there is no channel %q: want web or host", control.ErrBegin, ask.Channel)
	}
	if ask.Name == "" {
		ask.Name = "guest " + strings.ToLower(rand.Text()[:6])
	}
	if err := b.mayBeCalled(e, ask.Name, control.ErrBegin); err != nil {
		return "", err
	}
	if err := mayBegin(e, ask.Project); err != nil {
		return "", err
	}
	id, err := b.Book.Introduce(ctx, e, string(ask.Channel), ask.Name)
	if err != nil && !errors.Is(err, control.ErrNotClear) && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", control.ErrBegin, err)
	}
	if err != nil || ask.Project == "" {
		return id, err
	}
	return id, b.beginInterview(ctx, e, id, ask.Project)
}

// writable refuses a name that no line shows as it is.
func writable(name string, as error) error {
	if n := utf8.RuneCountInString(name); n > directory.TitleLongest {
		return fmt.Errorf("%w: a name of %d characters: want at most %d", as, n, directory.TitleLongest)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%w: a name must not have control characters or invisible ones", as)
	}
	return nil
}

// mayBeCalled refuses a name that the directory would change, because two names could then
// mean one conversation, and one that reads as a name with its application before it.
func (b Backend) mayBeCalled(e *engine.Engine, name string, as error) error {
	if err := writable(name, as); err != nil {
		return err
	}
	title, group := directory.DefaultRules().Read(messages.Line{Text: messages.Text(name)})
	switch {
	case strings.TrimSpace(name) == "":
		return fmt.Errorf("%w: a name must have more than blanks", as)
	case group:
		return fmt.Errorf("%w: a name must not end with a number in brackets, which counts members", as)
	case string(title) != strings.Join(strings.Fields(name), " "):
		return fmt.Errorf("%w: a name must not have control characters or invisible ones", as)
	}
	before, _, ok := strings.Cut(directory.Plain(name), ":")
	if !ok {
		return nil
	}
	known, err := names.Known(e)
	if err != nil {
		return err
	}
	apps := append([]string{string(messages.ChannelWeb), string(messages.ChannelHost)}, b.Config.Apps()...)
	for _, k := range known {
		apps = append(apps, k.App)
	}
	if slices.ContainsFunc(apps, func(app string) bool { return directory.Plain(app) == before }) {
		return fmt.Errorf("%w: a name must not begin with %q, which stands before names of that application",
			as, before+":")
	}
	return nil
}

// talking returns the engine of a running Kehai; without one, nobody would answer.
func (b Backend) talking() (*engine.Engine, error) {
	if b.Live == nil {
		return nil, control.ErrNotRunning
	}
	return b.Engine()
}

// channelOf returns the channel of a known conversation.
func channelOf(k directory.Known) messages.Channel { return messages.WindowID(k.App).Channel() }

// Say implements [control.TalkBackend].
func (b Backend) Say(ctx context.Context, c messages.ConversationID, s control.Say) (a control.Accepted, err error) {
	e, err := b.talking()
	if err != nil {
		return a, err
	}
	c, k, err := names.Find(e, c)
	if err != nil {
		return a, err
	}
	channel := channelOf(k)
	switch {
	case channel == "":
		return a, control.ErrNotChannel
	case !describe.Visible(s.Text), !utf8.ValidString(s.Text), utf8.RuneCountInString(s.Text) > control.MaxSaid:
		return a, control.ErrSayText
	case s.Key == "":
		s.Key = rand.Text()
	}
	sum := sha256.Sum256([]byte(string(c) + "\x00" + s.Key))
	a.Conversation = c
	a.Message = messages.MessageID("w-" + hex.EncodeToString(sum[:12]))
	led, err := interviewOf(e, c)
	if err != nil {
		return a, err
	}
	a.Answered = led != nil || b.answers(c)
	if a.After, err = b.Talks.end(e); err != nil {
		return a, err
	}
	to := messages.To(conversation.Kind, string(c))
	said := messages.Say{Conversation: c, Channel: channel, ID: a.Message, Sender: k.Name(),
		Text: messages.Text(s.Text), At: time.Now()}
	switch ok, err := b.stored(e, to, said); {
	case err != nil:
		return a, err
	case ok:
		a.Again = true
		a.After, a.Answered, err = b.placeOf(e, a)
		return a, err
	case led != nil && led.State.Phase == interview.Done:
		return a, control.ErrOver
	}
	if err = e.InjectNew(ctx, to, said, string(a.Message)); errors.Is(err, engine.ErrInjected) {
		a.Again, err = true, b.injected(e, to, said)
	}
	return Outlook(e, to, a), err
}

// Outlook says of what was accepted for a conversation whether somebody reads it now.
func Outlook(e *engine.Engine, to messages.Address, a control.Accepted) control.Accepted {
	if e.Waits(to) {
		a.Answered, a.Waits = false, waitsForMember
	}
	return a
}

// waitsForMember is why nobody reads what is kept for a conversation.
const waitsForMember = "it is read and answered once a member is up on which the conversation may live: it began " +
	"where llm.tier is local (ZONE of `kehai cluster status`)"

// stored reports whether a message is kept. It is ErrKeyUsed if another text has its id.
func (b Backend) stored(e *engine.Engine, to messages.Address, m messages.Say) (ok bool, err error) {
	known, ok, err := conversation.Find(m.ID, func(row string) ([]byte, bool, error) { return e.ReadRow(to, row) })
	if ok && known.Text != m.Text && // or it is stored masked
		known.ContentHash != conversation.ContentHash(b.VaultKey(string(m.Conversation)), m.Text) {
		return false, control.ErrKeyUsed
	}
	return ok, err
}

// VaultKey is the key of a conversation's placeholders and hashes, see [conversation.ContentHash]: of
// its own key, so that all machines of a cluster have the same; of the node's where nothing is sealed.
func (b Backend) VaultKey(c string) []byte {
	if e, err := b.Engine(); err == nil {
		if key, ok, err := e.DeriveKey(messages.ConversationID(c), "vault"); err == nil && ok {
			return key
		}
	}
	mac := hmac.New(sha256.New, b.HashKey)
	mac.Write([]byte("vault\x00" + c))
	return mac.Sum(nil)
}

// injected returns nil if what was injected under a message's key is that message. It waits
// in the mail until it is kept; one that is in neither is gone, and was perhaps another.
func (b Backend) injected(e *engine.Engine, to messages.Address, m messages.Say) error {
	waits, same := false, false
	err := e.ReadMail(func(env engine.Envelope) bool {
		one, ok := env.Message.(messages.Say)
		if waits = ok && env.To == to && one.ID == m.ID; waits {
			same = one.Text == m.Text
		}
		return !waits
	})
	switch {
	case err != nil || same:
		return err
	case waits:
		return control.ErrKeyUsed
	}
	if ok, err := b.stored(e, to, m); ok || err != nil {
		return err
	}
	return control.ErrKeyUsed
}

// answers reports whether what a channel brings is answered.
func (b Backend) answers(c messages.ConversationID) bool {
	s := b.Config.Replies.Of(b.Label(c), false)
	return s.Answers()
}

// placeOf returns a place in the event log before an earlier message was delivered. After
// a message that is gone there is nothing to follow.
func (b Backend) placeOf(e *engine.Engine, a control.Accepted) (before uint64, answered bool, err error) {
	err = e.ReadLog(0, func(p engine.Published) bool {
		if m, ok := p.Message.(messages.MessageDelivered); ok && m.ID == a.Message {
			before, answered = p.Seq-1, a.Answered
			return false
		}
		return true
	})
	if !answered {
		before = a.After
	}
	return before, answered, err
}

// Talk implements [control.TalkBackend].
func (b Backend) Talk(ctx context.Context, c messages.ConversationID, q control.TalkQuery) (t control.Talk, err error) {
	e, err := b.talking()
	if err != nil {
		return t, err
	}
	c, k, err := names.Find(e, c)
	if err != nil {
		return t, err
	}
	t = control.Talk{Conversation: c, Called: k.App + ":" + string(k.Name()), Channel: channelOf(k),
		State: messages.ReplyNone, Messages: []control.Said{}, Drafts: []control.Draft{}}
	if t.LastEventID, err = b.Talks.end(e); err != nil {
		return t, err
	}
	var failed error
	take := func(row engine.Row) bool {
		switch failed = ctx.Err(); {
		case failed != nil:
		case row.Table == conversation.Messages.Name():
			var m messages.MessageDelivered
			m, failed = conversation.Messages.Decode(row.Value)
			t.Messages = append(t.Messages, saidOf(m))
		case row.Table == conversation.OwnMessages.Name():
			var o conversation.Own
			o, failed = conversation.OwnMessages.Decode(row.Value)
			t.Messages = append(t.Messages, ownSaid(c, o.Turn, o.Occurrence, o.Text, o.At))
		case row.Table == conversation.Interviews.Name():
			v, err := conversation.Interviews.Decode(row.Value)
			p := v.Progress()
			failed, t.Interview = err, &p
		case row.Table == conversation.Desks.Name():
			d, err := conversation.Desks.Decode(row.Value)
			if failed = err; d.Open != nil {
				t.State, t.Reply = d.Open.State, control.NewDraftID(c, d.Open.ID, d.Open.Epoch)
			}
		}
		return failed == nil
	}
	err = errors.Join(e.ReadRowsOf(messages.To(conversation.Kind, string(c)), take), failed)
	if err != nil {
		return t, err
	}
	t.Messages, t.More = selected(t.Messages, q)
	list, err := b.Drafts(ctx)
	for _, d := range list {
		if d.Conversation == c && !d.Unwritten() {
			t.Drafts = append(t.Drafts, d)
		}
	}
	return t, err
}

// defaultSaid is how many messages Talk returns by default.
const defaultSaid = 100

// selected returns the newest messages that a query asks for, in transcript order, and
// whether there are older ones.
func selected(list []control.Said, q control.TalkQuery) (out []control.Said, more bool) {
	slices.SortStableFunc(list, func(a, b control.Said) int { return int(a.Place - b.Place) })
	wanted := text.Compact(q.Text)
	list = slices.DeleteFunc(list, func(m control.Said) bool {
		return m.Place <= q.After && q.After > 0 || q.Before > 0 && m.Place >= q.Before ||
			wanted != "" && !strings.Contains(text.Compact(m.Content), wanted)
	})
	n := q.Limit
	if n == 0 {
		n = defaultSaid
	}
	return list[max(0, len(list)-n):], len(list) > n
}

// saidOf returns the current form of a message of the other side.
func saidOf(m messages.MessageDelivered) control.Said {
	s := control.Said{ID: string(m.ID), Role: control.RoleUser, Sender: string(m.Sender),
		At: control.Stamp{Time: m.SeenAt}, Unsent: len(m.Parts) > 0,
		Meta: control.SaidMeta{PIIProcessed: m.PIIProcessed, PIIDetected: len(m.Masked) > 0,
			DetectedItems: m.Masked, ContentHash: m.ContentHash}}
	var lines []string
	for _, p := range m.Parts {
		s.Place = max(s.Place, p.Occurrence)
		s.Edited = s.Edited || p.Edited != ""
		if p.Unsent {
			continue
		}
		s.Unsent = false
		line := string(p.Text)
		switch {
		case p.Edited != "":
			line = string(p.Edited)
		case line == "":
			line = "[" + string(p.Kind) + "]"
		}
		lines = append(lines, line)
	}
	s.Content = strings.Join(lines, "\n")
	return s
}

// ownSaid returns a message of our side. One that a person wrote in the window has no
// turn.
func ownSaid(c messages.ConversationID, turn int64, place messages.Occurrence, t messages.Text, at time.Time,
) control.Said {
	id := fmt.Sprintf("own:%d", place)
	if turn > 0 {
		id = string(control.NewDraftID(c, turn, 1))
	}
	return control.Said{ID: id, Role: control.RoleAssistant, Content: string(t), At: control.Stamp{Time: at},
		Place: place}
}
