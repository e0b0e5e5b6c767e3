package messages

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Type is the stable name and the version of a message's stored form. The Go
// name may change, the stable name may not; the version rises when old stored
// bodies need an [Upcast].
type Type struct {
	Name    string
	Version int
}

func (t Type) String() string { return fmt.Sprintf("%s.v%d", t.Name, t.Version) }

// Message is a value that actors exchange: complete in itself and never
// changed after it was sent. Implement MessageType on the value, not on the
// pointer; it must not depend on the value's fields.
type Message interface {
	MessageType() Type
}

// About is implemented by durable messages that concern somebody. Forgetting that
// conversation deletes them, wherever they are stored.
type About interface {
	Message
	Subject() ConversationID // "" : nobody
}

// Errors of a [Codec].
var (
	ErrUnknownType = errors.New("messages: unknown message type")
	ErrBadBody     = errors.New("messages: unreadable message body")
	ErrBadTable    = errors.New("messages: bad table of message types")
)

// Upcast turns a body stored by an older version of a type into the body of
// the current one.
type Upcast func(version int, body json.RawMessage) (json.RawMessage, error)

// Entry is one row of a [Table]. Make it with [Durable] or [Fleeting].
type Entry struct {
	Type    Type
	Durable bool
	goType  reflect.Type
	upcast  Upcast
	decode  func(body []byte) (Message, error)
	subject func(Message) ConversationID // of a durable type
	head    string                       // precedes the body in the sealed form; set by NewCodec
}

// Zero is the zero value of the row's type.
func (e Entry) Zero() Message { return reflect.Zero(e.goType).Interface().(Message) }

// Table lists the message types a codec knows.
type Table []Entry

// Durable makes the row of a type whose sends, timers and calls survive a
// crash. upcast may be nil while there is only one version. The type implements
// [About], or its row says so with [AboutWhom] or [Entry.AboutNobody].
func Durable[M Message](upcast Upcast) Entry {
	e := entryOf[M]()
	e.Durable, e.upcast = true, upcast
	if _, ok := e.Zero().(About); ok {
		e.subject = func(m Message) ConversationID { return m.(About).Subject() }
	}
	return e
}

// AboutWhom is the row of a durable type with its subject, for a type that does
// not implement [About].
func AboutWhom[M Message](e Entry, subject func(M) ConversationID) Entry {
	e.subject = func(m Message) ConversationID { return subject(m.(M)) }
	return e
}

// AboutNobody is the row of a durable type whose messages are about nobody. They
// are forgotten only with the actor they are sent to, or that sent them.
func (e Entry) AboutNobody() Entry {
	e.subject = func(Message) ConversationID { return "" }
	return e
}

// Fleeting makes the row of a type that lives in memory only: it is tried once, lost in a
// crash, and repeated by its cause.
func Fleeting[M Message]() Entry { return entryOf[M]() }

func entryOf[M Message]() Entry {
	var zero M
	goType := reflect.TypeFor[M]()
	if goType.Kind() == reflect.Pointer { // NewCodec refuses it, by its name
		zero = reflect.New(goType.Elem()).Interface().(M)
	}
	return Entry{
		Type:   zero.MessageType(),
		goType: goType,
		decode: func(body []byte) (Message, error) {
			var m M
			if err := json.Unmarshal(body, &m); err != nil {
				return nil, err
			}
			return m, nil
		},
	}
}

// sealed is the stored form of a message of any type.
type sealed struct {
	Type    string          `json:"type"`
	Version int             `json:"v"`
	Body    json.RawMessage `json:"body"`
}

// Codec writes and reads messages of known types. It is immutable and safe for
// concurrent use.
type Codec struct {
	byName map[string]Entry
	byType map[reflect.Type]Entry
}

// NewCodec joins tables. An empty or doubled name, a version below 1, a pointer
// type, and a durable type without a subject or with a field that cannot be stored, are
// errors wrapping [ErrBadTable].
func NewCodec(tables ...Table) (*Codec, error) {
	c := &Codec{byName: map[string]Entry{}, byType: map[reflect.Type]Entry{}}
	for _, t := range tables {
		for _, e := range t {
			switch {
			case e.goType == nil || e.goType.Kind() == reflect.Pointer || e.goType.Kind() == reflect.Interface:
				return nil, fmt.Errorf("%w: %s: register the value type with Durable or Fleeting, not a pointer to it",
					ErrBadTable, e.Type)
			case e.Type.Name == "" || e.Type.Version < 1:
				return nil, fmt.Errorf("%w: %v: a type needs a name and a version of at least 1", ErrBadTable, e.goType)
			}
			if e.Durable && e.subject == nil {
				return nil, fmt.Errorf("%w: %q is durable and does not say whom it is about, "+
					"so that forgetting somebody would leave it: give %v a method Subject() messages.ConversationID, "+
					"or add .AboutNobody() to its row", ErrBadTable, e.Type.Name, e.goType)
			}
			if why := unstorable(e.goType, e.goType.String(), map[reflect.Type]bool{}); e.Durable && why != "" {
				return nil, fmt.Errorf("%w: %q is durable and cannot be stored: %s: leave it out, tag it "+
					"json:\"-\", or give its type a MarshalJSON", ErrBadTable, e.Type.Name, why)
			}
			old, ok := c.byName[e.Type.Name]
			switch {
			case ok && old.goType == e.goType:
				return nil, fmt.Errorf("%w: %v is registered twice, as %q: take one of its rows out",
					ErrBadTable, e.goType, e.Type.Name)
			case ok:
				return nil, fmt.Errorf("%w: %q is the name of both %v and %v", ErrBadTable, e.Type.Name,
					old.goType, e.goType)
			}
			if old, ok := c.byType[e.goType]; ok {
				return nil, fmt.Errorf("%w: %v has the names %q and %q", ErrBadTable, e.goType,
					old.Type.Name, e.Type.Name)
			}
			head, err := json.Marshal(sealed{Type: e.Type.Name, Version: e.Type.Version})
			if err != nil {
				return nil, fmt.Errorf("%w: %q: %w", ErrBadTable, e.Type.Name, err)
			}
			e.head = string(head[:len(head)-len("null}")])
			c.byName[e.Type.Name] = e
			c.byType[e.goType] = e
		}
	}
	return c, nil
}

// Lookup returns the row of a message's type, or an error wrapping
// [ErrUnknownType] that says how to register it.
func (c *Codec) Lookup(m Message) (Entry, error) {
	if m == nil {
		return Entry{}, fmt.Errorf("%w: nil message", ErrUnknownType)
	}
	e, ok := c.byType[reflect.TypeOf(m)]
	if t := reflect.TypeOf(m); !ok && t.Kind() == reflect.Pointer {
		return Entry{}, fmt.Errorf("%w: %v: send %v, not a pointer to it", ErrUnknownType, t, t.Elem())
	}
	if !ok {
		return Entry{}, fmt.Errorf("%w: %T: add it to a table of message types", ErrUnknownType, m)
	}
	return e, nil
}

// Encode writes a message with its name and version.
func (c *Codec) Encode(m Message) ([]byte, error) { return c.EncodeWithin("", m, "") }

// EncodeWithin is Encode with a prefix and a suffix around the message.
func (c *Codec) EncodeWithin(before string, m Message, behind string) ([]byte, error) {
	e, err := c.Lookup(m)
	if err != nil {
		return nil, err
	}
	raw, err := encodeJSON(m, before, e.head, "}", behind)
	if err != nil {
		return nil, fmt.Errorf("messages: encode %s: %w", e.Type, err)
	}
	return raw, nil
}

// Decode reads what Encode wrote, now or in an older version. Errors wrap
// [ErrUnknownType] or [ErrBadBody]; none quotes the body, which may be private.
func (c *Codec) Decode(data []byte) (Message, error) {
	var s sealed
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%w: %d bytes are no sealed message", ErrBadBody, len(data))
	}
	e, ok := c.byName[s.Type]
	if !ok {
		return nil, fmt.Errorf("%w: %q version %d: written by another version or host; "+
			"add it to a table of message types", ErrUnknownType, s.Type, s.Version)
	}
	if s.Version > e.Type.Version {
		return nil, fmt.Errorf("%w: %q version %d is newer than ours (%d): upgrade Kehai",
			ErrUnknownType, s.Type, s.Version, e.Type.Version)
	}
	if s.Version < e.Type.Version {
		if e.upcast == nil {
			return nil, fmt.Errorf("%w: %q version %d has no upcast to %d",
				ErrBadBody, s.Type, s.Version, e.Type.Version)
		}
		body, err := e.upcast(s.Version, s.Body)
		if err != nil {
			return nil, fmt.Errorf("%w: %q version %d: upcast failed: %w", ErrBadBody, s.Type, s.Version, err)
		}
		s.Body = body
	}
	m, err := e.decode(s.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %q version %d: %d bytes do not fit the type",
			ErrBadBody, s.Type, s.Version, len(s.Body))
	}
	return m, nil
}

// About returns the conversation that a message is about, "" for none; see [About].
func (c *Codec) About(m Message) ConversationID {
	if e := c.byType[reflect.TypeOf(m)]; e.subject != nil {
		return e.subject(m)
	}
	return ""
}

// Subject decodes a durable message and returns the conversation that it is about, "" for none.
func (c *Codec) Subject(data []byte) (ConversationID, error) {
	m, err := c.Decode(data)
	if err != nil {
		return "", err
	}
	return c.About(m), nil
}
