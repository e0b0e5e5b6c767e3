package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Sealing asks whom a row is about, forgetting whether it is about a conversation.

// rowSubject is the subject of a row that is not sealed yet: whom it is about, or else
// the actor that owns it.
func (e *Engine) rowSubject(key string, value []byte) string {
	class, _ := classOf(key)
	switch class {
	case keyState:
		a, row, _ := splitKey(class, key)
		return e.kinds[a.Kind()].subject(a, row, value)
	case keyAttempts:
		a, _, _ := splitKey(class, key)
		return a.Key()
	case keyHost, keyForget:
		return ""
	}
	var rec struct {
		Actor  messages.Address `json:"actor"`
		From   messages.Address `json:"from"`
		Detail events.Detail    `json:"detail"`
		About  string           `json:"about"`
		Msg    json.RawMessage  `json:"msg"`
	}
	_ = json.Unmarshal(value, &rec) // what fits in one place may still tell
	if c := cmp.Or(string(rec.Detail.Conversation), rec.About); c != "" {
		return c
	}
	if len(rec.Msg) > 0 {
		if c, err := e.codec.Subject(rec.Msg); err == nil && c != "" {
			return string(c)
		}
	}
	switch class {
	case keyInbox, keyTimer, keyCall:
		a, _, _ := splitKey(class, key)
		return a.Key()
	case keyVerdict, keyDead:
		return rec.Actor.Key()
	}
	return rec.From.Key()
}

// subject is whom a row of an actor's state is about.
func (k Kind) subject(a messages.Address, row string, value []byte) string {
	if k.SubjectOf != nil {
		return cmp.Or(string(k.SubjectOf(row, value)), a.Key())
	}
	return a.Key()
}

// subject is whom a durable message is about that an actor has or is to get.
func (e *Engine) subject(m messages.Message, of messages.Address) string {
	if e.sealer == nil {
		return ""
	}
	if c := e.codec.About(m); c != "" {
		return string(c)
	}
	return of.Key()
}

// matches reports whether a stored row belongs to the conversation. Rows that cannot be
// checked are counted if the caller says so.
func (d *deletion) matches(key string, value []byte, count bool) bool {
	c := d.rec.Conversation
	if d.rest && d.named != nil && !d.named.has(key, value) {
		return false
	}
	class, _ := classOf(key)
	switch class {
	case keyState, keyInbox, keyTimer, keyCall, keyAttempts, keyInjected:
		a, _, ok := splitKey(class, key)
		if ok && keyed(a, c) { // whether it opens or not
			return !d.rest
		}
	}
	if s := d.e.sealer; marked(value) && s != nil && s.Under(string(c), value[len(sealMark):]) {
		return !d.rest // whether it opens or not
	}
	if marked(value) {
		plain, err := d.e.open([]byte(key), value)
		if err != nil {
			if count || errors.Is(err, ErrKeyAway) { // which may have gone away since the row was collected
				d.missed(key, value, err)
			}
			return false
		}
		value = plain
	}
	unknown := &d.sum.Unknown
	if !count {
		unknown = new(int)
	}
	switch class {
	case keyState:
		return d.e.rowAbout(c, key, value)
	case keyLog:
		return !d.e.ofAnother(c, value) && d.e.about(c, value, unknown)
	case keyInbox, keyTimer, keyCall, keyVerdict, keyDead:
		return d.e.about(c, value, unknown)
	}
	return false
}

// missed notes a row that does not open and may be about the conversation. If its key is out of reach, the
// deletion is not finished before it can be read: it would come back with the key.
func (d *deletion) missed(key string, value []byte, why error) {
	switch class, _ := classOf(key); {
	case class == keyAttempts, class == keyInjected:
	case class == keyState && !d.e.mayTell(key, value[len(sealMark):]):
	case errors.Is(why, ErrKeyAway):
		d.leave(key, value, why)
	case d.e.forgotten(value, why):
	default:
		d.sum.Unknown++
		d.sum.Closed++
	}
}

// leave notes a row that cannot be read for now.
func (d *deletion) leave(key string, value []byte, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = cmp.Or(d.away, why)
	if _, again := d.rows[key]; !again {
		d.unread++
		d.size += len(key)
	}
	if d.namesRest() {
		if d.rows == nil {
			d.rows = sums{}
		}
		d.rows[key] = sumOf(value)
	}
}

// namesRest reports whether the rows that cannot be read fit into the intent of a rest.
func (d *deletion) namesRest() bool { return d.unread <= maxRest && d.size <= maxRestBytes }

// waits returns why a row cannot be read for now, nil if there is none.
func (d *deletion) waits() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.away
}

// mayTell reports whether a row of an actor, sealed for another than a conversation, may be about that one
// too. Where only [Kind].SubjectOf says whom a row is about, it was sealed for whom it is about, or for its
// actor by a program that could not ask.
func (e *Engine) mayTell(key string, sealed []byte) bool {
	a, _, ok := splitKey(keyState, key)
	k := e.kinds[a.Kind()]
	return ok && (k.About != nil || k.SubjectOf != nil && (e.sealer == nil || e.sealer.Under(a.Key(), sealed)))
}

// keyed reports whether an actor's key is the conversation.
func keyed(a messages.Address, c messages.ConversationID) bool { return a.Key() == string(c) }

// concerned reports whether an actor's rows may hold something of a conversation.
func (e *Engine) concerned(a messages.Address, c messages.ConversationID) bool {
	return keyed(a, c) || e.kinds[a.Kind()].asks()
}

func (e *Engine) rowAbout(c messages.ConversationID, key string, value []byte) bool {
	a, row, ok := splitKey(keyState, key)
	if !ok || keyed(a, c) {
		return ok
	}
	k := e.kinds[a.Kind()]
	return k.About != nil && k.About(c, row, value) || k.SubjectOf != nil && k.SubjectOf(row, value) == c
}

// asks reports whether rows of the kind may be about others than the actor's key.
func (k Kind) asks() bool { return k.About != nil || k.SubjectOf != nil }

// about reads what all records with a message or a verdict share, and asks the message
// whom it is about.
func (e *Engine) about(c messages.ConversationID, value []byte, unknown *int) bool {
	var rec struct {
		Actor  messages.Address        `json:"actor"`
		From   messages.Address        `json:"from"`
		Detail events.Detail           `json:"detail"`
		About  messages.ConversationID `json:"about"`
		Msg    json.RawMessage         `json:"msg"`
		Raw    []byte                  `json:"raw"` // of a dead letter that is no message
	}
	// A field that cannot be read does not hide the others.
	bad := json.Unmarshal(value, &rec)
	if keyed(rec.Actor, c) || keyed(rec.From, c) || rec.Detail.Conversation == c || rec.About == c {
		return true
	}
	if bad == nil && len(rec.Msg) == 0 && len(rec.Raw) == 0 { // a verdict
		return false
	}
	if s := e.sealer; s != nil && marked(rec.Raw) && s.Under(string(c), rec.Raw[len(sealMark):]) {
		return true
	}
	if bad == nil && len(rec.Raw) == 0 {
		subject, err := e.codec.Subject(rec.Msg)
		if err == nil {
			return subject == c
		}
	}
	if names(value, c) || names(rec.Raw, c) {
		return true
	}
	*unknown++
	return false
}

// ofAnother reports whether an event says itself that it is about another conversation, whoever published it: of
// one that was moved there, older versions kept from whom it came.
func (e *Engine) ofAnother(c messages.ConversationID, value []byte) bool {
	var rec struct {
		Msg json.RawMessage `json:"msg"`
	}
	if json.Unmarshal(value, &rec) != nil || len(rec.Msg) == 0 {
		return false
	}
	subject, err := e.codec.Subject(rec.Msg)
	return err == nil && subject != "" && subject != c
}

// names reports whether a conversation is named anywhere in what cannot be decoded.
func names(raw []byte, c messages.ConversationID) bool {
	quoted, _ := json.Marshal(string(c)) // a string always has a JSON form
	return bytes.Contains(raw, []byte(c)) || bytes.Contains(raw, quoted[1:len(quoted)-1])
}
